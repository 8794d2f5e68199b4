import CHTTP
import LiveryClient

/// The socket that a server listens at.
struct Listener {
  let descriptor: Int32
  /// 0 for one without.
  let port: Int
  /// "http://127.0.0.1:41234"; what others may use to come here.
  let address: String
  private let path: String?

  init(_ options: Server.Options) throws(StoreError) {
    path = options.unixSocket
    if let path {
      descriptor = lvh_listen_at_path(path)
      guard descriptor >= 0 else { throw Listener.error(-descriptor, at: path) }
      port = 0
      address = Listener.address(behind: options.hosts.first)
      return
    }
    var parsed = lvh_address()
    guard lvh_address_parse(options.listen, &parsed) else {
      throw StoreError(.invalidArgument, "`listen` is no address with a port, such as 127.0.0.1:8080 or [::1]:0")
    }
    if !parsed.is_loopback, let reason = options.confinement {
      throw StoreError(.invalidArgument, "others reach \(options.listen): \(reason)")
    }
    descriptor = lvh_listen(&parsed)
    guard descriptor >= 0 else { throw Listener.error(-descriptor, at: options.listen) }
    port = Int(lvh_local_port(descriptor))
    address = "http://\(Listener.authority(options, &parsed, descriptor, port))"
  }

  /// Of a web server in front.
  private static func address(behind name: String?) -> String {
    guard let name, let named = Authority(Array(name.utf8)[...]) else { return "http://localhost" }
    switch named.port {
    case nil, 80: return "http://\(named.host)"
    case 443: return "https://\(named.host)"
    case .some(let port): return "http://\(named.host):\(port)"
    }
  }

  /// A name that was given, else the address; for all addresses of the device the one by which it reaches others.
  private static func authority(
    _ options: Server.Options, _ parsed: inout lvh_address, _ descriptor: Int32, _ port: Int
  ) -> String {
    var text = [CChar](repeating: 0, count: Int(LVH_ADDRESS_MAX))
    if !parsed.is_loopback, let name = options.hosts.first, let named = Authority(Array(name.utf8)[...]) {
      return "\(named.host):\(named.port ?? port)"
    }
    if parsed.is_any { lvh_primary_address(&parsed, &text) }
    if text[0] != 0 { return "\(string(text)):\(port)" }
    _ = lvh_local_address(descriptor, &text)
    return parsed.is_any ? "127.0.0.1:\(port)" : string(text)
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func close() {
    remove()
    lvh_close(descriptor)
  }

  /// Removes the file of the socket.
  func remove() {
    if let path { lvh_remove_socket(path) }
  }

  private static func error(_ number: Int32, at place: String) -> StoreError {
    let code: StoreError.Code
    switch lvh_failure_of(number) {
    case LVH_BUSY: code = .busy
    case LVH_PERMISSION: code = .permission
    case LVH_NO_PLACE: code = .invalidArgument
    default: code = .io
    }
    let reason = lvh_reason(number).map { String(cString: $0) } ?? "error \(number)"
    return StoreError(code, "cannot listen at \(place): \(reason)", systemError: number)
  }
}

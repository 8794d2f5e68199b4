import CFleet
import CLivery
import CLiverySync
import CSync
import LiveryClient
import LiveryFleet

/// How a device takes part.
struct Options: Sendable {
  var isDispatched = false
  var name: String?
  var scope: String?
  var certificates: String?
  var proxy: String?
  var broker: String?
  var brokerUser: String?
  var brokerPasswordFile: String?
  /// In microseconds.
  var timeout: Int64 = 60_000_000

  init() {}

  init(_ pointer: UnsafePointer<livery_sync_options>?) throws(StoreError) {
    let content = try structure(pointer, none: livery_sync_options())
    try checkFlags(content.flags, known: Int(LIVERY_SYNC_DISPATCH))
    isDispatched = content.flags & UInt32(LIVERY_SYNC_DISPATCH) != 0
    name = try Self.text(content.name, "name", Int(LIVERY_SYNC_NAME_MAX))
    scope = try Self.text(content.scope, "scope", 32)
    certificates = try Self.text(content.ca_file, "ca_file", 4096).map { Self.absolute($0) }
    proxy = try Self.text(content.proxy, "proxy", 2048)
    broker = try Self.text(content.broker, "broker", 2048)
    brokerUser = try Self.text(content.broker_user, "broker_user", 1024)
    brokerPasswordFile = try Self.text(content.broker_password_file, "broker_password_file", 4096)
    if content.timeout_ms != 0 { timeout = Int64(content.timeout_ms) * 1000 }
    try check()
  }

  private static func text(_ text: UnsafePointer<CChar>?, _ name: StaticString, _ limit: Int) throws(StoreError)
    -> String?
  {
    text == nil ? nil : try argument(text, name, limit: limit)
  }

  /// It is kept, and used by other processes. What is not there is told by the first request.
  static func absolute(_ path: String) -> String {
    var place = [CChar](repeating: 0, count: 4097)
    let isThere = path.withCString { lvy_absolute($0, &place, UInt32(place.count)) }
    return isThere ? place.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? path } : path
  }

  /// - Throws: `.invalidArgument`.
  func check() throws(StoreError) {
    if let scope, !Name.isValid(scope) { throw StoreError(.invalidArgument, "scope is no name of an app") }
    if let name, name.utf8.isEmpty || !name.line(name.utf8.count).sameBytes(as: name) {
      throw StoreError(.invalidArgument, "name is empty, or has control characters")
    }
    if let certificates, certificates.utf8.isEmpty { throw StoreError(.invalidArgument, "ca_file is empty") }
    if let broker, let problem = Hints.problem(of: broker, user: brokerUser, passwordFile: brokerPasswordFile) {
      throw StoreError(.invalidArgument, "broker: \(problem)")
    }
    guard (1...86_400_000_000).contains(timeout) else {
      throw StoreError(.invalidArgument, "timeout_ms is more than 86,400,000")
    }
  }
}

/// The zone of the device.
enum Zone {
  static func offset(_ seconds: Int64) -> Int64 { Int64(lvd_zone_offset(seconds)) }
}

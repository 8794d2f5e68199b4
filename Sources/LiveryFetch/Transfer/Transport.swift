import CFetch
import CLivery
import CLiveryFetch
import LiveryClient

/// How requests are made: by libcurl, or as an app has it.
final class Transport: Sendable {
  private struct Functions: @unchecked Sendable {
    var begin:
      @convention(c) (UnsafePointer<livery_fetch_request>?, OpaquePointer?, UnsafeMutableRawPointer?) -> livery_status
    var cancel: (@convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void)?
    var userData: UserData
  }

  private enum Kind: Sendable {
    case libcurl
    case functions(Functions)
    #if !hasFeature(Embedded)
      case swift(any FetchTransport)
    #endif
  }

  private let kind: Kind

  /// That of libcurl.
  init() {
    kind = .libcurl
  }

  #if !hasFeature(Embedded)
    init(_ transport: any FetchTransport) {
      kind = .swift(transport)
    }
  #endif

  private init(_ functions: Functions) {
    kind = .functions(functions)
  }

  /// - Throws: `.invalidArgument` without a function that begins requests.
  static func of(_ transport: livery_fetch_transport, _ userData: UserData) throws(StoreError) -> Transport {
    guard let begin = transport.begin else { throw StoreError(.invalidArgument, "the transport has no begin") }
    return Transport(Functions(begin: begin, cancel: transport.cancel, userData: userData))
  }

  /// Begins a request, whose end the exchange is told of.
  ///
  /// - Throws: what the transport left, if it does not take the request.
  func begin(_ request: Request, _ exchange: Exchange) throws(StoreError) {
    let handle = try exchange.open()
    do throws(StoreError) {
      switch kind {
      case .libcurl:
        try Self.check(request.withContent { lvf_curl_begin($0, handle) })
        // A cancel that came before this was of nothing that libcurl knows.
        if exchange.isUnwanted { lvf_curl_cancel(handle) }
      case .functions(let functions):
        try Self.check(request.withContent { functions.begin($0, handle, functions.userData.pointer) })
      #if !hasFeature(Embedded)
        case .swift(let transport): try transport.begin(FetchRequest(request), FetchExchange(exchange: exchange))
      #endif
      }
    } catch {
      exchange.close()
      throw error
    }
  }

  /// Throws what a function has left.
  private static func check(_ status: livery_status) throws(StoreError) {
    guard status != livery_status(LIVERY_OK) else { return }
    let left = livery_last_error()
    let message = left?.pointee.status == status ? (left?.pointee.message).map { String(cString: $0) } : nil
    throw StoreError(
      status < 0 ? StoreError.Code(rawValue: status) : .invalidArgument,
      message ?? "the transport did not take the request")
  }

  /// Tells that nobody waits for the answer any more.
  func cancel(_ exchange: Exchange, _ handle: OpaquePointer) {
    switch kind {
    case .libcurl: lvf_curl_cancel(handle)
    case .functions(let functions): functions.cancel?(handle, functions.userData.pointer)
    #if !hasFeature(Embedded)
      case .swift(let transport): transport.cancel(FetchExchange(exchange: exchange))
    #endif
    }
  }
}

/// A request for a transport.
struct Request: Sendable {
  var address: Address
  var fields: [(name: StaticString, value: [UInt8])] = []
  var certificates: String?
  var proxy: String?

  func withContent<R>(_ body: (UnsafePointer<livery_fetch_request>) -> R) -> R {
    var texts = CTexts()
    let url = texts.add(address.bytes)
    let certificates = certificates.map { texts.add($0.utf8) }
    let proxy = proxy.map { texts.add($0.utf8) }
    let pairs = fields.map { (field) -> (Int, Int) in
      let name = UnsafeBufferPointer(start: field.name.utf8Start, count: field.name.utf8CodeUnitCount)
      return (texts.add(name), texts.add(field.value))
    }
    return texts.withPointers { (text) -> R in
      let headers = pairs.map { livery_fetch_header(name: text($0.0), value: text($0.1)) }
      return headers.withUnsafeBufferPointer { (headers) -> R in
        var content = livery_fetch_request(
          struct_size: MemoryLayout<livery_fetch_request>.size, url: text(url), headers: headers.baseAddress,
          header_count: headers.count, ca_file: certificates.flatMap(text), proxy: proxy.flatMap(text))
        return body(&content)
      }
    }
  }
}

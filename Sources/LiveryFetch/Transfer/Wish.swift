import CLivery
import CLiveryFetch
import LiveryClient

/// What a caller wants of a fetch.
struct Wish: Sendable {
  enum Kind: Sendable {
    case image
    case document
    case any
  }

  var kind = Kind.image
  var isDispatched = false
  var revalidates = false
  var isOffline = false
  var maximumSize: Int64 = 16 << 20
  var quota: Int64 = 256 << 20
  /// Microseconds.
  var timeout: Int64 = 60_000_000
  var attempts = 4
  var placeholder: String?
  var certificates: String?
  var proxy: String?

  init() {}

  /// - Throws: `.invalidArgument`.
  init(_ options: livery_fetch_options) throws(StoreError) {
    try checkFlags(options.flags, known: LIVERY_FETCH_DISPATCH, LIVERY_FETCH_REVALIDATE, LIVERY_FETCH_OFFLINE)
    func has(_ flag: Int) -> Bool { options.flags & UInt32(flag) != 0 }
    isDispatched = has(LIVERY_FETCH_DISPATCH)
    revalidates = has(LIVERY_FETCH_REVALIDATE)
    isOffline = has(LIVERY_FETCH_OFFLINE)
    switch Int(options.kind) {
    case 0, LIVERY_FETCH_IMAGE: kind = .image
    case LIVERY_FETCH_DOCUMENT: kind = .document
    case LIVERY_FETCH_ANY: kind = .any
    default: throw StoreError(.invalidArgument, "\(options.kind) is no kind of what is fetched")
    }
    maximumSize = try Self.number(options.max_size, "max_size", usual: maximumSize, most: Int64(LIVERY_ASSET_MAX))
    quota = try Self.number(options.quota, "quota", usual: quota, most: .max)
    let milliseconds = try Self.number(UInt64(options.timeout_ms), "timeout_ms", usual: 60_000, most: 86_400_000)
    timeout = milliseconds * 1000
    attempts = Int(try Self.number(UInt64(options.attempts), "attempts", usual: 4, most: 100))
    if let text = options.placeholder { placeholder = try argument(text, "placeholder", limit: 64) }
    if let text = options.ca_file { certificates = try argument(text, "ca_file", limit: 4096) }
    if let text = options.proxy { proxy = try argument(text, "proxy", limit: 2048) }
    try check()
  }

  /// What does not go together, and what is no id.
  ///
  /// - Throws: `.invalidArgument`.
  mutating func check() throws(StoreError) {
    guard !(revalidates && isOffline) else {
      throw StoreError(.invalidArgument, "who is offline cannot revalidate")
    }
    guard proxy.map({ Self.isProxy(Array($0.utf8)) }) ?? true else {
      throw StoreError(
        .invalidArgument, "proxy is of no kind that there is: http, https, socks, socks4, socks4a, socks5, socks5h")
    }
    guard let id = placeholder else { return }
    guard id.utf8.count == 64, id.utf8.allSatisfy({ $0.isHexadecimal }) else {
      throw StoreError(.invalidArgument, "placeholder is no id of an asset")
    }
    placeholder = String(decoding: id.utf8.map { $0.lowercased }, as: UTF8.self)
  }

  /// Whether it names no kind, or one that libcurl has.
  private static func isProxy(_ text: [UInt8]) -> Bool {
    var scanner = Scanner(text)
    let kind = scanner.take { $0 != UInt8(ascii: ":") }
    guard scanner.skip("://") else { return true }
    let kinds: [StaticString] = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]
    return kinds.contains { kind.isText($0) }
  }

  private static func number(
    _ number: UInt64, _ name: StaticString, usual: Int64, most: Int64
  ) throws(StoreError) -> Int64 {
    if number == 0 { return usual }
    guard number <= UInt64(most) else { throw StoreError(.invalidArgument, "\(name) is larger than \(most)") }
    return Int64(number)
  }
}

extension UInt8 {
  var isHexadecimal: Bool { isDigit || (lowercased >= 97 && lowercased <= 102) }
}

/// What became of a fetch.
struct Outcome: Sendable {
  enum State: Int32, Sendable {
    case ready = 1
    case stale
    case placeholder
    case failed
  }

  enum Source: Int32, Sendable {
    case nowhere
    case network
    case revalidated
    case store
  }

  var state: State
  var source = Source.nowhere
  /// Why it failed, or why it may be outdated.
  var error: StoreError?
  var httpStatus: Int32 = 0
  var received: Int64 = 0
  /// What is handed out, if it is kept.
  var entry: Entry?
  /// The bytes, where they are at hand.
  var body: [UInt8]?
  /// Of what is not kept.
  var type: [UInt8]?
  var tag: [UInt8]?
  /// The placeholder.
  var placeholder: String?
}

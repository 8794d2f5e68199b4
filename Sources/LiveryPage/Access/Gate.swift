import LiveryClient
import LiveryHTTP

/// Who may open a session: who has a link, or knows the PIN where one is asked for.
final class Gate: @unchecked Sendable {
  /// How long a link is good, in milliseconds.
  static let linkAge: Int64 = 600_000
  /// The most links that are good at a time.
  static let mostLinks = 64
  enum Verdict {
    case isRight
    /// The next may be given in so many seconds.
    case isWrong(wait: Int)
    /// It was not looked at: that is not before so many seconds.
    case isTooSoon(wait: Int)
  }

  private struct Link {
    var token: [UInt8]
    var end: Int64
  }

  private let hash: (@Sendable () -> String?)?
  private let lock = Lock()
  // Guarded by `lock`.
  private var links: [Link] = []
  private var throttle = Throttle()

  /// - Parameter pinHash: gives what the PIN is compared with, nil where there is none, with which nobody gets in; nil if no
  ///   PIN is asked for.
  init(pinHash: (@Sendable () -> String?)? = nil) {
    hash = pinHash
  }

  var asksPIN: Bool { hash != nil }

  /// A token that opens one session.
  func makeToken() -> String {
    let token = Token.make()
    lock.withLock {
      if links.count >= Gate.mostLinks { links.removeFirst() }
      links.append(Link(token: token, end: Clock.now + Gate.linkAge))
    }
    return String(decoding: token, as: UTF8.self)
  }

  /// Whether it is the token of a link that is good, which it is no more.
  func take(_ token: ArraySlice<UInt8>) -> Bool {
    lock.withLock {
      let now = Clock.now
      links.removeAll { $0.end <= now }
      var found: Int?
      for (place, link) in links.enumerated() where Token.isSame(link.token, token) { found = place }
      if let found { links.remove(at: found) }
      return found != nil
    }
  }

  /// Tries a PIN, one at a time: on the server's thread.
  func tryPIN(_ pin: String) -> Verdict {
    let wait = wait
    if wait > 0 { return .isTooSoon(wait: wait) }
    // It takes a while, which links do not wait for.
    let isRight = PIN.isRight(pin, hash: hash?())
    let next = lock.withLock { throttle.note(isRight: isRight) }
    return isRight ? .isRight : .isWrong(wait: next)
  }

  /// How long until the next PIN is looked at.
  var wait: Int { lock.withLock { throttle.wait() } }
}

/// What people type at a device.
enum PIN {
  static let lengths = 4...Password.longest

  /// What is like a hash, to look whether a setting may hold one.
  static let likeHash =
    "$argon2id$v=19$m=8192,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

  /// - Throws: `.invalidArgument`.
  static func checkLength(_ pin: String) throws(StoreError) {
    guard lengths.contains(pin.utf8.count) else { throw StoreError(.invalidArgument, "a PIN has 4 to 128 bytes") }
  }

  /// What the setting holds.
  ///
  /// - Throws: `.invalidArgument` for a wrong length.
  static func hash(_ pin: String) throws(StoreError) -> String {
    try checkLength(pin)
    guard let hash = Password.hash(pin) else { throw StoreError(.noMemory, "there is no memory for a hash") }
    return hash
  }

  static func isRight(_ pin: String, hash: String?) -> Bool {
    Password.isRight(pin, hash: hash) && lengths.contains(pin.utf8.count)
  }
}

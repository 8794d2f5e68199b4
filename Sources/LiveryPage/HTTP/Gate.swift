import CPage
import LiveryClient

/// Who may open a session: who has a link, or knows the PIN where one is asked for.
final class Gate: @unchecked Sendable {
  /// How long a link is good, in milliseconds.
  static let linkAge: Int64 = 600_000
  /// The most links that are good at a time.
  static let mostLinks = 64
  /// So many wrong PINs are free; each one more doubles the time until the next may be tried, in seconds.
  static let freeGuesses = 3
  static let longestWait: Int64 = 300
  /// After so long without a guess the count begins anew, in milliseconds.
  static let memory: Int64 = 3_600_000

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
  private var wrong = 0
  private var lastGuess: Int64 = 0
  private var opensAt: Int64 = 0

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
      links.append(Link(token: token, end: lvp_now() + Gate.linkAge))
    }
    return String(decoding: token, as: UTF8.self)
  }

  /// Whether it is the token of a link that is good, which it is no more.
  func take(_ token: ArraySlice<UInt8>) -> Bool {
    lock.withLock {
      let now = lvp_now()
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
    return lock.withLock {
      let now = lvp_now()
      if now - lastGuess > Gate.memory { wrong = 0 }
      lastGuess = now
      if isRight {
        wrong = 0
        return .isRight
      }
      wrong += 1
      guard wrong >= Gate.freeGuesses else { return .isWrong(wait: 0) }
      let wait = min(Gate.longestWait, 1 << Int64(min(wrong - Gate.freeGuesses + 1, 16)))
      opensAt = now + wait * 1000
      return .isWrong(wait: Int(wait))
    }
  }

  /// How long until the next PIN is looked at.
  var wait: Int { lock.withLock { Gate.seconds(max(0, opensAt - lvp_now())) } }

  private static func seconds(_ milliseconds: Int64) -> Int { Int((milliseconds + 999) / 1000) }
}

/// 32 random bytes as base64url.
enum Token {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func make() -> [UInt8] {
    var random = [UInt8](repeating: 0, count: 32)
    lvp_random(&random, random.count)
    var text: [UInt8] = []
    var bits = 0
    var held = 0
    for byte in random {
      bits = bits << 8 | Int(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(digits[bits >> held & 63])
      }
      bits &= (1 << held) - 1
    }
    text.append(digits[bits << (6 - held) & 63])
    return text
  }

  /// In a time that does not depend on where they differ.
  static func isSame(_ token: [UInt8], _ other: some Collection<UInt8>) -> Bool {
    guard token.count == other.count else { return false }
    return lvp_same(token, Array(other), token.count)
  }
}

/// What a PIN is kept as.
enum PIN {
  static let lengths = 4...128
  /// What is compared with where there is nothing else, so that it takes the same time.
  private static let nobodys = hash(String(decoding: Token.make(), as: UTF8.self)) ?? ""

  /// Text of Argon2id with salt and parameters; nil if there is no memory for it.
  static func hash(_ pin: String) -> String? {
    guard lvp_crypto_begin() else { return nil }
    var hash = [CChar](repeating: 0, count: Int(LVP_HASH_MAX))
    let count = pin.utf8.count
    let isMade = pin.withCString { lvp_pin_hash($0, count, &hash) }
    return isMade ? hash.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
  }

  static func isRight(_ pin: String, hash: String?) -> Bool {
    let count = pin.utf8.count
    let known = hash.flatMap { isReasonable(Array($0.utf8)[...]) ? $0 : nil }
    let isSame = (known ?? nobodys).withCString { hash in pin.withCString { lvp_pin_verify(hash, $0, count) } }
    return isSame && known != nil && lengths.contains(count)
  }

  /// Whether a hash asks for no more memory and time than a device has: `$argon2id$v=19$m=8192,t=3,p=1$…`.
  static func isReasonable(_ hash: ArraySlice<UInt8>) -> Bool {
    guard hash.count < Int(LVP_HASH_MAX), !hash.contains(0) else { return false }
    let parts = hash.split(separator: 0x24, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[1].isSame("argon2id") else { return false }
    let costs = parts[3].split(separator: .comma)
    guard costs.count == 3, costs[0].begins(with: "m="), costs[1].begins(with: "t="),
      let memory = costs[0].dropFirst(2).decimal, let rounds = costs[1].dropFirst(2).decimal
    else { return false }
    return memory <= 65_536 && rounds <= 16
  }
}

/// For how long an answer counts (RFC 9111 §4.2, RFC 5861). Times are seconds since 1970.
struct Freshness: Sendable, Equatable {
  /// When the answer came.
  var received: Int64 = 0
  /// How old it was then.
  var age: Int64 = 0
  /// For how long it is fresh from its birth on.
  var lifetime: Int64 = 0
  var isAlwaysChecked = false
  var isNeverStale = false
  var staleWhileRevalidate: Int64 = 0
  /// nil for as long as it takes.
  var staleIfError: Int64?

  init() {}

  /// What the head of an answer says that came at `received` to a request of `asked`.
  init(of head: Head, asked: Int64, received: Int64) {
    let control = head.cacheControl
    let date = head.first("date").flatMap { HTTPDate.parse($0, now: received) } ?? received
    self.received = received
    let told = head.first("age").flatMap { CacheControl.seconds($0) } ?? 0
    age = min(max(0, received - date, told + max(0, received - asked)), CacheControl.longest)
    lifetime = Self.lifetime(head, control, date, received)
    // A redirect that is not to be stored leads nowhere the next time.
    isAlwaysChecked = control.isAlwaysChecked || control.isNotStored || head.variesByAnything
    isNeverStale = control.isNeverStale
    staleWhileRevalidate = control.staleWhileRevalidate ?? 0
    staleIfError = control.staleIfError
  }

  private static func lifetime(_ head: Head, _ control: CacheControl, _ date: Int64, _ now: Int64) -> Int64 {
    if let age = control.maximumAge { return age }
    let expires = head.all("expires")
    if let first = expires.first {
      // Twice in different ways, or no date, such as "0": it is outdated.
      guard expires.allSatisfy({ $0 == first }), let end = HTTPDate.parse(first, now: now) else { return 0 }
      return min(max(0, end - date), CacheControl.longest)
    }
    // A redirect that may change at any time says so by its status.
    switch head.status {
    case 200, 203, 206, 301, 308: break
    default: return 0
    }
    // By experience: what has not changed for long does not change soon. At most a day.
    guard let field = head.first("last-modified"), let modified = HTTPDate.parse(field, now: now) else { return 0 }
    return min(max(0, date - modified) / 10, 86_400)
  }

  /// How old it is; nil if the clock was set back since, so that nobody can tell.
  func age(at now: Int64) -> Int64? {
    now >= received ? age + (now - received) : nil
  }

  /// Until when the server need not be asked; none if that is over from the beginning.
  var end: Int64 { isAlwaysChecked ? received : received + max(0, lifetime - age) }

  func isFresh(at now: Int64) -> Bool {
    guard !isAlwaysChecked, let age = age(at: now) else { return false }
    return age < lifetime
  }

  /// Whether it may be used for now while the server is being asked.
  func isUsableWhileChecking(at now: Int64) -> Bool {
    guard !isAlwaysChecked, !isNeverStale, let age = age(at: now) else { return false }
    return age < lifetime + staleWhileRevalidate
  }

  /// Whether it may be used where the network or the server has failed.
  func isUsableAfterFailure(at now: Int64) -> Bool {
    guard !isAlwaysChecked, !isNeverStale else { return isFresh(at: now) }
    guard let staleIfError else { return true }
    guard let age = age(at: now) else { return false }
    return age < lifetime + staleIfError
  }

  /// What holds for a body that this leads to, whose own freshness is the other: the more cautious of each.
  func leading(to other: Freshness) -> Freshness {
    var both = other
    both.lifetime = min(other.lifetime - other.age, lifetime - age) + other.age
    both.isAlwaysChecked = isAlwaysChecked || other.isAlwaysChecked
    both.isNeverStale = isNeverStale || other.isNeverStale
    both.staleWhileRevalidate = min(staleWhileRevalidate, other.staleWhileRevalidate)
    if let staleIfError { both.staleIfError = min(staleIfError, other.staleIfError ?? staleIfError) }
    return both
  }
}

import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

/// How often somebody may do something: a bucket for each of them, which fills up again as time goes by.
final class Rate: @unchecked Sendable {
  private struct Bucket {
    /// In thousandths of a try, at that moment.
    var left: Int64
    var time: Int64
  }

  /// Of how many it is known what they have left. Whoever is forgotten begins with a full bucket.
  private static let most = 65_536

  private let full: Int64
  private let interval: Int64
  private let lock = Lock()
  // Guarded by `lock`.
  private var buckets: [UInt64: Bucket] = [:]

  /// - Parameters:
  ///   - burst: how many tries a full bucket has.
  ///   - interval: after how many milliseconds there is one more.
  init(burst: Int64, every interval: Int64) {
    full = burst * 1000
    self.interval = interval
  }

  /// Takes a try.
  ///
  /// - Returns: 0, or in how many seconds there is one.
  func take(_ key: UInt64, at now: Int64 = Clock.now) -> Int {
    lock.withLock {
      var bucket = present(key, now)
      defer { keep(bucket, key, now) }
      guard bucket.left >= 1000 else { return wait(bucket) }
      bucket.left -= 1000
      return 0
    }
  }

  /// Gives a try back, which was none.
  func giveBack(_ key: UInt64, at now: Int64 = Clock.now) {
    lock.withLock {
      var bucket = present(key, now)
      bucket.left = min(full, bucket.left + 1000)
      keep(bucket, key, now)
    }
  }

  /// In how many seconds there is a try; 0 if there is one now. Nothing is taken.
  func wait(_ key: UInt64, at now: Int64 = Clock.now) -> Int {
    lock.withLock {
      let bucket = present(key, now)
      return bucket.left >= 1000 ? 0 : wait(bucket)
    }
  }

  private func wait(_ bucket: Bucket) -> Int { Int(max(1, ((1000 - bucket.left) * interval / 1000 + 999) / 1000)) }

  private func present(_ key: UInt64, _ now: Int64) -> Bucket {
    guard let bucket = buckets[key], now >= bucket.time else { return Bucket(left: full, time: now) }
    let gained = min(full, min(now - bucket.time, full * interval) * 1000 / interval)
    return Bucket(left: min(full, bucket.left + gained), time: now)
  }

  private func keep(_ bucket: Bucket, _ key: UInt64, _ now: Int64) {
    if buckets.count >= Rate.most, buckets[key] == nil {
      var kept: [UInt64: Bucket] = [:]
      // Those who have something to lose are kept, unless they are so many that this would be done again soon.
      for (other, _) in buckets {
        let present = present(other, now)
        if present.left < full { kept[other] = present }
      }
      buckets = kept.count < Rate.most / 2 ? kept : [:]
    }
    buckets[key] = bucket
  }
}

/// What is limited.
struct Rates: Sendable {
  /// Reports of a device: a good one sends far fewer.
  let reports = Rate(burst: 60, every: 1000)
  /// Reports of an address which were refused: a whole shop may stand behind it.
  let refused = Rate(burst: 120, every: 500)
  /// Requests for enrollment of an address which were refused: a whole shop may stand behind it.
  let enrollments = Rate(burst: 30, every: 2000)
  /// Passwords of an address which were wrong, whatever the names: each costs as much work as a right one.
  let passwords = Rate(burst: 20, every: 3000)
  /// Tokens of an address which are none.
  let tokens = Rate(burst: 20, every: 3000)

  /// Stands for a public key.
  static func key(_ bytes: [UInt8]) -> UInt64 {
    var key: UInt64 = 0
    for byte in bytes.prefix(8) { key = key << 8 | UInt64(byte) }
    return key
  }

  /// Stands for an address: of IPv6 for its network of 64 bits, of which everybody has more addresses than can be counted. nil for
  /// this device's own: a web server in front, which does not say for whom it asks, stands for everybody.
  static func key(of address: String) -> UInt64? {
    if address.utf8.isEmpty || address.sameBytes(as: "[::1]") || address.sameBytes(as: "::1") { return nil }
    // One address is written in many ways.
    var network = [UInt8](repeating: 0, count: 8)
    let count = address.withCString { lvo_network($0, &network) }
    if count == 4, network[0] == 127 { return nil }
    return key(Crypto.hash(count == 0 ? Array(address.utf8) : Array(network.prefix(count))))
  }
}

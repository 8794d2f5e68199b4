import LMDB
import Synchronization

/// The pages of the file that lookups leave in the memory of this process, and when they go.
///
/// Who has looked at all settings of a store has looked at all pages of their records, and needs them no more: what is in
/// effect is in the cache. When the last setting is looked at nobody knows. So they go after half of the settings, after
/// half of those that are left, and so on; and that again and again, since what others commit is looked at anew.
final class LookedAtPages: Sendable {
  /// The size of a file, in bytes, with which it is worth while.
  private static let least: UInt64 = 1 << 22
  private static let shortest = 64
  private static let first = 1024

  /// How many lookups are left to the next time.
  private let left = Atomic<Int>(first)
  /// How many settings are left by then to be looked at.
  private let settingsLeft = Atomic<Int>(-first)

  /// To be called in the transaction of each lookup whose value the cache has kept.
  ///
  /// - Parameter record: what was read of the file.
  @inline(__always)
  func note(_ record: RawSpan, _ view: View, _ environment: Environment, _ cache: SettingCache) {
    // One of all threads finds it at 0.
    if left.subtract(1, ordering: .relaxed).newValue == 0 { turn(record, view, environment, cache) }
  }

  @inline(never)
  private func turn(_ record: RawSpan, _ view: View, _ environment: Environment, _ cache: SettingCache) {
    var remaining = settingsLeft.load(ordering: .relaxed)
    if remaining <= Self.shortest {
      remaining += max((try? view.transaction.count(view.databases.settings)) ?? 0, Self.first)
    }
    let next = max(remaining / 2, Self.shortest)
    settingsLeft.store(max(0, remaining - next), ordering: .relaxed)
    left.store(next, ordering: .relaxed)
    // What does not fit into the cache is looked at in the file again and again.
    guard cache.holdsAll else { return }
    record.withUnsafeBytes { bytes in
      if let place = bytes.baseAddress { environment.forgetPages(around: place, atLeast: Self.least) }
    }
  }
}

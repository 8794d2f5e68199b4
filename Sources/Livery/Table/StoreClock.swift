import CSystem
import CWake
import Synchronization

/// What is known of the system's clock on the boot that is running, as all processes on a store share it.
///
/// A clock that somebody sets moves away from the one that counts since the start of the system. It is trusted again when
/// it has stayed where it is for an hour, by that other clock, or when it has come back. What a new store finds is
/// trusted for want of anything better: until it has held for an hour nothing comes back to it. Times are in
/// microseconds.
struct ClockRelation: Equatable, Sendable {
  enum Verdict: Equatable {
    case trusted
    /// - Parameters: by how much it was set, and whether that has just been noticed.
    case doubtful(by: Int64, isNew: Bool)
  }

  /// How far clocks drift apart without anybody setting one.
  static let tolerance: Int64 = 60_000_000
  static let patience: Int64 = 3_600_000_000
  /// After a start of the system: how long a device may have been off.
  static let longestPause: Int64 = 30 * 86_400_000_000
  private static let second: Int64 = 1_000_000
  private static let none = Int64.min
  /// Nothing is trusted any more: the clock has left where a new store found it, and either may have been wrong.
  private static let withdrawn = Int64.min + 1

  /// 0 if nothing is known.
  var boot: UInt64 = 0
  /// The time of the clock less that of the other one, when it was trusted last.
  var trusted = ClockRelation.none
  /// The same since the clock has not been trusted, and since when. Less than 0: trusted as what a new store found then.
  var candidate: Int64 = 0
  var since: Int64 = 0

  /// - Parameter lastCommit: when the last commit was made, if that is known; asked for only if nothing else helps.
  mutating func judge<E: Error>(
    _ clock: Int64, boottime: Int64, boot: UInt64, lastCommit: () throws(E) -> Int64?
  ) throws(E) -> Verdict {
    if self.boot != boot { self = ClockRelation(boot: boot) }
    let offset = clock &- boottime
    if trusted != Self.none, Self.isNear(offset, trusted) {
      // Follows what drifts.
      if !Self.isNear(offset, trusted, Self.second) { trusted = offset }
      if since >= 0 || boottime &+ since >= Self.patience { since = 0 }
      return .trusted
    }
    let isNew = since <= 0
    if !isNew, since <= boottime, Self.isNear(offset, candidate) {
      guard boottime - since >= Self.patience else { return .doubtful(by: distance(offset), isNew: false) }
      trust(offset)
      return .trusted
    }
    var distance = distance(offset)
    if trusted == Self.none {
      let last = try lastCommit()
      guard let last else {
        trust(offset)
        since = -max(boottime, 1)
        return .trusted
      }
      guard clock < last &- Self.tolerance || clock > last &+ Self.longestPause else {
        trust(offset)
        return .trusted
      }
      distance = clock &- last
    } else if since < 0 {
      trusted = Self.withdrawn
    }
    candidate = offset
    since = max(boottime, 1)
    return .doubtful(by: distance, isNew: isNew)
  }

  /// Whether it would be doubtful still: nothing has changed since it was noticed, and the time is not over.
  func isDoubtful(_ clock: Int64, boottime: Int64, boot: UInt64) -> Bool {
    self.boot == boot && since > 0 && since <= boottime && boottime - since < Self.patience
      && Self.isNear(clock &- boottime, candidate)
  }

  private mutating func trust(_ offset: Int64) {
    trusted = offset
    since = 0
  }

  private func distance(_ offset: Int64) -> Int64 { trusted <= Self.withdrawn ? 0 : offset &- trusted }

  private static func isNear(_ left: Int64, _ right: Int64, _ most: Int64 = tolerance) -> Bool {
    let (difference, isTooLarge) = left.subtractingReportingOverflow(right)
    return !isTooLarge && difference >= -most && difference <= most
  }
}

/// Decides for the commits of a store whether the system's clock is to be believed, before anything is removed for its age.
final class StoreClock: @unchecked Sendable {
  private let wake: WakeWord
  private let path: String
  private let lock = Lock()
  private var warning: String?
  private let hasWarning = Atomic<Bool>(false)

  init(_ wake: WakeWord, _ path: String) {
    self.wake = wake
    self.path = path
  }

  /// Whether things may be removed that are old at a moment, which is now; to be called by the holder of the right to write.
  func isTrusted(at now: Timestamp, _ view: View) throws(StoreError) -> Bool {
    let before = ClockRelation(wake.clock)
    var relation = before
    let verdict = try relation.judge(
      now.microseconds, boottime: lvs_boottime_us(), boot: lvs_boot_number()
    ) { () throws(StoreError) -> Int64? in try view.lastLogTime() }
    if relation != before { wake.clock = relation.stored }
    guard case .doubtful(let distance, let isNew) = verdict else { return true }
    if isNew {
      let amount = distance.magnitude / 1_000_000
      let way = distance < 0 ? "behind" : "ahead"
      lock.withLock {
        warning =
          "\(path): the system's clock is \(amount) seconds \(way) of where it should be: until it has stayed so for an "
          + "hour, nothing expires for good and no commit is forgotten for its age"
      }
      hasWarning.store(true, ordering: .releasing)
    }
    return false
  }

  /// Whether a commit now would remove nothing for its age.
  var isDoubtful: Bool {
    ClockRelation(wake.clock).isDoubtful(lvs_realtime_us(), boottime: lvs_boottime_us(), boot: lvs_boot_number())
  }

  /// Tells the log handler what there is to tell; to be called outside of every lock and transaction.
  func warn() {
    guard hasWarning.load(ordering: .relaxed), hasWarning.exchange(false, ordering: .acquiring) else { return }
    let message = lock.withLock {
      defer { warning = nil }
      return warning
    }
    if let message { Log.write(.warning, message) }
  }
}

extension ClockRelation {
  init(_ stored: lvs_clock) {
    self.init(boot: stored.boot, trusted: stored.trusted, candidate: stored.candidate, since: stored.since)
  }

  var stored: lvs_clock { lvs_clock(boot: boot, trusted: trusted, candidate: candidate, since: since) }
}

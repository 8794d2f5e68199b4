import CSync
import LiveryClient
import LiveryFleet

// When it is the machine's turn: at a time, and after the clock was set.

extension Driver {
  /// The longest wait where there is no alarm, in milliseconds: the queue's clock stands still while the system sleeps.
  private static let longestWait: Int64 = 15_000
  /// How long after the end of a trial's time is looked what has become of it, and until it is looked again; in milliseconds.
  private static let afterTrial: Int64 = 200
  private static let trialPause: Int64 = 5000

  /// The machine wants a tick at a time of `now`.
  func wake(at uptime: Int64) {
    wakeAt = uptime
    arm()
  }

  /// Waits for the machine's time, and for the end of a trial's.
  func arm() {
    var due = wakeAt
    if let trial { due = min(due, trial.lookAt) }
    if let alarm { return alarm.set(due) }
    wakeNumber += 1
    let number = wakeNumber
    queue.run(after: max(1, min(due - now, Self.longestWait) * 1000)) {
      if number == self.wakeNumber { self.ring(UInt32(LVY_ALARM_DUE.rawValue)) }
    }
  }

  func ring(_ reasons: UInt32) {
    guard machine != nil else { return }
    if let trial, now >= trial.lookAt {
      // Should it not be over yet, as on a full disk.
      self.trial?.lookAt = now + Self.trialPause
      lookAtTrial()
    }
    if reasons & LVY_ALARM_CLOCK.rawValue != 0 || now >= wakeAt { handle(.tick) } else { arm() }
  }

  /// When it is looked what has become of a trial that began now.
  func end(of trial: Trial) -> Int64 { now + trial.wanted.seconds * 1000 + Self.afterTrial }
}

/// What wakes a driver: see `lvy_alarm`.
final class Alarm {
  private let ring: @Sendable (UInt32) -> Void
  private var alarm: OpaquePointer?

  private init(_ ring: @escaping @Sendable (UInt32) -> Void) { self.ring = ring }

  /// - Parameter ring: runs on the alarm's thread until `end`.
  static func make(_ ring: @escaping @Sendable (UInt32) -> Void) -> Alarm? {
    let made = Alarm(ring)
    let context = Unmanaged.passUnretained(made).toOpaque()
    made.alarm = lvy_alarm_make(
      { (reasons, context) in
        guard let context else { return }
        Unmanaged<Alarm>.fromOpaque(context).takeUnretainedValue().ring(reasons)
      }, context)
    return made.alarm == nil ? nil : made
  }

  func set(_ uptime: Int64) {
    if let alarm { lvy_alarm_set(alarm, uptime) }
  }

  /// When this returns nothing runs any more.
  func end() {
    if let alarm { lvy_alarm_free(alarm) }
    alarm = nil
  }

  deinit { end() }
}

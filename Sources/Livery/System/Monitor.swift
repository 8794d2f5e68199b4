import CSystem

/// A mutex with a condition to wait for.
final class Monitor: @unchecked Sendable {
  private let mutex = lvs_mutex_make()
  private let condition = lvs_condition_make()

  deinit {
    lvs_condition_free(condition)
    lvs_mutex_free(mutex)
  }

  func lock() { lvs_mutex_lock(mutex) }
  func unlock() { lvs_mutex_unlock(mutex) }

  /// Waits, with the mutex released meanwhile, until woken or until the deadline (monotonic nanoseconds): false then.
  func wait(until deadline: UInt64) -> Bool { lvs_condition_wait(condition, mutex, deadline) }
  func wakeAll() { lvs_condition_wake_all(condition) }
}

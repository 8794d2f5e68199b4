import CSystem

/// A mutex whose critical section may throw.
final class Lock: @unchecked Sendable {
  private let mutex: OpaquePointer
  private let isGlobal: Bool

  /// - Parameter isGlobal: whether it lives as long as the process and must be free in a forked child.
  init(isGlobal: Bool = false) {
    mutex = isGlobal ? lvs_mutex_make_global() : lvs_mutex_make()
    self.isGlobal = isGlobal
  }

  deinit {
    if !isGlobal { lvs_mutex_free(mutex) }
  }

  func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lvs_mutex_lock(mutex)
    defer { lvs_mutex_unlock(mutex) }
    return try body()
  }

  /// False if another thread held it until the deadline (monotonic nanoseconds); otherwise `unlock` must follow.
  func lock(until deadline: UInt64) -> Bool {
    lvs_mutex_lock_until(mutex, deadline)
  }

  func unlock() {
    lvs_mutex_unlock(mutex)
  }
}

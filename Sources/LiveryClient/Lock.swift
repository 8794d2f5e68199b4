import CClient

/// A mutex whose critical section may throw.
public final class Lock: @unchecked Sendable {
  private let mutex: OpaquePointer
  private let isGlobal: Bool

  /// - Parameter isGlobal: whether it lives as long as the process and is free in a forked child. Whoever holds it waits for
  ///   nothing then, and calls nothing of the store.
  public init(isGlobal: Bool = false) {
    mutex = isGlobal ? lvc_mutex_make_global() : lvc_mutex_make()
    self.isGlobal = isGlobal
  }

  deinit {
    if !isGlobal { lvc_mutex_free(mutex) }
  }

  public func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lvc_mutex_lock(mutex)
    defer { lvc_mutex_unlock(mutex) }
    return try body()
  }
}

import CSystem

/// Read transactions that have been reset, kept for renewal: beginning one anew costs a slot and an allocation.
final class IdleReaders: @unchecked Sendable {
  private static let most = 16

  private let lock = lvs_mutex_make()
  private let idle = UnsafeMutablePointer<OpaquePointer>.allocate(capacity: most)
  private var count = 0

  deinit {
    idle.deallocate()
    lvs_mutex_free(lock)
  }

  func take() -> OpaquePointer? {
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    guard count > 0 else { return nil }
    count -= 1
    return idle[count]
  }

  /// False if there are enough already: the caller then ends the transaction.
  func put(_ reader: OpaquePointer) -> Bool {
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    guard count < Self.most else { return false }
    idle[count] = reader
    count += 1
    return true
  }

  func takeAll() -> [OpaquePointer] {
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    defer { count = 0 }
    return (0..<count).map { idle[$0] }
  }
}

/// A read transaction kept in reserve, used by one thread at a time.
final class LastReader: @unchecked Sendable {
  /// Exchanged only while nobody can use it.
  var transaction: OpaquePointer
  private let mutex = lvs_mutex_make()

  init(_ transaction: OpaquePointer) {
    self.transaction = transaction
  }

  deinit {
    lvs_mutex_free(mutex)
  }

  func lock() { lvs_mutex_lock(mutex) }
  func unlock() { lvs_mutex_unlock(mutex) }
}

import CClient
import LiveryClient

/// Who fetches a URL: one among all processes on a store, and one of each handle on it.
///
/// Between processes a lease is a lock of the kernel's on a byte of `fetch.lock` in the store's folder; where there is no such
/// file, as for a store in memory, handles know of each other only what the store tells.
final class Leases: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var held: Set<UInt64> = []
  private var descriptor: Int32
  /// How much is being stored that they are for, and whether they end after that.
  private var uses = 0
  private var isEnding = false

  init(folder: String?) {
    var opened: Int32 = -1
    // Where it cannot be opened a URL may be fetched twice: better than never.
    if let folder { _ = lvc_lease_open(folder, "fetch.lock", &opened) }
    descriptor = opened
  }

  deinit { end() }

  /// Whether it is ours now.
  func take(_ key: URLKey) -> Bool {
    lock.withLock {
      // Leases are of bytes whose places have 63 bits.
      let place = key.high >> 1
      guard !held.contains(place), descriptor < 0 || lvc_lease_take(descriptor, key.high) else { return false }
      held.insert(place)
      return true
    }
  }

  func give(_ key: URLKey) {
    lock.withLock {
      if held.remove(key.high >> 1) != nil, descriptor >= 0 { lvc_lease_give(descriptor, key.high) }
    }
  }

  /// Keeps them while something is stored that they are for, also where the store is being closed meanwhile: who gets them next
  /// is to find it.
  func keeping(_ body: () -> Void) {
    lock.withLock { uses += 1 }
    body()
    lock.withLock {
      uses -= 1
      if isEnding, uses == 0 { close() }
    }
  }

  /// Gives all of them back, as soon as nothing is being stored.
  func end() {
    lock.withLock {
      if uses == 0 { close() } else { isEnding = true }
    }
  }

  /// Call it with the lock held.
  private func close() {
    if descriptor >= 0 { lvc_lease_close(descriptor) }
    descriptor = -1
  }
}

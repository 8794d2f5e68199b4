import CClient
import CSecrets
import LiveryClient

/// Exchanges the keys of a source, for as long as nobody else does.
struct KeyExchange {
  fileprivate let source: KeySource
  /// Of a file; nil for a key in a keyring.
  fileprivate let lock: OpaquePointer?

  func write(_ keys: [Key]) throws(StoreError) {
    try KeyText.text(of: keys) { (text) throws(StoreError) in
      switch source {
      case .file: try KeySource.check(lvk_file_replace(lock, text.baseAddress, text.count), source.shown)
      case .keyring(let name):
        try KeySource.check(lvk_keyring_replace(name, text.baseAddress, text.count), source.shown)
      case .credential, .function: break
      }
    }
  }
}

extension KeySource {
  /// Runs `body` while nobody else exchanges the keys, with what does; nil for a source that this library cannot write
  /// to.
  ///
  /// - Throws: `.busy` if somebody else does.
  func exchanging<R>(
    for store: Store, _ body: (KeyExchange?) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    switch self {
    case .credential, .function: return try body(nil)
    case .file(let path):
      var lock: OpaquePointer?
      let error = lvk_file_lock(path, &lock)
      guard error != EWOULDBLOCK else { throw busy }
      try Self.check(error, shown)
      defer { lvk_unlock(lock) }
      return try body(KeyExchange(source: self, lock: lock))
    case .keyring(let name):
      // The keyring has no locks. A key is one store's, so one beside the store does.
      var lease: Int32 = -1
      switch lvc_lease_open(try store.statistics()["path"]?.text ?? "", "secrets.lock", &lease) {
      case LVC_LEASE_OPEN:
        defer { lvc_lease_close(lease) }
        guard lvc_lease_take(lease, 0) else { throw busy }
        return try body(KeyExchange(source: self, lock: nil))
      case LVC_LEASE_NONE:
        return try Exchanges.shared.whileOne(of: name) { () throws(StoreError) in
          try body(KeyExchange(source: self, lock: nil))
        }
      default:
        throw StoreError(
          .permission,
          "secrets.lock, beside data.mdb, by which processes agree who exchanges the key, cannot be opened")
      }
    }
  }

  fileprivate var busy: StoreError { StoreError(.busy, "\(shown): another process is exchanging the key") }
}

/// Which keys of keyrings are being exchanged for stores in memory: these are this process's alone, and have no folder.
private final class Exchanges: @unchecked Sendable {
  static let shared = Exchanges()

  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var names: [(name: String, process: Int64)] = []

  func whileOne<R>(of name: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    let process = lvk_process()
    let isFirst = lock.withLock { () -> Bool in
      guard find(name, process) == nil else { return false }
      names.append((name, process))
      return true
    }
    guard isFirst else { throw KeySource.keyring(name).busy }
    defer {
      lock.withLock {
        if let place = find(name, process) { names.remove(at: place) }
      }
    }
    return try body()
  }

  /// Call it with the lock held.
  private func find(_ name: String, _ process: Int64) -> Int? {
    names.firstIndex { $0.process == process && $0.name.utf8.elementsEqual(name.utf8) }
  }
}

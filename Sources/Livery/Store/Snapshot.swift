import LMDB

/// One moment of a store, held still, to read several settings that belong together.
///
/// Usable from any thread; calls on one snapshot wait for each other. Keep it for moments: space that writers free is not
/// used again until it is closed. Corresponds to `livery_snapshot` in C.
public final class Snapshot: @unchecked Sendable {
  /// The revision that it shows.
  public let revision: UInt64
  private let store: Store
  private let time: Timestamp
  private let held: HeldTransaction
  private let use = UseCount()
  private let lock = Lock()

  convenience init(_ store: Store) throws(StoreError) {
    let begun = try store.whileOpen { () throws(StoreError) in
      let begun = try store.shared.hold()
      Registry.retain(store.shared)
      return begun
    }
    self.init(store, begun.held, begun.revision)
  }

  private init(_ store: Store, _ held: HeldTransaction, _ revision: UInt64) {
    self.store = store
    self.held = held
    self.revision = revision
    time = .now
  }

  deinit {
    close()
  }

  /// Ends it, once the calls on it have finished; closing twice is fine.
  public func close() {
    if use.close() { end() }
  }

  private func end() {
    // A child process must not touch the parent's transaction.
    guard store.isOfThisProcess else { return }
    held.close()
    Registry.release(store.shared)
  }

  /// A setting's effective value at the moment of the snapshot. Corresponds to `livery_snapshot_get` in C.
  ///
  /// - Throws: as `Store.value(_:)`.
  public func value(_ name: String) throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      try name.withBytes { (name) throws(StoreError) in try view.value(of: name, at: time) }
    }
  }

  /// The next setting after a name that has a value and matches the pattern; nil if there are no more.
  ///
  /// Corresponds to `livery_snapshot_next` in C.
  public func next(
    after name: String, matching pattern: NamePattern? = nil
  ) throws(StoreError) -> (name: String, value: Value)? {
    try read { (view) throws(StoreError) in
      var found: (name: String, value: Value)?
      try view.walkEffective(after: name, prefix: pattern?.literalPrefix ?? "") { (name, record) throws(StoreError) in
        if let pattern, !pattern.matches(name) { return true }
        guard let value = try view.current(record, name, at: time).value else { return true }
        found = (name, value)
        return false
      }
      return found
    }
  }

  func read<R>(_ body: (View) throws(StoreError) -> R) throws(StoreError) -> R {
    try store.whileOpen { () throws(StoreError) in
      guard use.enter() else { throw StoreError(.closed, "the snapshot is closed") }
      defer { if use.leave() { end() } }
      return try lock.withLock { () throws(StoreError) in
        try body(View(transaction: held.transaction, databases: store.shared.databases))
      }
    }
  }
}

extension Store {
  /// Holds the present moment still. Corresponds to `livery_snapshot_open` in C.
  ///
  /// - Throws: `.busy` if all reader slots are taken.
  public func snapshot() throws(StoreError) -> Snapshot {
    try Snapshot(self)
  }
}

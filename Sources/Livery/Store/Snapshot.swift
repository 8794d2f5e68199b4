import LMDB

/// One moment of a store, held still, to read several settings that belong together.
///
/// Usable from any thread; calls on one snapshot wait for each other. Keep it for moments: space that writers free is not
/// used again until it is closed. Corresponds to `livery_snapshot` in C.
public final class Snapshot: @unchecked Sendable {
  /// The revision that it shows.
  public let revision: UInt64
  private let store: Store
  let time: Timestamp
  private let lock = Lock()
  private let view: View
  /// nil for one that lives only as long as a call.
  private let held: HeldTransaction?
  private let use = UseCount()

  convenience init(_ store: Store) throws(StoreError) {
    let begun = try store.whileOpen { () throws(StoreError) in
      let begun = try store.shared.hold()
      Registry.retain(store.shared)
      return begun
    }
    self.init(store, begun.held, begun.held.transaction, begun.revision)
  }

  fileprivate init(_ store: Store, _ held: HeldTransaction?, _ transaction: Transaction, _ revision: UInt64) {
    self.store = store
    self.held = held
    view = View(transaction: transaction, databases: store.shared.databases, sealing: store.shared.sealing)
    self.revision = revision
    time = .now
  }

  deinit {
    close()
  }

  /// Ends it, once the calls on it have finished; closing twice is fine.
  public func close() {
    if use.close() { end() }
    // A transaction that is not its own ends behind this: a call that is under way is waited for.
    if held == nil { lock.withLock {} }
  }

  private func end() {
    // A child process must not touch the parent's transaction.
    guard let held, store.isOfThisProcess else { return }
    held.close()
    Registry.release(store.shared)
  }

  /// A setting's effective value at the moment of the snapshot. Corresponds to `livery_snapshot_get` in C.
  ///
  /// - Throws: as `Store.value(_:)`.
  public func value(_ name: String) throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      try name.withSpan { (name) throws(StoreError) in try view.value(of: name, at: time) }
    }
  }

  /// The layer that a setting's effective value comes from.
  ///
  /// - Throws: as `Store.value(_:)`.
  public func layer(of name: String) throws(StoreError) -> Layer {
    try valueAndLayer(name).layer
  }

  /// A setting's effective value, and the layer that it comes from.
  func valueAndLayer(_ name: String) throws(StoreError) -> (value: Value, layer: Layer) {
    try checkName(name)
    return try read { (view) throws(StoreError) in
      let record = try view.effectiveRecord(name, at: time)
      guard let value = record.value else { throw .noValue(name, view.whatWaits(name)) }
      return (value, record.layer)
    }
  }

  /// What a layer holds for a setting, be it in effect or not; nil if it holds nothing.
  ///
  /// Corresponds to `livery_snapshot_get_layer` in C.
  ///
  /// - Throws: `.corrupt`.
  public func value(_ name: String, in layer: Layer) throws(StoreError) -> Value? {
    try record(name, in: layer)?.value.map { (value) throws(StoreError) in
      guard value.isSealed else { return value }
      return try read { (view) throws(StoreError) in try view.requireOpen(value, view.resolveAlias(name)) }
    }
  }

  /// The same with where it comes from.
  func record(_ name: String, in layer: Layer) throws(StoreError) -> Record? {
    try checkName(name)
    return try read { (view) throws(StoreError) in
      let record = try view.record(LayerKey(layer, try view.resolveAlias(name)))
      return record?.hasExpired(at: time) == true ? nil : record
    }
  }

  /// The names of what a layer holds, in their order. Corresponds to `livery_snapshot_list` in C.
  ///
  /// - Parameter pattern: which names; nil for all.
  /// - Throws: `.corrupt`.
  public func names(in layer: Layer, matching pattern: NamePattern? = nil) throws(StoreError) -> [String] {
    try read { (view) throws(StoreError) in try view.names(layer, matching: pattern) }
  }

  /// The next setting after a name that has a value and matches the pattern; nil if there are no more. Secrets that cannot
  /// be opened are passed over.
  ///
  /// Corresponds to `livery_snapshot_next` in C.
  public func next(
    after name: String, matching pattern: NamePattern? = nil
  ) throws(StoreError) -> (name: String, value: Value)? {
    try read { (view) throws(StoreError) in
      var found: (name: String, value: Value)?
      try view.walkEffective(after: name, prefix: pattern?.literalPrefix ?? "") { (name, record) throws(StoreError) in
        if let pattern, !pattern.matches(name) { return true }
        guard let value = try view.current(record, name, at: time).value, !value.isSealed else { return true }
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
        guard held != nil || !use.isClosed else { throw StoreError(.closed, "the snapshot is closed") }
        return try body(view)
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

  /// Reads several settings that belong together: `body` has a snapshot, which is closed when it returns. Unlike one that is
  /// held it takes no place among the readers of the store.
  ///
  /// `body` may be run again, with another snapshot, if the store's file turns out to be damaged and is replaced.
  ///
  /// - Throws: what `body` throws; `.corrupt`.
  public func reading<R>(_ body: (Snapshot) throws(StoreError) -> R) throws(StoreError) -> R {
    try read { (view) throws(StoreError) in
      let snapshot = Snapshot(self, nil, view.transaction, try view.revision())
      defer { snapshot.close() }
      return try body(snapshot)
    }
  }
}

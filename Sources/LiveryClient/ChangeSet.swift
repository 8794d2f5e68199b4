import CLivery
import Synchronization

/// A list of edits, to one layer or to several, committed together. It locks nothing until `commit`.
///
/// Usable from any thread; calls on one change set wait for each other. It is discarded with the last reference to it.
/// Corresponds to `livery_change` in C.
public final class ChangeSet: @unchecked Sendable {
  let handle: OpaquePointer?
  private let isEnded = Atomic<Bool>(false)
  /// What was wrong with an edit, whose handle has ended.
  private let refusals = Lock()
  private var refused: Value?

  init(_ handle: OpaquePointer?) {
    self.handle = handle
  }

  /// A change set that somebody else has begun, and commits or discards.
  ///
  /// - Throws: `.invalidArgument` for NULL. Whether the handle is one of a change set is found when it is used.
  public convenience init(borrowing handle: OpaquePointer?) throws(StoreError) {
    guard let handle else { throw StoreError(.invalidArgument, "change is NULL") }
    self.init(handle)
    isEnded.store(true, ordering: .releasing)
  }

  deinit { discard() }

  /// Makes what follows edits of another layer, in the same commit; those made so far stay. An expiry holds for its layer.
  ///
  /// Corresponds to `livery_change_layer` in C.
  public func use(_ layer: Layer) throws(StoreError) {
    try check(livery_change_layer(handle, layer.number))
  }

  /// Adds an edit: set a value. A later edit of the same setting replaces it. Whether the value fits is found at commit.
  public func set(_ name: String, to value: Value) throws(StoreError) {
    try name.checkHasNoNUL()
    try passing(value) { (value) in name.withCString { livery_change_set_value(handle, $0, value) } }
  }

  /// Adds an edit: set a value, and let it count. The values of the layers `user` and `session` go that would hide it.
  ///
  /// Corresponds to `livery_change_replace` in C.
  public func replace(_ name: String, with value: Value) throws(StoreError) {
    try name.checkHasNoNUL()
    try passing(value) { (value) in name.withCString { livery_change_replace(handle, $0, value) } }
  }

  /// Adds an edit: remove the layer's value, which uncovers the one beneath.
  public func reset(_ name: String) throws(StoreError) {
    try passing(name) { livery_change_reset(handle, $0) }
  }

  /// Adds an edit: remove all values of the layer. Forgets the edits made so far; locks do not prevent it.
  public func resetAll() throws(StoreError) {
    try check(livery_change_reset_all(handle))
  }

  /// The value that would be in effect if this were committed now; in `Store.edit` nobody comes between.
  ///
  /// Corresponds to `livery_change_get` in C.
  ///
  /// - Throws: `.notFound`, `.noValue`, `.corrupt`; `.typeMismatch`, `.invalidValue` if a value that was set does not fit.
  public func value(_ name: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_change_get(handle, $0, &value) }
    return try Value(taking: value)
  }

  /// The same, nil where there would be no value or the setting is not declared.
  public func valueIfAny(_ name: String) throws(StoreError) -> Value? {
    try ifAny { () throws(StoreError) in try value(name) }
  }

  /// What a layer would hold for a setting if this were committed now, be it in effect or not; nil if it would hold nothing.
  ///
  /// Corresponds to `livery_change_get_layer` in C.
  ///
  /// - Throws: `.corrupt`; `.typeMismatch`, `.invalidValue` if a value that was set does not fit.
  public func value(_ name: String, in layer: Layer) throws(StoreError) -> Value? {
    try ifAny { () throws(StoreError) in
      var value: OpaquePointer?
      try passing(name) { livery_change_get_layer(handle, layer.number, $0, &value) }
      return try Value(taking: value)
    }
  }

  /// The names of what a layer would hold if this were committed now, in their order.
  ///
  /// Corresponds to `livery_change_list` in C.
  public func names(in layer: Layer, matching pattern: String? = nil) throws(StoreError) -> [String] {
    var names: OpaquePointer?
    try passing(pattern) { livery_change_list(handle, layer.number, $0, &names) }
    return try Value(taking: names).texts
  }

  /// Lets the edits change what is locked: values beneath one of `enforced`, which still wins, and settings that the schema
  /// declares read-only. Corresponds to `livery_change_ignore_locks` in C.
  public func ignoreLocks() throws(StoreError) { try check(livery_change_ignore_locks(handle)) }

  /// Adds an asset, to be stored by the same commit as the edits. Corresponds to `livery_change_put_asset` in C.
  ///
  /// - Parameter allowsAny: take bytes that are no image that is known, too.
  /// - Returns: the asset's id; `Value.image` of it is the value for settings that show it.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> String {
    try Assets.putting(bytes, allowsAny) { livery_change_put_asset(handle, $0, $1, $2, $3) }
  }

  /// Adds what is known of an asset under a name, to be kept with it by the same commit; without bytes it is removed.
  ///
  /// Corresponds to `livery_change_put_fact` in C.
  public func putFact(_ name: String, of id: String, _ bytes: [UInt8]) throws(StoreError) {
    try name.checkHasNoNUL()
    try id.checkHasNoNUL()
    try passing(bytes: bytes) { (start, count) in
      id.withCString { (id) in name.withCString { livery_change_put_fact(handle, id, $0, start, count) } }
    }
  }

  /// When the values that are set from here on expire; nil for never.
  ///
  /// Required for the layer `override`, possible for `session`.
  public func expires(_ time: Timestamp?) throws(StoreError) {
    try check(livery_change_expires(handle, time?.moment ?? 0))
  }

  /// When the values of the layer `session` end that have no expiry of their own, those that are there and those that are set
  /// until it is said anew or the layer is emptied; nil for never. What survives a logout, as the schema says, is not concerned.
  ///
  /// Corresponds to `livery_change_session_ends` in C.
  public func sessionEnds(_ time: Timestamp?) throws(StoreError) {
    try check(livery_change_session_ends(handle, time?.moment ?? 0))
  }

  /// Puts what is committed on trial: it goes back by itself unless `Store.confirmTrial` comes in time. nil for no trial.
  ///
  /// Corresponds to `livery_change_trial` in C.
  ///
  /// - Throws: `.invalidArgument` if the length is not above 0, or more than a year.
  public func setTrial(_ length: Duration?) throws(StoreError) {
    // What is not a length is refused there.
    try check(livery_change_trial(handle, length.map { $0.microsecondsOfTrial } ?? 0))
  }

  /// Makes the commit fail with `.conflict` if a setting was changed after a revision. 0 expects one never set.
  public func expect(_ name: String, at revision: UInt64) throws(StoreError) {
    try passing(name) { livery_change_expect(handle, $0, revision) }
  }

  /// Where the changes come from; kept with each value. Up to 63 bytes without control characters.
  public func setOrigin(_ origin: String) throws(StoreError) {
    try passing(origin) { livery_change_origin(handle, $0) }
  }

  /// Says who makes the edits that follow, where that is somebody else than who makes the change: their values keep it in place of
  /// the change's origin, which the history tells. nil for the change's own again.
  ///
  /// Corresponds to `livery_change_attribute` in C.
  public func attribute(to origin: String?) throws(StoreError) {
    guard let origin else { return try check(livery_change_attribute(handle, nil)) }
    try passing(origin) { livery_change_attribute(handle, $0) }
  }

  /// Validates the whole and commits it as one transaction; returns its revision, or the present one if nothing changes.
  ///
  /// On success the change set has ended. On failure nothing was changed, `violations` lists all that is wrong, and edits
  /// may be corrected and committed again.
  ///
  /// - Throws: `.notFound`, `.typeMismatch`, `.invalidValue`, `.locked`, `.readOnly`, `.conflict`, `.busy`, `.noSpace`, `.io`,
  ///   `.corrupt`.
  @discardableResult
  public func commit() throws(StoreError) -> UInt64 {
    var revision: UInt64 = 0
    try check(livery_change_commit(handle, &revision))
    isEnded.store(true, ordering: .releasing)
    return revision
  }

  /// Everything that was wrong at the last commit: a list of objects `name`, `status`, `constraint`, `message`.
  public func violations() -> Value {
    if let refused = refusals.withLock({ refused }) { return refused }
    return (try? report { livery_change_violations(handle, &$0) }) ?? .list([])
  }

  /// Forgets the edits; using the change set afterwards throws `.closed`. Twice is fine.
  public func discard() {
    if !isEnded.exchange(true, ordering: .acquiringAndReleasing) { livery_change_discard(handle) }
  }

  /// The store has ended it.
  fileprivate func end() { isEnded.store(true, ordering: .releasing) }

  fileprivate func refuse(_ violations: OpaquePointer?) {
    let violations = try? Value(taking: violations)
    refusals.withLock { refused = violations }
  }
}

extension Store {
  /// Begins a change set. Corresponds to `livery_change_begin` in C.
  ///
  /// - Throws: `.readOnly` if the store was opened read-only, for the layer `defaults`, and for `override` unless the store
  ///   was opened to allow it.
  public func change(_ layer: Layer) throws(StoreError) -> ChangeSet {
    var change: OpaquePointer?
    try check(livery_change_begin(handle, layer.number, &change))
    return ChangeSet(change)
  }

  /// Sets one value, and commits. Corresponds to `livery_set_value` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func set(_ name: String, to value: Value, in layer: Layer) throws(StoreError) {
    try name.checkHasNoNUL()
    try passing(value) { (value) in name.withCString { livery_set_value(handle, layer.number, $0, value) } }
  }

  /// Removes a layer's value, and commits. Corresponds to `livery_reset` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func reset(_ name: String, in layer: Layer) throws(StoreError) {
    try passing(name) { livery_reset(handle, layer.number, $0) }
  }

  /// Reads and changes values as one: no other writer comes between what `body` reads with `ChangeSet.value(_:)` and its
  /// edits. They are committed when it returns; what it throws leaves the store as it is.
  ///
  /// Other writers wait meanwhile. `body` may be run again, with another change set, if the store has to grow. Other changes of
  /// the store throw `.busy` in it, after the timeout. Corresponds to `livery_edit` in C.
  ///
  /// - Parameter body: makes the edits. `ChangeSet.violations()` of what it is given tells afterwards what was refused.
  /// - Returns: the revision of the commit, or the present one if nothing changes.
  /// - Throws: what `body` throws; as `change(_:)` and `ChangeSet.commit()`.
  @discardableResult
  public func edit(_ layer: Layer, _ body: (ChangeSet) throws(StoreError) -> Void) throws(StoreError) -> UInt64 {
    var revision: UInt64 = 0
    var violations: OpaquePointer?
    let (status, edit) = withoutActuallyEscaping(body) { (body) -> (livery_status, Edit) in
      let edit = Edit(body)
      let status = livery_edit(
        handle, layer.number, { change, userData in Box.of(userData, as: Edit.self).run(change) },
        edit.borrowed, &revision, &violations)
      edit.body = nil
      return (status, edit)
    }
    guard status != livery_status(LIVERY_OK) else { return revision }
    let error = edit.failure ?? StoreError(last: status)
    if violations != nil { edit.change?.refuse(violations) }
    throw error
  }
}

/// What an edit does, for as long as that takes.
private final class Edit: Box {
  var body: ((ChangeSet) throws(StoreError) -> Void)?
  var change: ChangeSet?
  var failure: StoreError?

  init(_ body: @escaping (ChangeSet) throws(StoreError) -> Void) {
    self.body = body
  }

  func run(_ handle: OpaquePointer?) -> livery_status {
    let change = ChangeSet(handle)
    self.change = change
    failure = nil
    defer { change.end() }
    do throws(StoreError) {
      try body?(change)
      return livery_status(LIVERY_OK)
    } catch {
      failure = error
      return error.leaving()
    }
  }
}

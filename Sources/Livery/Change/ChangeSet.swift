/// A list of edits, to one layer or to several, committed together. It locks nothing until `commit`.
///
/// Usable from any thread; calls on one change set wait for each other. Corresponds to `livery_change` in C.
public final class ChangeSet: @unchecked Sendable {
  /// The edits of one layer.
  private struct Part {
    let layer: Layer
    var edits: [Edit] = []
    var places = ByteIndex()
    var isCleared = false
    var expiry: Timestamp?

    var isEmpty: Bool { edits.isEmpty && !isCleared }

    func edit(of name: String) -> Edit? { places.number(of: name).map { edits[$0] } }
  }

  private let store: Store
  private let lock = Lock()
  // Guarded by `lock`.
  private var parts: [Part]
  /// The part that edits go to.
  private var current = 0
  /// How many edits were made, and whether one took the place of an earlier one.
  private var count = 0
  private var isReordered = false
  private var assets: [NewAsset] = []
  private var facts: [AssetFact] = []
  private var expectations: [(name: String, layer: Layer, revision: UInt64)] = []
  private var origin = ""
  /// Who makes the edits to come; nil for `origin`.
  private var attributed: String?
  private var ignoresLocks = false
  /// When the values of the edits to come were first set, and by whom; nil for now and `origin`.
  private var past: Edit.Provenance?
  private var isOfAnotherBrand = false
  private var deadline: SessionDeadline?
  private var trial: Int64?
  private var refusals: [Refusal] = []
  /// The transaction that an edit is made in, which reads see.
  private var transaction: View?
  private var isEnded = false

  fileprivate init(_ store: Store, _ layer: Layer) {
    self.store = store
    parts = [Part(layer: layer)]
  }

  /// The layer that edits go to.
  public var layer: Layer { lock.withLock { parts[current].layer } }

  /// Makes what follows edits of another layer, in the same commit; those made so far stay. An expiry holds for its layer.
  ///
  /// Corresponds to `livery_change_layer` in C.
  ///
  /// - Throws: `.readOnly`, as `Store.change(_:)`.
  public func use(_ layer: Layer) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      try store.requireChangeable(layer)
      if let known = parts.firstIndex(where: { $0.layer == layer }) {
        current = known
      } else {
        current = parts.count
        parts.append(Part(layer: layer))
      }
    }
  }

  /// Adds an edit: set a value. A later edit of the same setting replaces it. Whether the value fits is found at commit.
  public func set(_ name: String, to value: Value) throws(StoreError) {
    try add(name, .set(value))
  }

  /// Adds an edit: set a value, and let it count. The values of the layers `user` and `session` go that would hide it. What
  /// `enforced` or `override` holds is not touched.
  ///
  /// Meant for consoles, in the layer `recommended`: the value becomes active, and the operator may change it again. Undoing
  /// the commit brings the values back. Corresponds to `livery_change_replace` in C.
  public func replace(_ name: String, with value: Value) throws(StoreError) {
    try add(name, .replace(value))
  }

  /// Adds an edit: remove the layer's value, which uncovers the one beneath.
  public func reset(_ name: String) throws(StoreError) {
    try add(name, .reset)
  }

  /// The value that would be in effect if this were committed now. Corresponds to `livery_change_get` in C.
  ///
  /// - Throws: `.notFound`, `.noValue`, `.corrupt`; `.typeMismatch`, `.invalidValue` if a value that was set does not fit.
  public func value(_ name: String) throws(StoreError) -> Value {
    try checkName(name)
    return try reading { (view) throws(StoreError) in try value(name, view) }
  }

  /// What a layer would hold for a setting if this were committed now, be it in effect or not; nil if it would hold nothing.
  ///
  /// Corresponds to `livery_change_get_layer` in C.
  ///
  /// - Throws: `.corrupt`; `.typeMismatch`, `.invalidValue` if a value that was set does not fit.
  public func value(_ name: String, in layer: Layer) throws(StoreError) -> Value? {
    try checkName(name)
    return try reading { (view) throws(StoreError) in
      guard let value = try record(name, in: layer, view)?.value else { return nil }
      return try view.requireOpen(value, view.resolveAlias(name))
    }
  }

  /// The same with where it comes from.
  func record(_ name: String, in layer: Layer) throws(StoreError) -> Record? {
    try checkName(name)
    return try reading { (view) throws(StoreError) in try record(name, in: layer, view) }
  }

  /// As `view` has it; with the lock held, as the next two.
  func record(_ name: String, in layer: Layer, _ view: View) throws(StoreError) -> Record? {
    let setting = try view.resolveAlias(name)
    var records: [Record] = []
    if let record = try view.record(LayerKey(layer, setting)), !record.hasExpired(at: .now) { records = [record] }
    try apply(to: &records, of: setting, try view.admission(setting).declared, view)
    return records.first { $0.layer == layer }
  }

  /// The names of what a layer would hold if this were committed now, in their order.
  ///
  /// Corresponds to `livery_change_list` in C.
  ///
  /// - Parameter pattern: which names; nil for all.
  /// - Throws: `.corrupt`.
  public func names(in layer: Layer, matching pattern: NamePattern? = nil) throws(StoreError) -> [String] {
    try reading { (view) throws(StoreError) in try names(in: layer, matching: pattern, view) }
  }

  func names(in layer: Layer, matching pattern: NamePattern?, _ view: View) throws(StoreError) -> [String] {
    var edited = NameSet()
    var isHeld: [Bool] = []
    for (name, edit) in try lasting(view) {
      var uncovers = false
      if case .replace = edit.action { uncovers = layer > edit.layer && layer.isOfPeople }
      guard uncovers || edit.layer == layer else { continue }
      let (number, isNew) = edited.insert(name)
      if isNew { isHeld.append(false) }
      isHeld[number] = edit.action.value != nil && !uncovers
    }
    var found: [String] = []
    if !parts.contains(where: { $0.layer == layer && $0.isCleared }) {
      found = try view.names(layer, matching: pattern).filter { !edited.contains($0) }
    }
    for number in isHeld.indices where isHeld[number] && pattern?.matches(edited.names[number]) != false {
      found.append(edited.names[number])
    }
    return sortedOrder(of: found.count) { found[$0].precedesInBytes(found[$1]) }.map { found[$0] }
  }

  /// The edits that count, with the names of their settings: of several of one setting in a layer the last one, by whatever name.
  private func lasting(_ view: View) throws(StoreError) -> [(name: String, edit: Edit)] {
    var known: [(layer: Layer, names: NameSet)] = []
    var found: [(name: String, edit: Edit)] = []
    for edit in inOrder(parts.flatMap { $0.edits }).reversed() {
      let name = try view.resolveAlias(edit.name)
      let place = known.firstIndex { $0.layer == edit.layer } ?? known.count
      if place == known.count { known.append((edit.layer, NameSet())) }
      if known[place].names.insert(name).isNew { found.append((name, edit)) }
    }
    return found.reversed()
  }

  /// Runs `body` on what would be there if this were committed now, in the transaction of the edit or in one of its own.
  func preview<R>(_ body: (Preview) throws(StoreError) -> R) throws(StoreError) -> R {
    try reading { (view) throws(StoreError) in
      try body(Preview(self, view, edited: parts.flatMap { $0.edits.map { $0.name } }, assets, facts))
    }
  }

  /// Runs `body` in the transaction of the edit, or in one of its own.
  private func reading<R>(_ body: (View) throws(StoreError) -> R) throws(StoreError) -> R {
    try whileOpen { () throws(StoreError) in
      if let transaction { return try body(transaction) }
      return try store.shared.read(body)
    }
  }

  func value(_ name: String, _ view: View) throws(StoreError) -> Value {
    let setting = try view.resolveAlias(name)
    let admission = try view.admission(setting)
    var records = try view.records(of: setting)
    try apply(to: &records, of: setting, admission.declared, view)
    let now = Timestamp.now
    let decision = decide(records, at: now)
    if admission.counts, let value = view.inEffect(decision, admission.declared, revision: 0, at: now).value {
      return try view.requireOpen(value, setting)
    }
    guard admission.declared != nil else { throw view.unknown(name) }
    throw StoreError(.noValue, "no layer has a value for `\(name)`", setting: name)
  }

  /// Makes of what the layers hold for a setting what they would hold.
  private func apply(
    to records: inout [Record], of setting: String, _ declared: SettingValidator?, _ view: View
  ) throws(StoreError) {
    let claims = declared == nil ? try view.claims() : .none
    var edits: [Edit] = []
    for part in parts {
      if part.isCleared { records.removeAll { $0.layer == part.layer } }
      for name in [setting] + (declared?.descriptor.aliases ?? []) {
        if let edit = part.edit(of: name) { edits.append(edit) }
      }
    }
    // Of several by the names of one setting the last counts.
    var lasting: [Edit] = []
    for edit in inOrder(edits).reversed() where !lasting.contains(where: { $0.layer == edit.layer }) {
      lasting.append(edit)
    }
    for edit in lasting.reversed() {
      records.removeAll { $0.layer == edit.layer }
      guard let given = edit.action.value else { continue }
      switch validate(given, setting, edit.name, declared, claims, store.shared.claims) {
      case .success(let value):
        let past = edit.provenance
        records.append(
          Record(
            value, layer: edit.layer, revision: 0, time: past?.time ?? .now, expires: edit.expires,
            origin: past?.origin ?? edit.origin ?? origin))
      case .failure(let refused): throw StoreError(refusing: refused.all)
      }
      if case .replace = edit.action { records.removeAll { $0.layer > edit.layer && $0.layer.isOfPeople } }
    }
  }

  private func inOrder(_ edits: [Edit]) -> [Edit] {
    sortedOrder(of: edits.count) { edits[$0].order < edits[$1].order }.map { edits[$0] }
  }

  /// Adds an asset, to be stored by the same commit as the edits. Corresponds to `livery_change_put_asset` in C.
  ///
  /// - Parameter allowsAny: take bytes that are no image that is known, too.
  /// - Returns: what the asset will be; `reference` is the value for settings that show it.
  /// - Throws: as `Assets.put`.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> Asset {
    let asset = try NewAsset(bytes, allowsAny: allowsAny)
    try put(asset)
    return asset.asset(at: .now)
  }

  /// Adds an asset that was looked at before, to be stored by the same commit as the edits.
  public func put(_ asset: NewAsset) throws(StoreError) {
    try whileOpen { () throws(StoreError) in assets.append(asset) }
  }

  /// Adds what is known of an asset under a name, to be kept with it by the same commit: it goes when the asset goes. The asset
  /// may come with this change set, or be there. Without bytes what is known is removed.
  ///
  /// Corresponds to `livery_change_put_fact` in C.
  ///
  /// - Throws: `.invalidArgument` for a malformed id or name, `.invalidValue` for more than 4096 bytes.
  public func putFact(_ name: String, of id: String, _ bytes: [UInt8]) throws(StoreError) {
    let fact = try AssetFact(id, name, bytes)
    try whileOpen { () throws(StoreError) in facts.append(fact) }
  }

  /// Adds an edit: remove all values of the layer. Forgets the edits made so far; locks do not prevent it.
  public func resetAll() throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      parts[current] = Part(layer: parts[current].layer, isCleared: true, expiry: parts[current].expiry)
    }
  }

  /// When the values that are set from here on expire; nil for never.
  ///
  /// Required for the layer `override`, possible for `session`.
  public func expires(_ time: Timestamp?) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      let layer = parts[current].layer
      guard layer.canExpire else {
        throw StoreError(.invalidArgument, "values of the layer \(layer) cannot expire")
      }
      parts[current].expiry = time
    }
  }

  /// When the values of the layer `session` end that have no expiry of their own, those that are there and those that are set
  /// until it is said anew or the layer is emptied; nil for never. What survives a logout, as the schema says, is not concerned.
  ///
  /// Corresponds to `livery_change_session_ends` in C.
  public func sessionEnds(_ time: Timestamp?) throws(StoreError) {
    try whileOpen { () throws(StoreError) in deadline = SessionDeadline(time: time) }
  }

  /// Puts what is committed on trial: it is in effect at once, and goes back by itself unless `Store.confirmTrial` comes in
  /// time. A new start of the system ends that time, too; setting the clock does not change it. nil for no trial.
  ///
  /// The commit throws `.conflict` while another trial is pending. Corresponds to `livery_change_trial` in C.
  ///
  /// - Throws: `.invalidArgument` if the length is not above 0, or more than a year.
  public func setTrial(_ length: Duration?) throws(StoreError) {
    let microseconds = try length.map { (length) throws(StoreError) in try Trial.microseconds(length) }
    try whileOpen { () throws(StoreError) in trial = microseconds }
  }

  /// Makes the commit fail with `.conflict` if a setting was changed after a revision. 0 expects one never set. Of one
  /// name in one layer the last counts.
  public func expect(_ name: String, at revision: UInt64) throws(StoreError) {
    try checkName(name)
    try whileOpen { () throws(StoreError) in
      let layer = parts[current].layer
      for index in expectations.indices
      where expectations[index].layer == layer && expectations[index].name.sameBytes(as: name) {
        expectations[index].revision = revision
        return
      }
      expectations.append((name, layer, revision))
    }
  }

  /// Where the changes come from; kept with each value. Up to 63 bytes without control characters.
  public func setOrigin(_ origin: String) throws(StoreError) {
    try checkOrigin(origin)
    try whileOpen { () throws(StoreError) in self.origin = origin }
  }

  /// Says who makes the edits that follow, where that is somebody else than who makes the change: their values keep it in place of
  /// the change's origin, which the history tells. nil for the change's own again.
  ///
  /// For who brings values of several people in one commit. Corresponds to `livery_change_attribute` in C.
  public func attribute(to origin: String?) throws(StoreError) {
    if let origin { try checkOrigin(origin) }
    try whileOpen { () throws(StoreError) in attributed = origin }
  }

  /// Makes what follows edits of values that were there before, elsewhere: they keep their time and origin. nil for others.
  func setPast(_ past: Edit.Provenance?) { lock.withLock { self.past = past } }

  /// Whether what is set from now on is of another brand than before.
  func setOfAnotherBrand(_ isOfAnother: Bool) { lock.withLock { isOfAnotherBrand = isOfAnother } }

  /// Lets the edits change what is locked: values beneath one of `enforced`, which still wins, and settings that the schema
  /// declares read-only.
  ///
  /// Meant for whoever keeps the values of several sources, as an import of all layers does. Corresponds to
  /// `livery_change_ignore_locks` in C.
  public func ignoreLocks() throws(StoreError) {
    try whileOpen { () throws(StoreError) in ignoresLocks = true }
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
    try whileOpen { () throws(StoreError) in
      guard transaction == nil else {
        throw StoreError(.invalidArgument, "an edit is committed when its function returns")
      }
      refusals = []
      let result = try store.commit(request)
      if result.isRefused {
        refusals = result.refusals
        throw StoreError(refusing: result.refusals)
      }
      isEnded = true
      assets = []
      return result.revision
    }
  }

  /// What a commit asks for.
  private var request: CommitRequest {
    var request = CommitRequest()
    let used = parts.filter { !$0.isEmpty }
    request.edits = used.count == 1 ? used[0].edits : used.flatMap { $0.edits }
    if isReordered || used.count > 1 { request.edits = inOrder(request.edits) }
    request.assets = assets
    request.facts = facts
    request.clearedLayers = used.filter { $0.isCleared }.map { $0.layer }
    request.layer = used.count > 1 ? nil : (used.first ?? parts[current]).layer
    request.deadline = deadline
    request.trial = trial
    request.expectations = expectations
    request.origin = origin
    request.ignoresLocks = ignoresLocks
    request.allowsOverride = store.options.allowOverride
    return request
  }

  /// Lets `body` make the edits, in view of what a transaction sees, and returns what it asks for; nothing if it discards
  /// them. The change set has ended then.
  fileprivate func fill(
    in view: View, _ body: (ChangeSet) throws(StoreError) -> Void
  ) throws(StoreError) -> CommitRequest {
    lock.withLock { transaction = view }
    defer {
      discard()
      lock.withLock { transaction = nil }
    }
    try body(self)
    return lock.withLock { isEnded ? CommitRequest() : request }
  }

  fileprivate func refuse(_ refusals: [Refusal]) { lock.withLock { self.refusals = refusals } }

  /// Everything that was wrong at the last commit: a list of objects `name`, `status`, `constraint`, `message`.
  public func violations() -> Value {
    lock.withLock { .list(refusals.map { $0.value }) }
  }

  /// Forgets the edits; using the change set afterwards throws `.closed`. Twice is fine.
  public func discard() {
    lock.withLock {
      isEnded = true
      parts = [Part(layer: parts[current].layer)]
      current = 0
      assets = []
    }
  }

  private func add(_ name: String, _ action: Edit.Action) throws(StoreError) {
    try checkName(name)
    try whileOpen { () throws(StoreError) in
      let edit = Edit(
        name: name, layer: parts[current].layer, action: action, expires: parts[current].expiry, provenance: past,
        origin: attributed, isOfAnotherBrand: isOfAnotherBrand, order: count)
      count += 1
      let (place, isNew) = parts[current].places.insert(name)
      if isNew {
        parts[current].edits.append(edit)
      } else {
        parts[current].edits[place] = edit
        isReordered = true
      }
    }
  }

  private func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try store.whileOpen { () throws(StoreError) in
      try lock.withLock { () throws(StoreError) in
        guard !isEnded else { throw StoreError(.closed, "the change set was committed or discarded") }
        return try body()
      }
    }
  }
}

extension StoreError {
  /// The first refusal as an error, saying how many more there are.
  init(refusing refusals: [Refusal]) {
    guard let first = refusals.first else {
      self.init(.invalidValue, "the change was refused")
      return
    }
    let more = refusals.count > 1 ? " (and \(refusals.count - 1) more)" : ""
    self.init(first.code, first.message + more, setting: first.name.isEmpty ? nil : first.name)
  }
}

extension Store {
  /// Begins a change set. Corresponds to `livery_change_begin` in C.
  ///
  /// - Throws: `.readOnly` if the store was opened read-only, for the layer `defaults`, and for `override` unless the store
  ///   was opened to allow it.
  public func change(_ layer: Layer) throws(StoreError) -> ChangeSet {
    try whileOpen { () throws(StoreError) in try requireChangeable(layer) }
    return ChangeSet(self, layer)
  }

  fileprivate func requireChangeable(_ layer: Layer) throws(StoreError) {
    guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
    guard layer != .defaults else {
      throw StoreError(.readOnly, "the layer defaults is written by applying a schema alone")
    }
    guard layer != .override || options.allowOverride else {
      throw StoreError(.readOnly, "the layer override needs a store that was opened to allow it")
    }
  }

  /// Reads and changes values as one: no other writer comes between what `body` reads with `ChangeSet.value(_:)` and its
  /// edits. They are committed when it returns; what it throws leaves the store as it is.
  ///
  /// Other writers wait meanwhile. `body` is run on this thread, and again, with another change set, if the store has to grow
  /// or to make room. Other changes of the store throw `.busy` in it, after the timeout. Corresponds to `livery_edit` in C.
  ///
  /// - Parameter body: makes the edits. `ChangeSet.violations()` of what it is given tells afterwards what was refused.
  /// - Returns: the revision of the commit, or the present one if nothing changes.
  /// - Throws: what `body` throws; as `change(_:)` and `ChangeSet.commit()`.
  @discardableResult
  public func edit(_ layer: Layer, _ body: (ChangeSet) throws(StoreError) -> Void) throws(StoreError) -> UInt64 {
    var edited: ChangeSet?
    let result = try commitEdit { (view) throws(StoreError) in
      let change = try change(layer)
      edited = change
      return try change.fill(in: view, body)
    }
    guard result.isRefused else { return result.revision }
    edited?.refuse(result.refusals)
    throw StoreError(refusing: result.refusals)
  }

  /// Sets one value, and commits. Corresponds to `livery_set_value` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func set(_ name: String, to value: Value, in layer: Layer) throws(StoreError) {
    let change = try change(layer)
    try change.set(name, to: value)
    try change.commit()
  }

  /// Removes a layer's value, and commits. Corresponds to `livery_reset` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func reset(_ name: String, in layer: Layer) throws(StoreError) {
    let change = try change(layer)
    try change.reset(name)
    try change.commit()
  }
}

#if !hasFeature(Embedded)
  extension Store {
    /// As the other, for a function that throws errors of any kind.
    @_disfavoredOverload
    @discardableResult
    public func edit(_ layer: Layer, _ body: (ChangeSet) throws -> Void) throws -> UInt64 {
      var failure: (any Error)?
      do {
        return try edit(layer) { (change) throws(StoreError) in
          do { try body(change) } catch {
            failure = error
            throw error as? StoreError ?? StoreError(.invalidArgument, "\(error)")
          }
        }
      } catch {
        throw failure ?? error
      }
    }
  }
#endif

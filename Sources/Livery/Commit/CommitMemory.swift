import LMDB

/// What the commits of a process know of the settings they change. The next one need not look it up again, as long as nobody
/// else commits in between.
///
/// Used by whoever has the right to write.
final class CommitMemory: @unchecked Sendable {
  /// Of an import of very many settings not all is kept.
  private static let most = 1_000

  /// Who checks what is set in namespaces that are claimed.
  let owners: ClaimOwners?
  private var numbers = ByteIndex()
  private var settings: [KnownSetting] = []
  /// Those whose declarations are too large to be kept beyond the transaction.
  private var large: [KnownSetting] = []
  private var hasLooked = false
  private(set) var facts = SchemaFacts.none
  private(set) var claims = Claims.none
  /// What is known of the store's secrets being sealed.
  var seal: Sealing.Known?
  /// The transaction and the data file in which all this holds; 0 if in none.
  private var transaction: UInt64 = 0
  private var generation: UInt32 = 0
  /// The latest entries of the log.
  var logTail: LogTail?
  /// No value is left that has ended with a boot before.
  var hasClearedBoot = false
  /// When the values of the layer `session` end that say nothing else; looked up when it is wanted.
  private var deadline: Timestamp??
  /// The trial that was begun last; looked up when it is wanted.
  private var lastTrial: TrialState??
  /// Counts the commits that use it.
  private var commits = 0

  init(_ owners: ClaimOwners? = nil) {
    self.owners = owners
  }

  /// Forgets everything unless it holds in a transaction. Until `keep` it holds in no other one.
  func begin(_ transaction: UInt64, generation: UInt32) {
    if self.transaction != transaction || self.generation != generation { forget() }
    if self.generation != generation { hasClearedBoot = false }
    self.transaction = 0
    self.generation = generation
  }

  /// Everything holds in the transaction to come, if that has this number.
  func keep(for transaction: UInt64) {
    if settings.count > Self.most { forget() }
    for setting in large { setting.forgetRow() }
    large = []
    self.transaction = transaction
  }

  private func forget() {
    numbers = ByteIndex()
    settings = []
    large = []
    seal = nil
    logTail = nil
    hasLooked = false
    deadline = nil
    lastTrial = nil
  }

  /// What a commit has made of settings and will not store is as if it had not been.
  func discard() {
    for setting in settings { setting.discard() }
    lastTrial = nil
  }

  /// A number for the next commit, other than that of any before.
  func nextCommit() -> Int {
    commits += 1
    return commits
  }

  /// Finds out what concerns all settings, unless that is known.
  func look(_ view: View) throws(StoreError) {
    if hasLooked { return }
    facts = try view.schemaFacts()
    claims = try view.claims()
    hasLooked = true
  }

  func sessionDeadline(_ view: View) throws(StoreError) -> Timestamp? {
    if let deadline { return deadline }
    let found = try view.sessionDeadline()
    deadline = .some(found)
    return found
  }

  func putSessionDeadline(_ time: Timestamp?, _ view: View) throws(StoreError) {
    try view.putSessionDeadline(time)
    deadline = .some(time)
  }

  /// The trial that was begun last, pending or not.
  func trial(_ view: View) throws(StoreError) -> TrialState? {
    if let lastTrial { return lastTrial }
    let found = try view.trial()
    lastTrial = .some(found)
    return found
  }

  /// A transaction has made this of it.
  func note(_ trial: TrialState) {
    lastTrial = .some(trial)
    // Its end has an entry of its own.
    logTail = nil
  }

  @_optimize(speed)
  func setting(_ name: String) -> KnownSetting {
    let (number, isNew) = numbers.insert(name)
    if isNew { settings.append(KnownSetting(name, isKept: number < Self.most && !claims.isSecret(name))) }
    return settings[number]
  }

  /// Whether a setting may be set that is not declared.
  func admits(_ name: String) -> Bool { facts.isOpen || claims.covers(name) }

  /// What the schema says of a setting's name.
  @_optimize(speed)
  func row(_ setting: KnownSetting, _ view: View) throws(StoreError) -> SchemaRow? {
    let row = try setting.row(view)
    if setting.hasLargeRow { large.append(setting) }
    return row
  }
}

/// What is known of one setting within a transaction: what was read of it, and what the transaction has made of that since.
///
/// Only what takes little memory is kept, and no secret.
final class KnownSetting {
  /// What is there of it for readers, or in a layer. What is damaged is there, but cannot be told.
  typealias Stored = (isThere: Bool, record: Record?)

  /// What is stored of it: an object, since to copy it takes longer than to look at it.
  private final class State {
    /// nil if it is damaged.
    var record: SettingRecord?
    var isThere: Bool

    init(record: SettingRecord?, isThere: Bool) {
      self.record = record
      self.isThere = isThere
    }
  }

  /// What a change leaves behind.
  private struct Former {
    /// Whether readers knew of it. What was damaged cannot be told.
    let isThere: Bool
    let effect: Effect?
    /// What the layers held, if what is in effect may end by itself.
    let values: [Record]
    /// What `expiries` says of it.
    let endings: [ExpiryKey]

    @_optimize(speed)
    init(_ state: State, _ name: String) {
      isThere = state.record.map { state.isThere && !$0.isUnknown } ?? true
      effect = state.isThere ? state.record?.effect : nil
      endings = state.record?.endings(name) ?? []
      values = effect?.mayEnd == true ? state.record?.values ?? [] : []
    }

    /// Whether readers see no difference.
    func isSame(as fresh: SettingRecord) -> Bool {
      if fresh.isUnknown { return !isThere }
      guard let effect else { return false }
      return fresh.isSame(as: effect)
    }
  }

  let name: String
  /// Whether it is in a namespace of the library's own.
  let isBuiltIn: Bool
  /// Whether what is read is kept at all.
  private let isKept: Bool
  /// The largest declaration that is kept, in bytes as it is stored; most take 200.
  private static let largestRow = 512
  private var row: SchemaRow?
  private var knowsRow = false
  private(set) var hasLargeRow = false
  /// Whether the schema declares it, as far as it has been looked at.
  private(set) var isDeclared = false
  /// Whether values are kept, too.
  private var keepsValues = false
  /// What is stored of it, with what the commit under way has made of that; nil if it has not been looked at.
  private var state: State?
  /// What was stored of it before the commit under way made something else of it.
  private var former: Former?
  /// What the layers held before a commit that is on trial, and which of them it has changed.
  private var beforeTrial: [Record] = []
  private var onTrial = LayerSet.none
  /// The commit that touched it last, and why: the layer edited last, and whether only time did it.
  private(set) var commit = 0
  private(set) var layer = Layer.defaults
  private(set) var isExpiry = false

  init(_ name: String, isKept: Bool) {
    self.name = name
    self.isKept = isKept
    isBuiltIn = Claim.builtIn(of: name) != nil
  }

  /// Notes that a commit touches it; false if it did before.
  func touch(_ commit: Int, _ layer: Layer, isExpiry: Bool) -> Bool {
    defer { self.commit = commit }
    self.layer = layer
    self.isExpiry = isExpiry
    return self.commit != commit
  }

  @_optimize(speed)
  func row(_ view: View) throws(StoreError) -> SchemaRow? {
    if knowsRow { return row }
    let (read, size) = try view.sizedRow(name)
    if case .setting? = read { isDeclared = true } else { isDeclared = false }
    guard isKept else { return read }
    row = read
    knowsRow = true
    keepsValues = true
    if case .setting(let declared)? = read {
      hasLargeRow = size > Self.largestRow || declared.descriptor.pattern != nil
      keepsValues = !declared.descriptor.holdsSecret
    }
    return read
  }

  func forgetRow() {
    row = nil
    knowsRow = false
  }

  /// - Parameter anew: look at what is stored, which may have been damaged since it was looked at last.
  @_optimize(speed)
  private func look(_ view: View, anew: Bool = false) throws(StoreError) -> State {
    if let state, !anew || former != nil { return state }
    let read: State
    do throws(StoreError) {
      let record = try view.setting(name)
      read = State(record: record ?? SettingRecord(), isThere: record != nil)
    } catch {
      guard error.code == .corrupt else { throw error }
      read = State(record: nil, isThere: true)
    }
    if isKeepable(read) { state = read }
    return read
  }

  private func isKeepable(_ state: State) -> Bool {
    // What a trial makes of it depends on when it is looked at.
    guard keepsValues, let record = state.record, record.trial == nil, record.converted?.isSmall ?? true else {
      return false
    }
    // Of a span nothing is copied.
    let values = record.values.span
    for index in values.indices where !values[index].isSmall { return false }
    return true
  }

  /// What a layer holds. A damaged value can be set anew or removed like any other.
  @_optimize(speed)
  func stored(_ layer: Layer, _ view: View, anew: Bool = false) throws(StoreError) -> Stored {
    let state = try look(view, anew: anew)
    guard let record = state.record else { return (true, nil) }
    let value = record.value(of: layer)
    return (value != nil, value)
  }

  /// Whether the layers beneath `enforced` may not be changed, by what was set there after a revision or counts since then;
  /// for 0 by whatever is there.
  @_optimize(speed)
  func isLocked(at now: Timestamp, since revision: UInt64, _ view: View) throws(StoreError) -> Bool {
    guard let record = try look(view).record, let lock = record.value(of: .enforced), lock.counts(at: now) else {
      return false
    }
    return lock.revision > revision || record.revision > revision || revision == 0
  }

  /// - Parameter staysOnTrial: whether a trial goes on that the layer is part of. Otherwise the layer leaves it.
  func put(_ record: Record, _ view: View, staysOnTrial: Bool = false) throws(StoreError) {
    try change(view) { if staysOnTrial { $0.exchange(record) } else { $0.set(record) } }
  }

  func remove(_ layer: Layer, _ view: View, staysOnTrial: Bool = false) throws(StoreError) {
    try change(view) { if staysOnTrial { $0.drop(layer) } else { $0.remove(layer) } }
  }

  /// Whether what a layer holds, or that it holds nothing, is on trial.
  func isOnTrial(_ layer: Layer, _ view: View) throws(StoreError) -> Bool {
    try look(view).record?.trial?.layers.contains(layer) ?? false
  }

  /// What a layer goes back to if a trial does.
  func former(of layer: Layer, _ view: View) throws(StoreError) -> Record? {
    try look(view).record?.trial?.former(of: layer)
  }

  /// Changes when that ends.
  func endFormer(of layer: Layer, at time: Timestamp?, _ view: View) throws(StoreError) {
    try change(view) { $0.endFormer(of: layer, at: time) }
  }

  /// Notes that the commit under way, which is on trial, is about to change a layer.
  func putOnTrial(_ layer: Layer, _ view: View) throws(StoreError) {
    if onTrial.isEmpty { beforeTrial = try look(view).record?.values ?? [] }
    onTrial.insert(layer)
  }

  /// What the commit under way, which is on trial, has replaced in a layer ends at another time if that said nothing else.
  func endReplaced(in layer: Layer, from former: Timestamp?, at time: Timestamp?) {
    for index in beforeTrial.indices where beforeTrial[index].layer == layer {
      let expires = beforeTrial[index].expires
      if expires == nil || expires == former { beforeTrial[index].expires = time }
    }
  }

  /// Exchanges all that is stored of it, of a trial too.
  func exchange(_ present: SettingRecord, for fresh: SettingRecord) {
    former = Former(State(record: present, isThere: true), name)
    state = State(record: fresh, isThere: true)
  }

  /// Exchanges all that the layers hold.
  func replace(by values: [Record], _ view: View) throws(StoreError) {
    try change(view) { $0 = SettingRecord(values) }
  }

  @_optimize(speed)
  private func change(_ view: View, _ body: (inout SettingRecord) -> Void) throws(StoreError) {
    let present = try look(view)
    if former == nil { former = Former(present, name) }
    // What is declared has a record; one that is missing has been lost.
    if present.record == nil || !(present.isThere || !isDeclared) { present.record = try view.remains(of: name) }
    if present.record != nil { body(&present.record!) }
    present.isThere = true
    state = present
  }

  /// What the commit under way has made of it is as if it had not been.
  func discard() {
    onTrial = .none
    beforeTrial = []
    guard former != nil else { return }
    former = nil
    state = nil
  }

  /// Decides anew what is in effect, and stores all that has changed.
  ///
  /// - Parameters:
  ///   - horizon: what expires after it is stored as if it counted; readers look at the clock.
  ///   - trial: how long the commit is on trial; nil if it is not.
  ///   - isCommitted: whether it is one that the commit under way has touched. Otherwise a schema, a backup or the end of a trial
  ///     changed it.
  ///   - changes: gets what changed by that for those who read it, if anything did; and before, if it was edited, what time had
  ///     changed.
  @_optimize(speed)
  func settle(
    _ admission: Admission, revision: UInt64, now: Timestamp, horizon: Timestamp, _ view: View,
    _ claims: Claims? = nil, trial: Trial? = nil, isCommitted: Bool = false, into changes: inout [LogEntry.Change]
  ) throws(StoreError) {
    let present = try look(view, anew: true)
    let isChanged = former != nil
    let before = former.take() ?? Former(present, name)
    var record: SettingRecord
    if let known = present.record { record = known } else { record = try view.remains(of: name) }
    if admission.counts {
      record.decide(at: horizon) { admission.declared?.inEffect($0) }
    } else {
      record.ignore()
    }
    let isSame = before.isSame(as: record)
    if isSame, !isChanged { return }
    state = nil
    if admission.counts {
      // A setting that never had a value has not changed yet.
      let hasBegun = before.isThere || record.winner != nil
      record.date(!hasBegun ? 0 : isSame ? before.effect?.revision ?? 0 : revision)
    }
    if let trial, !onTrial.isEmpty { record.begin(trial, onTrial, before: beforeTrial) }
    onTrial = .none
    beforeTrial = []
    try view.put(record, name, inPlaceOf: before.endings)
    present.record = record
    present.isThere = !record.isUnknown || !record.values.isEmpty
    if isKeepable(present) { state = present }
    if isSame { return }
    var (lastValue, wasLocked) = (before.effect?.value, before.effect?.isLocked ?? false)
    var isSecret = false
    if let declared = admission.declared {
      isSecret = declared.holdsSecret
    } else if admission.counts, !isBuiltIn, let claims {
      isSecret = claims.isSecret(name)
    } else if admission.counts {
      let isNew = try view.isSecret(name, nil, record.effectiveValue, claims)
      isSecret = try isNew ? true : view.isSecret(name, nil, lastValue, claims)
    }
    // Readers have gone by the clock. Of a secret nothing is told that is gone.
    if isCommitted, !isExpiry, admission.counts, !isSecret, let over = before.effect,
      over.hasExpired(at: horizon)
    {
      let rest = view.inEffect(decide(before.values, at: horizon), admission.declared, revision: revision, at: now)
      LogEntry.Change.add(
        name, over.layer, from: over.value, wasLocked: over.isLocked, to: rest.value, isLocked: rest.isLocked,
        isExpiry: true, isSecret: false, to: &changes)
      (lastValue, wasLocked) = (rest.value, rest.isLocked)
    }
    let winner = admission.counts ? record.winner : before.effect?.layer
    LogEntry.Change.add(
      name, isCommitted ? layer : winner ?? .defaults, from: lastValue, wasLocked: wasLocked, to: record.effectiveValue,
      isLocked: record.isLocked, isExpiry: isCommitted && isExpiry, isSecret: isSecret, to: &changes)
  }
}

extension Record {
  /// Whether it takes little memory.
  fileprivate var isSmall: Bool {
    switch value {
    case .string(let text), .url(let text), .image(let text): text.utf8.count <= 256
    case .data(let bytes): bytes.count <= 256
    case .list, .object, .sealed: false
    case .bool, .int, .double, .date, .color, nil: true
    }
  }
}

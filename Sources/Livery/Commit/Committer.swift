import CSystem
import LMDB

/// Throws if so many bytes are not left beside what is kept for making room.
typealias RoomCheck = (UInt64) throws(StoreError) -> Void

/// The commit of one request, inside its transaction.
struct Committer {
  let view: View
  let request: CommitRequest
  /// They have been asked what the clock says.
  private(set) var logLimits: LogLimits
  let now = Timestamp.now
  /// Values that expired by then are removed: none, while the clock cannot be trusted.
  private let horizon: Timestamp
  let facts: SchemaFacts
  let present: UInt64
  let revision: UInt64
  let takesRevisions: Bool
  let memory: CommitMemory
  /// The number that the memory has given to this commit.
  private let number: Int
  /// Of so many names that there are not it is told which ones are like them.
  private static let mostExplained = 20

  var refusals: [Refusal] = []
  private var touched: [KnownSetting] = []
  var replaced: [LogEntry.Edit] = []
  /// Secrets that a layer holds no longer.
  private var forgotten = NameSet()
  /// Settings that are not declared whose values an import has brought.
  private var imported = NameSet()
  private var hasNewDeadline = false
  /// Whether there is anything on trial of what the request asks for.
  var hasTrial = false
  var count = 0

  /// - Parameter memory: what the commits before have left, if it holds in this transaction.
  init(
    _ view: View, _ request: CommitRequest, _ logLimits: LogLimits, _ memory: CommitMemory
  ) throws(StoreError) {
    self.view = view
    self.request = request
    self.logLimits = logLimits
    horizon = try logLimits.horizon(now, view)
    self.logLimits.decided = horizon
    self.memory = memory
    number = memory.nextCommit()
    try memory.look(view)
    facts = memory.facts
    present = try view.revision()
    takesRevisions = request.restoresRevisions ? try !view.hasOwnValues() : false
    var next = present + 1
    if takesRevisions {
      next = max(next, request.exportedRevision)
      for edit in request.edits { next = max(next, min(edit.provenance?.revision ?? 0, UInt64(Int64.max))) }
    }
    revision = next
    touched.reserveCapacity(request.edits.count)
    replaced.reserveCapacity(request.edits.count)
  }

  /// Makes the commit; nothing is left of one that is refused or fails.
  mutating func run(_ requireRoom: RoomCheck) throws(StoreError) -> Environment.Outcome<CommitResult> {
    do throws(StoreError) {
      let outcome = try make(requireRoom)
      if case .abort = outcome { memory.discard() }
      return outcome
    } catch {
      memory.discard()
      throw error
    }
  }

  private mutating func make(_ requireRoom: RoomCheck) throws(StoreError) -> Environment.Outcome<CommitResult> {
    if let end = request.trialEnd { return try self.end(end) }
    if request.trial != nil { try requireNoTrial() }
    try checkExpectations()
    var expired = try view.expired(by: horizon)
    if !memory.hasClearedBoot {
      let ended = try view.endedWithBoot(cleans: true)
      memory.hasClearedBoot = ended.isEmpty
      expired += ended
    }
    for expiry in expired { try expire(expiry) }
    for layer in request.clearedLayers { try clear(layer) }
    try endSession()
    refusals += request.refusals
    try applyEdits()
    if !refusals.isEmpty, !request.isPartial {
      return .abort(CommitResult(revision: present, count: 0, refusals: refusals, isRefused: true))
    }
    // A key in `expiries` may be of a value that is not there any more.
    var isStored = !expired.isEmpty || hasNewDeadline
    for asset in request.assets {
      if try view.put(asset, time: now) { isStored = true }
    }
    for fact in request.facts {
      if try view.put(fact) { isStored = true }
    }
    guard !touched.isEmpty else {
      // No reader knows of an asset before a setting names it: by itself it makes no revision.
      let result = CommitResult(revision: present, count: count, refusals: refusals, isRefused: false)
      return isStored ? .commit(result) : .abort(result)
    }
    var entry = LogEntry(
      revision: revision, time: now, layer: request.layer ?? touched.last?.layer ?? .user, origin: request.origin)
    let term = term()
    entry.edits = replaced
    entry.changes.reserveCapacity(touched.count)
    for setting in touched {
      let admission = try admission(setting)
      try setting.settle(
        admission, revision: revision, now: now, horizon: horizon, view, memory.claims, trial: term, isCommitted: true,
        into: &entry.changes)
    }
    if let term, let length = request.trial {
      let state = TrialState(term, length: length, time: now, origin: request.origin)
      try view.putTrial(state)
      memory.note(state)
      entry.trial = .begun(length: length)
    }
    try forget(forgotten, &entry)
    try view.takeForSecrets(imported)
    let isTold = try isRoom(for: entry, requireRoom)
    if !isTold { entry.spare() }
    memory.logTail = try view.finish(entry, logLimits, memory.logTail)
    return .commit(CommitResult(revision: revision, count: count, refusals: refusals, isRefused: false))
  }

  /// Whether the log may tell what was replaced, which the request did not say when its room was looked for.
  private func isRoom(for entry: LogEntry, _ requireRoom: RoomCheck) throws(StoreError) -> Bool {
    if request.sparesLog { return false }
    let size = UInt64(entry.roughSize)
    if size < SpaceReserve.smallCommit / 4 { return true }
    do throws(StoreError) { try requireRoom(size &+ request.mostBytes) } catch {
      guard request.isRemoval else { throw error }
      return false
    }
    return true
  }

  /// Makes the edits. A later one of the same setting replaces an earlier one, also if one of them has its name and the other an
  /// alias.
  private mutating func applyEdits() throws(StoreError) {
    var settings: [KnownSetting] = []
    settings.reserveCapacity(request.edits.count)
    var hasAlias = false
    // Of a span nothing is copied.
    let edits = request.edits
    let all = edits.span
    for index in all.indices {
      let name = all[index].name
      // What an export holds set aside is under the very name, also if that has become an alias.
      var setting = memory.setting(name)
      if (1...255).contains(name.utf8.count), case .alias(let target)? = try memory.row(setting, view),
        all[index].provenance?.isSetAside != true
      {
        setting = memory.setting(target)
        hasAlias = true
      }
      settings.append(setting)
    }
    var isReplaced = [Bool](repeating: false, count: settings.count)
    // Of each edit the one before it that it replaces.
    var former = [Int?](repeating: nil, count: settings.count)
    for layer in Layer.allCases where hasAlias {
      var known = NameSet()
      var earliest: [Int] = []
      for index in settings.indices.reversed() where request.edits[index].layer == layer {
        let (number, isNew) = known.insert(settings[index].name)
        guard !isNew else {
          earliest.append(index)
          continue
        }
        if request.isDocument { refuse(request.edits[index], beside: request.edits[earliest[number]]) }
        isReplaced[index] = true
        former[earliest[number]] = index
        earliest[number] = index
      }
    }
    for index in settings.indices where !isReplaced[index] {
      var next: Int? = index
      while let one = next {
        let before = refusals.count
        try apply(all[one], settings[one])
        if refusals.count == before { try removeOrphan(all[one], settings[one]) }
        // Where what does not fit is left out, the one before it may be fine.
        next = request.isPartial && refusals.count > before ? former[one] : nil
      }
    }
  }

  /// The members of a document have no order: it does not tell which of two counts that are of the same setting.
  private mutating func refuse(_ edit: Edit, beside other: Edit) {
    guard edit.action.value != other.action.value else { return }
    refusals.append(
      Refusal(
        name: edit.name, code: .parse,
        message: "`\(edit.name)` and `\(other.name)` are names of the same setting, and have different values"))
  }

  /// What has been left under a name that is an alias now goes with the setting's value.
  private mutating func removeOrphan(_ edit: Edit, _ setting: KnownSetting) throws(StoreError) {
    guard case .reset = edit.action, !setting.name.sameBytes(as: edit.name) else { return }
    let orphan = memory.setting(edit.name)
    let old = try orphan.stored(edit.layer, view)
    if old.isThere { try remove(orphan, edit.layer, old.record) }
  }

  private mutating func clear(_ layer: Layer) throws(StoreError) {
    // What is set again below is left for the comparison there, so that replacing a layer by the same changes nothing.
    var setAgain = NameSet()
    for edit in request.edits where edit.layer == layer {
      if edit.action.value != nil { setAgain.insert(try view.resolveAlias(edit.name)) }
    }
    var names = NameSet()
    try view.walkPlaces { if $0.layer == layer, !setAgain.contains($0.name) { names.insert($0.name) } }
    // What a trial has taken away is not to come back.
    if try memory.trial(view)?.isPending == true {
      for place in try view.placesOnTrial() where place.layer == layer && !setAgain.contains(place.name) {
        names.insert(place.name)
      }
    }
    for name in names.names {
      let setting = memory.setting(name)
      try remove(setting, layer, try setting.stored(layer, view).record)
    }
  }

  private func admission(_ setting: KnownSetting) throws(StoreError) -> Admission {
    view.admission(setting.name, try memory.row(setting, view), isAdmitted: memory.admits(setting.name))
  }

  private mutating func remove(
    _ setting: KnownSetting, _ layer: Layer, _ old: Record?, isExpiry: Bool = false
  ) throws(StoreError) {
    if try isSecret(setting) { forgotten.insert(setting.name) }
    if !isExpiry { try putOnTrial(setting, layer) }
    try setting.remove(layer, view, staysOnTrial: isExpiry)
    note(setting, layer, old, isExpiry: isExpiry)
  }

  /// - Parameter left: the revision of what the layer holds now, 0 for nothing.
  @_optimize(speed)
  private mutating func note(
    _ setting: KnownSetting, _ layer: Layer, _ old: Record?, left: UInt64 = 0, isExpiry: Bool = false
  ) {
    // What has ended with a boot does not come back by undoing.
    let old = old?.hasEndedWithBoot == true ? nil : old
    replaced.append(
      LogEntry.Edit(name: setting.name, layer: layer, old: old?.value, oldExpires: old?.expires, left: left))
    if setting.touch(number, layer, isExpiry: isExpiry) { touched.append(setting) }
  }

  /// Removes what has expired. The key of a damaged value takes nothing with it.
  private mutating func expire(_ expiry: ExpiryKey) throws(StoreError) {
    let setting = memory.setting(expiry.place.name)
    let old = try setting.stored(expiry.place.layer, view)
    if old.record?.hasExpired(at: now) == true {
      try remove(setting, expiry.place.layer, old.record, isExpiry: true)
    }
    try view.deleteExpiry(expiry)
  }

  @_optimize(speed)
  private mutating func apply(_ edit: Edit, _ setting: KnownSetting) throws(StoreError) {
    // The schema has checked what it declares.
    if !setting.isDeclared {
      do throws(StoreError) { try checkName(edit.name) } catch {
        refusals.append(Refusal(name: edit.name, code: .parse, message: error.message))
        return
      }
    }
    let name = setting.name
    let declaration = try admission(setting).declared
    let problems = try check(edit, setting, declaration)
    guard problems.isEmpty else {
      let isBarred = problems.allSatisfy { $0.code == .locked || $0.code == .readOnly }
      if isBarred, request.toleratesHeld, try isHeld(edit, name, declaration) { return }
      return refusals += problems
    }

    var old = try setting.stored(edit.layer, view)
    switch edit.action {
    case .reset:
      if !old.isThere, try !setting.isOnTrial(edit.layer, view) { return }
      try remove(setting, edit.layer, old.record)
    case .set(let set), .replace(let set):
      let given: Value
      do throws(StoreError) { given = set.isSealed ? try view.requireOpen(set, name) : set } catch {
        guard error.code == .unavailable || error.code == .corrupt else { throw error }
        return refusals.append(Refusal(name: edit.name, code: error.code, message: error.message))
      }
      var fresh: Record
      switch validate(given, name, edit.name, declaration, memory.claims, memory.owners) {
      case .success(let value):
        let refused = try readOnlyMembers(of: value, edit, setting, declaration)
        guard refused.isEmpty else { return refusals += refused }
        let past = edit.provenance
        let kept = try withFormerImages(value, edit, setting, declaration)
        fresh = try record(past?.isSetAside == true || past?.isAsSet == true ? given : kept, edit, declaration)
      case .failure(let refused):
        guard edit.provenance?.isSetAside == true, (try? given.check()) != nil else { return refusals += refused.all }
        fresh = try record(given, edit, declaration)
        fresh.isRejected = true
      }
      // A schema makes its own defaults: an export only tells when.
      if edit.layer == .defaults {
        guard takesRevisions, let old = old.record, old.value == fresh.value, old != fresh else { return }
      } else {
        count += 1
      }
      // What takes the place of others is written also if the layer has it already: history then tells both.
      var uncovers = false
      if case .replace = edit.action { uncovers = try uncover(edit.layer, setting) }
      // So is what is on trial: from now on it is set for good.
      if edit.layer != .defaults, !uncovers, old.record?.saysTheSame(as: fresh) == true,
        try !setting.isOnTrial(edit.layer, view)
      {
        old = try setting.stored(edit.layer, view, anew: true)
        if old.record?.saysTheSame(as: fresh) == true { return }
      }
      try putOnTrial(setting, edit.layer)
      try setting.put(fresh, view)
      if request.restoresRevisions, declaration == nil, edit.provenance?.isSetAside == true {
        _ = imported.insert(name)
      }
      note(setting, edit.layer, old.record, left: fresh.revision)
    }
  }

  /// The variants of an image with those that were shown before in the place of what nobody has fetched yet, if they are in
  /// effect and may have them.
  private func withFormerImages(
    _ value: Value, _ edit: Edit, _ setting: KnownSetting, _ declaration: SettingValidator?
  ) throws(StoreError) -> Value {
    guard setting.isBuiltIn, Branding.has(Branding.prefix + Branding.image, setting.name), edit.layer != .defaults,
      !edit.isOfAnotherBrand, FormerImages.concern(value)
    else { return value }
    var before = try view.effective(setting.name).map { (record) throws(StoreError) in
      try view.current(record, setting.name, at: now)
    }
    // What is hidden keeps none.
    if case .set = edit.action, let layer = before?.layer, layer > edit.layer { before = nil }
    let kept = FormerImages.kept(in: value, after: before?.value) { (reference) in
      guard let key = Asset.key(reference) else { return false }
      return request.assets.contains { $0.key == key } || (try? view.hasAsset(key)) == true
    }
    if kept == value || (try? kept.check()) == nil { return value }
    if let declaration, case .invalid = declaration.validated(kept) { return value }
    return kept
  }

  /// Removes what people have set above a layer, also what a trial would bring back; false if there is nothing.
  private mutating func uncover(_ layer: Layer, _ setting: KnownSetting) throws(StoreError) -> Bool {
    var hasRemoved = false
    for above in Layer.allCases where above > layer && above.isOfPeople {
      let covering = try setting.stored(above, view)
      if !covering.isThere, try !setting.isOnTrial(above, view) { continue }
      try remove(setting, above, covering.record)
      _ = setting.touch(number, layer, isExpiry: false)
      hasRemoved = true
    }
    return hasRemoved
  }

  /// Whether the value of an edit is in effect already.
  private func isHeld(_ edit: Edit, _ name: String, _ declaration: SettingValidator?) throws(StoreError) -> Bool {
    guard let given = edit.action.value,
      case .success(let value) = validate(given, name, name, declaration, memory.claims, memory.owners),
      let effective = try view.effective(name)
    else { return false }
    return try view.current(effective, name, at: now).value == value
  }

  /// What a value changes of items of a list that only the console may change.
  private func readOnlyMembers(
    of value: Value, _ edit: Edit, _ setting: KnownSetting, _ declaration: SettingValidator?
  ) throws(StoreError) -> [Refusal] {
    guard let declaration, declaration.descriptor.kind == .list, !edit.layer.isConsole, !request.mayChangeReadOnly
    else {
      return []
    }
    let effective = try view.effective(setting.name).map { (record) throws(StoreError) in
      try view.current(record, setting.name, at: now).value
    }
    return declaration.readOnlyViolations(of: value, from: effective ?? nil).map {
      Refusal(name: edit.name, code: $0.code, constraint: $0.constraint, message: $0.message)
    }
  }

  /// Whether an edit is allowed at all, whatever its value.
  @_optimize(speed)
  private func check(
    _ edit: Edit, _ setting: KnownSetting, _ declaration: SettingValidator?
  ) throws(StoreError) -> [Refusal] {
    let name = setting.name
    var found: [Refusal] = []
    func refuse(_ code: StoreError.Code, _ message: String, _ constraint: String? = nil) {
      found.append(Refusal(name: edit.name, code: code, constraint: constraint, message: message))
    }
    if declaration == nil, edit.provenance?.isSetAside != true, !memory.admits(name),
      try !removesOrphan(edit, setting)
    {
      // To look for what may have been meant takes a while, for which others wait.
      let error = view.unknown(edit.name, isBrief: refusals.count >= Self.mostExplained)
      refuse(error.code, error.message)
      return found
    }
    if edit.layer == .override, !request.allowsOverride {
      refuse(.readOnly, "`\(name)`: the layer override needs a store that was opened to allow it")
    }
    if declaration?.descriptor.isReadOnly == true, !edit.layer.isConsole, !request.mayChangeReadOnly {
      refuse(.readOnly, "`\(name)` is read-only: only the console's layers may set it, not \(edit.layer)", "ReadOnly")
    }
    // What no schema declares any more counts for nothing, and locks nothing.
    if edit.layer < .enforced, !request.ignoresLocks, try setting.isLocked(at: now, since: request.passedLocks, view),
      try admission(setting).counts
    {
      refuse(.locked, "`\(name)` is locked: the layer enforced holds a value, so \(edit.layer) cannot be changed")
    }
    if let value = edit.action.value {
      if edit.layer != .defaults, try view.lacksSealer(name, declaration, value) {
        refuse(
          .unavailable, "`\(name)` is a secret of a store that seals them, and this process has no key to do so")
      }
      if let expires = edit.expires {
        if !edit.layer.canExpire { refuse(.invalidValue, "`\(name)`: values of the layer \(edit.layer) cannot expire") }
        if !expires.isValid {
          refuse(.invalidValue, "`\(name)`: the expiry time is outside the years 1 to 9999", "Expires")
        } else if expires <= now {
          refuse(.invalidValue, "`\(name)`: the expiry time \(expires.rfc3339) has passed", "Expires")
        }
      } else if edit.layer == .override {
        refuse(.invalidValue, "`\(name)`: a value of the layer override needs an expiry time", "Expires")
      }
    }
    return found
  }

  /// Whether an edit removes what a layer holds of a setting that no schema declares any more.
  private func removesOrphan(_ edit: Edit, _ setting: KnownSetting) throws(StoreError) -> Bool {
    guard case .reset = edit.action else { return false }
    if try setting.stored(edit.layer, view).isThere { return true }
    return try setting.isOnTrial(edit.layer, view)
  }

  @_optimize(speed)
  private func record(_ value: Value, _ edit: Edit, _ declaration: SettingValidator?) throws(StoreError) -> Record {
    let past = edit.provenance
    var expires = edit.expires
    if expires == nil, edit.layer == .session, declaration?.survivesLogout != true,
      let deadline = try memory.sessionDeadline(view), deadline > now
    {
      expires = deadline
    }
    // No revision is 0.
    let former = takesRevisions ? past?.revision ?? 0 : 0
    var record = Record(
      value, layer: edit.layer, revision: former > 0 ? former : revision,
      time: past?.time ?? now, expires: expires, origin: past?.origin ?? edit.origin ?? request.origin)
    if declaration?.isVolatile == true, edit.layer != .defaults { record.boot = Boot.present }
    return record
  }

  /// What the request says of the end of the session: for the values that it leaves, and those to come.
  private mutating func endSession() throws(StoreError) {
    let former =
      try request.deadline != nil || request.clearedLayers.contains(.session)
      ? memory.sessionDeadline(view) : nil
    guard let deadline = request.deadline else {
      if former != nil { try memory.putSessionDeadline(nil, view) }
      return
    }
    if let time = deadline.time, !time.isValid || time <= now {
      refusals.append(
        Refusal(
          name: "", code: .invalidValue, constraint: "Expires",
          message: "the end of the session \(time.rfc3339) has passed, or is outside the years 1 to 9999"))
      return
    }
    guard former != deadline.time else { return }
    try memory.putSessionDeadline(deadline.time, view)
    hasNewDeadline = true
    var names = NameSet()
    try view.walkPlaces { if $0.layer == .session { names.insert($0.name) } }
    let hasTrial = try memory.trial(view)?.isPending == true
    if hasTrial { for place in try view.placesOnTrial() where place.layer == .session { names.insert(place.name) } }
    for name in names.names {
      let setting = memory.setting(name)
      let declared = try admission(setting).declared
      guard declared?.survivesLogout != true else { continue }
      if let old = try setting.stored(.session, view).record, old.expires == nil || old.expires == former {
        var record = old
        record.expires = deadline.time
        try setting.put(record, view, staysOnTrial: true)
        note(setting, .session, old, left: record.revision)
      }
      // What a trial has replaced comes back for no longer.
      if hasTrial, let back = try setting.former(of: .session, view), back.expires == nil || back.expires == former {
        try setting.endFormer(of: .session, at: deadline.time, view)
        if setting.touch(number, .session, isExpiry: false) { touched.append(setting) }
      }
    }
    // Nor does what this commit, on trial itself, has removed.
    for setting in touched where try admission(setting).declared?.survivesLogout != true {
      setting.endReplaced(in: .session, from: former, at: deadline.time)
    }
  }
}

struct Refused: Error {
  let all: [Refusal]
}

/// What a value becomes when it is set, if it fits.
///
/// - Parameter asked: the name that was given, which may be an alias.
func validate(
  _ given: Value, _ name: String, _ asked: String, _ declaration: SettingValidator?, _ claims: Claims,
  _ owners: ClaimOwners?
) -> Result<Value, Refused> {
  guard let declaration else {
    do throws(StoreError) {
      try given.check()
      return .success(try claims.checked(given, name, owners))
    } catch {
      return .failure(
        Refused(all: [Refusal(name: asked, code: error.code, message: "`\(asked)`: \(error.message)")]))
    }
  }
  switch declaration.validated(given) {
  case .valid(let value): return .success(value)
  case .invalid(let violations):
    return .failure(
      Refused(
        all: violations.map {
          Refusal(name: asked, code: $0.code, constraint: $0.constraint, message: $0.message)
        }))
  }
}

extension View {
  /// Stores what a commit makes of settings one after the other, and notes in its entry what changed for readers.
  ///
  /// - Parameter change: changes what the layers hold for a setting.
  func settle(
    _ names: NameSet, _ entry: inout LogEntry, _ limits: LogLimits, isSecret: (String) -> Bool,
    _ change: (KnownSetting) throws(StoreError) -> Void
  ) throws(StoreError) {
    let horizon = try limits.horizon(entry.time, self)
    let all = names.names
    var made: [LogEntry.Change] = []
    var places = [Int](repeating: -1, count: all.count)
    // In the order of names pages are filled one after the other.
    for number in sortedOrder(of: all.count, { all[$0].precedesInBytes(all[$1]) }) {
      let setting = KnownSetting(all[number], isKept: false)
      try change(setting)
      let place = made.count
      try setting.settle(
        admission(setting.name), revision: entry.revision, now: entry.time, horizon: horizon, self,
        into: &made)
      if made.count > place { places[number] = place }
    }
    for place in places where place >= 0 {
      made[place].isSecret = isSecret(made[place].name)
      entry.changes.append(made[place])
    }
  }
}

/// A commit of nothing but what time has ended; false if there is nothing to commit.
func expireOnly(
  _ view: View, _ request: CommitRequest, _ logLimits: LogLimits
) throws(StoreError) -> Environment.Outcome<Bool> {
  let isReverted = try view.revertIfOver(logLimits) != nil
  var committer = try Committer(view, request, logLimits, CommitMemory())
  switch try committer.run({ _ in }) {
  case .commit: return .commit(true)
  case .abort: return isReverted ? .commit(true) : .abort(false)
  }
}

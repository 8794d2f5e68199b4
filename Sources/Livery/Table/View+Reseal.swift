import LMDB

/// What bringing a store's secrets under a key came to.
struct Resealing {
  /// How many values of layers are sealed with it now.
  var sealed = 0
  /// How many were plain before.
  var wasPlain = 0
  /// The settings with values that could not be opened, and stay as they are.
  var unavailable = NameSet()
  var hasChanged = false
  /// Whether secrets were plain before: pages that are free now hold them still, and copies may.
  var leavesPlain = false
}

extension View {
  /// Brings everything that is stored to what it has to be: secrets sealed, all else plain.
  ///
  /// - Parameters:
  ///   - anew: seal also what is sealed already, with the present key.
  ///   - settles: nothing has to be overwritten afterwards. Otherwise the mark stays pending until that is done.
  func reseal(anew: Bool, settles: Bool = false) throws(StoreError) -> Resealing {
    var outcome = Resealing()
    guard let mark = try sealMark() else { return outcome }
    guard sealing?.sealer != nil else {
      if !mark.isPending, try leavesSomething() {
        try putSealMark(SealMark(store: mark.store, isPending: true))
        outcome.hasChanged = true
      }
      return outcome
    }
    for name in try toSeal(anew: anew) { try reseal(name, &outcome) }
    try resealLog(&outcome)
    let isPending = !settles && (mark.isPending || outcome.leavesPlain)
    if mark.isPending != isPending {
      try putSealMark(SealMark(store: mark.store, isPending: isPending))
      outcome.hasChanged = true
    }
    return outcome
  }

  /// A setting's record, or nil: what is damaged is for its readers to report, and all else is not to be passed over.
  private func unlessDamaged(_ name: String) throws(StoreError) -> SettingRecord? {
    do throws(StoreError) { return try wholeSetting(name).map { opened($0, name) } } catch {
      guard error.code == .corrupt || error.code == .formatNewer else { throw error }
      return nil
    }
  }

  @inline(never)
  private func reseal(_ name: String, _ outcome: inout Resealing) throws(StoreError) {
    guard let former = try unlessDamaged(name) else { return }
    var fresh = former
    var hasChanged = false
    try fresh.transform { (record, isConverted) throws(StoreError) in
      guard let value = record.value, record.layer != .defaults || record.sealed != nil else { return record }
      if value.isSealed {
        outcome.unavailable.insert(name)
        return record
      }
      let wasSealed = record.sealed != nil
      let sealed = try sealed(record.with(value, nil), name)
      let isSealed = sealed.sealed != nil
      if isSealed, !isConverted { outcome.sealed += 1 }
      if isSealed, !wasSealed {
        if !isConverted { outcome.wasPlain += 1 }
        outcome.leavesPlain = true
      }
      if isSealed || wasSealed { hasChanged = true }
      return sealed
    }
    guard hasChanged else { return }
    try put(fresh, name, inPlaceOf: former.endings(name))
    outcome.hasChanged = true
  }

  /// The settings with values that are sealed or have to be, and are not as they have to be.
  @inline(never)
  private func toSeal(anew: Bool) throws(StoreError) -> [String] {
    var found: [(name: String, hasSealed: Bool, hasPlain: Bool)] = []
    try walk(databases.settings) { (key, value) throws(StoreError) in
      var hasSealed = false, hasPlain = false
      _ = EntryPlace.all(in: value, key: key, tag: Tag.settings, at: nil) { entry in
        if entry.isSealed { hasSealed = true } else if entry.layer != .defaults { hasPlain = true }
      }
      if let place = RecordPlace(value, key: key, tag: Tag.settings), place.type != nil, place.layer != .defaults {
        if place.isSealed { hasSealed = true } else { hasPlain = true }
      }
      if hasSealed || hasPlain, let name = key.text { found.append((name, hasSealed, hasPlain)) }
      return true
    }
    var wanted: [String] = []
    for (name, hasSealed, hasPlain) in found {
      if try holdsSecret(name) ? hasPlain || anew : hasSealed { wanted.append(name) }
    }
    return wanted
  }

  private func holdsSecret(_ name: String) throws(StoreError) -> Bool {
    do throws(StoreError) {
      // Only what keeps others' values is a secret by its own.
      guard Claim.builtIn(of: name)?.isInternal == true else { return try isSecret(name, nil) }
      for record in try records(of: name) where try isSecret(name, record.value) { return true }
      return false
    } catch {
      // Who cannot tell says yes.
      guard error.code == .corrupt else { throw error }
      return true
    }
  }

  /// Whether whoever comes with a sealer has something to do: a secret is plain, or something sealed is none any more.
  private func leavesSomething() throws(StoreError) -> Bool {
    for name in try toSeal(anew: false) {
      guard let setting = try wholeSetting(name) else { continue }
      guard try holdsSecret(name) else { return true }
      for record in setting.values + (setting.trial?.former ?? [])
      where record.layer != .defaults && record.sealed == nil { return true }
    }
    return false
  }

  @inline(never)
  private func isToSeal(_ entry: LogEntry) throws(StoreError) -> Bool {
    if entry.holdsSealed { return true }
    for change in entry.changes {
      if change.isSecret { return true }
      if try isSecret(change.name, change.new) { return true }
    }
    for edit in entry.edits {
      if try isSecret(edit.name, edit.old) { return true }
    }
    return false
  }

  /// Whether an entry holds a secret as it is.
  private func holdsPlain(_ entry: LogEntry) throws(StoreError) -> Bool {
    for change in entry.changes {
      for case let value? in [change.old, change.new] where !value.isSealed {
        if change.isSecret { return true }
        if try isSecret(change.name, value) { return true }
      }
    }
    for edit in entry.edits {
      if let value = edit.old, !value.isSealed, try isSecret(edit.name, value) { return true }
    }
    return false
  }

  @inline(never)
  private func resealLog(_ outcome: inout Resealing) throws(StoreError) {
    var revisions: [UInt64] = []
    try walkLog(opens: false) { (revision, entry, _) throws(StoreError) in
      if let entry, try isToSeal(entry) {
        revisions.append(revision)
        if !outcome.leavesPlain { outcome.leavesPlain = try holdsPlain(entry) }
      }
      return true
    }
    for revision in revisions {
      guard let entry = try logEntry(revision) else { continue }
      try putLogEntry(entry)
      outcome.hasChanged = true
    }
  }
}

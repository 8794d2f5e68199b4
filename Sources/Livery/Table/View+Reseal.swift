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
      if !mark.isPending, try hasPlainSecrets() {
        try putSealMark(SealMark(store: mark.store, isPending: true))
        outcome.hasChanged = true
      }
      return outcome
    }
    for key in try toSeal(databases.layers, Tag.layers, anew: anew) {
      if let place = key.withUnsafeBytes({ LayerKey($0.bytes) }) { try reseal(place, &outcome) }
    }
    for key in try toSeal(databases.effective, Tag.effective, anew: anew) {
      try resealEffective(String(decoding: key, as: UTF8.self), &outcome)
    }
    try resealLog(&outcome)
    let isPending = !settles && (mark.isPending || outcome.leavesPlain)
    if mark.isPending != isPending {
      try putSealMark(SealMark(store: mark.store, isPending: isPending))
      outcome.hasChanged = true
    }
    return outcome
  }

  /// What is damaged is for its readers to report; all else is not to be passed over.
  private func unlessDamaged(_ read: () throws(StoreError) -> Record?) throws(StoreError) -> Record? {
    do throws(StoreError) { return try read() } catch {
      guard error.code == .corrupt || error.code == .formatNewer else { throw error }
      return nil
    }
  }

  @inline(never)
  private func resealEffective(_ name: String, _ outcome: inout Resealing) throws(StoreError) {
    let found = try unlessDamaged { () throws(StoreError) in try effective(name) }
    guard let record = found, let value = record.value, !value.isSealed else { return }
    // As the layer has it, so that whoever has no key sees that they are the same.
    let own = try unlessDamaged { () throws(StoreError) in try self.record(LayerKey(record.layer, name)) }
    try putEffective(record.with(value, own?.value == value ? own?.sealed : nil), name)
    outcome.hasChanged = true
  }

  @inline(never)
  private func reseal(_ place: LayerKey, _ outcome: inout Resealing) throws(StoreError) {
    let found = try unlessDamaged { () throws(StoreError) in try record(place) }
    guard let record = found, let value = record.value else { return }
    if value.isSealed {
      outcome.unavailable.insert(place.name)
      return
    }
    let wasSealed = record.sealed != nil
    let fresh = try sealed(record.with(value, nil), place.name)
    let isSealed = fresh.sealed != nil
    if isSealed { outcome.sealed += 1 }
    if isSealed, !wasSealed {
      outcome.wasPlain += 1
      outcome.leavesPlain = true
    }
    guard isSealed || wasSealed else { return }
    try put(fresh, place)
    outcome.hasChanged = true
  }

  /// The keys of records in layers, or of those in effect, that are sealed or have to be, and are not as they have to be.
  @inline(never)
  private func toSeal(_ database: Database, _ tag: UInt8, anew: Bool) throws(StoreError) -> [[UInt8]] {
    var found: [(key: [UInt8], isSealed: Bool)] = []
    try walk(database) { (key, value) throws(StoreError) in
      if let record = RecordPlace(value, key: key, tag: tag), record.type != nil,
        record.isSealed || record.layer != .defaults
      {
        found.append((key.array, record.isSealed))
      }
      return true
    }
    var wanted: [[UInt8]] = []
    for (key, isSealed) in found {
      let isSecret = try isSecret(key: key, tag)
      if isSecret != isSealed || isSecret && anew { wanted.append(key) }
    }
    return wanted
  }

  private func isSecret(key: [UInt8], _ tag: UInt8) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let place = tag == Tag.layers ? key.withUnsafeBytes({ LayerKey($0.bytes) }) : nil
      let name = place?.name ?? String(decoding: key, as: UTF8.self)
      // Only what keeps others' values is a secret by its own.
      guard Claim.builtIn(of: name)?.isInternal == true else { return try isSecret(name, nil) }
      let record: Record? = if let place { try self.record(place) } else { try effective(name) }
      return try isSecret(name, record?.value)
    } catch {
      // Who cannot tell says yes.
      guard error.code == .corrupt else { throw error }
      return true
    }
  }

  private func hasPlainSecrets() throws(StoreError) -> Bool {
    for key in try toSeal(databases.layers, Tag.layers, anew: false) {
      if let place = key.withUnsafeBytes({ LayerKey($0.bytes) }), try record(place)?.sealed == nil { return true }
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

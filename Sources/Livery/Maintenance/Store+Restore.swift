import CSystem
import LMDB

extension Store {
  /// Brings back what a backup holds: the settings of all layers, and the schema. Other processes go on using the store.
  ///
  /// It is one commit with a revision of its own, so that readers see the state before or after and watches are told what
  /// changed. The history, the store's identity and its count of revisions stay. Before, the present state is put into
  /// the store's own backups, save that one in memory has none. If the store has the backup's content already, and
  /// nothing is on trial, there is no commit.
  /// Corresponds to `livery_restore` in C.
  ///
  /// - Parameter backup: a file, or the name of one of `backups()`; nil for the latest of those.
  /// - Returns: the revision of the commit, or the present one if nothing changes.
  /// - Throws: `.corrupt` if the backup is damaged, `.notAStore`, `.formatNewer`: the store is then untouched; `.notFound`
  ///   if there is no such file; and as `ChangeSet.commit`.
  @discardableResult
  public func restore(from backup: String? = nil, origin: String = "restore") throws(StoreError) -> UInt64 {
    try checkOrigin(origin)
    return try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      // A store that is not in its place is gone, whatever backups it has.
      try shared.requirePlace()
      let (content, source) = try content(of: backup)
      try content.requireWhole(source)
      if shared.memory == nil { try keepBackup(BackupFolder.Reason.restore, allowsDamagedRecords: true) }
      var hasSealed = false
      let revision = try write { (view) throws(StoreError) in
        var restoration = try Restoration(view, content, origin)
        let outcome = try restoration.run(logLimits)
        hasSealed = restoration.hasSealed
        return outcome
      }
      if hasSealed { overwriteFormerSecrets() }
      return revision
    }
  }

  /// What a backup holds, and where it is.
  private func content(of backup: String?) throws(StoreError) -> (content: StoreFile, path: String) {
    let backups = try BackupFolder(of: shared.directory.folder)
    let entries = try backups.entries()
    guard let backup else {
      guard let latest = entries.first, let folder = backups.folder else {
        throw StoreError(.notFound, "\(path): there are no backups")
      }
      return (try StoreFile(latest.name, in: folder, keeping: true), folder.shown(latest.name))
    }
    guard !backup.isEmpty, !backup.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path is empty or contains NUL")
    }
    if let folder = backups.folder, !backup.utf8.contains(UInt8(ascii: "/")) {
      for entry in entries where entry.name.sameBytes(as: backup) {
        return (try StoreFile(backup, in: folder, keeping: true), folder.shown(backup))
      }
    }
    return (try StoreFile(backup, keeping: true), backup)
  }
}

/// What the layers are to hold for settings, by name.
private struct FreshSettings {
  private var numbers = ByteIndex()
  private(set) var names: [String] = []
  private var all: [[Record]] = []

  mutating func put(_ name: String, _ values: [Record]) {
    guard numbers.insert(name).isNew else { return }
    names.append(name)
    all.append(values)
  }

  func values(of name: String) -> [Record]? { numbers.number(of: name).map { all[$0] } }

}

/// The exchange of a store's content for that of a backup, inside its transaction.
private struct Restoration {
  let view: View
  let content: StoreFile
  let now = Timestamp.now
  let revision: UInt64
  private var entry: LogEntry
  private var hasChanged = false
  /// Whether facts of assets were brought back, or what says when values end: by themselves they make no revision.
  private var hasFacts = false
  /// Whether secrets lie plainly in what was before, or in the backup.
  private(set) var hasSealed = false

  init(_ view: View, _ content: StoreFile, _ origin: String) throws(StoreError) {
    self.view = view
    self.content = content
    revision = try view.revision() + 1
    entry = LogEntry(revision: revision, time: now, layer: .defaults, origin: origin)
  }

  mutating func run(_ limits: LogLimits) throws(StoreError) -> Environment.Outcome<UInt64> {
    let before = try view.contentRevision()
    let mark = try view.sealMark()
    let former = try view.secretSettings(isDamaged: true)
    for (name, database, onlyAdds) in view.databases.restored {
      try replace(name, database, by: content.table(name).entries, onlyAdds: onlyAdds)
    }
    try replace("meta", view.databases.meta, by: content.table("meta").entries)
    let fresh = try differences(limits.horizon(now, view))
    let isOnTrial = try view.pendingTrial() != nil
    guard hasChanged || isOnTrial || before != content.contentRevision else {
      try replaceExpiries()
      return hasFacts ? .commit(revision - 1) : .abort(revision - 1)
    }
    let secrets = try view.secretSettings()
    try adoptSeal(mark)

    try view.settle(allNames(fresh), &entry, limits, isSecret: { former.contains($0) || secrets.contains($0) }) {
      (setting) throws(StoreError) in
      guard let values = fresh.values(of: setting.name) else { return }
      try setting.replace(by: values.map { view.opened($0, setting.name) }, view)
    }
    entry.tellEditedLayers()
    try replaceExpiries()
    try endTrial()
    if entry.isSchema { try view.forget(noLongerSecret: former.names, &entry) }
    try view.putRestored(revision, content: content.contentRevision)
    try view.finish(entry, limits)
    hasSealed = try view.reseal(anew: false).leavesPlain
    // What was no secret until now, and plain, may be the very value that is one again: pages that are free now hold it.
    if var mark = try view.sealMark() {
      for name in secrets.names.names where !former.contains(name) { hasSealed = true }
      mark.isPending = mark.isPending || hasSealed
      try view.putSealMark(mark)
    }
    return .commit(revision)
  }

  /// A store that seals goes on doing so. What the log has sealed as another store's nobody can open any more.
  private mutating func adoptSeal(_ former: SealMark?) throws(StoreError) {
    view.sealing?.known = nil
    let restored = try view.sealMark()
    if let restored, let former, restored.store != former.store {
      _ = try view.forgetSecrets()
      for index in entry.edits.indices where entry.edits[index].old?.isSealed == true {
        entry.edits[index].old = nil
        entry.edits[index].isForgotten = true
      }
    }
    guard restored != nil || former != nil else { return }
    let store = restored?.store ?? former?.store ?? []
    try view.putSealMark(SealMark(store: store, isPending: restored == nil || restored?.isPending == true))
  }

  /// No trial goes on: what the layers hold now was confirmed, or was there before.
  private mutating func endTrial() throws(StoreError) {
    guard var trial = try view.pendingTrial() else { return }
    trial.phase = .reverted
    trial.end = TrialState.End(revision: revision, time: now, origin: entry.origin)
    try view.putTrial(trial)
    entry.trial = .reverted(revision: trial.term.revision)
  }

  /// What the layers are to hold for the settings for which they hold something else. What is over by now is neither brought
  /// back nor missed.
  private mutating func differences(_ horizon: Timestamp) throws(StoreError) -> FreshSettings {
    var fresh = FreshSettings()
    func lasting(_ record: SettingRecord?) -> [Record] {
      record?.values.filter { !$0.hasExpired(at: horizon) } ?? []
    }
    let wanted = content.table("settings").entries
    var next = 0
    var found: [(name: String, old: SettingRecord?, place: Int?, isOnTrial: Bool)] = []
    func name(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }
    try view.walk(view.databases.settings) { (key, value) throws(StoreError) in
      let key = key.array
      while next < wanted.count, wanted[next].key.lexicographicallyPrecedes(key) {
        found.append((name(wanted[next].key), nil, next, false))
        next += 1
      }
      let isWanted = next < wanted.count && wanted[next].key == key
      // What is on trial is not as it was confirmed, also if the backup has the same.
      let isOnTrial = RecordPlace(value, key: key.span.bytes, tag: Tag.settings)?.trial != nil
      if !isWanted || isOnTrial || value.array != wanted[next].value {
        let old = SettingRecord(value, key: key, tag: Tag.settings)
        // What is damaged is replaced whatever it holds.
        if old == nil { hasChanged = true }
        // To undo it does not bring back for good what nobody had confirmed.
        found.append((name(key), old?.reverted, isWanted ? next : nil, isOnTrial))
      }
      if isWanted { next += 1 }
      return true
    }
    while next < wanted.count {
      found.append((name(wanted[next].key), nil, next, false))
      next += 1
    }
    let exposed = try exposed()
    for (name, old, place, isOnTrial) in found {
      if isOnTrial { hasChanged = true }
      let isLeftOut = place != nil && exposed.contains(name)
      if isLeftOut {
        Log.write(.warning, "`\(name)` was a secret and is in a claimed namespace now: its value is not brought back")
      }
      let row = isLeftOut ? nil : place.map { wanted[$0] }
      let new = row.flatMap { row in
        // What had not been confirmed then is not brought back.
        row.value.withUnsafeBytes { SettingRecord($0.bytes, key: row.key, tag: Tag.settings)?.reverted }
      }
      let values = lasting(new)
      if note(name, lasting(old), values) || old == nil || isOnTrial { fresh.put(name, values) }
    }
    return fresh
  }

  /// Secrets whose setting was not declared any more when the backup was made, and that everybody would read since their
  /// namespace has been claimed: a claim refuses to show them as well.
  private func exposed() throws(StoreError) -> NameSet {
    let claims = try view.claims()
    let orphans = try view.orphans()
    var names = NameSet()
    for name in orphans.names where claims.covers(name) && !claims.isSecret(name) {
      if orphans.facts(name)?.isSecret == true { names.insert(name) }
    }
    return names
  }

  /// Remembers what was replaced of a setting, for the history and for undoing; false if the layers hold it already.
  private mutating func note(_ name: String, _ old: [Record], _ new: [Record]) -> Bool {
    var isOther = false
    for layer in Layer.allCases {
      let before = old.first { $0.layer == layer }
      let after = new.first { $0.layer == layer }
      if before == after, before?.sealed == after?.sealed { continue }
      isOther = true
      entry.layer = layer
      entry.edits.append(
        LogEntry.Edit(
          name: name, layer: layer, old: before?.value, oldExpires: before?.expires, left: after?.revision ?? 0))
    }
    if isOther { hasChanged = true }
    return isOther
  }

  /// When values end is that of the settings as they are stored now: what the backup says of trials and of what they had
  /// replaced does not hold.
  private mutating func replaceExpiries() throws(StoreError) {
    var wanted: [(key: [UInt8], value: [UInt8])] = []
    try view.walk(view.databases.settings) { (key, value) throws(StoreError) in
      let key = key.array
      let endings = SettingRecord(value, key: key, tag: Tag.settings)?.endings(String(decoding: key, as: UTF8.self))
      for ending in endings ?? [] { wanted.append((ending.bytes, [])) }
      return true
    }
    let order = sortedOrder(of: wanted.count) { wanted[$0].key.lexicographicallyPrecedes(wanted[$1].key) }
    try replace("expiries", view.databases.expiries, by: order.map { wanted[$0] })
  }

  /// Makes a database equal to what is wanted, in the order of keys, touching nothing else.
  private mutating func replace(
    _ name: String, _ database: Database, by entries: [(key: [UInt8], value: [UInt8])], onlyAdds: Bool = false
  ) throws(StoreError) {
    let isMeta = name.sameBytes(as: "meta")
    var wanted = entries
    if isMeta { wanted.removeAll { !View.isMeta(key: $0.key) } }
    var next = 0
    var doomed: [(key: [UInt8], value: [UInt8])] = []
    var fresh: [Int] = []
    var changed: [(place: Int, old: [UInt8])] = []
    try view.walk(database) { (key, value) throws(StoreError) in
      let key = key.array
      if isMeta, !View.isMeta(key: key) { return true }
      while next < wanted.count, wanted[next].key.lexicographicallyPrecedes(key) {
        fresh.append(next)
        next += 1
      }
      if next < wanted.count, wanted[next].key == key {
        // What is known of an asset may have been found out anew since the backup. What is damaged is brought back.
        let isKept = Self.isFact(name, key) && Checksum.content(of: value, key: key, tag: Tag.assets) != nil
        if !isKept, value.array != wanted[next].value { changed.append((next, value.array)) }
        next += 1
      } else if !onlyAdds {
        doomed.append((key, value.array))
      }
      return true
    }
    while next < wanted.count {
      fresh.append(next)
      next += 1
    }
    for row in doomed {
      if isMeta && View.isOwn(metaKey: row.key) { continue }
      try view.delete(row.key, database)
      note(name, row.key, row.value)
    }
    for place in fresh {
      let row = wanted[place]
      if isMeta && View.isOwn(metaKey: row.key) { continue }
      try view.put(row.value, row.key, database)
      note(name, row.key, nil)
    }
    for (place, old) in changed {
      let row = wanted[place]
      if isMeta && View.isOwn(metaKey: row.key) { continue }
      try view.put(row.value, row.key, database)
      note(name, row.key, old)
    }
  }

  /// Remembers what was replaced, for the history and for undoing.
  private mutating func note(_ database: String, _ key: [UInt8], _ old: [UInt8]?) {
    guard !Self.isFact(database, key), !database.sameBytes(as: "expiries") else {
      hasFacts = true
      return
    }
    hasChanged = true
    if View.isSealMark(metaKey: key) { return }
    if database.sameBytes(as: "schema") || database.sameBytes(as: "meta") { entry.isSchema = true }
  }

  /// Facts lie among the assets, under longer keys.
  private static func isFact(_ database: String, _ key: [UInt8]) -> Bool {
    key.count > SHA256.size && database.sameBytes(as: "assets")
  }

  private func allNames(_ fresh: FreshSettings) throws(StoreError) -> NameSet {
    var names = NameSet()
    try view.walk(view.databases.settings) { (key, _) throws(StoreError) in
      if let name = key.text { names.insert(name) }
      return true
    }
    for name in fresh.names { names.insert(name) }
    try view.walk(view.databases.schema) { (key, _) throws(StoreError) in
      if let name = key.text { names.insert(name) }
      return true
    }
    return names
  }
}

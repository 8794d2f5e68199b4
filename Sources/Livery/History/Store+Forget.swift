import CSystem
import LMDB

extension Store {
  /// Makes the store forget what it knows of a setting beside its present values: what the log tells of former ones, and
  /// the unused space of the file, which may hold them still. Meant for secrets.
  ///
  /// Corresponds to `livery_forget` in C.
  ///
  /// - Parameter inBackups: also in the store's own folder of backups: values there other than the present ones go. What
  ///   cannot be read there, and the damaged files that were kept, are removed whole.
  /// - Returns: what was done, as described at `livery_forget` in C.
  /// - Throws: `.readOnly`, `.busy`, `.noSpace`, `.permission`, `.io`; `.corrupt` if the store is damaged; `.formatNewer` for
  ///   a backup that a newer library has made.
  @discardableResult
  public func forget(_ name: String, inBackups: Bool = false) throws(StoreError) -> Value {
    try checkName(name)
    return try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      var setting = name
      var present: [Record] = []
      let commits = try write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Int> in
        setting = try view.resolveAlias(name)
        present = try view.records(of: setting)
        var names = NameSet()
        names.insert(setting)
        let count = try view.forget(names)
        return count > 0 ? .commit(count) : .abort(0)
      }
      var members: [Value.Member] = [
        .init("name", .string(setting)), .init("commits", .int(Int64(commits))),
      ]
      if inBackups {
        let cleaning = BackupCleaning(setting, present, shared.directory)
        members.append(.init("backups", .list(try cleaning.cleanBackups())))
        members.append(.init("damaged", .list(try cleaning.removeDamagedFiles())))
      }
      try compact()
      return .object(members)
    }
  }
}

/// Takes a setting's former values out of the copies that a store keeps of itself.
private struct BackupCleaning {
  private let name: String
  private let present: [Record]
  private let directory: StoreDirectory

  init(_ name: String, _ present: [Record], _ directory: StoreDirectory) {
    self.name = name
    self.present = present
    self.directory = directory
  }

  private enum Outcome {
    case unchanged, rewritten, removed

    var description: String {
      switch self {
      case .unchanged: "unchanged"
      case .rewritten: "rewritten"
      case .removed: "removed"
      }
    }
  }

  /// What became of each backup: a list of objects `name` and `outcome`.
  func cleanBackups() throws(StoreError) -> [Value] {
    let backups = try BackupFolder(of: directory.folder)
    guard let folder = backups.folder else { return [] }
    var items: [Value] = []
    for entry in try backups.entries() {
      guard let outcome = try clean(entry.name, folder) else { continue }
      items.append(.object([.init("name", .string(entry.name)), .init("outcome", .string(outcome.description))]))
    }
    return items
  }

  /// nil if the backup has gone meanwhile.
  private func clean(_ backup: String, _ folder: Folder) throws(StoreError) -> Outcome? {
    guard let facts = try folder.facts(backup) else { return nil }
    do throws(StoreError) {
      try StoreFile(backup, in: folder, keeping: false).requireWhole(folder.shown(backup))
    } catch {
      guard error.code == .corrupt || error.code == .notAStore else { throw error }
      // Nothing can be brought back from it, and what it holds cannot be told.
      try remove(backup, folder)
      return .removed
    }
    let work = try TemporaryFile(folder, mode: 0o600, directory.owner)
    defer { work.remove() }
    let source = try folder.open(backup)
    let isCopied = lvs_copy(source, work.descriptor) == 0
    let code = lvs_errno()
    close(source)
    guard isCopied else { throw .system(code, folder.shown(work.name)) }

    var options = Environment.Options()
    options.isPrivateFile = true
    options.folder = folder.descriptor
    let environment: Environment
    do { environment = try Environment(path: folder.route(work.name), options: options) } catch {
      throw StoreError(error)
    }
    defer { environment.close() }
    let isChanged = try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Bool> in
      let made: Databases?
      do throws(LMDBError) { made = try Databases(transaction, create: false, completes: true) } catch {
        throw StoreError(error)
      }
      guard let databases = made else { throw StoreError(.corrupt, "\(folder.shown(backup)) is damaged") }
      let isChanged = try clean(View(transaction: transaction, databases: databases))
      return isChanged ? .commit(true) : .abort(false)
    }
    guard isChanged else { return .unchanged }

    // As the one whose place it takes.
    var owner = lvs_owner()
    owner.user = facts.user
    owner.group = facts.group
    owner.is_shared = directory.owner.is_shared
    let fresh = try TemporaryFile(folder, mode: facts.mode & 0o777, owner)
    defer { fresh.remove() }
    do { try environment.copy(to: fresh.descriptor) } catch { throw StoreError(error) }
    try StoreFile(fresh.name, in: folder, keeping: false).requireWhole(folder.shown(fresh.name))
    guard fsync(fresh.descriptor) == 0 else { throw .system(lvs_errno(), folder.shown(backup)) }
    try folder.rename(fresh.name, to: backup, in: folder)
    try folder.sync()
    return .rewritten
  }

  /// Removes what the backup knows of the setting, save what the store holds now. A schema has its own defaults.
  private func clean(_ view: View) throws(StoreError) -> Bool {
    var isChanged = false
    for layer in Layer.allCases where layer != .defaults {
      let place = LayerKey(layer, name)
      guard let record = try view.record(place) else { continue }
      let isPresent = present.contains { $0.layer == layer && $0.value == record.value }
      if isPresent { continue }
      try view.delete(place)
      isChanged = true
    }
    if isChanged { _ = try view.recomputeEffective(name, revision: try view.revision(), now: .now, horizon: .earliest) }
    var names = NameSet()
    names.insert(name)
    return try view.forget(names) > 0 || isChanged
  }

  /// The names of the damaged files that were kept, and are no longer.
  func removeDamagedFiles() throws(StoreError) -> [Value] {
    guard let folder = try directory.folder.folder(BackupFolder.damagedName) else { return [] }
    var removed: [Value] = []
    for entry in try BackupFolder(folder).entries() {
      try remove(entry.name, folder)
      removed.append(.string(entry.name))
    }
    return removed
  }

  private func remove(_ file: String, _ folder: Folder) throws(StoreError) {
    guard lvs_unlink_at(folder.descriptor, file) == 0 || lvs_errno() == ENOENT else {
      throw .system(lvs_errno(), folder.shown(file))
    }
  }
}

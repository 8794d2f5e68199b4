import CSystem
import LMDB

/// Changes what is in the copies that a store keeps of itself.
struct BackupCleaning {
  private let directory: StoreDirectory
  private let sealing: Sealing
  private let clean: (View) throws(StoreError) -> Bool

  /// - Parameter clean: changes a backup in a transaction; false if there is nothing to change.
  init(_ directory: StoreDirectory, _ sealing: Sealing, _ clean: @escaping (View) throws(StoreError) -> Bool) {
    self.directory = directory
    self.sealing = sealing
    self.clean = clean
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
  ///
  /// - Parameter timeout: for how long it waits for who copies the store there, in milliseconds.
  func cleanBackups(timeout: UInt32) throws(StoreError) -> [Value] {
    let backups = try BackupFolder(of: directory.folder)
    guard let folder = backups.folder else { return [] }
    return try backups.hold(isAlone: true, timeout: timeout) { () throws(StoreError) in
      // What somebody who was killed has begun to copy.
      backups.removeUnfinished()
      var items: [Value] = []
      for entry in try backups.entries() {
        guard let outcome = try cleaned(entry.name, folder) else { continue }
        items.append(.object([.init("name", .string(entry.name)), .init("outcome", .string(outcome.description))]))
      }
      return items
    }
  }

  /// nil if the backup has gone meanwhile.
  private func cleaned(_ backup: String, _ folder: Folder) throws(StoreError) -> Outcome? {
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
      // It may have been sealed as another store's.
      let own = Sealing()
      if let sealer = sealing.sealer { _ = own.exchange(sealer, of: 0) }
      defer { withExtendedLifetime(own) {} }
      let isChanged = try clean(View(transaction: transaction, databases: databases, sealing: own))
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

import CSystem
import LMDB

extension Store {
  /// Writes a copy of the store to a file, from which `restore` brings it back. Nobody who reads or writes has to wait.
  ///
  /// The copy is of one moment, without unused space, checked, and durable; a file of the same name is replaced by it as
  /// a whole. Corresponds to `livery_backup` in C.
  ///
  /// - Throws: `.corrupt` if the store is damaged: then there is no copy. `.notFound`, `.notAStore` for what is no regular
  ///   file, `.busy` if all reader slots are taken, `.permission`, `.noSpace`, `.io`.
  public func backup(to path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path is empty or contains NUL")
    }
    let (folder, name) = try Self.target(path)
    try whileOpen { () throws(StoreError) in
      let folder = try shared.folder(forBackup: folder, name, path)
      var owner = lvs_owner(user: geteuid(), group: getegid(), is_shared: false)
      if let facts = try folder.facts(name), facts.is_regular {
        owner = lvs_owner(user: facts.user, group: facts.group, is_shared: false)
      }
      _ = try shared.copy(in: folder, mode: 0o600, owner, allowsDamagedRecords: false) { _ in name }
    }
  }

  /// The folder and the name of a file that is to be written.
  static func target(_ path: String) throws(StoreError) -> (folder: String, name: String) {
    // What a link stands for is to be the copy, and the link a link.
    var path = path
    if let resolved = realpath(path, nil) {
      path = String(validatingCString: resolved) ?? path
      free(resolved)
    }
    var end: Int?
    for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") { end = index }
    let folder = end.map { $0 == 0 ? "/" : String(decoding: path.bytes[..<$0], as: UTF8.self) } ?? "."
    return (folder, String(decoding: path.bytes[(end.map { $0 + 1 } ?? 0)...], as: UTF8.self))
  }

  /// Puts a backup into the store's own folder and keeps the last ones, as many as `Options.backups` says; its path.
  ///
  /// Corresponds to `livery_backup` without a path in C.
  ///
  /// - Throws: as `backup(to:)`.
  @discardableResult
  public func backup() throws(StoreError) -> String {
    try keepBackup(BackupFolder.Reason.manual)
  }

  /// Puts a backup into the store's own folder, and keeps the last ones of the same reason; its path.
  ///
  /// - Parameter reason: a few small letters.
  @discardableResult
  func keepBackup(_ reason: String, allowsDamagedRecords: Bool = false) throws(StoreError) -> String {
    var ownOptions = options
    ownOptions.sharesWithGroup = shared.directory.options.sharesWithGroup
    return try whileOpen { () throws(StoreError) in
      try shared.keepBackup(reason, ownOptions, allowsDamagedRecords: allowsDamagedRecords)
    }
  }

  /// The backups in the store's own folder, the latest first: a list of objects `name`, `path`, `revision`,
  /// `schemaVersion`, `time`, `reason`, `bytes`.
  ///
  /// Corresponds to `livery_backups` in C.
  public func backups() throws(StoreError) -> Value {
    try whileOpen { () throws(StoreError) in
      let backups = try BackupFolder(of: shared.directory.folder)
      guard let folder = backups.folder else { return .list([]) }
      var items: [Value] = []
      for entry in try backups.entries() {
        // One that has just been removed.
        guard let facts = try folder.facts(entry.name) else { continue }
        let place = folder.shown(entry.name)
        items.append(
          .object([
            .init("name", .string(entry.name)), .init("path", .string(place)),
            .init("revision", .int(Int64(clamping: entry.revision))),
            .init("schemaVersion", .int(Int64(clamping: entry.schemaVersion))), .init("time", .date(entry.time)),
            .init("reason", .string(entry.reason)), .init("bytes", .int(Int64(clamping: facts.size))),
          ]))
      }
      return .list(items)
    }
  }
}

extension Store {
  /// Gives the file system back what the store does not use. Every process goes on with the smaller file.
  ///
  /// Nothing changes for those who read or watch; the log forgets the former values of secrets. Writers wait; open
  /// snapshots stay in the former file.
  /// Corresponds to `livery_compact` in C.
  ///
  /// - Returns: the size of the file in bytes, before and after.
  /// - Throws: `.readOnly`, `.busy`, `.noSpace`, `.permission`, `.io`; `.corrupt` if the store is damaged.
  @discardableResult
  public func compact() throws(StoreError) -> (before: UInt64, after: UInt64) {
    try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      let before = try shared.dataFacts().size
      try forgetSecrets()
      // Processes that have read nothing since go on mapping the file of before.
      let former = try formerFile()
      do throws(StoreError) { try compactShared() } catch {
        if former >= 0 { letGo(of: former) }
        throw error
      }
      if former >= 0 { wipe(former) }
      return (before, try shared.dataFacts().size)
    }
  }
}

extension Store {
  private func compactShared() throws(StoreError) {
    do throws(StoreError) { try shared.compact() } catch {
      guard error.code == .noSpace, shared.environment.hasNoRoomForCopy else { throw error }
      // Better without its past than without a way out.
      try giveUpHistory()
      try shared.compact()
    }
  }

  /// The data file that compaction is to replace, if the store may hold secrets; -1 for none.
  private func formerFile() throws(StoreError) -> Int32 {
    let holdsSecrets = try shared.read { (view) throws(StoreError) -> Bool in
      if try view.schemaFacts().holdsSecrets { return true }
      return try !view.claims().secrets.isEmpty
    }
    guard holdsSecrets, shared.memory == nil else { return -1 }
    return lvs_open_at(shared.directory.folder.descriptor, StoreDirectory.data, O_RDWR, 0)
  }

  /// Overwrites what is stored in a file that compaction has replaced, as far as nobody reads it any more.
  private func wipe(_ former: Int32) {
    shared.environment.clearDeadReaders()
    // It may come back with its name where directories cannot be made durable.
    guard fsync(shared.directory.folder.descriptor) == 0 else { return letGo(of: former) }
    var facts = lvs_file_facts()
    let isKnown = lvs_file_facts_at(former, &facts) == 0
    // The descriptor goes with it.
    guard let file = try? PageFile.of(former), isKnown,
      let present = try? shared.directory.folder.facts(StoreDirectory.data),
      FileIdentity(facts) != FileIdentity(present),
      shared.environment.hasNoReaders(before: file.lastTransaction)
    else { return }
    // What cannot be written over goes with the last who has it open.
    try? file.wipe(all: shared.environment.hasNoReaders(before: file.lastTransaction &+ 1))
  }
}

private func letGo(of descriptor: Int32) { close(descriptor) }

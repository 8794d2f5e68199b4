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
      do throws(StoreError) { try shared.compact() } catch {
        guard error.code == .noSpace, shared.environment.hasNoRoomForCopy else { throw error }
        // Better without its past than without a way out.
        try giveUpHistory()
        try shared.compact()
      }
      return (before, try shared.dataFacts().size)
    }
  }
}

extension SharedEnvironment {
  private static let mostTries = 20

  /// A backup in the store's own folder; its path.
  func keepBackup(
    _ reason: String, _ options: Store.Options, allowsDamagedRecords: Bool
  ) throws(StoreError) -> String {
    if memory != nil {
      throw StoreError(
        .permission, "\(directory.path): a store in memory has no folder for backups: back it up to a file elsewhere")
    }
    // The folder may be another one's by now.
    if copy != nil {
      throw StoreError(
        .permission, "\(directory.path): the store is read from a copy in memory: back it up to a file elsewhere")
    }
    try requirePlace()
    let folder = try directory.folder.makeFolder(BackupFolder.name, options.directoryMode, directory.owner)
    let made = try copy(
      in: folder, mode: options.fileMode, directory.owner, allowsDamagedRecords: allowsDamagedRecords
    ) { copied in
      BackupFolder.name(copied.revision, copied.schemaVersion, .now, reason)
    }
    try BackupFolder(folder).trim(reason, keeping: options.effectiveBackups)
    return made
  }

  /// The folder of a file that is to become a backup, unless that is a file of a store.
  fileprivate func folder(forBackup folder: String, _ name: String, _ path: String) throws(StoreError) -> Folder {
    let target = try Folder.open(folder)
    let existing = try target.facts(name)
    if let existing {
      guard !existing.is_directory else { throw .system(EISDIR, path) }
      guard existing.is_regular else { throw StoreError(.notAStore, "\(path) is no regular file") }
    }
    let own = [StoreDirectory.data, StoreDirectory.lock, StoreDirectory.gate, StoreDirectory.wake, "data.mdb.new"]
    var isOne = false
    for reserved in own where reserved.sameBytes(as: name) {
      let isStore = try target.facts(StoreDirectory.gate) != nil
      if isStore || isOwn(target) { isOne = true }
    }
    if let existing {
      for name in own {
        guard let facts = try directory.folder.facts(name) else { continue }
        if FileIdentity(facts) == FileIdentity(existing) { isOne = true }
      }
    }
    guard !isOne else {
      throw StoreError(.invalidArgument, "\(path) is a file of a store: a backup goes to a file of its own")
    }
    return target
  }

  private func isOwn(_ folder: Folder) -> Bool {
    folder.device == directory.folder.device && folder.inode == directory.folder.inode
  }

  /// A checked copy of the latest commit in a folder, in place of whatever had the name; its path.
  func copy(
    in folder: Folder, mode: UInt32, _ owner: lvs_owner, allowsDamagedRecords: Bool, name: (StoreFile) -> String
  ) throws(StoreError) -> String {
    let work = try TemporaryFile(folder, mode: mode, owner)
    defer { work.remove() }
    let copied = try copy(to: work.descriptor, allowsDamagedRecords) { () throws(StoreError) in
      try StoreFile(work.name, in: folder, keeping: false)
    }
    let name = name(copied)
    guard fsync(work.descriptor) == 0 else { throw .system(lvs_errno(), folder.shown(name)) }
    do throws(StoreError) { try folder.rename(work.name, to: name, in: folder) } catch {
      // The names `.` and `..` are told to be in use, and are directories.
      throw error.systemError == EBUSY ? .system(EISDIR, folder.shown(name)) : error
    }
    try folder.sync()
    return folder.shown(name)
  }

  /// A checked copy of the latest commit. `look` reads what was written.
  func copy(
    to descriptor: Int32, _ allowsDamagedRecords: Bool, _ look: () throws(StoreError) -> StoreFile
  ) throws(StoreError) -> StoreFile {
    var tries = 0
    while true {
      var failure: StoreError?
      do { try environment.copy(to: descriptor) } catch { failure = StoreError(error) }
      tries += 1
      // The file has been replaced, or has outgrown the map.
      if failure != nil, environment.mustReopen, tries < Self.mostTries {
        try requirePlace()
        continue
      }
      if failure == nil {
        let copied = try look()
        if copied.isWhole || (allowsDamagedRecords && copied.file.damages.isEmpty) { return copied }
        if copied.file.damages.isEmpty, let damage = copied.damage {
          throw StoreError(
            .corrupt, "the store is damaged: \(damage)", setting: copied.damagedRecords[0].setting)
        }
        failure = StoreError(.corrupt, "the store's file is damaged: \(copied.damage ?? ""); restore a backup")
      }
      // Commits at the beginning of a copy tear it, as they do with no other reading.
      if let failure, failure.code != .corrupt || tries == Self.mostTries { throw failure }
      lvs_sleep_us(1000)
    }
  }
}

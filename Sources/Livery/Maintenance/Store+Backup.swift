import CSystem
import LMDB

extension Store {
  /// Writes a copy of the store to a file, from which `restore` brings it back. Nobody who reads or writes has to wait.
  ///
  /// The copy is of one moment, without unused space, checked, and durable; a file of the same name is replaced by it as
  /// a whole. Corresponds to `livery_backup` in C.
  ///
  /// - Throws: `.corrupt` if the store is damaged: then there is no copy. `.permission`, `.noSpace`, `.io`.
  public func backup(to path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path is empty or contains NUL")
    }
    var end: Int?
    for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") { end = index }
    let folder = end.map { $0 == 0 ? "/" : String(decoding: path.bytes[..<$0], as: UTF8.self) } ?? "."
    let name = String(decoding: path.bytes[(end.map { $0 + 1 } ?? 0)...], as: UTF8.self)
    try whileOpen { () throws(StoreError) in
      _ = try shared.copy(in: folder, mode: 0o600, allowsDamagedRecords: false) { _ in name }
    }
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
      try shared.keepBackup(reason, shared.directory.path, ownOptions, allowsDamagedRecords: allowsDamagedRecords)
    }
  }

  /// The backups in the store's own folder, the latest first: a list of objects `name`, `path`, `revision`,
  /// `schemaVersion`, `time`, `reason`, `bytes`.
  ///
  /// Corresponds to `livery_backups` in C.
  public func backups() throws(StoreError) -> Value {
    try whileOpen { () throws(StoreError) in
      let folder = BackupFolder(store: shared.directory.path)
      var items: [Value] = []
      for entry in try folder.entries() {
        let place = folder.path + "/" + entry.name
        var facts = lvs_file_facts()
        // One that has just been removed.
        guard lvs_file_facts_of(place, &facts) == 0 else { continue }
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
  /// Nothing changes for those who read or watch. Writers wait; open snapshots stay in the former file.
  /// Corresponds to `livery_compact` in C.
  ///
  /// - Returns: the size of the file in bytes, before and after.
  /// - Throws: `.readOnly`, `.busy`, `.noSpace`, `.permission`, `.io`; `.corrupt` if the store is damaged.
  @discardableResult
  public func compact() throws(StoreError) -> (before: UInt64, after: UInt64) {
    try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      var before = lvs_file_facts()
      _ = lvs_file_facts_of(shared.directory.dataFile, &before)
      try shared.compact()
      var after = lvs_file_facts()
      _ = lvs_file_facts_of(shared.directory.dataFile, &after)
      return (before.size, after.size)
    }
  }
}

extension SharedEnvironment {
  private static let mostTries = 20

  /// A backup in a store's own folder; its path.
  func keepBackup(
    _ reason: String, _ path: String, _ options: Store.Options, allowsDamagedRecords: Bool
  ) throws(StoreError) -> String {
    // The folder may be another one's by now.
    if copy != nil {
      throw StoreError(.permission, "\(path): the store is read from a copy in memory: back it up to a file elsewhere")
    }
    let folder = BackupFolder(store: path)
    try folder.prepare(mode: options.directoryMode)
    let made = try copy(in: folder.path, mode: options.fileMode, allowsDamagedRecords: allowsDamagedRecords) { copied in
      BackupFolder.name(copied.revision, copied.schemaVersion, .now, reason)
    }
    try folder.trim(reason, keeping: options.effectiveBackups)
    return made
  }

  /// A checked copy of the latest commit in a folder, in place of whatever had the name; its path.
  func copy(
    in folder: String, mode: UInt32, allowsDamagedRecords: Bool, name: (StoreFile) -> String
  ) throws(StoreError) -> String {
    var generator = SystemRandomNumberGenerator()
    let temporary = "\(folder)/.\(String(generator.next(), radix: 16)).tmp"
    let descriptor = lvs_make(temporary, O_EXCL, mode)
    guard descriptor >= 0 else { throw .system(lvs_errno(), folder) }
    defer { close(descriptor) }
    do throws(StoreError) {
      let path = folder + "/" + name(try copy(to: descriptor, temporary, allowsDamagedRecords))
      guard fsync(descriptor) == 0, lvs_rename(temporary, path) == 0 else {
        // The names `.` and `..` are told to be in use, and are directories.
        throw .system(lvs_errno() == EBUSY ? EISDIR : lvs_errno(), path)
      }
      guard lvs_sync_directory(folder) == 0 else { throw .system(lvs_errno(), path) }
      return path
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// A checked copy of the latest commit.
  func copy(
    to descriptor: Int32, _ path: String, _ allowsDamagedRecords: Bool
  ) throws(StoreError) -> StoreFile {
    var tries = 0
    while true {
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw .system(lvs_errno(), path)
      }
      var failure: StoreError?
      do { try environment.copy(to: descriptor) } catch { failure = StoreError(error) }
      tries += 1
      if failure == nil {
        let copied = try StoreFile(path, keeping: false)
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

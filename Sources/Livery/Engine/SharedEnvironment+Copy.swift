import CSystem
import LMDB

extension SharedEnvironment {
  private static let mostTries = 20

  /// A backup in the store's own folder; its path.
  func keepBackup(
    _ reason: String, _ options: OpenOptions, allowsDamagedRecords: Bool
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
    let backups = BackupFolder(folder)
    return try backups.hold(isAlone: false, timeout: options.timeout) { () throws(StoreError) in
      let made = try copy(
        in: folder, mode: options.fileMode, directory.owner, allowsDamagedRecords: allowsDamagedRecords
      ) { copied in
        BackupFolder.name(copied.revision, copied.schemaVersion, .now, reason)
      }
      try backups.trim(reason, keeping: Int(options.backups))
      return made
    }
  }

  /// The folder of a file that is to become a backup, unless that is a file of a store.
  func folder(forBackup folder: String, _ name: String, _ path: String) throws(StoreError) -> Folder {
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
    let copied: StoreFile
    do throws(StoreError) {
      copied = try copy(to: work.descriptor, allowsDamagedRecords) { () throws(StoreError) in
        try StoreFile(work.name, in: folder, keeping: false)
      }
    } catch {
      guard error.code == .noSpace, error.systemError != 0 else { throw error }
      // What has no room is the copy, and not the store.
      throw StoreError(.noSpace, "\(folder.path) has no room for the copy", systemError: error.systemError)
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
      let opening = environment.timesReopened
      do { try environment.copy(to: descriptor) } catch { failure = StoreError(error) }
      tries += 1
      // The file has been replaced, or has outgrown the map.
      if failure != nil, environment.mayHaveBeenMended(since: opening), tries < Self.mostTries {
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

import CSystem
import LMDB

/// A store's directory on disk: opening it, and making a new one.
///
///     data.mdb      everything
///     data.mdb.new  the same while it is made
///     lock.mdb      LMDB's reader table and writer lock
///     livery.lock   the writer gate
///     livery.wake   the word that watchers sleep on, and what the data file was when it was last known to be sound
///     backups/      copies of the store
///     damaged/      data files that were found damaged and replaced by a copy
///
/// On a file system that nobody can write to a copy in memory takes its place; see `MemoryCopy`.
struct StoreDirectory {
  let path: String
  let options: Store.Options

  /// What opening a store gives.
  struct Opened {
    let directory: StoreDirectory
    let environment: Environment
    let databases: Databases
    let gate: WriterGate
    let wake: WakeWord
    let cache: SettingCache
    let commitNumber: CommitNumber
    let generation: UInt32
    var copy: MemoryCopy?
    /// Whether the whole file was looked at.
    let wasChecked: Bool
  }

  var dataFile: String { path + "/data.mdb" }
  var lockFile: String { path + "/lock.mdb" }

  func open() throws(StoreError) -> Opened {
    try checkDirectory()
    var options = options
    let path = try absolutePath()
    var facts = lvs_file_facts()
    if lvs_file_facts_of(path + "/data.mdb", &facts) == 0, facts.mode & 0o020 != 0 { options.sharesWithGroup = true }
    return try StoreDirectory(path: path, options: options).openHere()
  }

  /// The path that still leads here when the process has changed its working directory.
  private func absolutePath() throws(StoreError) -> String {
    guard let resolved = realpath(path, nil) else { throw .system(lvs_errno(), path) }
    defer { free(resolved) }
    return String(validatingCString: resolved) ?? path
  }

  private func openHere() throws(StoreError) -> Opened {
    try checkData()
    guard !lvs_is_link(dataFile) else {
      throw StoreError(.notAStore, "\(path): data.mdb is a symbolic link; link to the directory in its place")
    }
    lvs_allow_group(path, options.directoryMode)
    let gate: WriterGate
    do throws(StoreError) { gate = WriterGate(file: try file("livery.lock")) } catch {
      guard error.systemError == EROFS else { throw error }
      return try openReadOnlyMedium()
    }
    return try gate.whileOpening(timeout: options.effectiveTimeout) { () throws(StoreError) in
      let wake = try WakeWord(path: path + "/livery.wake", mode: options.fileMode)
      let wasChecked = try examine(gate, wake)
      try makeData()
      lvs_allow_group(dataFile, options.fileMode)
      if !gate.hasOthers { wake.clearRecent() }
      try gate.announce()
      let (cache, commitNumber) = try prepareLockFile()
      let environment: Environment
      do throws(StoreError) { environment = try openEnvironment() } catch {
        cache.retire()
        throw error
      }
      do throws(StoreError) {
        try restoreLength(environment)
        let databases = try openDatabases(environment)
        environment.clearDeadReaders()
        if wasChecked { wake.noteSound(dataFile) }
        try cache.start(environment, databases)
        return Opened(
          directory: self, environment: environment, databases: databases, gate: gate, wake: wake, cache: cache,
          commitNumber: commitNumber, generation: wake.generation, wasChecked: wasChecked)
      } catch {
        cache.retire()
        environment.close()
        throw error
      }
    }
  }

  /// The first process to open a store looks at the whole file before LMDB trusts it, unless it is noted to be sound.
  private func examine(_ gate: WriterGate, _ wake: WakeWord) throws(StoreError) -> Bool {
    guard try !hasData() || wake.isReplacing || (!gate.hasOthers && !wake.isNotedSound(dataFile)) else { return false }
    return try gate.alsoWriting(timeout: options.effectiveTimeout) { () throws(StoreError) in
      let others = gate.hasOthers
      return try Recovery(self, wake, CommitNumber.make(path: lockFile), hasOthers: others).examine()
    }
  }

  private func checkDirectory() throws(StoreError) {
    var facts = lvs_file_facts()
    if lvs_file_facts_of(path, &facts) != 0 {
      let code = lvs_errno()
      guard code == ENOENT else { throw .system(code, path) }
      guard options.create else {
        throw StoreError(.notFound, "\(path): there is no such directory", systemError: code)
      }
      guard mkdir(path, options.directoryMode) == 0 || lvs_errno() == EEXIST else {
        let code = lvs_errno()
        guard code != ENOENT else {
          throw StoreError(.notFound, "\(path): the directory that is to hold the store is missing", systemError: code)
        }
        throw .system(code, path)
      }
    } else if !facts.is_directory {
      throw StoreError(.notAStore, "\(path): a store is a directory, and this is a file")
    }
  }

  /// An error if there is no data file and none may be made.
  private func checkData() throws(StoreError) {
    guard try !hasData() else { return }
    // The file has gone, and a copy of it has not.
    if try !BackupFolder(store: path).entries().isEmpty { return }
    guard options.create else { throw StoreError(.notAStore, "\(path): the directory holds no store") }
    let foreign = lvs_count_foreign_entries(path)
    guard foreign >= 0 else { throw .system(lvs_errno(), path) }
    guard foreign == 0 else {
      throw StoreError(.notAStore, "\(path): the directory holds other files; a new store needs one that is empty")
    }
  }

  private func file(_ name: String) throws(StoreError) -> Int32 {
    let descriptor = lvs_make(path + "/" + name, 0, options.fileMode)
    guard descriptor >= 0 else { throw .system(lvs_errno(), "\(path)/\(name)") }
    return descriptor
  }

  /// LMDB only stretches the lock file, so that writing to its map would be SIGBUS on a full disk: give it real blocks.
  ///
  /// The cache looks into the lock file, too. This is when it can be opened for that: closing a descriptor of a file drops
  /// the locks that the process holds on it, LMDB's included.
  private func prepareLockFile() throws(StoreError) -> (SettingCache, CommitNumber) {
    let descriptor = try file("lock.mdb")
    defer { close(descriptor) }
    // Two lines of 64 bytes of header, and one for each reader.
    let size = UInt64(options.effectiveReaders) * 64 + 128
    guard lvs_reserve(descriptor, size) == 0 else { throw .system(lvs_errno(), "\(path)/lock.mdb") }
    let commitNumber = try CommitNumber.make(lockFile: descriptor)
    let wakeFile = lvs_open(path + "/livery.wake", O_RDONLY | O_NOFOLLOW, 0)
    defer { if wakeFile >= 0 { close(wakeFile) } }
    let cache = try SettingCache.make(
      bytes: options.effectiveCacheSize, lockFile: descriptor, wakeFile: wakeFile)
    return (cache, commitNumber)
  }

  /// - Parameter copy: the path of a data file that nobody else uses.
  func openEnvironment(ofCopy copy: String? = nil) throws(StoreError) -> Environment {
    var environmentOptions = Environment.Options()
    environmentOptions.isPrivateFile = copy != nil
    environmentOptions.mapSize = options.effectiveMapSize
    environmentOptions.maximumReaders = options.effectiveReaders
    environmentOptions.moveTimeout = UInt64(options.effectiveTimeout) * 1_000_000
    do { return try Environment(path: copy ?? path, options: environmentOptions) } catch {
      throw StoreError(error).prefixed("\(path): ")
    }
  }

  /// Reading a page behind the end of the file would be SIGBUS: a file that was cut short gets its length back. What is
  /// missing then reads as zeros, which neither a page nor a record is.
  private func restoreLength(_ environment: Environment) throws(StoreError) {
    let file = path + "/data.mdb"
    var facts = lvs_file_facts()
    guard lvs_file_facts_of(file, &facts) == 0 else { throw .system(lvs_errno(), file) }
    let required = environment.requiredFileSize
    guard facts.size < required else { return }
    // Pages at the end that are in use by nothing need not have been written, but those are few.
    guard required &- facts.size <= 1 << 20 else {
      throw StoreError(.corrupt, "\(path): the store's file is damaged: restore a backup")
    }
    let descriptor = lvs_open(file, O_RDWR, 0)
    guard descriptor >= 0 else { throw .system(lvs_errno(), file) }
    defer { close(descriptor) }
    guard lvs_reserve(descriptor, required) == 0 else { throw .system(lvs_errno(), file) }
  }

  func openDatabases(_ environment: Environment) throws(StoreError) -> Databases {
    let found = try environment.openDatabases { (transaction) throws(StoreError) -> Databases? in
      do throws(LMDBError) { return try Databases(transaction, create: false) } catch { throw StoreError(error) }
    }
    if let found {
      try environment.read { (transaction) throws(StoreError) in
        try checkFormat(View(transaction: transaction, databases: found))
      }
      return found
    }
    return try environment.write { (transaction) throws(StoreError) in try complete(transaction) }
  }

  private func checkFormat(_ view: View) throws(StoreError) {
    guard let format = try view.format() else {
      throw StoreError(.notAStore, "\(path): data.mdb is an LMDB file, but no Livery store")
    }
    guard format <= View.format else {
      throw StoreError(
        .formatNewer,
        "\(path): the store has format \(format), and this library knows formats up to \(View.format): upgrade it")
    }
  }

  /// Makes what a store that an older version has made lacks.
  private func complete(_ transaction: Transaction) throws(StoreError) -> Environment.Outcome<Databases> {
    let made: Databases?
    do { made = try Databases(transaction, create: false, completes: true) } catch { throw StoreError(error) }
    guard let databases = made else {
      throw StoreError(.notAStore, "\(path): data.mdb is an LMDB file, but no Livery store")
    }
    try checkFormat(View(transaction: transaction, databases: databases))
    return .commit(databases)
  }
}

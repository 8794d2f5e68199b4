import CSystem
import LMDB

/// A store's directory on disk: opening it, and making a new one.
///
///     data.mdb      everything
///     data.mdb.new  the same while it is made
///     lock.mdb      LMDB's reader table and writer lock
///     livery.lock   the writer gate
///     livery.wake   the word that watchers sleep on
///     backups/      copies of the store
struct StoreDirectory {
  let path: String
  let options: Store.Options

  func open(
    _ finish: (Environment, Databases, WriterGate, WakeWord, SettingCache) -> SharedEnvironment?
  ) throws(StoreError) -> SharedEnvironment {
    try checkDirectory()
    try checkData()
    let gate = WriterGate(file: try file("livery.lock"))
    return try gate.whileOpening(timeout: options.effectiveTimeout) { () throws(StoreError) in
      try makeData()
      let cache = try prepareLockFile()
      let environment: Environment
      do throws(StoreError) { environment = try openEnvironment() } catch {
        cache.retire()
        throw error
      }
      do throws(StoreError) {
        try restoreLength(environment)
        let databases = try openDatabases(environment)
        environment.clearDeadReaders()
        let wake = try WakeWord(path: path + "/livery.wake")
        try cache.start(environment)
        guard let shared = finish(environment, databases, gate, wake, cache) else {
          throw StoreError(.notFound, "\(path): the directory has gone")
        }
        return shared
      } catch {
        cache.retire()
        environment.close()
        throw error
      }
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
      guard mkdir(path, 0o700) == 0 || lvs_errno() == EEXIST else {
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
    guard options.create else { throw StoreError(.notAStore, "\(path): the directory holds no store") }
    let foreign = lvs_count_foreign_entries(path)
    guard foreign >= 0 else { throw .system(lvs_errno(), path) }
    guard foreign == 0 else {
      throw StoreError(.notAStore, "\(path): the directory holds other files; a new store needs one that is empty")
    }
  }

  private func file(_ name: String) throws(StoreError) -> Int32 {
    let descriptor = lvs_open(path + "/" + name, O_RDWR | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw .system(lvs_errno(), "\(path)/\(name)") }
    return descriptor
  }

  /// LMDB only stretches the lock file, so that writing to its map would be SIGBUS on a full disk: give it real blocks.
  ///
  /// The cache looks into the lock file, too. This is when it can be opened for that: closing a descriptor of a file drops
  /// the locks that the process holds on it, LMDB's included.
  private func prepareLockFile() throws(StoreError) -> SettingCache {
    let descriptor = try file("lock.mdb")
    defer { close(descriptor) }
    // Two lines of 64 bytes of header, and one for each reader.
    let size = UInt64(options.effectiveReaders) * 64 + 128
    guard lvs_reserve(descriptor, size) == 0 else { throw .system(lvs_errno(), "\(path)/lock.mdb") }
    return try SettingCache.make(bytes: options.effectiveCacheSize, lockFile: descriptor)
  }

  private func openEnvironment() throws(StoreError) -> Environment {
    var environmentOptions = Environment.Options()
    environmentOptions.mapSize = options.effectiveMapSize
    environmentOptions.maximumReaders = options.effectiveReaders
    environmentOptions.moveTimeout = UInt64(options.effectiveTimeout) * 1_000_000
    do { return try Environment(path: path, options: environmentOptions) } catch {
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

  private func openDatabases(_ environment: Environment) throws(StoreError) -> Databases {
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

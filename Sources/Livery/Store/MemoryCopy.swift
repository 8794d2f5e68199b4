import CSystem
import LMDB

/// The data file of a store on a file system that nobody can write to, copied to memory.
///
/// No lock can be had there, and without one LMDB must not read a file that is written to again one day, when the file
/// system is mounted anew. So its readers have a copy: of what was there when the first of them opened the store.
final class MemoryCopy: @unchecked Sendable {
  private let descriptor: Int32
  /// Of the store's directory.
  private let directory: String
  /// Of the data file; nil if there is none.
  private let original: Facts?

  private struct Facts: Equatable {
    let device, inode, size: UInt64
    let changed: Int64

    init?(_ path: String) {
      var facts = lvs_file_facts()
      guard lvs_file_facts_of(path, &facts) == 0 else { return nil }
      device = facts.device
      inode = facts.inode
      size = facts.size
      changed = facts.changed_ns
    }
  }

  private init(_ descriptor: Int32, _ directory: String, _ original: Facts?) {
    self.descriptor = descriptor
    self.directory = directory
    self.original = original
  }

  deinit {
    close(descriptor)
  }

  /// Copies a file of a store.
  static func make(of path: String, in directory: String) throws(StoreError) -> MemoryCopy {
    let source = lvs_open(path, O_RDONLY | O_NOFOLLOW, 0)
    guard source >= 0 else { throw .system(lvs_errno(), path) }
    defer { close(source) }
    let descriptor = lvs_make_in_memory()
    guard descriptor >= 0 else { throw .system(lvs_errno(), "a copy of \(path) in memory") }
    guard lvs_copy(source, descriptor) == 0 else {
      let code = lvs_errno()
      close(descriptor)
      throw .system(code, "copying \(path) to memory")
    }
    return MemoryCopy(descriptor, directory, Facts(directory + "/data.mdb"))
  }

  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Whether the store can be written to by now, or was since.
  var isOutdated: Bool { !lvs_is_read_only(directory) || Facts(directory + "/data.mdb") != original }
}

extension StoreDirectory {
  /// Fails unless it is a handle for reading alone that is to be opened.
  func requireReadOnly() throws(StoreError) {
    guard options.readOnly else {
      throw StoreError(
        .permission, "\(path): the file system is read-only: open the store read-only", systemError: EROFS)
    }
  }

  /// Opens a store whose files cannot be opened for writing since the file system is read-only.
  func openReadOnlyMedium() throws(StoreError) -> Opened {
    guard lvs_is_read_only(path) else {
      throw StoreError(
        .permission,
        "\(path): mounted read-only here, while others may write to it: readers too need write access to lock.mdb, "
          + "livery.lock and livery.wake",
        systemError: EROFS)
    }
    try requireReadOnly()
    return try openCopy()
  }

  func openCopy() throws(StoreError) -> Opened {
    let copy = try soundCopy()
    let environment = try openEnvironment(ofCopy: copy.path)
    do throws(StoreError) {
      let databases = try openDatabases(environment)
      let lockFile = try inMemory()
      defer { close(lockFile) }
      guard lvs_commit_write(lockFile, environment.information().lastTransaction) == 0 else {
        throw .system(lvs_errno(), "memory for reading")
      }
      let wake = try WakeWord()
      let gate = WriterGate(file: try inMemory())
      let commitNumber = try CommitNumber.make(lockFile: lockFile)
      let cache = try SettingCache.make(bytes: options.effectiveCacheSize, lockFile: lockFile, wakeFile: -1)
      do throws(StoreError) { try cache.start(environment, databases) } catch {
        cache.retire()
        throw error
      }
      return Opened(
        directory: self, environment: environment, databases: databases, gate: gate, wake: wake, cache: cache,
        commitNumber: commitNumber, generation: wake.generation, copy: copy, wasChecked: false)
    } catch {
      environment.close()
      throw error
    }
  }

  private func inMemory() throws(StoreError) -> Int32 {
    let descriptor = lvs_make_in_memory()
    guard descriptor >= 0 else { throw .system(lvs_errno(), "memory for reading") }
    return descriptor
  }

  /// A copy of the data file, or of the latest backup that is sound if the data file is not.
  private func soundCopy() throws(StoreError) -> MemoryCopy {
    let cause: StoreError
    do throws(StoreError) {
      guard try hasData() else { throw StoreError(.notAStore, "\(path): data.mdb is missing or empty") }
      let file = try StoreFile(dataFile, keeping: true)
      // Records that are damaged for themselves alone are told when they are read.
      if file.isGravelyDamaged { try file.requireWhole(dataFile) }
      if let damage = file.damage { Log.write(.error, "\(path): \(damage)") }
      return try MemoryCopy.make(of: dataFile, in: path)
    } catch {
      guard error.code == .corrupt || error.code == .notAStore else { throw error }
      cause = error
    }
    guard !options.noRecovery, let last = try BackupFolder(store: path).lastGood() else { throw cause }
    Log.write(
      .error,
      "\(cause.message); the file system is read-only: read is \(last.path) of revision \(last.file.revision)")
    return try MemoryCopy.make(of: last.path, in: path)
  }
}

import CSystem
import LMDB

/// The data file of a store on a file system that nobody can write to, copied to memory.
///
/// No lock can be had there, and without one LMDB must not read a file that is written to again one day, when the file
/// system is mounted anew. So its readers have a copy: of what was there when the first of them opened the store.
final class MemoryCopy: @unchecked Sendable {
  let file: MemoryFile
  /// The file that was copied, held so that no other medium can take the place of its own.
  private let original: Int32
  private let directory: StoreDirectory
  /// What the data file was when it was copied; nil if there was none.
  private let state: FileState?

  private init(_ file: MemoryFile, _ original: Int32, _ directory: StoreDirectory, _ state: FileState?) {
    self.file = file
    self.original = original
    self.directory = directory
    self.state = state
  }

  deinit {
    close(original)
  }

  /// Copies a file of a store.
  ///
  /// - Throws: `.busy` if the data file is written to all the time.
  static func make(
    of name: String, in folder: Folder, _ directory: StoreDirectory
  ) throws(StoreError) -> MemoryCopy {
    // A file system that is read-only may become another one meanwhile, or show what others write to.
    try FileState.whileUnchanged(directory.folder) { () throws(StoreError) in try copied(name, folder, directory) }
  }

  private static func copied(
    _ name: String, _ folder: Folder, _ directory: StoreDirectory
  ) throws(StoreError) -> MemoryCopy {
    let state = FileState(directory.folder)
    let file = try MemoryFile.make()
    let source = try folder.open(name)
    guard lvs_copy(source, file.descriptor) == 0 else {
      let code = lvs_errno()
      close(source)
      throw .system(code, "copying \(folder.shown(name)) to memory")
    }
    return MemoryCopy(file, source, directory, state)
  }

  var path: String { file.path }

  /// Whether the store can be written to by now, or is another one.
  var isOutdated: Bool { directory.isOnReadOnlyFileSystem == false || FileState(directory.folder) != state }
}

/// By what it shows that a data file has changed.
struct FileState: Equatable {
  private let device, inode, size: UInt64
  private let changed: Int64
  /// A writer may be quicker than the clock of files.
  private let transaction: UInt64

  /// nil if there is no file, or one that cannot be read.
  init?(_ folder: Folder) {
    var facts = lvs_file_facts()
    guard let descriptor = try? folder.open(StoreDirectory.data) else { return nil }
    guard lvs_file_facts_at(descriptor, &facts) == 0 else {
      close(descriptor)
      return nil
    }
    guard let file = try? PageFile.of(descriptor) else { return nil }
    device = facts.device
    inode = facts.inode
    size = facts.size
    changed = facts.changed_ns
    transaction = file.lastTransaction
  }

  /// Runs `body`, which reads a file that cannot be locked, until nobody has written to it meanwhile.
  static func whileUnchanged<R>(
    _ folder: Folder, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    for _ in 0..<100 {
      let before = FileState(folder)
      let result: Result<R, StoreError>
      do throws(StoreError) { result = .success(try body()) } catch { result = .failure(error) }
      if FileState(folder) == before { return try result.get() }
      lvs_sleep_us(10_000)
    }
    throw StoreError(.busy, "\(folder.shown(StoreDirectory.data)): written to while it was read")
  }
}

extension StoreDirectory {
  /// Whether the files of the store are on a file system that nobody can write to; nil if that cannot be told.
  var isOnReadOnlyFileSystem: Bool? {
    let isReadOnly = lvs_is_read_only(folder.route())
    guard isReadOnly > 0 else { return isReadOnly < 0 ? nil : false }
    // It may be mounted for itself.
    let file = lvs_is_read_only(folder.route(Self.data))
    return file < 0 ? (lvs_errno() == ENOENT ? true : nil) : file > 0
  }

  /// Fails unless it is a handle for reading alone that is to be opened.
  func requireReadOnly() throws(StoreError) { try Self.requireReadOnly(path, options) }

  static func requireReadOnly(_ path: String, _ options: OpenOptions) throws(StoreError) {
    guard options.readOnly else {
      throw StoreError(
        .permission, "\(path): the file system is read-only, so that the store can be opened for reading alone",
        systemError: EROFS)
    }
  }

  /// Opens a store whose files cannot be opened for writing since the file system is read-only.
  func openReadOnlyMedium() throws(StoreError) -> Opened {
    guard let isReadOnly = isOnReadOnlyFileSystem else {
      let code = lvs_errno()
      guard code != EMFILE, code != ENFILE else { throw .system(code, path) }
      throw StoreError(
        .permission, "\(path): the file system is read-only, and /proc does not tell whether it is so for everybody",
        systemError: EROFS)
    }
    guard isReadOnly else {
      throw StoreError(
        .permission,
        "\(path): mounted read-only here, while others may write to it: readers too need write access to lock.mdb, "
          + "livery.lock and livery.wake",
        systemError: EROFS)
    }
    if try !hasData(), try BackupFolder(of: folder).entries().isEmpty { throw .system(EROFS, path) }
    try requireReadOnly()
    return try openCopy()
  }

  func openCopy() throws(StoreError) -> Opened {
    let copy = try soundCopy()
    let environment = try openEnvironment(ofCopy: copy.file)
    do throws(StoreError) {
      let databases = try openDatabases(environment)
      let lockFile = try MemoryFile.make()
      let lockPage: LockPage
      do throws(LMDBError) {
        try LockPage.write(environment.information().lastTransaction, to: lockFile.descriptor)
        lockPage = try LockPage.make(lockFile.descriptor)
      } catch { throw .system(error.code, "memory for reading") }
      let wake = try WakeWord()
      let gate = WriterGate(file: try ByteLocks.make(MemoryFile.make().openAgain(), "memory for reading"))
      let cache = try SettingCache.make(bytes: options.cacheSize, lockFile: lockFile.descriptor, wakeFile: -1)
      do throws(StoreError) { try cache.start(environment, databases, lockPage) } catch {
        cache.retire()
        throw error
      }
      return Opened(
        directory: self, environment: environment, databases: databases, gate: gate, wake: wake, cache: cache,
        lockPage: lockPage, generation: wake.generation, copy: copy, wasChecked: false)
    } catch {
      environment.close()
      throw error
    }
  }

  /// A copy of the data file, or of the latest backup that is sound if the data file is not.
  private func soundCopy() throws(StoreError) -> MemoryCopy {
    do throws(StoreError) { return try copyOfData() } catch {
      guard error.code == .corrupt || error.code == .notAStore, !options.noRecovery,
        let last = try BackupFolder(of: folder).lastGood()
      else { throw error }
      Log.keep(
        .error,
        "\(error.message); the file system is read-only: read is \(last.path) of revision \(last.file.revision)")
      return try MemoryCopy.make(of: last.name, in: last.folder, self)
    }
  }

  private func copyOfData() throws(StoreError) -> MemoryCopy {
    guard try hasData() else { throw StoreError(.notAStore, "\(path): data.mdb is missing or empty") }
    let copy = try MemoryCopy.make(of: Self.data, in: folder, self)
    if try StoreFile(copy.path, keeping: false, as: dataFile).isWhole { return copy }
    let file = try StoreFile(copy.path, keeping: true, as: dataFile)
    if file.hidesCommit {
      // If it is not whole nothing is hidden: that was a commit that failed.
      let hidden = try MemoryCopy.make(of: Self.data, in: folder, self)
      do throws(LMDBError) { try PageFile.promoteFormer(hidden.path, isLink: true) } catch { return copy }
      return try StoreFile(hidden.path, keeping: false, as: dataFile).isWhole ? hidden : copy
    }
    // Records that are damaged for themselves alone are told when they are read, unless a backup has them.
    if !file.isGravelyDamaged {
      let last = try options.noRecovery ? nil : BackupFolder(of: folder).lastGood()
      if last?.file.revision != file.revision {
        Log.keep(.error, "\(path): \(file.damage ?? "")")
        return copy
      }
    }
    throw StoreError(.corrupt, "\(dataFile) is damaged: \(file.damage ?? "")")
  }
}

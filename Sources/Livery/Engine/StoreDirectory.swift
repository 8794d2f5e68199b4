import CSystem
import CWake
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
/// On a file system that nobody can write to a copy in memory takes its place; see `MemoryCopy`. A store that is in memory
/// alone has no directory, and its files have no names; see `MemoryStore`.
struct StoreDirectory {
  static let data = "data.mdb"
  static let lock = "lock.mdb"
  static let gate = "livery.lock"
  static let wake = "livery.wake"
  private static let mostTries = 5

  let folder: Folder
  let options: OpenOptions
  /// Whose the files are, and are to stay.
  let owner: lvs_owner

  /// - Parameter data: what is called `data.mdb` in the folder; nil for nothing.
  init(_ folder: Folder, _ options: OpenOptions, _ data: lvs_file_facts?) throws(StoreError) {
    var options = options
    var owner = lvs_owner()
    var facts = lvs_file_facts()
    if let found = data, found.is_regular {
      if found.mode & 0o020 != 0 { options.sharesWithGroup = true }
      facts = found
    } else {
      // What is left of a store tells whether it was its group's.
      for name in [Self.gate, Self.wake, Self.lock, BackupFolder.name] {
        guard let left = try folder.facts(name), left.is_regular || left.is_directory, left.mode & 0o020 != 0 else {
          continue
        }
        options.sharesWithGroup = true
      }
      _ = lvs_file_facts_at(folder.descriptor, &facts)
    }
    owner.user = facts.user
    owner.group = facts.group
    owner.is_shared = options.sharesWithGroup
    self.folder = folder
    self.options = options
    self.owner = owner
  }

  /// What opening a store gives.
  struct Opened {
    let directory: StoreDirectory
    let environment: Environment
    let databases: Databases
    let gate: WriterGate
    let wake: WakeWord
    let cache: SettingCache
    let lockPage: LockPage
    let generation: UInt32
    /// nil for what is in memory.
    var place: StorePlace?
    var copy: MemoryCopy?
    var memory: MemoryStore?
    /// Whether the whole file was looked at.
    let wasChecked: Bool

    /// Gives up what was opened.
    func close() {
      cache.retire()
      environment.close()
      place?.close()
      gate.close()
    }
  }

  var path: String { folder.path }
  var dataFile: String { folder.shown(Self.data) }

  /// Opens the store that a path leads to, also while others exchange it.
  static func open(_ path: String, _ options: OpenOptions) throws(StoreError) -> Opened {
    for _ in 0..<mostTries {
      try checkDirectory(path, options)
      let folder = try Folder.open(path)
      do throws(StoreError) {
        let data = try folder.facts(Self.data)
        let opened = try StoreDirectory(folder, options, data).open(data)
        if folder.isInPlace { return opened }
        opened.close()
      } catch {
        if folder.isInPlace { throw error }
      }
    }
    throw StoreError(.gone, "\(path): the directory was moved or exchanged while it was opened")
  }

  private func open(_ data: lvs_file_facts?) throws(StoreError) -> Opened {
    if try !holdsData(data) { try checkForNew() }
    lvs_let_group_in(folder.descriptor, options.directoryMode)
    let locks: ByteLocks
    do throws(StoreError) { locks = try ByteLocks.make(file(Self.gate), folder.shown(Self.gate)) } catch {
      guard error.systemError == EROFS else { throw error }
      return try openReadOnlyMedium()
    }
    let wake = try WakeWord(file(Self.wake), folder.shown(Self.wake))
    let gate = WriterGate(file: locks, wake: wake)
    do throws(StoreError) {
      return try gate.whileOpening(timeout: options.timeout) { () throws(StoreError) in
        try open(gate, wake)
      }
    } catch {
      gate.close()
      throw error
    }
  }

  private func open(_ gate: WriterGate, _ wake: WakeWord) throws(StoreError) -> Opened {
    var use: ByteLocks?
    defer { use?.close() }
    if gate.hasOthers {
      try checkOthers(gate, wake)
    } else {
      use = try beFirst(gate, wake)
    }
    let wasChecked = try examine(gate, wake)
    try makeData()
    if options.sharesWithGroup, let data = try folder.find(Self.data)?.descriptor {
      lvs_let_group_in(data, options.fileMode)
      close(data)
    }
    if !gate.hasOthers { wake.clearRecent() }
    try gate.announce()
    let (lockFile, cache) = try prepareLockFile(gate, wake)
    let environment: Environment
    do throws(StoreError) { environment = try openEnvironment(lockFile) } catch {
      cache.retire()
      throw error
    }
    do throws(StoreError) {
      try restoreLength(environment)
      let databases = try openDatabases(environment)
      let place = try StorePlace.make(
        folder, environment, lockFile: FileIdentity(device: lockFile.device, inode: lockFile.inode),
        gate: gate.identity, wake: wake.identity)
      try place.check()
      environment.clearDeadReaders()
      wake.noteOpen(place.data)
      if wasChecked { wake.noteSound(Self.data, in: folder) }
      try cache.start(environment, databases, lockFile.page)
      return Opened(
        directory: self, environment: environment, databases: databases, gate: gate, wake: wake, cache: cache,
        lockPage: lockFile.page, generation: wake.generation, place: place, wasChecked: wasChecked)
    } catch {
      cache.retire()
      environment.close()
      throw error
    }
  }

  /// What must be so when other processes have the store open.
  private func checkOthers(_ gate: WriterGate, _ wake: WakeWord) throws(StoreError) {
    guard !gate.isOpenElsewhere else {
      throw StoreError(
        .duplicate,
        "\(path): another copy of liblivery in this process has the store open, as when it is linked statically and loaded "
          + "as well: use one copy, or close the store there first")
    }
    // Another version of the library has the store open, and shares the page in another way.
    if !wake.isKnown { try wake.part() }
    let facts = try folder.facts(Self.data)
    if let facts, !wake.isReplacing, wake.isOther(FileIdentity(facts)) {
      throw StoreError(
        .gone,
        "\(path): data.mdb was exchanged while other processes have the store open: close it in all of them first")
    }
    // A copy may take its place; a new one would not be what they have open.
    if try !holdsData(facts), try BackupFolder(of: folder).entries().isEmpty {
      throw StoreError(
        .gone, "\(path): data.mdb was deleted while other processes have the store open: close it in all of them first")
    }
  }

  /// What the only process that opens the store sees to. Until it has opened the data file, what is returned says so.
  private func beFirst(_ gate: WriterGate, _ wake: WakeWord) throws(StoreError) -> ByteLocks? {
    // A process that is ending gives up its files one after the other.
    var tries = 0
    var found = try StorePlace.reserve(folder)
    while !found.isFree, tries < 200 {
      tries += 1
      lvs_sleep_us(5000)
      found = try StorePlace.reserve(folder)
    }
    // Of two that go by different lock files the one whose file has gone finds that here: it came before the other's.
    guard found.isFree, try folder.facts(Self.gate).map({ FileIdentity($0) }) == gate.identity else {
      throw StoreError(
        .gone,
        "\(path): other processes have the store open, and its lock files were deleted or exchanged: close it in all of "
          + "them first")
    }
    wake.reset()
    // Where nobody may look nobody need tidy.
    (try? BackupFolder(of: folder))?.removeUnfinished()
    guard let damaged = try? folder.folder(BackupFolder.damagedName) else { return found.use }
    for name in Recovery.workFiles { damaged.remove(name) }
    return found.use
  }

  /// The first process to open a store looks at the whole file before LMDB trusts it, unless it is noted to be sound.
  private func examine(_ gate: WriterGate, _ wake: WakeWord) throws(StoreError) -> Bool {
    let isNoted = wake.isNotedSound(Self.data, in: folder)
    guard try !hasData() || wake.isReplacing || (!gate.hasOthers && !isNoted) else { return false }
    return try gate.alsoWriting(timeout: options.timeout) { () throws(StoreError) in
      let others = gate.hasOthers
      return try Recovery(self, wake, LockPage.make(in: folder), hasOthers: others).examine()
    }
  }

  private static func checkDirectory(_ path: String, _ options: OpenOptions) throws(StoreError) {
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

  /// An error if no data file may be made where there is none.
  private func checkForNew() throws(StoreError) {
    // The file has gone, and a copy of it has not.
    if try !BackupFolder(of: folder).entries().isEmpty { return }
    guard options.create else { throw StoreError(.notAStore, "\(path): the directory holds no store") }
    let foreign = lvs_count_foreign_entries(folder.descriptor)
    guard foreign >= 0 else { throw .system(lvs_errno(), path) }
    guard foreign == 0 else {
      throw StoreError(.notAStore, "\(path): the directory holds other files; a new store needs one that is empty")
    }
  }

  /// A file that all processes on the store share.
  private func file(_ name: String) throws(StoreError) -> OpenFile {
    let file = try folder.make(name, mode: options.fileMode, owner)
    guard !isForeign(file, name) else {
      close(file.descriptor)
      throw StoreError(.notAStore, "\(folder.shown(name)) is a second name of another file, which would be written to")
    }
    return file
  }

  /// Whether a file is one that somebody has given a second name there: it holds what is neither nothing nor its own.
  private func isForeign(_ file: OpenFile, _ name: String) -> Bool {
    guard file.facts.names > 1, file.facts.size > 0 else { return false }
    if name.sameBytes(as: Self.lock), LockPage.begins(file.descriptor) { return false }
    return !(name.sameBytes(as: Self.wake) && lvs_wake_is_in(file.descriptor))
  }

  /// LMDB only stretches the lock file, so that writing to its map would be SIGBUS on a full disk: give it real blocks.
  ///
  /// The first process decides how many readers there may be. A file that grew while others have it open would let this
  /// process have readers that those do not see.
  private func prepareLockFile(
    _ gate: WriterGate, _ wake: WakeWord
  ) throws(StoreError) -> (LockFile, SettingCache) {
    let file = try file(Self.lock)
    defer { close(file.descriptor) }
    let size = lockFileSize
    let isFirst = !gate.hasOthers
    if isFirst, file.facts.size > size, ftruncate(file.descriptor, off_t(size)) != 0 {
      throw .system(lvs_errno(), folder.shown(Self.lock))
    }
    guard isFirst || file.facts.size >= LockPage.fileSize(readers: 1) else {
      throw StoreError(.gone, "\(path): lock.mdb was exchanged while other processes have the store open")
    }
    let wakeFile = wake.isShared ? try folder.open(Self.wake) : -1
    defer { if wakeFile >= 0 { close(wakeFile) } }
    return try prepareLockFile(
      file.descriptor, locked: folder.open(Self.lock, O_RDWR), wakeFile: wakeFile, shown: folder.shown(Self.lock),
      bytes: isFirst ? size : file.facts.size)
  }

  var lockFileSize: UInt64 { LockPage.fileSize(readers: options.maximumReaders) }

  /// - Parameter locked: another descriptor of the lock file, open by itself; it is taken over.
  func prepareLockFile(
    _ descriptor: Int32, locked: Int32, wakeFile: Int32, shown: @autoclosure () -> String, bytes: UInt64
  ) throws(StoreError) -> (LockFile, SettingCache) {
    let lockFile: LockFile
    guard lvs_reserve(descriptor, bytes) == 0 else {
      let code = lvs_errno()
      close(locked)
      throw .system(code, shown())
    }
    do { lockFile = try LockFile.make(locked, mapped: descriptor) } catch { throw StoreError(error) }
    let cache = try SettingCache.make(bytes: options.cacheSize, lockFile: descriptor, wakeFile: wakeFile)
    return (lockFile, cache)
  }

  /// The environment of the directory, or of files in memory.
  ///
  /// - Parameter copy: a file that nobody writes to.
  func openEnvironment(
    _ lockFile: LockFile? = nil, ofCopy copy: MemoryFile? = nil, inMemory memory: MemoryStore? = nil
  ) throws(StoreError) -> Environment {
    var environmentOptions = Environment.Options()
    environmentOptions.isPrivateFile = copy != nil
    environmentOptions.mapSize = options.mapSize
    environmentOptions.maximumReaders = options.maximumReaders
    environmentOptions.moveTimeout = UInt64(options.timeout) * 1_000_000
    environmentOptions.fileMode = options.fileMode
    environmentOptions.lockFile = lockFile
    environmentOptions.folder = memory?.data.descriptor ?? folder.descriptor
    if let memory { environmentOptions.unnamed = (memory.data.descriptor, memory.lock.descriptor) }
    let route = memory == nil ? copy?.path ?? folder.route() : ""
    do { return try Environment(path: route, options: environmentOptions) } catch {
      throw StoreError(error).prefixed("\(path): ")
    }
  }

  /// Reading a page behind the end of the file would be SIGBUS: a file that was cut short gets its length back. What is
  /// missing then reads as zeros, which neither a page nor a record is.
  private func restoreLength(_ environment: Environment) throws(StoreError) {
    guard let facts = try folder.facts(Self.data) else { throw .system(ENOENT, dataFile) }
    let required = environment.requiredFileSize
    guard facts.size < required else { return }
    // Pages at the end that are in use by nothing need not have been written, but those are few.
    guard required &- facts.size <= 1 << 20 else {
      throw StoreError(.corrupt, "\(path): the store's file is damaged: restore a backup")
    }
    let descriptor = try folder.open(Self.data, O_RDWR)
    defer { close(descriptor) }
    guard lvs_reserve(descriptor, required) == 0 else { throw .system(lvs_errno(), dataFile) }
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

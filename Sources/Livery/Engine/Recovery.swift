import CSystem
import LMDB

/// Looks at a store's file before LMDB trusts it, and replaces one that is damaged by the last good copy.
///
/// To be used by the only process that opens the store and that writes to it.
struct Recovery {
  let directory: StoreDirectory
  let wake: WakeWord
  /// nil if there is no lock file.
  let lockPage: LockPage?
  let hasOthers: Bool
  private static let mostDamagedFiles = 3
  private typealias Copy = BackupFolder.Copy

  private static let workName = "recovering.mdb"
  private static let hiddenName = "hidden.mdb"
  /// What a process that died may leave in the folder of damaged files.
  static let workFiles = [workName, hiddenName]

  init(_ directory: StoreDirectory, _ wake: WakeWord, _ lockPage: LockPage?, hasOthers: Bool) {
    self.directory = directory
    self.wake = wake
    self.lockPage = lockPage
    self.hasOthers = hasOthers
  }

  private var store: Folder { directory.folder }

  private func damagedFolder() throws(StoreError) -> Folder {
    try store.makeFolder(BackupFolder.damagedName, directory.options.directoryMode, directory.owner)
  }

  /// Looks at the whole file. False if there is none yet.
  ///
  /// - Throws: `.corrupt` if it is damaged and there is no copy, or the options refuse it.
  func examine() throws(StoreError) -> Bool {
    if wake.isReplacing { finishReplacing() }
    let isThere = try directory.hasData()
    var damaged: StoreFile?
    var isGrave = true
    let damage: String
    if isThere {
      do throws(StoreError) {
        var file = try StoreFile(StoreDirectory.data, in: store, keeping: false)
        if file.isWhole { return true }
        file = try StoreFile(StoreDirectory.data, in: store, keeping: true)
        damage = file.damage ?? ""
        damaged = file
        isGrave = file.isGravelyDamaged
      } catch {
        guard error.code == .corrupt || error.code == .notAStore else { throw error }
        damage = error.message
      }
    } else {
      damage = "data.mdb is missing or empty"
    }
    defer { if let hidden = try? store.folder(BackupFolder.damagedName) { hidden.remove(Self.hiddenName) } }
    let last: Copy?
    if let damaged, damaged.hidesCommit {
      // If it is not whole nothing is hidden: that was a commit that failed.
      guard let hidden = hiddenCommit() else { return true }
      last = hidden
    } else {
      last = try BackupFolder(of: store).lastGood(of: damaged?.identifier ?? [])
    }
    // Records that do not verify are damaged for themselves alone: nothing else is given up for them.
    if !isGrave, last?.file.revision != damaged?.revision || directory.options.noRecovery {
      Log.keep(.error, "\(directory.path): \(damage)")
      return true
    }
    guard let last else {
      // Records that are damaged are told when they are read; and what is no store, by opening it.
      guard let damaged, !damaged.file.damages.isEmpty || damaged.lacksFacts else { return isThere }
      throw StoreError(
        .corrupt, "\(directory.path): the store's file is damaged (\(damage)), and there is no copy of it")
    }
    guard !directory.options.noRecovery else {
      throw StoreError(.corrupt, "\(directory.path): the store's file is damaged (\(damage)): restore a backup")
    }
    try replace(by: last, damaged, damage)
    return true
  }

  /// The data file as it is with the commit that it hides, if that is whole.
  private func hiddenCommit() -> Copy? {
    do throws(StoreError) {
      let folder = try damagedFolder()
      folder.remove(Self.hiddenName)
      try duplicate(StoreDirectory.data, store, Self.hiddenName, folder)
      do throws(LMDBError) { try PageFile.promoteFormer(folder.route(Self.hiddenName)) } catch { return nil }
      let file = try StoreFile(Self.hiddenName, in: folder, keeping: false)
      return file.isWhole ? Copy(name: Self.hiddenName, folder: folder, file: file) : nil
    } catch { return nil }
  }

  private func duplicate(
    _ name: String, _ folder: Folder, _ fresh: String, _ other: Folder
  ) throws(StoreError) {
    let source = try folder.open(name)
    defer { close(source) }
    let target = try other.make(
      fresh, flags: O_EXCL, mode: try dataMode(), directory.owner, isLoose: false
    ).descriptor
    let isCopied = lvs_copy(source, target) == 0 && fsync(target) == 0
    let code = lvs_errno()
    close(target)
    guard isCopied else { throw .system(code, other.shown(fresh)) }
  }

  /// The mode that the data file has, and its successor is to have.
  private func dataMode() throws(StoreError) -> UInt32 {
    guard let facts = try store.facts(StoreDirectory.data), facts.is_regular else { return directory.options.fileMode }
    return facts.mode & 0o777 | directory.options.fileMode
  }

  private func replace(
    by copy: Copy, _ damaged: StoreFile?, _ damage: String
  ) throws(StoreError) {
    let folder = try damagedFolder()
    folder.remove(Self.workName)
    defer { folder.remove(Self.workName) }
    let now = Timestamp.now
    let name = BackupFolder.name(damaged?.revision ?? 0, damaged?.schemaVersion ?? 0, now, "damaged")
    let kept = try store.facts(StoreDirectory.data) == nil ? nil : folder.shown(name)
    let last = lastRevision(max(damaged?.revision ?? 0, copy.file.revision))
    var members: [Value.Member] = [.init("time", .date(now)), .init("damage", .string(damage))]
    if let kept { members.append(.init("damagedFile", .string(kept))) }
    members += [
      .init("copy", .string(copy.path)), .init("copyRevision", .int(Int64(clamping: copy.file.revision))),
      .init("lastRevision", .int(Int64(clamping: last))), .init("revision", .int(Int64(clamping: last &+ 1))),
    ]
    do throws(StoreError) { try prepare(copy, folder, revision: last &+ 1, .object(members), now) } catch {
      guard error.systemError == EPERM else { throw error }
      throw StoreError(
        .permission,
        "\(directory.path): the store's file is damaged (\(damage)), and its copy would come to belong to another user "
          + "than \(directory.owner.user), whose it is: open it once as that user or as root", systemError: EPERM)
    }

    try install(from: folder, keeping: kept == nil ? nil : name)
    try? BackupFolder(folder).trim("damaged", keeping: Self.mostDamagedFiles)
    let fate = kept.map { " and kept as \($0)" } ?? ""
    Log.keep(
      .error,
      "\(directory.path): the store's file was damaged (\(damage))\(fate); brought back \(copy.path) of "
        + "revision \(copy.file.revision), the last commit known was \(last)")
  }

  /// The last revision that anybody knows of: those who have read it are not to be given it for something else.
  private func lastRevision(_ found: UInt64) -> UInt64 {
    let told = wake.isShared ? wake.revision : 0
    // What lies in that page may be anything: so many commits a store does not make between two copies of it.
    return told > found && told - found < 1 << 32 ? told : found
  }

  /// Puts the prepared file in the place of the data file, which may be kept under another name.
  ///
  /// The lock file stays: those who still have the former file open share it, and the caches of all look into it. So the
  /// commits are counted on from the former file's, and whoever begins to read learns that there is another file.
  private func install(from folder: Folder, keeping kept: String?) throws(StoreError) {
    let last = lockPage?.lastCommit
    guard wake.isShared, last != nil || !hasOthers else {
      throw StoreError(.busy, "the file cannot be replaced while other processes have the store open: close it there")
    }
    do throws(LMDBError) {
      let work = folder.route(Self.workName)
      let own = try PageFile.open(work).lastTransaction
      try PageFile.renumber(work, to: max(last ?? 0, own) &+ 2)
    } catch { throw StoreError(error) }
    guard store.isInPlace, let fresh = try folder.facts(Self.workName) else {
      throw StoreError(.gone, "\(directory.path): the store's directory was moved, deleted or exchanged")
    }
    wake.beginReplacing()
    // The former file keeps its name until the other takes it: there is a data file at every moment.
    if let kept, lvs_link_at(store.descriptor, StoreDirectory.data, folder.descriptor, kept) != 0 {
      _ = lvs_rename_at(store.descriptor, StoreDirectory.data, folder.descriptor, kept)
    }
    try folder.rename(Self.workName, to: StoreDirectory.data, in: store)
    wake.noteOpen(FileIdentity(fresh))
    try store.sync()
    finishReplacing()
  }

  /// Replaces the data file by a copy without unused space.
  func compact(_ shared: SharedEnvironment) throws(StoreError) {
    let folder = try damagedFolder()
    folder.remove(Self.workName)
    defer { folder.remove(Self.workName) }
    let descriptor: Int32
    do throws(StoreError) {
      descriptor = try folder.make(
        Self.workName, flags: O_EXCL, mode: try dataMode(), directory.owner, isLoose: false
      ).descriptor
    } catch {
      guard error.systemError == EPERM else { throw error }
      throw StoreError(
        .permission,
        "\(directory.path): the store would come to belong to another user than \(directory.owner.user), whose it is: "
          + "compact it as that user or as root", systemError: EPERM)
    }
    defer { close(descriptor) }
    func copy() throws(StoreError) {
      _ = try shared.copy(to: descriptor, false) { () throws(StoreError) in
        try StoreFile(Self.workName, in: folder, keeping: false)
      }
    }
    do throws(StoreError) { try copy() } catch {
      guard error.code == .noSpace else { throw error }
      // The former file's reserve is for this.
      shared.environment.releaseReserve()
      do throws(StoreError) { try copy() } catch {
        _ = ftruncate(descriptor, 0)
        _ = shared.reserve.hasRoom(shared.environment, for: 0)
        throw error.code == .noSpace ? SpaceReserve.full(directory.path) : error
      }
    }
    guard fsync(descriptor) == 0 else { throw .system(lvs_errno(), folder.shown(Self.workName)) }
    try install(from: folder, keeping: nil)
  }

  /// Tells everybody which file it is now, also after whoever replaced it was killed in between.
  func finishReplacing() {
    if let last = lockPage?.lastCommit, let descriptor = try? store.open(StoreDirectory.data),
      let file = try? PageFile.of(descriptor), file.lastTransaction > last
    {
      lockPage?.lastCommit = file.lastTransaction
    }
    // He may have been killed before he noted it: to those who open the store it would be a foreign one.
    if let facts = try? store.facts(StoreDirectory.data) { wake.noteOpen(FileIdentity(facts)) }
    wake.endReplacing()
    wake.signal()
  }

  /// The copy as it is to be: with a revision that no reader has seen yet, and an entry in the log for every watch.
  private func prepare(
    _ copy: Copy, _ folder: Folder, revision: UInt64, _ report: Value, _ now: Timestamp
  ) throws(StoreError) {
    try duplicate(copy.name, copy.folder, Self.workName, folder)

    var options = Environment.Options()
    options.isPrivateFile = true
    options.folder = folder.descriptor
    let environment: Environment
    do { environment = try Environment(path: folder.route(Self.workName), options: options) } catch {
      throw StoreError(error)
    }
    defer { environment.close() }
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      let made: Databases?
      do throws(LMDBError) { made = try Databases(transaction, create: false, completes: true) } catch {
        throw StoreError(error)
      }
      guard let databases = made else { throw StoreError(.corrupt, "\(copy.path) is damaged") }
      let view = View(transaction: transaction, databases: databases)
      var entry = LogEntry(revision: revision, time: now, layer: .defaults, origin: "recovery")
      // More may have changed than anybody knows: watches are told to read anew.
      entry.isTooLarge = true
      try view.putRestored(revision, content: copy.file.contentRevision)
      try view.putRecovery(report)
      try view.finish(entry, directory.options.logLimits)
      return .commit(())
    }
  }
}

extension LockPage {
  /// nil if there is no lock file yet, or an empty one.
  static func make(in folder: Folder) -> LockPage? {
    guard let descriptor = try? folder.open(StoreDirectory.lock, O_RDWR) else { return nil }
    defer { close(descriptor) }
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(descriptor, &facts) == 0, facts.size >= fileSize(readers: 1) else { return nil }
    return try? make(descriptor)
  }
}

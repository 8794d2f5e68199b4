import CSystem
import LMDB

/// Looks at a store's file before LMDB trusts it, and replaces one that is damaged by the last good copy.
///
/// To be used by the only process that opens the store and that writes to it.
struct Recovery {
  let directory: StoreDirectory
  let wake: WakeWord
  /// nil if there is no lock file.
  let commitNumber: CommitNumber?
  let hasOthers: Bool
  private static let mostDamagedFiles = 3
  private typealias Copy = BackupFolder.Copy

  init(_ directory: StoreDirectory, _ wake: WakeWord, _ commitNumber: CommitNumber?, hasOthers: Bool) {
    self.directory = directory
    self.wake = wake
    self.commitNumber = commitNumber
    self.hasOthers = hasOthers
  }

  private var damagedFolder: String { directory.path + "/damaged" }
  private var workFile: String { directory.path + "/damaged/recovering.mdb" }
  private var hiddenFile: String { directory.path + "/damaged/hidden.mdb" }

  /// Looks at the whole file. False if there is none yet.
  ///
  /// - Throws: `.corrupt` if it is damaged and there is no copy, or the options refuse it.
  func examine() throws(StoreError) -> Bool {
    if wake.isReplacing { finishReplacing() }
    let folder = BackupFolder(store: directory.path)
    let isThere = try directory.hasData()
    var damaged: StoreFile?
    var isGrave = true
    let damage: String
    if isThere {
      do throws(StoreError) {
        var file = try StoreFile(directory.dataFile, keeping: false)
        if file.isWhole { return true }
        file = try StoreFile(directory.dataFile, keeping: true)
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
    defer { unlink(hiddenFile) }
    let last: Copy?
    if let damaged, damaged.hidesCommit {
      // If it is not whole nothing is hidden: that was a commit that failed.
      guard let hidden = hiddenCommit() else { return true }
      last = hidden
    } else {
      last = try folder.lastGood()
    }
    // Records that do not verify are damaged for themselves alone: nothing else is given up for them.
    if !isGrave, last?.file.revision != damaged?.revision || directory.options.noRecovery {
      Log.write(.error, "\(directory.path): \(damage)")
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
      try makeFolder(damagedFolder)
      unlink(hiddenFile)
      try duplicate(directory.dataFile, hiddenFile)
      do throws(LMDBError) { try PageFile.promoteFormer(hiddenFile) } catch { return nil }
      let file = try StoreFile(hiddenFile, keeping: false)
      return file.isWhole ? (hiddenFile, file) : nil
    } catch { return nil }
  }

  private func duplicate(_ path: String, _ fresh: String) throws(StoreError) {
    let source = lvs_open(path, O_RDONLY, 0)
    guard source >= 0 else { throw .system(lvs_errno(), path) }
    defer { close(source) }
    let target = lvs_make(fresh, O_EXCL, directory.options.fileMode)
    guard target >= 0 else { throw .system(lvs_errno(), fresh) }
    let isCopied = lvs_copy(source, target) == 0 && fsync(target) == 0
    let code = lvs_errno()
    close(target)
    guard isCopied else { throw .system(code, fresh) }
  }

  private func replace(
    by copy: Copy, _ damaged: StoreFile?, _ damage: String
  ) throws(StoreError) {
    try makeFolder(damagedFolder)
    unlink(workFile)
    defer { unlink(workFile) }
    let now = Timestamp.now
    let name = BackupFolder.name(damaged?.revision ?? 0, damaged?.schemaVersion ?? 0, now, "damaged")
    let kept = damagedFolder + "/" + name
    let lost = max(damaged?.revision ?? 0, copy.file.revision)
    let report = Value.object([
      .init("time", .date(now)), .init("damage", .string(damage)), .init("damagedFile", .string(kept)),
      .init("copy", .string(copy.path)), .init("copyRevision", .int(Int64(clamping: copy.file.revision))),
      .init("lastRevision", .int(Int64(clamping: lost))), .init("revision", .int(Int64(clamping: lost &+ 1))),
    ])
    try prepare(copy, revision: lost &+ 1, report, now)

    try install(keeping: kept)
    trimDamagedFiles()
    Log.write(
      .error,
      "\(directory.path): the store's file was damaged (\(damage)) and kept as \(kept); brought back \(copy.path) of "
        + "revision \(copy.file.revision), the last commit known was \(lost)")
  }

  /// Puts the prepared file in the place of the data file, which may be kept under another name.
  ///
  /// The lock file stays: those who still have the former file open share it, and the caches of all look into it. So the
  /// commits are counted on from the former file's, and whoever begins to read learns that there is another file.
  private func install(keeping kept: String?) throws(StoreError) {
    let last = commitNumber?.value
    guard last != nil || !hasOthers else {
      throw StoreError(.busy, "the file cannot be replaced while other processes have the store open: close it there")
    }
    do throws(LMDBError) {
      let own = try PageFile.open(workFile).lastTransaction
      try PageFile.renumber(workFile, to: max(last ?? 0, own) &+ 2)
    } catch { throw StoreError(error) }
    wake.beginReplacing()
    // The former file keeps its name until the other takes it: there is a data file at every moment.
    if let kept, link(directory.dataFile, kept) != 0 { _ = lvs_rename(directory.dataFile, kept) }
    guard lvs_rename(workFile, directory.dataFile) == 0 else { throw .system(lvs_errno(), directory.dataFile) }
    guard lvs_sync_directory(directory.path) == 0 else { throw .system(lvs_errno(), directory.path) }
    finishReplacing()
  }

  /// Replaces the data file by a copy without unused space.
  func compact(_ shared: SharedEnvironment) throws(StoreError) {
    try makeFolder(damagedFolder)
    unlink(workFile)
    let descriptor = lvs_make(workFile, O_EXCL, directory.options.fileMode)
    guard descriptor >= 0 else { throw .system(lvs_errno(), workFile) }
    defer {
      close(descriptor)
      unlink(workFile)
    }
    _ = try shared.copy(to: descriptor, workFile, false)
    guard fsync(descriptor) == 0 else { throw .system(lvs_errno(), workFile) }
    try install(keeping: nil)
  }

  /// Tells everybody which file it is now, also after whoever replaced it was killed in between.
  func finishReplacing() {
    if let last = commitNumber?.value, let file = try? PageFile.open(directory.dataFile), file.lastTransaction > last {
      commitNumber?.value = file.lastTransaction
    }
    wake.endReplacing()
    wake.signal()
  }

  /// The copy as it is to be: with a revision that no reader has seen yet, and an entry in the log for every watch.
  private func prepare(
    _ copy: Copy, revision: UInt64, _ report: Value, _ now: Timestamp
  ) throws(StoreError) {
    let fresh = workFile
    try duplicate(copy.path, fresh)

    var options = Environment.Options()
    options.fileMode = directory.options.fileMode
    options.isPrivateFile = true
    let environment: Environment
    do { environment = try Environment(path: fresh, options: options) } catch { throw StoreError(error) }
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
      try view.putLog(entry, directory.options.logLimits)
      try view.putRestored(revision, content: copy.file.contentRevision)
      try view.putRecovery(report)
      try view.putRevision(revision)
      return .commit(())
    }
  }

  private func makeFolder(_ path: String) throws(StoreError) {
    guard mkdir(path, directory.options.directoryMode) == 0 || lvs_errno() == EEXIST else {
      throw .system(lvs_errno(), path)
    }
    lvs_allow_group(path, directory.options.directoryMode)
  }

  private func trimDamagedFiles() {
    var folder = BackupFolder(store: directory.path)
    folder.path = damagedFolder
    try? folder.trim("damaged", keeping: Self.mostDamagedFiles)
  }
}

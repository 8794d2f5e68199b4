import CSystem
import CWake
import LMDB
import Synchronization

/// The one environment that all of a process's handles on a store share: LMDB's locks break when it is opened twice.
class SharedEnvironment: @unchecked Sendable {
  /// How often one call goes on with a file that was opened anew under it.
  private static let mostReopenings = 100

  let environment: Environment
  /// Exchanged only while no transaction is open.
  private(set) var databases: Databases
  let gate: WriterGate
  let wake: WakeWord
  let clock: StoreClock
  let cache: SettingCache
  let lookedAt = LookedAtPages()
  let reserve = SpaceReserve()
  let sealing = Sealing()
  let directory: StoreDirectory
  let backups: BackupPolicy
  /// What is open in place of a file that nobody can write to.
  let copy: MemoryCopy?
  /// The files of a store that is in memory alone.
  let memory: MemoryStore?
  let lockPage: LockPage
  /// The generation of the data file that is open.
  private let generation: Atomic<UInt32>
  private let lastExamination = Atomic<UInt64>(0)
  /// The last commit, and the generation of the data file, when it was opened.
  private let firstCommit: UInt64?
  private let firstGeneration: UInt32
  /// nil for what is in memory.
  let place: StorePlace?
  private let reopening = Lock()
  private let wasFoundGone = Atomic<Bool>(false)
  let home: Home
  /// Guarded by the registry's lock.
  var references = 1

  init(_ opened: StoreDirectory.Opened, _ home: Home?) {
    environment = opened.environment
    databases = opened.databases
    gate = opened.gate
    wake = opened.wake
    clock = StoreClock(opened.wake, opened.directory.path)
    directory = opened.directory
    backups = BackupPolicy(opened.directory)
    generation = Atomic(opened.generation)
    firstGeneration = opened.generation
    firstCommit = opened.lockPage.lastCommit
    copy = opened.copy
    memory = opened.memory
    cache = opened.cache
    lockPage = opened.lockPage
    place = opened.place
    self.home = home ?? Home(opened.directory.folder)
  }

  /// - Parameter looksOnce: whether `body` looks at one setting alone.
  final func read<R>(
    looksOnce: Bool = false, _ body: (View) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    var tries = 0
    while true {
      let opening = environment.timesReopened
      do throws(StoreError) {
        try followForReading()
        return try environment.read { (transaction) throws(StoreError) in
          let moment = looksOnce ? 0 : lvs_boottime_us()
          return try body(
            View(transaction: transaction, databases: databases, sealing: sealing, at: moment))
        }
      } catch {
        tries += 1
        guard tries < Self.mostReopenings, try canRetry(after: error, since: opening, isFirst: tries == 1) else {
          throw error
        }
      }
    }
  }

  /// Begins a read transaction that stays open.
  func hold() throws(StoreError) -> (held: HeldTransaction, revision: UInt64) {
    var tries = 0
    while true {
      let opening = environment.timesReopened
      try followForReading()
      let held: HeldTransaction
      do { held = try environment.snapshot() } catch {
        tries += 1
        guard tries < Self.mostReopenings, environment.mayHaveBeenMended(since: opening) else {
          throw StoreError(error)
        }
        continue
      }
      do throws(StoreError) {
        return (held, try View(transaction: held.transaction, databases: databases).revision())
      } catch {
        held.close()
        throw error
      }
    }
  }

  /// - Parameter isRemoval: whether it only gives room back, so that it may be done on a full disk.
  final func write<R>(
    timeout: UInt32, isSynchronous: Bool, isRemoval: Bool = false,
    _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    var isSecond = false
    while true {
      let opening = environment.timesReopened
      do throws(StoreError) {
        try follow()
        if let result = try writeOnce(timeout, isSynchronous, isRemoval, body) { return result }
      } catch {
        guard mayTryAgain(after: error, since: opening, &isSecond) else { throw error }
      }
    }
  }

  /// Whether a write that failed is worth another attempt: LMDB has given the file up, and opened anew it works.
  ///
  /// - Parameter opening: how often the file had been opened anew before the write. Another thread may have done it since.
  func mayTryAgain(after error: StoreError, since opening: Int, _ isSecond: inout Bool) -> Bool {
    guard environment.mayHaveBeenMended(since: opening) else { return false }
    // A map that is too small is larger the next time.
    if !environment.hasFailed, environment.mustReopen || error.code == .busy { return true }
    // What is left in the file of a commit that failed is not to stay there.
    if isSecond { try? follow() }
    defer { isSecond = true }
    return !isSecond
  }

  /// nil if the file was replaced before the right to write was had.
  private final func writeOnce<R>(
    _ timeout: UInt32, _ isSynchronous: Bool, _ isRemoval: Bool,
    _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R? {
    var isCommitted = false
    let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
    let result: R? = try gate.whileWriting(timeout: timeout) { () throws(StoreError) in
      guard try mayWrite() else { return nil }
      guard reserve.hasRoom(environment, for: SpaceReserve.smallCommit) || isRemoval else {
        throw SpaceReserve.full(directory.path)
      }
      return try commit(isSynchronous, &isCommitted, until: deadline, body)
    }
    if isCommitted { backups.committed(self) }
    return result
  }

  /// Runs `body` in a write transaction, and tells the processes of its commit; to be called by the holder of the right to
  /// write.
  final func commit<R>(
    _ isSynchronous: Bool, _ isCommitted: inout Bool, until deadline: UInt64,
    _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    var changes = lvs_recent()
    environment.setSynchronous(isSynchronous)
    let result: R
    do throws(StoreError) {
      result = try environment.write(until: deadline) { (transaction) throws(StoreError) in
        sealing.known = nil
        let view = View(transaction: transaction, databases: databases, sealing: sealing)
        transaction.note(databases.settings)
        // What is made anew because the map was too small begins from the start.
        isCommitted = false
        let outcome = try body(view)
        if case .commit = outcome {
          isCommitted = true
          changes = view.changes()
        }
        return outcome
      }
    } catch {
      throw error.code == .noSpace && error.systemError == ENOSPC ? SpaceReserve.full(directory.path) : error
    }
    if isCommitted { tell(&changes) }
    return result
  }

  private func tell(_ changes: inout lvs_recent) {
    // A transaction without changes makes no commit.
    if changes.commit == lockPage.lastCommit { wake.tell(&changes) }
    // Before all that is left to do, since others wait for it. A hint: whoever misses it looks within a second.
    wake.signal()
  }

  /// Closes the environment, without waiting for anybody. With the last process the file is noted to be sound as it is, so
  /// that the next one to open it need not look.
  func close() {
    cache.retire()
    environment.close()
    if place != nil {
      // Who is opening the store just now looks for itself.
      try? gate.whileOpening(timeout: 0) { () throws(StoreError) in
        guard isCurrent, !gate.hasOthers, !wasOverwritten else { return }
        wake.noteSound(StoreDirectory.data, in: directory.folder)
      }
    }
    place?.close()
    gate.close()
  }

  /// Whether the data file was written to while nobody has committed.
  private var wasOverwritten: Bool {
    guard let place, openGeneration == firstGeneration, lockPage.lastCommit == firstCommit else { return false }
    return (try? dataFacts())?.changed_ns != place.lastChange
  }

  /// - Throws: `.gone` unless the store is where it was opened.
  func requirePlace() throws(StoreError) {
    guard let place else { return }
    for attempt in 1...100 {
      let before = wake.generation
      if openGeneration != before || environment.mustReopen { try followForReading() }
      do throws(StoreError) { return try place.check() } catch {
        // It may have been replaced just now, as it should be.
        if openGeneration == before, wake.generation == before, !wake.isReplacing {
          guard !wake.isShared, wasReplaced || attempt < 100 else { throw error }
        }
      }
      lvs_sleep_us(1000)
    }
  }

  // MARK: another file in place of the one that is open

  @inline(__always)
  private var isCurrent: Bool { openGeneration == wake.generation }

  var openGeneration: UInt32 { generation.load(ordering: .relaxed) }

  /// Whether the holder of the right to write has the file open that is to be written to.
  ///
  /// - Throws: `.gone` if that is not at its place any more.
  func mayWrite() throws(StoreError) -> Bool {
    guard isCurrent, !wake.isReplacing else { return false }
    do throws(StoreError) { try place?.check() } catch {
      guard wasReplaced else { throw error }
      return false
    }
    return true
  }

  /// Whether the data file was replaced by a process whose page this one does without: a transaction in the file that is open
  /// then finds that the lock file counts on.
  private var wasReplaced: Bool {
    guard !wake.isShared else { return false }
    try? environment.read { (_) throws(StoreError) in }
    return environment.mustReopen
  }

  /// Once, to the log handler, if the store is not at its place any more: for those who only wait for changes.
  func lookIfGone() {
    guard !wasFoundGone.load(ordering: .relaxed) else { return }
    do throws(StoreError) { try requirePlace() } catch {
      guard error.code == .gone, !wasFoundGone.exchange(true, ordering: .relaxed) else { return }
      Log.write(.error, error.message)
    }
  }

  /// Opens the data file anew if it has been replaced, or if its environment is no use any more.
  func follow() throws(StoreError) {
    if isCurrent, !environment.mustReopen, !wake.isReplacing { return }
    let timeout = directory.options.timeout
    if wake.isReplacing {
      try gate.whileOpening(timeout: timeout) { () throws(StoreError) in
        // Whoever was replacing the file is gone.
        guard wake.isReplacing else { return }
        try gate.alsoWriting(timeout: timeout) { () throws(StoreError) in recovery.finishReplacing() }
      }
    }
    try reopen()
  }

  /// The same without waiting for other processes: while one replaces the file, that which is open tells the same.
  private func followForReading() throws(StoreError) {
    if isCurrent, !environment.mustReopen { return }
    try reopen()
  }

  func dataFacts() throws(StoreError) -> lvs_file_facts {
    var facts = lvs_file_facts()
    if let file = copy?.file ?? memory?.data {
      _ = lvs_file_facts_at(file.descriptor, &facts)
      return facts
    }
    return try directory.folder.facts(StoreDirectory.data) ?? facts
  }

  private var recovery: Recovery { Recovery(directory, wake, lockPage, hasOthers: gate.hasOthers) }

  private func reopen() throws(StoreError) {
    guard reopening.lock(until: lvs_monotonic_ns() &+ UInt64(directory.options.timeout) * 1_000_000) else {
      throw StoreError(.busy, "another thread of this process takes long to open the store's file anew")
    }
    defer { reopening.unlock() }
    var present = wake.generation
    for _ in 0..<Self.mostReopenings {
      present = wake.generation
      let hasFailed = environment.hasFailed
      if openGeneration == present, !environment.mustReopen { return }
      var isOpened = false
      var failure: LMDBError?
      do throws(LMDBError) {
        try environment.reopen { (transaction) throws(LMDBError) in
          guard let opened = try Databases(transaction, create: false) else { return }
          databases = opened
          isOpened = true
        }
      } catch {
        failure = error
        isOpened = false
      }
      if !isOpened, wake.generation == present {
        try place?.lookForData()
        if let failure, failure.kind != .foreign { throw StoreError(failure) }
        throw StoreError(.gone, "\(directory.path): data.mdb was exchanged for a file that is no store")
      }
      if isOpened, try place?.follow(environment) ?? true {
        generation.store(present, ordering: .relaxed)
        if hasFailed { try? overwriteFailedCommit() }
        return
      }
      // It has been replaced once more, or is just being replaced.
      lvs_sleep_us(1000)
    }
    guard wake.generation == present else {
      throw StoreError(.busy, "\(directory.path): other processes replace data.mdb again and again")
    }
    throw StoreError(.gone, "\(directory.path): data.mdb was exchanged while the store was open")
  }

  /// A commit that LMDB failed to finish leaves its roots in the file, under an old number. The next commit takes their
  /// place: so that nobody finds a commit there that was never made, one follows that changes nothing.
  private func overwriteFailedCommit() throws(StoreError) {
    // Whoever is writing meanwhile does it, and whoever opens the store has it replaced, or left to the next commit.
    try gate.whileWriting(timeout: 0) { () throws(StoreError) in
      // In a file that another has taken the place of it would count on from what nobody else can see.
      guard try mayWrite() else { return }
      environment.setSynchronous(true)
      try environment.write(until: lvs_monotonic_ns()) {
        (transaction) throws(StoreError) -> Environment.Outcome<Void> in
        let view = View(transaction: transaction, databases: databases)
        try view.putRevision(try view.revision())
        return .commit(())
      }
    }
  }

  /// Replaces the data file by a copy of it without unused space. Every process goes on with the copy.
  func compact() throws(StoreError) {
    let timeout = directory.options.timeout
    try requirePlace()
    try follow()
    try gate.whileOpening(timeout: timeout) { () throws(StoreError) in
      try gate.alsoWriting(timeout: timeout) { () throws(StoreError) in
        // Only who opens the store replaces the file.
        try followForReading()
        guard try mayWrite() else {
          throw StoreError(.busy, "another process was replacing the store's file: try again")
        }
        if let memory { try compact(memory) } else { try recovery.compact(self) }
      }
      try reopen()
    }
  }

  /// Whether what went wrong has been put right: the environment was opened anew, or a damaged file replaced.
  private func canRetry(after error: StoreError, since opening: Int, isFirst: Bool) throws(StoreError) -> Bool {
    if environment.mayHaveBeenMended(since: opening) {
      try followForReading()
      return true
    }
    // What another file has taken the place of meanwhile is overwritten.
    if error.code == .corrupt, !isCurrent {
      try followForReading()
      return true
    }
    // Of what cannot be written to, or has no copies, nothing can be put right.
    guard isFirst, error.code == .corrupt, place != nil else { return false }
    // A record that does not verify may be all that is wrong; the file need not be looked at for each such read.
    let now = lvs_monotonic_ns()
    let last = lastExamination.load(ordering: .relaxed)
    guard last == 0 || now &- last > 60_000_000_000,
      lastExamination.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    else { return false }
    do throws(StoreError) { return try replaceIfDamaged() } catch {
      // It says more of the damage than the record does.
      if error.code == .corrupt { throw error }
      // Whoever reads waits for nobody: a later read looks.
      if error.code == .busy {
        lastExamination.store(last, ordering: .relaxed)
      } else {
        Log.write(.error, "\(directory.path): looking for damage: \(error.message)")
      }
      return false
    }
  }

  /// Looks at the whole file, and replaces it if it is damaged; whether it was. `.busy` if anybody writes or opens just now.
  private func replaceIfDamaged() throws(StoreError) -> Bool {
    try requirePlace()
    defer { Log.writeKept() }
    return try gate.whileOpening(timeout: 0) { () throws(StoreError) in
      let before = wake.generation
      _ = try gate.alsoWriting(timeout: 0) { () throws(StoreError) in try recovery.examine() }
      guard wake.generation != before else { return false }
      try reopen()
      return true
    }
  }
}

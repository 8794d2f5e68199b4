import CSystem
import LMDB
import Synchronization

/// The one environment that all of a process's handles on a store share: LMDB's locks break when it is opened twice.
final class SharedEnvironment: @unchecked Sendable {
  let environment: Environment
  /// Exchanged only while no transaction is open.
  private(set) var databases: Databases
  let gate: WriterGate
  let wake: WakeWord
  let cache: SettingCache
  let commits = CommitQueue()
  let hub = WatchHub()
  let directory: StoreDirectory
  let snapshots: SnapshotPolicy
  /// What is open in place of a file that nobody can write to.
  let copy: MemoryCopy?
  private let commitNumber: CommitNumber
  /// The generation of the data file that is open.
  private let generation: Atomic<UInt32>
  private let lastExamination = Atomic<UInt64>(0)
  fileprivate let place: Place
  /// Guarded by the registry's lock.
  fileprivate var references = 1

  fileprivate init(_ opened: StoreDirectory.Opened, _ place: Place) {
    environment = opened.environment
    databases = opened.databases
    gate = opened.gate
    wake = opened.wake
    directory = opened.directory
    snapshots = SnapshotPolicy(opened.directory)
    generation = Atomic(opened.generation)
    copy = opened.copy
    cache = opened.cache
    commitNumber = opened.commitNumber
    self.place = place
  }

  func read<R>(_ body: (View) throws(StoreError) -> R) throws(StoreError) -> R {
    do throws(StoreError) {
      try follow()
      return try environment.read { (transaction) throws(StoreError) in
        try body(View(transaction: transaction, databases: databases))
      }
    } catch {
      guard try canRetry(after: error) else { throw error }
    }
    return try environment.read { (transaction) throws(StoreError) in
      try body(View(transaction: transaction, databases: databases))
    }
  }

  /// Begins a read transaction that stays open.
  func hold() throws(StoreError) -> (held: HeldTransaction, revision: UInt64) {
    try follow()
    var held: HeldTransaction
    do { held = try environment.snapshot() } catch {
      guard environment.hasFailed else { throw StoreError(error) }
      try follow()
      do { held = try environment.snapshot() } catch { throw StoreError(error) }
    }
    do throws(StoreError) {
      return (held, try View(transaction: held.transaction, databases: databases).revision())
    } catch {
      held.close()
      throw error
    }
  }

  func write<R>(
    timeout: UInt32, isSynchronous: Bool, _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    var isSecond = false
    while true {
      do throws(StoreError) {
        try follow()
        if let result = try writeOnce(timeout, isSynchronous, body) { return result }
      } catch {
        guard mayTryAgain(&isSecond) else { throw error }
      }
    }
  }

  /// Whether a write that failed is worth a second attempt: LMDB has given the file up, and opened anew it works.
  func mayTryAgain(_ isSecond: inout Bool) -> Bool {
    guard environment.hasFailed else { return false }
    // What is left in the file of a commit that failed is not to stay there.
    if isSecond { try? follow() }
    defer { isSecond = true }
    return !isSecond
  }

  /// nil if the file was replaced before the right to write was had.
  private func writeOnce<R>(
    _ timeout: UInt32, _ isSynchronous: Bool, _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R? {
    var isCommitted = false
    let result: R? = try gate.whileWriting(timeout: timeout) { () throws(StoreError) in
      guard mayWrite else { return nil }
      return try commit(isSynchronous, &isCommitted, body)
    }
    if isCommitted { snapshots.committed(self) }
    return result
  }

  /// Runs `body` in a write transaction, and tells the processes of its commit; to be called by the holder of the right to
  /// write.
  func commit<R>(
    _ isSynchronous: Bool, _ isCommitted: inout Bool, _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    var changes = lvs_recent()
    environment.setSynchronous(isSynchronous)
    let result = try environment.write { (transaction) throws(StoreError) in
      let view = View(transaction: transaction, databases: databases)
      transaction.note(databases.effective)
      // What is made anew because the map was too small begins from the start.
      isCommitted = false
      let outcome = try body(view)
      if case .commit = outcome {
        isCommitted = true
        changes = view.changes()
      }
      return outcome
    }
    if isCommitted { tell(&changes) }
    return result
  }

  private func tell(_ changes: inout lvs_recent) {
    // A transaction without changes makes no commit.
    if changes.commit == commitNumber.value { wake.tell(&changes) }
    // Before all that is left to do, since others wait for it. A hint: whoever misses it looks within a second.
    wake.signal()
  }

  /// Closes the environment while no other process opens it: some versions of LMDB then destroy the locks that they share.
  /// With the last process the file is noted to be sound as it is, so that the next one to open it need not look.
  fileprivate func close() {
    cache.retire()
    try? gate.whileOpening(timeout: directory.options.effectiveTimeout) { () throws(StoreError) in
      environment.close()
      if isCurrent, !gate.hasOthers { wake.noteSound(directory.dataFile) }
    }
    environment.close()
    gate.closeFile()
  }

  // MARK: another file in place of the one that is open

  private var isCurrent: Bool { openGeneration == wake.generation }

  var openGeneration: UInt32 { generation.load(ordering: .relaxed) }

  /// Whether the holder of the right to write has the file open that is to be written to.
  var mayWrite: Bool { isCurrent && !wake.isReplacing }

  /// Opens the data file anew if it has been replaced, or if LMDB has given it up.
  func follow() throws(StoreError) {
    if isCurrent, !environment.hasFailed, !wake.isReplacing { return }
    let timeout = directory.options.effectiveTimeout
    try gate.whileOpening(timeout: timeout) { () throws(StoreError) in
      // Whoever was replacing the file is gone.
      if wake.isReplacing {
        try gate.alsoWriting(timeout: timeout) { () throws(StoreError) in recovery.finishReplacing() }
      }
      try reopen()
    }
  }

  private var recovery: Recovery { Recovery(directory, wake, commitNumber, hasOthers: gate.hasOthers) }

  private func reopen() throws(StoreError) {
    let present = wake.generation
    let hasFailed = environment.hasFailed
    if openGeneration == present, !hasFailed { return }
    var isOpened = false
    do throws(LMDBError) {
      try environment.reopen { (transaction) throws(LMDBError) in
        guard let opened = try Databases(transaction, create: false) else { return }
        databases = opened
        isOpened = true
      }
    } catch { throw StoreError(error) }
    guard isOpened else { return }
    generation.store(present, ordering: .relaxed)
    if hasFailed { try? overwriteFailedCommit() }
  }

  /// A commit that LMDB failed to finish leaves its roots in the file, under an old number. The next commit takes their
  /// place: so that nobody finds a commit there that was never made, one follows that changes nothing.
  private func overwriteFailedCommit() throws(StoreError) {
    // Whoever is writing meanwhile does it.
    try gate.alsoWriting(timeout: 0) { () throws(StoreError) in
      environment.setSynchronous(true)
      try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
        let view = View(transaction: transaction, databases: databases)
        try view.putRevision(try view.revision())
        return .commit(())
      }
    }
  }

  /// Replaces the data file by a copy of it without unused space. Every process goes on with the copy.
  func compact() throws(StoreError) {
    let timeout = directory.options.effectiveTimeout
    try follow()
    try gate.whileOpening(timeout: timeout) { () throws(StoreError) in
      try gate.alsoWriting(timeout: timeout) { () throws(StoreError) in
        guard mayWrite else { throw StoreError(.busy, "another process was replacing the store's file: try again") }
        try recovery.compact(self)
      }
      try reopen()
    }
  }

  /// Whether what went wrong has been put right: the environment was opened anew, or a damaged file replaced.
  private func canRetry(after error: StoreError) throws(StoreError) -> Bool {
    if environment.hasFailed {
      try follow()
      return true
    }
    // Of what cannot be written to nothing can be put right.
    guard error.code == .corrupt, copy == nil else { return false }
    // A record that does not verify may be all that is wrong; the file need not be looked at for each such read.
    let now = lvs_monotonic_ns()
    let last = lastExamination.load(ordering: .relaxed)
    guard last == 0 || now &- last > 60_000_000_000,
      lastExamination.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    else { return false }
    return try gate.whileOpening(timeout: directory.options.effectiveTimeout) { () throws(StoreError) in
      let before = wake.generation
      _ = try gate.alsoWriting(timeout: directory.options.effectiveTimeout) { () throws(StoreError) in
        try recovery.examine()
      }
      guard wake.generation != before else { return false }
      try reopen()
      return true
    }
  }
}

/// Which directory an environment is, whatever path led to it, and in which process.
private struct Place: Equatable {
  let device, inode, process: UInt64

  init?(_ path: String) {
    var facts = lvs_file_facts()
    guard lvs_file_facts_of(path, &facts) == 0 else { return nil }
    device = facts.device
    inode = facts.inode
    process = lvs_process_token()
  }
}

/// The environments that this process has open.
enum Registry {
  private static let lock = Lock(isGlobal: true)
  nonisolated(unsafe) private static var open: [SharedEnvironment] = []

  /// The environment of a directory: the one open already, or a new one. To be given back with `release`.
  static func acquire(_ path: String, _ options: Store.Options) throws(StoreError) -> SharedEnvironment {
    try lock.withLock { () throws(StoreError) in
      if let found = find(path) {
        if found.copy != nil { try StoreDirectory(path: path, options: options).requireReadOnly() }
        found.references += 1
        return found
      }
      let opened = try StoreDirectory(path: path, options: options).open()
      guard let place = Place(path) else {
        opened.cache.retire()
        opened.environment.close()
        throw StoreError(.notFound, "\(path): the directory has gone")
      }
      let made = SharedEnvironment(opened, place)
      if opened.wasChecked { made.snapshots.opened(made) }
      open.append(made)
      return made
    }
  }

  /// Runs `body` while nobody writes to a store, be it open in this process or not.
  static func whileQuiet<R>(
    _ path: String, _ timeout: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let quiet = try lock.withLock { () throws(StoreError) -> Quiet<R> in
      // Nobody may open it meanwhile: closing the descriptor takes away all locks of this process on the file.
      guard let found = find(path) else { return .done(try whileNobodyHasItOpen(path, timeout, body)) }
      found.references += 1
      return .isOpen(found)
    }
    switch quiet {
    case .done(let result): return result
    case .isOpen(let found):
      defer { release(found) }
      return try found.gate.whileWriting(timeout: timeout, body)
    }
  }

  private enum Quiet<R> {
    case done(R)
    case isOpen(SharedEnvironment)
  }

  private static func whileNobodyHasItOpen<R>(
    _ path: String, _ timeout: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let descriptor = lvs_open(path + "/livery.lock", O_RDWR | O_NOFOLLOW, 0)
    // What cannot be locked is a copy, or cannot be written to here.
    guard descriptor >= 0 else { return try FileState.whileUnchanged(path + "/data.mdb", body) }
    let gate = WriterGate(file: descriptor)
    defer { gate.closeFile() }
    return try gate.whileWriting(timeout: timeout, body)
  }

  static func retain(_ shared: SharedEnvironment) {
    lock.withLock { shared.references += 1 }
  }

  /// Gives an environment back; with the last one it is closed.
  static func release(_ shared: SharedEnvironment) {
    // What a parent process opened is the parent's: a child touches none of it.
    guard shared.place.process == lvs_process_token() else { return }
    if lock.withLock({ shared.references == 1 }) { shared.snapshots.closing(shared) }
    lock.withLock {
      shared.references -= 1
      guard shared.references == 0 else { return }
      open.removeAll { $0 === shared }
      shared.close()
    }
  }

  private static func find(_ path: String) -> SharedEnvironment? {
    guard let place = Place(path) else { return nil }
    return open.first { $0.place == place && $0.copy?.isOutdated != true }
  }
}

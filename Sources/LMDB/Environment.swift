import CLMDB
import CSystem
import Synchronization

/// An LMDB environment: a directory with `data.mdb` and `lock.mdb`.
///
/// At most one may be open for a directory in a process, and none survives a fork; the caller sees to both.
public final class Environment: @unchecked Sendable {
  /// What a caller may choose.
  public struct Options: Sendable {
    /// Address space for the map, in bytes; it grows when it must.
    public var mapSize: UInt64 = 1 << 30
    /// Slots for read transactions in all processes.
    public var maximumReaders: UInt32 = 1024
    public var maximumDatabases: UInt32 = 16
    public var fileMode: UInt32 = 0o600
    /// How long a move of the map waits for transactions of this process, in nanoseconds.
    public var moveTimeout: UInt64 = 5_000_000_000
    /// The path is that of the data file, which nobody else uses: there is no lock file.
    public var isPrivateFile = false
    /// Descriptors of a data file and of its lock file, which have no names: there is no path.
    public var unnamed: (data: Int32, lock: Int32)?
    /// The lock file in the directory, which then has locks of our own beside LMDB's.
    public var lockFile: LockFile?
    /// A folder by its descriptor, for `lvs_call_opening`.
    public var folder: Int32 = -100

    public init() {}
  }

  private static let largestMap: UInt64 = 1 << 46

  /// Exchanged by `reopen` alone, while no transaction is open.
  private var opened: ProcessEnvironment
  private(set) var handle: OpaquePointer
  private var isOpen = true
  private let failed = Atomic<Bool>(false)
  /// Whether the map has to be moved while transactions are held in it, which stay in the one that is.
  private let outgrown = Atomic<Bool>(false)
  /// How often it was opened anew.
  private let openings = Atomic<Int>(0)
  /// Transactions that are held open over several calls, and how often the environment was opened anew before each.
  private let held = Atomic<Int>(0)
  private let parked = ParkedEnvironments()
  /// The same for all files that take each other's place.
  let pageSize: UInt64
  /// Where the map was found to begin; 0 if it was not looked for since it was moved.
  let mapStart = Atomic<UInt>(0)
  /// Up to where the file is known to have real blocks; to be used by the holder of the right to write.
  var reservedTo: UInt64 = 0
  /// To be used by the same.
  var growth = Growth()
  private let path: String
  private(set) var options: Options
  let gate = MapGate()
  private let idleReaders = IdleReaders()
  /// Kept for when all slots are taken: reads of this process then share it one after the other.
  private let lastReader: LastReader

  /// Opens the environment in a directory that exists.
  public convenience init(path: String, options: Options = Options()) throws(LMDBError) {
    let (opened, reader) = try Self.connect(path, options)
    self.init(opened, lastReader: reader, path: path, options: options)
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(_ opened: ProcessEnvironment, lastReader: OpaquePointer, path: String, options: Options) {
    mdb_txn_reset(lastReader)
    var stat = MDB_stat()
    mdb_env_stat(opened.handle, &stat)
    pageSize = UInt64(stat.ms_psize)
    self.opened = opened
    handle = opened.handle
    self.path = path
    self.lastReader = LastReader(lastReader)
    self.options = options
    parked.open(opened.number)
  }

  /// Closes the environment; no transaction may be open, and nothing may be called afterwards.
  public func close() {
    closeAll()
    options.lockFile?.close()
  }

  private func closeAll() {
    park()
    parked.closeAll()
  }

  /// Ends all but what is held.
  private func park() {
    guard isOpen else { return }
    isOpen = false
    parked.park(opened) {
      for reader in idleReaders.takeAll() { mdb_txn_abort(reader) }
      mdb_txn_abort(lastReader.transaction)
    }
  }

  /// Whether LMDB has given the environment up, as it does when it fails to write the end of a commit: nothing works until
  /// `reopen` does. What was committed is not affected.
  public var hasFailed: Bool { failed.load(ordering: .relaxed) }

  /// Whether nothing works until `reopen` does: LMDB has given the environment up, or its map is too small and cannot be
  /// moved under transactions that are held.
  public var mustReopen: Bool { failed.load(ordering: .relaxed) || outgrown.load(ordering: .relaxed) }

  /// How often `reopen` has opened the files.
  public var timesReopened: Int { openings.load(ordering: .relaxed) }

  /// Whether what failed may succeed when it is tried again: `mustReopen` holds, or another thread has reopened the files since
  /// they had been so often.
  public func mayHaveBeenMended(since times: Int) -> Bool {
    failed.load(ordering: .acquiring) || outgrown.load(ordering: .acquiring) || timesReopened != times
  }

  /// Opens the directory's files anew, between the transactions of this process, and hands `prepare` one whose database
  /// handles stay valid. Transactions that are held stay in the files that they began in.
  public func reopen(_ prepare: (Transaction) throws(LMDBError) -> Void) throws(LMDBError) {
    var result: Result<Void, LMDBError>?
    let closed = gate.close(
      until: lvs_monotonic_ns() &+ options.moveTimeout, allowing: { held.load(ordering: .sequentiallyConsistent) }
    ) {
      if held.load(ordering: .sequentiallyConsistent) == 0 {
        closeAll()
      } else {
        park()
      }
      failed.store(true, ordering: .relaxed)
      do throws(LMDBError) {
        let (fresh, first) = try Self.connect(path, options, isKnown: !parked.isEmpty)
        // There may be one slot alone.
        mdb_txn_abort(first)
        let reader: OpaquePointer
        do throws(LMDBError) {
          try Self.prepare(fresh.handle, options, prepare)
          reader = try Self.begin(fresh.handle, options)
        } catch {
          parked.discard(fresh)
          throw error
        }
        mdb_txn_reset(reader)
        lastReader.transaction = reader
        opened = fresh
        handle = fresh.handle
        reservedTo = 0
        growth = Growth()
        mapStart.store(0, ordering: .relaxed)
        isOpen = true
        openings.add(1, ordering: .relaxed)
        failed.store(false, ordering: .releasing)
        outgrown.store(false, ordering: .releasing)
        parked.open(fresh.number)
        result = .success(())
      } catch { result = .failure(error) }
    }
    // Another thread may have moved the map or reopened meanwhile: the caller looks again.
    guard closed else { throw LMDBError(code: MDB_MAP_RESIZED) }
    try result?.get()
  }

  private static func prepare(
    _ environment: OpaquePointer, _ options: Options, _ body: (Transaction) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let begun = try beginSettled(environment, options)
    do { try body(Transaction(handle: begun)) } catch {
      mdb_txn_abort(begun)
      throw error
    }
    try LMDBError.check(mdb_txn_commit(begun))
  }

  /// Enters the gate, unless the environment could not be reopened.
  func enter() throws(LMDBError) {
    gate.enter()
    guard isOpen else {
      gate.leave()
      throw LMDBError(code: MDB_PANIC)
    }
  }

  /// Notes when LMDB has given the environment up.
  private func noteFailure(_ code: Int32) {
    if code == MDB_PANIC { failed.store(true, ordering: .relaxed) }
  }

  /// After a commit that failed: LMDB gives the environment up if that was at its end.
  private func noteIfGivenUp() {
    var begun: OpaquePointer?
    let code = Self.beginOnce(handle, options, &begun)
    if let begun { mdb_txn_abort(begun) }
    noteFailure(code)
  }

  /// Runs `body` in a read transaction: it sees one moment of the store.
  @inline(__always)
  public func read<R, E: LMDBErrorConvertible>(_ body: (Transaction) throws(E) -> R) throws(E) -> R {
    let reader: Reader
    do { reader = try beginReading() } catch { throw E(error) }
    defer { endReading(reader) }
    return try body(Transaction(handle: reader.handle))
  }

  /// Runs `body` in a read transaction whose database handles stay valid afterwards.
  public func openDatabases<R, E: LMDBErrorConvertible>(_ body: (Transaction) throws(E) -> R) throws(E) -> R {
    do { try enter() } catch { throw E(error) }
    defer { gate.leave() }
    let begun: OpaquePointer
    do { begun = try Self.beginSettled(handle, options) } catch { throw E(error) }
    let result: R
    do { result = try body(Transaction(handle: begun)) } catch {
      mdb_txn_abort(begun)
      throw error
    }
    let committed = mdb_txn_commit(begun)
    guard committed == MDB_SUCCESS else { throw E(LMDBError(code: committed)) }
    return result
  }

  /// Begins a read transaction that stays open until the object is closed. While it is, the map cannot be moved.
  public func snapshot() throws(LMDBError) -> HeldTransaction {
    try enter()
    do {
      let reader = try beginReader()
      // Who opens the files anew lets those be inside that are counted as held: it has to find the transaction by then.
      let epoch = parked.begin()
      held.add(1, ordering: .sequentiallyConsistent)
      return HeldTransaction(handle: reader, environment: self, epoch: epoch)
    } catch {
      noteFailure(error.code)
      gate.leave()
      throw error
    }
  }

  /// Runs `body` in a write transaction and commits it, or aborts it if `body` throws. When the map turns out too small
  /// it grows and `body` runs once more from the start.
  ///
  /// - Parameter deadline: until when others may still hold LMDB's own lock, in monotonic nanoseconds.
  public func write<R, E: LMDBErrorConvertible>(
    until deadline: UInt64 = .max, _ body: (Transaction) throws(E) -> Outcome<R>
  ) throws(E) -> R {
    while true {
      do { try enter() } catch { throw E(error) }
      if let lockFile = options.lockFile, !lockFile.awaitWriter(until: deadline) {
        gate.leave()
        throw E(LMDBError(code: EBUSY))
      }
      var begun: OpaquePointer?
      let code = mdb_txn_begin(handle, nil, 0, &begun)
      guard code == MDB_SUCCESS, let transaction = begun else {
        noteFailure(code)
        gate.leave()
        guard code == MDB_MAP_RESIZED else { throw E(LMDBError(code: code)) }
        let moved = moveMap(to: 0)
        guard moved == MDB_SUCCESS else { throw E(LMDBError(code: moved)) }
        continue
      }
      var notes = WriteNotes()
      let result = withUnsafeMutablePointer(to: &notes) { notes in
        finish(transaction, notes, body)
      }
      gate.leave()
      if notes.isFull {
        let grown = growMap()
        if grown == MDB_SUCCESS { continue }
        if grown == MDB_MAP_RESIZED { throw E(LMDBError(code: grown)) }
      }
      return try result.get()
    }
  }

  private func finish<R, E: LMDBErrorConvertible>(
    _ transaction: OpaquePointer, _ notes: UnsafeMutablePointer<WriteNotes>,
    _ body: (Transaction) throws(E) -> Outcome<R>
  ) -> Result<R, E> {
    do {
      switch try body(Transaction(handle: transaction, notes: notes)) {
      case .commit(let value):
        let code = mdb_txn_commit(transaction)
        guard code == MDB_SUCCESS else {
          notes.pointee.isFull = code == MDB_MAP_FULL
          noteIfGivenUp()
          return .failure(E(LMDBError(code: cause(of: code))))
        }
        return .success(value)
      case .abort(let value):
        mdb_txn_abort(transaction)
        return .success(value)
      }
    } catch {
      mdb_txn_abort(transaction)
      return .failure(error)
    }
  }

  /// A file system that is full takes a part of a write, and LMDB tells that as a fault of the device.
  private func cause(of code: Int32) -> Int32 {
    var file: Int32 = -1
    guard code == EIO, mdb_env_get_fd(handle, &file) == MDB_SUCCESS, lvs_is_full(file) else { return code }
    return ENOSPC
  }

  /// How a write ends when its body does not throw.
  public enum Outcome<R> {
    case commit(R)
    case abort(R)
  }

  /// Facts about the environment.
  public struct Information: Sendable {
    public let mapSize: UInt64
    /// The file's pages in use are 0 to this one.
    public let lastPage: UInt64
    public let lastTransaction: UInt64
    public let maximumReaders, readers: UInt32
  }

  public func information() -> Information {
    var info = MDB_envinfo()
    if isOpen { mdb_env_info(handle, &info) }
    return Information(
      mapSize: UInt64(info.me_mapsize), lastPage: UInt64(info.me_last_pgno),
      lastTransaction: UInt64(info.me_last_txnid), maximumReaders: info.me_maxreaders, readers: info.me_numreaders)
  }

  /// Whether commits wait for the disk to have their last page; without it a power failure may lose the latest of them.
  /// To be called by the holder of the right to write.
  public func setSynchronous(_ isSynchronous: Bool) {
    guard (try? enter()) != nil else { return }
    mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), isSynchronous ? 0 : 1)
    gate.leave()
  }

  /// Frees the slots of readers whose process has died; their number.
  @discardableResult
  public func clearDeadReaders() -> Int {
    var count: Int32 = 0
    guard let lockFile = options.lockFile, (try? enter()) != nil else { return 0 }
    defer { gate.leave() }
    _ = lockFile.whileChangingReaders(until: lvs_monotonic_ns()) { mdb_reader_check(handle, &count) }
    return Int(count)
  }

  /// Whether nobody, in any process, reads what a commit before this one has left.
  public func hasNoReaders(before transaction: UInt64) -> Bool {
    guard (try? enter()) != nil else { return false }
    defer { gate.leave() }
    var oldest = UInt64.max
    // A line for each reader: process, thread, and the number of the commit, or - for one that is idle.
    let status = mdb_reader_list(
      handle,
      { line, context in
        guard let line, let oldest = context?.assumingMemoryBound(to: UInt64.self) else { return -1 }
        // The last word, if it is a number.
        var number: UInt64 = 0
        var digits = 0
        for byte in UnsafeBufferPointer(start: line, count: strlen(line)) {
          if byte >= 48, byte <= 57 {
            number = number &* 10 &+ UInt64(byte - 48)
            digits += 1
          } else if byte != 10 {
            number = 0
            digits = 0
          }
        }
        if digits > 0 { oldest.pointee = min(oldest.pointee, number) }
        return 0
      }, &oldest)
    return status >= 0 && oldest >= transaction
  }

  /// Which file is open as the data file.
  public var dataFile: (device: UInt64, inode: UInt64) {
    var file: Int32 = -1
    var facts = lvs_file_facts()
    guard (try? enter()) != nil else { return (0, 0) }
    defer { gate.leave() }
    guard mdb_env_get_fd(handle, &file) == MDB_SUCCESS, lvs_file_facts_at(file, &facts) == 0 else { return (0, 0) }
    return (facts.device, facts.inode)
  }

  /// A read transaction that has begun; when all slots are taken, the one that reads of this process share.
  private struct Reader {
    let handle: OpaquePointer
    var isShared = false
  }

  private func beginReading() throws(LMDBError) -> Reader {
    try enter()
    do throws(LMDBError) { return Reader(handle: try beginReader()) } catch {
      noteFailure(error.code)
      guard error.code == MDB_READERS_FULL || error.code == EBUSY else {
        gate.leave()
        throw error
      }
    }
    lastReader.lock()
    do throws(LMDBError) { try renew(lastReader.transaction) } catch {
      lastReader.unlock()
      gate.leave()
      throw error
    }
    return Reader(handle: lastReader.transaction, isShared: true)
  }

  private func endReading(_ reader: Reader) {
    mdb_txn_reset(reader.handle)
    if reader.isShared {
      lastReader.unlock()
    } else if !idleReaders.put(reader.handle) {
      mdb_txn_abort(reader.handle)
    }
    gate.leave()
  }

  private func beginReader() throws(LMDBError) -> OpaquePointer {
    if let idle = idleReaders.take() {
      do { try renew(idle) } catch {
        mdb_txn_abort(idle)
        throw error
      }
      return idle
    }
    var begun: OpaquePointer?
    do { begun = try beginHere() } catch {
      guard error.code == MDB_MAP_RESIZED else { throw error }
      try followMap()
      begun = try beginHere()
    }
    guard let begun else { throw LMDBError(code: ENOMEM) }
    // Beginning has the race that `renew` rules out.
    mdb_txn_reset(begun)
    do { try renew(begun) } catch {
      mdb_txn_abort(begun)
      throw error
    }
    return begun
  }

  /// Begins a read transaction in an environment that others may have transactions in.
  private func beginHere() throws(LMDBError) -> OpaquePointer {
    var begun: OpaquePointer?
    try LMDBError.check(Self.beginOnce(handle, options, &begun))
    guard let begun else { throw LMDBError(code: ENOMEM) }
    return begun
  }

  /// Renews a read transaction until it is sure to show one commit.
  private func renew(_ reader: OpaquePointer) throws(LMDBError) {
    var settling = Settling()
    while true {
      let code = mdb_txn_renew(reader)
      if code == MDB_MAP_RESIZED {
        try followMap()
        continue
      }
      guard code == MDB_SUCCESS else { throw LMDBError(code: code) }
      do {
        if try settling.isSettled(reader, handle) { return }
      } catch {
        mdb_txn_reset(reader)
        throw error
      }
      mdb_txn_reset(reader)
    }
  }

  /// Moves the map to where another process has grown it. The caller is inside the gate and steps out meanwhile.
  private func followMap() throws(LMDBError) {
    gate.leave()
    let moved = moveMap(to: 0)
    gate.enter()
    try LMDBError.check(moved)
  }

  /// Moves the map to a new size, or with 0 to the one that another process gave it. LMDB's status: MDB_MAP_RESIZED if
  /// transactions stayed open.
  private func moveMap(to size: UInt64) -> Int32 {
    var code: Int32 = MDB_SUCCESS
    // LMDB lets go of the old map first, and has none if the new one cannot be had: find out before.
    guard size == 0 || lvs_can_map(size) else { return ENOMEM }
    var isHeld = false
    let closed = gate.close(
      until: lvs_monotonic_ns() &+ options.moveTimeout,
      allowing: { held.load(ordering: .sequentiallyConsistent) - parked.countHere },
      unless: {
        isHeld = parked.countHere > 0
        return isHeld
      }
    ) {
      mapStart.store(0, ordering: .relaxed)
      code = mdb_env_set_mapsize(handle, Int(clamping: size))
    }
    if closed { return code }
    if isHeld {
      // They may be held for long. Opened anew beside what they are held in, everybody else goes on.
      if size > options.mapSize { options.mapSize = size }
      outgrown.store(true, ordering: .relaxed)
    }
    return MDB_MAP_RESIZED
  }

  /// Doubles the map. LMDB's status: MDB_MAP_FULL if it cannot be larger, MDB_MAP_RESIZED if it is to be tried again.
  private func growMap() -> Int32 {
    guard (try? enter()) != nil else { return MDB_MAP_RESIZED }
    let size = information().mapSize
    gate.leave()
    guard size < Self.largestMap else { return MDB_MAP_FULL }
    return moveMap(to: size * 2)
  }

  func end(_ transaction: OpaquePointer, _ begun: Int) {
    mdb_txn_reset(transaction)
    parked.end(begun, keep: { idleReaders.put(transaction) }, abort: { mdb_txn_abort(transaction) })
    held.subtract(1, ordering: .sequentiallyConsistent)
    gate.leave()
  }
}

extension Environment {
  /// The LMDB library in use, such as "0.9.24".
  public static var version: String {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}

import CLMDB
import CSystem

extension Environment {
  /// How many process numbers are tried.
  private static let mostNumbers = 8

  /// Opens the files and begins a read transaction.
  ///
  /// When another process has the number of this one, or has left it behind, this one takes another number.
  ///
  /// - Parameter isKnown: whether this process has transactions in a former environment, and so needs another number.
  static func connect(
    _ path: String, _ options: Options, isKnown: Bool = false
  ) throws(LMDBError) -> (opened: ProcessEnvironment, reader: OpaquePointer) {
    var tries = 0
    if !isKnown { options.lockFile?.releaseNumbers() }
    while true {
      let environment = tries == 0 && !isKnown ? try ProcessEnvironment.own() : try .ofChild()
      tries += 1
      var isOpen = false
      do throws(LMDBError) {
        try open(environment.handle, path, options)
        isOpen = true
        guard !environment.isTaken || tries == mostNumbers else { throw LMDBError(code: EAGAIN) }
        let reader = try begin(environment.handle, options)
        do { try options.lockFile?.keep(environment.number) } catch {
          mdb_txn_abort(reader)
          throw error
        }
        return (environment, reader)
      } catch {
        mdb_env_close(environment.handle)
        guard isOpen, error.code == EAGAIN || error.code == EACCES, tries < mostNumbers else { throw error }
      }
    }
  }

  private struct Opening {
    let handle: OpaquePointer
    let path: UnsafePointer<CChar>
    let flags: UInt32
    let mode: UInt32
    let unnamed: (data: Int32, lock: Int32)?
    let lockFile: LockFile?
    var code: Int32

    mutating func open() {
      guard let unnamed else { return open(path) }
      let status = withUnsafeMutablePointer(to: &self) { opening in
        lvs_call_naming(
          unnamed.data, unnamed.lock,
          { path, argument in
            if let path { argument?.assumingMemoryBound(to: Opening.self).pointee.open(path) }
          }, opening)
      }
      if status < 0 { code = lvs_errno() }
    }

    /// LMDB's own locks go with the process that this may be run in: the lock file's are there before.
    private mutating func open(_ path: UnsafePointer<CChar>) {
      code = mdb_env_open(handle, path, flags, mode)
      guard code == MDB_SUCCESS else { return }
      do throws(LMDBError) { try lockFile?.use() } catch { code = error.code }
    }
  }

  private static func open(_ handle: OpaquePointer, _ path: String, _ options: Options) throws(LMDBError) {
    mdb_env_set_mapsize(handle, Int(clamping: options.mapSize))
    mdb_env_set_maxreaders(handle, options.maximumReaders)
    mdb_env_set_maxdbs(handle, options.maximumDatabases)
    // NOTLS: a read transaction belongs to its object and not to the thread, so that any thread may use it.
    var flags = MDB_NOTLS
    if options.isPrivateFile { flags |= MDB_NOSUBDIR | MDB_NOLOCK }
    if options.unnamed != nil { flags |= MDB_NOSUBDIR }
    try open(handle, path, UInt32(flags), options.fileMode, options.folder, options.unnamed, options.lockFile)
    try requireLockFile(options)
  }

  /// ESTALE unless LMDB has opened the lock file that ours is: in another one nothing keeps its readers.
  private static func requireLockFile(_ options: Options) throws(LMDBError) {
    guard let lockFile = options.lockFile, options.unnamed == nil else { return }
    var facts = lvs_file_facts()
    guard lvs_file_facts_in(options.folder, "lock.mdb", &facts) == 0, facts.device == lockFile.device,
      facts.inode == lockFile.inode
    else { throw LMDBError(code: ESTALE) }
  }

  /// LMDB leaves the data file open for children that run other programs: they must not inherit it.
  static func open(
    _ handle: OpaquePointer, _ path: String, _ flags: UInt32, _ mode: UInt32, _ folder: Int32,
    _ unnamed: (data: Int32, lock: Int32)? = nil, _ lockFile: LockFile? = nil
  ) throws(LMDBError) {
    let code: Int32 = path.withCString { path in
      var opening = Opening(
        handle: handle, path: path, flags: flags, mode: mode, unnamed: unnamed, lockFile: lockFile, code: 0)
      let status = withUnsafeMutablePointer(to: &opening) { opening in
        lvs_call_opening(
          { argument in
            argument?.assumingMemoryBound(to: Opening.self).pointee.open()
            return 0
          }, opening, folder, unnamed != nil)
      }
      guard opening.code == MDB_SUCCESS else { return opening.code }
      guard status >= 0 else { return lvs_errno() }
      var file: Int32 = -1
      if status > 0, mdb_env_get_fd(handle, &file) == MDB_SUCCESS { lvs_close_on_exec(file) }
      return MDB_SUCCESS
    }
    try LMDBError.check(code)
  }

  /// Begins a read transaction that is sure to show one commit, in an environment that nobody else here uses yet.
  static func beginSettled(_ environment: OpaquePointer, _ options: Options) throws(LMDBError) -> OpaquePointer {
    var settling = Settling()
    while true {
      let begun = try begin(environment, options)
      do {
        if try settling.isSettled(begun, environment) { return begun }
      } catch {
        mdb_txn_abort(begun)
        throw error
      }
      mdb_txn_abort(begun)
    }
  }

  /// Begins a read transaction in a slot of its own, clearing slots of dead processes if there is none.
  static func begin(_ environment: OpaquePointer, _ options: Options) throws(LMDBError) -> OpaquePointer {
    var begun: OpaquePointer?
    var code = beginOnce(environment, options, &begun)
    // Another process has just grown the file, which nothing is open in here yet.
    for _ in 0..<100 where code == MDB_MAP_RESIZED {
      guard mdb_env_set_mapsize(environment, 0) == MDB_SUCCESS else { break }
      code = beginOnce(environment, options, &begun)
    }
    guard code == MDB_SUCCESS, let begun else { throw LMDBError(code: code) }
    return begun
  }

  static func beginOnce(
    _ environment: OpaquePointer, _ options: Options, _ begun: inout OpaquePointer?
  ) -> Int32 {
    guard let lockFile = options.lockFile else {
      return mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &begun)
    }
    var found: OpaquePointer?
    let code = lockFile.whileChangingReaders(until: lvs_monotonic_ns() &+ options.moveTimeout) {
      let code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &found)
      guard code == MDB_READERS_FULL else { return code }
      var count: Int32 = 0
      mdb_reader_check(environment, &count)
      return mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &found)
    }
    begun = found
    return code
  }
}

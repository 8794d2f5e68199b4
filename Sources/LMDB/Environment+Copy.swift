import CLMDB
import CSystem

extension Environment {
  /// Writes a copy of the latest commit to a file, without the pages that are free. Nobody is kept waiting; when others
  /// commit at the very beginning the copy may be torn, and has to be checked.
  public func copy(to descriptor: Int32) throws(LMDBError) {
    // Keeps the pages; an environment beside this one reads them, which needs no slot in the table of readers.
    let held = try snapshot()
    defer { held.close() }
    var file: Int32 = -1
    try LMDBError.check(mdb_env_get_fd(handle, &file))
    for _ in 0..<100 {
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw LMDBError(code: lvs_errno())
      }
      let code = try Self.copyApart("/proc/self/fd/\(file)", options, descriptor)
      if code == EINTR || code == MDB_MAP_RESIZED { continue }
      // What LMDB says of pages that nothing accounts for.
      try LMDBError.check(code == MDB_INCOMPATIBLE ? MDB_CORRUPTED : code)
      // Secrets that are gone are not to be in it.
      if lvs_memory_wipes() {
        let own = lvs_duplicate(descriptor)
        guard own >= 0 else { throw LMDBError(code: lvs_errno()) }
        try PageFile.of(own).clearTails()
      }
      return
    }
    throw LMDBError(code: EBUSY)
  }

  private static func copyApart(_ path: String, _ options: Options, _ target: Int32) throws(LMDBError) -> Int32 {
    var made: OpaquePointer?
    try LMDBError.check(mdb_env_create(&made))
    guard let made else { throw LMDBError(code: ENOMEM) }
    defer { mdb_env_close(made) }
    let flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS | MDB_RDONLY
    try open(made, path, UInt32(flags), 0, options.folder)
    return mdb_env_copyfd2(made, target, UInt32(MDB_CP_COMPACT))
  }
}

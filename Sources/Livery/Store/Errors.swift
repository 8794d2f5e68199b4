import CLMDB
import CSystem
@_exported import LiveryCore
import LMDB

extension StoreError: LMDBErrorConvertible {
  /// The one place that tells LMDB's failures and the operating system's as ours.
  public init(_ error: LMDBError) {
    self.init(lmdb: error.code, doing: "the store")
  }

  init(lmdb code: Int32, doing what: String) {
    let found: Code
    switch code {
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL: found = .corrupt
    case MDB_INVALID, MDB_VERSION_MISMATCH: found = .notAStore
    case MDB_MAP_FULL, ENOSPC, EDQUOT, EFBIG: found = .noSpace
    case MDB_READERS_FULL, EAGAIN, EBUSY: found = .busy
    case EACCES, EPERM, EROFS: found = .permission
    case ENOENT: found = .notFound
    default: found = .io
    }
    self.init(found, "\(what): \(LMDBError(code: code).message)", systemError: code > 0 ? code : 0)
  }

  /// From errno.
  static func system(_ code: Int32, _ what: String) -> StoreError {
    StoreError(lmdb: code, doing: what)
  }

  static func damaged(_ what: String, setting: String? = nil) -> StoreError {
    StoreError(
      .corrupt, "\(what) is damaged: its checksum does not match; set it anew or restore a backup", setting: setting)
  }
}

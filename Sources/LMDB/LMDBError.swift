import CLMDB
import CSystem

/// A code of LMDB (negative, MDB_…) or of the operating system (positive, errno).
public struct LMDBError: Error, Sendable {
  public let code: Int32

  public init(code: Int32) {
    self.code = code
  }

  /// What the code means, in LMDB's words.
  public var message: String {
    guard let text = mdb_strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }

  /// What a caller may want to tell apart.
  public enum Kind: Sendable {
    case damaged, foreign, mapFull, mapMoved, readersFull, failed, exchanged, system, other
  }

  public var kind: Kind {
    switch code {
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL: .damaged
    case MDB_INVALID, MDB_VERSION_MISMATCH: .foreign
    case MDB_MAP_FULL: .mapFull
    case MDB_MAP_RESIZED: .mapMoved
    case MDB_READERS_FULL: .readersFull
    case MDB_PANIC: .failed
    case ESTALE: .exchanged
    case let code: code > 0 ? .system : .other
    }
  }

  static func check(_ code: Int32) throws(LMDBError) {
    guard code == MDB_SUCCESS else { throw LMDBError(code: code) }
  }
}

/// An error that failures of LMDB can be told as, so that a transaction's body may throw it.
public protocol LMDBErrorConvertible: Error {
  init(_ error: LMDBError)
}

import CSystem
@_exported import LiveryCore
import LMDB

extension StoreError: LMDBErrorConvertible {
  /// The one place that tells LMDB's failures as ours.
  public init(_ error: LMDBError) {
    switch error.kind {
    case .damaged: self.init(.corrupt, "the store's file is damaged (\(error.message)): restore a backup")
    case .foreign: self.init(.notAStore, "the directory holds no store: \(error.message)")
    case .mapFull: self.init(.noSpace, "the store has outgrown the address space that it can reserve")
    case .mapMoved:
      self.init(.busy, "another process has grown or replaced the store while this one holds a snapshot open: close it")
    case .failed: self.init(.io, "the store's file could not be opened again after a failed write")
    case .readersFull: self.init(.busy, "all reader slots of the store are taken")
    case .exchanged:
      self.init(
        .gone,
        "lock.mdb was deleted or exchanged: close every handle on the store, in all processes, and open it again")
    case .system: self = .system(error.code, "the store")
    case .other: self.init(.io, "the store: \(error.message)")
    }
  }

  /// From errno: the one place that tells the operating system's failures as ours.
  static func system(_ code: Int32, _ what: String) -> StoreError {
    let found: Code =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .noSpace
      case EAGAIN, EBUSY: .busy
      case ENOMEM: .noMemory
      case EACCES, EPERM, EROFS: .permission
      case ENOENT: .notFound
      case ELOOP: .notAStore
      default: .io
      }
    return StoreError(found, "\(what): \(LMDBError(code: code).message)", systemError: code)
  }

  static func damaged(_ what: String, setting: String? = nil) -> StoreError {
    StoreError(
      .corrupt, "\(what) is damaged: its checksum does not match; set it anew or restore a backup", setting: setting)
  }
}

extension StoreError {
  /// By another thread, or by an edit of the thread that waits.
  @inline(never)
  static func keptByOwnProcess(_ milliseconds: UInt32) -> StoreError {
    StoreError(.busy, "this process itself kept the store for longer than \(milliseconds) ms")
  }

  static var forkedStore: StoreError {
    StoreError(.forked, "the store was opened by this process's parent: open it again")
  }
}

import CSystem
import Synchronization

/// The first page of LMDB's lock file, which all processes on an environment share: the number of the last commit, and the
/// words of LMDB's own locks.
///
/// LMDB has no call that looks at these without waiting or beginning a transaction. Where they lie is known here alone.
public final class LockPage: @unchecked Sendable {
  // LMDB 0.9 begins the file with a magic number and the format, which follow the size of a pointer and the kind of locks;
  // then come the lock of the table of readers, the number of the last commit, and on a line of its own the writer's lock.
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let stamp: UInt64 = 1 << 48 | 1 << 32 | UInt64(magic)
  private static let readersLock = 8
  /// Where the number of the last commit is, for who maps the page for itself.
  public static let lastCommitOffset = readersLock + MemoryLayout<pthread_mutex_t>.size
  private static let writersLock = (lastCommitOffset + 12 + 63) / 64 * 64
  /// Two lines of 64 bytes, and one for each reader.
  public static func fileSize(readers: UInt32) -> UInt64 { 128 + 64 * UInt64(readers) }
  private static let size = 4096

  /// LMDB's own locks.
  enum Lock {
    case readers, writer
  }

  private let page: UnsafeMutableRawPointer

  private init(_ page: UnsafeMutableRawPointer) {
    self.page = page
  }

  deinit {
    lvs_page_unmap(page)
  }

  /// That of an open file, which may be closed afterwards.
  public static func make(_ lockFile: Int32) throws(LMDBError) -> LockPage {
    guard let page = lvs_page_map(lockFile) else { throw LMDBError(code: lvs_errno()) }
    return LockPage(page)
  }

  /// Gives an empty file the page, for an environment without a lock file.
  public static func write(_ lastCommit: UInt64, to file: Int32) throws(LMDBError) {
    var bytes = [UInt8](repeating: 0, count: size)
    let isWritten = bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: stamp, as: UInt64.self)
      bytes.storeBytes(of: lastCommit, toByteOffset: lastCommitOffset, as: UInt64.self)
      return lvs_write_at(file, bytes.baseAddress, bytes.count, 0) >= 0
    }
    guard isWritten else { throw LMDBError(code: lvs_errno()) }
  }

  /// Whether a file is a lock file of LMDB's.
  public static func begins(_ file: Int32) -> Bool {
    var found: UInt32 = 0
    return lvs_read_at(file, &found, 4, 0) == 4 && found == magic
  }

  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (page + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private var isKnown: Bool { word(0).pointee.load(ordering: .relaxed) == Self.stamp }

  /// The number of the last commit; nil if it is not found where it is expected. Only who replaces the data file sets it.
  public var lastCommit: UInt64? {
    get {
      guard isKnown else { return nil }
      let found = word(Self.lastCommitOffset).pointee.load(ordering: .acquiring)
      return found == 0 || found > UInt64.max / 4 ? nil : found
    }
    set {
      guard let newValue, lastCommit != nil else { return }
      word(Self.lastCommitOffset).pointee.store(newValue, ordering: .sequentiallyConsistent)
    }
  }

  /// Whether a lock is held by a process that lives.
  func isHeld(_ lock: Lock) -> Bool {
    guard isKnown else { return false }
    // The word of a mutex names the thread that has it; the kernel takes the name out when that dies.
    let threads: UInt32 = 0x3fff_ffff
    let offset = lock == .writer ? Self.writersLock : Self.readersLock
    let word = (page + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    return word.pointee.load(ordering: .acquiring) & threads != 0
  }
}

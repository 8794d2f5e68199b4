import CLMDB
import CSystem

/// LMDB's lock file, with locks of our own beside LMDB's.
///
/// LMDB tells by locks of the process who else has an environment open, and which readers live. A program that opens and
/// closes the file itself loses those, and another process would begin the table of readers anew, or give the pages of
/// live readers away. So the open file, which nobody else closes, locks the same bytes.
public final class LockFile: @unchecked Sendable {
  private static let usedByte: Int64 = 0
  /// Beyond all numbers of processes.
  private static let readerByte: Int64 = 1 << 40
  /// How long somebody may have that byte who is not inside LMDB's lock, in nanoseconds: stopped before it, or after.
  private static let patience: UInt64 = 2_000_000

  /// nil once closed.
  private var file: OpaquePointer?
  /// What LMDB has at its beginning.
  public let page: LockPage
  private let threads = lvs_mutex_make()
  /// The numbers of processes whose bytes are locked.
  private var numbers: [Int32] = []
  public let device, inode: UInt64

  /// Takes the descriptor over, also if it fails: ESTALE if the two are of different files.
  ///
  /// - Parameter mapped: another open file of the same: what is mapped keeps its open file in every forked child, and would
  ///   keep the locks with it.
  public static func make(_ descriptor: Int32, mapped: Int32) throws(LMDBError) -> LockFile {
    var facts = lvs_file_facts()
    let page: LockPage
    do throws(LMDBError) {
      var other = lvs_file_facts()
      guard lvs_file_facts_at(descriptor, &facts) == 0, lvs_file_facts_at(mapped, &other) == 0 else {
        throw LMDBError(code: lvs_errno())
      }
      guard facts.device == other.device, facts.inode == other.inode else { throw LMDBError(code: ESTALE) }
      page = try LockPage.make(mapped)
    } catch {
      lvs_close(descriptor)
      throw error
    }
    guard let file = lvs_lock_file_make(descriptor) else { throw LMDBError(code: ENOMEM) }
    return LockFile(file, page, facts)
  }

  private init(_ file: OpaquePointer, _ page: LockPage, _ facts: lvs_file_facts) {
    self.file = file
    self.page = page
    device = facts.device
    inode = facts.inode
  }

  /// Closing it gives up all locks of the process on the file: not before the environments are closed.
  func close() {
    lvs_lock_file_free(file)
    file = nil
  }

  deinit {
    close()
    lvs_mutex_free(threads)
  }

  /// Keeps LMDB from taking the file for one that nobody uses, once it has opened it.
  func use() throws(LMDBError) {
    guard let file, lvs_share_byte(file, Self.usedByte) == 0 else { throw LMDBError(code: lvs_errno()) }
  }

  /// Keeps others from taking this process's readers for those of a dead one, once LMDB has locked the number itself.
  func keep(_ number: Int32) throws(LMDBError) {
    guard let file, lvs_keep_byte(file, Int64(number)) == 0 else { throw LMDBError(code: lvs_errno()) }
    numbers.append(number)
  }

  /// Gives the numbers back, which no reader has any more.
  func releaseNumbers() {
    if let file { for number in numbers { _ = lvs_unlock_byte(file, Int64(number)) } }
    numbers = []
  }

  /// Runs `body`, which makes or clears readers' slots, as the only one that does: a process that is stopped inside LMDB's
  /// own lock for that would keep the others for ever. EBUSY after the deadline (monotonic nanoseconds).
  func whileChangingReaders(until deadline: UInt64, _ body: () -> Int32) -> Int32 {
    guard let file, lvs_mutex_lock_until(threads, deadline) else { return EBUSY }
    defer { lvs_mutex_unlock(threads) }
    var pause: UInt64 = 20
    var mayPass = lvs_monotonic_ns() &+ Self.patience
    while true {
      let isMine = lvs_lock_byte(file, Self.readerByte) == 0
      let code = isMine ? 0 : lvs_errno()
      guard isMine || code == EAGAIN || code == EACCES else { return code }
      let now = lvs_monotonic_ns()
      if page.isHeld(.readers) {
        mayPass = now &+ Self.patience
      } else if isMine || now >= mayPass {
        break
      }
      guard now < deadline else {
        lvs_unlock_byte(file, Self.readerByte)
        return EBUSY
      }
      lvs_sleep_us(pause)
      pause = min(pause * 2, 1000)
    }
    defer { lvs_unlock_byte(file, Self.readerByte) }
    return body()
  }

  /// Waits until nobody holds LMDB's own lock of the writer: it has no timeout. False after the deadline.
  func awaitWriter(until deadline: UInt64) -> Bool {
    while page.isHeld(.writer) {
      guard lvs_monotonic_ns() < deadline else { return false }
      lvs_sleep_us(200)
    }
    return true
  }
}

import CLMDB
import CSystem
import Synchronization

/// Finds out whether a read transaction that has begun shows one commit.
///
/// LMDB notes the last commit's number first and copies its roots after; when further commits fall in between, the roots
/// may be those of a later commit, or torn between two. That is impossible while the number is still the last.
struct Settling {
  private var tries = 0
  private var alike = 0
  private var number: UInt64 = 0
  private var last: UInt64 = 0

  /// False if the transaction is to be begun once more.
  mutating func isSettled(_ reader: OpaquePointer, _ environment: OpaquePointer) throws(LMDBError) -> Bool {
    // The look has to come after the roots were copied, which may otherwise be those of a later commit; and after the reader
    // was noted in the table, where the next writer may otherwise not find it, and write over what it reads. LMDB orders neither.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    let number = UInt64(mdb_txn_id(reader))
    let last = UInt64(info.me_last_txnid)
    let behind = last &- number
    if behind == 0 { return true }
    tries += 1
    alike = number == self.number && last == self.last ? alike + 1 : 0
    (self.number, self.last) = (number, last)
    // Nobody commits. A writer died after its commit and before it announced that, or the file has taken the place of
    // another one and goes on counting from there, which is not announced yet.
    if behind <= 2, alike > 100 { return true }
    // The lock file tells of commits that are not in this file: it has been replaced.
    if behind > UInt64.max / 2, tries > 2 { throw LMDBError(code: MDB_PANIC) }
    // It says nothing that can be: a file that is being replaced, or a page that somebody has written to.
    if tries > 100 {
      guard tries < 1000 else { throw LMDBError(code: EBUSY) }
      lvs_sleep_us(100)
    }
    return false
  }
}

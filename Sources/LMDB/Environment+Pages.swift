import CLMDB
import CSystem

extension Environment {
  /// Takes the pages of the file out of the memory that counts as this process's: the system has them still, and maps those
  /// that are looked at after all. To be called within a transaction.
  ///
  /// - Parameter least: the size in bytes of a file with which it is worth the calls of the system.
  public func forgetPages(atLeast least: UInt64) {
    var file: Int32 = -1
    guard (information().lastPage &+ 1) &* pageSize >= least, mdb_env_get_fd(handle, &file) == MDB_SUCCESS else {
      return
    }
    lvs_forget_pages(file)
  }
}

import CLMDB
import CSystem

extension Environment {
  /// How long the file has to be for all pages that may be in use.
  public var requiredFileSize: UInt64 {
    guard (try? enter()) != nil else { return 0 }
    defer { gate.leave() }
    return (information().lastPage &+ 1) &* pageSize
  }

  /// Makes sure that the file has real blocks for so many bytes more than it has pages in use; false if there is no room. To be
  /// called by the holder of the right to write.
  ///
  /// - Parameter ahead: how much more may be had at once, so that not every commit asks the system.
  public func reserve(_ bytes: UInt64, ahead: UInt64) -> Bool {
    guard (try? enter()) != nil else { return true }
    defer { gate.leave() }
    let end = (information().lastPage &+ 1) &* pageSize
    guard end &+ bytes > reservedTo else { return true }
    var file: Int32 = -1
    guard mdb_env_get_fd(handle, &file) == MDB_SUCCESS else { return true }
    for more in [ahead, 0] where lvs_reserve_behind(file, end, bytes + more) == 0 {
      reservedTo = end &+ bytes &+ more
      return true
    }
    return false
  }

  /// Gives back what was reserved, and what commits that failed have left; to be called by the holder of the right to write.
  public func releaseReserve() {
    let end = requiredFileSize
    var file: Int32 = -1
    guard (try? enter()) != nil else { return }
    defer { gate.leave() }
    reservedTo = 0
    if mdb_env_get_fd(handle, &file) == MDB_SUCCESS { lvs_release_behind(file, end) }
  }

  /// Whether the file system has no room for a second file of this one's size.
  public var hasNoRoomForCopy: Bool {
    let required = requiredFileSize
    var file: Int32 = -1
    guard (try? enter()) != nil else { return false }
    defer { gate.leave() }
    return mdb_env_get_fd(handle, &file) == MDB_SUCCESS && lvs_file_system_room(file) < required
  }

  /// The bytes of the file system that the file is on; 0 if that cannot be told.
  public var fileSystemSize: UInt64 {
    var file: Int32 = -1
    guard (try? enter()) != nil else { return 0 }
    defer { gate.leave() }
    return mdb_env_get_fd(handle, &file) == MDB_SUCCESS ? lvs_file_system_size(file) : 0
  }
}

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
    growth.note(end)
    guard end &+ bytes > reservedTo || growth.isDue else { return true }
    var file: Int32 = -1
    guard mdb_env_get_fd(handle, &file) == MDB_SUCCESS else { return true }
    if end &+ bytes > reservedTo {
      if lvs_reserve_behind(file, end, bytes + ahead) == 0 {
        reservedTo = end &+ bytes &+ ahead
      } else if lvs_reserve_behind(file, end, bytes) == 0 {
        reservedTo = end &+ bytes
      } else {
        return false
      }
    }
    // A file without a name has no disk behind it.
    if options.unnamed == nil, growth.isDue { growth.writeAhead(file, within: reservedTo) }
    return true
  }

  /// Gives back what was reserved, and what commits that failed have left; to be called by the holder of the right to write.
  public func releaseReserve() {
    let end = requiredFileSize
    var file: Int32 = -1
    guard (try? enter()) != nil else { return }
    defer { gate.leave() }
    reservedTo = 0
    growth = Growth()
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

/// How commits make the file longer, and up to where zeros lie behind its pages.
///
/// To give a file new blocks costs a commit more than to write over those that it has: the system has to write down which they
/// are, too. Where commits keep making it longer, as while the log fills, zeros are written for many of them at once. They stay
/// when the store is closed: the next commits use them, whoever makes them.
struct Growth {
  private static let most: UInt64 = 256 << 10
  /// So many commits are let go by first: a process that makes but a few writes nothing twice.
  private static let patience: UInt64 = 4
  /// Zeros are for so many commits at least: larger ones would pay for them and gain nothing.
  private static let fewest: UInt64 = 8

  private var end: UInt64 = 0
  private var commits: UInt64 = 0
  /// What the latest of those commits took that made the file longer, about.
  private var bytes: UInt64 = 0
  private var writtenTo: UInt64 = 0

  /// Notes where the pages in use end, before each commit.
  mutating func note(_ end: UInt64) {
    if self.end > 0, end > self.end {
      commits &+= 1
      let more = end &- self.end
      bytes = bytes == 0 ? more : (bytes &* 3 &+ more) / 4
    }
    self.end = end
  }

  private var step: UInt64 { min(bytes &* 20, Self.most) }

  var isDue: Bool {
    commits >= Self.patience && bytes <= Self.most / Self.fewest && writtenTo < end &+ step / 4
  }

  mutating func writeAhead(_ file: Int32, within limit: UInt64) {
    let to = min(end &+ step, limit)
    writtenTo = max(to, end &+ step / 4)
    // Another process may have written them, or this transaction pages.
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(file, &facts) == 0, lvs_writes_over(file) else { return }
    let from = max(end, facts.size)
    // Where that fails a commit will say so, if it fails as well.
    if from < to { lvs_write_zeros(file, from, to) }
  }
}

import CLMDB
import CSystem

extension PageFile {
  /// Gives the latest commit of a file that nobody has open another number, and the one before the number below.
  ///
  /// A data file that takes the place of another one goes on counting where that left off: then the lock file is right for
  /// both. Nothing depends on the numbers but which of the first two pages is which.
  ///
  /// - Parameter isLink: whether the path is that of a descriptor.
  public static func renumber(_ path: String, isLink: Bool = false, to transaction: UInt64) throws(LMDBError) {
    let file = try open(path)
    try renumber(file, path, isLink, latest: file.latest.transaction & 1, to: transaction)
  }

  /// Makes the commit before the latest one the latest, in a file that nobody has open.
  ///
  /// - Parameter isLink: whether the path is that of a descriptor.
  public static func promoteFormer(_ path: String, isLink: Bool = false) throws(LMDBError) {
    let file = try open(path)
    try renumber(file, path, isLink, latest: 1 - file.latest.transaction & 1, to: file.latest.transaction &+ 1)
  }

  private static func renumber(
    _ file: PageFile, _ path: String, _ isLink: Bool = false, latest place: UInt64, to transaction: UInt64
  ) throws(LMDBError) {
    guard file.damages.isEmpty, transaction > 1, let latest = file.read(place, file.pageSize),
      let former = file.read(1 - place, file.pageSize)
    else { throw LMDBError(code: MDB_CORRUPTED) }
    let descriptor = lvs_open(path, O_RDWR | (isLink ? 0 : O_NOFOLLOW), 0)
    guard descriptor >= 0 else { throw LMDBError(code: lvs_errno()) }
    defer { close(descriptor) }
    for (page, number) in [(latest, transaction), (former, transaction - 1)] {
      var bytes = page.bytes
      let place = number & 1
      write(place, to: &bytes, at: 0)
      write(number, to: &bytes, at: header + 8 + 2 * word + 2 * (8 + 5 * word) + word)
      let offset = place * UInt64(file.pageSize)
      let written = bytes.withUnsafeBytes { lvs_write_at(descriptor, $0.baseAddress, $0.count, offset) }
      guard written >= 0 else { throw LMDBError(code: lvs_errno()) }
    }
    guard fsync(descriptor) == 0 else { throw LMDBError(code: lvs_errno()) }
  }

  private static func write(_ number: UInt64, to bytes: inout [UInt8], at offset: Int) {
    for index in 0..<word where offset + index < bytes.count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
    }
  }
}

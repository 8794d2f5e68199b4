import LMDB

/// Room on the disk that only what gives room back may use: removals, trimming, and compaction.
///
/// Removing writes as well, since LMDB never writes over what readers may see: without a reserve, a disk that is full could
/// not be helped from within the store.
final class SpaceReserve: @unchecked Sendable {
  private static let most: UInt64 = 1 << 20
  private static let least: UInt64 = 128 << 10
  /// What a commit of small values takes at most, and what more is had at once.
  static let smallCommit: UInt64 = 64 << 10
  private static let ahead: UInt64 = 1 << 20

  /// 0 before the first commit. To be used by the holder of the right to write.
  private var bytes: UInt64 = 0

  /// Whether there is room for a commit beside the reserve.
  func hasRoom(_ environment: Environment, for commit: UInt64) -> Bool {
    if bytes == 0 {
      // A small disk is not to be spent on it.
      let part = environment.fileSystemSize / 4
      bytes = min(max(part, Self.least), Self.most)
    }
    return environment.reserve(bytes &+ commit, ahead: bytes == Self.most ? Self.ahead : 0)
  }

  static func full(_ path: String) -> StoreError {
    StoreError(
      .noSpace,
      "\(path): the disk is full, and what is left is kept for making room: reset values that are not needed, remove assets "
        + "or backups, then compact the store", systemError: 28)
  }
}

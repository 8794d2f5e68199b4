import CSystem

/// A file in memory that no name leads to: it goes when nobody has it open any more.
final class MemoryFile: Sendable {
  let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  static func make() throws(StoreError) -> MemoryFile {
    let descriptor = lvs_make_in_memory()
    guard descriptor >= 0 else { throw .system(lvs_errno(), "a file in memory") }
    return MemoryFile(descriptor)
  }

  /// For functions that know no descriptors.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// The same file open once more, by itself: locks on it are apart.
  func openAgain() throws(StoreError) -> Int32 {
    let file = lvs_open_again(descriptor)
    guard file >= 0 else { throw .system(lvs_errno(), "a file in memory") }
    return file
  }

  /// Lets the descriptor, and so the path, lead to another file.
  func exchange(for other: MemoryFile) throws(StoreError) {
    guard lvs_exchange(descriptor, other.descriptor) >= 0 else { throw .system(lvs_errno(), "a file in memory") }
  }
}

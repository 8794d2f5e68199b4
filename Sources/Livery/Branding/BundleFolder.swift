import CSystem

/// The directory that a bundle's files are in.
enum BundleFolder {
  /// The bytes of a file; nil if there is none. Nothing outside of the directory is read, also through symbolic links.
  ///
  /// Errors: `.invalidValue` for a name that leads outside, what is no file, or one that is too large for an asset;
  /// `.permission`, `.io`; `.notFound` if the directory itself is missing.
  static func read(_ name: String, in folder: String) throws(StoreError) -> [UInt8]? {
    guard !folder.isEmpty, !folder.utf8.contains(0), !name.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the bundle's directory is empty or contains NUL")
    }
    var count = 0
    guard let bytes = lvs_read_beneath(folder, name, Asset.maximumSize, &count) else {
      let code = lvs_errno()
      let shown = truncated(name, to: 80)
      switch code {
      case ENOENT, ENOTDIR:
        var facts = lvs_file_facts()
        guard lvs_file_facts_of(folder, &facts) == 0, facts.is_directory else {
          throw StoreError(.notFound, "there is no directory `\(truncated(folder, to: 200))`", systemError: code)
        }
        if code == ENOENT { return nil }
        fallthrough
      case EISDIR, EINVAL: throw StoreError(.invalidValue, "`\(shown)` is no file", systemError: code)
      case EXDEV, ELOOP: throw StoreError(.invalidValue, "`\(shown)` leads out of the bundle", systemError: code)
      case EFBIG:
        throw StoreError(
          .invalidValue, "`\(shown)` has more than the \(Asset.maximumSize) bytes that a file of a brand may have",
          systemError: code)
      default: throw .system(code, shown)
      }
    }
    defer { free(bytes) }
    try Memory.require(count * 2)
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}

import CSystem

/// The number of the last commit in LMDB's lock file, which all processes on a store share.
final class CommitNumber: @unchecked Sendable {
  private let page: UnsafeMutablePointer<UInt64>

  private init(_ page: UnsafeMutablePointer<UInt64>) {
    self.page = page
  }

  deinit {
    lvs_commit_unmap(page)
  }

  static func make(lockFile: Int32) throws(StoreError) -> CommitNumber {
    guard let page = lvs_commit_map(lockFile) else { throw .system(lvs_errno(), "lock.mdb") }
    return CommitNumber(page)
  }

  /// nil if there is no lock file yet, or an empty one.
  static func make(in folder: Folder) -> CommitNumber? {
    guard let descriptor = try? folder.open("lock.mdb", O_RDWR) else { return nil }
    defer { close(descriptor) }
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(descriptor, &facts) == 0, facts.size >= 192 else { return nil }
    return try? make(lockFile: descriptor)
  }

  /// nil if it is not found where it is expected.
  var value: UInt64? {
    get {
      let found = lvs_commit_get(page)
      return found == LVS_NO_COMMIT || found > UInt64.max / 4 ? nil : found
    }
    set {
      if let newValue, value != nil { lvs_commit_set(page, newValue) }
    }
  }
}

import CSystem

// Freed memory is wiped once the process may hold a secret: a commit would be 4 % dearer for all others. What declares one
// says so when it is stored or decoded, and so does a log entry; but a read looks at no declaration, so an opening looks.

extension Store {
  /// Looks for a secret among the declared settings; where there are very many, there may be one.
  public func lookForSecrets() {
    guard !lvs_memory_wipes() else { return }
    var left = 4096
    let isRead: Void? = try? read { (view) throws(StoreError) in
      try view.walk(view.databases.schema) { (_, row) throws(StoreError) in
        row.withUnsafeBytes { lvs_memory_look_for_secret($0.baseAddress, $0.count) }
        left -= 1
        return left > 0 && !lvs_memory_wipes()
      }
    }
    if isRead == nil || left == 0 { lvs_memory_wipe() }
  }
}

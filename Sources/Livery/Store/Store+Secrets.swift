import CSystem

// Freed memory is wiped once the process may hold a secret: a commit would be 4 % dearer for all others. What declares one
// says so when it is stored or decoded, and so does a log entry; but a read looks at no declaration, so an opening looks.

extension Store {
  /// Looks whether the schema declares secrets.
  public func lookForSecrets() {
    let facts = try? read { (view) throws(StoreError) in try view.schemaFacts() }
    if facts?.holdsSecrets != false { lvs_memory_wipe() }
  }
}

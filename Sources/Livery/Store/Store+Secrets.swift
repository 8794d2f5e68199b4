import CSystem

// Freed memory is wiped once the process may hold a secret: a commit would be 4 % dearer for all others. What declares one
// says so when it is stored or decoded, and so does a log entry; but a read looks at no declaration, so an opening looks.

extension Store {
  /// Looks whether the schema declares secrets.
  public func lookForSecrets() {
    let holdsSecrets = try? read { (view) throws(StoreError) -> Bool in
      if try view.schemaFacts().holdsSecrets { return true }
      return try !view.claims().secrets.isEmpty
    }
    if holdsSecrets != false { lvs_memory_wipe() }
  }
}

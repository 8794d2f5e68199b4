import LMDB

// What the log no longer tells: values of secrets that were reset or replaced. Who changed them and when stays.
extension LogEntry {
  /// Takes the values of settings out, save what a change led to if that is in effect still; false if there were none.
  mutating func forget(_ names: NameSet, keepingNew: Bool = false) -> Bool {
    forget(keepingNew: keepingNew) { names.contains($0) }
  }

  mutating func forget(keepingNew: Bool = false, _ isMeant: (String) -> Bool) -> Bool {
    var hasForgotten = false
    for index in changes.indices where isMeant(changes[index].name) {
      if changes[index].old != nil {
        changes[index].old = nil
        changes[index].isOldForgotten = true
        hasForgotten = true
      }
      if !keepingNew, changes[index].new != nil {
        changes[index].new = nil
        changes[index].isNewForgotten = true
        hasForgotten = true
      }
    }
    for index in edits.indices where isMeant(edits[index].name) {
      guard edits[index].old != nil else { continue }
      edits[index].old = nil
      edits[index].oldExpires = nil
      edits[index].isForgotten = true
      hasForgotten = true
    }
    return hasForgotten
  }

  /// Fails if undoing the commit would have to bring back what was forgotten.
  func requireRemembered() throws(StoreError) {
    for edit in edits where edit.isForgotten {
      throw StoreError(
        .notFound,
        "revision \(revision) changed the secret `\(edit.name)`, whose former value the log has forgotten",
        setting: edit.name)
    }
  }
}

/// The settings that are secret: by their names, and those of which a namespace's owner says so, as by how their names begin, unless a
/// schema decides it.
struct SecretSettings {
  var names = NameSet()
  fileprivate var declared = NameSet()
  fileprivate var claims: Claims

  var isEmpty: Bool { names.isEmpty && claims.secrets.isEmpty }

  func contains(_ name: String) -> Bool {
    names.contains(name) || !claims.secrets.isEmpty && !declared.contains(name) && claims.isSecret(name)
  }
}

extension View {
  /// Takes the values of settings out of the log; how many commits it told them of.
  @discardableResult
  func forget(_ names: NameSet) throws(StoreError) -> Int {
    let needles = names.names.map { $0.bytes }
    var found: [UInt64] = []
    try walkStoredLog { (revision, value) throws(StoreError) in
      if value.holdsAny(of: needles) { found.append(revision) }
      return true
    }
    return try forget(inEntries: found) { names.contains($0) }
  }

  /// The same of what a commit takes away: in the log, and in its own entry.
  @inline(never)
  fileprivate func forget(_ names: NameSet, _ entry: inout LogEntry) throws(StoreError) {
    guard !names.isEmpty else { return }
    try forget(names)
    _ = entry.forget(names, keepingNew: true)
  }

  /// Forgets what was secret and is none any more under the schema that a commit has stored: undoing would show it.
  func forget(noLongerSecret former: NameSet, _ entry: inout LogEntry) throws(StoreError) {
    let claims = try claims()
    var past = NameSet()
    for name in former.names where try !isSecret(asDeclared: resolveAlias(name), nil, claims) { past.insert(name) }
    try forget(past, &entry)
  }

  /// Takes all values of secrets out of the log: those in effect are in their layers. How many commits it told them of.
  func forgetSecrets() throws(StoreError) -> Int {
    var secrets = try secretSettings()
    // Those of settings that were secrets once.
    try walkLog(withEdits: false, opens: false) { (_, entry, _) throws(StoreError) in
      guard let entry else { return true }
      for change in entry.changes where change.isSecret && (change.old != nil || change.new != nil) {
        secrets.names.insert(change.name)
      }
      return true
    }
    guard !secrets.isEmpty else { return 0 }
    var found: [UInt64] = []
    try walkLog(opens: false) { (revision, entry, _) throws(StoreError) in
      if var entry, entry.forget({ secrets.contains($0) }) { found.append(revision) }
      return true
    }
    return try forget(inEntries: found) { secrets.contains($0) }
  }

  private func forget(inEntries revisions: [UInt64], _ isMeant: (String) -> Bool) throws(StoreError) -> Int {
    var count = 0
    for revision in revisions {
      do throws(StoreError) {
        guard var entry = try logEntry(revision, opens: false), entry.forget(isMeant) else { continue }
        try putLogEntry(entry)
        count += 1
      } catch {
        // What is damaged is for its readers to report.
        guard error.code == .corrupt else { throw error }
      }
    }
    return count
  }

  /// The settings that are secret, or were when they were declared; one whose declaration is damaged counts as well.
  ///
  /// - Parameter isDamaged: whether what is damaged beside that says nothing: it is about to be replaced.
  func secretSettings(isDamaged: Bool = false) throws(StoreError) -> SecretSettings {
    var names: [String] = []
    try walk(databases.schema) { (key, _) throws(StoreError) in
      if let name = key.text { names.append(name) }
      return true
    }
    var secrets = SecretSettings(claims: .none)
    for name in names {
      do throws(StoreError) {
        guard let descriptor = try descriptor(name) else { continue }
        if descriptor.holdsSecret { secrets.names.insert(name) } else { secrets.declared.insert(name) }
      } catch {
        guard error.code == .corrupt else { throw error }
        secrets.names.insert(name)
      }
    }
    func add(_ part: () throws(StoreError) -> Void) throws(StoreError) {
      do throws(StoreError) { try part() } catch { guard isDamaged, error.code == .corrupt else { throw error } }
    }
    try add { () throws(StoreError) in secrets.claims = try claims() }
    try add { () throws(StoreError) in
      let orphans = try orphans()
      for name in orphans.names where orphans.facts(name)?.isSecret == true { secrets.names.insert(name) }
    }
    return secrets
  }

  /// An entry for watches: in place of what was forgotten stands what is in effect now.
  func withPresentValues(_ entry: LogEntry?) throws(StoreError) -> LogEntry? {
    guard var entry else { return nil }
    for index in entry.changes.indices where entry.changes[index].isNewForgotten {
      let name = entry.changes[index].name
      entry.changes[index].new =
        try effective(name).map { (record) throws(StoreError) in
          try current(record, name, at: .now).value
        } ?? nil
    }
    return entry
  }
}

extension Committer {
  /// Whether nothing is to be left of a setting's value once it goes.
  func isSecret(_ setting: KnownSetting) throws(StoreError) -> Bool {
    let admission = view.admission(setting.name, try memory.row(setting, view), isAdmitted: memory.admits(setting.name))
    if let declared = admission.declared { return declared.descriptor.holdsSecret }
    if memory.claims.isSecret(setting.name) { return true }
    guard !admission.counts else { return false }
    // It may have been one if nobody took note.
    return try view.orphans().facts(setting.name)?.isSecret ?? true
  }

  /// Forgets the values of secrets that the commit takes away.
  func forget(_ names: NameSet, _ entry: inout LogEntry) throws(StoreError) {
    guard !names.isEmpty else { return }
    try view.forget(names, &entry)
    // Entries have become smaller.
    memory.logTail = nil
  }
}

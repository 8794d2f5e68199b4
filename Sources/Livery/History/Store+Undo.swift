extension Store {
  /// Undoes a commit: gives the layers that it changed back the values that it replaced, as a new commit.
  ///
  /// Corresponds to `livery_undo` in C.
  ///
  /// - Parameter force: undo even if later commits changed the same values, and without the secrets that were forgotten.
  /// - Returns: the revision of the new commit.
  /// - Throws: `.notFound` if the log does not hold the revision, or has forgotten the value of a secret that it replaced, `.conflict` with the names if later commits changed the
  ///   same values, `.readOnly` if it applied a schema; and as `ChangeSet.commit`.
  @discardableResult
  public func undo(_ revision: UInt64, force: Bool = false) throws(StoreError) -> UInt64 {
    let result = try commitEdit { (view) throws(StoreError) in
      var request = try undoing(revision, force, view)
      request.allowsOverride = options.allowOverride
      return request
    }
    if result.isRefused { throw StoreError(refusing: result.refusals) }
    return result.revision
  }

  private func undoing(_ revision: UInt64, _ force: Bool, _ view: View) throws(StoreError) -> CommitRequest {
    var request = CommitRequest()
    request.origin = "undo \(revision)"
    if try view.pendingTrial()?.term.revision == revision {
      request.trialEnd = TrialEnd(confirms: false, revision: revision)
      return request
    }
    guard let entry = try view.logEntry(revision) else {
      throw StoreError(.notFound, "the log holds no revision \(revision)")
    }
    guard !entry.isSchema else {
      throw StoreError(.readOnly, "revision \(revision) applied a schema, which cannot be undone")
    }
    if case .confirmed(let begun)? = entry.trial {
      throw StoreError(
        .readOnly,
        "revision \(revision) confirmed a trial, which cannot be undone: undo revision \(begun), which began it")
    }
    guard !entry.isTooLarge || !entry.edits.isEmpty else {
      throw StoreError(.notFound, "the log does not hold what revision \(revision) changed")
    }
    if !force {
      try entry.requireRemembered()
      let later = try LaterChanges(revision, entry, view)
      guard later.names.isEmpty else { throw later.conflict }
    }
    // With the schema of the commit what it could change can be changed back.
    let isOfSchema = try !view.hasSchema(after: revision)
    request.layer = entry.layer
    request.passesReadOnly = isOfSchema
    request.passedLocks = revision
    let now = Timestamp.now
    // The first replaced value of a place is the one before the commit.
    var places = ByteIndex()
    // The schema alone makes defaults: it has them already.
    for edit in entry.edits
    where !edit.isForgotten && edit.layer != .defaults && places.insert(LayerKey(edit.layer, edit.name).bytes).isNew {
      var action = Edit.Action.reset
      if let old = edit.old, edit.oldExpires.map({ $0 > now }) ?? true { action = .set(old) }
      var made = Edit(name: edit.name, layer: edit.layer, action: action, expires: action.isSet ? edit.oldExpires : nil)
      // What was orphaned comes back as that.
      if isOfSchema, action.isSet, try !view.admission(edit.name).counts {
        made.provenance = Edit.Provenance(revision: 0, time: now, origin: request.origin, isSetAside: true)
      }
      request.edits.append(made)
    }
    // The log does not keep the order of edits: which refusal is told first must not depend on it. A lock that the commit
    // brought goes before what it locks, and one that it took away comes back after that.
    request.edits.sort {
      $0.name.sameBytes(as: $1.name) ? $0.lockOrder < $1.lockOrder : $0.name.precedesInBytes($1.name)
    }
    return request
  }
}

extension View {
  /// Whether a schema was applied after a revision that the log holds.
  fileprivate func hasSchema(after revision: UInt64) throws(StoreError) -> Bool {
    var isThere = false
    try walkLog(after: revision, withEdits: false, opens: false) { (_, entry, _) in
      isThere = entry?.isSchema ?? false
      return !isThere
    }
    return isThere
  }
}

/// The settings of an entry that commits after it changed.
private struct LaterChanges {
  private var found = NameSet()

  var names: [String] { found.names }

  init(_ revision: UInt64, _ entry: LogEntry, _ view: View) throws(StoreError) {
    try lookIntoLog(revision, entry, view)
    try lookIntoLayers(entry, view)
  }

  private mutating func lookIntoLog(_ revision: UInt64, _ entry: LogEntry, _ view: View) throws(StoreError) {
    var touched = NameSet()
    for edit in entry.edits { touched.insert(edit.name) }
    for change in entry.changes { touched.insert(change.name) }
    try view.walkLog(after: revision, opens: false) { (_, entry, _) throws(StoreError) in
      // A schema's entry tells only what changed for readers.
      guard let entry, !entry.isSchema, !entry.isTooLarge || !entry.edits.isEmpty else {
        for change in entry?.changes ?? [] where touched.contains(change.name) { found.insert(change.name) }
        return true
      }
      for edit in entry.edits where touched.contains(edit.name) { found.insert(edit.name) }
      for change in entry.changes where touched.contains(change.name) { found.insert(change.name) }
      return true
    }
  }

  /// The layers have to hold what the commit left there, whatever the log says or has lost.
  private mutating func lookIntoLayers(_ entry: LogEntry, _ view: View) throws(StoreError) {
    // The last edit of a place left what there was after the commit.
    var places = ByteIndex()
    for edit in entry.edits.reversed() {
      let place = LayerKey(edit.layer, edit.name)
      guard places.insert(place.bytes).isNew else { continue }
      if try view.revision(of: place) != edit.left { found.insert(edit.name) }
    }
  }

  /// Of so many settings as a person reads.
  var conflict: StoreError {
    let shown = names.prefix(20).map { "`\($0)`" }.joined(separator: ", ")
    let more = names.count > 20 ? " and \(names.count - 20) more" : ""
    return StoreError(.conflict, "later commits changed \(shown)\(more)", setting: names.first)
  }
}

extension Edit {
  /// When it is made among the edits of its setting.
  fileprivate var lockOrder: Int { layer == .enforced ? (action.isSet ? 2 : 0) : 1 }
}

extension Edit.Action {
  fileprivate var isSet: Bool {
    if case .set = self { return true }
    return false
  }
}

extension Store {
  /// Undoes a commit: gives the layers that it changed back the values that it replaced, as a new commit.
  ///
  /// Corresponds to `livery_undo` in C.
  ///
  /// - Parameter force: undo even if later commits changed the same values.
  /// - Returns: the revision of the new commit.
  /// - Throws: `.notFound` if the log does not hold the revision, `.conflict` with the names if later commits changed the
  ///   same values, `.readOnly` if it applied a schema; and as `ChangeSet.commit`.
  @discardableResult
  public func undo(_ revision: UInt64, force: Bool = false) throws(StoreError) -> UInt64 {
    var request = try read { (view) throws(StoreError) in try undoing(revision, force, view) }
    request.allowsOverride = options.allowOverride
    let result = try commit(request)
    if result.isRefused { throw StoreError(refusing: result.refusals) }
    return result.revision
  }

  private func undoing(_ revision: UInt64, _ force: Bool, _ view: View) throws(StoreError) -> CommitRequest {
    guard let entry = try view.logEntry(revision) else {
      throw StoreError(.notFound, "the log holds no revision \(revision)")
    }
    guard !entry.isSchema else {
      throw StoreError(.readOnly, "revision \(revision) applied a schema, which cannot be undone")
    }
    guard !entry.isTooLarge else {
      throw StoreError(.notFound, "revision \(revision) changed too much for the log to hold it")
    }
    if !force {
      let later = try changedSince(revision, entry, view)
      guard later.isEmpty else {
        throw StoreError(
          .conflict, "later commits changed \(later.map { "`\($0)`" }.joined(separator: ", "))", setting: later.first)
      }
    }
    var request = CommitRequest()
    request.origin = "undo \(revision)"
    request.layer = entry.layer
    let now = Timestamp.now
    // The first replaced value of a place is the one before the commit.
    var places = ByteIndex()
    for edit in entry.edits where places.insert(LayerKey(edit.layer, edit.name).bytes).isNew {
      var action = Edit.Action.reset
      if let old = edit.old, edit.oldExpires.map({ $0 > now }) ?? true { action = .set(old) }
      request.edits.append(
        Edit(name: edit.name, layer: edit.layer, action: action, expires: action.isSet ? edit.oldExpires : nil))
    }
    if !force {
      for edit in request.edits {
        request.expectations.append((edit.name, edit.layer, try view.revision()))
      }
    }
    return request
  }

  /// The settings of an entry that later commits touched.
  private func changedSince(_ revision: UInt64, _ entry: LogEntry, _ view: View) throws(StoreError) -> [String] {
    var touched = NameSet()
    for edit in entry.edits { touched.insert(edit.name) }
    for change in entry.changes { touched.insert(change.name) }
    var later = NameSet()
    try view.walkLog(after: revision) { (_, entry, _) throws(StoreError) in
      guard let entry else { return true }
      for edit in entry.edits where touched.contains(edit.name) { later.insert(edit.name) }
      for change in entry.changes where touched.contains(change.name) { later.insert(change.name) }
      return true
    }
    return later.names
  }
}

extension Edit.Action {
  fileprivate var isSet: Bool {
    if case .set = self { return true }
    return false
  }
}

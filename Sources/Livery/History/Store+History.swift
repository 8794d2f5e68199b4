/// Which commits `Store.history` tells. Corresponds to `livery_history_options` in C.
public struct HistoryFilter: Sendable {
  /// Only commits that touched a setting that matches; see `NamePattern`.
  public var pattern: String?
  /// Only commits that changed something in it.
  public var layer: Layer?
  public var origin: String?
  /// Only commits from this moment on, and before that one.
  public var since: Timestamp?
  public var until: Timestamp?
  /// Only commits before this revision; 0 for all.
  public var beforeRevision: UInt64 = 0
  /// The most commits; 0 for no limit.
  public var limit = 0

  public init() {}
}

extension Store {
  /// The commits that the log still holds, the latest first: a list of objects, described at `livery_history` in C.
  public func history(_ filter: HistoryFilter = HistoryFilter()) throws(StoreError) -> Value {
    let pattern = try filter.pattern.map { (text) throws(StoreError) in try NamePattern(text) }
    return try read { (view) throws(StoreError) in
      var found: [LogEntry] = []
      // Trials that changed what is asked for.
      var trials: [UInt64] = []
      try view.walkLog { (revision, entry, _) throws(StoreError) in
        if filter.beforeRevision > 0, revision >= filter.beforeRevision { return false }
        guard let entry else { throw StoreError.damaged("the log entry of revision \(revision)") }
        // A confirmation changes nothing: it is of the settings that its trial changed.
        var isOfTrial = false
        switch entry.trial {
        case .begun? where filter.changes(entry, pattern) && filter.concerns(entry, pattern): trials.append(revision)
        case .confirmed(let begun)?: isOfTrial = trials.contains(begun)
        default: break
        }
        let concerns = isOfTrial || filter.changes(entry, pattern) && filter.concerns(entry, pattern)
        if concerns, filter.matches(entry) { found.append(entry) }
        return true
      }
      var items: [Value] = []
      for entry in found.reversed() {
        if filter.limit > 0, items.count == filter.limit { break }
        items.append(try item(entry, pattern, view))
      }
      return .list(items)
    }
  }

  private func item(_ entry: LogEntry, _ pattern: NamePattern?, _ view: View) throws(StoreError) -> Value {
    var changes: [Value] = []
    let replacements = Replacements(entry)
    for change in entry.changes where pattern?.matches(change.name) ?? true {
      var members: [Value.Member] = [
        .init("name", .string(change.name)), .init("layer", .string(change.layer.description)),
      ]
      if let old = change.old, !old.isSealed { members.append(.init("old", old)) }
      if let new = change.new, !new.isSealed { members.append(.init("new", new)) }
      if change.old?.isSealed == true || change.new?.isSealed == true {
        members.append(.init("unavailable", .bool(true)))
      }
      if change.isForgotten { members.append(.init("forgotten", .bool(true))) }
      let replaced = replacements.edits(of: change.name, by: change.layer)
      if !replaced.isEmpty {
        members.append(.init("replaced", .list(replaced.map { .string($0.layer.description) })))
      }
      if change.isExpiry { members.append(.init("expired", .bool(true))) }
      if let writable = change.writable { members.append(.init("writable", .bool(writable))) }
      var isSecret = change.isSecret
      if !isSecret {
        let declared = try view.descriptor(change.name)
        isSecret = try view.isSecret(change.name, declared, change.new)
        if !isSecret { isSecret = try view.isSecret(change.name, declared, change.old) }
      }
      if isSecret { members.append(.init("secret", .bool(true))) }
      changes.append(.object(members))
    }
    var members: [Value.Member] = [
      .init("revision", .int(Int64(clamping: entry.revision))), .init("time", .date(entry.time)),
      .init("layer", .string(entry.layer.description)), .init("origin", .string(entry.origin)),
      .init("kind", .string(entry.isSchema ? "schema" : entry.trial?.description ?? "change")),
      .init("changes", .list(changes)),
    ]
    switch entry.trial {
    case .begun(let length): members.append(.init("length", .int(length)))
    case .confirmed(let revision), .reverted(let revision):
      members.append(.init("trial", .int(Int64(clamping: revision))))
    case nil: break
    }
    if entry.isTooLarge { members.append(.init("tooLarge", .bool(true))) }
    return .object(members)
  }
}

extension HistoryFilter {
  fileprivate func matches(_ entry: LogEntry) -> Bool {
    if let origin, !origin.sameBytes(as: entry.origin) { return false }
    if let since, entry.time < since { return false }
    if let until, entry.time >= until { return false }
    return true
  }

  /// Whether a commit changed something in the layer that is asked for: one may be of several.
  fileprivate func changes(_ entry: LogEntry, _ pattern: NamePattern?) -> Bool {
    guard let layer else { return true }
    guard !entry.edits.isEmpty else { return layer == entry.layer }
    return entry.edits.contains { $0.layer == layer && pattern?.matches($0.name) != false }
      || entry.changes.contains { $0.layer == layer && pattern?.matches($0.name) != false }
  }

  fileprivate func concerns(_ entry: LogEntry, _ pattern: NamePattern?) -> Bool {
    guard let pattern else { return true }
    return entry.changes.contains { pattern.matches($0.name) } || entry.edits.contains { pattern.matches($0.name) }
  }
}

import CLivery

/// Which commits `Store.history` tells. Corresponds to `livery_history_options` in C.
public struct HistoryFilter: Sendable {
  /// Only those that touched a setting that matches.
  public var pattern: String?
  public var layer: Layer?
  public var origin: String?
  /// Only those from this moment on, and before that one.
  public var since: Timestamp?
  public var until: Timestamp?
  /// Only those before this revision; 0 for all.
  public var beforeRevision: UInt64 = 0
  /// The most commits; 0 for no limit.
  public var limit = 0

  public init() {}
}

extension Store {
  /// The commits that the log still holds, the latest first: a list of objects. Corresponds to `livery_history` in C.
  public func history(_ filter: HistoryFilter = HistoryFilter()) throws(StoreError) -> Value {
    var value: OpaquePointer?
    var options = livery_history_options()
    options.struct_size = MemoryLayout<livery_history_options>.size
    options.has_layer = filter.layer != nil
    options.layer = filter.layer?.number ?? 0
    options.since = filter.since?.moment ?? 0
    options.until = filter.until?.moment ?? 0
    options.before_revision = filter.beforeRevision
    options.limit = max(0, filter.limit)
    try filter.origin?.checkHasNoNUL()
    try passing(filter.pattern) { (pattern) in
      options.pattern = pattern
      return filter.origin.withCString {
        options.origin = $0
        return livery_history(handle, &options, &value)
      }
    }
    return try Value(taking: value)
  }

  /// Undoes a commit as a new one, whose revision it returns. Corresponds to `livery_undo` in C.
  ///
  /// - Parameter force: also if later commits changed the same values.
  /// - Throws: `.notFound`, `.conflict`, `.locked`; as `ChangeSet.commit()`.
  @discardableResult
  public func undo(_ revision: UInt64, force: Bool = false) throws(StoreError) -> UInt64 {
    var made: UInt64 = 0
    try check(livery_undo(handle, revision, force ? UInt32(LIVERY_UNDO_FORCE) : 0, &made))
    return made
  }
}

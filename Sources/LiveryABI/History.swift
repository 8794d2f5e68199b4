import CLivery
import Livery

@_cdecl("livery_history") @implementation
public func livery_history(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_history_options>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.history(HistoryFilter(options)), to: value)
  }
}

extension HistoryFilter {
  init(_ pointer: UnsafePointer<livery_history_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_history_options())
    pattern = try optionalPattern(options.pattern)
    if options.has_layer { layer = try LiveryABI.layer(options.layer) }
    if let text = options.origin { origin = try argument(text, limit: LIVERY_ORIGIN_MAX, "origin") }
    if options.since != 0 { since = Timestamp(microseconds: options.since) }
    if options.until != 0 { until = Timestamp(microseconds: options.until) }
    beforeRevision = options.before_revision
    // A limit beyond Int.max comes in as a negative number, and is none.
    limit = max(options.limit, 0)
  }
}

@_cdecl("livery_undo") @implementation
public func livery_undo(
  _ store: OpaquePointer?, _ revision: UInt64, _ flags: UInt32, _ new_revision: UnsafeMutablePointer<UInt64>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try checkFlags(flags, known: LIVERY_UNDO_FORCE)
    let undone = try object.store.undo(revision, force: flags & UInt32(LIVERY_UNDO_FORCE) != 0)
    new_revision?.pointee = undone
  }
}

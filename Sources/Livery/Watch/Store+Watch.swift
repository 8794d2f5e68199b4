import LMDB

/// A watch; it ends with `cancel`, when the store is closed, or with the last reference to it.
///
/// Corresponds to `livery_watch` in C.
public final class Observation: Sendable {
  private let state: WatchState
  private let shared: SharedStore
  private let store: Store

  fileprivate init(_ state: WatchState, _ store: Store) {
    self.state = state
    self.store = store
    shared = store.shared
  }

  deinit {
    cancel()
  }

  /// Ends the watch: a call under way finishes, none begins afterwards. False if it had ended before.
  @discardableResult
  public func cancel() -> Bool {
    guard store.isOfThisProcess else { return false }
    return shared.hub.stop(state, shared)
  }

  /// Pauses the watch, or lets it go on: what happened meanwhile is told then. See `livery_watch_pause` in C.
  public func setPaused(_ isPaused: Bool) throws(StoreError) {
    try store.whileOpen { () throws(StoreError) in try shared.hub.setPaused(isPaused, state, shared) }
  }
}

extension Store {
  /// Watches settings: `handler` is called after every commit, of any process, that changes the effective value or the
  /// writability of one of them, in the order of revisions. None is missed; see `Event.Kind.resync`.
  ///
  /// The handler runs on the watcher thread, or with `WatchOptions.dispatched` in `dispatch`. It may call anything.
  /// Corresponds to `livery_watch_start` in C.
  ///
  /// - Parameters:
  ///   - pattern: see `NamePattern`; nil for all.
  ///   - onEnd: runs once, after the last call.
  public func observe(
    _ pattern: String? = nil, options: WatchOptions = WatchOptions(), onEnd: @escaping @Sendable () -> Void = {},
    _ handler: @escaping @Sendable ([Event]) -> Void
  ) throws(StoreError) -> Observation {
    let asked = try pattern.map { (text) throws(StoreError) in try NamePattern(text) }
    return try whileOpen { () throws(StoreError) in
      let start = try shared.read { (view) throws(StoreError) in try WatchStart(view, asked, pattern, options) }
      let state = WatchState(
        owner: identity, name: asked?.isLiteral == true ? pattern : nil, options: options,
        descriptor: options.dispatched ? descriptor : nil, logLimits: self.options.readOnly ? nil : logLimits,
        start: start, onEnd: onEnd, handler: handler)
      try shared.hub.add(state, shared)
      return Observation(state, self)
    }
  }

  /// A descriptor that becomes readable when `dispatch` has something to do; it belongs to the store.
  ///
  /// Corresponds to `livery_event_fd` in C.
  public func eventDescriptor() throws(StoreError) -> Int32 {
    try whileOpen { () throws(StoreError) in
      let number = try descriptor.number()
      // What happened before it was asked for is signalled too.
      descriptor.signal()
      return number
    }
  }

  /// Calls the handlers of the dispatched watches, as far as there are events for them; the number of calls made.
  ///
  /// Corresponds to `livery_dispatch` in C.
  @discardableResult
  public func dispatch() throws(StoreError) -> Int {
    try whileOpen { () throws(StoreError) in
      descriptor.drain()
      return try shared.hub.dispatch(identity, descriptor, shared)
    }
  }
}

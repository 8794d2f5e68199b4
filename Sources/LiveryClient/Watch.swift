import CLivery
import Synchronization

/// How to watch. Corresponds to `livery_watch_options` in C.
public struct WatchOptions: Sendable {
  /// Begin with the present values.
  public var initial = false
  /// Call from `Store.dispatch` alone, in place of the watcher thread.
  public var dispatched = false
  /// The least time between two calls; changes of one setting that fall together are told as one.
  public var minimumInterval = Duration.zero
  /// Whether events carry values: without them each costs less, however large they are.
  public var hasValues = true

  public init() {}
}

/// A watch; it ends with `cancel`, when the store is closed, or with the last reference to it.
///
/// Corresponds to `livery_watch` in C.
public final class Observation: @unchecked Sendable {
  private let handle: OpaquePointer?
  private let hasEnded: HasEnded

  fileprivate init(_ handle: OpaquePointer?, _ hasEnded: HasEnded) {
    self.handle = handle
    self.hasEnded = hasEnded
  }

  deinit { cancel() }

  /// Ends the watch: a call under way finishes, none begins afterwards. False if it had ended before.
  @discardableResult
  public func cancel() -> Bool {
    guard !hasEnded.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    return livery_watch_stop(handle) == livery_status(LIVERY_OK)
  }

  /// Pauses the watch, or lets it go on: what happened meanwhile is told then. Corresponds to `livery_watch_pause` in C.
  public func setPaused(_ isPaused: Bool) throws(StoreError) {
    try check(livery_watch_pause(handle, isPaused))
  }
}

/// Known to both, so that a watch which the store has ended is not stopped again: that would leave an error.
private final class HasEnded: Sendable {
  let isSet = Atomic<Bool>(false)
}

extension Store {
  /// Watches settings: `handler` is called after every commit, of any process, that changes the effective value or the
  /// writability of one of them, in the order of revisions. None is missed; see `Event.Kind.resync`.
  ///
  /// The handler runs on the watcher thread, or with `WatchOptions.dispatched` in `dispatch`. It may call anything.
  /// Corresponds to `livery_watch_start` in C.
  ///
  /// - Parameters:
  ///   - pattern: see `list(_:after:limit:)`; nil for all.
  ///   - onEnd: runs once, after the last call, or before observing throws.
  public func observe(
    _ pattern: String? = nil, options: WatchOptions = WatchOptions(), onEnd: @escaping @Sendable () -> Void = {},
    _ handler: @escaping @Sendable ([Event]) -> Void
  ) throws(StoreError) -> Observation {
    do throws(StoreError) { try pattern?.checkHasNoNUL() } catch {
      onEnd()
      throw error
    }
    let hasEnded = HasEnded()
    let box = WatchHandler(handler, onEnd, hasEnded, hasValues: options.hasValues)
    var watch: OpaquePointer?
    var content = livery_watch_options()
    content.struct_size = MemoryLayout<livery_watch_options>.size
    content.min_interval_ms = options.minimumInterval.wholeMilliseconds
    if options.initial { content.flags |= UInt32(LIVERY_WATCH_INITIAL) }
    if options.dispatched { content.flags |= UInt32(LIVERY_WATCH_DISPATCH) }
    try passing(pattern) {
      livery_watch_start(
        handle, $0, &content,
        { events, count, userData in Box.of(userData, as: WatchHandler.self).run(events, count) },
        box.handed, Box.letGo, &watch)
    }
    return Observation(watch, hasEnded)
  }

  /// Has a function run once on the watcher thread, between the calls of watches; or by `dispatch`, as dispatched watches are.
  ///
  /// What was posted runs in its order, outside of every lock and transaction, and may call anything. It does not run if the
  /// store is closed before its turn. Corresponds to `livery_post` in C.
  ///
  /// - Parameter onEnd: runs once: after the function, when the store is closed before, or before posting throws.
  /// - Throws: `.busy` if no thread can be had.
  public func post(
    dispatched: Bool = false, onEnd: @escaping @Sendable () -> Void = {}, _ function: @escaping @Sendable () -> Void
  ) throws(StoreError) {
    let box = PostedFunction(function, onEnd)
    try check(
      livery_post(
        handle, dispatched ? UInt32(LIVERY_POST_DISPATCH) : 0,
        { userData in Box.of(userData, as: PostedFunction.self).function() }, box.handed, Box.letGo))
  }

  /// A descriptor that becomes readable when `dispatch` has something to do; it belongs to the store.
  ///
  /// Corresponds to `livery_event_fd` in C.
  public func eventDescriptor() throws(StoreError) -> Int32 {
    var descriptor: Int32 = -1
    try check(livery_event_fd(handle, &descriptor))
    return descriptor
  }

  /// Calls the handlers of the dispatched watches and what was posted so, as far as there is something to do; the number of
  /// calls made. Corresponds to `livery_dispatch` in C.
  @discardableResult
  public func dispatch() throws(StoreError) -> Int {
    var count = 0
    try check(livery_dispatch(handle, &count))
    return count
  }
}

private final class WatchHandler: Box {
  private let handler: @Sendable ([Event]) -> Void
  private let onEnd: @Sendable () -> Void
  private let hasEnded: HasEnded
  private let hasValues: Bool

  init(
    _ handler: @escaping @Sendable ([Event]) -> Void, _ onEnd: @escaping @Sendable () -> Void, _ hasEnded: HasEnded,
    hasValues: Bool
  ) {
    self.handler = handler
    self.hasValues = hasValues
    self.onEnd = onEnd
    self.hasEnded = hasEnded
  }

  func run(_ events: UnsafePointer<livery_event>?, _ count: Int) {
    var told: [Event] = []
    told.reserveCapacity(count)
    for event in UnsafeBufferPointer(start: events, count: count) {
      told.append(Event(reading: event, hasValues: hasValues))
    }
    handler(told)
  }

  override func end() {
    hasEnded.isSet.store(true, ordering: .releasing)
    onEnd()
  }
}

private final class PostedFunction: Box {
  let function: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void

  init(_ function: @escaping @Sendable () -> Void, _ onEnd: @escaping @Sendable () -> Void) {
    self.function = function
    self.onEnd = onEnd
  }

  override func end() { onEnd() }
}

/// How to watch. Corresponds to `livery_watch_options` in C.
public struct WatchOptions: Sendable {
  /// Begin with the present values.
  public var initial = false
  /// Call from `Store.dispatch` alone, in place of the watcher thread.
  public var dispatched = false
  /// The least time between two calls; changes of one setting that fall together are told as one.
  public var minimumInterval = Duration.zero

  public init() {}
}

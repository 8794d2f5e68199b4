extension Store {
  /// Has a function run once on the watcher thread, between the calls of watches; or by `dispatch`, as dispatched watches are.
  ///
  /// What was posted runs in its order, outside of every lock and transaction, and may call anything. It does not run if the
  /// store is closed before its turn. Corresponds to `livery_post` in C.
  ///
  /// - Parameter onEnd: runs once: after the function, or when the store is closed before.
  /// - Throws: `.busy` if no thread can be had; `onEnd` does not run then.
  public func post(
    dispatched: Bool = false, onEnd: @escaping @Sendable () -> Void = {}, _ function: @escaping @Sendable () -> Void
  ) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      try shared.hub.add(
        Post(owner: identity, descriptor: dispatched ? descriptor : nil, end: onEnd, function), shared)
    }
  }

  /// Forgets what was posted and has not run.
  public func cancelPosts() {
    if isOfThisProcess { shared.hub.cancelPosts(of: identity) }
  }
}

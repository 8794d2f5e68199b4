/// A function that is to run once, on the watcher thread or in `dispatch`.
final class Post: Sendable {
  let owner: UInt64
  /// Set if `dispatch` is to run it.
  let descriptor: EventDescriptor?
  let run: @Sendable () -> Void

  init(owner: UInt64, descriptor: EventDescriptor?, _ run: @escaping @Sendable () -> Void) {
    self.owner = owner
    self.descriptor = descriptor
    self.run = run
  }
}

extension Store {
  /// Has a function run once on the watcher thread, between the calls of watches; or by `dispatch`, as dispatched watches are.
  ///
  /// What was posted runs in its order, outside of every lock and transaction, and may call anything. It does not run if the
  /// store is closed before its turn. Corresponds to `livery_post` in C.
  ///
  /// - Throws: `.busy` if no thread can be had.
  public func post(dispatched: Bool = false, _ function: @escaping @Sendable () -> Void) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      try shared.hub.add(Post(owner: identity, descriptor: dispatched ? descriptor : nil, function), shared)
    }
  }
}

/// A function that is to run once, on the watcher thread or in `dispatch`. Whoever has taken it out of the queue ends it.
final class Post: Sendable {
  let owner: UInt64
  /// Set if `dispatch` is to run it.
  let descriptor: EventDescriptor?
  let run: @Sendable () -> Void
  /// Lets go of what belongs to the function, also where that has not run, or has ended its thread.
  let end: @Sendable () -> Void

  init(
    owner: UInt64, descriptor: EventDescriptor?, end: @escaping @Sendable () -> Void,
    _ run: @escaping @Sendable () -> Void
  ) {
    self.owner = owner
    self.descriptor = descriptor
    self.end = end
    self.run = run
  }

  /// Whether a handle has posted it for its `dispatch`.
  func isDispatched(of owner: UInt64) -> Bool { self.owner == owner && descriptor != nil }
}

import Synchronization

/// The end of what takes time: `done` runs exactly once, whoever finishes it first, on the store's watcher thread or where
/// the host dispatches. If the store is closed before its turn it runs on the thread that closes it.
///
/// A function that starts something makes one, calls `begin` when its caller has the handle, and `fail` where starting does
/// not succeed. Finish it when the store closes: `onEnd` of a watch tells.
public final class Completion<Success: Sendable>: @unchecked Sendable {
  public typealias Outcome = Result<Success, StoreError>

  private let store: Store
  private let isDispatched: Bool
  private let over: @Sendable () -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var outcome: Outcome?
  private var hasBegun = false
  /// Taken by the first who sees to it that it runs.
  private var done: (@Sendable (Outcome) -> Void)?
  /// What runs it then.
  private var call: OneCall<Outcome>?

  /// - Parameters:
  ///   - dispatched: whether `done` is to run in `Store.dispatch`.
  ///   - over: runs once, after `done`, or when that has ended the watcher thread.
  public init(
    on store: Store, dispatched: Bool = false, over: @escaping @Sendable () -> Void = {},
    _ done: @escaping @Sendable (Outcome) -> Void
  ) {
    self.store = store
    isDispatched = dispatched
    self.over = over
    self.done = done
  }

  /// Whether `done` is on its way, or has run.
  public var isFinished: Bool { lock.withLock { outcome != nil } }

  /// Lets `done` run from now on; it is on its way if the work is finished already.
  public func begin() {
    let call = lock.withLock { () -> OneCall<Outcome>? in
      hasBegun = true
      return outcome.flatMap { take(for: $0) }
    }
    post(call)
  }

  /// Finishes the work; false if it was finished before.
  @discardableResult
  public func finish(_ outcome: Outcome) -> Bool {
    let (isFirst, call) = lock.withLock { () -> (Bool, OneCall<Outcome>?) in
      guard self.outcome == nil else { return (false, nil) }
      self.outcome = outcome
      return (true, hasBegun ? take(for: outcome) : nil)
    }
    post(call)
    return isFirst
  }

  /// Finishes the work, if it is not finished, and lets `done` run here and now, unless another thread runs it already. For
  /// whoever closes the store: what was posted may never have its turn. Nothing runs before `begin`.
  public func settle(_ outcome: Outcome) {
    let call = lock.withLock { () -> OneCall<Outcome>? in
      let settled = self.outcome ?? outcome
      self.outcome = settled
      if hasBegun { _ = take(for: settled) }
      return self.call
    }
    call?.run()
  }

  /// Starting has failed: `done` runs with that, here and now, whatever has finished the work meanwhile.
  public func fail(_ error: StoreError) {
    let call = lock.withLock { () -> OneCall<Outcome>? in
      guard !hasBegun else { return nil }
      hasBegun = true
      outcome = .failure(error)
      return take(for: .failure(error))
    }
    call?.run()
  }

  /// Starting has failed, and nobody is to be told: `done` does not run.
  public func drop() {
    let isDropped = lock.withLock { () -> Bool in
      guard !hasBegun, done != nil else { return false }
      hasBegun = true
      done = nil
      return true
    }
    if isDropped { over() }
  }

  /// Call it with the lock held.
  private func take(for outcome: Outcome) -> OneCall<Outcome>? {
    guard let done else { return nil }
    self.done = nil
    call = OneCall(done, outcome, over)
    return call
  }

  private func post(_ call: OneCall<Outcome>?) {
    guard let call else { return }
    // Where posting fails, or the store is closed before, the end comes all the same.
    try? store.post(dispatched: isDispatched, onEnd: { call.endPosted() }) { call.run(isPosted: true) }
  }
}

/// A function that runs the first time that it is asked to, and is let go of then, with its argument.
private final class OneCall<Argument: Sendable>: @unchecked Sendable {
  private var function: (@Sendable (Argument) -> Void)?
  private var argument: Argument?
  private var over: (@Sendable () -> Void)?
  private let hasRun = Atomic<Bool>(false)
  /// Whether it runs, or has run, because it was posted.
  private var isPosted = false

  init(
    _ function: @escaping @Sendable (Argument) -> Void, _ argument: Argument, _ over: @escaping @Sendable () -> Void
  ) {
    self.function = function
    self.argument = argument
    self.over = over
  }

  func run(isPosted: Bool = false) {
    guard !hasRun.exchange(true, ordering: .acquiringAndReleasing) else { return }
    if isPosted { self.isPosted = true }
    let (function, argument) = (function, argument)
    self.function = nil
    self.argument = nil
    if let argument { function?(argument) }
    end()
  }

  /// The post has ended: after the function, before it, or with its thread.
  func endPosted() {
    run()
    if isPosted { end() }
  }

  private func end() {
    let over = over
    self.over = nil
    over?()
  }
}

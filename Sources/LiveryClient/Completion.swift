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
  private let lock = Lock()
  // Guarded by `lock`.
  private var outcome: Outcome?
  private var hasBegun = false
  /// Taken by the one who sees to it that it runs.
  private var done: (@Sendable (Outcome) -> Void)?

  /// - Parameter dispatched: whether `done` is to run in `Store.dispatch`.
  public init(on store: Store, dispatched: Bool = false, _ done: @escaping @Sendable (Outcome) -> Void) {
    self.store = store
    isDispatched = dispatched
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

  /// Call it with the lock held.
  private func take(for outcome: Outcome) -> OneCall<Outcome>? {
    guard let done else { return nil }
    self.done = nil
    return OneCall(done, outcome)
  }

  private func post(_ call: OneCall<Outcome>?) {
    guard let call else { return }
    // Where posting fails, or the store is closed before, the end comes all the same.
    try? store.post(dispatched: isDispatched, onEnd: { call.run() }) { call.run() }
  }
}

/// A function that runs the first time that it is asked to, and is let go of then.
private final class OneCall<Argument: Sendable>: @unchecked Sendable {
  private var function: (@Sendable (Argument) -> Void)?
  private let argument: Argument
  private let hasRun = Atomic<Bool>(false)

  init(_ function: @escaping @Sendable (Argument) -> Void, _ argument: Argument) {
    self.function = function
    self.argument = argument
  }

  func run() {
    guard !hasRun.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let function = function
    self.function = nil
    function?(argument)
  }
}

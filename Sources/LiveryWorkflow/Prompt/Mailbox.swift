import CWorkflow
import LiveryClient

/// What is to be called of a program's, in order and each exactly once: on the store's watcher thread or where the host
/// dispatches; what has not had its turn when the store closes, on the thread that closes it.
final class Mailbox: @unchecked Sendable {
  private let store: Store
  private let isDispatched: Bool
  private let lock = Lock()
  // Guarded by `lock`.
  private var calls: [@Sendable () -> Void] = []
  /// The thread that calls now, and how deep within each other its calls are.
  private var caller: UInt64 = 0
  private var depth = 0
  private var isClosing = false

  init(_ store: Store, dispatched: Bool) {
    self.store = store
    isDispatched = dispatched
  }

  func add(_ call: @escaping @Sendable () -> Void) {
    let isClosing = lock.withLock { () -> Bool in
      calls.append(call)
      return self.isClosing
    }
    // Who closes the store calls what is left.
    if isClosing { return }
    // Where it cannot be posted, or has no turn, the end of what was posted comes all the same.
    try? store.post(dispatched: isDispatched, onEnd: { self.run() }) { self.run() }
  }

  /// From now on nothing is posted any more: `run` is called when all is there.
  func close() { lock.withLock { isClosing = true } }

  /// Calls all that is left; what another thread is calling has been called when this returns, unless that one waits for this.
  func finish() {
    let context = Unmanaged.passUnretained(self)
    repeat {
      run()
      lvw_calls_wait(
        { context in context.map { Unmanaged<Mailbox>.fromOpaque($0).takeUnretainedValue().currentCaller } ?? 0 },
        context.toOpaque())
    } while lock.withLock({ depth == 0 && !calls.isEmpty })
  }

  /// The thread that calls something now, or 0.
  private var currentCaller: UInt64 { lock.withLock { depth == 0 ? 0 : caller } }

  /// Calls what waits, unless another thread is at it.
  func run() {
    let thread = lvw_thread()
    while true {
      let call = lock.withLock { () -> (@Sendable () -> Void)? in
        guard depth == 0 || caller == thread, !calls.isEmpty else { return nil }
        caller = thread
        depth += 1
        return calls.removeFirst()
      }
      guard let call else { return }
      call()
      let isClosing = lock.withLock { () -> Bool in
        depth -= 1
        return self.isClosing
      }
      if isClosing { lvw_calls_end() }
    }
  }
}

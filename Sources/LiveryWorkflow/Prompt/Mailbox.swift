import CWorkflow
import LiveryClient
import Synchronization

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
  /// Whether `finish` is over.
  private var isOver = false

  init(_ store: Store, dispatched: Bool) {
    self.store = store
    isDispatched = dispatched
  }

  func add(_ call: @escaping @Sendable () -> Void) {
    keep(call)
    post()
  }

  /// The first half of `add`: what comes between the two may close the store, and the call has been made then.
  func keep(_ call: @escaping @Sendable () -> Void) {
    let isOver = lock.withLock { () -> Bool in
      calls.append(call)
      return self.isOver
    }
    // Nobody else comes any more.
    if isOver { run() }
  }

  /// The second half: what is kept gets its turn.
  func post() {
    // Who closes the store calls what is left.
    if lock.withLock({ isClosing }) { return }
    let posted = Posted()
    do throws(StoreError) {
      // Where what was posted has no turn, its end comes all the same.
      try store.post(dispatched: isDispatched, onEnd: { if posted.isTaken { self.run() } }) { self.run() }
      posted.take()
    } catch {
      // A handle that takes nothing any more is being closed: also then it is for who closes it.
      if error.code != .closed { run() }
    }
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
    } while lock.withLock({ () -> Bool in
      if depth == 0 && !calls.isEmpty { return true }
      isOver = true
      return false
    })
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

/// Whether posting has succeeded: it ends what it was given also where it fails.
private final class Posted: Sendable {
  private let flag = Atomic<Bool>(false)

  var isTaken: Bool { flag.load(ordering: .acquiring) }
  func take() { flag.store(true, ordering: .releasing) }
}

import CWorkflow
import LiveryClient

/// Somebody who is told of changes of the session.
final class SessionWatch: @unchecked Sendable {
  static let handles = Handles<SessionWatch>(kind: 0x57, noun: "watch")

  private let isDispatched: Bool
  private let lock = Lock()
  // Guarded by `lock`.
  private var keeper: SessionKeeper?
  private var handle: OpaquePointer?
  private var function: (@Sendable (SessionReport) -> Void)?
  /// What was told last; nil for nothing yet.
  private var told: SessionReport?
  private var isPosted = false
  /// The threads that call the function now.
  private var callers: [UInt64] = []

  init(_ keeper: SessionKeeper, isDispatched: Bool, _ function: @escaping @Sendable (SessionReport) -> Void) {
    self.keeper = keeper
    self.isDispatched = isDispatched
    self.function = function
  }

  /// - Parameter initial: begin with the present state.
  func start(initial: Bool) throws(StoreError) -> OpaquePointer {
    guard let keeper = lock.withLock({ keeper }) else { throw SessionKeeper.closed }
    let present = try keeper.report()
    let handle = try Self.handles.insert(self)
    lock.withLock {
      self.handle = handle
      if !initial { told = present }
    }
    do throws(StoreError) { try keeper.add(self) } catch {
      close()
      throw error
    }
    notify()
    return handle
  }

  /// Has the function told what has changed since it was told last, in its turn.
  func notify() {
    let keeper = lock.withLock { () -> SessionKeeper? in
      if isPosted { return nil }
      isPosted = self.keeper != nil
      return self.keeper
    }
    guard let keeper else { return }
    let call = Call()
    let onEnd: @Sendable () -> Void = {
      self.lock.withLock { self.isPosted = false }
      if let thread = call.thread { self.leave(thread) }
    }
    try? keeper.store.post(dispatched: isDispatched, onEnd: onEnd) { self.tell(call) }
  }

  private func tell(_ call: Call) {
    guard
      let keeper = lock.withLock({ () -> SessionKeeper? in
        // What comes from here on is posted anew.
        isPosted = false
        return self.keeper
      }), let report = try? keeper.report()
    else { return }
    let function = lock.withLock { () -> (@Sendable (SessionReport) -> Void)? in
      if let told, told.saysTheSame(as: report) { return nil }
      told = report
      guard let function = self.function else { return nil }
      let thread = lvw_thread()
      call.thread = thread
      callers.append(thread)
      return function
    }
    function?(report)
  }

  private func leave(_ thread: UInt64) {
    lock.withLock {
      if let place = callers.firstIndex(of: thread) { callers.remove(at: place) }
    }
    lvw_calls_end()
  }

  private func isCalling(_ thread: UInt64) -> Bool { lock.withLock { callers.contains(thread) } }

  /// No call begins from here on, and none is under way when this returns, but for those of this thread.
  func stop() {
    lock.withLock { keeper }?.remove(self)
    close()
    for thread in lock.withLock({ callers }) { Awaited(self, thread).wait() }
  }

  /// One of the threads that call.
  private final class Awaited {
    private let watch: SessionWatch
    private let thread: UInt64

    init(_ watch: SessionWatch, _ thread: UInt64) {
      self.watch = watch
      self.thread = thread
    }

    func wait() {
      withExtendedLifetime(self) {
        lvw_calls_wait(
          { context in
            guard let context else { return 0 }
            let awaited = Unmanaged<Awaited>.fromOpaque(context).takeUnretainedValue()
            return awaited.watch.isCalling(awaited.thread) ? awaited.thread : 0
          }, Unmanaged.passUnretained(self).toOpaque())
      }
    }
  }

  /// Ends also where the function ends its thread.
  private final class Call: @unchecked Sendable {
    /// That of the call; nil if none was made.
    var thread: UInt64?
  }

  /// What was handed over goes with the last call that is under way.
  func close() {
    let former = lock.withLock { () -> (OpaquePointer?, (@Sendable (SessionReport) -> Void)?) in
      defer {
        keeper = nil
        handle = nil
        function = nil
      }
      return (handle, function)
    }
    Self.handles.remove(former.0)
    withExtendedLifetime(former.1) {}
  }
}

extension SessionReport {
  func saysTheSame(as other: SessionReport) -> Bool {
    isKnown == other.isKnown && facts == other.facts && user == other.user
  }
}

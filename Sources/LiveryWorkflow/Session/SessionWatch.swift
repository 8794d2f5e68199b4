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
    try? keeper.store.post(dispatched: isDispatched, onEnd: { self.lock.withLock { self.isPosted = false } }) {
      self.tell()
    }
  }

  private func tell() {
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
      return self.function
    }
    function?(report)
  }

  func stop() {
    lock.withLock { keeper }?.remove(self)
    close()
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

import CClient
import LiveryClient

/// What was started on a handle on a store and has to end: each once, and before closing the store returns.
final class Endings: @unchecked Sendable {
  private let store: Store
  private let queue: Queue
  private let lock = Lock()
  // Guarded by `lock`.
  private var hasEnded = false
  private var open: [Int: @Sendable (StoreError) -> Void] = [:]
  private var count = 0

  init(_ store: Store, _ queue: Queue) {
    self.store = store
    self.queue = queue
  }

  /// The end of something; closing the store waits until it was told.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func make<Success: Sendable>(
    dispatched: Bool, _ done: @escaping @Sendable (Result<Success, StoreError>) -> Void
  ) throws(StoreError) -> Completion<Success> {
    let number = lock.withLock { () -> Int in
      count += 1
      return count
    }
    let ending = Completion<Success>(on: store, dispatched: dispatched, over: { self.remove(number) }) { outcome in
      self.queue.calling(LVC_OUTCOME) { done(outcome) }
    }
    // Whoever closes the store waits for what is counted: it finds all of that here.
    try lock.withLock { () throws(StoreError) in
      guard !hasEnded else { throw Driver.closed }
      open[number] = { (error) in ending.settle(.failure(error)) }
      queue.count(LVC_OUTCOME, 1)
    }
    return ending
  }

  private func remove(_ number: Int) {
    let former = lock.withLock { open.removeValue(forKey: number) }
    withExtendedLifetime(former) {}
    queue.count(LVC_OUTCOME, -1)
  }

  /// Ends all of them.
  func end(_ error: StoreError) {
    let ended = lock.withLock { () -> [@Sendable (StoreError) -> Void] in
      hasEnded = true
      return Array(open.values)
    }
    for end in ended { end(error) }
  }
}

/// Something that was started and may be given up, until it has ended.
final class Started: @unchecked Sendable {
  static let handles = Handles<Started>(kind: 0x59, noun: "task")

  private let lock = Lock()
  // Guarded by `lock`.
  private var handle: OpaquePointer?
  private var hasEnded = false
  private var cancel: (@Sendable () -> Void)?

  /// The handle to give out; it has ended if the work has.
  func open(_ cancel: @escaping @Sendable () -> Void) throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    let hasEnded = lock.withLock { () -> Bool in
      self.handle = handle
      if !self.hasEnded { self.cancel = cancel }
      return self.hasEnded
    }
    if hasEnded { Self.handles.remove(handle) }
    return handle
  }

  func end() {
    let (handle, cancel) = lock.withLock { () -> (OpaquePointer?, (@Sendable () -> Void)?) in
      hasEnded = true
      defer { self.cancel = nil }
      return (self.handle, self.cancel)
    }
    Self.handles.remove(handle)
    withExtendedLifetime(cancel) {}
  }

  func stop() { lock.withLock { cancel }?() }
}

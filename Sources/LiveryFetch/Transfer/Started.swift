import LiveryClient

/// Something that was started and may be cancelled, until it has ended.
final class Started: @unchecked Sendable {
  static let handles = Handles<Started>(kind: 0x46, noun: "fetch")

  private let lock = Lock()
  // Guarded by `lock`.
  private var handle: OpaquePointer?
  private var hasEnded = false
  private var cancel: (@Sendable () -> Void)?

  /// How it is cancelled.
  func keep(_ cancel: @escaping @Sendable () -> Void) {
    lock.withLock {
      if !hasEnded { self.cancel = cancel }
    }
  }

  /// The handle to give out; it has ended if the work has.
  func open(_ cancel: @escaping @Sendable () -> Void) throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    keep(cancel)
    let hasEnded = lock.withLock { () -> Bool in
      self.handle = handle
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

import CSystem

/// The descriptor of a store that a main loop polls; made when it is first asked for.
final class EventDescriptor: @unchecked Sendable {
  private let lock = Lock()
  private var descriptor: Int32 = -1

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func number() throws(StoreError) -> Int32 {
    try lock.withLock { () throws(StoreError) in
      if descriptor < 0 { descriptor = lvs_event_make() }
      guard descriptor >= 0 else { throw .system(lvs_errno(), "the event descriptor") }
      return descriptor
    }
  }

  func signal() {
    lock.withLock { if descriptor >= 0 { lvs_event_signal(descriptor) } }
  }

  func drain() {
    lock.withLock { if descriptor >= 0 { lvs_event_drain(descriptor) } }
  }
}

import CLivery
import CTurn
import LiveryClient

/// Somebody who stands in a line.
final class Turn: @unchecked Sendable {
  static let handles = Handles<Turn>(kind: 0x54, noun: "turn")

  private let store: Store
  private let line: Line
  private let who: String
  private let completion: Completion<UInt64>
  private let lock = Lock()
  // Guarded by `lock`.
  private var observation: Observation?
  private var handle: OpaquePointer?
  /// The revision at which it went into the line; nil while it is not there, or is leaving.
  private var since: UInt64?

  init(_ store: Store, _ line: Line, _ who: String, _ completion: Completion<UInt64>) {
    self.store = store
    self.line = line
    self.who = who
    self.completion = completion
  }

  /// Waits and enters the line: last, since it is what might not be taken back if something else fails.
  func start(dispatched: Bool) throws(StoreError) -> OpaquePointer {
    try Claims.claim(store)
    let handle = try Turn.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) {
      try watch(dispatched)
      let revision = try line.enter(who, in: store)
      lock.withLock { since = revision }
      // The watch may have been told of this already, and taken it for nothing.
      look(at: revision)
      return handle
    } catch {
      stop()
      throw error
    }
  }

  private func watch(_ isDispatched: Bool) throws(StoreError) {
    var options = WatchOptions()
    options.dispatched = isDispatched
    let observation = try store.observe(line.setting, options: options, onEnd: { self.end() }) { events in
      for event in events {
        if event.kind == .resync { self.look(at: event.revision) } else { self.look(event.newValue, event.revision) }
      }
    }
    lock.withLock { self.observation = observation }
  }

  /// Leaves the line; what fails may be tried again, unless the store is closed.
  func cancel() throws(StoreError) {
    let since = lock.withLock { () -> UInt64? in
      let since = self.since
      self.since = nil
      return since
    }
    do throws(StoreError) { try line.leave(who, in: store) } catch {
      guard error.code == .closed else {
        lock.withLock { self.since = since }
        throw error
      }
    }
    completion.finish(.failure(StoreError(.turnCancelled, "`\(who)` has left the line", setting: line.setting)))
    stop()
  }

  private func stop() {
    let observation = lock.withLock { () -> Observation? in
      let observation = self.observation
      self.observation = nil
      return observation
    }
    observation?.cancel()
    end()
  }

  /// Reads the line anew.
  private func look(at revision: UInt64) {
    do throws(StoreError) { look(try store.valueIfAny(line.setting), revision) } catch {
      completion.finish(.failure(error))
    }
  }

  private func look(_ value: Value?, _ revision: UInt64) {
    // What was before is of another turn.
    guard let since = lock.withLock({ since }), revision >= since else { return }
    let names = Line.names(value)
    if let first = names.first, Line.isSame(first, who) {
      completion.finish(.success(revision))
    } else if !names.contains(where: { Line.isSame($0, who) }) {
      completion.finish(.failure(StoreError(.turnSentAway, "`\(who)` was sent away", setting: line.setting)))
    }
  }

  /// The watch has ended: by `cancel`, or since the store is closed.
  private func end() {
    completion.finish(.failure(StoreError(.closed, "the store was closed before it was `\(who)`'s turn")))
    let handle = lock.withLock { self.handle }
    Turn.handles.remove(handle)
  }
}

extension StoreError.Code {
  static var turnCancelled: Self { Self(rawValue: Int32(LIVERY_TURN_ERROR_CANCELLED)) }
  static var turnSentAway: Self { Self(rawValue: Int32(LIVERY_TURN_ERROR_SENT_AWAY)) }
}

/// The stores whose lines this library checks.
private final class Claims: @unchecked Sendable {
  private static let shared = Claims()

  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var stores: [UInt] = []

  /// Claims the lines of a store, once for each handle on it.
  static func claim(_ store: Store) throws(StoreError) {
    let number = UInt(bitPattern: store.handle)
    let isKnown = shared.lock.withLock { shared.stores.contains(number) }
    if isKnown { return }
    try store.claim(Line.prefix, onEnd: { shared.forget(number) }) { (value, name) throws(StoreError) in
      try Line.check(value, name)
    }
    shared.lock.withLock { shared.stores.append(number) }
  }

  private func forget(_ number: UInt) {
    lock.withLock { stores.removeAll { $0 == number } }
  }
}

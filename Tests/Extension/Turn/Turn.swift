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
  private var isLeaving = false

  init(_ store: Store, _ line: Line, _ who: String, _ completion: Completion<UInt64>) {
    self.store = store
    self.line = line
    self.who = who
    self.completion = completion
  }

  /// Enters the line and waits; what has begun is taken back if it throws.
  func start(dispatched: Bool) throws(StoreError) -> OpaquePointer {
    try Claims.claim(store)
    let handle = try Turn.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) {
      try line.enter(who, in: store)
      try watch(dispatched)
      return handle
    } catch {
      Turn.handles.remove(handle)
      throw error
    }
  }

  private func watch(_ isDispatched: Bool) throws(StoreError) {
    var options = WatchOptions()
    options.initial = true
    options.dispatched = isDispatched
    do throws(StoreError) {
      let observation = try store.observe(line.setting, options: options, onEnd: { self.end() }) { events in
        for event in events { self.look(event) }
      }
      lock.withLock { self.observation = observation }
    } catch {
      try? line.leave(who, in: store)
      throw error
    }
  }

  /// Leaves the line; what fails may be tried again, unless the store is closed.
  func cancel() throws(StoreError) {
    do throws(StoreError) { try line.leave(who, in: store) } catch  where error.code != .closed {
      throw error
    }
    completion.finish(.failure(StoreError(.turnCancelled, "`\(who)` has left the line", setting: line.setting)))
    let observation = lock.withLock { () -> Observation? in
      let observation = self.observation
      self.observation = nil
      return observation
    }
    observation?.cancel()
    end()
  }

  private func look(_ event: Event) {
    var value = event.newValue
    // What was missed is read anew.
    if event.kind == .resync {
      do throws(StoreError) { value = try store.valueIfAny(line.setting) } catch {
        completion.finish(.failure(error))
        return
      }
    }
    let names = Line.names(value)
    if let first = names.first, Line.isSame(first, who) {
      completion.finish(.success(event.revision))
    } else if !names.contains(where: { Line.isSame($0, who) }), !lock.withLock({ isLeaving }) {
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

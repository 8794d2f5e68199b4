import CSystem
import Synchronization

/// What a handle on a store and its keys have in common: the environment, until the handle is closed.
final class StoreUse: Sendable {
  let shared: SharedEnvironment
  private let process = lvs_process_token()
  private let count = UseCount()

  init(_ shared: SharedEnvironment) {
    self.shared = shared
  }

  var isOfThisProcess: Bool { process == lvs_process_token() }

  /// Runs `body` unless the store is closed or belongs to a parent process; closing waits for it.
  func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    guard isOfThisProcess else {
      throw StoreError(.forked, "the store was opened by this process's parent: open it again")
    }
    guard count.enter() else { throw StoreError(.closed, "the store is closed") }
    defer { if count.leave() { Registry.release(shared) } }
    return try body()
  }

  func close() {
    guard count.close() else { return }
    if isOfThisProcess { shared.snapshots.settle(shared) }
    Registry.release(shared)
  }
}

/// Counts the calls inside an object, so that the last one out, or `close`, lets go of what it holds exactly once.
final class UseCount: Sendable {
  private static let closed = 1 << 62
  private let state = Atomic<Int>(0)

  /// False if closed.
  func enter() -> Bool {
    var expected = state.load(ordering: .relaxed)
    while expected < Self.closed {
      let (exchanged, original) = state.compareExchange(
        expected: expected, desired: expected + 1, ordering: .acquiring)
      if exchanged { return true }
      expected = original
    }
    return false
  }

  var isClosed: Bool { state.load(ordering: .acquiring) >= Self.closed }

  /// Whether the caller has to let go: it was the last one in after a close.
  func leave() -> Bool {
    state.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed
  }

  /// Whether the caller has to let go; false while calls are inside, and if it was closed before.
  func close() -> Bool {
    let before = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
    return before == 0
  }
}

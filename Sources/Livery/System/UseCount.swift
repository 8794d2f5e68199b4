import Synchronization

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

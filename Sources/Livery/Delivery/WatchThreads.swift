import CSystem

/// The watcher threads of a store: one, and beside it for a moment one that nobody needs any more.
final class WatchThreads: Sendable {
  /// How long is waited for their end at most, in nanoseconds: where somebody has damaged the wake word the thread sleeps on for a
  /// second, and what the log is told may be somebody's function, too.
  private static let patience: UInt64 = 50_000_000

  private let monitor = Monitor()
  // Guarded by `monitor`.
  nonisolated(unsafe) private var count = 0
  nonisolated(unsafe) private var isOutside = false

  func begin() { change { count += 1 } }
  func end() { change { count -= 1 } }

  /// Runs somebody's function: it may wait for whoever closes the store.
  func whileOutside(_ function: () -> Void) {
    change { isOutside = true }
    function()
    change { isOutside = false }
  }

  /// A function has ended its thread.
  func comeBack() { change { isOutside = false } }

  func waitForEnd() {
    let deadline = lvs_monotonic_ns() &+ Self.patience
    monitor.lock()
    defer { monitor.unlock() }
    while count > 0, !isOutside {
      guard monitor.wait(until: deadline) else { return }
    }
  }

  private func change(_ body: () -> Void) {
    monitor.lock()
    body()
    monitor.wakeAll()
    monitor.unlock()
  }
}

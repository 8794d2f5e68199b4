import CSystem
import Synchronization

/// Keeps transactions out while the map is moved: LMDB may resize it only while this process has none open.
///
/// Entering is one atomic addition; moving the map is rare, so whoever meets it polls.
final class MapGate: Sendable {
  private let active = Atomic<Int>(0)
  private let moving = Atomic<Bool>(false)

  func enter() {
    while true {
      active.add(1, ordering: .sequentiallyConsistent)
      if !moving.load(ordering: .sequentiallyConsistent) { return }
      active.subtract(1, ordering: .sequentiallyConsistent)
      while moving.load(ordering: .relaxed) { lvs_sleep_us(50) }
    }
  }

  func leave() {
    active.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Runs `body` while no transaction is open but those that `held` counts, or waits for another thread that does the same.
  /// False if others were still open at the deadline (monotonic nanoseconds).
  ///
  /// - Parameter unless: whether it is in vain to wait.
  func close(
    until deadline: UInt64, allowing held: () -> Int = { 0 }, unless: () -> Bool = { false }, _ body: () -> Void
  ) -> Bool {
    guard moving.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged else {
      while moving.load(ordering: .relaxed) {
        guard lvs_monotonic_ns() < deadline else { return false }
        lvs_sleep_us(50)
      }
      return true
    }
    defer { moving.store(false, ordering: .sequentiallyConsistent) }
    while active.load(ordering: .sequentiallyConsistent) > held() {
      guard lvs_monotonic_ns() < deadline, !unless() else { return false }
      lvs_sleep_us(50)
    }
    body()
    return true
  }
}

import CClient
import LiveryClient
import LiveryFleet

/// The drivers of this process, one for each handle on a store.
final class Drivers: @unchecked Sendable {
  private static let shared = Drivers()

  private struct Known {
    var number: UInt
    var process: Int64
    var driver: Driver
  }

  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var known: [Known] = []

  /// The driver of a store, which is made at its first use.
  static func find(_ store: Store) throws(StoreError) -> Driver {
    // Also tells whether the handle is good, and not that of the parent of a process.
    _ = try store.revision()
    // What is read-only is found here, and not by the first commit.
    try store.change(.bundle).discard()
    let number = UInt(bitPattern: store.handle)
    while true {
      let driver: Driver
      if let known = shared.find(number) { driver = known } else { driver = shared.add(try Driver.make(store), number) }
      do throws(StoreError) {
        try driver.claim(onEnd: { shared.forget(driver) })
        return driver
      } catch {
        shared.forget(driver)
        // What another thread could not claim with it is nothing to this one, as long as the store is open.
        guard error.code == .closed else { throw error }
        _ = try store.revision()
      }
    }
  }

  /// The driver of a store, if there is one.
  static func ifAny(_ store: Store) -> Driver? { shared.find(UInt(bitPattern: store.handle)) }

  /// The system has got a network, or one more: who waits for one need not wait any longer.
  static func hearNetwork() {
    for driver in shared.all { driver.queue.run { driver.handle(.network) } }
  }

  private var all: [Driver] {
    lock.withLock { known.filter { $0.process == lvc_process() }.map { $0.driver } }
  }

  private func find(_ number: UInt) -> Driver? {
    lock.withLock {
      for entry in known where entry.number == number && entry.process == lvc_process() { return entry.driver }
      return nil
    }
  }

  /// The one that is known already, if somebody was quicker.
  private func add(_ driver: Driver, _ number: UInt) -> Driver {
    lock.withLock {
      for entry in known where entry.number == number && entry.process == lvc_process() { return entry.driver }
      known.append(Known(number: number, process: lvc_process(), driver: driver))
      return driver
    }
  }

  private func forget(_ driver: Driver) {
    let isKnown = lock.withLock { () -> Bool in
      guard let index = known.firstIndex(where: { $0.driver === driver }) else { return false }
      known.remove(at: index)
      return true
    }
    if isKnown { driver.end() }
  }
}

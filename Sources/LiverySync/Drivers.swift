import LiveryClient
import LiveryFleet

/// The drivers of this process, one for each handle on a store.
enum Drivers {
  private static let all = PerHandle<Driver> { $0.end() }

  /// The driver of a store, which is made at its first use.
  static func find(_ store: Store) throws(StoreError) -> Driver {
    // What is read-only is found here, and not by the first commit.
    try store.change(.bundle).discard()
    return try all.find(store, make: { () throws(StoreError) in try Driver.make(store) }) {
      (driver, onEnd) throws(StoreError) in try driver.claim(onEnd: onEnd)
    }
  }

  /// The driver of a store, if there is one.
  static func ifAny(_ store: Store) -> Driver? { all.ifAny(store) }

  /// The system has got a network, or one more: who waits for one need not wait any longer.
  static func hearNetwork() {
    for driver in all.all { driver.queue.run { driver.handle(.network) } }
  }
}

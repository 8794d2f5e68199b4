import CSecrets
import LiveryClient

/// The place of the sealer of a handle on a store: it is that of the keys that were set last.
final class SealerPlace: @unchecked Sendable {
  private static let places = SealerPlaces()

  private let number: UInt
  private let process = lvk_process()
  /// Held while a sealer is set, so that nobody takes away one that has just come.
  private let lock = Lock()
  // Guarded by `lock`.
  private var latest: KeyRing?

  fileprivate init(_ number: UInt) { self.number = number }

  /// That of a handle, until everybody who has entered has left.
  static func enter(_ store: Store) -> SealerPlace { places.enter(UInt(bitPattern: store.handle)) }

  func leave() { Self.places.leave(self) }

  fileprivate func isOf(_ number: UInt) -> Bool { self.number == number && process == lvk_process() }

  /// Has values sealed and opened with some keys from now on; if that fails those of before stay.
  func set(_ ring: KeyRing, on store: Store) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      try store.setSealer(
        Sealer(
          seal: { (place, bytes, buffer) throws(StoreError) in try ring.seal(place, bytes, buffer) },
          open: { (place, bytes, buffer) throws(StoreError) in try ring.open(place, bytes, buffer) }))
      latest = ring
    }
  }

  /// Stops that, unless others were set since.
  func remove(_ ring: KeyRing, from store: Store) {
    // In a forked child the lock may be held by nobody who is there.
    guard process == lvk_process() else { return }
    lock.withLock {
      guard latest === ring else { return }
      latest = nil
      // A store that was closed has let go of it.
      try? store.setSealer(nil)
    }
  }
}

/// The places that are in use.
private final class SealerPlaces: @unchecked Sendable {
  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var known: [(place: SealerPlace, uses: Int)] = []

  func enter(_ number: UInt) -> SealerPlace {
    lock.withLock {
      if let index = known.firstIndex(where: { $0.place.isOf(number) }) {
        known[index].uses += 1
        return known[index].place
      }
      let place = SealerPlace(number)
      known.append((place, 1))
      return place
    }
  }

  func leave(_ place: SealerPlace) {
    lock.withLock {
      guard let index = known.firstIndex(where: { $0.place === place }) else { return }
      known[index].uses -= 1
      if known[index].uses == 0 { known.remove(at: index) }
    }
  }
}

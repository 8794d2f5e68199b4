import CClient
import LiveryClient

/// What fetches for a handle on a store, from its first fetch until it is closed.
final class Fetcher: @unchecked Sendable {
  static let userAgent = Array("livery/0.1".utf8)
  private static let closed = StoreError(.closed, "the store was closed")

  let store: Store
  let queue: Queue
  let leases: Leases
  let cache: Cache
  /// Held while the namespace is claimed, so that nobody comes between.
  private let claiming = Lock()
  private var isClaimed = false
  private let lock = Lock()
  // Guarded by `lock`.
  private var hasEnded = false
  private var transport = Transport()
  private var running: [Int: Fetch] = [:]
  private var brands: [Int: BrandFetch] = [:]
  /// What ends those who are to be told an outcome.
  private var endings: [Int: @Sendable () -> Void] = [:]
  private var count = 0
  /// Tells when the store is closed. It is paused: it hears of nothing else.
  private var closing: Observation?
  // Of the queue's thread alone.
  private var finished: [(fetch: Fetch, item: Cache.Item)] = []

  private init(_ store: Store, _ queue: Queue, folder: String?) {
    self.store = store
    self.queue = queue
    leases = Leases(folder: folder)
    cache = Cache(store)
  }

  fileprivate static func make(_ store: Store) throws(StoreError) -> Fetcher {
    // The path of a store in memory is a name, at which there is no folder of a store.
    Fetcher(store, try Queue.make("livery-fetch"), folder: try store.statistics()["path"]?.text)
  }

  /// Takes the namespace of the cache's settings for this handle.
  fileprivate func claim(onEnd: @escaping @Sendable () -> Void) throws(StoreError) {
    try claiming.withLock { () throws(StoreError) in
      // Whoever was here before could not claim it.
      guard !lock.withLock({ hasEnded }) else { throw Self.closed }
      if isClaimed { return }
      // A watch ends on the thread that closes the store, also while others are within a call on it.
      let closing = try store.observe(FormerAssets.setting, onEnd: onEnd) { _ in }
      try closing.setPaused(true)
      lock.withLock { self.closing = closing }
      try store.claim(URLKey.prefix) { (value, name) throws(StoreError) in
        guard Entry(value) != nil || (name.utf8.elementsEqual(FormerAssets.setting.utf8) && value.items != nil) else {
          throw StoreError(
            .typeMismatch, "what was fetched is an object with url, image, bytes and fetched", setting: name)
        }
        return value
      }
      isClaimed = true
    }
  }

  var currentTransport: Transport { lock.withLock { transport } }

  func use(_ transport: Transport) {
    let former = lock.withLock { () -> Transport in
      let former = self.transport
      self.transport = transport
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// Holds a fetch until it is removed by the number that this gives, and tells it when its time is over.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func add(_ fetch: Fetch) throws(StoreError) -> Int {
    let number = try lock.withLock { () throws(StoreError) -> Int in
      guard !hasEnded else { throw Self.closed }
      count += 1
      running[count] = fetch
      return count
    }
    queue.run(after: fetch.wish.timeout) { self.lock.withLock { self.running[number] }?.timeOut() }
    return number
  }

  /// Holds the fetch of a brand until it is removed.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func add(_ brand: BrandFetch) throws(StoreError) -> Int {
    try lock.withLock { () throws(StoreError) -> Int in
      guard !hasEnded else { throw Self.closed }
      count += 1
      brands[count] = brand
      return count
    }
  }

  /// The end of what is started: `done` runs once, and closing the store waits for it.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func ending<Success: Sendable>(
    of started: Started, dispatched: Bool, _ progress: Progress?,
    _ done: @escaping @Sendable (Result<Success, StoreError>) -> Void
  ) throws(StoreError) -> Completion<Success> {
    let number = try lock.withLock { () throws(StoreError) -> Int in
      guard !hasEnded else { throw Self.closed }
      count += 1
      queue.count(LVC_OUTCOME, 1)
      return count
    }
    let ending = Completion<Success>(on: store, dispatched: dispatched, over: { self.hasTold(number) }) { outcome in
      progress?.end()
      started.end()
      self.queue.calling(LVC_OUTCOME) { done(outcome) }
    }
    lock.withLock { endings[number] = { ending.settle(.failure(Self.closed)) } }
    return ending
  }

  private func hasTold(_ number: Int) {
    let former = lock.withLock { endings.removeValue(forKey: number) }
    withExtendedLifetime(former) {}
    queue.count(LVC_OUTCOME, -1)
  }

  func removeBrand(_ number: Int) {
    let former = lock.withLock { brands.removeValue(forKey: number) }
    withExtendedLifetime(former) {}
  }

  func remove(_ number: Int) {
    let former = lock.withLock { running.removeValue(forKey: number) }
    withExtendedLifetime(former) {}
  }

  /// The store is closed: everything that is under way ends.
  fileprivate func end() {
    let closing = lock.withLock { () -> Observation? in
      defer { self.closing = nil }
      return self.closing
    }
    closing?.cancel()
    let (fetches, brands, transport) = lock.withLock { () -> ([Fetch], [BrandFetch], Transport) in
      let ended = (Array(running.values), Array(self.brands.values), self.transport)
      hasEnded = true
      running = [:]
      self.brands = [:]
      self.transport = Transport()
      return ended
    }
    // What has its outcome already may have been posted, and never have its turn.
    for end in lock.withLock({ Array(endings.values) }) { end() }
    for brand in brands { brand.abandon(Self.closed) }
    for fetch in fetches { fetch.abandon(Self.closed) }
    queue.end()
    queue.wait(for: LVC_OUTCOME)
    leases.end()
    withExtendedLifetime(transport) {}
  }

  // MARK: Storing

  /// Stores a body, together with others that are complete by then.
  func keep(_ item: Cache.Item, of fetch: Fetch) {
    finished.append((fetch, item))
    if finished.count == 1 { queue.run { self.leases.keeping { self.storeFinished() } } }
  }

  private func storeFinished() {
    let batch = finished
    finished = []
    let items = batch.map { $0.item }
    var quota = Int64.max
    for (fetch, _) in batch { quota = min(quota, fetch.wish.quota) }
    do throws(StoreError) {
      cache.removeFormer()
      try cache.makeRoom(for: items, quota: quota)
      // What is noted beside the bodies depends on what others have noted.
      try store.edit(.bundle) { (change) throws(StoreError) in
        try change.setOrigin("fetch")
        try cache.put(items, into: change)
      }
      for (fetch, item) in batch { fetch.stored(item.entry) }
    } catch {
      for (fetch, _) in batch { fetch.couldNotBeStored(error) }
    }
    removeFormerSoon()
  }

  func removeFormerSoon() {
    if cache.hasNotedFormer() { queue.run(after: FormerAssets.respite + 100_000) { self.cache.removeFormer() } }
  }
}

/// The fetchers of this process, one for each handle on a store.
enum Fetchers {
  private static let all = PerHandle<Fetcher> { $0.end() }

  /// The fetcher of a store, which is made at its first use.
  static func find(_ store: Store) throws(StoreError) -> Fetcher {
    try all.find(store, make: { () throws(StoreError) in try Fetcher.make(store) }) {
      (fetcher, onEnd) throws(StoreError) in try fetcher.claim(onEnd: onEnd)
    }
  }
}

import CClient
import LiveryClient

/// Fetches the remote images of a brand, and swaps them in at once.
final class BrandFetch: @unchecked Sendable {
  /// One URL, for all the variants that it is of.
  private final class Job: @unchecked Sendable {
    let url: String
    let key: URLKey
    // Guarded by the lock of the brand's fetch.
    /// Refers to the job in turn, until it is let go.
    var fetch: Fetch?
    var isOver = false
    var item: Cache.Item?
    var outcome: Outcome?
    var received: Int64 = 0
    var total: Int64 = 0

    init(_ url: String, _ key: URLKey) {
      self.url = url
      self.key = key
    }

    /// Whether a URL leads to the same, but for its fragment.
    func isOf(_ other: String) -> Bool {
      let hash = UInt8(ascii: "#")
      return url.utf8.prefix { $0 != hash }.elementsEqual(other.utf8.prefix { $0 != hash })
    }
  }

  private let fetcher: Fetcher
  private let wish: Wish
  /// What is remote when the turn has come.
  private let find: @Sendable () throws(StoreError) -> [RemoteImage]
  private let deadline: Int64
  private let progressed: (@Sendable (Int64, Int64) -> Void)?
  private let told: @Sendable (Result<Value, StoreError>) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var jobs: [Job] = []
  private var images: [RemoteImage] = []
  private var missing = 0
  private var isOver = false
  private var number = 0
  // Of the queue's thread.
  private var hasTurn = false

  init(
    _ fetcher: Fetcher, _ find: @escaping @Sendable () throws(StoreError) -> [RemoteImage], _ wish: Wish,
    progressed: (@Sendable (Int64, Int64) -> Void)?,
    told: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    self.fetcher = fetcher
    self.find = find
    self.wish = wish
    deadline = lvc_now_us() + wish.timeout
    self.progressed = progressed
    self.told = told
  }

  /// One brand at a time is fetched on a store: each waits for all its URLs, and two would wait for each other.
  private static let turn = URLKey(Array("brand".utf8))

  /// - Throws: `.closed` if the store is being closed.
  func start() throws(StoreError) {
    let number = try fetcher.add(self)
    lock.withLock { self.number = number }
    fetcher.queue.run { self.waitForTurn(5_000) }
  }

  /// - Parameter wait: microseconds until the next look.
  private func waitForTurn(_ wait: Int64) {
    if lock.withLock({ isOver }) { return }
    if fetcher.leases.take(Self.turn) { return begin() }
    guard lvc_now_us() < deadline else {
      return end(.failure(StoreError(.timeout, "another brand was being fetched for \(wish.timeout / 1000) ms")))
    }
    fetcher.queue.run(after: wait) { self.waitForTurn(min(wait * 2, 100_000)) }
  }

  private func begin() {
    hasTurn = true
    var jobs: [Job] = []
    var known: Set<URLKey> = []
    do throws(StoreError) {
      // Who was before has brought much of it.
      let images = try find()
      for image in images where known.insert(image.key).inserted { jobs.append(Job(image.url, image.key)) }
      lock.withLock {
        self.images = images
        self.jobs = jobs
        missing = jobs.count
      }
    } catch { return end(.failure(error)) }
    if jobs.isEmpty { return commit() }
    var wish = wish
    wish.timeout = max(1, deadline - lvc_now_us())
    for job in jobs where !lock.withLock({ isOver }) {
      do throws(StoreError) {
        let fetch = Fetch(
          fetcher, try Address(Array(job.url.utf8)), wish, progressed: { self.note(job, $0, $1) },
          collected: { self.take($0, job) }, told: { self.fetchHasEnded(job, $0) })
        lock.withLock { job.fetch = fetch }
        try fetch.start()
      } catch { end(job, nil, Outcome(state: .failed, error: error)) }
    }
  }

  /// Tells the outcome, and lets the next one begin. On the queue's thread.
  private func end(_ outcome: Result<Value, StoreError>) {
    lock.withLock { isOver = true }
    told(outcome)
    for job in takeJobs() { _ = letGo(job) }
    fetcher.removeBrand(lock.withLock { number })
    if hasTurn { fetcher.leases.give(Self.turn) }
    hasTurn = false
  }

  func abandon(_ error: StoreError) {
    lock.withLock { isOver = true }
    told(.failure(error))
    for job in takeJobs() { letGo(job)?.abandon(error) }
    fetcher.queue.run { self.end(.failure(error)) }
  }

  /// Nothing comes of them any more. They and this refer to each other.
  private func takeJobs() -> [Job] {
    lock.withLock {
      defer { jobs = [] }
      return jobs
    }
  }

  /// Nothing is heard any more of the fetch of a job, and they no longer hold each other.
  private func letGo(_ job: Job) -> Fetch? {
    lock.withLock {
      defer { job.fetch = nil }
      return job.fetch
    }
  }

  private func take(_ item: Cache.Item, _ job: Job) {
    if end(job, item, nil) { return }
    // Somebody has cancelled it meanwhile: its URL is free again.
    letGo(job)?.abandon(StoreError(.cancelled, "the fetch of the brand was cancelled"))
  }

  private func fetchHasEnded(_ job: Job, _ outcome: Outcome) {
    if !end(job, nil, outcome) { _ = letGo(job) }
  }

  /// False if nobody waits for it any more.
  @discardableResult
  private func end(_ job: Job, _ item: Cache.Item?, _ outcome: Outcome?) -> Bool {
    let (isTaken, isLast) = lock.withLock { () -> (Bool, Bool) in
      guard !job.isOver, !jobs.isEmpty else { return (false, false) }
      job.isOver = true
      job.item = item
      job.outcome = outcome
      missing -= 1
      return (true, missing == 0)
    }
    if isLast { fetcher.queue.run { self.commit() } }
    return isTaken
  }

  private func note(_ job: Job, _ received: Int64, _ total: Int64) {
    guard let progressed else { return }
    let (received, total) = lock.withLock { () -> (Int64, Int64) in
      job.received = received
      job.total = total
      var sum: (received: Int64, total: Int64) = (0, 0)
      var isKnown = true
      for job in jobs {
        sum.received += job.received
        sum.total += job.total
        if job.total == 0 && !job.isOver { isKnown = false }
      }
      return (sum.received, isKnown ? sum.total : 0)
    }
    progressed(received, total)
  }

  // MARK: The swap

  /// What became of an image.
  // In a box: where it is copied, a test of one bit of what is set in part looks to valgrind like one of what is not set.
  private indirect enum Fate {
    case shown(Entry, State)
    case failed(StoreError)
  }

  private enum State {
    case ready
    case stale(StoreError?)
  }

  /// Everything has come or failed: one commit.
  private func commit() { fetcher.leases.keeping { swap() } }

  private func swap() {
    let (jobs, isOver) = lock.withLock { (self.jobs, self.isOver) }
    if isOver { return }
    let collected = jobs.filter { $0.item != nil }
    var places: [URLKey: Job] = [:]
    for job in jobs {
      places[job.key] = job
      guard let item = job.item else { continue }
      job.outcome = Outcome(state: .ready, source: .network)
      job.outcome?.entry = item.entry
    }
    var fates: [Fate] = []
    do throws(StoreError) {
      let items = collected.compactMap { $0.item }
      fetcher.cache.removeFormer()
      try fetcher.cache.makeRoom(for: items, quota: wish.quota)
      let before = try fetcher.store.revision()
      let revision = try fetcher.store.edit(.bundle) { (change) throws(StoreError) in
        try change.setOrigin("fetch")
        try fetcher.cache.put(items, into: change)
        for job in jobs where job.item == nil { try lookAgain(job) }
        fates = images.map { fate(of: $0, places[$0.key]) }
        try swap(fates, in: change)
      }
      for job in collected {
        if let item = job.item { lock.withLock({ job.fetch })?.stored(item.entry) }
      }
      end(.success(report(fates, revision, committed: revision != before)))
    } catch {
      for job in collected { lock.withLock({ job.fetch })?.couldNotBeStored(error) }
      end(.failure(error))
    }
    fetcher.removeFormerSoon()
  }

  /// What the store held when it was asked for may have been exchanged or removed by another process since.
  private func lookAgain(_ job: Job) throws(StoreError) {
    guard let entry = job.outcome?.entry else { return }
    if let present = try fetcher.cache.entry(job.key, entry.url)?.wanted(as: .image) {
      job.outcome?.entry = present
    } else {
      let error = StoreError(.notFound, "\(job.url) was removed meanwhile, or exchanged for what is no image")
      job.outcome = Outcome(state: .failed, error: error)
    }
  }

  private func fate(of image: RemoteImage, _ job: Job?) -> Fate {
    guard let job, job.isOf(image.url), let outcome = job.outcome else {
      return .failed(StoreError(.io, "\(image.url) was not fetched"))
    }
    switch (outcome.state, outcome.entry) {
    case (.ready, let entry?): return .shown(entry, .ready)
    case (.stale, let entry?): return .shown(entry, .stale(outcome.error))
    case (.ready, nil): return .failed(StoreError(.refused, "the server forbids to keep \(image.url)"))
    default: return .failed(outcome.error ?? StoreError(.io, "\(image.url) was not fetched"))
    }
  }

  private func swap(_ fates: [Fate], in change: ChangeSet) throws(StoreError) {
    var first = 0
    while first < images.count {
      let image = images[first]
      var next = first
      while next < images.count, images[next].setting.utf8.elementsEqual(image.setting.utf8) { next += 1 }
      defer { first = next }
      // A value of this layer expires, and comes again.
      guard image.layer != .override, let value = try change.value(image.setting, in: image.layer) else { continue }
      var variants = value.items ?? [value]
      var hasChanged = false
      for index in first..<next {
        let place = images[index].index
        // What somebody has changed meanwhile is not touched.
        guard place < variants.count, variants[place] == images[index].variant else { continue }
        let changed: Value
        switch fates[index] {
        case .shown(let entry, _): changed = images[index].showing(entry)
        case .failed: changed = images[index].failing(wish.placeholder)
        }
        hasChanged = hasChanged || changed != variants[place]
        variants[place] = changed
      }
      guard hasChanged else { continue }
      // Defaults are the schema's: what is fetched of them is what the app ships.
      try change.use(image.layer == .defaults ? .bundle : image.layer)
      try change.set(image.setting, to: value.items == nil ? variants[0] : .list(variants))
    }
  }

  private func report(_ fates: [Fate], _ revision: UInt64, committed: Bool) -> Value {
    var ready: Int64 = 0
    var stale: Int64 = 0
    var failed: Int64 = 0
    var told: [Value] = []
    for (image, fate) in zip(images, fates) {
      var members: [Value.Member] = [
        .init("setting", .string(image.setting)), .init("index", .int(Int64(image.index))),
        .init("url", .string(image.url)),
      ]
      func add(_ state: String, _ error: StoreError?) {
        members.append(.init("state", .string(state)))
        guard let error else { return }
        members.append(.init("status", .int(Int64(error.code.rawValue))))
        members.append(.init("message", .string(error.message)))
      }
      switch fate {
      case .shown(let entry, .ready):
        ready += 1
        add("ready", nil)
        members.append(.init("image", .image(entry.id)))
      case .shown(let entry, .stale(let error)):
        stale += 1
        add("stale", error)
        members.append(.init("image", .image(entry.id)))
      case .failed(let error):
        failed += 1
        add(wish.placeholder != nil && !image.showsImage && !image.showsFormer ? "placeholder" : "failed", error)
      }
      told.append(.object(members))
    }
    return .object([
      .init("revision", .int(Int64(clamping: revision))), .init("committed", .bool(committed)),
      .init("ready", .int(ready)),
      .init("stale", .int(stale)), .init("failed", .int(failed)), .init("images", .list(told)),
    ])
  }
}

import LiveryClient

/// Fetches the remote images of a brand, and swaps them in at once.
final class BrandFetch: @unchecked Sendable {
  /// One URL, for all the variants that it is of.
  private final class Job: @unchecked Sendable {
    let url: String
    var fetch: Fetch?
    // Guarded by the lock of the brand's fetch.
    var isOver = false
    var item: Cache.Item?
    var outcome: Outcome?
    var received: Int64 = 0
    var total: Int64 = 0

    init(_ url: String) {
      self.url = url
    }
  }

  private let fetcher: Fetcher
  private let wish: Wish
  private let images: [RemoteImage]
  private let progressed: (@Sendable (Int64, Int64) -> Void)?
  private let told: @Sendable (Result<Value, StoreError>) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var jobs: [Job] = []
  private var missing = 0

  init(
    _ fetcher: Fetcher, _ images: [RemoteImage], _ wish: Wish, progressed: (@Sendable (Int64, Int64) -> Void)?,
    told: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    self.fetcher = fetcher
    self.images = images
    self.wish = wish
    self.progressed = progressed
    self.told = told
  }

  func start() throws(StoreError) {
    var jobs: [Job] = []
    for image in images where !jobs.contains(where: { $0.url.utf8.elementsEqual(image.url.utf8) }) {
      jobs.append(Job(image.url))
    }
    lock.withLock {
      self.jobs = jobs
      missing = jobs.count
    }
    if jobs.isEmpty { return fetcher.queue.run { self.commit() } }
    for job in jobs {
      let address: Address
      do throws(StoreError) { address = try Address(Array(job.url.utf8)) } catch {
        end(job, nil, Outcome(state: .failed, error: error))
        continue
      }
      let fetch = Fetch(
        fetcher, address, wish, progressed: { self.note(job, $0, $1) }, collected: { self.end(job, $0, nil) },
        told: { self.end(job, nil, $0) })
      lock.withLock { job.fetch = fetch }
      try fetch.start()
    }
  }

  func abandon(_ error: StoreError) {
    told(.failure(error))
    for job in takeJobs() { job.fetch?.abandon(error) }
  }

  /// Nothing comes of them any more. They and this refer to each other.
  private func takeJobs() -> [Job] {
    lock.withLock {
      defer { jobs = [] }
      return jobs
    }
  }

  private func end(_ job: Job, _ item: Cache.Item?, _ outcome: Outcome?) {
    let isLast = lock.withLock { () -> Bool in
      guard !job.isOver, !jobs.isEmpty else { return false }
      job.isOver = true
      job.item = item
      job.outcome = outcome
      missing -= 1
      return missing == 0
    }
    if isLast { fetcher.queue.run { self.commit() } }
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
  private enum Fate {
    case shown(Entry, State)
    case failed(StoreError)
  }

  private enum State {
    case ready
    case stale(StoreError?)
  }

  /// Everything has come or failed: one commit.
  private func commit() {
    let jobs = lock.withLock { self.jobs }
    // Somebody has cancelled it.
    guard !jobs.isEmpty || images.isEmpty else { return }
    let collected = jobs.filter { $0.item != nil }
    var fates: [Fate] = []
    do throws(StoreError) {
      let items = collected.compactMap { $0.item }
      try fetcher.cache.makeRoom(for: items, quota: wish.quota)
      let before = try fetcher.store.revision()
      var kept: [Result<Entry, StoreError>] = []
      let revision = try fetcher.store.edit(.bundle) { (change) throws(StoreError) in
        try change.setOrigin("fetch")
        kept = try fetcher.cache.put(items, into: change)
        for (index, outcome) in kept.enumerated() { collected[index].outcome = Outcome(storing: outcome) }
        fates = images.map { fate(of: $0, jobs) }
        try swap(fates, in: change)
      }
      for (index, outcome) in kept.enumerated() { collected[index].fetch?.stored(outcome) }
      told(.success(report(fates, revision, committed: revision != before)))
    } catch {
      for job in collected { job.fetch?.stored(.failure(error)) }
      told(.failure(error))
    }
    _ = takeJobs()
    fetcher.removeFormerSoon()
  }

  private func fate(of image: RemoteImage, _ jobs: [Job]) -> Fate {
    let job = jobs.first { $0.url.utf8.elementsEqual(image.url.utf8) }
    guard let outcome = job?.outcome else { return .failed(StoreError(.io, "\(image.url) was not fetched")) }
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
        add(wish.placeholder != nil && !image.showsImage ? "placeholder" : "failed", error)
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

extension Outcome {
  fileprivate init(storing result: Result<Entry, StoreError>) {
    switch result {
    case .success(let entry):
      self.init(state: .ready, source: .network)
      self.entry = entry
    case .failure(let error): self.init(state: .failed, error: error)
    }
  }
}

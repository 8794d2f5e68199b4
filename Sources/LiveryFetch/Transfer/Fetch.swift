import CClient
import LiveryClient

/// One fetch, from the look into the cache to its outcome. Everything but its beginning and its end runs on the queue's thread.
final class Fetch: @unchecked Sendable {
  let wish: Wish
  let address: Address
  let key: URLKey
  let fetcher: Fetcher
  /// Is told once; what it is told later is dropped by who gave it.
  private let told: @Sendable (Outcome) -> Void
  /// Is told of what came and what there is in all, 0 if that is not known.
  private let progressed: (@Sendable (Int64, Int64) -> Void)?
  /// Takes what is complete, in place of the fetcher, which stores it at once.
  private let collected: (@Sendable (Cache.Item) -> Void)?
  private let began = Timestamp.now
  private let deadline: Int64

  private let lock = Lock()
  // Guarded by `lock`.
  private var exchange: Exchange?
  private var isOver = false
  private var number = 0

  // Of the queue's thread.
  private var hasLease = false
  private var hasWaited = false
  private var attempt = Attempt()
  /// What is being stored.
  private var pending: [UInt8]?
  /// Whether the fetcher stores it: until then nobody else is to fetch the URL, also if nobody waits for this any more.
  private var isKept = false

  /// What is known while requests are made.
  private struct Attempt {
    /// How many were made that count.
    var number = 0
    /// Where the redirects have led by now, how many they were, and for how long they count.
    var address: Address?
    var hops = 0
    var redirect: Freshness?
    /// Whether one of them is not to be stored.
    var isSecretive = false
    /// What the store holds.
    var entry: Entry?
    /// Whether the last request asked for what is newer than that.
    var isConditional = false
    /// Whether that is not asked for any more: the server has said so of other bytes.
    var asksForAll = false
    var partial: Partial?
    /// Whether the last request asked for the rest of that.
    var isResuming = false
    var asked: Int64 = 0
    /// Of all attempts.
    var received: Int64 = 0
    var httpStatus: Int32 = 0
  }

  /// - Parameter collected: where the lease stays until `release`.
  init(
    _ fetcher: Fetcher, _ address: Address, _ wish: Wish, progressed: (@Sendable (Int64, Int64) -> Void)? = nil,
    collected: (@Sendable (Cache.Item) -> Void)? = nil, told: @escaping @Sendable (Outcome) -> Void
  ) {
    self.fetcher = fetcher
    self.address = address
    self.wish = wish
    self.progressed = progressed
    self.collected = collected
    self.told = told
    key = URLKey(address.bytes)
    deadline = lvc_now_us() + wish.timeout
  }

  /// - Throws: `.closed` if the store is being closed.
  func start() throws(StoreError) {
    let number = try fetcher.add(self)
    lock.withLock { self.number = number }
    fetcher.queue.run { self.look(wait: 5_000) }
  }

  /// Ends it with an error, from any thread.
  func abandon(_ error: StoreError) {
    guard end(Outcome(state: .failed, error: error)) else { return }
    fetcher.queue.run { if !self.isKept { self.release() } }
  }

  /// False if it was over before.
  @discardableResult
  private func end(_ outcome: Outcome) -> Bool {
    let (isFirst, exchange, number) = lock.withLock { () -> (Bool, Exchange?, Int) in
      defer {
        self.exchange = nil
        isOver = true
      }
      return (!isOver, self.exchange, self.number)
    }
    guard isFirst else { return false }
    exchange?.cancel()
    told(outcome)
    fetcher.remove(number)
    return true
  }

  private var hasEnded: Bool { lock.withLock { isOver } }

  /// Lets others fetch the URL.
  func release() {
    if hasLease { fetcher.leases.give(key) }
    hasLease = false
  }

  func timeOut() {
    // What is complete is being stored.
    if pending != nil { return }
    fail(StoreError(.timeout, "\(address.text) took longer than \(wish.timeout / 1000) ms"))
  }

  // MARK: What the store holds

  /// - Parameter wait: how long to wait, in microseconds, for somebody else who fetches the same.
  private func look(wait: Int64) {
    if hasEnded { return }
    let now = Timestamp.now.seconds
    do throws(StoreError) { attempt.entry = try present() } catch { return fail(error) }
    if let entry = attempt.entry {
      // Who waited for another one's answer takes that for its own.
      let isAnswer = hasWaited && entry.fetched >= began
      if isAnswer || (entry.freshness.isFresh(at: now) && !wish.revalidates) { return handOut(entry, .ready, .store) }
      if wish.isOffline { return handOut(entry, .stale, .store) }
      if !wish.revalidates, entry.freshness.isUsableWhileChecking(at: now) {
        check()
        return handOut(entry, .stale, .store)
      }
    }
    if wish.isOffline {
      return fail(StoreError(.unavailable, "\(address.text) is not in the store, and nobody may be asked"))
    }
    guard fetcher.leases.take(key) else {
      hasWaited = true
      return fetcher.queue.run(after: wait) { self.look(wait: min(wait * 2, 100_000)) }
    }
    hasLease = true
    // Who held the lease may have brought it between the two looks.
    guard hasWaited, let entry = try? present(), entry.fetched >= began else {
      return send()
    }
    attempt.entry = entry
    handOut(entry, .ready, .store)
  }

  /// What the store holds, if it is what is wanted: a document that is kept may be no image.
  private func present() throws(StoreError) -> Entry? {
    let entry = try fetcher.cache.entry(key, address.bytes)
    return entry?.wanted(as: wish.kind) == nil ? nil : entry
  }

  /// Whether the store has it still.
  private func isPresent(_ entry: Entry) -> Bool { (try? present())?.isSameBody(as: entry) ?? false }

  /// Asks the server for what is handed out meanwhile.
  private func check() {
    var wish = wish
    wish.revalidates = true
    try? Fetch(fetcher, address, wish) { _ in }.start()
  }

  // MARK: Asking the server

  private func send() {
    if hasEnded { return release() }
    let address = attempt.address ?? self.address
    var request = Request(address: address, certificates: wish.certificates, proxy: wish.proxy)
    request.fields = [("Accept", Array("*/*".utf8)), ("User-Agent", Fetcher.userAgent)]
    attempt.isConditional = false
    attempt.isResuming = attempt.partial?.address == address
    if attempt.isResuming, let partial = attempt.partial {
      request.fields.append(("Range", Array("bytes=\(partial.body.count)-".utf8)))
      request.fields.append(("If-Range", partial.tag.bytes))
      request.fields.append(("Accept-Encoding", Array("identity".utf8)))
    } else {
      request.fields.append(("Accept-Encoding", Array("gzip".utf8)))
      if let entry = attempt.entry, entry.location == address.bytes, !attempt.asksForAll {
        if let tag = entry.tag { request.fields.append(("If-None-Match", tag)) }
        if let modified = entry.modified { request.fields.append(("If-Modified-Since", modified)) }
        attempt.isConditional = entry.tag != nil || entry.modified != nil
      }
    }
    let before = attempt.isResuming ? Int64(attempt.partial?.body.count ?? 0) : 0
    let exchange = Exchange(
      fetcher.currentTransport, limit: wish.maximumSize,
      progressed: { (received, head) in self.note(received, head, after: before) },
      ended: { outcome in self.fetcher.queue.run { self.answered(outcome) } })
    let isWanted = lock.withLock { () -> Bool in
      self.exchange = exchange
      return !isOver
    }
    guard isWanted else { return release() }
    attempt.number += 1
    attempt.asked = Timestamp.now.seconds
    do throws(StoreError) { try exchange.start(request) } catch { answered(Exchange.Outcome(error: error)) }
  }

  private func note(_ received: Int64, _ head: Head, after before: Int64) {
    // The page of a failure is nothing of what is asked for.
    guard let progressed, head.hasContent else { return }
    let start = head.status == 206 ? before : 0
    let total = head.length ?? 0
    progressed(start + received, total == 0 ? 0 : start + total)
  }

  private func answered(_ answer: Exchange.Outcome) {
    if hasEnded { return release() }
    attempt.received += answer.received
    let partial = attempt.isResuming ? attempt.partial : nil
    let head = answer.head
    if let head { attempt.httpStatus = head.status }
    // The limit is one of the whole, and not of what each attempt adds to it.
    let before = head?.status == 206 ? Int64(partial?.body.count ?? 0) : 0
    guard !answer.isTooLarge, before == 0 || before + answer.received <= wish.maximumSize else { return failTooLarge() }
    if let error = answer.error {
      attempt.partial = Partial(after: partial, head, answer.body, attempt.address ?? address)
      let told = StoreError(error.code, "\(address.text): \(error.message)")
      return failed(told, mayRetry: error.code == .network || error.code == .timeout, after: nil)
    }
    if let head, head.isRedirect { return follow(head) }
    attempt.partial = nil
    guard let head else { return failed(Self.nonsense(address, "ends without a head"), mayRetry: true, after: nil) }
    switch head.status {
    case 200, 203:
      // A rest is asked for as it is, and nobody has unpacked this.
      if attempt.isResuming, head.isPacked {
        return failed(Self.nonsense(address, "is packed, which was not asked for"), mayRetry: true, after: nil)
      }
      if let length = head.length, length != answer.received {
        let isShort = answer.received < length
        if isShort { attempt.partial = Partial(after: nil, head, answer.body, attempt.address ?? address) }
        let what =
          isShort
          ? "breaks off after \(answer.received) of \(length) bytes"
          : "has \(answer.received) bytes, and says that it has \(length)"
        let error = Self.nonsense(address, what)
        return failed(error, mayRetry: true, after: nil)
      }
      complete(head, answer.body)
    case 206:
      guard let partial, let whole = partial.completed(by: head, answer.body) else {
        // Another range or another body: all of it, from the beginning.
        return failed(Self.nonsense(address, "sends another part than was asked for"), mayRetry: true, after: nil)
      }
      complete(whole.head, whole.body)
    case 204, 205: complete(head, [])
    case 304: confirm(head)
    case 416 where partial != nil:
      failed(Self.nonsense(address, "has no more of what it began to send"), mayRetry: true, after: nil)
    default: refuse(head)
    }
  }

  private static func nonsense(_ address: Address, _ what: String) -> StoreError {
    StoreError(.network, "the answer for \(address.text) \(what)")
  }

  private func follow(_ head: Head) {
    let here = attempt.address ?? address
    guard let location = head.first("location") else {
      return failed(Self.nonsense(address, "redirects to nowhere"), mayRetry: true, after: nil)
    }
    let next: Address
    do throws(StoreError) { next = try here.following(location) } catch {
      let code = error.code == .invalidArgument ? StoreError.Code.refused : error.code
      return fail(StoreError(code, "\(address.text) is redirected to where nobody may go: \(error.message)"))
    }
    guard attempt.hops < 5 else {
      return fail(StoreError(.refused, "\(address.text) is redirected more than 5 times"))
    }
    guard here.mayLead(to: next) else {
      return fail(StoreError(.refused, "\(address.text) is redirected from https to \(next.text)"))
    }
    let freshness = Freshness(of: head, asked: attempt.asked, received: Timestamp.now.seconds)
    attempt.redirect = attempt.redirect.map { $0.leading(to: freshness) } ?? freshness
    attempt.isSecretive = attempt.isSecretive || head.cacheControl.isNotStored
    attempt.hops += 1
    attempt.address = next
    // A step on the way is no attempt.
    attempt.number -= 1
    send()
  }

  /// The server has what is stored.
  private func confirm(_ head: Head) {
    guard attempt.isConditional, var entry = attempt.entry else {
      return failed(Self.nonsense(address, "says that nothing is new to who has nothing"), mayRetry: true, after: nil)
    }
    // Of what else it says so nobody has the bytes here (RFC 9111 §4.3.4).
    if let told = head.tag, !told.isWeak, let kept = entry.tag.flatMap({ EntityTag($0) }), !kept.isWeak,
      !told.isStronglySame(as: kept)
    {
      attempt.asksForAll = true
      return send()
    }
    // It may have been removed meanwhile, to make room or by another process.
    guard isPresent(entry) else {
      attempt.entry = nil
      return send()
    }
    let now = Timestamp.now
    // What it does not say anew stays as it was told before.
    var freshness = Freshness(of: head, asked: attempt.asked, received: now.seconds)
    if head.first("cache-control") == nil {
      let former = entry.freshness
      // Whether the former time was that of `max-age`, which holds before `Expires`, nobody knows any more: the shorter of both.
      let isTold = head.first("expires") != nil
      freshness.lifetime = isTold ? min(freshness.lifetime, former.lifetime) : former.lifetime
      freshness.isAlwaysChecked = former.isAlwaysChecked
      freshness.isNeverStale = former.isNeverStale
      freshness.staleWhileRevalidate = former.staleWhileRevalidate
      freshness.staleIfError = former.staleIfError
    }
    entry.freshness = attempt.redirect.map { $0.leading(to: freshness) } ?? freshness
    entry.fetched = now
    fetcher.cache.confirm(key, entry)
    handOut(entry, .ready, .revalidated)
  }

  private func complete(_ head: Head, _ body: [UInt8]) {
    guard Int64(body.count) <= wish.maximumSize else { return failTooLarge() }
    let isImage = wish.kind == .image || (wish.kind == .any && Entry.isImage(head.mediaType))
    var type = head.mediaType
    let id: String
    do throws(StoreError) {
      guard !body.isEmpty else { throw StoreError(.invalidValue, "the answer is empty") }
      // By its bytes, whatever the server says.
      let facts = try Assets.describe(body, allowsAny: !isImage)
      id = facts["id"]?.text ?? ""
      let found = facts["type"]?.text.map { Array($0.utf8) }
      if isImage || type == nil { type = found }
    } catch {
      return fail(StoreError(error.code, "\(address.text): \(error.message)"))
    }
    let now = Timestamp.now
    let own = Freshness(of: head, asked: attempt.asked, received: now.seconds)
    let entry = Entry(
      url: address.bytes, location: (attempt.address ?? address).bytes, id: id, size: Int64(body.count), type: type,
      head: head, fetched: now, freshness: attempt.redirect.map { $0.leading(to: own) } ?? own)
    if head.cacheControl.isNotStored || attempt.isSecretive {
      var outcome = Outcome(state: .ready, source: .network)
      outcome.body = body
      outcome.type = type
      outcome.tag = entry.tag
      return deliver(outcome)
    }
    pending = body
    let item = Cache.Item(key: key, entry: entry, body: body, allowsAny: !isImage)
    if let collected { return collected(item) }
    isKept = true
    fetcher.keep(item, of: self)
  }

  /// It is in the store, or could not be stored.
  func stored(_ entry: Entry) { handOut(entry, .ready, .network) }

  func couldNotBeStored(_ error: StoreError) {
    fail(StoreError(error.code, "\(address.text): \(error.message)"))
  }

  // MARK: What goes wrong

  private func failTooLarge() {
    fail(StoreError(.invalidValue, "\(address.text) is larger than \(wish.maximumSize) bytes"))
  }

  private func refuse(_ head: Head) {
    let what = "\(address.text): the server answers \(head.status)"
    let wait = head.first("retry-after").flatMap { RetryAfter.parse($0, now: Timestamp.now.seconds) }
    switch head.status {
    case 404, 410: fail(StoreError(.notFound, what), mayBeStale: false)
    case 408, 429, 500, 502, 503, 504: failed(StoreError(.unavailable, what), mayRetry: true, after: wait)
    case 400...499: fail(StoreError(.refused, what), mayBeStale: false)
    case 500...599: fail(StoreError(.unavailable, what))
    default: failed(StoreError(.network, what), mayRetry: true, after: nil)
    }
  }

  /// Tries again, if that may help and there is time.
  private func failed(_ error: StoreError, mayRetry: Bool, after seconds: Int64?) {
    guard mayRetry, attempt.number < wish.attempts else { return fail(error) }
    // From a quarter of a second on, twice as long each time, and somewhat by chance so that not all come at once.
    let step = min(Int64(250_000) << Int64(min(attempt.number - 1, 6)), 10_000_000)
    var delay = step / 2 + Int64(lvc_random() % UInt64(step / 2 + 1))
    if let seconds { delay = max(delay, seconds * 1_000_000) }
    guard lvc_now_us() + delay < deadline else { return fail(error) }
    attempt.address = nil
    attempt.hops = 0
    attempt.redirect = nil
    attempt.isSecretive = false
    fetcher.queue.run(after: delay) { self.send() }
  }

  /// - Parameter mayBeStale: whether what is stored is handed out: not where the server says no.
  private func fail(_ error: StoreError, mayBeStale: Bool = true) {
    if hasEnded { return release() }
    if mayBeStale, let entry = attempt.entry, entry.size <= wish.maximumSize,
      entry.freshness.isUsableAfterFailure(at: Timestamp.now.seconds), isPresent(entry)
    {
      return handOut(entry, .stale, .store, error)
    }
    var outcome = Outcome(state: wish.placeholder == nil ? .failed : .placeholder, error: error)
    outcome.placeholder = wish.placeholder
    outcome.type = wish.placeholder.flatMap { fetcher.cache.type(of: $0) }
    deliver(outcome)
  }

  // MARK: The outcome

  private func handOut(
    _ entry: Entry, _ state: Outcome.State, _ source: Outcome.Source, _ error: StoreError? = nil
  ) {
    // Who fetched it may have taken more.
    guard entry.size <= wish.maximumSize else { return failTooLarge() }
    var outcome = Outcome(state: state, source: source, error: error)
    outcome.entry = entry.wanted(as: wish.kind) ?? entry
    outcome.body = source == .network ? pending : nil
    deliver(outcome)
  }

  private func deliver(_ outcome: Outcome) {
    var outcome = outcome
    outcome.httpStatus = attempt.httpStatus
    outcome.received = attempt.received
    pending = nil
    isKept = false
    end(outcome)
    release()
  }
}

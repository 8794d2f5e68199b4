import CClient
import CLivery
import LiveryClient
import Synchronization

/// What a process knows of the session of a store, for a handle on it, from its first use until that is closed.
final class SessionKeeper: @unchecked Sendable {
  static let closed = StoreError(.closed, "the store was closed")

  let store: Store
  /// Held while the namespace is claimed, so that nobody comes between.
  private let preparing = Lock()
  private var isPrepared = false
  private let lock = Lock()
  // Guarded by `lock`.
  private var hasEnded = false
  private var isReady = false
  private var starting: Bootstrap?
  private var fetching: Fetching?
  /// The request whose answer counts, and those that are not answered yet.
  private var request: SessionRequest?
  private var requests: [SessionRequest] = []
  /// Whether the last request brought no user, and for which session.
  private var hasFailed = false
  private var failedKey: SessionFacts.Key?
  private var user: (key: SessionFacts.Key, value: Value)?
  /// The users of transitions, in their order, until it was looked what has become of them.
  private var adopted: [Adopted] = []
  private var adoptions = 0
  /// What was looked at last, and how often that was.
  private var appliedRevision: UInt64 = 0
  private var appliedCount = 0
  /// Of changes, and one that tells when the store is closed, on the thread that closes it. That is paused.
  private var observations: [Observation] = []
  private var watches: [SessionWatch] = []

  fileprivate init(_ store: Store) {
    self.store = store
  }

  /// Who asks for the user, with what he has handed over.
  final class Fetching: Sendable {
    let isDispatched: Bool
    let ask: @Sendable (SessionRequest, SessionFacts, String?) -> Void

    init(isDispatched: Bool, _ ask: @escaping @Sendable (SessionRequest, SessionFacts, String?) -> Void) {
      self.isDispatched = isDispatched
      self.ask = ask
    }
  }

  typealias Bootstrap = Completion<SessionReport>

  /// Whom a transition makes the user.
  private struct Adopted {
    /// Of the transition.
    var number: Int
    var key: SessionFacts.Key
    /// Of the session as it was.
    var former: SessionFacts.Key?
    /// nil for the one that there was.
    var user: Value?
    /// Of the commit; nil until that is known.
    var revision: UInt64?
  }

  // MARK: Beginning

  /// Hears of the session from now on.
  fileprivate func prepare(onEnd: @escaping @Sendable () -> Void) throws(StoreError) {
    try preparing.withLock { () throws(StoreError) in
      // Whoever was here before could not.
      guard !lock.withLock({ hasEnded }) else { throw Self.closed }
      if isPrepared { return }
      do throws(StoreError) {
        try store.claim(SessionFacts.prefix) { (value, name) throws(StoreError) in
          guard SessionKeepers.isChanging, SessionFacts.isStored(value, as: name) else {
            throw StoreError(
              .readOnly, "livery_session_login() and its like set what is below `session.`", setting: name)
          }
          return value
        }
        try store.claimSecret(SessionFacts.token)
      } catch {
        // Who may not write may look.
        guard error.code == .readOnly else { throw error }
      }
      let closing = try store.observe(SessionFacts.current, onEnd: onEnd) { _ in }
      try closing.setPaused(true)
      // Of both that tell, and not of the token: it is not to come to processes that do not ask for it.
      let current = try store.observe(SessionFacts.current) { _ in self.refresh() }
      let last = try store.observe(SessionFacts.last) { _ in self.refresh() }
      lock.withLock { observations = [closing, current, last] }
      isPrepared = true
    }
  }

  func bootstrap(_ fetching: Fetching?, _ starting: Bootstrap) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      guard !hasEnded else { throw Self.closed }
      guard self.starting == nil, !isReady || hasFailed else {
        throw StoreError(.conflict, "livery_session_bootstrap() is done, or under way")
      }
      self.starting = starting
    }
    let facts: SessionFacts
    do throws(StoreError) { facts = try store.sessionFacts() } catch {
      lock.withLock { self.starting = nil }
      throw error
    }
    let former = lock.withLock { () -> Fetching? in
      defer { self.fetching = fetching }
      return self.fetching
    }
    withExtendedLifetime(former) {}
    forgetSoon(of: facts, takesOver: true)
    refresh(asksAgain: true)
  }

  func requireReady() throws(StoreError) {
    guard lock.withLock({ isReady }) else {
      throw StoreError(.conflict, "livery_session_bootstrap() comes first")
    }
  }

  // MARK: The state

  /// What this process knows.
  func report() throws(StoreError) -> SessionReport {
    report(try store.sessionFacts())
  }

  private func report(_ facts: SessionFacts) -> SessionReport {
    lock.withLock {
      guard isReady else { return SessionReport() }
      var report = SessionReport()
      report.facts = facts
      report.isKnown = true
      report.user = knownUser(facts.key)
      return report
    }
  }

  /// The user that belongs to a key, as far as this process knows him. Call it with the lock held.
  private func knownUser(_ key: SessionFacts.Key?) -> Value? {
    guard let key else { return nil }
    if let user, user.key == key { return user.value }
    // Of several with the same key the last one was committed, if any.
    guard let last = adopted.last(where: { $0.key == key }) else { return nil }
    return last.user ?? knownUser(last.former)
  }

  /// Looks what the session is, and does what follows: forgets a user that is none any more, asks for one that is not known,
  /// tells those who watch.
  func refresh(asksAgain: Bool = false) {
    while true {
      let count = lock.withLock { appliedCount }
      let facts: SessionFacts
      do throws(StoreError) { facts = try store.sessionFacts() } catch {
        let starting = lock.withLock { () -> Bootstrap? in
          defer { self.starting = nil }
          return self.starting
        }
        starting?.finish(.failure(error))
        return
      }
      if apply(facts, since: count, asksAgain) { return }
    }
  }

  /// - Parameter count: how often this was done before the facts were read.
  /// - Returns: false if later ones were applied since.
  private func apply(_ facts: SessionFacts, since count: Int, _ asksAgain: Bool) -> Bool {
    var former: [AnyObject] = []
    var isPast = false
    let (request, fetching) = lock.withLock { () -> (SessionRequest?, Fetching?) in
      guard !hasEnded else { return (nil, nil) }
      isPast = facts.revision < appliedRevision && count != appliedCount
      if isPast { return (nil, nil) }
      appliedRevision = facts.revision
      appliedCount += 1
      let key = facts.key
      if let key, let place = adopted.lastIndex(where: { $0.key == key }) {
        user = knownUser(key).map { (key, $0) }
        adopted.removeSubrange(...place)
        hasFailed = false
      }
      // What failed for another user or token says nothing of this one.
      if key != failedKey { hasFailed = false }
      // What has been committed before that is over already.
      adopted.removeAll { $0.revision.map { $0 <= facts.revision } ?? false }
      if let known = user, known.key != key { user = nil }
      if let asked = self.request, asked.key != key {
        former.append(asked)
        self.request = nil
      }
      guard let key, user == nil, self.request == nil, let fetching = self.fetching, isReady || starting != nil,
        !hasFailed || asksAgain || failedKey != key
      else { return (nil, nil) }
      let request = SessionRequest(self, key)
      self.request = request
      requests.append(request)
      hasFailed = false
      return (request, fetching)
    }
    withExtendedLifetime(former) {}
    if isPast { return false }
    if let request, let fetching { ask(request, fetching, facts) } else { settle() }
    notify()
    // One that has ended by itself nobody has cleaned up after.
    if facts.state == .expired, facts.forgets != nil { forgetSoon(of: facts) }
    return true
  }

  private func ask(_ request: SessionRequest, _ fetching: Fetching, _ facts: SessionFacts) {
    do throws(StoreError) {
      try request.open()
      try store.post(dispatched: fetching.isDispatched) {
        guard self.lock.withLock({ self.request === request }) else { return self.drop(request) }
        var token: String?
        if facts.hasToken {
          do throws(StoreError) { token = try self.token() } catch { return self.failed(request, error) }
          if token == nil { return self.pass(over: request) }
        }
        fetching.ask(request, facts, token)
      }
    } catch {
      failed(request, error)
    }
  }

  /// nil if it has gone.
  private func token() throws(StoreError) -> String? {
    do throws(StoreError) {
      guard let text = try store.value(SessionFacts.token).text else {
        throw StoreError(.typeMismatch, "the session's token is no text", setting: SessionFacts.token)
      }
      return text
    } catch {
      guard error.code == .notFound || error.code == .noValue else { throw error }
      return nil
    }
  }

  /// The session has gone together with its token, and whoever hears of that asks no more.
  private func pass(over request: SessionRequest) {
    lock.withLock {
      if self.request === request { self.request = nil }
    }
    drop(request)
    settle()
  }

  private func drop(_ request: SessionRequest) {
    lock.withLock { requests.removeAll { $0 === request } }
    request.close()
  }

  /// Ends the bootstrapping if there is nothing to wait for.
  private func settle() {
    let isWaiting = lock.withLock { request != nil }
    if !isWaiting { finish(nil) }
  }

  /// The state is known from now on.
  ///
  /// - Parameter failure: why there is no user.
  private func finish(_ failure: StoreError?) {
    guard lock.withLock({ self.starting != nil }) else { return }
    // Who is told that it failed may begin again.
    var facts: SessionFacts?
    var reason = failure
    do throws(StoreError) { facts = try store.sessionFacts() } catch { reason = error }
    let starting = lock.withLock { () -> Bootstrap? in
      defer { self.starting = nil }
      if self.starting != nil, facts != nil { isReady = true }
      return self.starting
    }
    guard let starting else { return }
    guard let facts else {
      starting.finish(.failure(reason ?? Self.closed))
      return
    }
    var report = report(facts)
    report.failure = failure
    starting.finish(.success(report))
  }

  // MARK: Users

  /// A number for a transition that begins.
  func beginAdopting() -> Int {
    lock.withLock {
      adoptions += 1
      return adoptions
    }
  }

  /// Whom a transition makes the user, within its transaction; nil for the one that there is.
  func adopt(_ value: Value?, _ number: Int, from former: SessionFacts.Key?, to key: SessionFacts.Key?) {
    // The same user of the same session is no news.
    guard let key, value != nil || key != former else { return }
    lock.withLock {
      if !hasEnded { adopted.append(Adopted(number: number, key: key, former: former, user: value)) }
    }
  }

  /// The transition has come about.
  func committedAdopted(_ number: Int, _ revision: UInt64) {
    lock.withLock {
      if let place = adopted.firstIndex(where: { $0.number == number }) { adopted[place].revision = revision }
    }
  }

  /// It has not, or begins anew.
  func abandonAdopted(_ number: Int) {
    lock.withLock { adopted.removeAll { $0.number == number } }
  }

  func answered(_ request: SessionRequest, _ value: Value) {
    let isPresent = lock.withLock { () -> Bool in
      requests.removeAll { $0 === request }
      guard self.request === request else { return false }
      self.request = nil
      user = (request.key, value)
      hasFailed = false
      return true
    }
    if isPresent { refresh() }
  }

  func failed(_ request: SessionRequest, _ error: StoreError) {
    let isPresent = lock.withLock { () -> Bool in
      requests.removeAll { $0 === request }
      guard self.request === request else { return false }
      self.request = nil
      hasFailed = true
      failedKey = request.key
      return true
    }
    request.close()
    guard isPresent else { return }
    guard error.code == .refused else {
      finish(error)
      return notify()
    }
    // What comes of it is told by the state.
    lock.withLock { isReady = true }
    do throws(StoreError) { try end(.refused, of: request.key) } catch { finish(error) }
    refresh()
  }

  // MARK: Watches

  func add(_ watch: SessionWatch) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      guard !hasEnded else { throw Self.closed }
      watches.append(watch)
    }
  }

  func remove(_ watch: SessionWatch) {
    let former = lock.withLock { () -> SessionWatch? in
      guard let place = watches.firstIndex(where: { $0 === watch }) else { return nil }
      return watches.remove(at: place)
    }
    withExtendedLifetime(former) {}
  }

  private func notify() {
    for watch in lock.withLock({ watches }) { watch.notify() }
  }

  // MARK: The end

  /// The store is closed.
  fileprivate func end() {
    let (starting, watches, requests) = lock.withLock { () -> (Bootstrap?, [SessionWatch], [SessionRequest]) in
      let ended = (self.starting, self.watches, self.requests)
      hasEnded = true
      isReady = false
      self.starting = nil
      self.watches = []
      self.requests = []
      request = nil
      user = nil
      adopted = []
      return ended
    }
    for request in requests { request.close() }
    for watch in watches { watch.close() }
    starting?.settle(.failure(Self.closed))
    let (observations, fetching) = lock.withLock { () -> ([Observation], Fetching?) in
      let ended = (self.observations, self.fetching)
      self.observations = []
      self.fetching = nil
      return ended
    }
    for observation in observations { observation.cancel() }
    withExtendedLifetime(fetching) {}
  }
}

/// What a process is told of the session.
struct SessionReport: Sendable {
  var facts = SessionFacts()
  /// Whether the process has found out.
  var isKnown = false
  var user: Value?
  /// Why there is no user.
  var failure: StoreError?
}

/// The keepers of this process, one for each handle on a store.
enum SessionKeepers {
  private static let all = PerHandle<SessionKeeper> { $0.end() }
  /// How many transitions of this process are under way: only they set what is below `session.`.
  private static let changes = Atomic<Int>(0)

  static var isChanging: Bool { changes.load(ordering: .acquiring) > 0 }

  static func beginChange() { changes.add(1, ordering: .acquiringAndReleasing) }

  static func endChange() { changes.subtract(1, ordering: .acquiringAndReleasing) }

  /// The keeper of a store, if there is one already.
  static func known(_ store: Store) throws(StoreError) -> SessionKeeper? {
    // Also tells whether the handle is good, and not that of the parent of a process.
    _ = try store.revision()
    return all.ifAny(store)
  }

  /// The keeper of a store, which is made at its first use.
  static func find(_ store: Store) throws(StoreError) -> SessionKeeper {
    try all.find(store, make: { () throws(StoreError) in SessionKeeper(store) }) {
      (keeper, onEnd) throws(StoreError) in try keeper.prepare(onEnd: onEnd)
    }
  }
}

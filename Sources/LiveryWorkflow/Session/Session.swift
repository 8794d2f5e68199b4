#if !hasFeature(Embedded)
  import CLivery
  import LiveryClient

  // What programs in Swift call. The C functions are the same for all others.

  /// What is known of a session. Corresponds to `livery_session_info` in C.
  public struct SessionInfo: Sendable {
    public let state: SessionState
    public let reason: SessionReason
    /// Tells the session from all others; also of one that is over, nil if there was none.
    public let id: String?
    public let hasToken: Bool
    /// Whether this process has its user.
    public let hasUser: Bool
    public let since: Timestamp?
    /// When it ends by itself, or was to; nil for never.
    public let expires: Timestamp?

    init(_ report: SessionReport) {
      let facts = report.facts
      let isKnown = report.isKnown
      state = isKnown ? facts.state : .unknown
      reason = isKnown ? facts.reason : .never
      id = isKnown && !facts.id.isEmpty ? facts.id : nil
      hasToken = isKnown && facts.state == .active && facts.hasToken
      hasUser = report.user != nil
      since = isKnown && facts.since != 0 ? Timestamp(microseconds: facts.since) : nil
      expires = isKnown && facts.expires != 0 ? Timestamp(microseconds: facts.expires) : nil
    }
  }

  /// A request for the user of a session, to be answered once, from any thread. Corresponds to `livery_session_fetch` in C.
  public struct SessionFetch: Sendable {
    /// nil for a session without one.
    public let token: String?
    public let info: SessionInfo
    let request: SessionRequest

    /// `.refused` says that the token is no longer good: the session ends, in all processes. Corresponds to
    /// `livery_session_answer` in C.
    ///
    /// - Throws: `.closed` if it was answered before, or the store was closed.
    public func answer(_ user: Result<Value, StoreError>) throws(StoreError) { try request.answer(user) }
  }

  /// Hears of changes until it is cancelled, or let go of.
  public final class SessionObservation: Sendable {
    private let watch: SessionWatch

    init(_ watch: SessionWatch) { self.watch = watch }

    deinit { cancel() }

    /// Twice is fine.
    public func cancel() { watch.stop() }
  }

  /// Who is logged in at this device: one session for all processes on a store.
  public struct Session: Sendable {
    let store: Store

    /// When a session ends by itself.
    public enum Expiry: Sendable {
      case at(Timestamp)
      case never
    }

    /// Finds out, once for each store, who is logged in. Corresponds to `livery_session_bootstrap` in C.
    ///
    /// - Parameters:
    ///   - dispatched: call what is handed over from `Store.dispatch` alone, in place of the watcher thread.
    ///   - fetch: asks for the user of a session that another process has begun, or this one in an earlier life.
    ///   - done: runs once, unless this throws. The error is that of the fetch, whose session stays active.
    /// - Throws: `.conflict` if it is done, or under way; as `Store.claim`.
    public func bootstrap(
      dispatched: Bool = false, fetch: (@Sendable (SessionFetch) -> Void)? = nil,
      done: @escaping @Sendable (Result<SessionInfo, StoreError>) -> Void
    ) throws(StoreError) {
      let keeper = try SessionKeepers.find(store)
      let fetching = fetch.map { (fetch) in
        SessionKeeper.Fetching(isDispatched: dispatched) { (request, facts, token) in
          let info = SessionInfo(SessionReport(facts: facts, isKnown: true))
          fetch(SessionFetch(token: token, info: info, request: request))
        }
      }
      let starting = SessionKeeper.Bootstrap(on: store, dispatched: dispatched) { (outcome) in
        done(
          outcome.flatMap { (report) in
            if let failure = report.failure { return .failure(failure) }
            return .success(SessionInfo(report))
          })
      }
      do throws(StoreError) { try keeper.bootstrap(fetching, starting) } catch {
        starting.drop()
        throw error
      }
      starting.begin()
    }

    /// Logs somebody in. Corresponds to `livery_session_login` in C.
    ///
    /// - Throws: `.conflict` if a session is active and not to be replaced, or `bootstrap` is not done; `.invalidValue` for a
    ///   time that has passed; as `ChangeSet.commit()`.
    public func login(
      _ user: Value, token: String? = nil, expires: Expiry = .never, replacing: Bool = false
    ) throws(StoreError) {
      var wish = try SessionWish(token, expires)
      wish.replaces = replacing
      try SessionKeepers.ready(store).login(user, wish)
    }

    /// Changes what belongs to the active session; nil for as it was. Corresponds to `livery_session_update` in C.
    ///
    /// - Throws: `.conflict` if no session is active, or `bootstrap` is not done; as `login`.
    public func update(_ user: Value? = nil, token: String? = nil, expires: Expiry? = nil) throws(StoreError) {
      try SessionKeepers.ready(store).update(user, try SessionWish(token, expires))
    }

    /// Logs out. Corresponds to `livery_session_logout` in C.
    public func logout() throws(StoreError) { try SessionKeepers.ready(store).end(.logout) }

    /// Ends the session as expired. Corresponds to `livery_session_expire` in C.
    ///
    /// - Throws: `.conflict` if nobody is logged in, or `bootstrap` is not done.
    public func expire() throws(StoreError) { try SessionKeepers.ready(store).end(.expire) }

    /// The user as this process knows it. Corresponds to `livery_session_current` in C.
    public func current() throws(StoreError) -> Value? { try SessionKeepers.known(store)?.report().user }

    /// The state, as it is now. Corresponds to `livery_session_state` in C.
    public func info() throws(StoreError) -> SessionInfo {
      SessionInfo(try SessionKeepers.known(store)?.report() ?? SessionReport())
    }

    /// Hears of changes. Corresponds to `livery_session_watch_start` in C.
    ///
    /// - Parameters:
    ///   - initial: begin with the present state.
    ///   - handler: runs on the watcher thread, or in `Store.dispatch`.
    public func observe(
      initial: Bool = false, dispatched: Bool = false, _ handler: @escaping @Sendable (SessionInfo, Value?) -> Void
    ) throws(StoreError) -> SessionObservation {
      let watch = SessionWatch(try SessionKeepers.find(store), isDispatched: dispatched) { (report) in
        handler(SessionInfo(report), report.user)
      }
      _ = try watch.start(initial: initial)
      return SessionObservation(watch)
    }
  }

  extension Store {
    /// Who is logged in at this device.
    public var session: Session { Session(store: self) }
  }

  extension SessionWish {
    fileprivate init(_ token: String?, _ expires: Session.Expiry?) throws(StoreError) {
      self.token = token
      if let token, token.utf8.count > 65_536 || token.utf8.contains(0) {
        throw StoreError(.invalidValue, "the token is longer than 65,536 bytes, or has a NUL")
      }
      switch expires {
      case nil: break
      case .never: self.expires = Self.endless
      case .at(let time):
        guard time.microseconds > 0 else { throw StoreError(.invalidValue, "the time to end has passed") }
        self.expires = time.microseconds
      }
    }
  }
#endif

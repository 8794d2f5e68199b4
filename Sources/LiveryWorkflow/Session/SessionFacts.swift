import CLiveryWorkflow
import LiveryClient

/// Where a session is. Raw values are those of the C constants.
public enum SessionState: Int32, Sendable {
  /// This process has not been through `bootstrapSession` yet.
  case unknown = 0
  /// Nobody is logged in.
  case none
  /// Somebody is.
  case active
  /// Somebody was, and did not log out.
  case expired
}

/// Why the state is what it is. Raw values are those of the C constants.
public enum SessionReason: Int32, Sendable {
  /// Nobody has logged in yet.
  case never = 0
  case login
  case logout
  /// Its time was over.
  case time
  /// The app said so.
  case expire
  /// Whoever knows the users said that the token is no longer good.
  case refused
  /// Somebody has emptied the layer `session`, or restored a backup.
  case removed
}

/// What the settings below `session.` come to.
struct SessionFacts: Equatable, Sendable {
  static let prefix = "session."
  static let current = "session.current"
  static let token = "session.token"
  static let last = "session.last"

  var state = SessionState.none
  var reason = SessionReason.never
  var id = ""
  var hasToken = false
  /// Microseconds since 1970; 0 if there was none, and for never.
  var since: Int64 = 0
  var expires: Int64 = 0
  /// Rises with each change of user or token.
  var count: Int64 = 0
  /// Since when somebody is at forgetting the tokens of sessions that are over: 0 if nobody is; nil if nothing is left of them.
  var forgets: Int64?
  /// Of the snapshot that they were read from; 0 within a change.
  var revision: UInt64 = 0
  /// Whether the layer holds a token still, be it in effect or not.
  var holdsToken = false

  /// Tells a user of a session from those of others.
  struct Key: Equatable, Sendable {
    var id: String
    var count: Int64

    static func == (left: Key, right: Key) -> Bool {
      left.count == right.count && left.id.utf8.elementsEqual(right.id.utf8)
    }
  }

  var key: Key? { state == .active ? Key(id: id, count: count) : nil }

  static func == (left: SessionFacts, right: SessionFacts) -> Bool {
    left.state == right.state && left.reason == right.reason && left.id.utf8.elementsEqual(right.id.utf8)
      && left.hasToken == right.hasToken && left.since == right.since && left.expires == right.expires
      && left.count == right.count
  }

  init() {}

  /// - Parameters:
  ///   - current: `session.current`, if it counts.
  ///   - last: `session.last`.
  ///   - holdsToken: whether the layer holds one.
  init(current: Value?, last: Value?, holdsToken: Bool, now: Int64) {
    self.holdsToken = holdsToken
    if let last {
      id = last["id"]?.text ?? ""
      since = last["since"].microseconds
      expires = last["expires"].microseconds
      if case .date(let time)? = last["forgets"] { forgets = time.microseconds }
      switch last["state"]?.text {
      case let text? where text.utf8.elementsEqual("none".utf8):
        reason = .logout
      case let text? where text.utf8.elementsEqual("expired".utf8):
        state = .expired
        reason = Self.reason(last["reason"]?.text)
      default:
        // It was active, and nobody has ended it.
        state = .expired
        reason = expires != 0 && expires <= now ? .time : .removed
      }
    }
    guard let current, let id = current["id"]?.text, !id.isEmpty else { return }
    let hasToken = current["token"].isTrue
    // Whole or gone.
    guard !hasToken || holdsToken else { return }
    state = .active
    reason = .login
    self.id = id
    self.hasToken = hasToken
    since = current["since"].microseconds
    expires = current["expires"].microseconds
    if case .int(let number)? = current["count"] { count = number }
  }

  private static func reason(_ text: String?) -> SessionReason {
    for reason in [SessionReason.expire, .refused, .time] {
      if let text, text.utf8.elementsEqual(reason.text.utf8) { return reason }
    }
    return .removed
  }

  /// What is kept of an active session.
  var storedCurrent: Value {
    var members: [Value.Member] = [
      .init("id", .string(id)), .init("since", .date(Timestamp(microseconds: since))), .init("token", .bool(hasToken)),
      .init("count", .int(count)),
    ]
    if expires != 0 { members.append(.init("expires", .date(Timestamp(microseconds: expires)))) }
    return .object(members)
  }

  /// What stays of it.
  var storedLast: Value {
    var members: [Value.Member] = [
      .init("id", .string(id)), .init("since", .date(Timestamp(microseconds: since))),
      .init("state", .string(state.text)), .init("reason", .string(reason.text)),
    ]
    if expires != 0 { members.append(.init("expires", .date(Timestamp(microseconds: expires)))) }
    if let forgets { members.append(.init("forgets", .date(Timestamp(microseconds: forgets)))) }
    return .object(members)
  }

  /// Whether a value is one of those that are set here.
  static func isStored(_ value: Value, as name: String) -> Bool {
    if name.utf8.elementsEqual(token.utf8) {
      guard case .string = value else { return false }
      return true
    }
    guard name.utf8.elementsEqual(current.utf8) || name.utf8.elementsEqual(last.utf8) else { return false }
    return value["id"]?.text != nil
  }
}

extension SessionState {
  var text: String {
    switch self {
    case .unknown: "unknown"
    case .none: "none"
    case .active: "active"
    case .expired: "expired"
    }
  }
}

extension SessionReason {
  var text: String {
    switch self {
    case .never: "never"
    case .login: "login"
    case .logout: "logout"
    case .time: "time"
    case .expire: "expire"
    case .refused: "refused"
    case .removed: "removed"
    }
  }
}

extension Value? {
  fileprivate var microseconds: Int64 {
    guard case .date(let time)? = self else { return 0 }
    return time.microseconds
  }

  fileprivate var isTrue: Bool {
    guard case .bool(true)? = self else { return false }
    return true
  }
}

extension Store {
  /// What the store says of the session, at one moment.
  func sessionFacts() throws(StoreError) -> SessionFacts {
    let snapshot = try snapshot()
    defer { snapshot.close() }
    func value(_ name: String) throws(StoreError) -> Value? {
      do throws(StoreError) { return try snapshot.value(name) } catch {
        guard error.code == .notFound || error.code == .noValue else { throw error }
        return nil
      }
    }
    let holdsToken = try !snapshot.names(in: .session, matching: SessionFacts.token).isEmpty
    var facts = SessionFacts(
      current: try value(SessionFacts.current), last: try value(SessionFacts.last), holdsToken: holdsToken,
      now: Timestamp.now.microseconds)
    facts.revision = snapshot.revision
    return facts
  }
}

extension ChangeSet {
  /// The same, as an edit sees it.
  func sessionFacts() throws(StoreError) -> SessionFacts {
    let holdsToken = try !names(in: .session, matching: SessionFacts.token).isEmpty
    return SessionFacts(
      current: try value(SessionFacts.current, in: .session), last: try value(SessionFacts.last, in: .user),
      holdsToken: holdsToken, now: Timestamp.now.microseconds)
  }
}

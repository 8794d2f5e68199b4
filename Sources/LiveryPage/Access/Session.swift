import LiveryClient
import LiveryHTTP

/// Why a session ended. Raw values are those of the C constants.
enum SessionEnd: Int32, Sendable {
  case done = 1
  case idle
  case stopped
}

/// An editing session: one person in one browser.
final class Session: Visitor, @unchecked Sendable {
  /// Tells sessions apart, and is no secret.
  let id: UInt64
  let csrf = String(decoding: Token.make(), as: UTF8.self)
  let notes = SessionNotes()
  fileprivate let cookie: [UInt8]
  // Guarded by the lock of the sessions.
  fileprivate var holds = 0
  fileprivate var lastSign: Int64 = 0

  fileprivate init(_ id: UInt64) {
    self.id = id
    cookie = Token.make()
  }
}

/// The sessions of a server. One lives while a request of it is under way, such as a stream of events, and for a while after.
final class Sessions: @unchecked Sendable {
  static let most = 128

  private let idle: Int64
  private let lock = Lock()
  // Guarded by `lock`.
  private var all: [Session] = []
  private var nextID: UInt64 = 1

  /// - Parameter idle: in seconds.
  init(idle: Int) {
    self.idle = Int64(idle) * 1000
  }

  var hasRoom: Bool { lock.withLock { all.count < Sessions.most } }

  /// A new session and its cookie, held; nil if there are too many.
  func open() -> (session: Session, cookie: String)? {
    lock.withLock {
      guard all.count < Sessions.most else { return nil }
      let session = Session(nextID)
      nextID += 1
      session.holds = 1
      all.append(session)
      return (session, String(decoding: session.cookie, as: UTF8.self))
    }
  }

  /// The session of one of the cookies, held from now on.
  func hold(_ cookies: [ArraySlice<UInt8>]) -> Session? {
    guard !cookies.isEmpty else { return nil }
    return lock.withLock {
      var found: Session?
      for session in all {
        for cookie in cookies.prefix(4) where Token.isSame(session.cookie, cookie) { found = session }
      }
      found?.holds += 1
      return found
    }
  }

  /// When to look again for idle ones.
  func release(_ session: Session) -> Int64 {
    lock.withLock {
      session.holds -= 1
      session.lastSign = Clock.now
      return session.lastSign + idle
    }
  }

  /// Whether it goes on.
  func has(_ session: Session) -> Bool { lock.withLock { all.contains { $0 === session } } }

  /// Ends one; false if it has ended before.
  func end(_ session: Session) -> Bool {
    lock.withLock {
      guard let place = all.firstIndex(where: { $0 === session }) else { return false }
      all.remove(at: place)
      return true
    }
  }

  /// Ends those without a sign of life; and when the next one is due.
  func endIdle(at now: Int64) -> (ended: [Session], next: Int64) {
    lock.withLock {
      var next = Int64.max
      var ended: [Session] = []
      for session in all where session.holds == 0 {
        if session.lastSign + idle <= now { ended.append(session) } else { next = min(next, session.lastSign + idle) }
      }
      all.removeAll { session in ended.contains { $0 === session } }
      return (ended, next)
    }
  }

  func endAll() -> [Session] {
    lock.withLock {
      let ended = all
      all = []
      return ended
    }
  }
}

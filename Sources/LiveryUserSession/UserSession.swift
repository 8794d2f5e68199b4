import Foundation
import LiveryClient
import LiveryWorkflow

/// The session of a store whose users are of a type of the app's own.
///
///     struct User: Codable, Sendable { var name: String }
///
///     let session = UserSession<User>(store)
///     try await session.bootstrap { token in try await server.user(of: token) }
///     if try session.info().state == .none { try session.login(User(name: "Ada"), token: token) }
///
/// The user is encoded to be handed over, and in the memory of processes alone.
public struct UserSession<User: Codable & Sendable>: Sendable {
  private let session: Session

  public init(_ store: Store) {
    session = store.session
  }

  /// Finds out, once for each store, who is logged in.
  ///
  /// - Parameter fetch: gives the user of a token, nil for a session without one. What it throws leaves the session active and
  ///   its user unknown; `StoreError` `.refused` says that the token is no longer good, and ends it.
  /// - Throws: what `fetch` came to, as a `StoreError`; `.conflict` if it is done, or under way.
  @discardableResult
  public func bootstrap(_ fetch: (@Sendable (String?) async throws -> User)? = nil) async throws -> SessionInfo {
    let asking = fetch.map { (fetch) -> @Sendable (SessionFetch) -> Void in
      { (request) in
        Task {
          let answer: Result<Value, StoreError>
          do { answer = .success(try Self.value(of: try await fetch(request.token))) } catch {
            answer = .failure(error as? StoreError ?? StoreError(.network, "\(error)"))
          }
          // The store may have been closed.
          try? request.answer(answer)
        }
      }
    }
    return try await withCheckedThrowingContinuation { (continuation) in
      do throws(StoreError) {
        try session.bootstrap(fetch: asking) { (outcome) in continuation.resume(with: outcome) }
      } catch { continuation.resume(throwing: error) }
    }
  }

  /// Logs somebody in; `expires` is when the session ends by itself.
  public func login(_ user: User, token: String? = nil, expires: Date? = nil, replacing: Bool = false) throws {
    let expiry = expires.map { Session.Expiry.at(Self.moment($0)) } ?? .never
    try session.login(try Self.value(of: user), token: token, expires: expiry, replacing: replacing)
  }

  /// Changes what belongs to the active session; nil for as it was.
  public func update(_ user: User? = nil, token: String? = nil, expires: Date? = nil) throws {
    let value = try user.map { try Self.value(of: $0) }
    try session.update(value, token: token, expires: expires.map { .at(Self.moment($0)) })
  }

  public func logout() throws { try session.logout() }

  /// Ends the session as expired.
  public func expire() throws { try session.expire() }

  /// The user as this process knows it.
  public func current() throws -> User? { try session.current().map { try Self.user(of: $0) } }

  public func info() throws -> SessionInfo { try session.info() }

  /// The present state, and each that comes after, with the user as this process knows it. It ends when the store is closed.
  public func states() -> AsyncThrowingStream<(info: SessionInfo, user: User?), any Error> {
    AsyncThrowingStream { (continuation) in
      do {
        let observation = try session.observe(initial: true) { (info, value) in
          do { continuation.yield((info, try value.map { try Self.user(of: $0) })) } catch {
            continuation.finish(throwing: error)
          }
        }
        continuation.onTermination = { _ in observation.cancel() }
      } catch { continuation.finish(throwing: error) }
    }
  }

  private static func moment(_ date: Date) -> Timestamp {
    Timestamp(microseconds: Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) ?? 0)
  }

  private static func value(of user: User) throws -> Value {
    // A fragment by itself is no document that every encoder writes.
    let value = try Value(json: Array(try JSONEncoder().encode([user])))
    guard let first = value.items?.first else { throw StoreError(.typeMismatch, "the user is no value") }
    return first
  }

  private static func user(of value: Value) throws -> User {
    let text = try Value.list([value]).jsonText()
    guard let user = try JSONDecoder().decode([User].self, from: Data(text.utf8)).first else {
      throw StoreError(.typeMismatch, "the user is of another type")
    }
    return user
  }
}

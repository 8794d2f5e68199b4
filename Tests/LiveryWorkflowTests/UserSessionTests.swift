import Foundation
import LiveryABI
import LiveryClient
import LiveryUserSession
import LiveryWorkflow
import Testing

@Suite struct UserSessionTests {
  struct User: Codable, Sendable, Equatable {
    var name: String
    var age: Int
    var rights: [String] = []
  }

  private static let ada = User(name: "Ada", age: 36, rights: ["admin"])

  private func withStore(_ body: (String, Store) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("session-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = Store.Options()
    options.create = true
    let store = try Store(path: path, options: options)
    defer { store.close() }
    try await body(path, store)
  }

  @Test func aUserOfATypeOfItsOwnIsLoggedInUpdatedAndLoggedOut() async throws {
    try await withStore { (_, store) in
      let session = UserSession<User>(store)
      #expect(try session.info().state == .unknown)
      #expect(throws: StoreError.self) { try session.login(Self.ada) }
      #expect(try await session.bootstrap().state == SessionState.none)
      try session.login(Self.ada, token: "token", expires: .now + 3600)
      #expect(try session.current() == Self.ada)
      #expect(try session.info().expires != nil && session.info().hasToken)
      var older = Self.ada
      older.age += 1
      try session.update(older)
      #expect(try session.current() == older)
      #expect(throws: StoreError.self) { try session.login(Self.ada) }
      try session.login(Self.ada, replacing: true)
      try session.logout()
      #expect(try session.current() == nil)
      #expect(try session.info().reason == .logout)
      try session.login(Self.ada)
      try session.expire()
      #expect(try session.info().state == .expired)
    }
  }

  @Test func theUserOfATokenIsFetched() async throws {
    try await withStore { (path, store) in
      let first = UserSession<User>(store)
      try await first.bootstrap()
      try first.login(Self.ada, token: "token")
      let other = try Store(path: path)
      defer { other.close() }
      let second = UserSession<User>(other)
      await #expect(throws: StoreError.self) {
        try await second.bootstrap { (_) in throw StoreError(.network, "no network") }
      }
      #expect(try second.info().state == .active && second.current() == nil)
      try await second.bootstrap { (token) in
        #expect(token == "token")
        return Self.ada
      }
      #expect(try second.current() == Self.ada)
      let third = try Store(path: path)
      defer { third.close() }
      let info = try await UserSession<User>(third).bootstrap { (_) in throw StoreError(.refused, "revoked") }
      #expect(info.state == .expired && info.reason == .refused)
      #expect(try first.info().state == .expired)
    }
  }

  @Test func statesAreTold() async throws {
    try await withStore { (_, store) in
      let session = UserSession<User>(store)
      try await session.bootstrap()
      var told: [(SessionState, User?)] = []
      for try await (info, user) in session.states() {
        told.append((info.state, user))
        switch info.state {
        case .none where told.count == 1: try session.login(Self.ada)
        case .active: try session.logout()
        default: break
        }
        if told.count > 1, info.state == .none { break }
      }
      #expect(told.map { $0.0 } == [.none, .active, .none])
      #expect(told[1].1 == Self.ada)
    }
  }
}

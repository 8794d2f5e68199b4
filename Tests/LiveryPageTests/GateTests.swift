import CHTTP
import Testing

@testable import LiveryHTTP
@testable import LiveryPage

/// Who gets in.
@Suite struct GateTests {
  @Test func aLinkIsGoodOnce() {
    let gate = Gate()
    let token = gate.makeToken()
    #expect(token.utf8.count == 43)
    #expect(!gate.take([]))
    #expect(!gate.take(Array((token + "A").utf8)[...]))
    #expect(gate.take(Array(token.utf8)[...]))
    #expect(!gate.take(Array(token.utf8)[...]))
  }

  @Test func theOldestLinkEndsWhenThereAreTooMany() {
    let gate = Gate()
    let tokens = (0...Gate.mostLinks).map { _ in gate.makeToken() }
    #expect(Set(tokens).count == tokens.count)
    #expect(!gate.take(Array(tokens[0].utf8)[...]))
    for token in tokens.dropFirst() { #expect(gate.take(Array(token.utf8)[...])) }
  }

  @Test func aPINIsComparedWithItsHash() throws {
    let hash = try #require(Password.hash("2468"))
    #expect(hash.hasPrefix("$argon2id$v=19$m=8192,t="))
    #expect(PIN.isRight("2468", hash: hash))
    for wrong in ["", "246", "24680", "2468 ", "8642"] { #expect(!PIN.isRight(wrong, hash: hash)) }
    for broken in [nil, "", "2468", hash + "A", String(hash.dropLast()), "$argon2id$v=19$m=8192,t=3,p=1$$"] {
      #expect(!PIN.isRight("2468", hash: broken))
    }
    // One that would take all memory, or for ever, is none.
    for costs in ["m=4194304,t=3,p=1", "m=8192,t=4000000,p=1", "m=,t=3,p=1", "m=8192,t=3"] {
      #expect(!Password.isReasonable(Array("$argon2id$v=19$\(costs)$c2FsdHNhbHRzYWx0c2FsdA$aGFzaA".utf8)[...]))
    }
  }

  @Test func whoGuessesHasToWait() throws {
    let hash = try #require(Password.hash("2468"))
    let gate = Gate(pinHash: { hash })
    for _ in 1..<Throttle.free {
      guard case .isWrong(wait: 0) = gate.tryPIN("1111") else { Issue.record("the first ones are free"); return }
    }
    guard case .isWrong(wait: 2) = gate.tryPIN("1111") else { Issue.record("then it takes two seconds"); return }
    guard case .isTooSoon = gate.tryPIN("2468") else { Issue.record("also for the right one"); return }
    #expect((1...2).contains(gate.wait))
  }

  @Test func sessionsEndOnce() throws {
    let sessions = Sessions(idle: 10)
    let (session, cookie) = try #require(sessions.open())
    #expect(sessions.hold([Array("x".utf8)[...]]) == nil)
    #expect(sessions.hold([Array("x".utf8)[...], Array(cookie.utf8)[...]]) === session)
    #expect(session.isOwn(Array(session.csrf.utf8)) && !session.isOwn([]))
    // Held twice: it does not end, however late it is.
    #expect(sessions.endIdle(at: .max).ended.isEmpty)
    _ = sessions.release(session)
    let due = sessions.release(session)
    #expect(sessions.endIdle(at: due - 1).ended.isEmpty && sessions.endIdle(at: due - 1).next == due)
    #expect(sessions.endIdle(at: due).ended.count == 1)
    #expect(!sessions.end(session) && sessions.endAll().isEmpty)
    #expect((0..<Sessions.most).allSatisfy { _ in sessions.open() != nil })
    #expect(sessions.open() == nil)
  }
}

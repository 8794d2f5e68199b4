import LiveryClient
import Testing

@Suite struct TrialTests {
  let temporary = TemporaryStore()

  private func begin(_ store: Store, _ length: Duration?) throws -> UInt64 {
    let change = try store.change(.user)
    try change.set("idle", to: .int(60))
    try change.setTrial(length)
    return try change.commit()
  }

  @Test func aTrialIsConfirmedWithItsRevision() throws {
    let store = try temporary.open(schema: kioskSchema)
    let begun = try begin(store, .seconds(600))
    #expect(try store.int("idle") == 60)
    #expect(try store.trialStatus()["state"] == .string("pending"))
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun + 1) } == .conflict)
    try store.confirmTrial(begun, origin: "console")
    #expect(try store.trialStatus()["endOrigin"] == .string("console"))
    #expect(code { () throws(StoreError) in try store.revertTrial() } == .notFound)
    #expect(try store.int("idle") == 60)
  }

  @Test func aTrialIsTakenBack() throws {
    let store = try temporary.open(schema: kioskSchema)
    let begun = try begin(store, .microseconds(600_000_001))
    #expect(try store.trialStatus()["length"] == .int(600_000_001))
    try store.revertTrial(begun, origin: "operator")
    #expect(try store.int("idle") == 120)
  }

  @Test func aTrialHasALength() throws {
    let store = try temporary.open(schema: kioskSchema)
    let change = try store.change(.user)
    for wrong in [Duration.zero, .nanoseconds(10), .seconds(-1), .seconds(367 * 86_400), .seconds(Int64.max)] {
      #expect(code { () throws(StoreError) in try change.setTrial(wrong) } == .invalidArgument)
    }
    try change.setTrial(nil)
    change.discard()
    _ = try begin(store, nil)
    #expect(try store.trialStatus()["state"] == .string("none"))
  }
}

import Testing

@testable import Livery

/// What commits remember of those before them holds until somebody else changes the store.
@Suite struct CommitMemoryTests {
  let temporary = TemporaryStore()

  private func child(_ arguments: String...) throws {
    let child = try Child.command(arguments, store: temporary.path)
    #expect(child.finish() == 0)
  }

  @Test func whatAnotherProcessSetIsReplaced() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(200), in: .user)
    try store.set("idle", to: .int(201), in: .user)
    try child("set", "idle", "300")
    let before = try store.revision()
    // It is what this process has set last, and nevertheless a change.
    try store.set("idle", to: .int(201), in: .user)
    #expect(try store.revision() == before + 1)
    #expect(try store.int("idle") == 201)
    let change = try #require(try store.history().items.first?["changes"]?.items.first)
    #expect(change["old"] == .int(300) && change["new"] == .int(201))
  }

  @Test func aLockOfAnotherProcessHolds() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(200), in: .user)
    try child("set", "idle", "300", "--layer", "enforced")
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(202), in: .user) } == .locked)
    try child("reset", "idle", "--layer", "enforced")
    try store.set("idle", to: .int(202), in: .user)
    #expect(try store.int("idle") == 202)
  }

  @Test func aSchemaThatHasChangedCounts() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(200), in: .user)
    try store.set("idle", to: .int(3000), in: .user)
    let narrower = kioskSchema.replacing("\"Maximum\": 3600", with: "\"Maximum\": 600")
      .replacing("{\"Version\": 1", with: "{\"Version\": 2")
    #expect(store.applySchema(Array(narrower.utf8)).error == nil)
    let refused = code { () throws(StoreError) in try store.set("idle", to: .int(3000), in: .user) }
    #expect(refused == .invalidValue)
    try store.set("idle", to: .int(500), in: .user)
    #expect(try store.int("idle") == 500)
  }

  @Test func whatARestoreBroughtBackIsReplaced() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let backup = try store.backup()
    try store.set("a", to: .int(2), in: .user)
    try store.set("a", to: .int(3), in: .user)
    _ = try store.restore(from: backup)
    #expect(try store.int("a") == 1)
    try store.set("a", to: .int(3), in: .user)
    #expect(try store.int("a") == 3)
  }

  @Test func aFileThatWasReplacedIsLookedAtAnew() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    _ = try store.compact()
    try store.set("a", to: .int(1), in: .user)
    try store.set("a", to: .int(2), in: .user)
    #expect(try store.int("a") == 2)
    try child("compact")
    try child("set", "a", "7")
    try store.set("a", to: .int(2), in: .user)
    #expect(try store.int("a") == 2)
  }

  @Test func whatWasRefusedOrRolledBackIsNotRemembered() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(200), in: .user)
    let change = try store.change(.user)
    try change.set("idle", to: .int(300))
    try change.set("fleet", to: .string("no"))
    #expect(code { () throws(StoreError) in try change.commit() } == .readOnly)
    let before = try store.revision()
    try store.set("idle", to: .int(200), in: .user)
    #expect(try store.revision() == before)
    try store.set("idle", to: .int(300), in: .user)
    #expect(try store.revision() == before + 1)
    #expect(try store.int("idle") == 300)
  }

  @Test func resetsUncoverWhatIsBeneath() throws {
    let store = try temporary.open(schema: kioskSchema)
    for round in 0..<3 {
      try store.set("idle", to: .int(200), in: .bundle)
      try store.set("idle", to: .int(300), in: .user)
      try store.reset("idle", in: .bundle)
      #expect(try store.int("idle") == 300, "round \(round)")
      try store.set("idleTime", to: .int(400), in: .session)
      #expect(try store.int("idle") == 400, "round \(round)")
      try store.reset("idleTime", in: .session)
      try store.reset("idle", in: .user)
      #expect(try store.int("idle") == 120, "round \(round)")
    }
  }

  @Test func moreSettingsThanAreRememberedAreCommittedAllTheSame() throws {
    let store = try temporary.open()
    for round in 0..<3 {
      let change = try store.change(.user)
      for index in 0..<1_500 { try change.set("name.\(index)", to: .int(Int64(index * 10 + round))) }
      try change.commit()
      try store.set("name.7", to: .int(Int64(-round)), in: .user)
    }
    #expect(try store.int("name.7") == -2)
    #expect(try store.int("name.1499") == 14992)
  }
}

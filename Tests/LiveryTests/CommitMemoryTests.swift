import Testing

@testable import Livery

/// What commits remember of those before them holds until somebody else changes the store.
@Suite struct CommitMemoryTests {
  let temporary = TemporaryStore()

  private func child(_ arguments: String...) throws {
    let child = try Child.command(arguments, store: temporary.path)
    #expect(child.finish() == 0)
  }

  @Test(.onDisk) func whatAnotherProcessSetIsReplaced() throws {
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

  @Test(.onDisk) func aLockOfAnotherProcessHolds() throws {
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

  @Test(.onDisk) func whatARestoreBroughtBackIsReplaced() throws {
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

  @Test(.onDisk) func aFileThatWasReplacedIsLookedAtAnew() throws {
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

  /// Neither large values nor secrets are remembered, and they count all the same.
  @Test func whatIsLargeOrSecretIsCommittedAllTheSame() throws {
    let schema = """
      {"Version": 1, "Groups": [{"Title": "A", "Settings": [
        {"Type": "TextField", "Title": "Pin", "Key": "pin", "Class": ["Password"], "MinLength": 4},
        {"Type": "TextField", "Title": "Long", "Key": "long"},
        {"Type": "TextField", "Title": "Code", "Key": "code", "Pattern": "[a-z]+[0-9]"},
        {"Type": "TextField", "Title": "Told", "Key": "told", "Description": "\(String(repeating: "x", count: 600))"},
        {"Type": "List", "Title": "List", "Key": "list", "ItemTemplate": [{"Type": "TextField", "Title": "T", "Key": "t"}]}
      ]}]}
      """
    let store = try temporary.open(schema: schema)
    let small = Value.string("short")
    for round in 0..<4 {
      let large = Value.string(String(repeating: "y", count: 300 + round))
      let change = try store.change(.user)
      try change.set("pin", to: .string("1234\(round)"))
      try change.set("long", to: round % 2 == 0 ? large : small)
      try change.set("code", to: .string("abc\(round)"))
      try change.set("told", to: .string("\(round)"))
      try change.set("list", to: .list([.object([.init("t", .string("\(round)"))])]))
      try change.commit()
      #expect(try store.string("pin") == "1234\(round)")
      #expect(try store.value("long") == (round % 2 == 0 ? large : small))
      #expect(try store.string("code") == "abc\(round)")
      #expect(try store.string("told") == "\(round)")
      #expect(try store.value("list") == .list([.object([.init("t", .string("\(round)"))])]))
      let revision = try store.revision()
      try store.set("long", to: round % 2 == 0 ? large : small, in: .user)
      try store.set("pin", to: .string("1234\(round)"), in: .user)
      #expect(try store.revision() == revision)
      try store.set("long", to: small, in: .bundle)
      try store.reset("long", in: .user)
      #expect(try store.value("long") == small)
      try store.reset("long", in: .bundle)
      let refused = code { () throws(StoreError) in try store.set("code", to: .string("no"), in: .user) }
      #expect(refused == .invalidValue)
    }
  }

  /// What is remembered of a setting: whether its declaration, and how many layers' values; nil if nothing is.
  private func remembered(_ name: String, _ store: Store) throws -> (row: Bool, values: Int)? {
    let memory = try #require(Mirror(reflecting: store.shared.commits).descendant("memory"))
    let settings = try #require(Mirror(reflecting: memory).descendant("settings") as? [KnownSetting])
    guard let setting = settings.first(where: { $0.name == name }) else { return nil }
    let inside = Mirror(reflecting: setting)
    let records = inside.descendant("state", "some", "record", "some", "values") as? [Record] ?? []
    let row = try #require(inside.descendant("knowsRow") as? Bool)
    return (row, records.count)
  }

  @Test func onlyWhatIsSmallAndNoSecretStaysInMemory() throws {
    let schema = """
      {"Version": 1, "Groups": [{"Title": "A", "Settings": [
        {"Type": "TextField", "Title": "Plain", "Key": "plain"},
        {"Type": "TextField", "Title": "Pin", "Key": "pin", "Class": ["Password"]},
        {"Type": "TextField", "Title": "Code", "Key": "code", "Pattern": "[a-z]+"},
        {"Type": "TextField", "Title": "Told", "Key": "told", "Description": "\(String(repeating: "x", count: 600))"}
      ]}]}
      """
    let store = try temporary.open(schema: schema)
    for name in ["plain", "pin", "code", "told"] { try store.set(name, to: .string("abcd"), in: .user) }
    #expect(try #require(try remembered("plain", store)) == (true, 1))
    #expect(try #require(try remembered("pin", store)).values == 0)
    #expect(try #require(try remembered("code", store)).row == false)
    #expect(try #require(try remembered("told", store)).row == false)
    try store.set("plain", to: .string(String(repeating: "y", count: 300)), in: .user)
    #expect(try #require(try remembered("plain", store)).values == 0)
  }

  @Test func atMostAThousandSettingsStayInMemory() throws {
    let store = try temporary.open()
    let change = try store.change(.user)
    for index in 0..<1_000 { try change.set("name.\(index)", to: .int(1)) }
    try change.commit()
    #expect(try remembered("name.7", store) != nil)
    try store.set("one.more", to: .int(1), in: .user)
    #expect(try remembered("name.7", store) == nil)
  }
}

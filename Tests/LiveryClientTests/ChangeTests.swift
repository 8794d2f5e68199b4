import LiveryClient
import Testing

@Suite struct ChangeTests {
  let temporary = TemporaryStore()

  @Test func aChangeSetIsCommittedAsOne() throws {
    let store = try temporary.open(schema: kioskSchema)
    let change = try store.change(.user)
    try change.setOrigin("test")
    try change.set("idle", to: .int(60))
    try change.set("welcome", to: .string("Hi"))
    try change.reset("welcome")
    try change.use(.recommended)
    try change.replace("volume", with: .double(0.25))
    #expect(try change.value("idle") == .int(60) && store.int("idle") == 120)
    #expect(try change.valueIfAny("note") == nil)
    #expect(try change.commit() == 2)
    #expect(try store.int("idle") == 60 && store.double("volume") == 0.25 && store.string("welcome") == "Hello")
    #expect(code { () throws(StoreError) in try change.commit() } == .closed)
    change.discard()
    try store.reset("idle", in: .user)
    #expect(try store.int("idle") == 120)
    #expect(code { () throws(StoreError) in try store.reset("a\u{0}", in: .user) } == .invalidArgument)
    #expect(code { () throws(StoreError) in _ = try store.change(.defaults) } == .readOnly)
  }

  @Test func whatLayersHoldIsToldAndLocksAreIgnoredIfAskedFor() throws {
    let store = try temporary.open(schema: kioskSchema) { $0.inMemory = true }
    try store.set("idle", to: .int(60), in: .bundle)
    try store.set("idle", to: .int(61), in: .enforced)
    let snapshot = try store.snapshot()
    let change = try store.change(.bundle)
    #expect(try change.value("idle", in: .bundle) == .int(60))
    #expect(try change.value("idle", in: .user) == nil)
    try change.set("idle", to: .int(62))
    try change.set("welcome", to: .string("Hi"))
    #expect(try change.names(in: .bundle) == ["idle", "welcome"])
    #expect(try change.names(in: .bundle, matching: "w*") == ["welcome"])
    #expect(code { () throws(StoreError) in try change.commit() } == .locked)
    try change.ignoreLocks()
    try change.commit()
    #expect(try store.int("idle") == 61)
    #expect(try snapshot.value("idle", in: .bundle) == .int(60))
    #expect(try snapshot.value("idle", in: .user) == nil)
    #expect(try snapshot.names(in: .bundle) == ["idle"])
  }

  @Test func aRefusedOneTellsAllThatIsWrongAndMayBeCorrected() throws {
    let store = try temporary.open(schema: kioskSchema)
    let change = try store.change(.user)
    try change.set("idle", to: .int(5))
    try change.set("languages", to: .list([.string("fr")]))
    let error = failure { () throws(StoreError) in try change.commit() }
    #expect(error?.code == .invalidValue && error?.setting == "idle")
    #expect(change.violations().items?.compactMap { $0["name"]?.text } == ["idle", "languages"])
    try change.set("idle", to: .int(50))
    try change.reset("languages")
    try change.commit()
    let expecting = try store.change(.user)
    try expecting.expect("idle", at: 1)
    try expecting.set("idle", to: .int(51))
    #expect(code { () throws(StoreError) in try expecting.commit() } == .conflict)
    let all = try store.change(.user)
    try all.resetAll()
    try all.commit()
    #expect(try store.int("idle") == 120)
  }

  @Test func anEditReadsAndWritesWithNobodyBetween() async throws {
    let store = try temporary.open { $0.durability = .deferred }
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<4 {
        tasks.addTask {
          for _ in 0..<25 {
            _ = try? store.edit(.user) { (change) throws(StoreError) in
              try change.set("n", to: .int((Int64(try change.valueIfAny("n") ?? .int(0)) ?? 0) + 1))
            }
          }
        }
      }
    }
    #expect(try store.int("n") == 100)
  }

  @Test func whatAnEditThrowsIsThrownAndChangesNothing() throws {
    let store = try temporary.open(schema: kioskSchema)
    let own = StoreError(.init(rawValue: -1001), "not today", setting: "idle", systemError: 4)
    let thrown = failure { () throws(StoreError) in
      try store.edit(.user) { (change) throws(StoreError) in
        try change.set("idle", to: .int(60))
        throw own
      }
    }
    #expect(thrown?.code == own.code && thrown?.message == "not today")
    #expect(thrown?.setting == "idle" && thrown?.systemError == 4)
    #expect(try store.int("idle") == 120)
    #expect(own.code.description == "LIVERY_ERROR_UNKNOWN")
    // A code that is none must not pass for success.
    for number: Int32 in [0, 3] {
      let thrown = failure { () throws(StoreError) in
        try store.edit(.user) { (change) throws(StoreError) in
          try change.set("idle", to: .int(60))
          throw StoreError(.init(rawValue: number), "no status")
        }
      }
      #expect(thrown?.code.rawValue == number)
    }
    #expect(try store.int("idle") == 120)
  }

  @Test func whatIsRefusedOfAnEditIsListed() throws {
    let store = try temporary.open(schema: kioskSchema)
    var edited: ChangeSet?
    let thrown = failure { () throws(StoreError) in
      try store.edit(.user) { (change) throws(StoreError) in
        edited = change
        try change.set("idle", to: .int(5))
        try change.set("nothing", to: .int(5))
      }
    }
    #expect(thrown?.code == .invalidValue && thrown?.setting == "idle")
    #expect(edited?.violations().count == 2)
    #expect(code { () throws(StoreError) in try edited?.set("idle", to: .int(5)) } == .closed)
    let revision = try store.edit(.user) { (change) throws(StoreError) in
      try change.set("idle", to: .int(61))
      change.discard()
    }
    #expect(try revision == store.revision() && store.int("idle") == 120)
  }

  @Test func aNamespaceIsClaimedAndItsValuesChecked() throws {
    let store = try temporary.open(schema: kioskSchema)
    let ends = Counter()
    try store.claim("kept.", onEnd: { ends.increase() }, takesAll: { $0.utf8.starts(with: "kept.all.".utf8) }) {
      (value, name) throws(StoreError) in
      guard case .int(let number) = value else { throw StoreError(.typeMismatch, "`\(name)` counts") }
      return .int(abs(number))
    }
    try store.set("kept.a", to: .int(-7), in: .user)
    #expect(try store.int("kept.a") == 7)
    let refused = failure { () throws(StoreError) in try store.set("kept.a", to: .bool(true), in: .user) }
    #expect(refused?.code == .typeMismatch && refused?.message.contains("`kept.a` counts") == true)
    try store.set("kept.all.a", to: .bool(true), in: .user)
    #expect(try store.value("kept.all.a") == .bool(true))
    // Each claim that fails is let go.
    #expect(
      code { () throws(StoreError) in
        try store.claim("kept.a.", onEnd: { ends.increase() }) { (value, _) throws(StoreError) in value }
      } == .conflict)
    #expect(
      code { () throws(StoreError) in
        try store.claim("a\u{0}.", onEnd: { ends.increase() }) { (value, _) throws(StoreError) in value }
      } == .invalidArgument)
    #expect(ends.value == 2)
    store.close()
    #expect(ends.value == 3)
  }
}

import Livery
import Testing

@Suite struct SnapshotTests {
  let temporary = TemporaryStore()

  @Test func aSnapshotHoldsOneMomentStill() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    let snapshot = try store.snapshot()
    try store.set("idle", to: .int(61), in: .user)
    #expect(try snapshot.value("idle") == .int(60))
    #expect(try store.value("idle") == .int(61))
    #expect(try snapshot.revision == store.revision() - 1)
    #expect(code { () throws(StoreError) in _ = try snapshot.value("nosuch") } == .notFound)
    #expect(code { () throws(StoreError) in _ = try snapshot.value("pin") } == .noValue)
    snapshot.close()
    snapshot.close()
    #expect(code { () throws(StoreError) in _ = try snapshot.value("idle") } == .closed)
  }

  @Test func aSnapshotTellsWhatALayerHeld() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .bundle)
    try store.set("idle", to: .int(61), in: .user)
    let snapshot = try store.snapshot()
    try store.reset("idle", in: .user)
    #expect(try snapshot.value("idleTime", in: .bundle) == .int(60))
    #expect(try snapshot.value("idle", in: .user) == .int(61))
    #expect(try snapshot.value("idle", in: .session) == nil)
    #expect(try snapshot.names(in: .user) == ["idle"])
    #expect(try snapshot.names(in: .bundle, matching: NamePattern("x*")) == [])
    #expect(try snapshot.layer(of: "idle") == .user)
    #expect(try snapshot.layer(of: "sound") == .defaults)
    #expect(code { () throws(StoreError) in _ = try snapshot.layer(of: "pin") } == .noValue)
    snapshot.close()
    #expect(code { () throws(StoreError) in _ = try snapshot.names(in: .user) } == .closed)
  }

  @Test func aReadingIsOfOneMomentAndEndsWithItsFunction() throws {
    let store = try temporary.open { $0.maximumReaders = 8 }
    try store.set("a", to: .int(1), in: .user)
    var kept: Snapshot?
    let read = try store.reading { (snapshot) throws(StoreError) in
      kept = snapshot
      try store.set("a", to: .int(2), in: .user)
      return (try snapshot.value("a"), try snapshot.value("a", in: .user), snapshot.revision)
    }
    #expect(read.0 == .int(1))
    #expect(read.1 == .int(1))
    #expect(try read.2 == store.revision() - 1)
    #expect(code { () throws(StoreError) in _ = try kept?.value("a") } == .closed)
    // It needs no place among the readers.
    var held: [Snapshot] = []
    while held.count < 20, let snapshot = try? store.snapshot() { held.append(snapshot) }
    #expect(held.count < 20)
    #expect(try store.reading { (snapshot) throws(StoreError) in try snapshot.value("a") } == .int(2))
  }

  @Test func aSnapshotIsWalkedInTheOrderOfNames() throws {
    let store = try temporary.open(schema: kioskSchema)
    let snapshot = try store.snapshot()
    var names: [String] = []
    while let (name, _) = try snapshot.next(after: names.last ?? "") { names.append(name) }
    #expect(names == ["branding.color.Toolbar", "fleet", "idle", "language", "sound", "welcome"])
    let pattern = try NamePattern("branding.**")
    #expect(try snapshot.next(after: "", matching: pattern)?.name == "branding.color.Toolbar")
    #expect(try snapshot.next(after: "branding.color.Toolbar", matching: pattern) == nil)
  }

  @Test func snapshotsHoldOnWhenTheFileIsReplaced() throws {
    let store = try temporary.open()
    for number in 0..<40 { try store.set("number\(number)", to: .int(0), in: .user) }
    var held: [Snapshot] = []
    for round in 1...4 {
      held.append(try store.snapshot())
      try store.compact()
      held.append(try store.snapshot())
      // Closing the older ones takes nothing from those of the new file: their pages are not used again.
      if round == 3 { held[0].close() }
      for number in 0..<40 { try store.set("number\(number)", to: .int(Int64(round)), in: .user) }
      for (index, snapshot) in held.enumerated() where round < 3 || index > 0 {
        let expected = Value.int(Int64(index / 2))
        for number in 0..<40 { #expect(try snapshot.value("number\(number)") == expected) }
      }
      #expect(try store.value("number3") == .int(Int64(round)))
    }
    for snapshot in held { snapshot.close() }
    #expect(try store.value("number3") == .int(4))
  }

  @Test func closingTheStoreEndsItsSnapshots() throws {
    let store = try temporary.open()
    let snapshot = try store.snapshot()
    store.close()
    #expect(code { () throws(StoreError) in _ = try snapshot.value("a") } == .closed)
    snapshot.close()
    _ = try temporary.open()
  }

  @Test func patternsListInPages() throws {
    let store = try temporary.open()
    for index in 0..<25 { try store.set("media\(index)", to: .int(Int64(index)), in: .user) }
    try store.set("media.deep", to: .int(0), in: .user)
    try store.set("other", to: .int(0), in: .user)
    #expect(try store.list("media*").items.count == 25)
    #expect(try store.list("media**").items.count == 26)
    #expect(try store.list("m?dia3").items.count == 1)
    var seen: [String] = []
    while true {
      let page = try store.list("media*", after: seen.last, limit: 7).items
      if page.isEmpty { break }
      #expect(page.count <= 7)
      seen += page.compactMap { $0.text("name") }
    }
    #expect(seen.count == 25)
    #expect(seen == seen.sorted { $0.precedesInBytes($1) })
    #expect(code { () throws(StoreError) in _ = try store.list("") } == .invalidArgument)
  }
}

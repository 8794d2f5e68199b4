import Livery
import Testing

@Suite struct HistoryTests {
  let temporary = TemporaryStore()

  @Test func historyTellsWhoChangedWhatLatestFirst() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.update(.recommended, origin: "console") { $0[Key<Int>("idle")] = 60 }
    try store.update(.user, origin: "settings-view") { $0[Key<Int>("idle")] = 30 }
    let items = try store.history().items
    #expect(items.map { $0["revision"] } == [.int(3), .int(2), .int(1)])
    #expect(items.map { $0.text("kind") } == ["change", "change", "schema"])
    #expect(items[0].text("origin") == "settings-view")
    #expect(items[0]["changes"]?.items.first?["old"] == .int(60))
    #expect(items[0]["changes"]?.items.first?["new"] == .int(30))
    var filter = HistoryFilter()
    filter.layer = .recommended
    #expect(try store.history(filter).items.count == 1)
    filter = HistoryFilter()
    filter.pattern = "sound"
    #expect(try store.history(filter).items.count == 1)
    filter = HistoryFilter()
    filter.origin = "console"
    #expect(try store.history(filter).items.count == 1)
    filter = HistoryFilter()
    filter.beforeRevision = 3
    filter.limit = 1
    #expect(try store.history(filter).items.map { $0["revision"] } == [.int(2)])
    filter = HistoryFilter()
    filter.until = Timestamp(microseconds: 5)
    #expect(try store.history(filter).items.isEmpty)
  }

  @Test func theLogIsBounded() throws {
    let store = try temporary.open {
      $0.logEntries = 20
      $0.deferred = true
    }
    for index in 0..<100 { try store.set("n", to: .int(Int64(index)), in: .user) }
    #expect(try store.history().items.count <= 20)
  }

  @Test func undoingRestoresExactlyTheFormerValues() throws {
    let store = try temporary.open { $0.deferred = true }
    var generator = SeededGenerator(state: 7)
    var before: [UInt64: Value] = [:]
    for _ in 0..<500 {
      let layer = [Layer.bundle, .recommended, .user, .session].randomElement(using: &generator) ?? .user
      let former = try store.settings()
      let change = try store.change(layer)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let name = "s\(Int.random(in: 0..<20, using: &generator))"
        if Bool.random(using: &generator) {
          try change.set(name, to: .int(Int64.random(in: 0..<5, using: &generator)))
        } else {
          try change.reset(name)
        }
      }
      let revision = try change.commit()
      if before[revision] == nil, try store.settings() != former { before[revision] = former }
      guard before[revision] != nil else { continue }
      try store.undo(revision)
      #expect(try store.settings() == former)
    }
    #expect(before.count > 200)
  }

  @Test func undoingWhatWasChangedSinceIsAConflictThatNamesIt() throws {
    let store = try temporary.open()
    try store.update(.user) {
      $0[Key<Int>("a")] = 1
      $0[Key<Int>("b")] = 1
    }
    let revision = try store.revision()
    try store.set("a", to: .int(2), in: .user)
    do throws(StoreError) {
      try store.undo(revision)
      Issue.record("expected a conflict")
    } catch {
      #expect(error.code == .conflict)
      #expect(error.setting == "a")
    }
    try store.undo(revision, force: true)
    #expect(code { () throws(StoreError) in _ = try store.value("a") } == .notFound)
    #expect(code { () throws(StoreError) in try store.undo(999) } == .notFound)
  }

  @Test func aSchemaCannotBeUndone() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(code { () throws(StoreError) in try store.undo(1) } == .readOnly)
  }
}

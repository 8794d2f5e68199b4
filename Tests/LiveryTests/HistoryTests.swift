import CSystem
import LMDB
import Testing

@testable import Livery

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

  /// Readers have gone by the clock: to them the setting was what lies beneath before it was set anew.
  @Test func whatHadExpiredBeforeItWasSetIsToldFirst() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(30), in: .user)
    let change = try store.change(.session)
    let end = Timestamp(microseconds: Timestamp.now.microseconds + 1_000_000)
    try change.expires(end)
    try change.set("idle", to: .int(60))
    _ = try change.commit()
    while Timestamp.now <= end { lvs_sleep_us(1_000) }
    try store.set("idle", to: .int(90), in: .session)
    let changes = try store.history().items[0]["changes"]?.items ?? []
    #expect(changes.map { $0["old"] } == [.int(60), .int(30)])
    #expect(changes.map { $0["new"] } == [.int(30), .int(90)])
    #expect(changes.map { $0["expired"] } == [.bool(true), nil])
    #expect(changes.map { $0.text("layer") } == ["session", "session"])
  }

  @Test func theLogIsBounded() throws {
    let store = try temporary.open {
      $0.logEntries = 20
      $0.durability = .deferred
    }
    for index in 0..<100 { try store.set("n", to: .int(Int64(index)), in: .user) }
    #expect(try store.history().items.count <= 20)
  }

  @Test func undoingRestoresExactlyTheFormerValues() throws {
    let store = try temporary.open { $0.durability = .deferred }
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

extension HistoryTests {
  /// Whatever the log has lost of what came later, undoing brings back the state before or says that it would not.
  @Test func undoingNeverGoesBackOverWhatTheLogHasLost() throws {
    var generator = SeededGenerator(state: 13)
    var conflicts = 0
    for round in 0..<40 {
      let temporary = TemporaryStore()
      let store = try temporary.open { $0.durability = .deferred }
      func commit(_ names: some Sequence<Int>) throws -> UInt64 {
        let layer = [Layer.bundle, .user].randomElement(using: &generator) ?? .user
        let change = try store.change(layer)
        for name in names {
          if Int.random(in: 0..<4, using: &generator) > 0 {
            try change.set("s\(name)", to: .int(Int64.random(in: 0..<100, using: &generator)))
          } else {
            try change.reset("s\(name)")
          }
        }
        return try change.commit()
      }
      for _ in 0..<5 { _ = try commit(0..<8) }
      let former = try store.exportJSON(layers: true)
      let before = try store.revision()
      let revision = try commit([Int.random(in: 0..<3, using: &generator)])
      guard revision > before else { continue }
      let undone = try store.exportJSON(layers: true)
      var later: [UInt64] = []
      for _ in 0..<Int.random(in: 0..<3, using: &generator) {
        later.append(try commit([Int.random(in: 0..<3, using: &generator)]))
      }
      let state = try store.exportJSON(layers: true)
      // Their entries are lost: those of a recovery know nothing.
      try store.write { (view) throws(StoreError) in
        for number in later where number > revision {
          var entry = LogEntry(revision: number, time: .now, layer: .user, origin: "lost")
          entry.isTooLarge = true
          try view.putLogEntry(entry)
        }
        return .commit(())
      }
      let failure = code { () throws(StoreError) in try store.undo(revision) }
      let result = try store.exportJSON(layers: true)
      if failure != nil {
        #expect(failure == .conflict && state != undone && result == state, "round \(round)")
        conflicts += 1
      } else if state == undone {
        #expect(values(result) == values(former), "round \(round)")
      }
    }
    #expect(conflicts > 3)
  }

  /// An export's values by layer, without when they were set.
  private func values(_ export: String) -> [String] {
    export.split(separator: "\"value\":").dropFirst().map { String($0.prefix { $0 != "," && $0 != "}" }) }
  }

  @Test func theLogIsBoundedInBytes() throws {
    let store = try temporary.open {
      $0.durability = .deferred
      $0.logBytes = 1 << 20
    }
    for index in 0..<60 { try store.set("n", to: .data([UInt8](repeating: UInt8(index), count: 100_000)), in: .user) }
    let figures = try store.statistics()
    guard case .int(let bytes)? = figures["logBytes"] else { throw StoreError(.notFound, "logBytes") }
    #expect(bytes <= 1 << 20)
    #expect(figures["maxLogBytes"] == .int(1 << 20))
    #expect(try store.history().items.count >= 3)
    try store.undo(store.revision())
  }

  @Test func aQuarterOfALargeStoreIsTheLogs() throws {
    let store = try temporary.open { $0.durability = .deferred }
    #expect(try store.statistics()["maxLogBytes"] == .int(16 << 20))
    for _ in 0..<2 {
      try store.assets.put((0..<(40 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }, allowsAny: true)
      try store.assets.put((0..<(40 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 37) }, allowsAny: true)
    }
    let figures = try store.statistics()
    guard case .int(let most)? = figures["maxLogBytes"] else { throw StoreError(.notFound, "maxLogBytes") }
    #expect(most >= 20 << 20 && most < 21 << 20)
  }
}

import Glibc
import Livery
import Testing

/// What becomes of names when declarations come and go.
@Suite struct AliasTests {
  let temporary = TemporaryStore()

  private func schema(_ version: Int, _ setting: String, _ more: String = "") -> [UInt8] {
    Array(
      #"{"Version": \#(version), "Open": true, "Groups": [{"Title": "G", "Settings": [\#(setting)]}]\#(more)}"#.utf8)
  }

  private let renamed = #"{"Type": "TextField", "Title": "A", "Key": "a", "Value": "x", "Aliases": ["old"]}"#
  private let other = #"{"Type": "TextField", "Title": "B", "Key": "b", "Value": "x"}"#

  @Test func anAliasHidesWhatAnUndeclaredSettingOfItsNameHolds() throws {
    let store = try temporary.open()
    try store.set("old", to: .int(1), in: .user)
    #expect(store.applySchema(schema(1, renamed)).error == nil)
    #expect(try store.string("old") == "x")
    try store.set("old", to: .string("y"), in: .user)
    #expect(try store.string("old") == "y")
    #expect(try store.string("a") == "y")
    #expect(try store.list().items.map { $0.text("name") } == ["a"])
    // The value is kept, through an export as well, and comes back with its name.
    let revision = try store.revision()
    #expect(store.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user).error == nil)
    #expect(try store.revision() == revision)
    #expect(store.applySchema(schema(2, other)).error == nil)
    #expect(try store.value("old") == .int(1))
  }

  @Test func aReportOnAnOldNameSaysWhichToUse() throws {
    let store = try temporary.open()
    #expect(store.applySchema(schema(1, renamed)).error == nil)
    let report = try store.inspect("old")
    #expect(report.text("name") == "a")
    #expect(report.text("alias") == "old")
    #expect(report.text("reason")?.hasSuffix(" `old` is an old name of it: use `a`.") == true)
    #expect(try store.inspect("a")["alias"] == nil)
  }

  @Test func anOldNameIsWatchedLikeTheNewOne() throws {
    let store = try temporary.open()
    #expect(store.applySchema(schema(1, renamed)).error == nil)
    let lock = TestLock()
    nonisolated(unsafe) var names: [String?] = []
    let observation = try store.observe("old") { (events: [Event]) in
      lock.withLock { for event in events { names.append(event.name) } }
    }
    defer { observation.cancel() }
    try store.set("a", to: .string("y"), in: .user)
    for _ in 0..<5_000 where lock.withLock({ names.isEmpty }) { usleep(1_000) }
    #expect(lock.withLock { names } == ["a"])
  }

  @Test func aWatchFollowsItsSettingWhereASchemaRenamesIt() throws {
    let store = try temporary.open()
    let plain = #"{"Type": "TextField", "Title": "Old", "Key": "old"}"#
    #expect(store.applySchema(schema(1, plain)).error == nil)
    try store.set("old", to: .string("x"), in: .user)
    let heard = Heard()
    var options = WatchOptions()
    options.dispatched = true
    let observation = try store.observe("old", options: options) { (events: [Event]) in
      for event in events where event.kind == .changed {
        heard.append("\(event.name ?? "") \(event.newValue?.brief ?? "–")")
      }
    }
    defer { observation.cancel() }
    let steps =
      #", "Migrations": [{"To": 2, "Steps": [{"Op": "rename", "From": "old", "Into": "a"}]}]"#
    #expect(store.applySchema(schema(2, renamed, steps)).error == nil)
    try store.dispatch()
    #expect(heard.messages == ["old –", #"a "x""#])
    try store.set("old", to: .string("y"), in: .user)
    try store.set("a", to: .string("z"), in: .user)
    try store.dispatch()
    #expect(heard.messages == ["old –", #"a "x""#, #"a "y""#, #"a "z""#])
    // What was renamed and changed between two readings is told as well.
    #expect(store.applySchema(schema(3, plain)).error == nil)
    try store.set("old", to: .string("again"), in: .user)
    try store.dispatch()
    #expect(heard.messages.dropFirst(4) == [#"old "again""#])
  }

  /// Of what is read in several pieces, the one with the schema is not the last.
  @Test func aLongBacklogAfterASchemaThatRenamesASettingIsToldToItsEnd() throws {
    let store = try temporary.open()
    #expect(store.applySchema(schema(1, other)).error == nil)
    let heard = Heard()
    let observation = try watchOld(store) { event in
      if event.kind == .changed { heard.append("\(event.name ?? "") \(event.newValue?.brief ?? "–")") }
    }
    defer { observation.cancel() }
    #expect(store.applySchema(schema(2, renamed)).error == nil)
    for number in 1...300 { try store.set("a", to: .string("\(number)"), in: .user) }
    try store.dispatch()
    #expect(heard.messages.suffix(300) == (1...300).map { "a \"\($0)\"" }[...])
  }

  @Test func aWatchThatIsPausedAtASchemaFollowsItsSettingWhenItGoesOn() throws {
    let store = try temporary.open()
    #expect(store.applySchema(schema(1, other)).error == nil)
    let heard = Heard()
    nonisolated(unsafe) var observation: Observation?
    observation = try watchOld(store) { event in
      if event.kind == .schema { try? observation?.setPaused(true) }
      if event.kind == .changed { heard.append("\(event.name ?? "") \(event.newValue?.brief ?? "–")") }
    }
    defer { observation?.cancel() }
    #expect(store.applySchema(schema(2, renamed)).error == nil)
    try store.set("a", to: .string("1"), in: .user)
    try store.dispatch()
    #expect(heard.messages.last != #"a "1""#)
    try observation?.setPaused(false)
    try store.dispatch()
    try store.set("a", to: .string("2"), in: .user)
    try store.dispatch()
    #expect(heard.messages.suffix(2) == [#"a "1""#, #"a "2""#])
  }

  private func watchOld(_ store: Store, _ handler: @escaping @Sendable (Event) -> Void) throws -> Observation {
    var options = WatchOptions()
    options.dispatched = true
    return try store.observe("old", options: options) { (events: [Event]) in
      for event in events { handler(event) }
    }
  }

  @Test func anAliasReadsAlsoWhereASettingOfItsNameWasRemoved() throws {
    let store = try temporary.open()
    try store.set("old", to: .int(1), in: .user)
    try store.reset("old", in: .user)
    #expect(store.applySchema(schema(1, renamed)).error == nil)
    #expect(try store.string("old") == "x")
  }

  @Test func aValueThatWasSetAsideCountsAgainWhenItsSettingIsNoLongerDeclared() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    #expect(store.applySchema(schema(1, renamed)).report["rejected"]?.items.count == 1)
    #expect(try store.string("a") == "x")
    #expect(store.applySchema(schema(2, other)).error == nil)
    #expect(try store.value("a") == .int(1))
  }
}

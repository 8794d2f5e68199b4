import LiveryClient
import Testing

@Suite struct StoreTests {
  let temporary = TemporaryStore()

  @Test func readsOfEachType() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(try store.bool("sound"))
    #expect(try store.int("idle") == 120)
    #expect(try store.double("volume") == 0.5 && store.float("volume") == 0.5)
    #expect(try store.string("welcome") == "Hello" && store.string("home") == "https://example.com/")
    #expect(try store.url("home") == "https://example.com/")
    #expect(try store.data("blob") == [1, 2, 3])
    #expect(try store.date("opens").microseconds == 1_767_323_045_000_000)
    #expect(try store.color("toolbar") == Color(red: 1, green: 0, blue: 0))
    #expect(try store.list(of: "languages") == [.string("en")])
    #expect(try store.value("idle") == .int(120))
    #expect(try store.schemaVersion() == 1)
    #expect(try store.schemaText() == Array(kioskSchema.utf8))
    #expect(try store.revision() == 1)
    let free = try TemporaryStoreWith.object()
    #expect(try free.store.object("o").count == 1)
    let long = "https://example.com/" + String(repeating: "x", count: 3000)
    try store.set("home", to: .url(long), in: .user)
    #expect(try store.url("home") == long)
  }

  @Test func aReadSaysWhatIsWrong() throws {
    let store = try temporary.open(schema: kioskSchema)
    let unknown = failure { () throws(StoreError) in _ = try store.int("idl") }
    #expect(unknown?.code == .notFound && unknown?.message.contains("`idle`") == true && unknown?.setting == "idl")
    #expect(unknown?.description == unknown?.message)
    #expect(code { () throws(StoreError) in _ = try store.string("note") } == .noValue)
    #expect(code { () throws(StoreError) in _ = try store.int("welcome") } == .typeMismatch)
    #expect(code { () throws(StoreError) in _ = try store.int("idle\u{0}x") } == .invalidArgument)
    #expect(code { () throws(StoreError) in _ = try store.list(of: "idle") } == .typeMismatch)
    #expect(code { () throws(StoreError) in _ = try store.object("idle") } == .typeMismatch)
    #expect(try store.valueIfAny("note") == nil && store.valueIfAny("nothing") == nil)
    #expect(try store.valueIfAny("idle") == .int(120))
    #expect(code { () throws(StoreError) in _ = try store.valueIfAny("") } == .invalidArgument)
    store.close()
    store.close()
    #expect(code { () throws(StoreError) in _ = try store.int("idle") } == .closed)
  }

  @Test func openingSaysWhatIsWrongAndTakesOptions() throws {
    #expect(code { () throws(StoreError) in _ = try Store(path: temporary.path) } == .notFound)
    #expect(code { () throws(StoreError) in _ = try Store(path: "a\u{0}b") } == .invalidArgument)
    #expect(code { () throws(StoreError) in _ = try Store(borrowing: nil) } == .invalidArgument)
    try temporary.open { $0.sharesWithGroup = true }.close()
    let reading = try temporary.open { $0.readOnly = true }
    #expect(code { () throws(StoreError) in _ = try reading.change(.user) } == .readOnly)
    var options = Store.Options()
    options.mapSize = 1
    #expect(code { () throws(StoreError) in _ = try Store(path: temporary.path, options: options) } == .invalidArgument)
    options.mapSize = 1 << 22
    options.maximumReaders = 8
    options.logEntries = 2
    options.allowOverride = true
    options.durability = .deferred
    options.noRecovery = true
    options.busyTimeout = .milliseconds(100)
    let store = try Store(path: temporary.path, options: options)
    let change = try store.change(.override)
    try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000))
    try change.set("x", to: .int(1))
    try change.commit()
    #expect(try store.int("x") == 1)
  }

  @Test func aBorrowedStoreStaysOpen() throws {
    let store = try temporary.open()
    do {
      let borrowed = try Store(borrowing: store.handle)
      try borrowed.set("x", to: .int(1), in: .user)
    }
    #expect(try store.int("x") == 1)
    let borrowed = try Store(borrowing: store.handle)
    store.close()
    #expect(code { () throws(StoreError) in _ = try borrowed.int("x") } == .closed)
  }

  @Test func listsAndReports() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(try store.list("v*").items?.first?["name"] == .string("volume"))
    #expect(try store.list().count == 10)
    #expect(try store.list(after: "toolbar", limit: 1).items?.first?["name"] == .string("volume"))
    #expect(try store.form(FormOptions(layer: .enforced))["layer"] == .string("enforced"))
    #expect(try store.form()["groups"]?.items?.isEmpty == false)
    #expect(code { () throws(StoreError) in _ = try store.form(FormOptions(locale: "-")) } == .invalidArgument)
    #expect(try store.search("volume", SearchOptions(limit: 1))["results"]?.items?.first?["name"] == .string("volume"))
    #expect(code { () throws(StoreError) in _ = try store.search("a\u{0}") } == .invalidArgument)
    #expect(code { () throws(StoreError) in _ = try store.list("a\u{0}") } == .invalidArgument)
    #expect(try store.inspect("idle")["effective"]?["layer"] == .string("defaults"))
    #expect(try store.settings()["Values"]?["sound"] == .bool(true))
    #expect(try store.statistics()["settings"] == .int(10))
  }

  @Test func schemasAreAppliedCheckedAndCompared() throws {
    let store = try temporary.open(schema: kioskSchema)
    let next = Array(#"{"Version": 2, "Groups": []}"#.utf8)
    #expect(store.checkSchema(next).report["orphaned"]?.count == 0)
    #expect(Store.checkSchema(Array("{".utf8)).error?.code == .parse)
    let wrong = Store.checkSchema(Array("{}".utf8))
    #expect(wrong.error?.code == .schemaInvalid && wrong.hasReport)
    #expect(Store.compareSchemas(Array(kioskSchema.utf8), next).report["errors"] == .int(10))
    let applied = store.applySchema(next, origin: "test", declassifying: ["idle"])
    #expect(applied.error == nil && applied.report["removed"]?.count == 10)
    #expect(store.applySchema(next, origin: "a\u{0}").error?.code == .invalidArgument)
    #expect(try store.history().items?.first?["origin"] == .string("test"))
    #expect(code { () throws(StoreError) in _ = try TemporaryStoreWith.object().store.schemaText() } == .noValue)
  }

  @Test func historyIsFilteredAndUndone() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    let change = try store.change(.bundle)
    try change.setOrigin("app")
    try change.set("welcome", to: .string("Hi"))
    let revision = try change.commit()
    var filter = HistoryFilter()
    filter.layer = .bundle
    filter.origin = "app"
    filter.pattern = "w*"
    filter.since = Timestamp(microseconds: 1)
    filter.until = Timestamp(microseconds: Timestamp.now.microseconds + 1_000_000)
    filter.limit = 5
    let found = try store.history(filter)
    #expect(found.count == 1 && found.items?.first?["revision"] == .int(Int64(revision)))
    filter.beforeRevision = revision
    #expect(try store.history(filter).count == 0)
    // A moment as any other, and not none.
    filter.beforeRevision = 0
    filter.until = Timestamp(microseconds: 0)
    #expect(try store.history(filter).count == 0)
    #expect(try store.undo(revision) == revision + 1)
    #expect(try store.string("welcome") == "Hello")
    try store.set("idle", to: .int(61), in: .user)
    #expect(code { () throws(StoreError) in try store.undo(2) } == .conflict)
    try store.undo(2, force: true)
    #expect(try store.int("idle") == 120)
  }

  @Test func imagesAreKept() throws {
    let store = try temporary.open()
    let id = try store.assets.put(svg)
    #expect(try Assets.describe(svg)["id"] == .string(id))
    #expect(try store.assets.bytes(id) == svg)
    #expect(try store.assets.info(id)["width"] == .int(64))
    #expect(try store.snapshot().withAsset(id) { $0.byteCount } == svg.count)
    #expect(code { () throws(StoreError) in try store.assets.put([1, 2, 3]) } == .parse)
    #expect(code { () throws(StoreError) in try store.assets.put([]) } == .invalidValue)
    #expect(code { () throws(StoreError) in _ = try Assets.describe([]) } == .invalidValue)
    let any = try store.assets.put([1, 2, 3], allowsAny: true)
    let change = try store.change(.bundle)
    let logo = try change.put(svg + [10])
    try change.set("logo", to: .image(logo))
    try change.commit()
    #expect(try store.assets.list().count == 3)
    #expect(code { () throws(StoreError) in try store.assets.remove(logo) } == .conflict)
    try store.assets.remove(logo, force: true)
    try store.assets.remove(any)
    #expect(code { () throws(StoreError) in _ = try store.assets.bytes(any) } == .notFound)
    #expect(code { () throws(StoreError) in _ = try store.assets.info("x") } == .invalidArgument)
    #expect(Assets.maximumSize > svg.count)
  }

  @Test func aSnapshotHoldsOneMoment() throws {
    let store = try temporary.open(schema: kioskSchema)
    let snapshot = try store.snapshot()
    try store.set("idle", to: .int(60), in: .user)
    #expect(try snapshot.value("idle") == .int(120))
    #expect(snapshot.revision == 1)
    var names: [String] = []
    var name = ""
    while let next = try snapshot.next(after: name, matching: "*o*") {
      names.append(next.name)
      name = next.name
    }
    #expect(names == ["blob", "home", "opens", "sound", "toolbar", "volume", "welcome"])
    #expect(
      code { () throws(StoreError) in _ = try snapshot.next(after: String(repeating: "x", count: 256)) }
        == .invalidArgument)
    snapshot.close()
    snapshot.close()
    #expect(code { () throws(StoreError) in _ = try snapshot.value("idle") } == .closed)
  }
}

/// A store without a schema that holds an object.
struct TemporaryStoreWith {
  let temporary = TemporaryStore()
  let store: Store

  private init() throws {
    store = try temporary.open()
    try store.set("o", to: .object([.init("a", .int(1))]), in: .user)
  }

  static func object() throws(StoreError) -> TemporaryStoreWith {
    do { return try TemporaryStoreWith() } catch {
      throw error as? StoreError ?? StoreError(.invalidArgument, "\(error)")
    }
  }
}

import Livery
import Testing

@Suite struct ChangeTests {
  let temporary = TemporaryStore()

  @Test func aChangeSetIsAllOrNothingAndReportsEveryViolation() throws {
    let store = try temporary.open(schema: kioskSchema)
    let before = try store.revision()
    let change = try store.change(.user)
    try change.set("sound", to: .bool(false))
    try change.set("idle", to: .int(7))
    try change.set("language", to: .string("fr"))
    try change.set("wellcome", to: .string("x"))
    try change.set("fleet", to: .string("x"))
    try change.set("branding.color.Toolbar", to: .bool(true))
    #expect(code { () throws(StoreError) in try change.commit() } == .invalidValue)
    let violations = change.violations().items
    #expect(violations.map { $0.text("name") } == ["idle", "language", "wellcome", "fleet", "branding.color.Toolbar"])
    #expect(
      violations.map { $0.text("status") } == [
        "LIVERY_ERROR_INVALID_VALUE", "LIVERY_ERROR_INVALID_VALUE", "LIVERY_ERROR_NOT_FOUND", "LIVERY_ERROR_READ_ONLY",
        "LIVERY_ERROR_TYPE_MISMATCH",
      ])
    #expect(violations[0].text("constraint") == "Minimum")
    #expect(try store.revision() == before)
    #expect(try store.bool("sound") == true)
    // Corrected, the same change set goes through.
    for name in ["idle", "language", "wellcome", "fleet", "branding.color.Toolbar"] { try change.reset(name) }
    #expect(code { () throws(StoreError) in try change.commit() } == .notFound)
  }

  @Test func aChangeSetOfVeryManySettingsIsOneCommit() throws {
    let store = try temporary.open()
    let names = (0..<1_500).map { "setting\($0)" }
    for (layer, number) in [(Layer.user, 1), (.recommended, 2), (.session, 3)] {
      let change = try store.change(layer)
      for name in names { try change.set(name, to: .int(Int64(number))) }
      try change.commit()
    }
    for name in names { #expect(try store.int(name) == 3) }
    let revision = try store.revision()
    let change = try store.change(.session)
    for name in names { try change.reset(name) }
    #expect(try change.commit() == revision + 1)
    for name in names { #expect(try store.int(name) == 1) }
    // An import edits several layers of each.
    let other = TemporaryStore()
    let copy = try other.open()
    #expect(copy.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user).error == nil)
    for name in names { #expect(try copy.int(name) == 1) }
  }

  @Test func unknownNamesComeWithTheNearest() throws {
    let store = try temporary.open(schema: kioskSchema)
    do throws(StoreError) {
      _ = try store.value("wellcome")
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .notFound)
      #expect(error.setting == "wellcome")
      #expect(error.message == "there is no setting `wellcome`; did you mean `welcome`?")
    }
  }

  @Test func secretsAreMaskedInErrors() throws {
    let store = try temporary.open(schema: kioskSchema)
    do throws(StoreError) { try store.set("pin", to: .string("abc"), in: .user) } catch {
      #expect(!error.message.utf8.elementsEqual("abc".utf8))
      #expect(error.message.utf8.split(separator: UInt8(ascii: "a")).count < 20)
      #expect(code { () throws(StoreError) in throw error } == .invalidValue)
    }
    try store.set("pin", to: .string("hunter2"), in: .user)
    do throws(StoreError) { _ = try store.int("pin") } catch {
      #expect(error.code == .typeMismatch)
      #expect(Array(error.message).count > 0)
      #expect(!contains(error.message, "hunter2"))
    }
  }

  @Test func valuesCoerceToTheDeclaredType() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .string("60"), in: .user)
    #expect(try store.value("idle") == .int(60))
    try store.set("branding.color.Toolbar", to: .string("#ff0000"), in: .bundle)
    #expect(try store.color("branding.color.Toolbar") == Color(red: 1, green: 0, blue: 0))
    #expect(code { () throws(StoreError) in try store.set("idle", to: .double(60.5), in: .user) } == .typeMismatch)
  }

  @Test func settingTheSameAgainMakesNoRevision() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    let revision = try store.revision()
    try store.set("idle", to: .int(60), in: .user)
    try store.set("idle", to: .string("60"), in: .user)
    try store.reset("idle", in: .session)
    #expect(try store.update(.user) { _ in } == revision)
    let replacement = try store.change(.user)
    try replacement.resetAll()
    try replacement.set("idle", to: .int(60))
    #expect(try replacement.commit() == revision)
    #expect(try store.revision() == revision)
  }

  @Test func expectationsCatchLaterChanges() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    let known = try store.revision()
    try store.set("sound", to: .bool(false), in: .user)
    let first = try store.change(.user)
    try first.expect("idle", at: known)
    try first.set("idle", to: .int(61))
    try first.commit()
    let second = try store.change(.user)
    try second.expect("idle", at: known)
    try second.set("idle", to: .int(62))
    #expect(code { () throws(StoreError) in try second.commit() } == .conflict)
    #expect(try store.int("idle") == 61)
    try store.reset("idle", in: .user)
    let third = try store.change(.user)
    try third.expect("idle", at: known + 1)
    #expect(code { () throws(StoreError) in try third.commit() } == .conflict)
  }

  @Test func expectingZeroMeansNeverSet() throws {
    let store = try temporary.open()
    let change = try store.change(.user)
    try change.expect("lease", at: 0)
    try change.set("lease", to: .string("a"))
    try change.commit()
    let late = try store.change(.user)
    try late.expect("lease", at: 0)
    try late.set("lease", to: .string("b"))
    #expect(code { () throws(StoreError) in try late.commit() } == .conflict)
  }

  @Test func whatIsReplacedBecomesActive() throws {
    let store = try temporary.open()
    try store.set("volume", to: .int(1), in: .user)
    try store.set("volume", to: .int(2), in: .session)
    let change = try store.change(.recommended)
    try change.replace("volume", with: .int(3))
    #expect(try change.value("volume") == .int(3))
    #expect(try store.value("volume") == .int(2))
    let revision = try change.commit()
    #expect(try store.value("volume") == .int(3))
    #expect(try store.history().items.first?["changes"]?.items.first?["layer"] == .string("recommended"))
    try store.undo(revision)
    #expect(try store.value("volume") == .int(2))
  }

  @Test func aChangeSetOfSeveralLayersIsOneCommit() throws {
    let store = try temporary.open()
    let before = try store.revision()
    let change = try store.change(.user)
    try change.set("a", to: .int(1))
    try change.use(.recommended)
    #expect(change.layer == .recommended)
    try change.set("a", to: .int(2))
    try change.set("b", to: .int(2))
    try change.use(.user)
    try change.reset("a")
    #expect(try change.value("a") == .int(2))
    #expect(throws: StoreError.self) { try change.use(.defaults) }
    #expect(try change.commit() == before + 1)
    #expect(try store.value("a") == .int(2))
    #expect(try store.value("b") == .int(2))
  }

  @Test func aCommittedOrDiscardedChangeSetIsClosed() throws {
    let store = try temporary.open(schema: kioskSchema)
    let change = try store.change(.user)
    try change.commit()
    #expect(code { () throws(StoreError) in try change.set("idle", to: .int(60)) } == .closed)
    let discarded = try store.change(.user)
    discarded.discard()
    #expect(code { () throws(StoreError) in try discarded.resetAll() } == .closed)
    let orphan = try store.change(.user)
    store.close()
    #expect(code { () throws(StoreError) in try orphan.commit() } == .closed)
  }

  @Test func aStoreWithoutASchemaTakesAnythingWellFormed() throws {
    let store = try temporary.open()
    let nested = Value.object([.init("b", .list([.int(1), .data([1, 2])])), .init("a", .date(.now))])
    try store.set("free", to: nested, in: .user)
    #expect(try store.value("free") == nested)
    #expect(code { () throws(StoreError) in try store.set("free", to: .double(.nan), in: .user) } == .invalidValue)
    #expect(code { () throws(StoreError) in try store.set("", to: .int(1), in: .user) } == .invalidArgument)
    let large = Value.string(String(repeating: "x", count: Value.maximumSize + 1))
    #expect(code { () throws(StoreError) in try store.set("free", to: large, in: .user) } == .invalidValue)
    try store.reset("free", in: .user)
    #expect(code { () throws(StoreError) in _ = try store.value("free") } == .notFound)
    #expect(try store.list().items.isEmpty)
  }

  @Test func namesAreComparedByteByByte() throws {
    let store = try temporary.open()
    try store.update(.user) {
      $0[Key<Int>("\u{e9}")] = 1
      $0[Key<Int>("e\u{301}")] = 2
    }
    #expect(try store.int("\u{e9}") == 1)
    #expect(try store.int("e\u{301}") == 2)
  }

  @Test func anAliasReadsAndWritesTheSettingItStandsFor() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(try store.int("idleTime") == 120)
    try store.set("idleTime", to: .int(60), in: .user)
    #expect(try store.int("idle") == 60)
    #expect(try store.inspect("idleTime").text("name") == "idle")
  }

  @Test func typedKeysReadAndWrite() throws {
    let store = try temporary.open()
    try store.update(.user, origin: "test") {
      $0[Key<Bool>("bool")] = true
      $0[Key<Int64>("int")] = 5
      $0[Key<Double>("double")] = 2.5
      $0[Key<Float>("float")] = 0.5
      $0[Key<String>("string")] = "text"
      $0[Key<Timestamp>("date")] = Timestamp(microseconds: 1)
      $0[Key<Color>("color")] = Color(red: 0, green: 1, blue: 0)
      $0[Key<[Int]>("list")] = [1, 2]
      #expect($0[Key<Int64>("int")] == 5)
      #expect($0[Key<Int64>("other")] == nil)
    }
    #expect(try store[Key<Bool>("bool")])
    #expect(try store[Key<Int>("int")] == 5)
    #expect(try store.double("double") == 2.5)
    #expect(try store.float("float") == 0.5)
    #expect(try store.string("string") == "text")
    #expect(try store.date("date") == Timestamp(microseconds: 1))
    #expect(try store.color("color").green == 1)
    #expect(try store[Key<[Int]>("list")] == [1, 2])
    #expect(try store.list(of: "list").count == 2)
    #expect(code { () throws(StoreError) in _ = try store.object("list") } == .typeMismatch)
    #expect(code { () throws(StoreError) in _ = try store[Key<[Bool]>("list")] } == .typeMismatch)
    try store.set("data", to: .data([1]), in: .user)
    try store.set("url", to: .url("https://a.example/"), in: .user)
    try store.set("object", to: .object([.init("a", .int(1))]), in: .user)
    #expect(try store.data("data") == [1])
    #expect(try store.url("url") == "https://a.example/")
    #expect(try store.object("object").count == 1)
    #expect(try store[Key<Value>("int")] == .int(5))
  }

  @Test func aChangeSetTellsWhatALayerWouldHold() throws {
    let store = try temporary.open()
    for (name, layer) in [("a.1", Layer.bundle), ("a.2", .bundle), ("a.2", .user), ("b", .bundle)] {
      try store.set(name, to: .string("\(name) \(layer)"), in: layer)
    }
    let change = try store.change(.bundle)
    #expect(try change.value("a.2", in: .bundle) == .string("a.2 bundle"))
    #expect(try change.value("a.2", in: .user) == .string("a.2 user"))
    #expect(try change.value("a.1", in: .user) == nil)
    #expect(try change.value("nosuch", in: .user) == nil)
    #expect(try change.names(in: .bundle) == ["a.1", "a.2", "b"])
    try change.reset("a.1")
    try change.set("a.15", to: .int(5))
    try change.set("c", to: .int(6))
    #expect(try change.value("a.1", in: .bundle) == nil)
    #expect(try change.value("a.15", in: .bundle) == .int(5))
    #expect(try change.names(in: .bundle, matching: NamePattern("a.*")) == ["a.15", "a.2"])
    #expect(try change.names(in: .bundle) == ["a.15", "a.2", "b", "c"])
    try change.use(.recommended)
    try change.replace("a.2", with: .int(1))
    #expect(try change.names(in: .user) == [])
    #expect(try change.value("a.2", in: .user) == nil)
    try change.use(.bundle)
    try change.resetAll()
    try change.set("d", to: .int(7))
    #expect(try change.names(in: .bundle) == ["d"])
    #expect(try change.value("b", in: .bundle) == nil)
  }

  @Test func aChangeSetReachesWhatIsLockedOnlyIfToldTo() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("welcome", to: .string("enforced"), in: .enforced)
    let change = try store.change(.user)
    try change.set("welcome", to: .string("beneath"))
    try change.set("fleet", to: .string("mine"))
    #expect(code { () throws(StoreError) in try change.commit() } == .locked)
    #expect(change.violations().items.map { $0.text("status") } == ["LIVERY_ERROR_LOCKED", "LIVERY_ERROR_READ_ONLY"])
    try change.ignoreLocks()
    try change.commit()
    #expect(try store.string("welcome") == "enforced")
    #expect(try store.string("fleet") == "mine")
    try store.reset("welcome", in: .enforced)
    #expect(try store.string("welcome") == "beneath")
  }

  @Test func anAssetIsKnownBeforeAChangeSetTakesIt() throws {
    let store = try temporary.open()
    let asset = try NewAsset([1, 2, 3], allowsAny: true)
    try store.edit(.user) { (change) throws(StoreError) in
      try change.put(asset)
      try change.set("logo", to: asset.reference)
    }
    guard case .image(let id) = try store.value("logo") else { throw StoreError(.io, "no image") }
    #expect(try store.assets.bytes(id) == [1, 2, 3])
  }

  @Test func anEditReadsInTheTransactionThatItCommits() throws {
    let store = try temporary.open()
    try store.set("count", to: .int(1), in: .user)
    let before = try store.revision()
    let revision = try store.edit(.user) { (change) throws(StoreError) in
      guard case .int(let count) = try change.value("count") else { return }
      try change.set("count", to: .int(count + 1))
      #expect(try change.value("count") == .int(2))
    }
    #expect(revision == before + 1)
    #expect(try store.int("count") == 2)
    struct Ended: Error {}
    #expect(throws: Ended.self) {
      try store.edit(.user) { (change) throws in
        try change.set("count", to: .int(7))
        throw Ended()
      }
    }
    var kept: ChangeSet?
    try store.edit(.user) { (change) throws(StoreError) in
      kept = change
      try change.set("count", to: .int(7))
      change.discard()
    }
    #expect(try store.int("count") == 2)
    #expect(code { () throws(StoreError) in _ = try kept?.value("count") } == .closed)
    #expect(
      code { () throws(StoreError) in
        try store.edit(.user) { (change) throws(StoreError) in try change.commit() }
      } == .invalidArgument)
  }
}

func contains(_ text: String, _ part: String) -> Bool {
  let text = Array(text.utf8)
  let part = Array(part.utf8)
  guard text.count >= part.count else { return false }
  return (0...(text.count - part.count)).contains { Array(text[$0..<($0 + part.count)]) == part }
}

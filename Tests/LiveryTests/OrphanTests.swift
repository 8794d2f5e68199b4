import Livery
import Testing

/// What becomes of values of settings that a schema no longer declares.
@Suite struct OrphanTests {
  private let temporary = TemporaryStore()

  private func schema(_ version: Int, _ keys: [String], _ root: String = "", secret: Bool = false) -> [UInt8] {
    let settings = keys.map {
      "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"\($0)\"\(secret ? ", \"Class\": [\"Password\"]" : "")}"
    }
    let all = settings.joined(separator: ", ")
    return Array("{\"Version\": \(version)\(root), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(all)]}]}".utf8)
  }

  /// A store of version 1 with values of `a` and `b`.
  private func store(keeping versions: UInt64, secret: Bool = false) throws -> Store {
    let store = try temporary.open { $0.orphanVersions = versions }
    #expect(store.applySchema(schema(1, ["a", "b"], secret: secret)).error == nil)
    for (layer, name) in [(Layer.recommended, "a"), (.user, "a"), (.user, "b")] {
      try store.set(name, to: .string("\(name) in \(layer)"), in: layer)
    }
    return store
  }

  /// Applies a schema as it was planned, and gives what is dropped as "name in layer".
  @discardableResult
  private func upgrade(_ store: Store, _ schema: [UInt8], declassifying: [String] = []) throws -> [String] {
    let before = try store.exportJSON(layers: true)
    let plan = store.checkSchema(schema, declassifying: declassifying)
    #expect(try store.exportJSON(layers: true) == before)
    let outcome = store.applySchema(schema, declassifying: declassifying)
    #expect(outcome.error == nil && plan.report["dropped"] == outcome.report["dropped"])
    #expect(plan.report["orphaned"] == outcome.report["orphaned"])
    return (outcome.report["dropped"]?.items ?? []).map { "\($0.text("name") ?? "") in \($0.text("layer") ?? "")" }
  }

  @Test func withoutALimitTheyAreKeptForEver() throws {
    let store = try store(keeping: 0)
    for version in [2, 3, 1_000_000] { #expect(try upgrade(store, schema(version, ["b"])) == []) }
    let orphaned = try #require(try store.inspect("a")["orphaned"])
    #expect(orphaned["since"] == .int(2) && orphaned["until"] == nil)
    try upgrade(store, schema(1_000_001, ["a", "b"]))
    #expect(try store.string("a") == "a in user")
  }

  private func renaming(_ version: Int, _ from: String, into: String) -> [UInt8] {
    let step = "{\"Op\": \"rename\", \"From\": \"\(from)\", \"Into\": \"\(into)\"}"
    return Array(
      "{\"Version\": \(version), \"Groups\": [], \"Migrations\": [{\"To\": \(version), \"Steps\": [\(step)]}]}".utf8)
  }

  @Test func aSecretThatIsLedToAnOrphanMakesASecretOfIt() throws {
    let store = try temporary.open()
    let fields = """
      {"Type": "TextField", "Title": "T", "Key": "a", "Class": ["Password"]}, {"Type": "TextField", "Title": "T", "Key": "c"}
      """
    #expect(
      store.applySchema(Array("{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(fields)]}]}".utf8))
        .error
        == nil)
    try store.set("a", to: .string("hidden"), in: .user)
    try store.set("c", to: .string("plain"), in: .bundle)
    try upgrade(store, schema(2, ["a"], secret: true))
    #expect(try store.inspect("c")["secret"] == .bool(false))
    try upgrade(store, renaming(3, "a", into: "c"))
    #expect(try store.inspect("c")["secret"] == .bool(true))
    #expect(store.applySchema(schema(4, ["c"])).error?.code == .migration)
    try upgrade(store, schema(4, ["c"]), declassifying: ["c"])
    #expect(try store.string("c") == "hidden")
  }

  @Test func whatAnImportAddsToAnOrphanMayBeASecret() throws {
    let store = try store(keeping: 0)
    try upgrade(store, schema(2, ["b"]))
    let json = "{\"Version\": 2, \"Layers\": {\"enforced\": {\"a\": {\"value\": \"hidden\", \"setAside\": true}}}}"
    #expect(store.importJSON(Array(json.utf8), into: .user).error == nil)
    #expect(try store.inspect("a")["secret"] == .bool(true))
    #expect(store.applySchema(schema(3, ["a", "b"])).error?.code == .migration)
  }

  @Test func whatCountedUntilNowIsKeptAsLongAsAnyOrphanWhereverAStepLeadsIt() throws {
    let store = try store(keeping: 1)
    try store.reset("b", in: .user)
    try store.set("b", to: .string("b in enforced"), in: .enforced)
    try upgrade(store, schema(2, ["a"]))
    // What is in `enforced` has been there since version 2, and what was of `a` since now.
    #expect(try upgrade(store, renaming(3, "a", into: "b")) == ["b in enforced"])
    #expect(try store.inspect("b")["orphaned"]?["since"] == .int(3))
    try upgrade(store, schema(4, ["b"]))
    #expect(try store.string("b") == "a in user")
  }

  @Test func theLargestLimitIsForEverToo() throws {
    let store = try store(keeping: .max)
    #expect(try upgrade(store, schema(2, ["b"])) == [] && upgrade(store, schema(1 << 60, ["b"])) == [])
    #expect(try store.inspect("a")["orphaned"] == .object([.init("since", .int(2))]))
  }

  @Test func theyAreDroppedAfterSoManyVersionsAsThePlanSays() throws {
    let store = try store(keeping: 2)
    let first = store.checkSchema(schema(2, ["b"])).report["orphaned"]?.items ?? []
    #expect(first.map { $0["value"] } == [.string("a in recommended"), .string("a in user")])
    #expect(first.first?.text("message") == "orphaned since version 2, kept up to version 3")
    #expect(try upgrade(store, schema(2, ["b"])) == [])
    // It is told once.
    #expect(store.checkSchema(schema(3, ["b"])).report["orphaned"]?.count == 0)
    #expect(try upgrade(store, schema(3, ["b"])) == [])
    let plan = store.checkSchema(schema(4, ["b"]))
    let item = try #require(plan.report["dropped"]?.items.first)
    #expect(item["value"] == .string("a in recommended") && item["secret"] == .bool(false))
    #expect(item["since"] == .int(2) && item["until"] == .int(3))
    #expect(item.text("message") == "orphaned since version 2, kept up to version 3")
    #expect(try upgrade(store, schema(4, ["b"])) == ["a in recommended", "a in user"])
    #expect(code { () throws(StoreError) in _ = try store.inspect("a") } == .notFound)
    #expect(try store.string("b") == "b in user")
    try upgrade(store, schema(5, ["a", "b"]))
    #expect(code { () throws(StoreError) in _ = try store.string("a") } == .noValue)
  }

  @Test func theyComeBackAsLongAsTheyAreThere() throws {
    let store = try store(keeping: 1)
    try upgrade(store, schema(2, ["b"]))
    // The first version that would drop them declares them.
    #expect(try upgrade(store, schema(3, ["a", "b"])) == [])
    #expect(try store.string("a") == "a in user")
    // The count begins anew.
    #expect(try upgrade(store, schema(4, ["b"])) == [])
    #expect(try store.inspect("a")["orphaned"]?["since"] == .int(4))
    #expect(try upgrade(store, schema(5, ["b"])) == ["a in recommended", "a in user"])
  }

  @Test func eachMayBeRemovedAndNoneMayBeSet() throws {
    let store = try store(keeping: 0)
    try upgrade(store, schema(2, ["b"]))
    #expect(code { () throws(StoreError) in try store.set("a", to: .string("x"), in: .recommended) } == .notFound)
    try store.reset("a", in: .recommended)
    #expect(try store.inspect("a")["layers"]?.items.map { $0.text("layer") } == ["user"])
    // Where nothing is held it is a name like any other that nobody knows.
    #expect(code { () throws(StoreError) in try store.reset("a", in: .recommended) } == .notFound)
    try store.reset("a", in: .user)
    #expect(code { () throws(StoreError) in _ = try store.inspect("a") } == .notFound)
    try upgrade(store, schema(3, ["a", "b"]))
    #expect(code { () throws(StoreError) in _ = try store.string("a") } == .noValue)
  }

  @Test func theNumbersOfVersionsCountAndNotTheUpgrades() throws {
    let store = try store(keeping: 3)
    try upgrade(store, schema(10, ["b"]))
    #expect(try store.inspect("a")["orphaned"]?["until"] == .int(12))
    #expect(try upgrade(store, schema(13, ["b"])) == ["a in recommended", "a in user"])
  }

  @Test(.onDisk) func aDropIsPartOfTheUpgradeAndTakenBackWithIt() throws {
    let store = try store(keeping: 1)
    try upgrade(store, schema(2, ["b"]))
    let before = try store.exportJSON(layers: true)
    let revision = try store.revision()
    let outcome = store.applySchema(schema(3, ["b"]))
    #expect(try store.revision() == revision + 1)
    #expect(try store.history().items.first?["changes"]?.items == [])
    try store.restore(from: outcome.report.text("backup"))
    #expect(try store.exportJSON(layers: true) == before)
    #expect(try store.inspect("a")["orphaned"]?["since"] == .int(2))
    #expect(try upgrade(store, schema(3, ["b"])) == ["a in recommended", "a in user"])
  }

  @Test func inspectingTellsSinceWhenAndUntilWhen() throws {
    let store = try store(keeping: 2)
    try upgrade(store, schema(2, ["b"]))
    let found = try store.inspect("a")
    #expect(found["orphaned"] == .object([.init("since", .int(2)), .init("until", .int(3))]))
    #expect(
      found.text("reason")
        == "No schema declares it: orphaned since version 2. Its values do not count; they come back if a later version "
        + "declares it again, and are kept up to version 3: an upgrade to a higher one drops them.")
    #expect(found["effective"] == nil && found.text("type") == "string" && found["secret"] == .bool(false))
    let layers = try #require(found["layers"]?.items)
    #expect(layers.map { $0.text("layer") } == ["user", "recommended"])
    #expect(layers.allSatisfy { $0.text("state") == "orphaned" } && layers[0]["value"] == .string("a in user"))
    #expect(code { () throws(StoreError) in _ = try store.value("a") } == .notFound)
    // Without values there is nothing to tell.
    let change = try store.change(.user)
    try change.resetAll()
    try change.commit()
    #expect(try store.inspect("a")["layers"]?.count == 1)
    let other = try store.change(.recommended)
    try other.resetAll()
    try other.commit()
    #expect(code { () throws(StoreError) in _ = try store.inspect("a") } == .notFound)
  }

  @Test func whatWasASecretIsMarkedSoForEver() throws {
    let store = try store(keeping: 2, secret: true)
    try upgrade(store, schema(2, ["c"]))
    #expect(try store.inspect("a")["secret"] == .bool(true))
    try upgrade(store, schema(3, ["c"]))
    let steps = ", \"Migrations\": [{\"To\": 4, \"Steps\": [{\"Op\": \"rename\", \"From\": \"b\", \"Into\": \"c\"}]}]"
    let report = store.checkSchema(schema(4, ["c"], steps)).report
    #expect(report["steps"]?.items.first?["secret"] == .bool(true))
    #expect(report["dropped"]?.items.map { $0["secret"] } == [.bool(true), .bool(true)])
    // A step has saved the other.
    #expect(
      try upgrade(store, schema(4, ["c"], steps), declassifying: ["c"]) == ["a in recommended", "a in user"])
    #expect(try store.string("c") == "b in user")
  }

  @Test func anOldNameHoldsOrphansLikeAnyOther() throws {
    let store = try store(keeping: 1)
    let alias = #"{"Type": "TextField", "Title": "T", "Key": "c", "Aliases": ["a"]}"#
    func schema(_ version: Int) -> [UInt8] {
      Array(
        "{\"Version\": \(version), \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(alias)]}]}".utf8)
    }
    #expect(try upgrade(store, schema(2)) == [])
    // Undeclared settings count in an open schema; under an old name they do not.
    #expect(try upgrade(store, schema(3)) == ["a in recommended", "a in user"])
    #expect(try store.string("b") == "b in user")
  }

  @Test func whatCountsIsNoOrphan() throws {
    let store = try store(keeping: 1)
    try store.set("branding.color.Toolbar", to: .string("#102030"), in: .user)
    try upgrade(store, schema(2, [], ", \"Open\": true"))
    #expect(try upgrade(store, schema(3, [], ", \"Open\": true")) == [])
    #expect(try store.string("a") == "a in user")
    #expect(try upgrade(store, schema(4, [])) == [])
    #expect(try store.inspect("a")["orphaned"]?["since"] == .int(4))
    #expect(try upgrade(store, schema(5, [])).count == 3)
    #expect(try store.value("branding.color.Toolbar").type == .color)
  }

  @Test func whatAStepLeavesWithoutDeclarationIsOrphanedAsOfThatVersion() throws {
    let store = try store(keeping: 1)
    let steps =
      ", \"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"rename\", \"From\": \"a\", \"Into\": \"between\"}]}]"
    #expect(try upgrade(store, schema(5, ["b"], steps)) == [])
    #expect(try store.inspect("between")["orphaned"]?["since"] == .int(5))
    #expect(try upgrade(store, schema(6, ["b"])) == ["between in recommended", "between in user"])
  }

  @Test func whatWasImportedSetAsideIsOrphanedAsOfThePresentVersion() throws {
    let store = try store(keeping: 2)
    try upgrade(store, schema(2, ["b"]))
    let exported = Array(try store.exportJSON(layers: true).utf8)
    let copy = TemporaryStore()
    let other = try copy.open { $0.orphanVersions = 2 }
    _ = other.applySchema(schema(7, ["b"]))
    #expect(other.importJSON(exported, into: .user).error == nil)
    let found = try other.inspect("a")
    // Nobody knows whether it was a secret.
    #expect(found["orphaned"] == .object([.init("since", .int(7)), .init("until", .int(8))]))
    #expect(found["secret"] == .bool(true))
    #expect(try upgrade(other, schema(8, ["b"])) == [])
    #expect(try upgrade(other, schema(9, ["b"])) == ["a in recommended", "a in user"])
  }

  @Test func theOptionIsTheHandlesThatUpgrades() throws {
    let keeping = try store(keeping: 0)
    let dropping = try temporary.open { $0.orphanVersions = 1 }
    try upgrade(keeping, schema(2, ["b"]))
    #expect(try upgrade(keeping, schema(3, ["b"])) == [])
    #expect(keeping.checkSchema(schema(4, ["b"])).report["dropped"]?.count == 0)
    #expect(dropping.checkSchema(schema(4, ["b"])).report["dropped"]?.count == 2)
    #expect(try upgrade(dropping, schema(4, ["b"])).count == 2)
  }
}

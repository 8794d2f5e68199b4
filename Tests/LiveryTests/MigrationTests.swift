import Livery
import Testing

@Suite struct MigrationTests {
  private func sample(through versions: [Int], in temporary: TemporaryStore) throws -> Store {
    let store = try temporary.open()
    #expect(store.applySchema(try fixture("asm/SettingsSchema.v1.json")).error == nil)
    #expect(store.importJSON(try fixture("asm/values.v1.json"), into: .user).error == nil)
    for version in versions {
      let outcome = store.applySchema(try fixture("asm/SettingsSchema.v\(version).json"))
      #expect(outcome.error == nil && outcome.report["rejected"]?.count == 0)
    }
    return store
  }

  @Test func theSampleComesOutTheSameThroughVersion2AndStraight() throws {
    let (one, two) = (TemporaryStore(), TemporaryStore())
    let through = try sample(through: [2, 3], in: one)
    let straight = try sample(through: [3], in: two)
    let expected = try Value.of(
      """
      {"Version": 3, "Values": {
        "adminPassword": "s3cr3t", "progressIndicator": false, "idleResetSeconds": 60, "cacheKey": true,
        "mediaUrl": "https://media.example/loop.mp4", "screensaverPlaylist": [
          {"content": "https://media.example/a.png", "cacheKey": true, "seconds": 10},
          {"content": "https://media.example/b.png", "cacheKey": false, "seconds": 10}]}}
      """)
    for store in [through, straight] {
      let exported = try store.exportJSON()
      #expect(try Value.of(exported) == expected)
      #expect(try store.value("mediaUrl") == .url("https://media.example/loop.mp4"))
      #expect(try store.int("idleResetSeconds") == 60)
    }
    #expect(try through.exportJSON() == straight.exportJSON())
  }

  @Test func thePlanSaysWhatIsDoneAndTouchesNothing() throws {
    let temporary = TemporaryStore()
    let store = try sample(through: [], in: temporary)
    let before = try store.exportJSON(layers: true)
    let revision = try store.revision()
    let plan = store.checkSchema(try fixture("asm/SettingsSchema.v3.json"))
    #expect(plan.error == nil)
    #expect(plan.report["applied"] == .bool(false))
    let steps = plan.report["steps"]?.items ?? []
    let entry = try #require(steps.first { $0["version"] == .int(3) && $0.text("op") == "convert" })
    #expect(entry.text("name") == "idleResetSeconds" && entry.text("layer") == "user")
    #expect(entry["before"] == .string("1") && entry["after"] == .int(60))
    #expect(entry.text("outcome") == "converted")
    #expect(steps.contains { $0.text("outcome") == "defaulted" && $0["before"] == .string("soon") })
    #expect(try store.exportJSON(layers: true) == before && store.revision() == revision)
    #expect(try store.backups().count == 0)
  }

  @Test func theUpgradeIsOneCommitThatWatchesHear() throws {
    let temporary = TemporaryStore()
    let store = try sample(through: [], in: temporary)
    let revision = try store.revision()
    #expect(store.applySchema(try fixture("asm/SettingsSchema.v3.json")).error == nil)
    #expect(try store.revision() == revision + 1)
    let commit = try #require(try store.history().items.first)
    #expect(commit.text("kind") == "schema")
    let changes = commit["changes"]?.items ?? []
    let idle = try #require(changes.first { $0.text("name") == "idleResetSeconds" })
    #expect(idle["new"] == Value.int(60))
    let duration = try #require(changes.first { $0.text("name") == "duration" })
    #expect(duration["old"] == Value.string("1"))
    #expect(duration["new"] == nil)
    #expect(code { () throws(StoreError) in try store.undo(revision + 1) } == .readOnly)
  }

  @Test(.onDisk) func theBackupMadeBeforeBringsTheOldStateBack() throws {
    let temporary = TemporaryStore()
    let store = try sample(through: [], in: temporary)
    let before = try store.exportJSON()
    let outcome = store.applySchema(try fixture("asm/SettingsSchema.v2.json"))
    let path = try #require(outcome.report.text("backup"))
    let listed = try store.backups().items
    #expect(listed.map { $0.text("path") } == [path])
    #expect(listed.first?.text("reason") == "upgrade" && listed.first?["schemaVersion"] == .int(1))
    try store.restore()
    #expect(try store.exportJSON() == before && store.schemaVersion() == 1)
    #expect(store.applySchema(try fixture("asm/SettingsSchema.v3.json")).error == nil)
  }

  @Test func upgradingTwiceIsAsUpgradingOnce() throws {
    let temporary = TemporaryStore()
    let store = try sample(through: [3], in: temporary)
    let once = try store.exportJSON(layers: true)
    let outcome = store.applySchema(try fixture("asm/SettingsSchema.v3.json"))
    #expect(outcome.error == nil && outcome.report["applied"] == .bool(false))
    #expect(outcome.report["steps"]?.count == 0 && outcome.report["backup"] == nil)
    #expect(try store.exportJSON(layers: true) == once)
  }

  @Test(.onDisk) func ofSeveralThatUpgradeAtOnceOneDoesIt() throws {
    let temporary = TemporaryStore()
    let store = try sample(through: [], in: temporary)
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let schema = try fixture("asm/SettingsSchema.v3.json")
    let children = try (0..<3).map { _ in
      try Child.command(["migrate", "/\(folder)/Fixtures/asm/SettingsSchema.v3.json"], store: temporary.path)
    }
    let applied = Heard()
    inThreads(4) { _ in
      let outcome = store.applySchema(schema)
      if let error = outcome.error { return applied.append(error.message) }
      if outcome.report["applied"] == .bool(true) { applied.append("applied") }
    }
    var done = applied.messages.count
    for child in children where child.line().hasPrefix("applied version 3 over 1") { done += 1 }
    for child in children { #expect(child.finish() == 0) }
    #expect(done == 1 && applied.messages.allSatisfy { $0 == "applied" })
    #expect(try store.backups().count == 1)
    #expect(try store.int("idleResetSeconds") == 60)
  }

  @Test func aStoreWithoutASchemaHasNothingToMigrate() throws {
    let temporary = TemporaryStore()
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let outcome = store.applySchema(
      Upgrading.schema(2, "", steps: #"{"Op": "call", "Name": "nobody"}, {"Op": "set", "Key": "a", "Value": 2}"#))
    #expect(outcome.error == nil && outcome.report["backup"] == nil)
    #expect(try store.int("a") == 1)
  }

  @Test func aValueThatNoLongerFitsIsKeptAsideAndTheNextLayerCounts() throws {
    let old = #"{"Type": "Number", "Title": "A", "Key": "a", "Format": "integer", "Value": 5}"#
    let new = #"{"Type": "Number", "Title": "B", "Key": "b", "Format": "integer", "Value": 5, "Maximum": 10}"#
    let upgrading = try Upgrading([(.user, "a", .int(20)), (.bundle, "a", .int(8))], settings: old)
    let outcome = try upgrading.upgrade(#"{"Op": "rename", "From": "a", "Into": "b"}"#, settings: new)
    #expect(outcome.error == nil)
    let rejected = try #require(outcome.report["rejected"]?.items.first)
    #expect(rejected.text("name") == "b" && rejected.text("layer") == "user")
    #expect(try upgrading.store.int("b") == 8)
    let inspected = try #require(try upgrading.store.inspect("b")["layers"]?.items.first)
    #expect(inspected.text("state") == "rejected" && inspected["value"] == .int(20))
    #expect(inspected.text("problem")?.contains("Maximum") == true)
  }
}

@Suite struct MigrationProvenanceTests {
  @Test func whatAStepMadeIsTheLatestOfSeveralWhicheverWayAStoreWent() throws {
    let set = #"{"Op": "set", "Key": "c", "Value": "x"}"#
    let join = #"{"Op": "join", "Keys": ["d", "c"], "By": ":", "Into": "b"}"#
    let two = #"{"To": 2, "Steps": [\#(set)]}"#, three = #"{"To": 3, "Steps": [\#(join)]}"#
    for through in [true, false] {
      let upgrading = try Upgrading([(.bundle, "d", .string("x"))])
      func apply(_ version: Int, _ migrations: String) {
        let text = #"{"Version": \#(version), "Open": true, "Groups": [], "Migrations": [\#(migrations)]}"#
        #expect(upgrading.store.applySchema(Array(text.utf8), origin: "upgrade").error == nil)
      }
      if through { apply(2, two) }
      apply(3, two + "," + three)
      let layer = try upgrading.store.inspect("b")["layers"]?.items.first
      #expect(layer?["value"] == .string("x:x") && layer?.text("origin") == "upgrade")
    }
  }
}

@Suite struct MigrationMessageTests {
  private static let failing: [(op: String, step: String)] = [
    ("rename", #"{"Op": "rename", "From": "a", "Into": "taken"}"#),
    ("copy", #"{"Op": "copy", "From": "a", "Into": "taken"}"#),
    ("convert", #"{"Op": "convert", "Key": "a", "Type": "integer"}"#),
    ("convert", #"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 2}"#),
    ("split", #"{"Op": "split", "Key": "a", "By": ":", "Into": ["b", "c"]}"#),
    ("split", #"{"Op": "split", "Key": "a", "By": "-", "Into": ["taken", "c"]}"#),
    ("join", #"{"Op": "join", "Keys": ["a"], "By": ":", "Into": "taken"}"#),
    ("gather", #"{"Op": "gather", "Keys": ["a"], "Into": "taken"}"#),
    ("spread", #"{"Op": "spread", "Key": "a", "Into": {"x": "b"}}"#),
  ]

  @Test(arguments: failing) func aFailureNamesPlaceValueAndReason(op: String, step: String) throws {
    let upgrading = try Upgrading([(.recommended, "a", .string("one-two")), (.recommended, "taken", .int(5))])
    let outcome = try upgrading.upgrade(#"{"Op": "remove", "Key": "x"}, "# + step)
    #expect(outcome.error?.code == .migration)
    let message = outcome.error?.message ?? ""
    #expect(message.hasPrefix("migration to version 2, step 2 (\(op)): `"))
    for part in ["`a`", "in the layer recommended: ", "one-two"] { #expect(message.contains(part), "\(message)") }
  }

  @Test(arguments: failing) func aSecretIsMaskedInIt(op: String, step: String) throws {
    let secret = #"{"Type": "TextField", "Title": "A", "Key": "a", "Class": ["Password"]}"#
    let upgrading = try Upgrading(
      [(.recommended, "a", .string("one-two")), (.recommended, "taken", .int(5))], settings: secret)
    let outcome = try upgrading.upgrade(step, settings: secret)
    #expect(outcome.error?.message.contains("one-two") == false && outcome.error?.message.contains("••••••") == true)
  }

  @Test func whatBecomesASecretIsOneAlready() throws {
    let secret = #"{"Type": "TextField", "Title": "B", "Key": "b", "Class": ["Password"]}"#
    let upgrading = try Upgrading([(.user, "a", .string("4711"))])
    let outcome = try upgrading.upgrade(#"{"Op": "rename", "From": "a", "Into": "b"}"#, settings: secret)
    #expect(outcome.report["steps"]?.items.first?["secret"] == .bool(true))
  }
}

@Suite struct HostMigrationTests {
  private let call = #"{"Op": "call", "Name": "host"}"#

  @Test func aFunctionReadsAndWritesTheLayerThatIsMigrated() throws {
    let upgrading = try Upgrading([
      (.bundle, "a", .int(1)), (.user, "a", .int(2)), (.user, "b", .int(3)), (.override, "a", .int(4)),
    ])
    let heard = Heard()
    try upgrading.store.registerMigration("host") { (migration) throws(StoreError) in
      heard.append("\(migration.layer) \(migration.version) \(try migration.names().joined(separator: ","))")
      guard case .int(let number)? = try migration.value("a") else { return }
      try migration.set("a", to: .int(number * 10))
      try migration.remove("b")
      if migration.layer == .user { try migration.set("c", to: .bool(true)) }
    }
    let outcome = try upgrading.upgrade(call)
    #expect(outcome.error == nil)
    // The plan runs it too.
    #expect(heard.messages == ["bundle 2 a", "user 2 a,b", "override 2 a", "bundle 2 a", "user 2 a,b", "override 2 a"])
    #expect(upgrading.value("a", .bundle) == .int(10) && upgrading.value("a") == .int(20))
    #expect(upgrading.value("a", .override) == .int(40))
    #expect(upgrading.value("b") == nil && upgrading.value("c") == .bool(true))
    let outcomes = outcome.report["steps"]?.items.map { $0.text("outcome") ?? "" }
    #expect(outcomes == ["set", "set", "removed", "set", "set"])
  }

  @Test func whatAFunctionThrowsLeavesTheStoreAsItWas() throws {
    let upgrading = try Upgrading([(.user, "a", .int(1))])
    try upgrading.store.registerMigration("host") { (migration) throws(StoreError) in
      try migration.set("a", to: .int(2))
      throw StoreError(.invalidValue, "not today")
    }
    let outcome = try upgrading.upgrade(call)
    #expect(outcome.error?.code == .migration)
    #expect(
      outcome.error?.message == "migration to version 2, step 1 (call): `host` in the layer user: not today")
    #expect(upgrading.value("a") == .int(1))
  }

  @Test func aFunctionThatNobodyRegisteredFails() throws {
    let upgrading = try Upgrading()
    let outcome = try upgrading.upgrade(call)
    #expect(outcome.error?.code == .migration)
    #expect(outcome.error?.message.contains("no function is registered") == true)
  }

  @Test func theHandleEndsWithTheFunction() throws {
    let upgrading = try Upgrading([(.user, "a", .int(1))])
    nonisolated(unsafe) var kept: MigrationCall?
    try upgrading.store.registerMigration("host") { (migration) throws(StoreError) in kept = migration }
    try upgrading.upgrade(call)
    let ended = try #require(kept)
    #expect(code { () throws(StoreError) in _ = try ended.value("a") } == .closed)
    #expect(code { () throws(StoreError) in try ended.set("a", to: .int(2)) } == .closed)
    #expect(code { () throws(StoreError) in try ended.remove("a") } == .closed)
    #expect(code { () throws(StoreError) in _ = try ended.names() } == .closed)
  }

  @Test func anyErrorOfSwiftMakesTheUpgradeFail() throws {
    struct Odd: Error {}
    let upgrading = try Upgrading([(.user, "a", .int(1))])
    try upgrading.store.registerMigration("host") { _ in throw Odd() }
    #expect(try upgrading.upgrade(call).error?.message.contains("Odd") == true)
  }

  @Test func aNewValueInOverrideHasNoEnd() throws {
    let upgrading = try Upgrading([(.override, "a", .int(1))])
    let heard = Heard()
    try upgrading.store.registerMigration("host") { (migration) throws(StoreError) in
      do throws(StoreError) { try migration.set("b", to: .int(1)) } catch { heard.append("\(error.code)") }
    }
    #expect(try upgrading.upgrade(call).error == nil)
    #expect(heard.messages == ["LIVERY_ERROR_INVALID_VALUE", "LIVERY_ERROR_INVALID_VALUE"])
  }
}

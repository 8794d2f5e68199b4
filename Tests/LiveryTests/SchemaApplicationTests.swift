import Livery
import Testing

@Suite struct SchemaApplicationTests {
  let temporary = TemporaryStore()

  func schema(_ version: Int, _ settings: String, _ root: String = "") -> [UInt8] {
    Array("{\"Version\": \(version)\(root), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]}".utf8)
  }

  let text = #"{"Type": "TextField", "Title": "A", "Key": "a", "Value": "x"}"#
  let number = #"{"Type": "Number", "Title": "A", "Key": "a", "Format": "integer", "Value": 5, "Maximum": 10}"#

  @Test func applyingDeclaresTheSettingsWithTheirDefaults() throws {
    let store = try temporary.open()
    let outcome = store.applySchema(schema(3, text))
    #expect(outcome.error == nil && outcome.hasReport)
    #expect(outcome.report["applied"] == .bool(true))
    #expect(outcome.report["previousVersion"] == .int(0))
    #expect(outcome.report["added"] == .list([.string("a")]))
    #expect(try store.schemaVersion() == 3)
    #expect(try store.schemaText() == schema(3, text))
    #expect(try store.string("a") == "x")
    #expect(code { () throws(StoreError) in try store.set("b", to: .int(1), in: .user) } == .notFound)
  }

  @Test func theSameVersionWithTheSameContentChangesNothing() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(1, text))
    let revision = try store.revision()
    let spaced = Array((" " + String(decoding: schema(1, text), as: UTF8.self)).utf8)
    let outcome = store.applySchema(spaced)
    #expect(outcome.error == nil)
    #expect(outcome.report["applied"] == .bool(false))
    #expect(outcome.report["drift"] == .bool(false))
    #expect(try store.revision() == revision)
  }

  @Test func theSameVersionWithOtherContentIsDriftAndIgnored() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(1, text))
    let outcome = store.applySchema(schema(1, number))
    #expect(outcome.error == nil)
    #expect(outcome.report["drift"] == .bool(true))
    #expect(try store.string("a") == "x")
  }

  @Test func aLowerVersionIsRefused() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(2, text))
    #expect(store.applySchema(schema(1, text)).error?.code == .schemaNewer)
    #expect(store.checkSchema(schema(1, text)).error?.code == .schemaNewer)
    #expect(try store.schemaVersion() == 2)
  }

  @Test func aHigherVersionAddsRemovesAndRedefaults() throws {
    let store = try temporary.open()
    let old =
      #"{"Type": "TextField", "Title": "B", "Key": "b", "Value": "old"},"#
      + #"{"Type": "TextField", "Title": "C", "Key": "c", "Value": "c"}"#
    let new =
      #"{"Type": "TextField", "Title": "B again", "Key": "b", "Value": "new"},"#
      + #"{"Type": "TextField", "Title": "D", "Key": "d", "Value": "d"}"#
    _ = store.applySchema(schema(1, old))
    try store.set("c", to: .string("kept"), in: .user)
    let check = store.checkSchema(schema(2, new)).report
    let outcome = store.applySchema(schema(2, new))
    #expect(outcome.report["added"] == .list([.string("d")]))
    #expect(outcome.report["removed"] == .list([.string("c")]))
    #expect(outcome.report["changed"] == .list([.string("b")]))
    for member in ["added", "removed", "changed", "previousVersion", "version"] {
      #expect(check[member] == outcome.report[member])
    }
    #expect(check["applied"] == .bool(false))
    #expect(try store.string("b") == "new")
    #expect(try store.string("d") == "d")
    #expect(code { () throws(StoreError) in _ = try store.value("c") } == .notFound)
    #expect(try store.list().items.count == 2)
    // Declared again, the value that was kept counts again.
    _ = store.applySchema(schema(3, old))
    #expect(try store.string("c") == "kept")
  }

  @Test func valuesThatNoLongerFitAreSetAsideAndComeBack() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(1, text))
    try store.set("a", to: .string("7"), in: .user)
    try store.set("a", to: .string("many"), in: .recommended)
    let outcome = store.applySchema(schema(2, number))
    #expect(outcome.report["rejected"]?.items.first?.text("layer") == "recommended")
    #expect(try store.value("a") == .int(7))
    try store.reset("a", in: .user)
    #expect(try store.value("a") == .int(5))
    let layers = try #require(store.inspect("a")["layers"]?.items)
    #expect(layers.first?.text("state") == "rejected")
    #expect(layers.first?.text("problem") != nil)
    _ = store.applySchema(schema(3, text))
    #expect(try store.string("a") == "many")
  }

  @Test func aBrokenSchemaLeavesTheStoreAsItWas() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(1, text))
    let revision = try store.revision()
    let broken = store.applySchema(Array("{\"Version\": 2,\n \"Groups\": [}".utf8))
    #expect(broken.error?.code == .parse)
    #expect(broken.error?.location?.line == 2)
    #expect(broken.report["diagnostics"]?.items.first?.text("severity") == "error")
    let invalid = store.applySchema(schema(2, text + "," + text))
    #expect(invalid.error?.code == .schemaInvalid)
    #expect(invalid.report["diagnostics"]?.items.isEmpty == false)
    #expect(try store.revision() == revision)
    #expect(try store.schemaVersion() == 1)
    #expect(Store.checkSchema(schema(1, number)).error == nil)
    #expect(Store.checkSchema(Array("[]".utf8)).error?.code == .schemaInvalid)
  }

  @Test func closingAStoreThatWasOpenHidesWhatIsUndeclared() throws {
    let store = try temporary.open()
    try store.set("free", to: .int(1), in: .user)
    try store.set("gone", to: .int(1), in: .user)
    try store.reset("gone", in: .user)
    _ = store.applySchema(schema(1, text, ", \"Open\": true"))
    #expect(try store.int("free") == 1)
    try store.set("other", to: .int(2), in: .user)
    _ = store.applySchema(schema(2, text))
    #expect(code { () throws(StoreError) in _ = try store.value("free") } == .notFound)
    #expect(code { () throws(StoreError) in _ = try store.value("gone") } == .notFound)
    #expect(try store.settings()["Values"]?.count == 1)
  }

  @Test func settingsAreTheDictionaryThatClientsKnow() throws {
    let store = try temporary.open()
    let outcome = store.applySchema(try fixture("asm/SettingsSchema.v1.json"))
    #expect(outcome.error == nil)
    #expect(store.importJSON(try fixture("asm/values.v1.json"), into: .user).error == nil)
    let settings = try store.settings()
    #expect(settings["Version"] == .int(1))
    let values = try #require(settings["Values"])
    #expect(values["adminPassword"] == .string("s3cr3t"))
    #expect(values["ProgressIndicator"] == .bool(false))
    #expect(values["duration"] == .string("1"))
    #expect(values["mmasm_playlist_screensaver"]?.items.count == 2)
    #expect(values["mmasm_playlist_screensaver"]?.items[1]["duration"] == .string("soon"))
    #expect(values.count == 6)
  }

  @Test func withoutASchemaThereIsNoText() throws {
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.schemaText() } == .noValue)
    #expect(try store.schemaVersion() == 0)
  }

  @Test func driftIsLogged() async throws {
    let store = try temporary.open()
    let heard = Heard()
    Log.setHandler { _, message in heard.append(message) }
    _ = store.applySchema(schema(1, text))
    _ = store.applySchema(schema(1, number))
    Log.setHandler(nil)
    #expect(heard.messages.contains { contains($0, "drift") && contains($0, temporary.path) })
  }
}

final class Heard: @unchecked Sendable {
  private let lock = TestLock()
  private var all: [String] = []

  var messages: [String] { lock.withLock { all } }
  func append(_ message: String) { lock.withLock { all.append(message) } }
}

extension SchemaApplicationTests {
  @Test func aValueSurvivesThatItsSettingHadAnotherTypeForAWhile() throws {
    let store = try temporary.open()
    _ = store.applySchema(schema(1, text))
    try store.set("a", to: .string("1"), in: .user)
    _ = store.applySchema(schema(2, number))
    #expect(try store.value("a") == .int(1))
    #expect(try store.inspect("a")["effective"]?["value"] == .int(1))
    let copy = TemporaryStore()
    let other = try copy.open(schema: String(decoding: schema(2, number), as: UTF8.self))
    let exported = try store.exportJSON(layers: true)
    #expect(other.importJSON(Array(exported.utf8), into: .user).error == nil)
    #expect(try other.value("a") == .int(1))
    _ = store.applySchema(schema(3, text))
    #expect(try store.string("a") == "1")
    _ = other.applySchema(schema(3, text))
    #expect(try other.string("a") == "1")
  }
}

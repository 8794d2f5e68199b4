import Livery
import Testing

@Suite struct ExchangeTests {
  let temporary = TemporaryStore()
  let other = TemporaryStore()

  func fill(_ store: Store) throws {
    try store.update(.recommended, origin: "console") { $0[Key<Int>("idle")] = 60 }
    try store.set("welcome", to: .string("Grüß \"Gott\"\n"), in: .user)
    try store.set("branding.color.Toolbar", to: .string("#12345678"), in: .bundle)
    try store.set("idle", to: .int(90), in: .user)
    try store.set("idle", to: .int(30), in: .enforced)
    let session = try store.change(.session)
    try session.expires(Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000))
    try session.set("language", to: .string("de"))
    try session.commit()
  }

  @Test func importingAnExportOfLayersGivesTheSameStoreBack() throws {
    let store = try temporary.open(schema: kioskSchema)
    try fill(store)
    let exported = try store.exportJSON(layers: true)
    let copy = try other.open(schema: kioskSchema)
    #expect(copy.importJSON(Array(exported.utf8), into: .user).error == nil)
    #expect(try copy.exportJSON(layers: true) == exported)
    #expect(try copy.settings() == store.settings())
    #expect(try copy.revision() == store.revision())
    // And once more changes nothing.
    let revision = try copy.revision()
    #expect(copy.importJSON(Array(exported.utf8), into: .user).error == nil)
    #expect(try copy.revision() == revision)
  }

  /// The defaults carry the time at which each store's schema was applied.
  private func withoutDefaults(_ store: Store) throws -> Value {
    let exported = try Value(json: JSON.parse(Array(store.exportJSON(layers: true).utf8)))
    guard case .object(let layers)? = exported["Layers"] else { return exported }
    return .object(layers.filter { !$0.key.sameBytes(as: "defaults") })
  }

  @Test func aResetAtTheEndKeepsTheRevision() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(30), in: .user)
    try store.set("sound", to: .bool(false), in: .user)
    try store.reset("sound", in: .user)
    let copy = try other.open(schema: kioskSchema)
    #expect(copy.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user).error == nil)
    #expect(try copy.revision() == store.revision())
    let beyond = #"{"Layers": {"user": {"idle": {"value": 60, "revision": 9223372036854775807}}}}"#
    #expect(copy.importJSON(Array(beyond.utf8), into: .user).error?.code == .parse)
  }

  @Test(arguments: ["", ", \"Open\": true"])
  func whatAnOldNameLeftBehindDoesNotCountAfterAnImport(_ root: String) throws {
    func schema(_ version: Int, _ setting: String, _ root: String) -> String {
      "{\"Version\": \(version)\(root), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(setting)]}]}"
    }
    let old = schema(1, #"{"Type": "TextField", "Title": "A", "Key": "old"}"#, root)
    let new = schema(
      2, #"{"Type": "TextField", "Title": "A", "Key": "new", "Value": "d", "Aliases": ["old"]}"#, root)
    let store = try temporary.open(schema: old)
    try store.set("old", to: .string("left behind"), in: .user)
    #expect(store.applySchema(Array(new.utf8)).error == nil)
    let copy = try other.open(schema: new)
    let exported = try store.exportJSON(layers: true)
    #expect(copy.importJSON(Array(exported.utf8), into: .user).error == nil)
    for each in [store, copy] {
      #expect(try each.string("new") == "d")
      #expect(try each.string("old") == "d")
      #expect(try each.list().items.count == 1)
    }
    #expect(try withoutDefaults(copy) == withoutDefaults(store))
  }

  @Test func aPartialImportOfAPropertyListPassesOverWhatIsNoValue() throws {
    let store = try temporary.open(schema: kioskSchema)
    func list(_ content: String) -> [UInt8] { Array("<plist><dict>\(content)</dict></plist>".utf8) }
    let settings = """
      <key>welcome</key><integer>99999999999999999999</integer><key>idle</key><integer>60</integer>
      <key>sound</key><dict><key>a</key><array><real>nan</real><real>inf</real></array></dict>
      """
    let whole = store.importPropertyList(list(settings), into: .user)
    #expect(whole.error?.code == .parse)
    for content in [settings, "<key>Values</key><dict>\(settings)</dict><key>note</key><real>nan</real>"] {
      let outcome = store.importPropertyList(list(content), into: .user, partial: true)
      #expect(outcome.error == nil)
      #expect(outcome.report["imported"] == .int(1))
      let skipped = outcome.report["diagnostics"]?.items ?? []
      #expect(skipped.map { $0.text("name") } == ["welcome", "sound"])
      #expect(skipped.last?.text("message")?.hasPrefix("`sound`: at /a/0: not a finite number at line 2") == true)
    }
    #expect(try store.int("idle") == 60)
    let broken = store.importPropertyList(
      list("<key>Version</key><real>nan</real><key>Values</key><dict>\(settings)</dict>"), into: .user, partial: true)
    #expect(broken.error?.code == .parse)
    // As deep as a value may be, and one deeper, in both formats.
    let open = try other.open()
    for (depth, isFine) in [(32, true), (33, false)] {
      let nest = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
      let json = "{\"a\": " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
      for outcome in [
        open.importPropertyList(list("<key>a</key>\(nest)"), into: .user),
        open.importJSON(Array(json.utf8), into: .user),
      ] {
        #expect((outcome.error == nil) == isFine, "\(depth)")
        if let error = outcome.error { #expect(error.message.contains("deeper than 32 levels"), "\(error.message)") }
      }
    }
    let deep = "{\"a\": " + String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "}"
    #expect(open.importJSON(Array(deep.utf8), into: .user).error?.message.contains("deeper than 32 levels") == true)
  }

  @Test func membersBesideTheSettingsAreTold() throws {
    let store = try temporary.open(schema: kioskSchema)
    let json = #"{"Version": 1, "comment": null, "Values": {"idle": 60}, "idle": 90}"#
    let outcome = store.importJSON(Array(json.utf8), into: .user)
    #expect(outcome.error == nil)
    #expect(outcome.report["ignored"] == .list([.string("comment"), .string("idle")]))
    #expect(try store.int("idle") == 60)
    let layered = #"{"Layers": {"user": {"idle": {"value": 30}}}, "Revision": 1, "more": 1}"#
    #expect(store.importJSON(Array(layered.utf8), into: .user).report["ignored"] == .list([.string("more")]))
    #expect(store.importJSON(Array(#"{"idle": 60}"#.utf8), into: .user).report["ignored"] == nil)
    let list = "<plist><dict><key>Values</key><dict/><key>x</key><true/></dict></plist>"
    #expect(store.importPropertyList(Array(list.utf8), into: .user).report["ignored"] == .list([.string("x")]))
    #expect(
      store.importJSON(Array("5".utf8), into: .user).error?.message == "the settings are no dictionary but an int")
  }

  @Test func aPartialImportPassesOverWhatIsNoValue() throws {
    let store = try temporary.open(schema: kioskSchema)
    let json = #"{"Values": {"welcome": null, "idle": 60, "sound": [null]}}"#
    #expect(store.importJSON(Array(json.utf8), into: .user).error?.code == .invalidValue)
    let outcome = store.importJSON(Array(json.utf8), into: .user, partial: true)
    #expect(outcome.error == nil)
    #expect(outcome.report["imported"] == .int(1))
    #expect(outcome.report["diagnostics"]?.items.map { $0.text("name") } == ["welcome", "sound"])
    #expect(try store.int("idle") == 60)
    let layers = #"{"Layers": {"user": {"welcome": {"value": null}, "idle": {"value": 90}}}}"#
    #expect(store.importJSON(Array(layers.utf8), into: .user, partial: true).report["imported"] == .int(1))
  }

  @Test func importingAnExportOfValuesGivesTheSameValues() throws {
    let store = try temporary.open(schema: kioskSchema)
    try fill(store)
    let copy = try other.open(schema: kioskSchema)
    let outcome = copy.importJSON(Array(try store.exportJSON(pretty: true).utf8), into: .recommended)
    #expect(outcome.error == nil)
    #expect(try copy.settings() == store.settings())
    #expect(try copy.exportJSON() == store.exportJSON())
  }

  @Test func undeclaredValuesKeepTheirTypes() throws {
    let store = try temporary.open()
    let values: [(String, Value)] = [
      ("data", .data([0, 255])), ("date", .date(Timestamp(microseconds: 1_500_000))),
      ("color", .color(Color(red8: 1, green8: 2, blue8: 3, alpha8: 4))), ("url", .url("https://a.example/")),
      ("image", .image("ab")), ("double", .double(2)), ("int", .int(2)), ("a/b~c", .data([1])),
      (
        "nested", .list([.object([.init("x/y", .data([1])), .init("z", .date(Timestamp(microseconds: 0)))]), .int(1)])
      ),
    ]
    for (name, value) in values { try store.set(name, to: value, in: .user) }
    let copy = try other.open()
    #expect(copy.importJSON(Array(try store.exportJSON().utf8), into: .user).error == nil)
    for (name, value) in values { #expect(try copy.value(name) == value) }
    let layered = TemporaryStore()
    let third = try layered.open()
    #expect(third.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user).error == nil)
    for (name, value) in values { #expect(try third.value(name) == value) }
  }

  @Test func deepValuesSurviveALayeredExport() throws {
    let store = try temporary.open()
    var deep = Value.int(1)
    for _ in 0..<Value.maximumDepth { deep = .list([deep]) }
    try store.set("deep", to: deep, in: .user)
    let copy = try other.open()
    #expect(copy.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user).error == nil)
    #expect(try copy.value("deep") == deep)
  }

  @Test func whatWasSetAsideStaysSetAside() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(3600), in: .user)
    try store.set("welcome", to: .string("w"), in: .user)
    let tighter =
      #"{"Version": 2, "Groups": [{"Title": "K", "Settings": [{"Type": "Number", "Title": "I", "Key": "idle", "Value": 20, "Maximum": 100}]}]}"#
    _ = store.applySchema(Array(tighter.utf8))
    let copy = try other.open(schema: tighter)
    let outcome = copy.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user)
    #expect(outcome.error == nil)
    #expect(try copy.inspect("idle")["layers"]?.items.first?.text("state") == "rejected")
    #expect(try withoutDefaults(copy) == withoutDefaults(store))
  }

  @Test func aPlainObjectIsTakenAsValues() throws {
    let store = try temporary.open(schema: kioskSchema)
    let outcome = store.importJSON(Array(#"{"idle": "45", "sound": false}"#.utf8), into: .user)
    #expect(outcome.report["imported"] == .int(2))
    #expect(try store.int("idle") == 45)
  }

  @Test func anImportIsRefusedAsAWholeUnlessItMayBePartial() throws {
    let store = try temporary.open(schema: kioskSchema)
    let values = Array(#"{"idle": 1, "sound": false, "nosuch": 1}"#.utf8)
    let refused = store.importJSON(values, into: .user)
    #expect(refused.error?.code == .invalidValue)
    #expect(refused.report["diagnostics"]?.items.count == 2)
    #expect(try store.bool("sound"))
    let partial = store.importJSON(values, into: .user, partial: true)
    #expect(partial.error == nil)
    #expect(partial.report["imported"] == .int(1))
    #expect(partial.report["diagnostics"]?.items.count == 2)
    #expect(try !store.bool("sound"))
  }

  @Test(arguments: [
    "", "[1]", "{\"a\": null}", "{\"Layers\": {\"nolayer\": {}}}", "{\"Layers\": {\"user\": 1}}",
    "{\"Layers\": {\"user\": {\"a\": {}}}}", "{\"Layers\": {\"user\": {\"a\": {\"value\": 1, \"time\": 5}}}}",
    "{\"Layers\": {\"user\": {\"a\": {\"value\": 1, \"revision\": -1}}}}",
    "{\"Layers\": {\"user\": {\"a\": {\"value\": 1, \"expires\": \"x\"}}}}",
    "{\"Version\": \"x\", \"Values\": {}}", "{\"Values\": {\"a\": 1}, \"Types\": {\"a\": \"date\"}}", "{\"\": 1}",
  ])
  func malformedImportsAreRefused(_ text: String) throws {
    let store = try temporary.open()
    let error = store.importJSON(Array(text.utf8), into: .user).error
    #expect([.parse, .invalidValue, .typeMismatch].contains(error?.code))
    #expect(try store.revision() == 0)
  }

  @Test func anExportOfANewerSchemaIsRefused() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(store.importJSON(Array(#"{"Version": 2, "Values": {}}"#.utf8), into: .user).error?.code == .schemaNewer)
    #expect(store.importJSON(Array("{}".utf8), into: .defaults).error?.code == .readOnly)
  }

  @Test func twoNamesOfOneSettingWithOtherValuesAreRefused() throws {
    let store = try temporary.open(
      schema: """
        {"Version": 1, "Groups": [{"Settings": [{"Type": "TextField", "Key": "new", "Aliases": ["old"]}]}]}
        """)
    for json in [#"{"old": "a", "new": "b"}"#, #"{"Version": 1, "Values": {"new": "b", "old": "a"}}"#] {
      let outcome = store.importJSON(Array(json.utf8), into: .user)
      #expect(outcome.error?.code == .parse && outcome.report["diagnostics"]?.count == 1)
    }
    #expect((try? store.value("new")) == nil)
    let partial = store.importJSON(Array(#"{"old": "a", "new": "b"}"#.utf8), into: .user, partial: true)
    #expect(partial.error == nil && partial.report["diagnostics"]?.count == 1)
    #expect(store.importJSON(Array(#"{"old": "c", "new": "c"}"#.utf8), into: .user).error == nil)
    #expect(try store.string("new") == "c")
  }

  @Test func aTypeThatLeadsNowhereIsRefused() throws {
    let store = try temporary.open()
    let json = ##"{"Values": {"a": ["#123456"]}, "Types": {"a": {"/1": "color"}}}"##
    #expect(store.importJSON(Array(json.utf8), into: .user).error?.code == .typeMismatch)
  }

  @Test func linesOfAPropertyListEndWithALineFeedHoweverTheyAreWritten() throws {
    let store = try temporary.open()
    let list = "<plist version=\"1.0\">\r\n<dict>\r<key>a</key><string>x\r\ny\rz&#13;</string>\r\n</dict></plist>"
    #expect(store.importPropertyList(Array(list.utf8), into: .user).error == nil)
    #expect(try store.string("a") == "x\ny\nz\r")
  }

  @Test func propertyListsAreImported() throws {
    let store = try temporary.open(schema: kioskSchema)
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>idle</key><integer>45</integer><key>sound</key><false/></dict></plist>
      """
    #expect(store.importPropertyList(Array(xml.utf8), into: .bundle).error == nil)
    #expect(try store.int("idle") == 45)
    #expect(store.importPropertyList([1, 2, 3], into: .bundle).error?.code == .parse)
  }
}

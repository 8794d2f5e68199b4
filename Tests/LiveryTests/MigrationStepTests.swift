import Livery
import Testing

@Suite struct MigrationStepTests {
  /// What one step makes of values of the layer user, both as an object; nil where the upgrade fails.
  static let cases: [(step: String, before: String, after: String?)] = [
    (#"{"Op": "rename", "From": "a", "Into": "b"}"#, #"{"a": 1}"#, #"{"b": 1}"#),
    (#"{"Op": "rename", "From": "a", "Into": "b"}"#, #"{"c": 1}"#, #"{"c": 1}"#),
    (#"{"Op": "rename", "From": "a", "Into": "b"}"#, #"{"a": 1, "b": 2}"#, nil),
    (
      #"{"Op": "rename", "From": "l[].a", "Into": "l[].b"}"#, #"{"l": [{"a": 1}, {"c": 2}]}"#,
      #"{"l": [{"b": 1}, {"c": 2}]}"#
    ),
    (#"{"Op": "rename", "From": "l[].a", "Into": "l[].b"}"#, #"{"l": [{"a": 1, "b": 2}]}"#, nil),
    (
      #"{"Op": "rename", "From": "l[].m[].a", "Into": "l[].m[].b"}"#, #"{"l": [{"m": [{"a": 1}]}, {"m": 2}, 3]}"#,
      #"{"l": [{"m": [{"b": 1}]}, {"m": 2}, 3]}"#
    ),
    (#"{"Op": "copy", "From": "a", "Into": "b"}"#, #"{"a": [1]}"#, #"{"a": [1], "b": [1]}"#),
    (#"{"Op": "copy", "From": "a", "Into": "b"}"#, #"{"a": 1, "b": 1}"#, nil),
    (#"{"Op": "remove", "Key": "a"}"#, #"{"a": 1, "b": 2}"#, #"{"b": 2}"#),
    (#"{"Op": "remove", "Key": "l[].a"}"#, #"{"l": [{"a": 1, "b": 2}, {}]}"#, #"{"l": [{"b": 2}, {}]}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "integer"}"#, #"{"a": "12"}"#, #"{"a": 12}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 60}"#, #"{"a": "2"}"#, #"{"a": 120}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 0.001}"#, #"{"a": 7000}"#, #"{"a": 7}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 0.001}"#, #"{"a": 7001}"#, nil),
    (#"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 4}"#, #"{"a": 9223372036854775807}"#, nil),
    (#"{"Op": "convert", "Key": "a", "Type": "number", "Scale": 0.5}"#, #"{"a": 3}"#, #"{"a": 1.5}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "integer"}"#, #"{"a": "soon"}"#, nil),
    (
      #"{"Op": "convert", "Key": "a", "Type": "integer", "Invalid": "default"}"#, #"{"a": "soon", "b": 1}"#,
      #"{"b": 1}"#
    ),
    (
      #"{"Op": "convert", "Key": "a", "Type": "integer", "Invalid": "remove"}"#, #"{"a": "soon", "b": 1}"#, #"{"b": 1}"#
    ),
    (#"{"Op": "convert", "Key": "a", "Type": "string"}"#, #"{"a": 5}"#, #"{"a": "5"}"#),
    (#"{"Op": "convert", "Key": "a", "Type": "string"}"#, #"{"a": [5]}"#, nil),
    (
      #"{"Op": "convert", "Key": "a", "Type": "bool", "Map": {"on": true, "2": false}}"#, #"{"a": "on"}"#,
      #"{"a": true}"#
    ),
    (
      #"{"Op": "convert", "Key": "a", "Type": "bool", "Map": {"on": true, "2": false}}"#, #"{"a": 2.0}"#,
      #"{"a": false}"#
    ),
    (
      #"{"Op": "convert", "Key": "a", "Type": "bool", "Map": {"on": true, "2": false}}"#, #"{"a": "yes"}"#,
      #"{"a": true}"#
    ),
    (#"{"Op": "convert", "Key": "a", "Type": "bool", "Map": {"on": true, "2": false}}"#, #"{"a": "off"}"#, nil),
    (
      #"{"Op": "convert", "Key": "l[].a", "Type": "integer", "Invalid": "remove"}"#,
      #"{"l": [{"a": "1"}, {"a": "x"}]}"#, #"{"l": [{"a": 1}, {}]}"#
    ),
    (#"{"Op": "set", "Key": "a", "Value": 5}"#, #"{"a": 1}"#, #"{"a": 5}"#),
    (#"{"Op": "set", "Key": "a", "Value": 5, "When": "absent"}"#, #"{"a": 1}"#, #"{"a": 1}"#),
    (#"{"Op": "set", "Key": "a", "Value": 5, "When": {"equals": 1}}"#, #"{"a": 1}"#, #"{"a": 5}"#),
    (#"{"Op": "set", "Key": "a", "Value": 5, "When": {"equals": "1"}}"#, #"{"a": 1}"#, #"{"a": 5}"#),
    (#"{"Op": "set", "Key": "a", "Value": 5, "When": {"equals": 2}}"#, #"{"a": 1}"#, #"{"a": 1}"#),
    (#"{"Op": "set", "Key": "l[].a", "Value": 5}"#, #"{"l": [{"a": 1}, {}]}"#, #"{"l": [{"a": 5}, {"a": 5}]}"#),
    (
      #"{"Op": "set", "Key": "l[].a", "Value": 5, "When": "absent"}"#, #"{"l": [{"a": 1}, {}]}"#,
      #"{"l": [{"a": 1}, {"a": 5}]}"#
    ),
    (#"{"Op": "split", "Key": "a", "By": "::", "Into": ["h", "p"]}"#, #"{"a": "x:::80"}"#, #"{"h": "x", "p": ":80"}"#),
    (#"{"Op": "split", "Key": "a", "By": ",", "Into": ["a", "b"]}"#, #"{"a": "1,2"}"#, #"{"a": "1", "b": "2"}"#),
    (#"{"Op": "split", "Key": "a", "By": ",", "Into": ["h", "p"]}"#, #"{"a": "1,2,3"}"#, nil),
    (#"{"Op": "split", "Key": "a", "By": ",", "Into": ["h", "p"]}"#, #"{"a": "1"}"#, nil),
    (#"{"Op": "split", "Key": "a", "By": ",", "Into": ["h", "p"]}"#, #"{"a": 1}"#, nil),
    (#"{"Op": "split", "Key": "a", "By": ",", "Into": ["h", "p"]}"#, #"{"a": "1,2", "p": 1}"#, nil),
    (
      #"{"Op": "split", "Key": "a", "By": ",", "Into": ["h", "p"], "Invalid": "remove"}"#, #"{"a": "1", "b": 1}"#,
      #"{"b": 1}"#
    ),
    (#"{"Op": "join", "Keys": ["h", "p"], "By": ":", "Into": "a"}"#, #"{"h": "x", "p": 80}"#, #"{"a": "x:80"}"#),
    (#"{"Op": "join", "Keys": ["h", "p"], "By": "", "Into": "h"}"#, #"{"h": "x", "p": 80}"#, #"{"h": "x80"}"#),
    (#"{"Op": "join", "Keys": ["h", "p"], "By": ":", "Into": "a"}"#, #"{"h": "x"}"#, nil),
    (#"{"Op": "join", "Keys": ["h", "p"], "By": ":", "Into": "a"}"#, #"{"c": "x"}"#, #"{"c": "x"}"#),
    (#"{"Op": "gather", "Keys": ["h", "p"], "Into": "a"}"#, #"{"h": "x", "p": 80}"#, #"{"a": {"h": "x", "p": 80}}"#),
    (#"{"Op": "gather", "Keys": ["h", "p"], "Into": "h"}"#, #"{"h": "x"}"#, #"{"h": {"h": "x"}}"#),
    (#"{"Op": "gather", "Keys": ["h", "p"], "Into": "a"}"#, #"{"h": "x", "a": 80}"#, nil),
    (
      #"{"Op": "gather", "Keys": ["l[].h", "l[].p"], "Into": "l[].a"}"#, #"{"l": [{"h": 1, "p": 2}]}"#,
      #"{"l": [{"a": {"h": 1, "p": 2}}]}"#
    ),
    (#"{"Op": "spread", "Key": "a", "Into": {"h": "x", "p": "y"}}"#, #"{"a": {"h": 1, "p": 2}}"#, #"{"x": 1, "y": 2}"#),
    (
      #"{"Op": "spread", "Key": "a", "Into": {"h": "x", "p": "y"}}"#, #"{"a": {"h": 1, "q": 2}}"#,
      #"{"a": {"q": 2}, "x": 1}"#
    ),
    (#"{"Op": "spread", "Key": "a", "Into": {"h": "a"}}"#, #"{"a": {"h": 1}}"#, #"{"a": 1}"#),
    (#"{"Op": "spread", "Key": "a", "Into": {"h": "a"}}"#, #"{"a": {"h": 1, "q": 2}}"#, nil),
    (#"{"Op": "spread", "Key": "a", "Into": {"h": "x"}}"#, #"{"a": 1}"#, nil),
    (#"{"Op": "spread", "Key": "a", "Into": {"h": "x"}}"#, #"{"a": {"h": 1}, "x": 2}"#, nil),
  ]

  @Test(arguments: cases.indices) func aStepDoesWhatTheReferenceSays(index: Int) throws {
    let (step, before, after) = Self.cases[index]
    let upgrading = try Upgrading()
    #expect(upgrading.store.importJSON(Array(before.utf8), into: .user).error == nil)
    let outcome = try upgrading.upgrade(step)
    if let after {
      #expect(outcome.error?.message == nil)
      #expect(try upgrading.store.settings()["Values"] == Value.of(after), "\(step) \(before)")
    } else {
      #expect(outcome.error?.code == .migration, "\(step) \(before)")
      #expect(try upgrading.store.settings()["Values"] == Value.of(before))
      #expect(try upgrading.store.schemaVersion() == 1)
    }
  }

  @Test func aValueKeepsWhoSetItAndWhen() throws {
    let upgrading = try Upgrading([(.override, "a", .string("2"))])
    let before = try #require(upgrading.store.inspect("a")["layers"]?.items.first)
    try upgrading.upgrade(
      #"{"Op": "rename", "From": "a", "Into": "b"}, {"Op": "convert", "Key": "b", "Type": "integer", "Scale": 3}"#)
    let after = try #require(upgrading.store.inspect("b")["layers"]?.items.first)
    #expect(after["value"] == .int(6))
    for member in ["layer", "revision", "time", "origin", "expires"] { #expect(after[member] == before[member]) }
  }

  @Test func everyLayerIsMigratedButTheDefaults() throws {
    let layers = Layer.allCases.filter { $0 != .defaults }
    let setting = #"{"Type": "Number", "Title": "B", "Key": "b", "Format": "integer", "Value": 7}"#
    let upgrading = try Upgrading(layers.map { ($0, "a", .int(Int64($0.rawValue))) })
    try upgrading.upgrade(#"{"Op": "rename", "From": "a", "Into": "b"}"#, settings: setting)
    for layer in layers { #expect(upgrading.value("b", layer) == .int(Int64(layer.rawValue))) }
    #expect(upgrading.value("b", .defaults) == .int(7))
    #expect(code { () throws(StoreError) in _ = try upgrading.store.value("a") } == .notFound)
  }

  @Test func whatIsSetAnewGoesToTheWeakestLayer() throws {
    let upgrading = try Upgrading([(.enforced, "x", .int(1)), (.recommended, "b", .int(2))])
    try upgrading.upgrade(
      #"{"Op": "set", "Key": "a", "Value": 5, "When": "absent"}, {"Op": "set", "Key": "b", "Value": 6}"#)
    #expect(upgrading.value("a", .bundle) == .int(5) && upgrading.value("a", .enforced) == nil)
    #expect(upgrading.value("b", .recommended) == .int(6) && upgrading.value("b", .bundle) == nil)
  }

  @Test func expiredValuesAreNotMigrated() throws {
    let upgrading = try Upgrading([(.user, "a", .int(1))])
    let change = try upgrading.store.change(.session)
    try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + 20_000))
    try change.set("a", to: .string("soon"))
    try change.commit()
    while try upgrading.store.value("a") != .int(1) {}
    #expect(try upgrading.upgrade(#"{"Op": "convert", "Key": "a", "Type": "string"}"#).error == nil)
    #expect(upgrading.value("a") == .string("1"))
  }

  @Test func aFailureNamesVersionStepLayerSettingValueAndReason() throws {
    let upgrading = try Upgrading([
      (.session, "a", .string("soon")), (.user, "l", try .of(#"[{"b": "1"}, {"b": "x"}]"#)),
    ])
    let outcome = try upgrading.upgrade(
      #"{"Op": "remove", "Key": "z"}, {"Op": "convert", "Key": "a", "Type": "integer"}, "#
        + #"{"Op": "convert", "Key": "l[].b", "Type": "integer"}"#)
    #expect(
      outcome.error?.message
        == "migration to version 2, step 2 (convert): `a` in the layer session: "
        + #""soon" does not convert to int without loss (and 1 more)"#)
    #expect(outcome.error?.setting == "a")
    let failed = outcome.report["steps"]?.items.filter { $0.text("outcome") == "failed" } ?? []
    #expect(failed.count == 2)
    #expect(failed.last?["items"] == .list([.int(2)]))
    #expect(failed.last?["before"] == .string("x"))
  }

  @Test func secretsAreMaskedWhereverTheyGo() throws {
    let pin = #"{"Type": "TextField", "Title": "P", "Key": "pin", "Class": ["Password"]}"#
    let upgrading = try Upgrading([(.user, "pin", .string("s3cr3t"))], settings: pin)
    let outcome = try upgrading.upgrade(
      #"{"Op": "rename", "From": "pin", "Into": "p"}, {"Op": "convert", "Key": "p", "Type": "integer"}"#)
    #expect(outcome.error?.message.contains("s3cr3t") == false)
    #expect(outcome.error?.message.contains("••••••") == true)
    #expect(outcome.report["steps"]?.items.allSatisfy { $0["secret"] == .bool(true) } == true)
  }

  @Test func theDefaultInAListIsThatOfTheTemplateWhereverTheMemberGoes() throws {
    let list =
      #"{"Type": "List", "Title": "L", "Key": "shows", "ItemTemplate": [{"Type": "Number", "Title": "S", "#
      + #""Key": "seconds", "Format": "integer", "Value": 10}]}"#
    let upgrading = try Upgrading([(.user, "l", try .of(#"[{"s": "5"}, {"s": "soon"}]"#))])
    let outcome = try upgrading.upgrade(
      #"{"Op": "convert", "Key": "l[].s", "Type": "integer", "Invalid": "default"}, "#
        + #"{"Op": "rename", "From": "l", "Into": "shows"}, "#
        + #"{"Op": "rename", "From": "shows[].s", "Into": "shows[].seconds"}"#, settings: list)
    #expect(upgrading.value("shows") == (try .of(#"[{"seconds": 5}, {"seconds": 10}]"#)))
    let defaulted = outcome.report["steps"]?.items.first { $0.text("outcome") == "defaulted" }
    #expect(defaulted?["after"] == .int(10) && defaulted?["items"] == .list([.int(2)]))
  }

  @Test func aValueThatWouldOutgrowItsLimitFails() throws {
    let upgrading = try Upgrading([(.user, "a", .string(String(repeating: "x", count: 1 << 19)))])
    let double =
      #"{"Op": "copy", "From": "a", "Into": "b"}, {"Op": "join", "Keys": ["a", "b"], "By": "-", "Into": "a"}"#
    #expect(try upgrading.upgrade(double).error?.code == .migration)
    let nest = [String](repeating: #"{"Op": "gather", "Keys": ["a"], "Into": "a"}"#, count: 40)
    #expect(try upgrading.upgrade(nest.joined(separator: ", ")).error?.code == .migration)
  }
}

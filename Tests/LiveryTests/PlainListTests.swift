import Livery
import Testing

/// Lists whose items are plain values: a template of one setting without a key.
@Suite struct PlainListTests {
  private static let settings = #"""
    {"Type": "List", "Title": "Tags", "Key": "tags", "MaxItems": 3, "ItemTemplate": [
      {"Type": "Header", "Title": "A tag"}, {"Type": "TextField", "Title": "Tag", "MaxLength": 5, "Pattern": "^[a-z]+$"}]},
    {"Type": "List", "Title": "Ports", "Key": "ports", "Value": [80, 443], "ItemTemplate": [
      {"Type": "Number", "Title": "Port", "Format": "integer", "Minimum": 1, "Maximum": 65535}]},
    {"Type": "List", "Title": "Days", "Key": "days", "ItemTemplate": [{"Type": "ComboBox", "Title": "Day", "Options": [
      {"Title": "Monday", "Value": 1}, {"Title": "Tuesday", "Value": 2}]}]},
    {"Type": "List", "Title": "Grid", "Key": "grid", "ItemTemplate": [
      {"Type": "List", "Title": "Row", "ItemTemplate": [{"Type": "ToggleSwitch", "Title": "Cell"}]}]},
    {"Type": "List", "Title": "Codes", "Key": "codes", "ItemTemplate": [
      {"Type": "TextField", "Title": "Code", "Class": ["Password"], "MaxLength": 4}]}
    """#

  private static func schema(_ version: Int = 1, _ settings: String = settings, steps: String = "") -> String {
    let migrations = steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps)]}]"
    return "{\"Version\": \(version), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]\(migrations)}"
  }

  let temporary = TemporaryStore()
  let other = TemporaryStore()

  private func violation(_ store: Store, _ name: String, _ json: String) throws -> StoreError? {
    let value = try Value.of(json)
    do throws(StoreError) { try store.set(name, to: value, in: .user) } catch { return error }
    return nil
  }

  @Test func itemsAreCheckedAndConvertedEachForItself() throws {
    let store = try temporary.open(schema: Self.schema())
    #expect(try store.value("ports") == .list([.int(80), .int(443)]))
    #expect(try violation(store, "ports", #"["8080", 1.0, 65535]"#) == nil)
    #expect(try store.value("ports") == .list([.int(8080), .int(1), .int(65535)]))
    #expect(try violation(store, "days", #"[2, "1", 2]"#) == nil)
    #expect(try store.value("days") == .list([.int(2), .int(1), .int(2)]))
    #expect(try violation(store, "grid", #"[[true, "no"], []]"#) == nil)
    #expect(try store.value("grid") == .list([.list([.bool(true), .bool(false)]), .list([])]))
    for (name, value, message) in [
      ("ports", "[80, 0]", "`ports`, item 2: 0 is less than Minimum 1"),
      ("ports", "[80, \"x\"]", "`ports`, item 2: expected int, found string \"x\""),
      ("ports", "[{\"port\": 80}]", "`ports`, item 1: expected int, found object"),
      ("ports", "80", "`ports`: expected list, found int 80"),
      ("tags", "[\"a\", \"toolong\"]", "`tags`, item 2: \"toolong\" is longer than MaxLength 5 (characters)"),
      ("tags", "[\"A\"]", "`tags`, item 1: \"A\" does not match Pattern ^[a-z]+$"),
      ("tags", "[\"a\", \"b\", \"c\", \"d\"]", "`tags`: 4 items are more than MaxItems 3"),
      ("days", "[3]", "`days`, item 1: 3 is not one of Options (1, 2)"),
      ("grid", "[[true], [1, 2]]", "`grid`, item 2, item 1: expected bool, found int 1"),
      ("codes", "[\"secret\"]", "`codes`, item 1: •••••• is longer than MaxLength 4 (characters)"),
    ] {
      #expect(try violation(store, name, value)?.message.hasPrefix(message) == true, "\(message)")
    }
  }

  @Test func theyAreImportedExportedAndWatched() throws {
    let store = try temporary.open(schema: Self.schema())
    let json = #"{"Values": {"tags": ["a", "b"], "ports": [22], "grid": [[false]], "days": [9]}}"#
    #expect(store.importJSON(Array(json.utf8), into: .user).error?.code == .invalidValue)
    let partial = store.importJSON(Array(json.utf8), into: .user, partial: true)
    #expect(partial.report["imported"] == .int(3))
    let list = "<plist><dict><key>days</key><array><integer>1</integer><string>2</string></array></dict></plist>"
    #expect(store.importPropertyList(Array(list.utf8), into: .bundle).error == nil)
    #expect(try store.value("days") == .list([.int(1), .int(2)]))
    let copy = try other.open(schema: Self.schema())
    for layers in [false, true] {
      let exported = try store.exportJSON(layers: layers)
      #expect(copy.importJSON(Array(exported.utf8), into: .user).error == nil)
      #expect(try copy.settings() == store.settings())
    }
    let heard = Events()
    let observation = try store.observe("tags") { heard.append($0) }
    try store.set("tags", to: .list([.string("c")]), in: .user)
    let event = heard.wait(1).first
    #expect(event?.oldValue == .list([.string("a"), .string("b")]) && event?.newValue == .list([.string("c")]))
    observation.cancel()
  }

  /// What steps make of a value of version 1, and what it is checked against in version 2.
  private func upgraded(_ value: String, _ steps: String, _ settings: String = "") throws -> Value? {
    let store = try Upgrading([(.user, "l", Value.of(value))])
    let outcome = try store.upgrade(steps, settings: settings)
    return outcome.error == nil ? store.value("l") : nil
  }

  @Test func stepsReachTheItemsThemselves() throws {
    let port =
      #"{"Type": "List", "Title": "L", "Key": "l", "ItemTemplate": [{"Type": "Number", "Title": "N", "Value": 7}]}"#
    for (steps, before, after) in [
      (#"{"Op": "convert", "Key": "l[]", "Type": "integer"}"#, #"["1", 2]"#, "[1, 2]"),
      (#"{"Op": "convert", "Key": "l[]", "Type": "integer", "Scale": 60}"#, "[1, 2]", "[60, 120]"),
      (#"{"Op": "convert", "Key": "l[]", "Type": "integer", "Invalid": "remove"}"#, #"["1", "x", "3"]"#, "[1, 3]"),
      (
        #"{"Op": "convert", "Key": "l[]", "Type": "bool", "Map": {"on": true, "off": false}}"#, #"["on", "off"]"#,
        "[true, false]"
      ),
      (#"{"Op": "set", "Key": "l[]", "Value": 0, "When": {"equals": 5}}"#, "[5, 6]", "[0, 6]"),
      (#"{"Op": "convert", "Key": "l[][]", "Type": "string"}"#, "[[1], [2, 3]]", #"[["1"], ["2", "3"]]"#),
      (#"{"Op": "rename", "From": "l[].name", "Into": "l[]"}"#, #"[{"name": "a"}, {"name": "b"}]"#, #"["a", "b"]"#),
      (#"{"Op": "rename", "From": "l[]", "Into": "l[].name"}"#, #"["a", "b"]"#, #"[{"name": "a"}, {"name": "b"}]"#),
      (
        #"{"Op": "split", "Key": "l[]", "By": ":", "Into": ["l[].host", "l[].port"]}"#, #"["a:1"]"#,
        #"[{"host": "a", "port": "1"}]"#
      ),
      (
        #"{"Op": "join", "Keys": ["l[].host", "l[].port"], "By": ":", "Into": "l[]"}"#, #"[{"host": "a", "port": 1}]"#,
        #"["a:1"]"#
      ),
      (#"{"Op": "remove", "Key": "l[].x"}"#, "[1, 2]", "[1, 2]"),
      (#"{"Op": "convert", "Key": "l[]", "Type": "integer"}"#, #"[{"a": 1}]"#, #"[{"a": 1}]"#),
    ] {
      #expect(try upgraded(before, steps) == .of(after), "\(steps)")
    }
    let step = #"{"Op": "convert", "Key": "l[]", "Type": "number", "Invalid": "default"}"#
    #expect(try upgraded(#"["1", "x"]"#, step, port) == .list([.double(1), .double(7)]))
    #expect(try upgraded(#"["x"]"#, #"{"Op": "convert", "Key": "l[]", "Type": "integer"}"#) == nil)
    // A plain value has no members beside it.
    #expect(try upgraded(#"[{"a": 1, "b": 2}]"#, #"{"Op": "rename", "From": "l[].a", "Into": "l[]"}"#) == nil)
    let failed = try Upgrading([(.user, "l", .of(#"["1", "x"]"#))]).upgrade(
      #"{"Op": "convert", "Key": "l[]", "Type": "integer"}"#)
    #expect(failed.error?.message.contains("`l[]`") == true && failed.error?.message.contains("item 2") == true)
  }

  @Test func comparingVersionsKnowsThem() throws {
    func list(_ item: String) -> String {
      "{\"Type\": \"List\", \"Title\": \"L\", \"Key\": \"l\", \"ItemTemplate\": [\(item)]}"
    }
    let text = #"{"Type": "TextField", "Title": "T"}"#
    let number = #"{"Type": "Number", "Title": "T", "Format": "integer"}"#
    let short = #"{"Type": "TextField", "Title": "T", "MaxLength": 3}"#
    let record = #"{"Type": "TextField", "Title": "T", "Key": "name"}"#
    let required = #"{"Type": "TextField", "Title": "T", "Key": "name", "Required": true}"#
    let cases = [
      (text, text, "", ""), (text, short, "", "narrowed"), (text, number, "", "type-changed"),
      (text, number, #"{"Op": "convert", "Key": "l[]", "Type": "integer", "Invalid": "remove"}"#, ""),
      (text, record, "", "removed-member"), (record, text, "", "removed-member"),
      (required, text, #"{"Op": "rename", "From": "l[].name", "Into": "l[]"}"#, ""),
    ]
    for (old, new, steps, code) in cases {
      let outcome = Store.compareSchemas(
        Array(Self.schema(1, list(old)).utf8), Array(Self.schema(2, list(new), steps: steps).utf8))
      let errors = (outcome.report["findings"]?.items ?? []).filter { $0.text("severity") == "error" }
      #expect(errors.map { $0.text("code") } == (code.isEmpty ? [] : [code]), "\(old) \(new) \(steps)")
      for error in errors {
        #expect(error["line"] != nil && error.text("message")?.contains("`l[]") == true, "\(error.json())")
      }
    }
  }
}

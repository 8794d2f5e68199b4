import Livery
import Testing

/// What comparing two versions of a schema finds in the items of lists and of multiple choices. An upgrade does what is
/// found: a value is lost, or makes it fail, where there is a finding of that, and nowhere else.
@Suite struct ComparisonItemTests {
  private static func schema(_ version: Int, _ settings: String, _ steps: String = "") -> [UInt8] {
    let migrations = steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps)]}]"
    return Array(
      "{\"Version\": \(version), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]\(migrations)}".utf8)
  }

  /// A setting, a member, or without a key an item.
  private static func setting(_ type: String, _ key: String, _ more: String) -> String {
    "{\"Type\": \"\(type)\", \"Title\": \"T\""
      + (key.isEmpty ? "" : ", \"Key\": \"\(key)\"") + (more.isEmpty ? "" : ", " + more) + "}"
  }

  private static func text(_ key: String = "", _ more: String = "") -> String { setting("TextField", key, more) }

  private static func integer(_ key: String = "", _ more: String = "") -> String {
    setting("Number", key, "\"Format\": \"integer\"" + (more.isEmpty ? "" : ", " + more))
  }

  private static func list(_ template: String, _ more: String = "", key: String = "l") -> String {
    setting("List", key, "\"ItemTemplate\": [\(template)]" + (more.isEmpty ? "" : ", " + more))
  }

  private static func choices(_ options: String..., key: String = "l", _ more: String = "") -> String {
    let all = options.map { "{\"Title\": \"T\", \"Value\": \($0)}" }.joined(separator: ", ")
    return setting(
      "ComboBox", key, "\"Class\": [\"Multiple\"], \"Options\": [\(all)]" + (more.isEmpty ? "" : ", " + more))
  }

  private static func step(_ operation: String, _ path: String, _ more: String = "") -> String {
    "{\"Op\": \"\(operation)\", \"Key\": \"\(path)\"" + (more.isEmpty ? "" : ", " + more) + "}"
  }

  private static func rename(_ from: String, _ into: String, operation: String = "rename") -> String {
    "{\"Op\": \"\(operation)\", \"From\": \"\(from)\", \"Into\": \"\(into)\"}"
  }

  struct Case: Sendable {
    let old, new, steps: String
    /// Codes in the order of the text.
    let codes: [String]
    /// A value of the old schema that is lost, or makes the upgrade fail, if any does.
    let value: String
  }

  private static func add(
    _ cases: inout [Case], _ old: String, _ new: String, _ steps: String, _ codes: [String], _ value: String
  ) {
    cases.append(Case(old: old, new: new, steps: steps, codes: codes.sorted(), value: value))
  }

  private static let ofChoices: [Case] = {
    var cases: [Case] = []
    func t(_ old: String, _ new: String, _ steps: String, _ codes: [String], _ value: String) {
      add(&cases, old, new, steps, codes, value)
    }
    let ab = choices(#""a""#, #""b""#)
    let both = #"["a", "b"]"#
    let map = #""Type": "integer", "Map": {"a": 1, "b": 2}"#
    t(ab, choices("1", "2"), step("convert", "l[]", map), [], both)
    t(ab, choices("1"), step("convert", "l[]", map), ["step-value-invalid"], both)
    t(
      ab, choices("1"), step("convert", "l[]", #""Type": "integer", "Map": {"a": 1, "b": 1}"#), ["removed-options"],
      both)
    t(ab, ab, step("convert", "l[]", #""Type": "integer""#), ["step-fails"], both)
    t(
      choices(#""a""#, #""1""#), choices("1"), step("convert", "l[]", #""Type": "integer""#), ["step-may-fail"],
      #"["a"]"#)
    t(
      ab, choices("1", "2"), step("convert", "l[]", #""Type": "integer", "Map": {"a": 1}, "Invalid": "remove""#),
      ["step-drops-values"], both)
    t(
      ab, choices("1"), step("convert", "l[]", #""Type": "integer", "Map": {"a": 1}, "Invalid": "default""#),
      ["step-drops-values"], both)
    t(ab, choices(#""b""#), "", ["removed-options"], both)
    t(choices("1", #""1""#), choices("1"), "", ["removed-options"], #"[1, "1"]"#)
    t(ab, ab, step("set", "l[]", #""Value": "a""#), ["narrowed", "overwritten-by-step"], both)
    t(ab, ab, step("set", "l[]", #""Value": "c""#), ["narrowed", "overwritten-by-step", "step-value-invalid"], both)
    t(ab, ab, step("set", "l[]", #""Value": "c", "When": "absent""#), [], both)
    t(ab, ab, step("set", "l[]", #""Value": "b", "When": {"equals": "a"}"#), ["narrowed"], both)
    t(ab, choices(#""b""#, #""c""#), step("set", "l[]", #""Value": "c", "When": {"equals": "a"}"#), [], both)
    t(ab, ab, step("set", "l[]", #""Value": "d", "When": {"equals": "c"}"#), ["step-without-effect"], both)
    t(ab, ab, step("set", "l[].k", #""Value": "c""#), ["step-without-effect"], both)
    t(ab, ab, step("remove", "l[]"), ["removed-by-step"], both)
    t(ab, list(text("k", #""Required": true"#)), step("remove", "l[]"), ["removed-by-step"], both)
    let missing = #"{"Op": "join", "Keys": ["l[]", "l[].k"], "By": "-", "Into": "l[]", "Invalid": "remove"}"#
    t(ab, ab, missing, ["step-drops-values", "step-without-effect"], both)
    t(
      ab, ab, #"{"Op": "join", "Keys": ["l[]", "l[].k"], "By": "-", "Into": "l[]"}"#,
      ["narrowed", "step-fails", "step-without-effect", "type-changed"], both)
    t(ab, list(text("k", #""Required": true, "MinLength": 1"#)), rename("l[]", "l[].k"), [], both)
    let required = choices(#""a""#, #""b""#, key: "l", #""Required": true"#)
    t(required, required, step("remove", "l[]"), ["narrowed", "removed-by-step"], both)
    t(required, ab, step("remove", "l[]"), ["removed-by-step"], both)
    t(required, required, missing, ["narrowed", "step-drops-values", "step-without-effect"], both)
    // In lists.
    let inner = choices(#""a""#, #""b""#, key: "k")
    t(
      list(inner), list(choices("1", "2", key: "k")), step("convert", "l[].k[]", map), [], #"[{"k": ["a", "b"]}]"#)
    t(list(inner), list(inner), step("convert", "l[].k[]", #""Type": "url""#), ["step-fails"], #"[{"k": ["a"]}]"#)
    t(
      list(choices(#""a""#, #""b""#, key: "")), list(choices("1", "2", key: "")), step("convert", "l[][]", map), [],
      #"[["a", "b"]]"#)
    t(
      list(choices(#""a""#, #""b""#, key: "")), list(choices(#""a""#, #""b""#, key: "")),
      step("set", "l[][]", #""Value": "b""#), ["narrowed", "overwritten-by-step"], #"[["a", "b"]]"#)
    // Lists instead.
    t(ab, list(text()), "", [], both)
    t(ab, list(text(), #""MaxItems": 2"#), "", [], both)
    t(ab, list(text(), #""MaxItems": 1"#), "", ["narrowed"], both)
    t(ab, list(text("", #""Pattern": "^a""#)), "", ["type-changed"], both)
    t(ab, list(integer()), "", ["type-changed"], both)
    t(choices("1", "2"), list(text()), step("convert", "l[]", #""Type": "string""#), [], "[1, 2]")
    t(ab, list(text("k")), "", ["removed-member"], both)
    t(list(inner), list(list(text(), key: "k")), "", [], #"[{"k": ["a", "b"]}]"#)
    // And lists before.
    t(list(text()), ab, "", ["narrowed", "type-changed"], #"["a", "c"]"#)
    let toggles = choices("true", "false")
    t(list(setting("ToggleSwitch", "", "")), toggles, "", ["narrowed"], "[true, true]")
    t(list(setting("ToggleSwitch", "", ""), #""MaxItems": 1"#), toggles, "", [], "[true]")
    t(
      list(setting("ToggleSwitch", "k", #""Required": true"#)), toggles, rename("l[].k", "l[]"), ["narrowed"],
      #"[{"k": true}, {"k": true}]"#)
    return cases
  }()

  private static let ofPlainItems: [Case] = {
    var cases: [Case] = []
    func t(_ old: String, _ new: String, _ steps: String, _ codes: [String], _ value: String) {
      add(&cases, old, new, steps, codes, value)
    }
    let plain = rename("l[].k", "l[]")
    let some = #"[{"k": "a"}, {}]"#
    t(list(text("k", #""Required": true"#)), list(text()), plain, [], #"[{"k": "a"}]"#)
    t(list(text("k")), list(text()), plain, ["step-value-invalid"], some)
    t(list(text("k", #""Value": "x""#)), list(text()), plain, ["step-value-invalid"], some)
    t(
      list(list(text("k"), key: "m")), list(list(text(), key: "m")), rename("l[].m[].k", "l[].m[]"),
      ["step-value-invalid"], #"[{"m": [{}]}]"#)
    let whenAbsent = #""Value": "x", "When": "absent""#
    t(list(text("k")), list(text()), plain + ", " + step("set", "l[]", whenAbsent), [], some)
    t(list(text("k")), list(text()), step("set", "l[].k", whenAbsent) + ", " + plain, [], some)
    let byDefault = step("convert", "l[].k", #""Type": "integer", "Invalid": "default""#) + ", " + plain
    let required = list(text("k", #""Required": true"#))
    t(required, list(integer()), byDefault, ["step-drops-values", "step-value-invalid"], #"[{"k": "a"}]"#)
    t(required, list(integer("", #""Value": 3"#)), byDefault, ["step-drops-values"], #"[{"k": "a"}]"#)
    t(list(text("k")), list(text()), step("remove", "l[].k"), ["removed-by-step", "type-changed"], some)
    t(list(text("k")), list(text()), "", ["removed-member"], some)
    t(list(text()), list(text("k")), "", ["removed-member"], #"["a"]"#)
    // Other members.
    let two = text("k", #""Required": true"#) + ", " + text("z")
    t(list(two), list(text()), plain, ["removed-member", "target-taken"], #"[{"k": "a", "z": "b"}]"#)
    t(list(two), list(text()), step("remove", "l[].z") + ", " + plain, ["removed-by-step"], #"[{"k": "a", "z": "b"}]"#)
    t(
      list(text()), list(text()), rename("l[]", "l[].k", operation: "copy"), ["removed-member", "step-fails"], #"["a"]"#
    )
    t(
      list(two), list(text()), step("set", "l[]", #""Value": "x""#),
      ["removed-member", "removed-member", "step-fails"], #"[{"k": "a"}]"#)
    let gather = #"{"Op": "gather", "Keys": ["l[].y", "l[].w"], "Into": "l[]"}"#
    let wz = list(text("w") + ", " + text("z"))
    t(wz, wz, gather, ["step-without-effect", "target-taken"], #"[{"w": "a", "z": "b"}]"#)
    let wy = list(text("w") + ", " + text("y", #""Required": true"#))
    t(wy, wy, gather, [], #"[{"w": "a", "y": "b"}, {"y": "c"}]"#)
    // No item is left.
    let requiredList = list(integer(), #""Required": true"#)
    let dropping = step("convert", "l[]", #""Type": "integer", "Invalid": "remove""#)
    t(list(text(), #""Required": true"#), requiredList, dropping, ["narrowed", "step-drops-values"], #"["a"]"#)
    t(requiredList, requiredList, dropping, [], "[1]")
    // Members of what was plain.
    t(list(text()), list(text("k", #""Required": true"#)), rename("l[]", "l[].k"), ["narrowed"], #"[""]"#)
    t(list(integer()), list(integer("k", #""Required": true"#)), rename("l[]", "l[].k"), [], "[1]")
    t(list(integer()), list(integer("", #""Required": true"#)), "", [], "[1]")
    let split = #"{"Op": "split", "Key": "l[]", "By": ":", "Into": ["l[].a", "l[].b"], "Invalid": "remove"}"#
    let parts = #"{"Op": "join", "Keys": ["l[].a", "l[].b"], "By": ":", "Into": "l[]"}"#
    t(list(text()), list(text()), split + ", " + parts, ["step-drops-values"], #"["a:b", "c"]"#)
    t(list(integer()), list(integer()), split, ["step-drops-values"], "[1]")
    t(
      list(text()), list(text()), #"{"Op": "gather", "Keys": ["l[]", "l[].k"], "Into": "l[]"}"#,
      ["step-value-invalid", "step-without-effect"], #"["a"]"#)
    return cases
  }()

  private static let ofUniqueItems: [Case] = {
    var cases: [Case] = []
    func t(_ old: String, _ new: String, _ steps: String, _ codes: [String], _ value: String) {
      add(&cases, old, new, steps, codes, value)
    }
    func unique(_ member: String, _ more: String = "") -> String {
      list(member + ", " + text("x"), #""UniqueBy": "k""# + more)
    }
    let one = #"[{"k": "b"}, {}]"#
    let none = #"[{"x": "1"}, {"x": "2"}]"#
    let a = text("k", #""Value": "a""#)
    let b = text("k", #""Value": "b""#)
    t(unique(a), unique(b), "", ["narrowed"], one)
    t(unique(text("k")), unique(b), "", ["narrowed"], none)
    t(unique(a), unique(text("k")), "", [], one)
    t(unique(text("k", #""Value": "a", "Required": true"#)), unique(b), "", [], #"[{"k": "b"}, {"k": "a"}]"#)
    t(unique(a, #", "MaxItems": 1"#), unique(b, #", "MaxItems": 1"#), "", [], #"[{"k": "b"}]"#)
    // No item has the new default.
    t(unique(text("k", #""Value": "a", "MaxLength": 1"#)), unique(text("k", #""Value": "bb""#)), "", [], one)
    t(list(text("x")), unique(b), "", ["narrowed"], none)
    t(list(text("x")), unique(text("k")), "", [], none)
    t(
      list(list(a, #""UniqueBy": "k""#, key: "m")), list(list(b, #""UniqueBy": "k""#, key: "m")), "", ["narrowed"],
      #"[{"m": [{"k": "b"}, {}]}]"#)
    // Steps.
    let toText = step("convert", "l[].k", #""Type": "string""#)
    let number = integer("k", #""Value": 1"#)
    t(unique(number), unique(text("k", #""Value": "1""#)), toText, [], #"[{"k": 2}, {}]"#)
    t(unique(number), unique(text("k", #""Value": "2""#)), toText, ["narrowed"], #"[{"k": 2}, {}]"#)
    let toInteger = step("convert", "l[].k", #""Type": "integer", "Map": {"a": 1, "b": 1}, "Invalid": "remove""#)
    t(
      unique(text("k")), unique(integer("k")), toInteger, ["narrowed", "step-drops-values"],
      #"[{"k": "a"}, {"k": "b"}]"#)
    let byDefault = step("convert", "l[].k", #""Type": "integer", "Invalid": "default""#)
    let texts = #"[{"k": "a"}, {"k": "b"}]"#
    t(
      unique(text("k")), unique(integer("k")), byDefault, ["narrowed", "step-drops-values"],
      #"[{"k": "1"}, {"k": "01"}]"#)
    t(unique(text("k")), unique(number), byDefault, ["narrowed", "step-drops-values"], texts)
    let options = setting("ComboBox", "k", #""Options": [{"Title": "T", "Value": "a"}, {"Title": "T", "Value": "b"}]"#)
    t(unique(options), unique(number), byDefault, ["narrowed", "step-drops-values"], texts)
    t(unique(options), unique(integer("k")), byDefault, ["step-drops-values"], texts)
    let set = step("set", "l[].k", #""Value": "b", "When": "absent""#)
    t(unique(text("k")), unique(text("k")), set, ["narrowed"], none)
    t(unique(b), unique(text("k")), set, [], #"[{"k": "a"}, {}]"#)
    t(
      unique(text("k")), unique(text("k")), step("set", "l[].k", #""Value": "b", "When": {"equals": "a"}"#),
      ["narrowed"], #"[{"k": "a"}, {"k": "b"}]"#)
    let option = #""Options": [{"Title": "T", "Value": 1}, {"Title": "T", "Value": "1"}]"#
    let former = #""Options": [{"Title": "T", "Value": 1}]"#
    t(
      unique(setting("ComboBox", "k", option)), unique(setting("ComboBox", "k", former)), "", ["narrowed"],
      #"[{"k": 1}, {"k": "1"}]"#)
    return cases
  }()

  private static func findings(_ change: Case) throws -> [Value] {
    let outcome = Store.compareSchemas(schema(1, change.old), schema(2, change.new, change.steps))
    if let error = outcome.error { throw error }
    return outcome.report["findings"]?.items ?? []
  }

  /// Whether an upgrade loses the value, or fails.
  private static func harms(_ change: Case) throws -> Bool {
    let temporary = TemporaryStore()
    let store = try temporary.open(schema: String(decoding: schema(1, change.old), as: UTF8.self))
    try store.set("l", to: .of(change.value), in: .user)
    let outcome = store.applySchema(schema(2, change.new, change.steps))
    return outcome.error != nil || outcome.report["rejected"]?.items.isEmpty == false
  }

  @Test(arguments: ofChoices + ofPlainItems + ofUniqueItems)
  func whatIsFoundIsWhatAnUpgradeDoes(_ change: Case) throws {
    let findings = try Self.findings(change)
    #expect(findings.compactMap { $0.text("code") }.sorted() == change.codes, "\(change) \(findings)")
    let foretells = findings.contains { $0.text("severity") == "error" || $0.text("code") == "step-may-fail" }
    #expect(try Self.harms(change) == foretells, "\(change)")
    for finding in findings { #expect(finding["line"] != nil && finding.text("pointer") != "", "\(finding)") }
  }

  @Test func whatIsFoundNamesTheItems() throws {
    func messages(_ old: String, _ new: String, _ steps: String = "") throws -> [String] {
      try Self.findings(Case(old: old, new: new, steps: steps, codes: [], value: "")).compactMap { $0.text("message") }
    }
    let ab = Self.choices(#""a""#, #""b""#)
    #expect(try messages(ab, Self.choices(#""a""#)) == [#"`l[]`: Options no longer has "b""#])
    #expect(
      try messages(Self.list(Self.text(), #""MaxItems": 2"#), ab) == [
        "`l[]` is of type choice, and its values are of type string: those that are none of its options are set aside",
        "`l` holds no option twice: lists in which two items are the same are set aside",
      ])
    let set = Self.step("set", "l[].k", #""Value": 1"#)
    #expect(try messages(ab, ab, set) == ["the items of `l` are plain values: the step finds nothing"])
    #expect(
      try messages(Self.list(Self.text("m")), ab, Self.step("convert", "l[].k[]", #""Type": "url""#)).last
        == "there is no `l[].k` where the steps have come to: the step finds nothing")
  }
}

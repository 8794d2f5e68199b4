import Livery
import Testing

/// What comparing two versions of a schema finds.
@Suite struct ComparisonTests {
  private static func schema(_ version: Int, _ settings: String, _ steps: String = "", root: String = "") -> [UInt8] {
    let migrations = steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps)]}]"
    return Array(
      "{\"Version\": \(version)\(root), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]\(migrations)}"
        .utf8)
  }

  private static func report(_ old: String, _ new: String, _ steps: String = "") throws -> Value {
    let outcome = Store.compareSchemas(schema(1, old), schema(2, new, steps))
    if let error = outcome.error { throw error }
    return outcome.report
  }

  private static func codes(_ report: Value, _ severity: String? = nil) -> [String] {
    report["findings"]?.items.filter { severity == nil || $0.text("severity") == severity }
      .compactMap { $0.text("code") } ?? []
  }

  private static func setting(_ key: String, _ type: String, _ more: String = "") -> String {
    "{\"Type\": \"\(type)\", \"Title\": \"\(key) of it\", \"Key\": \"\(key)\"\(more.isEmpty ? "" : ", " + more)}"
  }

  private static func options(_ values: String...) -> String {
    "\"Options\": [" + values.map { "{\"Title\": \"T\", \"Value\": \($0)}" }.joined(separator: ", ") + "]"
  }

  private static func list(_ template: String, _ more: String = "") -> String {
    setting("list", "List", "\"ItemTemplate\": [\(template)]" + (more.isEmpty ? "" : ", " + more))
  }

  private static let text = setting("a", "TextField")
  private static let number = setting("a", "Number", #""Format": "integer", "Minimum": 0, "Maximum": 100"#)

  struct Case: Sendable {
    let old, new, steps: String
    let errors: [String]
  }

  /// Old and new settings, steps, and the errors that are to be found.
  private static let cases: [Case] = {
    var cases: [Case] = []
    func t(_ old: String, _ new: String, _ steps: String, _ errors: [String]) {
      cases.append(Case(old: old, new: new, steps: steps, errors: errors))
    }

    // Gone, and renamed.
    t(text, "", "", ["removed-key"])
    t(text, "", #"{"Op": "remove", "Key": "a"}"#, [])
    t(text, setting("b", "TextField"), #"{"Op": "rename", "From": "a", "Into": "b"}"#, [])
    t(text, setting("b", "TextField"), #"{"Op": "rename", "From": "a", "Into": "c"}"#, ["undeclared-target"])
    t(text, setting("b", "TextField", #""Aliases": ["a"]"#), "", ["missing-rename"])
    t(text + "," + setting("b", "TextField"), text, #"{"Op": "rename", "From": "b", "Into": "a"}"#, ["target-taken"])
    // Types.
    t(text, number, "", ["type-changed"])
    t(text, setting("a", "Number", #""Format": "integer""#), #"{"Op": "convert", "Key": "a", "Type": "integer"}"#, [])
    t(number, setting("a", "Number"), "", [])
    t(setting("a", "Number", #""Format": "integer""#), setting("a", "Number"), "", ["type-changed"])
    t(setting("a", "URL"), text, "", [])
    t(text, setting("a", "URL"), "", ["type-changed"])
    t(setting("a", "ToggleSwitch"), text, "", ["type-changed"])
    t(setting("a", "ToggleSwitch"), text, #"{"Op": "convert", "Key": "a", "Type": "string"}"#, [])
    // Bounds.
    t(
      number, setting("a", "Number", #""Format": "integer", "Minimum": 1, "Maximum": 99"#), "",
      ["narrowed", "narrowed"])
    t(
      number, setting("a", "Number", #""Format": "integer", "Minimum": 0, "Maximum": 100, "Step": 5"#), "", ["narrowed"]
    )
    t(number, setting("a", "Number", #""Format": "integer", "Minimum": -1, "Maximum": 101"#), "", [])
    t(
      number, setting("a", "Number", #""Format": "integer", "Minimum": 0, "Maximum": 6000, "Step": 60"#),
      #"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 60}"#, []
    )
    t(
      number, setting("a", "Number", #""Format": "integer", "Maximum": 5999"#),
      #"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 60}"#, ["narrowed"]
    )
    t(text, setting("a", "TextField", #""MinLength": 1, "MaxLength": 9"#), "", ["narrowed", "narrowed"])
    t(text, setting("a", "TextField", #""Pattern": "^x""#), "", ["narrowed"])
    t(text, setting("a", "TextField", #""Required": true"#), "", ["narrowed"])
    t(setting("a", "TextField", #""MinLength": 1"#), setting("a", "TextField", #""Required": true"#), "", [])
    t(setting("a", "Date"), setting("a", "Date", #""Minimum": "2020-01-01T00:00:00Z""#), "", ["narrowed"])
    t(setting("a", "Data"), setting("a", "Data", #""MaxLength": 8"#), "", ["narrowed"])
    // Options.
    t(setting("a", "ComboBox", options("1", "2")), setting("a", "ComboBox", options("1")), "", ["removed-options"])
    t(setting("a", "ComboBox", options("1")), setting("a", "ComboBox", options("1", "2")), "", [])
    t(
      setting("a", "ComboBox", options("1", "2")), setting("a", "ComboBox", options("1", "3")),
      #"{"Op": "convert", "Key": "a", "Type": "integer", "Map": {"2": 3}}"#, []
    )
    t(
      setting("a", "ComboBox", options("1", "2") + #", "Class": ["Multiple"]"#),
      setting("a", "ComboBox", options("1") + #", "Class": ["Multiple"]"#), "", ["removed-options"]
    )
    t(
      setting("a", "ToggleSwitch"), setting("a", "ComboBox", options(#""on""#, #""off""#)),
      #"{"Op": "convert", "Key": "a", "Type": "string", "Map": {"true": "on", "false": "off"}}"#, []
    )
    // Lists.
    t(list(text), list(setting("b", "TextField")), "", ["removed-member"])
    t(list(text), list(setting("b", "TextField")), #"{"Op": "rename", "From": "list[].a", "Into": "list[].b"}"#, [])
    t(list(text), list(number), "", ["type-changed"])
    t(
      list(text), list(number), #"{"Op": "convert", "Key": "list[].a", "Type": "integer", "Invalid": "default"}"#,
      ["narrowed", "narrowed"])
    t(list(text), list(text + "," + setting("b", "TextField", #""Required": true"#)), "", ["narrowed"])
    t(
      list(text), list(text + "," + setting("b", "TextField", #""Required": true"#)),
      #"{"Op": "set", "Key": "list[].b", "Value": "x", "When": "absent"}"#, []
    )
    t(list(text), list(text, #""UniqueBy": "a""#), "", ["narrowed"])
    t(list(text), list(text, #""MaxItems": 3"#), "", ["narrowed"])
    t(list(text, #""UniqueBy": "a""#), list(text, #""UniqueBy": "a""#), "", [])
    // Several.
    t(
      text, setting("b", "TextField") + "," + setting("c", "TextField"),
      #"{"Op": "split", "Key": "a", "By": ":", "Into": ["b", "c"]}"#, []
    )
    t(
      setting("b", "TextField") + "," + setting("c", "TextField"), text,
      #"{"Op": "gather", "Keys": ["b", "c"], "Into": "a"}"#, ["type-changed"]
    )
    t(
      setting("b", "TextField") + "," + setting("c", "TextField"),
      setting("d", "TextField") + "," + setting("c", "TextField"),
      #"{"Op": "gather", "Keys": ["b", "c"], "Into": "o"}, {"Op": "spread", "Key": "o", "Into": {"b": "d", "c": "c"}}"#,
      []
    )
    t(text, number, #"{"Op": "set", "Key": "a", "Value": 101}"#, ["step-value-invalid"])
    // A function may see to it.
    t(text, "", #"{"Op": "call", "Name": "f"}"#, [])
    return cases
  }()

  @Test func aHintNamesNoStepThatWouldNotHelp() throws {
    func hints(_ old: String, _ new: String) throws -> [String] {
      try Self.report(old, new)["findings"]?.items.compactMap { $0.text("hint") } ?? []
    }
    let several = Self.setting("a", "ComboBox", Self.options("1", "2") + #", "Class": ["Multiple"]"#)
    let one = Self.setting("a", "ComboBox", Self.options("1", "2"))
    #expect(try hints(Self.text, Self.setting("a", "ComboBox", Self.options(#""x""#))) == [])
    #expect(try hints(several, one) == [] && hints(several, Self.text) == [])
    #expect(try hints(Self.setting("a", "List", "\"ItemTemplate\": [\(Self.text)]"), Self.text) == [])
    let found = try hints(Self.text, one)
    #expect(found == [#"add {"Op": "convert", "Key": "a", "Type": "integer"} to the steps to version 2"#])
  }

  @Test(arguments: cases)
  func everyChangeThatLosesAValueIsAnError(_ change: Case) throws {
    let report = try Self.report(change.old, change.new, change.steps)
    #expect(Self.codes(report, "error").sorted() == change.errors.sorted(), "\(change) \(report.json())")
  }

  @Test func aKeyThatIsGoneIsToldAtItsPlaceInTheOldSchemaWithWhatItResembles() throws {
    let report = try Self.report(Self.setting("idleTime", "TextField"), Self.setting("idle_time", "TextField"))
    let finding = try #require(report["findings"]?.items.first)
    #expect(finding.text("document") == "old")
    #expect(finding.text("pointer") == "/Groups/0/Settings/0/Key")
    #expect(finding["line"] == .int(1) && finding["column"] != nil)
    #expect(finding.text("setting") == "idleTime")
    #expect(finding.text("hint")?.contains("did you mean to rename it to `idle_time`?") == true)
  }

  @Test func aKeyThatIsGoneIsFoundByItsTitleWhereTheKeysAreUnlike() throws {
    let old = #"{"Type": "TextField", "Title": "Idle time", "Key": "mmasm_x"}"#
    let new = #"{"Type": "TextField", "Title": "Idle time", "Key": "idleSeconds"}"#
    #expect(try Self.report(old, new)["findings"]?.items.first?.text("hint")?.contains("`idleSeconds`") == true)
  }

  @Test func aVersionThatIsNotRaisedIsAnError() {
    let same = Store.compareSchemas(Self.schema(1, Self.text), Self.schema(1, Self.text)).report
    #expect(Self.codes(same) == [])
    let drift = Store.compareSchemas(
      Self.schema(1, Self.text), Self.schema(1, Self.text + "," + Self.setting("b", "URL")))
    #expect(Self.codes(drift.report, "error") == ["version-not-raised"])
    let lower = Store.compareSchemas(Self.schema(2, Self.text), Self.schema(1, Self.text))
    #expect(Self.codes(lower.report, "error") == ["version-lowered"])
  }

  @Test func aChainOfMigrationsThatSkipsOrStopsShortIsAWarning() {
    func report(_ old: Int, _ new: Int, _ migrations: String) -> [String] {
      let document = Self.schema(new, Self.text, root: ", \"Migrations\": [\(migrations)]")
      return Self.codes(Store.compareSchemas(Self.schema(old, Self.text), document).report)
    }
    let step = #"{"Op": "remove", "Key": "zz"}"#
    #expect(report(1, 3, #"{"To": 2, "Steps": []}, {"To": 3, "Steps": []}"#) == [])
    #expect(report(1, 3, #"{"To": 3, "Steps": []}"#) == ["migrations-skip"])
    #expect(report(1, 3, #"{"To": 2, "Steps": []}"#) == ["migrations-stop-short"])
    #expect(report(2, 3, #"{"To": 2, "Steps": [\#(step)]}, {"To": 3, "Steps": []}"#) == ["past-steps-changed"])
    #expect(report(1, 2, #"{"To": 2, "Steps": [\#(step)]}"#) == ["step-without-effect"])
  }

  @Test func whatAStepDropsIsAWarning() throws {
    func warnings(_ steps: String, _ new: String) throws -> [String] {
      Self.codes(try Self.report(Self.text, new, steps), "warning")
    }
    let number = Self.setting("a", "Number")
    #expect(try warnings(#"{"Op": "remove", "Key": "a"}"#, "") == ["removed-by-step"])
    #expect(try warnings(#"{"Op": "convert", "Key": "a", "Type": "number"}"#, number) == ["step-may-fail"])
    #expect(
      try warnings(#"{"Op": "convert", "Key": "a", "Type": "number", "Invalid": "remove"}"#, number)
        == ["step-drops-values"])
    #expect(try warnings(#"{"Op": "set", "Key": "a", "Value": "x"}"#, Self.text) == ["overwritten-by-step"])
  }

  @Test func inTheSamplesOnlyWhatNoStepConvertsOrBoundsIsFound() throws {
    func errors(_ old: Int, _ new: Int) throws -> [String] {
      let outcome = Store.compareSchemas(
        try fixture("asm/SettingsSchema.v\(old).json"), try fixture("asm/SettingsSchema.v\(new).json"))
      #expect(outcome.error == nil)
      return outcome.report["findings"]?.items.filter { $0.text("severity") == "error" }.map {
        "\($0.text("code") ?? "") \($0.text("setting") ?? "") \($0.text("pointer")?.split(separator: "/").last ?? "")"
      } ?? []
    }
    #expect(try errors(1, 2) == [])
    let found = [
      "type-changed mediaUrl Type", "narrowed screensaverPlaylist Minimum", "narrowed screensaverPlaylist Maximum",
    ]
    #expect(try errors(2, 3).sorted() == found.sorted())
    #expect(try errors(1, 3).sorted() == found.sorted())
  }

  @Test func aBrokenSchemaIsTold() {
    let sound = Self.schema(1, Self.text)
    #expect(Store.compareSchemas(Array("{".utf8), sound).error?.code == .parse)
    let broken = Store.compareSchemas(sound, Self.schema(2, Self.setting("a", "Nonsense"))).error
    #expect(broken?.code == .schemaInvalid)
    #expect(broken?.message.contains("the new schema") == true)
  }

  @Test func whatWillLastNoLongerIsAWarning() throws {
    let lasting = Self.setting("a", "TextField", #""Survives": ["logout"]"#)
    let volatile = Self.setting("a", "TextField", #""Volatile": true"#)
    #expect(Self.codes(try Self.report(lasting, volatile)) == ["no-longer-survives", "now-volatile"])
    #expect(Self.codes(try Self.report(lasting, volatile), "error") == [])
    #expect(Self.codes(try Self.report(volatile, lasting)) == [])
    #expect(Self.codes(try Self.report(volatile, volatile)) == [])
  }
}

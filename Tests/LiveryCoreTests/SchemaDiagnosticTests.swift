import LiveryCore
import Testing

/// A bad schema and what is to be said about it: "severity code pointer line:column", in order.
struct BadSchema: CustomTestStringConvertible, Sendable {
  var text: String
  var expected: [String]

  var testDescription: String { text }

  /// A whole document.
  init(document: String, _ expected: String...) {
    text = document
    self.expected = expected
  }

  /// A schema with one step of a migration on line 2; `§` in what is expected stands for the pointer to it.
  init(steps: String, _ expected: String...) {
    text = "{\"Version\": 2, \"Groups\": [], \"Migrations\": [{\"To\": 2, \"Steps\": [\n\(steps)\n]}]}"
    self.expected = expected.map { line in
      line.split(separator: "§", omittingEmptySubsequences: false).joined(separator: "/Migrations/0/Steps/0")
    }
  }

  /// A schema with the settings on line 2; `§` in what is expected stands for the pointer to the array.
  init(_ settings: String, _ expected: String...) {
    text = "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [\n\(settings)\n]}]}"
    self.expected = expected.map { line in
      line.split(separator: "§", omittingEmptySubsequences: false).joined(separator: "/Groups/0/Settings")
    }
  }
}

@Suite struct SchemaDiagnosticTests {
  static let documents: [BadSchema] = [
    .init(document: "[]", "error wrong-type  1:1"),
    .init(document: "{}", "error missing-version  1:1", "error missing-member  1:1"),
    .init(document: #"{"Version": 0, "Groups": []}"#, "error invalid-version /Version 1:13"),
    .init(document: #"{"Version": "1", "Groups": []}"#, "error invalid-version /Version 1:13"),
    .init(document: #"{"Version": 1.5, "Groups": []}"#, "error invalid-version /Version 1:13"),
    .init(document: #"{"Version": 1, "Groups": {}}"#, "error wrong-type /Groups 1:26"),
    .init(document: #"{"Version": 1, "Groups": [1]}"#, "error wrong-type /Groups/0 1:27"),
    .init(document: #"{"Version": 1, "Groups": [{}]}"#, "warning missing-title /Groups/0 1:27"),
    .init(
      document: #"{"Version": 1, "Groups": [{"Title": 1, "Description": 2, "Settings": 3}]}"#,
      "error wrong-type /Groups/0/Title 1:37", "error wrong-type /Groups/0/Description 1:55",
      "error wrong-type /Groups/0/Settings 1:70"),
    .init(
      document: #"{"Version": 1, "Groups": [], "Title": 1, "Open": 1, "Sections": 1}"#,
      "error wrong-type /Title 1:39", "error wrong-type /Open 1:50", "warning unknown-member /Sections 1:53"),
    .init(
      document: #"{"Version": 1, "Groups": [{"Title": "G", "a/b~c": 1}]}"#,
      "warning unknown-member /Groups/0/a~1b~0c 1:42"),
  ]

  static let settings: [BadSchema] = [
    .init("1", "error wrong-type §/0 2:1"),
    .init(#"{"Title": "T", "Key": "a"}"#, "error missing-type §/0 2:1"),
    .init(#"{"Type": 1, "Title": "T", "Key": "a"}"#, "error wrong-type §/0/Type 2:10"),
    .init(#"{"Type": "Textfield", "Title": "T", "Key": "a"}"#, "error unknown-type §/0/Type 2:10"),
    .init(#"{"Type": "TextField", "Title": "T"}"#, "error missing-key §/0 2:1"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": 1}"#, "error wrong-type §/0/Key 2:44"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": ""}"#, "error invalid-key §/0/Key 2:44"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": "a\nb"}"#, "error invalid-key §/0/Key 2:44"),
    .init(#"{"Type": "TextField", "Key": "a"}"#, "warning missing-title §/0 2:1"),
    .init(#"{"Type": "TextField", "Title": null, "Key": "a"}"#, "error wrong-type §/0/Title 2:32"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Defualt": "x"}"#, "warning unknown-member §/0/Defualt 2:49"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "Pattern": "x"}"#,
      "warning does-not-apply §/0/Pattern 2:52"),
    .init(#"{"Type": "Header", "Key": "a"}"#, "warning missing-title §/0 2:1", "warning does-not-apply §/0/Key 2:20"),
    .init(
      #"{"Type": "Header", "Title": "T", "Description": 1, "Hidden": 1}"#,
      "error wrong-type §/0/Description 2:49", "error wrong-type §/0/Hidden 2:62"),
    .init(#"{"Type": "Pane", "Title": "T"}"#, "error missing-member §/0 2:1"),
    .init(
      #"{"Type": "Pane", "Title": "T", "Settings": [{"Type": "Color", "Title": "C"}]}"#,
      "error missing-key §/0/Settings/0 2:45"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "UniqueBy": "x", "ItemTemplate": [{"Type": "Color", "#
        + #""Title": "C", "EnabledBy": {"Key": "b", "Equals": 1}}]}"#,
      "warning does-not-apply §/0/UniqueBy 2:44", "warning does-not-apply §/0/ItemTemplate/0/EnabledBy 2:110"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "ItemTemplate": [{"Type": "Color", "Title": "C"}, "#
        + #"{"Type": "Color", "Title": "D", "Key": "d"}]}"#,
      "error missing-key §/0/ItemTemplate/0 2:61"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "Value": [1, "x"], "ItemTemplate": [{"Type": "Number", "Title": "N", "Minimum": 2}]}"#,
      "error default-out-of-range §/0/Value 2:53", "error default-wrong-type §/0/Value 2:53"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Class": "Password"}"#, "error wrong-type §/0/Class 2:58"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Class": ["password", 1]}"#,
      "warning unknown-class §/0/Class/0 2:59", "error wrong-type §/0/Class/1 2:71"),
    .init(
      """
      {"Type": "TextField", "Title": "T", "Key": "é"},
      {"Type": "Pane", "Title": "T", "Settings": [
        {"Type": "Color", "Title": "é", "Key": "é"}]}
      """, "error duplicate-key §/1/Settings/0/Key 4:42"),
    .init(
      """
      {"Type": "Color", "Title": "T", "Key": "a", "Aliases": ["old", "a", 1, ""]},
      {"Type": "Color", "Title": "T", "Key": "old"}
      """,
      "error duplicate-key §/0/Aliases/1 2:64", "error wrong-type §/0/Aliases/2 2:69",
      "error invalid-key §/0/Aliases/3 2:72", "error duplicate-key §/1/Key 3:40"),
    .init(#"{"Type": "Color", "Title": "T", "Key": "a", "Aliases": "b"}"#, "error wrong-type §/0/Aliases 2:56"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Placeholder": 1, "Description": 1, "Unit": 1}"#,
      "error wrong-type §/0/Placeholder 2:64", "error wrong-type §/0/Description 2:82",
      "error wrong-type §/0/Unit 2:93"),
    .init(
      #"{"Type": "URL", "Title": "T", "Key": "a", "Survives": "logout", "Volatile": 1}"#,
      "error wrong-type §/0/Survives 2:55", "error wrong-type §/0/Volatile 2:77"),
    .init(
      #"{"Type": "URL", "Title": "T", "Key": "a", "Survives": ["logout", "Logout", 3]}"#,
      "error unknown-word §/0/Survives/1 2:66", "error wrong-type §/0/Survives/2 2:76"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "ItemTemplate": [{"Type": "URL", "Key": "b", "Volatile": true}]}"#,
      "warning missing-title §/0/ItemTemplate/0 2:61", "warning does-not-apply §/0/ItemTemplate/0/Volatile 2:89"),
    .init(
      #"{"Type": "URL", "Title": "T", "Key": "a", "Required": 1, "ReadOnly": "x", "Hidden": [], "Restart": {}}"#,
      "error wrong-type §/0/Required 2:55", "error wrong-type §/0/ReadOnly 2:70",
      "error wrong-type §/0/Hidden 2:85", "error wrong-type §/0/Restart 2:100"),
    .init(
      #"{"Type": "URL", "Title": "T", "Key": "a", "Since": true, "Deprecated": true}"#,
      "error wrong-type §/0/Since 2:52", "error wrong-type §/0/Deprecated 2:72"),
  ]

  static let constraints: [BadSchema] = [
    .init(#"{"Type": "Number", "Title": "T", "Key": "a", "Format": "int"}"#, "error unknown-format §/0/Format 2:56"),
    .init(#"{"Type": "Number", "Title": "T", "Key": "a", "Format": 1}"#, "error wrong-type §/0/Format 2:56"),
    .init(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Minimum": "1", "Maximum": null, "Step": "2"}"#,
      "error wrong-type §/0/Minimum 2:57", "error wrong-type §/0/Maximum 2:73", "error wrong-type §/0/Step 2:87"),
    .init(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Minimum": 2, "Maximum": 1.5, "Step": 0}"#,
      "error empty-range §/0/Maximum 2:71", "error invalid-step §/0/Step 2:84"),
    .init(
      #"{"Type": "Date", "Title": "T", "Key": "a", "Minimum": "tomorrow", "Maximum": 1}"#,
      "error wrong-type §/0/Minimum 2:55", "error wrong-type §/0/Maximum 2:78"),
    .init(
      #"{"Type": "Date", "Title": "T", "Key": "a", "Minimum": "2026-01-01T00:00:00Z", "#
        + #""Maximum": "2025-01-01T00:00:00Z"}"#,
      "error empty-range §/0/Maximum 2:90"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "MinLength": 3, "MaxLength": 2}"#,
      "error empty-range §/0/MaxLength 2:78"),
    .init(
      #"{"Type": "Data", "Title": "T", "Key": "a", "MinLength": -1, "MaxLength": 1.5}"#,
      "error wrong-type §/0/MinLength 2:57", "error wrong-type §/0/MaxLength 2:74"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Pattern": "(a"}"#, "error invalid-pattern §/0/Pattern 2:60"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": "a", "Pattern": 1}"#, "error wrong-type §/0/Pattern 2:60"),
    .init(#"{"Type": "ComboBox", "Title": "T", "Key": "a"}"#, "error missing-options §/0 2:1"),
    .init(#"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": []}"#, "error missing-options §/0/Options 2:59"),
    .init(#"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": {}}"#, "error wrong-type §/0/Options 2:59"),
    .init(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": ["x", {"Title": "X"}, {"Value": 1}, "#
        + #"{"Title": "1", "Value": 1.0}]}"#,
      "error wrong-type §/0/Options/0 2:60", "error missing-member §/0/Options/1 2:65",
      "warning missing-title §/0/Options/2 2:81", "error duplicate-option §/0/Options/3/Value 2:119"),
    .init(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": [{"Title": 1, "Value": null, "Name": 1}]}"#,
      "error wrong-type §/0/Options/0/Title 2:70", "error wrong-type §/0/Options/0/Value 2:82",
      "warning unknown-member §/0/Options/0/Name 2:88"),
    .init(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Class": ["Single", "Multiple"], "#
        + #""Options": [{"Title": "1", "Value": 1}]}"#,
      "error conflicting-classes §/0/Class 2:57"),
    .init(#"{"Type": "List", "Title": "T", "Key": "a"}"#, "error missing-member §/0 2:1"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "ItemTemplate": [{"Type": "Color", "Title": "C", "#
        + #""Key": "c"}], "UniqueBy": "d", "MaxItems": "1"}"#,
      "error unknown-key §/0/UniqueBy 2:119", "error wrong-type §/0/MaxItems 2:136"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "UniqueBy": 1, "ItemTemplate": [{"Type": "Color", "#
        + #""Title": "C", "Key": "a", "Aliases": ["b"]}, {"Type": "URL", "Title": "C", "Key": "a"}]}"#,
      "error wrong-type §/0/UniqueBy 2:56", "warning does-not-apply §/0/ItemTemplate/0/Aliases 2:120",
      "error duplicate-key §/0/ItemTemplate/1/Key 2:176"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "EnabledBy": {"Key": "b", "Equals": true}}"#,
      "error unknown-key §/0/EnabledBy/Key 2:73"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "EnabledBy": {"Key": "a", "Equals": "maybe"}}"#,
      "error invalid-condition §/0/EnabledBy/Equals 2:88"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "EnabledBy": {"Key": "a", "Equal": true}}"#,
      "error missing-member §/0/EnabledBy 2:65", "warning unknown-member §/0/EnabledBy/Equal 2:78"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "EnabledBy": "b"}"#, "error wrong-type §/0/EnabledBy 2:65"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "EnabledBy": {"Key": "a", "Equals": null}}"#,
      "error invalid-value §/0/EnabledBy/Equals 2:88"),
  ]

  static let defaults: [BadSchema] = [
    .init(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Minimum": 1, "Maximum": 5, "Value": 7}"#,
      "error default-out-of-range §/0/Value 2:83"),
    .init(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Step": 2, "Value": 7}"#,
      "error default-out-of-range §/0/Value 2:66"),
    .init(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Format": "integer", "Value": 1.5}"#,
      "error default-wrong-type §/0/Value 2:76"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": "a", "Value": 7}"#, "error default-wrong-type §/0/Value 2:58"),
    .init(#"{"Type": "TextField", "Title": "T", "Key": "a", "Value": null}"#, "error wrong-type §/0/Value 2:58"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Value": [null]}"#, "error invalid-value §/0/Value 2:58"),
    .init(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "Pattern": "^b", "MinLength": 2, "Value": "a"}"#,
      "error default-out-of-range §/0/Value 2:91", "error default-invalid §/0/Value 2:91"),
    .init(
      #"{"Type": "ToggleSwitch", "Title": "T", "Key": "a", "Value": ""}"#, "error default-wrong-type §/0/Value 2:61"),
    .init(#"{"Type": "Color", "Title": "T", "Key": "a", "Value": "red"}"#, "error default-wrong-type §/0/Value 2:54"),
    .init(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": [{"Title": "1", "Value": "1"}], "Value": "2"}"#,
      "error default-not-an-option §/0/Value 2:100"),
    .init(
      #"{"Type": "List", "Title": "T", "Key": "a", "Value": [{"b": 1}], "ItemTemplate": [{"Type": "Color", "#
        + #""Title": "C", "Key": "c"}]}"#,
      "error default-invalid §/0/Value 2:53"),
  ]

  static let migrations: [BadSchema] = [
    .init(document: #"{"Version": 1, "Groups": [], "Migrations": 1}"#, "error wrong-type /Migrations 1:44"),
    .init(
      document: #"{"Version": 1, "Groups": [], "Migrations": [1, {}]}"#,
      "error wrong-type /Migrations/0 1:45", "error missing-member /Migrations/1 1:48",
      "error missing-member /Migrations/1 1:48"),
    .init(
      document: #"{"Version": 1, "Groups": [], "Migrations": [{"To": 0, "Steps": 1, "From": 1}]}"#,
      "error wrong-type /Migrations/0/To 1:52", "error wrong-type /Migrations/0/Steps 1:64",
      "warning unknown-member /Migrations/0/From 1:67"),
    .init(
      document:
        #"{"Version": 1, "Groups": [], "Migrations": [{"To": 1, "Steps": [1, {}, {"Op": 1}, {"Op": "renam"}]}]}"#,
      "error wrong-type /Migrations/0/Steps/0 1:65", "error missing-member /Migrations/0/Steps/1 1:68",
      "error wrong-type /Migrations/0/Steps/2/Op 1:79", "error unknown-operation /Migrations/0/Steps/3/Op 1:90"),
    .init(
      document: #"{"Version": 2, "Groups": [], "Migrations": [{"To": 3, "Steps": []}, {"To": 3, "Steps": []}]}"#,
      "error beyond-version /Migrations/0/To 1:52", "error beyond-version /Migrations/1/To 1:76"),
    .init(
      document: #"{"Version": 3, "Groups": [], "Migrations": [{"To": 3, "Steps": []}, {"To": 2, "Steps": []}]}"#,
      "error wrong-order /Migrations/1/To 1:76"),
    .init(steps: #"{"Op": "rename"}"#, "error missing-member § 2:1", "error missing-member § 2:1"),
    .init(
      steps: #"{"Op": "rename", "From": "a", "To": "b"}"#,
      "error missing-member § 2:1", "warning unknown-member §/To 2:31"),
    .init(steps: #"{"Op": "copy", "From": "a", "Into": "a"}"#, "error same-path § 2:1"),
    .init(steps: #"{"Op": "rename", "From": "a[].b", "Into": "b"}"#, "error different-lists § 2:1"),
    .init(steps: #"{"Op": "remove", "Key": "a[]."}"#, "error invalid-path §/Key 2:25"),
    .init(steps: #"{"Op": "remove", "Key": ""}"#, "error invalid-path §/Key 2:25"),
    .init(steps: #"{"Op": "remove", "Key": "a[]b"}"#, "error invalid-path §/Key 2:25"),
    .init(steps: #"{"Op": "remove", "Key": "[].b"}"#, "error invalid-path §/Key 2:25"),
    .init(steps: #"{"Op": "remove", "Key": 1}"#, "error wrong-type §/Key 2:25"),
    .init(steps: #"{"Op": "convert", "Key": "a"}"#, "error missing-member § 2:1"),
    .init(steps: #"{"Op": "convert", "Key": "a", "Type": "integr"}"#, "error unknown-type §/Type 2:39"),
    .init(steps: #"{"Op": "convert", "Key": "a", "Type": "list"}"#, "error unknown-type §/Type 2:39"),
    .init(
      steps: #"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": "x", "Invalid": "drop", "Map": []}"#,
      "error wrong-type §/Scale 2:59", "error invalid-value §/Invalid 2:75", "error wrong-type §/Map 2:90"),
    .init(
      steps: #"{"Op": "convert", "Key": "a", "Type": "integer", "Scale": 0, "Map": {"x": "y"}}"#,
      "error invalid-value §/Scale 2:59", "error invalid-value §/Map/x 2:75"),
    .init(
      steps: #"{"Op": "convert", "Key": "a", "Type": "string", "Scale": 2}"#,
      "error conflicting-members §/Scale 2:58"),
    .init(steps: #"{"Op": "set", "Key": "a"}"#, "error missing-member § 2:1"),
    .init(
      steps: #"{"Op": "set", "Key": "a", "Value": null, "When": "present"}"#,
      "error invalid-value §/Value 2:36", "error wrong-type §/When 2:50"),
    .init(
      steps: #"{"Op": "split", "Key": "a", "By": "", "Into": []}"#,
      "error invalid-value §/By 2:35", "error missing-member §/Into 2:47"),
    .init(steps: #"{"Op": "split", "Key": "a", "By": ",", "Into": ["b", "b"]}"#, "error same-path § 2:1"),
    .init(
      steps: #"{"Op": "join", "Keys": ["a", 1], "Into": "b"}"#,
      "error missing-member § 2:1", "error wrong-type §/Keys/1 2:30"),
    .init(steps: #"{"Op": "gather", "Keys": "a", "Into": "b"}"#, "error wrong-type §/Keys 2:26"),
    .init(steps: #"{"Op": "spread", "Key": "a", "Into": ["b"]}"#, "error wrong-type §/Into 2:38"),
    .init(steps: #"{"Op": "spread", "Key": "a", "Into": {"x": "l[].b"}}"#, "error different-lists § 2:1"),
    .init(steps: #"{"Op": "call"}"#, "error missing-member § 2:1"),
    .init(steps: #"{"Op": "call", "Name": ""}"#, "error invalid-key §/Name 2:24"),
  ]

  @Test(arguments: documents + settings + constraints + defaults + migrations)
  func everyMistakeIsReportedWithCodeAndPlace(bad: BadSchema) throws {
    let compilation = try compileSchema(bad.text.bytes)
    let found = compilation.diagnostics.map {
      "\($0.severity) \($0.code) \($0.pointer) \($0.location?.line ?? 0):\($0.location?.column ?? 0)"
    }
    #expect(found == bad.expected)
    #expect((compilation.schema == nil) == bad.expected.contains { $0.hasPrefix("error") })
  }

  private func diagnostics(_ settings: String) throws -> [Diagnostic] {
    try compileSchema(schemaText(settings)).diagnostics
  }

  @Test(arguments: [
    (#""Defualt": 1"#, "Value"), (#""Label": 1"#, "Title"), (#""name": 1"#, "Key"),
    (#""placeholder": 1"#, "Placeholder"),
    (#""Patern": 1"#, "Pattern"), (#""Min": 1"#, "MinLength"), (#""REGEX": 1"#, "Pattern"),
  ])
  func hintsNameWhatWasMeant(member: String, meant: String) throws {
    let found = try diagnostics(#"{"Type": "TextField", "Title": "T", "Key": "a", \#(member)}"#)
    #expect(found.count == 1)
    #expect(found.first?.hint == "did you mean `\(meant)`?")
    #expect(found.first?.setting == "a")
  }

  @Test func anUnknownMemberNearNothingHasNoHint() throws {
    #expect(try diagnostics(#"{"Type": "Header", "Title": "T", "qqqqqqqq": 1}"#).first?.hint == nil)
  }

  @Test(arguments: [("Textfield", "TextField"), ("Toggle", "ToggleSwitch"), ("Dropdown", "ComboBox"), ("url", "URL")])
  func hintsNameTheTypeThatWasMeant(type: String, meant: String) throws {
    let found = try diagnostics(#"{"Type": "\#(type)", "Title": "T", "Key": "a"}"#)
    #expect(found.first?.hint == "did you mean `\(meant)`?")
  }

  @Test func duplicateKeysNameBothPlaces() throws {
    let found = try diagnostics(
      #"{"Type": "Color", "Title": "T", "Key": "a"}, {"Type": "Color", "Title": "T", "Key": "a"}"#)
    #expect(
      found.first?.message == "`a` is declared twice, first at /Groups/0/Settings/0/Key (line 1, column 94)")
    #expect(found.first?.location == .init(line: 1, column: 139))
  }

  @Test func defaultsOfSecretsAreMasked() throws {
    let found = try diagnostics(
      #"{"Type": "TextField", "Class": ["Password"], "Title": "T", "Key": "a", "MaxLength": 3, "Value": "hunter2"}"#)
    #expect(found.first?.code == "default-out-of-range")
    #expect(found.allSatisfy { !$0.message.contains("hunter2") })
  }

  @Test func aKeyThatDiffersOnlyInNormalizationIsAnother() throws {
    let found = try diagnostics(
      #"{"Type": "Color", "Title": "T", "Key": "\u00e9"}, {"Type": "Color", "Title": "T", "Key": "e\u0301"}"#)
    #expect(found.isEmpty)
  }

  @Test func panesNestNoDeeperThan32() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"Type": "Pane", "Title": "P", "Settings": ["#, count: depth)
        + #"{"Type": "Color", "Title": "T", "Key": "a"}"# + String(repeating: "]}", count: depth)
    }
    #expect(try diagnostics(nested(32)).isEmpty)
    #expect(try diagnostics(nested(33)).map { $0.code } == ["too-deep"])
    #expect(try diagnostics(nested(60)).map { $0.code } == ["too-deep"])
    let list = #"{"Type": "List", "Title": "L", "Key": "l", "ItemTemplate": ["#
    let lists = String(repeating: list, count: 33) + String(repeating: "]}", count: 33)
    #expect(try diagnostics(lists).map { $0.code } == ["too-deep"])
  }

  @Test func reportsStopAtAThousandAndCountTheRest() throws {
    let warnings = [String](repeating: #"{"Type": "Header"}"#, count: 1_500)
    let many = try diagnostics(warnings.joined(separator: ","))
    #expect(many.count == 1_001)
    #expect(many.last?.message == "and 500 more")
    #expect(many.last?.severity == .warning)
    // An error is never lost among warnings.
    let mixed = try diagnostics((warnings + [#"{"Type": "Color", "Title": "T"}"#]).joined(separator: ","))
    #expect(mixed.count == 1_001)
    #expect(mixed[999].code == "missing-key")
    #expect(mixed.last?.message == "and 501 more")
    #expect(mixed.last?.severity == .error)
    let errors = [String](repeating: "0", count: 1_200).joined(separator: ",")
    #expect(try diagnostics(errors).last?.message == "and 200 more")
  }

  @Test func diagnosticsAreValuesForReports() throws {
    let value = try #require(try diagnostics(#"{"Type": "Color", "Title": "T", "Key": "a", "Hiden": true}"#).first)
      .value
    #expect(
      value
        == .object([
          .init("severity", .string("warning")), .init("code", .string("unknown-member")),
          .init("message", .string("`Hiden` is not a member of a Color")),
          .init("pointer", .string("/Groups/0/Settings/0/Hiden")), .init("line", .int(1)), .init("column", .int(99)),
          .init("hint", .string("did you mean `Hidden`?")), .init("setting", .string("a")),
        ]))
    let bare = Diagnostic(severity: .error, code: "c", message: "m", pointer: "")
    #expect(bare.value.count == 4)
  }

  @Test func brokenJSONIsAParseErrorWithItsPlace() {
    let error = #expect(throws: StoreError.self) { try compileSchema("{\"Version\": 1,\n  \"Groups\": [}".bytes) }
    #expect(error?.code == .parse)
    #expect(error?.location?.line == 2)
  }
}

import Testing

@testable import LiveryCore

/// `Texts` of a schema: what is checked, and in which order languages are asked.
@Suite struct SchemaTextsTests {
  /// A schema with texts on line 2, whose one setting is on line 1.
  private static func schema(_ texts: String) -> String {
    #"{"Version": 1, "Title": "Kiosk", "Groups": [{"Title": "Shown", "Settings": [{"Type": "ComboBox", "Title": "Ratio", "#
      + #""Key": "r", "Unit": "px", "Options": [{"Title": "16:9", "Value": 1}, {"Title": "Auto", "Value": 2}]}]}], "Texts":"#
      + "\n" + texts + "}"
  }

  private static let all = #""Kiosk": "Stand", "Shown": "Angezeigt", "Ratio": "Format", "Auto": "Automatisch""#

  private static let cases: [(texts: String, expected: [String])] = [
    ("{}", []),
    (#"{"de": {\#(all)}}"#, []),
    // What is missing is told where it is in the schema: not units, nor what has no letters.
    (
      #"{"de": {"Kiosk": "Stand", "Shown": "Angezeigt", "Ratio": "Format"}}"#,
      ["warning missing-text /Groups/0/Settings/0/Options/1/Title 1:195"]
    ),
    // A region has what it lacks from its language.
    (#"{"de": {\#(all)}, "de-AT": {"Auto": "Selbst"}}"#, []),
    (
      #"{"de-AT": {\#(all)}, "de": {"Kiosk": "Stand", "Shown": "Angezeigt", "Auto": "Automatisch"}}"#,
      ["warning missing-text /Groups/0/Settings/0/Title 1:107"]
    ),
    (
      #"{"de": {\#(all), "px": "Punkte", "16:9": "breit", "Old": "Alt"}}"#, ["warning unknown-text /Texts/de/Old 2:124"]
    ),
    ("[]", ["error wrong-type /Texts 2:1"]),
    (#"{"de": []}"#, ["error wrong-type /Texts/de 2:8"]),
    (#"{"de": {\#(all), "px": 1}}"#, ["error wrong-type /Texts/de/px 2:97"]),
    (#"{"de_AT": {}}"#, ["error invalid-language /Texts/de_AT 2:2"]),
    (#"{"deutschland": {}}"#, ["error invalid-language /Texts/deutschland 2:2"]),
    (#"{"de": {\#(all)}, "DE": {}}"#, ["error duplicate-language /Texts/DE 2:92"]),
  ]

  @Test(arguments: cases.indices) func whatIsWrongIsToldWithItsPlace(_ number: Int) throws {
    let (texts, expected) = Self.cases[number]
    let compilation = try compileSchema(Array(Self.schema(texts).utf8))
    let found = compilation.diagnostics.map { diagnostic in
      "\(diagnostic.severity) \(diagnostic.code) \(diagnostic.pointer) "
        + "\(diagnostic.location?.line ?? 0):\(diagnostic.location?.column ?? 0)"
    }
    #expect(found == expected)
    #expect((compilation.schema == nil) == expected.contains { $0.hasPrefix("error") })
  }

  @Test func hintsSayWhatIsMeant() throws {
    let texts = #"{"de_AT": {}, "de": {\#(Self.all), "Shwon": "x"}}"#
    let diagnostics = try compileSchema(Array(Self.schema(texts).utf8)).diagnostics
    #expect(diagnostics.map { $0.hint } == ["write it with hyphens alone, as `de-AT`", "did you mean `Shown`?"])
  }

  @Test func otherTextsAreAnotherSchema() throws {
    let one = try compileSchema(Array(Self.schema("{\"de\": {\(Self.all)}}").utf8)).schema
    let other = try compileSchema(Array(Self.schema("{\"de\": {\(Self.all), \"px\": \"P\"}}").utf8)).schema
    #expect(one?.digest != other?.digest)
  }

  @Test(arguments: [
    ("de", ["de"]), ("DE-at", ["de-at", "de"]), ("zh-Hant-TW", ["zh-hant-tw", "zh-hant", "zh"]),
    ("de_AT.UTF-8", ["de-at", "de"]), ("sr_RS@latin", ["sr-rs", "sr"]),
    // What follows a single letter goes with it (RFC 4647 §3.4).
    (
      "zh-Hant-CN-x-private1-private2",
      ["zh-hant-cn-x-private1-private2", "zh-hant-cn-x-private1", "zh-hant-cn", "zh-hant", "zh"]
    ),
    ("x-home", ["x-home"]), ("i-klingon", ["i-klingon"]), ("C", ["und"]), ("C.UTF-8", ["und"]),
  ]) func languagesAreAskedInOrder(_ locale: String, _ expected: [String]) {
    #expect(LanguageTag(locale: locale)?.fallbacks == expected)
  }

  @Test(arguments: ["", "-", "d", "de-", "d3", "de--at", "de at", "deutschland", "ü", "x", "a-b", "1-a"])
  func whatIsNoTagIsRefused(_ text: String) {
    #expect(LanguageTag(locale: text) == nil)
  }

  // MARK: Many languages

  /// A schema of as many titles as asked for, in languages that have none of them.
  private static func schema(titles: Int, languages: Int) -> [UInt8] {
    let settings = (0..<titles).map { #"{"Type": "TextField", "Title": "Title \#($0)", "Key": "k\#($0)"}"# }
    let texts = (0..<languages).map { "\"x-\(String($0, radix: 36))\": {}" }
    let text =
      #"{"Version": 1, "Groups": [{"Title": "G", "Settings": ["# + settings.joined(separator: ",") + #"]}], "Texts": {"#
    return Array((text + texts.joined(separator: ",\n") + "}}").utf8)
  }

  @Test func moreLanguagesThanPeopleSpeakAreRefused() throws {
    let most = try compileSchema(Self.schema(titles: 1, languages: 256))
    #expect(most.schema?.texts.names.count == 256)
    let compilation = try compileSchema(Self.schema(titles: 1, languages: 257))
    let error = compilation.diagnostics.first { $0.severity == .error }
    #expect(compilation.schema == nil && error?.code == "too-many-languages" && error?.pointer == "/Texts/x-74")
    #expect(error?.location?.line == 257)
  }

  @Test func whatManyLanguagesLackIsToldSoon() throws {
    let clock = ContinuousClock()
    let took = try clock.measure {
      let compilation = try compileSchema(Self.schema(titles: 20_000, languages: 256))
      #expect(compilation.schema != nil && compilation.diagnostics.count == 1001)
      #expect(compilation.diagnostics.last?.message.hasPrefix("and at least ") == true)
    }
    let few = try clock.measure { _ = try compileSchema(Self.schema(titles: 20_000, languages: 1)) }
    #expect(took < few * 3 + .seconds(1))
  }
}

import LiveryCore
import Testing

@Suite struct SchemaPatternTests {
  private func descriptor(_ pattern: String) -> SettingDescriptor {
    var descriptor = SettingDescriptor(key: "a", kind: .string)
    descriptor.pattern = pattern
    return descriptor
  }

  /// What compiling a schema says of a pattern; nil if nothing.
  private func refusal(_ pattern: String) throws -> String? {
    let text = Value.string(pattern).json()
    let compilation = try compileSchema(
      schemaText(#"{"Type": "TextField", "Title": "T", "Key": "a", "Pattern": \#(text)}"#))
    return compilation.diagnostics.first?.message
  }

  @Test func aPatternIsSearchedFor() {
    #expect(descriptor("b").validated(.string("abc")).value != nil)
    #expect(descriptor("^b").validated(.string("abc")).constraints == ["Pattern"])
    #expect(descriptor("^$").validated(.string("")).value != nil)
    #expect(descriptor("b").validated(.string("a\0b")).value != nil)
  }

  @Test(arguments: [
    "^[a-z]{1,63}(\\.[a-z]{1,63})*$", "[]a]+", "[^]a]", "[[:alpha:]]+", "[[.-.]]", "[[=a=]]", "a{2,}", "\\(a\\)", "a|b",
    "(ab)+(cd)*", "[0-9]{1,900}", "\\.", "x\\{1", "a)",
  ])
  func ordinaryPatternsCompile(pattern: String) throws {
    #expect(try refusal(pattern) == nil)
  }

  @Test(arguments: [
    ("(a)\\1", "back-reference"), ("a{1001}", "1000 times"), ("((a{30}){30}){30}", "1000 times"),
    ("((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)", "1000 times"), ("a{600}b{600}c{600}d{600}", "costly"),
    ("(abcdefghij){900}", "costly"), ("a{99999999999999999999}", "1000 times"), ("[a", "malformed"),
    ("(a", "malformed"),
    ("a{2,1}", "malformed"), ("\\", "malformed"), ("[[:nope:]]", "malformed"), ("a\0b", "NUL"),
    (String(repeating: "a", count: 257), "256 bytes"),
    (String(repeating: "(", count: 33) + "a" + String(repeating: ")", count: 33), "deeply"),
  ])
  func costlyAndMalformedPatternsAreRefused(pattern: String, reason: String) throws {
    let message = try #require(try refusal(pattern))
    #expect(message.contains(reason))
  }

  @Test(arguments: [
    ("^\\d+$", "`\\d` at character 2", "write `[0-9]`"), ("é\\D", "`\\D` at character 2", "write `[^0-9]`"),
    ("a\\t", "`\\t` at character 2", "the character itself"), ("\\x41", "`\\x` at character 1", "the character itself"),
    ("[\\w-]", "`\\w` at character 2", "`[:alnum:]_`"), ("[^\\s]", "`\\s` at character 3", "`[:space:]`"),
    ("[a\\]b]", "`\\]` at character 3", "write `]` first"), ("[\\.]", "`\\.` at character 2", "plainly"),
    ("[\\é]", "`\\é` at character 2", "plainly"), ("\\p{L}", "`\\p` at character 1", "class"),
    ("\\Ax\\z", "`\\A` at character 1", "write `^`"), ("a+?b", "`+?` at character 2", "leave the `?` out"),
    ("(?:a)", "`(?` at character 1", "groups"), ("a{2}?", "`}?` at character 4", "leave the `?` out"),
  ])
  func whatOtherDialectsMeanIsRefusedWithPlaceAndForm(pattern: String, place: String, form: String) throws {
    let message = try #require(try refusal(pattern))
    #expect(message.contains(place) && message.contains(form), "\(message)")
    #expect(descriptor(pattern).validated(.string("1")).constraints == ["Pattern"])
  }

  @Test func escapesThatTheLibraryKnowsStay() throws {
    for (pattern, text) in [
      ("^\\w+$", "a_1"), ("^\\W\\S$", "-a"), ("\\bx\\b", "a x"), ("^[\\\\a]+$", "\\a"), ("^[]\\\\]$", "]"),
    ] {
      #expect(try refusal(pattern) == nil, "\(pattern)")
      #expect(descriptor(pattern).validated(.string(text)).value != nil, "\(pattern)")
    }
  }

  @Test func aPatternThatCannotBeUsedRefusesEveryText() {
    #expect(descriptor("(").validated(.string("a")).constraints == ["Pattern"])
  }

  @Test func textTooLongToSearchIsRefused() {
    let any = descriptor(".")
    #expect(any.validated(.string(String(repeating: "a", count: 4_096))).value != nil)
    #expect(any.validated(.string(String(repeating: "a", count: 4_097))).constraints == ["Pattern"])
  }

  /// Texts are searched as bytes where that comes to the same: with a class of all characters in it a pattern never is.
  @Test func bytesAndCharactersComeToTheSame() {
    var random = SchemaRandom(seed: 11)
    let parts = ["a", "b", "é", ".", "[^a]", "[a-c]", "*", "+", "?", "{2}", "(a|b)", "|", "^", "$", " "]
    let letters = ["a", "b", "c", "é", "ü", "日", "😀", " ", "\n", "\0"]
    for _ in 0..<3_000 {
      let pattern = (0..<1 + random.below(6)).map { _ in parts[random.below(parts.count)] }.joined()
      let text = (0..<random.below(8)).map { _ in letters[random.below(letters.count)] }.joined()
      let slow = descriptor("(\(pattern))|[[:digit:]]")
      guard !slow.validated(.string("1")).constraints.contains("Pattern"), !text.isEmpty else { continue }
      #expect(
        descriptor("(\(pattern))").validated(.string(text)).constraints == slow.validated(.string(text)).constraints,
        "\(pattern) in \(text)")
    }
  }

  @Test func whatWouldTakeLongIsRefused() throws {
    let accented = String(repeating: "é", count: 1_500)
    // As bytes these are quick.
    for pattern in [".{0,999}z", "^.{1,1000}z"] {
      #expect(descriptor(pattern).validated(.string(accented)).constraints == ["Pattern"])
    }
    #expect(descriptor("^.{1,1000}$").validated(.string(String(repeating: "é", count: 1_000))).value != nil)
    // The kinds of characters are looked up one by one.
    #expect(descriptor("^[[:alpha:]]{1,100}$").validated(.string(String(repeating: "é", count: 100))).value != nil)
    let costly = descriptor("[[:alpha:]]{1,500}z").validated(.string(accented))
    #expect(costly.violations.first?.message.contains("costly") == true)
  }

  @Test func anyPatternThatIsAcceptedIsQuick() throws {
    var random = SchemaRandom(seed: 7)
    let parts = [
      "a", "b", "(", ")", "*", "+", "{3}", "{1,9}", "{,", "|", "[a-c]", ".", "^", "$", "\\", "?", "[", "]", "é",
    ]
    let text = Value.string(String(repeating: "a", count: 200))
    for _ in 0..<500 {
      let pattern = (0..<random.below(12)).map { _ in parts[random.below(parts.count)] }.joined()
      if try refusal(pattern) == nil { _ = descriptor(pattern).validated(text) }
    }
  }
}

@Suite struct SchemaPatternBudgetTests {
  @Test func manyCostlyPatternsAreRefusedTogether() throws {
    let settings = (0..<40).map { index in
      #"{"Type": "TextField", "Title": "T", "Key": "k\#(index)", "Pattern": "[a-z]{1,\#(900 + index)}"}"#
    }
    let compilation = try compileSchema(schemaText(settings.joined(separator: ",")))
    #expect(compilation.diagnostics.contains { $0.message == "the patterns are too costly together" })
    let same = (0..<40).map { #"{"Type": "TextField", "Title": "T", "Key": "k\#($0)", "Pattern": "[a-z]{1,900}"}"# }
    #expect(try compileSchema(schemaText(same.joined(separator: ","))).diagnostics.isEmpty)
  }

  @Test func aValueWithTooMuchTextToSearchIsRefused() throws {
    let list = try setting(
      #"{"Type": "List", "Title": "T", "Key": "l", "ItemTemplate": [{"Type": "TextField", "Title": "X", "#
        + #""Key": "x", "Pattern": "^b{900}"}]}"#
    )
    let item = Value.object([.init("x", .string(String(repeating: "a", count: 4_000)))])
    let violations = list.validated(.list([Value](repeating: item, count: 20))).violations
    #expect(violations.count == 20)
    #expect(violations.last?.message == "`l`, item 20, `x`: the value has too much text to search for patterns")
  }

  @Test func hintsStayCheapWhateverTheNames() throws {
    let name = String(repeating: "k", count: 200)
    let settings = (0..<1_000).map { index in
      #"{"Type": "Color", "Title": "T", "Key": "\#(name)\#(index)", "EnabledBy": {"Key": "\#(name)x", "Equals": 1}}"#
    }
    let compilation = try compileSchema(schemaText(settings.joined(separator: ",")))
    #expect(compilation.diagnostics.count == 1_000)
    #expect(compilation.diagnostics.allSatisfy { $0.hint == nil })
  }
}

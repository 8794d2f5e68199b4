import LiveryCore
import Testing

@Suite struct CoercionTests {
  private let samples: [Value] = [
    .bool(true), .int(1), .double(1.5), .string("x"), .data([1]), .url("https://a.example"),
    .date(Timestamp(microseconds: 0)), .color(Color(red8: 0, green8: 0, blue8: 0)), .image("x"), .list([]), .object([]),
  ]

  @Test func everyTypeConvertsToItself() {
    for sample in samples { #expect(sample.coerced(to: sample.type) == sample) }
  }

  @Test func whatTheTableLeavesOutDoesNotConvert() {
    let allowed: [(ValueType, ValueType)] = [
      (.int, .double), (.string, .image), (.url, .string), (.image, .string), (.url, .image),
    ]
    for sample in samples {
      for type in ValueType.allCases where type != sample.type {
        let expected = allowed.contains { $0 == sample.type && $1 == type }
        #expect((sample.coerced(to: type) != nil) == expected, "\(sample.type) to \(type)")
      }
    }
  }

  @Test func numbersConvertOnlyWhereNothingIsLost() {
    #expect(Value.int(2).coerced(to: .double) == .double(2))
    #expect(Value.int(1 << 53).coerced(to: .double) == .double(9_007_199_254_740_992))
    #expect(Value.int((1 << 53) + 1).coerced(to: .double) == nil)
    #expect(Value.int(.max).coerced(to: .double) == nil)
    #expect(Value.int(.min).coerced(to: .double) == .double(-9_223_372_036_854_775_808))
    #expect(Value.double(2).coerced(to: .int) == .int(2))
    #expect(Value.double(-0.0).coerced(to: .int) == .int(0))
    for lost in [2.5, .nan, .infinity, 9_223_372_036_854_775_808, 1e300] {
      #expect(Value.double(lost).coerced(to: .int) == nil)
    }
  }

  @Test func stringsSpellTruthInAnyCase() {
    for text in ["1", "true", "YES", "True", "yEs"] { #expect(Value.string(text).coerced(to: .bool) == .bool(true)) }
    for text in ["0", "false", "NO", "No"] { #expect(Value.string(text).coerced(to: .bool) == .bool(false)) }
    for text in ["", "2", "on", "y", "yes ", "true\u{0}", "ｙｅｓ", "truetrue", "01"] {
      #expect(Value.string(text).coerced(to: .bool) == nil, "\(text)")
    }
  }

  @Test func stringsSpellTheOtherTypes() {
    #expect(Value.string("2").coerced(to: .int) == .int(2))
    for text in ["", "2.0", " 2", "9223372036854775808"] { #expect(Value.string(text).coerced(to: .int) == nil) }
    #expect(Value.string("2").coerced(to: .double) == .double(2))
    #expect(Value.string("inf").coerced(to: .double) == nil)
    #expect(Value.string("AQI=").coerced(to: .data) == .data([1, 2]))
    #expect(Value.string("AQI").coerced(to: .data) == nil)
    #expect(Value.string("").coerced(to: .url) == .url(""))
    #expect(Value.string("https://a.example").coerced(to: .url) == .url("https://a.example"))
    #expect(Value.string("a.example").coerced(to: .url) == nil)
    #expect(Value.string("1970-01-01T00:00:01Z").coerced(to: .date) == .date(Timestamp(microseconds: 1_000_000)))
    #expect(Value.string("1970-01-01").coerced(to: .date) == nil)
    #expect(Value.string("#fff").coerced(to: .color) == .color(Color(red8: 255, green8: 255, blue8: 255)))
    #expect(Value.string("white").coerced(to: .color) == nil)
    #expect(Value.string("logo").coerced(to: .image) == .image("logo"))
    let longest = String(repeating: "x", count: 1024)
    #expect(Value.string(longest).coerced(to: .image) == .image(longest))
    for text in ["", longest + "x", "a\n", "a\u{85}"] {
      #expect(Value.string(text).coerced(to: .image) == nil && Value.url(text).coerced(to: .image) == nil, "\(text)")
    }
    #expect(Value.string("[]").coerced(to: .list) == nil)
    #expect(Value.string("{}").coerced(to: .object) == nil)
  }

  @Test func urlsAndImagesAreText() {
    #expect(Value.url("https://a.example").coerced(to: .string) == .string("https://a.example"))
    #expect(Value.image("x").coerced(to: .string) == .string("x"))
    #expect(Value.image("x").coerced(to: .url) == nil)
    #expect(Value.image("https://a.example/x").coerced(to: .url) == .url("https://a.example/x"))
    #expect(Value.url("").coerced(to: .url) == .url("") && Value.url("").coerced(to: .string) == .string(""))
  }
}

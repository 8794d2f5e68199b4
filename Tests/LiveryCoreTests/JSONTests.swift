import LiveryCore
import Testing

@Suite struct JSONTests {
  private func failure(_ text: String) -> StoreError? { failure(Array(text.utf8)) }

  private func failure(_ bytes: [UInt8]) -> StoreError? {
    do { _ = try JSON.parse(bytes) } catch { return error }
    return nil
  }

  @Test func whatFollowsTheValueIsSaidToBeTooMuch() {
    for (text, column) in [
      ("{\"a\":1}x", 8), ("{\"a\":1} {\"b\":2}", 9), ("{\"a\":1},", 8), ("{}}", 3), ("[] true", 4), ("1 2", 3),
      ("\"a\\\"\" \"b\"", 7), ("true [1]", 6), ("1,2", 2),
    ] {
      do {
        _ = try JSON.parse(text.bytes)
        Issue.record("\(text)")
      } catch {
        #expect(error.message == "end of file expected at line 1, column \(column)", "\(text)")
      }
    }
    for text in ["[1 2]", "[1", "{\"a\":[1 2]}"] {
      do { _ = try JSON.parse(text.bytes) } catch {
        #expect(error.message.hasPrefix("']' expected"), "\(error.message)")
      }
    }
  }

  @Test func aTextThatGoesOnBehindItsValueIsRefusedThere() {
    for (text, column) in [("1,2", 2), ("[1],[2]", 4), ("{}]", 3), ("1 2", 3), ("[1]]", 4), ("[1", 2), ("[", 1)] {
      do throws(StoreError) {
        _ = try JSON.parse(Array(text.utf8))
        Issue.record("\(text) is read")
      } catch { #expect(error.location == .init(line: 1, column: column), "\(text): \(error.message)") }
    }
  }

  @Test func everyKindOfValueIsRead() throws {
    let text = #" {"b": [null, true, false, 1, -2.5, 1e2, "é\u0000\n\ud83d\ude00"], "a": {}} "#
    let json = try JSON.parse(Array(text.utf8))
    #expect(
      json
        == .object([
          .init(
            key: "b",
            value: .array([.null, .bool(true), .bool(false), .int(1), .double(-2.5), .double(100), .string("é\0\n😀")])),
          .init(key: "a", value: .object([])),
        ]))
    #expect(json["a"] == .object([]))
    #expect(json["c"] == nil)
    #expect(JSON.null["c"] == nil)
    #expect(try JSON.parse(Array("3".utf8)) == .int(3))
  }

  @Test func documentsAreComparedByteByByteAndInOrder() {
    #expect(JSON.string("\u{e9}") != .string("e\u{301}"))
    #expect(JSON.int(1) != .double(1))
    #expect(
      JSON.object([.init(key: "a", value: .null), .init(key: "b", value: .null)])
        != .object([.init(key: "b", value: .null), .init(key: "a", value: .null)]))
  }

  @Test(arguments: ["{\"pin\": \"hunter2\n\"}", "{\"pin\": hunter2}", "{\"pin\" \"hunter2\"}", "{\"pin\": \"hunter2"])
  func errorsDoNotRepeatContent(_ text: String) throws {
    let error = try #require(failure(text))
    #expect(error.code == .parse && error.location?.line == 1)
    #expect(!error.message.contains("hunter"), "\(error.message)")
  }

  @Test func errorsHaveLineAndColumn() {
    let error = failure("{\n  \"a\": 1,\n  \"é\" 2\n}")
    #expect(error?.code == .parse)
    #expect(error?.location?.line == 3)
    #expect(error?.location == .init(line: 3, column: 7))
    #expect(error?.message.hasSuffix("at line 3, column 7") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ("{\"a\": 1e999}", 7), ("{\"a\": 12345678901234567890}", 7), ("{\"a\": nul}", 7), ("{\"a\": 01}", 7),
    ("{\"a\" 1}", 6), ("{\"a\": 1, \"a\": 2}", 10), ("{\"a\": 1,}", 9), ("{ab: 1}", 2),
    ("{\"long\": \"\u{e9}x\u{1}yz\"}", 13), ("{\"a\": \"x\ny\"}", 9), ("{\"a\": \"x\\qyz\"}", 9),
    ("{\"a\": \"x\\u12\"}", 9), ("{\"a\": \"\\\"\\u00e9\\ud83d\\ude00 \\ud800 \"}", 29),
    ("{\"a\": \"\\udc00\"}", 8), ("{\"a\": \"\\ud800\\u0041\"}", 8), ("{\"a\\u0000\": 1}", 2), ("[1, 2 3]", 7),
  ])
  func anErrorIsWhereItsTokenBegins(_ text: String, _ column: Int) {
    #expect(failure(text)?.location == .init(line: 1, column: column), "\(failure(text)?.message ?? "it is read")")
  }

  @Test func whatIsNoUTF8IsFoundAtItsByte() {
    #expect(failure(Array("{\"a\": \"xx".utf8) + [0xff] + Array("y\"}".utf8))?.location == .init(line: 1, column: 10))
    #expect(failure(Array("{\"a\": ".utf8) + [0xff, 0x7d])?.location == .init(line: 1, column: 7))
  }

  @Test func brokenTextsAreRefused() {
    for bad in [
      "", " \n", "{", "[1,]", "{\"a\":1,}", "nul", "01", "1 2", "'a'", "\"\\x\"", "\"\u{1}\"", "[1", "\"a",
      "\"\\ud800\"",
      "{\"a\":1,\"a\":2}", "{\"a\\u0000\":1}", "9223372036854775808", "1e999", "NaN", "// c\n1", "]", "\"\\", "{1:2}",
    ] {
      let error = failure(bad)
      #expect(error?.code == .parse, "\(bad)")
      #expect(error?.location != nil, "\(bad)")
    }
    #expect(failure([0x22, 0xff, 0x22])?.code == .parse)
    #expect(failure([0x5b, 0x00, 0x5d])?.code == .parse)
  }

  @Test(arguments: [
    "\u{201c}", "\u{201d}", "\u{201e}", "\u{201f}", "\u{2018}", "\u{2019}", "\u{201a}", "\u{ab}", "\u{bb}",
  ])
  func aTypographicQuotationMarkIsNamedWithTheStraightOne(_ mark: String) throws {
    let error = failure("{\"fine \(mark)\": 1,\n  \(mark)Key\(mark): 2}")
    #expect(error?.code == .parse)
    #expect(error?.location == StoreError.Location(line: 2, column: 3))
    #expect(error?.message.contains("\(mark) is typographic") == true)
    // Inside of a text they are as good as any other character.
    #expect(try JSON.parse(Array("\"\(mark)\"".utf8)) == .string(mark))
  }

  @Test func aByteOrderMarkIsNamed() {
    #expect(failure("\u{feff}{}")?.message.contains("byte order mark") == true)
  }

  @Test func nestingIsLimitedTo200() throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: 0x5b, count: depth) + [UInt8](repeating: 0x5d, count: depth)
    }
    _ = try JSON.parse(nested(200))
    let error = failure(nested(201))
    #expect(error?.location == .init(line: 1, column: 201))
    #expect(failure([UInt8](repeating: 0x5b, count: 1_000_000))?.code == .parse)
    // Brackets in strings do not count.
    _ = try JSON.parse(Array("\"".utf8) + [UInt8](repeating: 0x5b, count: 300) + Array("\\\"[\"".utf8))
  }

  @Test func sizeIsLimited() {
    #expect(failure([UInt8](repeating: 0x20, count: JSON.maximumSize + 1))?.code == .parse)
    let many = Array("[".utf8) + [UInt8](repeating: 0x2c, count: JSON.maximumCount(of: 1) + 1)
    #expect(failure(many)?.message.contains("values") == true)
  }

  @Test(arguments: ["1e-400", "[2.4e-324]", "{\"a\": -1.5E-999}", "0.\(String(repeating: "0", count: 400))1"])
  func aNumberThatWouldBecomeZeroIsRefused(_ text: String) throws {
    let error = try #require(failure(text))
    #expect(error.code == .parse)
    #expect(error.message.contains("underflow"))
  }

  @Test func numbersThatAreSmallOrZeroAreRead() throws {
    #expect(try JSON.parse(Array("5e-324".utf8)) == .double(.leastNonzeroMagnitude))
    #expect(try JSON.parse(Array("-1e-310".utf8)) == .double(try #require(Double("-1e-310"))))
    #expect(try JSON.parse(Array("0e-400".utf8)) == .double(0))
    #expect(try JSON.parse(Array("[\"1e-400\"]".utf8)) == .array([.string("1e-400")]))
  }

  @Test(arguments: ["123\0", "1\02", "\0", "{\"a\0b\": 1}", "[\"a\0\"]"])
  func aNULIsNoJSON(_ text: String) throws {
    #expect(try #require(failure(text)).code == .parse)
  }

  @Test func aNumberHasAThousandDigitsAtMost() throws {
    let zeros = String(repeating: "0", count: 1000)
    #expect(try JSON.parse(Array("0.\(zeros)".utf8)) == .double(0))
    #expect(try JSON.parse(Array("\"\(zeros)\(zeros)\"".utf8)) == .string(zeros + zeros))
    let error = failure("[1,\n 0.\(zeros)1]")
    #expect(error?.code == .parse)
    #expect(error?.location?.line == 2)
  }

  @Test func placesOfValuesAndKeysAreFound() {
    let text = Array(
      """
      {
        "a/b": {"~": [10, {"é": "x"}, "]"], "k\\u0065y": 1},
        "é": 2, "a": [[1], [2]]
      }
      """.utf8)
    func place(_ line: Int, _ column: Int) -> StoreError.Location { .init(line: line, column: column) }
    #expect(JSONLocator.locate("", in: text) == place(1, 1))
    #expect(JSONLocator.locate("/a~1b", in: text) == place(2, 10))
    #expect(JSONLocator.locate("/a~1b", in: text, key: true) == place(2, 3))
    #expect(JSONLocator.locate("/a~1b/~0/1", in: text) == place(2, 21))
    #expect(JSONLocator.locate("/a~1b/~0/1/é", in: text) == place(2, 27))
    #expect(JSONLocator.locate("/a~1b/~0/2", in: text) == place(2, 33))
    #expect(JSONLocator.locate("/a~1b/key", in: text) == place(2, 51))
    #expect(JSONLocator.locate("/é", in: text, key: true) == place(3, 3))
    #expect(JSONLocator.locate("/é", in: text) == place(3, 8))
    #expect(JSONLocator.locate("/a/1/0", in: text) == place(3, 23))
    #expect(JSONLocator.locate("/a/2", in: text) == nil)
    #expect(JSONLocator.locate("/a/-", in: text) == nil)
    #expect(JSONLocator.locate("a", in: text) == nil)
    #expect(
      JSONLocator.locate([("/a", false), ("/zzz", false), ("/é", true), ("/a", false)], in: text)
        == [place(3, 16), nil, place(3, 3), place(3, 16)])
  }

  @Test func escapedKeysAreFound() {
    let text = Array(#"{"\b\f\n\r\t\"\/\\": 1, "\ud83d\ude00": 2, "\ud83dx": 3}"#.utf8)
    #expect(JSONLocator.locate(jsonPointer(["\u{8}\u{c}\n\r\t\"/\\"]), in: text) != nil)
    #expect(JSONLocator.locate("/😀", in: text) != nil)
  }

  @Test func locatingSurvivesAnyText() {
    var random = Seeded(state: 3)
    let alphabet = Array(#"[]{}",:\u12 a"#.utf8)
    for _ in 0..<2000 {
      let text = (0..<Int(random.next() % 40)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
      _ = JSONLocator.locate([("", false), ("/a", true), ("/0/0", false), ("/", false)], in: text)
      _ = failure(text)
    }
  }

  @Test func aThousandPlacesInALargeTextTakeOnePass() {
    var text = Array("[".utf8)
    for index in 0..<20_000 {
      if index > 0 { text.append(0x2c) }
      text += Array("{\"Key\":\"k\",\"Value\":1}".utf8)
    }
    text.append(0x5d)
    let wanted = (0..<1000).map { (pointer: "/\($0 * 20)/Value", key: false) }
    let found = JSONLocator.locate(wanted, in: text)
    #expect(found.allSatisfy { $0 != nil })
    #expect(found[1]?.column == 22 * 20 + 1 + 1 + 19)
  }

  @Test func valuesComeFromJSONAndGoBack() throws {
    let text = #"{"a":[1,2.0,"x",true],"b":{},"c":[]}"#
    let value = try Value(json: JSON.parse(Array(text.utf8)))
    #expect(value.json() == text)
    #expect(
      value.json(pretty: true) == """
        {
          "a": [
            1,
            2.0,
            "x",
            true
          ],
          "b": {},
          "c": []
        }
        """)
  }

  @Test func nullsAndDeepNestingAreNoValues() throws {
    do throws(StoreError) {
      _ = try Value(json: JSON.parse(Array(#"{"a/b":[1,null]}"#.utf8)))
      Issue.record("a null was taken")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(error.message.contains("at /a~1b/1: null"), "\(error.message)")
    }
    func nested(_ depth: Int) -> JSON { (0..<depth).reduce(.int(1)) { inner, _ in .array([inner]) } }
    func nestedObjects(_ depth: Int) -> JSON {
      (0..<depth).reduce(.int(1)) { inner, _ in .object([.init(key: "k", value: inner)]) }
    }
    #expect(try Value(json: nested(32)).depth == 32)
    #expect(throws: StoreError.self) { try Value(json: nested(33)) }
    #expect(throws: StoreError.self) { try Value(json: nestedObjects(33)) }
  }

  @Test func everyTypeIsWritten() {
    let value = Value.list([
      .data([1, 2, 3]), .url("https://a.example/é"), .date(Timestamp(microseconds: 1_500_000)),
      .color(Color(red8: 1, green8: 2, blue8: 3)), .image("x"), .double(.nan), .bool(false),
    ])
    #expect(
      value.json() == ##"["AQID","https://a.example/é","1970-01-01T00:00:01.5Z","#010203FF","x",null,false]"##)
    #expect(
      Value.string("\"\\/\u{8}\t\n\u{c}\r\u{1}\u{1f}\u{7f}é\u{2028}").json()
        == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\\u007fé\u{2028}\"")
  }

  @Test func writingStopsAtAbsurdNesting() {
    let deep = (0..<1000).reduce(Value.int(1)) { inner, _ in .list([inner]) }
    #expect(deep.json().contains("null"))
    #expect((try? JSON.parse(Array(deep.json().utf8))) == nil)
  }

  @Test func briefRenderingsFitInAMessage() {
    #expect(Value.string("a\"b").brief == #""a\"b""#)
    #expect(Value.string(String(repeating: "x", count: 200)).brief.unicodeScalars.count == 80)
    #expect(Value.data([1]).brief == "1 byte")
    #expect(Value.data([1, 2]).brief == "2 bytes")
    #expect(Value.color(Color(red8: 1, green8: 2, blue8: 3)).brief == "#010203FF")
    #expect(Value.date(Timestamp(microseconds: 0)).brief == "1970-01-01T00:00:00Z")
    #expect(Value.int(5).brief == "5")
    #expect(Value.list((0..<100_000).map { .int($0) }).brief.unicodeScalars.count == 80)
    #expect(Value.object([.init("a", .int(1))]).brief == #"{"a":1}"#)
  }
}

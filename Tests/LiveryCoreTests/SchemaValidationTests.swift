import Testing

@testable import LiveryCore

@Suite struct SchemaValidationTests {
  let seconds =
    #"{"Type": "Number", "Title": "T", "Key": "idleResetSeconds", "Format": "integer", "Minimum": 15, "#
    + #""Maximum": 3600, "Step": 15}"#

  @Test func messagesNameSettingConstraintAndValue() throws {
    let seconds = try setting(seconds)
    let low = seconds.validated(.int(7)).violations
    #expect(
      low.map { $0.message } == [
        "`idleResetSeconds`: 7 is less than Minimum 15",
        "`idleResetSeconds`: 7 is not a whole number of Step 15 from Minimum 15",
      ])
    #expect(low.map { $0.code } == [.invalidValue, .invalidValue])
    #expect(low.map { $0.constraint } == ["Minimum", "Step"])
    #expect(
      seconds.validated(.int(3615)).violations.map { $0.message } == [
        "`idleResetSeconds`: 3615 is greater than Maximum 3600"
      ])
    let typed = seconds.validated(.string("soon")).violations
    #expect(typed.map { $0.message } == ["`idleResetSeconds`: expected int, found string \"soon\""])
    #expect(typed.map { $0.code } == [.typeMismatch])
    #expect(
      seconds.validated(.list([])).violations.map { $0.message } == [
        "`idleResetSeconds`: expected int, found list"
      ])
  }

  @Test(
    arguments: [
      (-7, 5, -2, true), (-7, 5, nil, false), (10, 5, nil, true), (5, 0, nil, false), (5, -5, nil, false),
      (Int64.max, 1, Int64.min, true), (.max, 2, .min, false), (.max, 3, .min, true), (.min, 3, .max, true),
      (.min, 2, nil, true), (.min, .max, nil, false), (.min, .max, -1, true), (.max, .max, nil, true),
    ] as [(Int64, Int64, Int64?, Bool)])
  func stepsOfIntegersAreCountedExactly(number: Int64, step: Int64, base: Int64?, isStep: Bool) {
    #expect(Bounds.isMultiple(.int(number), of: .int(step), from: base.map { .int($0) }) == isStep)
  }

  @Test func valuesBecomeTheSettingsType() throws {
    let seconds = try setting(seconds)
    #expect(seconds.validated(.string("30")).value == .int(30))
    #expect(seconds.validated(.double(30)).value == .int(30))
    #expect(seconds.validated(.double(30.5)).constraints == ["Type"])
    func check(_ type: String, _ given: Value, _ expected: Value?) throws {
      #expect(try setting(#"{"Type": "\#(type)", "Title": "T", "Key": "a"}"#).validated(given).value == expected)
    }
    try check("ToggleSwitch", .string("true"), .bool(true))
    try check("ToggleSwitch", .int(1), nil)
    try check("TextField", .int(1), nil)
    try check("TextField", .url("a:b"), .string("a:b"))
    try check("Number", .int(1), .double(1))
    try check("Number", .double(.nan), nil)
    try check("URL", .string(""), .url(""))
    try check("URL", .string("not a url"), nil)
    try check("Color", .string("#FF0000"), .color(Color(red: 1, green: 0, blue: 0)))
    try check("Date", .string("1970-01-01T00:00:01Z"), .date(Timestamp(microseconds: 1_000_000)))
    try check("Data", .string("AQI="), .data([1, 2]))
    try check("Image", .string("logo"), .image("logo"))
    try check("Image", .string(""), nil)
  }

  @Test func numbersAreComparedExactly() throws {
    let big = try setting(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Format": "integer", "Minimum": -9007199254740993, "#
        + #""Maximum": 9007199254740993}"#
    )
    #expect(big.validated(.int(9_007_199_254_740_993)).value != nil)
    #expect(big.validated(.int(9_007_199_254_740_994)).constraints == ["Maximum"])
    #expect(big.validated(.int(-9_007_199_254_740_994)).constraints == ["Minimum"])
    let mixed = try setting(
      #"{"Type": "Number", "Title": "T", "Key": "a", "Format": "integer", "Minimum": 1.5, "Maximum": 1e300}"#)
    #expect(mixed.validated(.int(1)).constraints == ["Minimum"])
    #expect(mixed.validated(.int(2)).value != nil)
    #expect(mixed.validated(.int(.max)).value != nil)
    var negative = mixed
    negative.minimum = .double(-1e300)
    negative.maximum = .double(-1.5)
    #expect(negative.validated(.int(.min)).value != nil)
    #expect(negative.validated(.int(-1)).constraints == ["Maximum"])
    #expect(negative.validated(.int(-2)).value != nil)
    let doubles = try setting(#"{"Type": "Number", "Title": "T", "Key": "a", "Minimum": 0, "Maximum": 1}"#)
    #expect(doubles.validated(.double(1.0000001)).constraints == ["Maximum"])
    #expect(doubles.validated(.double(-0.1)).constraints == ["Minimum"])
    #expect(doubles.validated(.double(0)).value == .double(0))
    #expect(doubles.validated(.double(.infinity)).value == nil)
    // A bound that is no number refuses everything, as does NaN.
    var odd = doubles
    odd.minimum = .string("x")
    #expect(odd.validated(.double(0.5)).constraints == ["Minimum"])
    odd.minimum = .double(.nan)
    #expect(odd.validated(.double(0.5)).constraints == ["Minimum"])
    var oddInt = mixed
    oddInt.minimum = .double(.nan)
    #expect(oddInt.validated(.int(1)).constraints == ["Minimum"])
    oddInt.minimum = nil
    oddInt.step = .double(0)
    #expect(oddInt.validated(.int(1)).constraints == ["Step"])
    oddInt.step = .string("x")
    #expect(oddInt.validated(.int(1)).constraints == ["Step"])
  }

  @Test func stepsAreExactForIntegersAndTolerantForDoubles() throws {
    var whole = SettingDescriptor(key: "a", kind: .int)
    whole.step = .int(10)
    whole.minimum = .int(.min)
    #expect(whole.validated(.int(.max)).constraints == ["Step"])
    #expect(whole.validated(.int(.min &+ 20)).value != nil)
    whole.minimum = .double(0.5)
    #expect(whole.validated(.int(10)).constraints == ["Step"])
    let tenth = try setting(#"{"Type": "Number", "Title": "T", "Key": "a", "Step": 0.1}"#)
    #expect(tenth.validated(.double(0.3)).value != nil)
    #expect(tenth.validated(.double(1e6 + 0.7)).value != nil)
    #expect(tenth.validated(.double(0.35)).constraints == ["Step"])
    var tiny = tenth
    tiny.step = .double(.leastNonzeroMagnitude)
    #expect(tiny.validated(.double(1e300)).constraints == ["Step"])
  }

  @Test func datesHaveBounds() throws {
    let date = try setting(
      #"{"Type": "Date", "Title": "T", "Key": "a", "Minimum": "2026-01-01T00:00:00Z", "#
        + #""Maximum": "2026-12-31T00:00:00Z"}"#
    )
    #expect(date.validated(.string("2026-06-01T00:00:00Z")).value != nil)
    #expect(
      date.validated(.string("2025-06-01T00:00:00Z")).violations.map { $0.message } == [
        "`a`: 2025-06-01T00:00:00Z is less than Minimum 2026-01-01T00:00:00Z"
      ])
    #expect(date.validated(.string("2027-06-01T00:00:00Z")).constraints == ["Maximum"])
  }

  @Test func lengthsCountScalarsOfTextAndBytesOfData() throws {
    let text = try setting(#"{"Type": "TextField", "Title": "T", "Key": "a", "MinLength": 2, "MaxLength": 3}"#)
    #expect(text.validated(.string("é")).constraints == ["MinLength"])
    #expect(text.validated(.string("e\u{301}")).value != nil)
    #expect(text.validated(.string("日本語")).value != nil)
    #expect(text.validated(.string("abcd")).constraints == ["MaxLength"])
    #expect(text.validated(.string("")).constraints == ["MinLength"])
    let data = try setting(
      #"{"Type": "Data", "Title": "T", "Key": "a", "MinLength": 1, "MaxLength": 2, "Required": true}"#)
    #expect(data.validated(.data([1])).value != nil)
    #expect(data.validated(.data([])).constraints == ["Required", "MinLength"])
    #expect(data.validated(.data([1, 2, 3])).constraints == ["MaxLength"])
  }

  @Test func everyViolationIsReported() throws {
    let text = try setting(
      #"{"Type": "TextField", "Title": "T", "Key": "a", "MaxLength": 2, "Pattern": "^[a-z]+$"}"#)
    let violations = text.validated(.string("ABC")).violations
    #expect(
      violations.map { $0.message } == [
        "`a`: \"ABC\" is longer than MaxLength 2 (characters)", "`a`: \"ABC\" does not match Pattern ^[a-z]+$",
      ])
    #expect(text.validated(.string("x\0y")).constraints == ["MaxLength", "Pattern"])
  }

  @Test func requiredTextsAndListsAreNotEmpty() throws {
    for type in ["TextField", "URL"] {
      let text = try setting(#"{"Type": "\#(type)", "Title": "T", "Key": "a", "Required": true}"#)
      #expect(text.validated(.string("")).violations.map { $0.message } == ["`a`: a value is required"])
    }
    let choice = try setting(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Required": true, "Options": [{"Title": "None", "#
        + #""Value": ""}]}"#)
    #expect(choice.validated(.string("")).constraints == ["Required"])
    let list = try setting(
      #"{"Type": "List", "Title": "T", "Key": "a", "Required": true, "ItemTemplate": [{"Type": "Color", "#
        + #""Title": "C", "Key": "c", "Required": true}]}"#
    )
    #expect(list.validated(.list([])).constraints == ["Required"])
    #expect(
      list.validated(.list([.object([])])).violations.map { $0.message } == ["`a`, item 1: `c` is required"])
  }

  @Test func secretsAreMasked() throws {
    let secret = try setting(
      #"{"Type": "TextField", "Class": ["Password"], "Title": "T", "Key": "pin", "MaxLength": 4, "#
        + #""Pattern": "^[0-9]*$"}"#
    )
    #expect(
      secret.validated(.string("hunter2")).violations.map { $0.message } == [
        "`pin`: •••••• is longer than MaxLength 4 (characters)", "`pin`: •••••• does not match Pattern ^[0-9]*$",
      ])
    #expect(secret.validated(.int(1234)).violations.map { $0.message } == ["`pin`: expected string, found int ••••••"])
    let list = try setting(
      #"""
      {"Type": "List", "Title": "T", "Key": "l", "UniqueBy": "pin", "ItemTemplate": [
        {"Type": "TextField", "Class": ["Password"], "Title": "T", "Key": "pin"}]}
      """#)
    #expect(list.holdsSecret)
    let item = Value.object([.init("pin", .string("hunter2"))])
    for value: Value in [.string("hunter2"), .list([.string("hunter2")]), .list([item, item])] {
      let violations = list.validated(value).violations
      #expect(!violations.isEmpty)
      #expect(violations.allSatisfy { !$0.message.contains("hunter2") })
    }
  }

  @Test func choicesAreOptions() throws {
    let single = try setting(
      #"{"Type": "ComboBox", "Title": "T", "Key": "a", "Options": [{"Title": "1", "Value": "1"}, {"Title": "2", "#
        + #""Value": 2}, {"Title": "On", "Value": true}, {"Title": "Half", "Value": 0.5}]}"#
    )
    #expect(single.validated(.string("1")).value == .string("1"))
    #expect(single.validated(.string("2")).value == .int(2))
    #expect(single.validated(.double(2)).value == .int(2))
    #expect(single.validated(.string("0.5")).value == .double(0.5))
    #expect(single.validated(.bool(true)).value == .bool(true))
    #expect(
      single.validated(.string("x")).violations.map { $0.message } == [
        "`a`: \"x\" is not one of Options (\"1\", 2, true, 0.5)"
      ])
    #expect(single.validated(.list([])).violations.map { $0.code } == [.typeMismatch])
    #expect(single.validated(.data([1])).violations.map { $0.code } == [.typeMismatch])
    let numbers = (0..<20).map { #"{"Title": "\#($0)", "Value": \#($0)}"# }.joined(separator: ", ")
    let several = try setting(
      #"{"Type": "ComboBox", "Class": ["Multiple"], "Title": "T", "Key": "a", "MaxItems": 2, "Required": true, "#
        + #""Options": [\#(numbers)], "Value": ["3"]}"#
    )
    #expect(several.kind == .choices)
    #expect(several.defaultValue == .list([.int(3)]))
    #expect(several.validated(.list([.int(4), .string("5")])).value == .list([.int(4), .int(5)]))
    #expect(several.validated(.list([])).constraints == ["Required"])
    #expect(several.validated(.list([.int(1), .int(2), .int(3)])).constraints == ["MaxItems"])
    #expect(several.validated(.int(1)).constraints == ["Type"])
    #expect(
      several.validated(.list([.int(1), .string("1")])).violations.map { $0.message } == [
        "`a`, item 2: 1 is chosen twice"
      ])
    #expect(
      several.validated(.list([.int(99), .string("x")])).violations.map { $0.message } == [
        "`a`, item 1: 99 is not one of Options (0, 1, 2, 3, 4, 5, 6, 7, …)",
        "`a`, item 2: expected one of Options (0, 1, 2, 3, 4, 5, 6, 7, …), found string \"x\"",
      ])
  }

  @Test func listsFollowTheirTemplate() throws {
    let schema = try schema(fixture("asm/SettingsSchema.v3.json"))
    let playlist = try #require(schema.settings.last)
    func item(_ members: (String, Value)...) -> Value { .object(members.map { .init($0.0, $0.1) }) }
    #expect(
      playlist.validated(.list([item(("seconds", .string("10")), ("cacheKey", .string("yes"))), item()])).value
        == .list([item(("seconds", .int(10)), ("cacheKey", .bool(true))), item()]))
    #expect(
      playlist.validated(.list([item(), .int(1), item(("seconds", .int(0)), ("second", .int(1)))]))
        .violations.map { $0.message } == [
          "`screensaverPlaylist`, item 2: expected object, found int 1",
          "`screensaverPlaylist`, item 3, `seconds`: 0 is less than Minimum 1",
          "`screensaverPlaylist`, item 3: `second` is not a member of an item; did you mean `seconds`?",
        ])
    #expect(playlist.validated(.string("x")).constraints == ["Type"])
  }

  @Test func itemsAreUniqueByAMember() throws {
    let list = try setting(
      #"{"Type": "List", "Title": "T", "Key": "l", "UniqueBy": "n", "MaxItems": 3, "#
        + #""ItemTemplate": [{"Type": "Number", "Title": "N", "Key": "n"}]}"#
    )
    func items(_ numbers: Value?...) -> Value {
      .list(numbers.map { number in .object(number.map { [.init("n", $0)] } ?? []) })
    }
    #expect(list.validated(items(.int(1), .int(2), nil)).value != nil)
    #expect(
      list.validated(items(.int(1), .string("1"))).violations.map { $0.message } == [
        "`l`, item 2: `n` is 1.0, as in an item before"
      ])
    #expect(list.validated(items(nil, nil, nil, nil)).constraints == ["MaxItems"])
  }

  @Test func violationsOfOneValueAreCountedPastAThousand() throws {
    let list = try setting(#"{"Type": "List", "Title": "T", "Key": "l", "ItemTemplate": []}"#)
    let violations = list.validated(.list([Value](repeating: .int(1), count: 5_000))).violations
    #expect(violations.count == 1_001)
    #expect(violations.last?.message == "and 4000 violations more of the same value")
  }

  @Test func valuesThatNoSettingMayHoldAreRefused() throws {
    let text = try setting(#"{"Type": "TextField", "Title": "T", "Key": "a"}"#)
    let long = text.validated(.string(String(repeating: "a", count: Value.maximumSize + 1))).violations
    #expect(long.map { $0.code } == [.invalidValue])
    #expect(long.first?.constraint == nil)
  }
}

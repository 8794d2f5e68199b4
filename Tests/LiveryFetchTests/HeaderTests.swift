import Testing

@testable import LiveryFetch

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct DateTests {
  /// 2026-11-22T00:00:00Z
  private let now: Int64 = 1_795_305_600

  private func parse(_ text: String) -> Int64? { HTTPDate.parse(bytes(text), now: now) }

  @Test func eachFormTellsTheSameMoment() {
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
      #expect(parse(text) == 784_111_777, "\(text)")
    }
    #expect(parse("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(parse("Tue, 29 Feb 2000 23:59:60 GMT") == 951_868_800)
    #expect(parse("Wed Nov 16 08:49:37 1994") == 784_975_777)
  }

  @Test func yearsOfTwoDigitsAreNotMoreThanFiftyAhead() {
    #expect(parse("Sunday, 22-Nov-76 00:00:00 GMT") == 3_373_228_800)
    #expect(parse("Monday, 22-Nov-77 00:00:00 GMT") == 249_004_800)
  }

  @Test(arguments: [
    "", "0", "-1", "Sun", "Sun,", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06-Nov-94 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    "sun, 06 nov 1994 08:49:37 gmt", "Sun Nov 06 08:49:37 94",
  ])
  func whatIsNotExactlyADateIsNone(_ text: String) {
    #expect(parse(text) == nil)
  }
}

@Suite struct CacheControlTests {
  private func parse(_ fields: String...) -> CacheControl { CacheControl(fields.map(bytes)) }

  @Test func directivesAreReadInAnyCaseAndPlace() {
    let control = parse(
      "public, MAX-AGE=60 , , no-cache=\"a, max-age=1\"", "must-revalidate;x, stale-while-revalidate=\"30\"",
      "stale-if-error = 5,no-store")
    #expect(control.maximumAge == 60)
    #expect(control.isAlwaysChecked && control.isNeverStale && control.isNotStored)
    #expect(control.staleWhileRevalidate == 30 && control.staleIfError == 5)
    #expect(parse("s-maxage=60, private, immutable, max-agex=7") == CacheControl())
  }

  @Test(arguments: ["max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=60, max-age=61"])
  func whatIsSaidWronglyIsNotFresh(_ text: String) {
    #expect(parse(text).maximumAge == 0)
  }

  @Test func whatIsTooLongIsTheLongest() {
    #expect(parse("max-age=99999999999999999999999").maximumAge == CacheControl.longest)
    #expect(parse("max-age=60", "max-age=60").maximumAge == 60)
  }
}

@Suite struct FieldTests {
  @Test func tagsAreTakenAsTheyAre() throws {
    let strong = try #require(EntityTag(bytes("\"a\\b\"")))
    let weak = try #require(EntityTag(bytes("W/\"a\"")))
    #expect(!strong.isWeak && weak.isWeak)
    #expect(strong.isStronglySame(as: strong) && !weak.isStronglySame(as: weak))
    for text in ["", "a", "\"", "\"a", "w/\"a\"", "\"a\" ", "\"a b\"", "\"a\"b\"", "W/"] {
      #expect(EntityTag(bytes(text)) == nil, "\(text)")
    }
    #expect(EntityTag(bytes("\"" + String(repeating: "x", count: 600) + "\"")) == nil)
  }

  @Test func rangesAreTakenIfTheyMakeSense() {
    #expect(ContentRange(bytes("bytes 5-9/10"))?.range == 5...9)
    #expect(ContentRange(bytes("Bytes 5-9/*"))?.total == nil)
    #expect(ContentRange(bytes("bytes */10"))?.total == 10)
    for text in [
      "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "bytes 5-9/10 ", "items 5-9/10",
      "bytes 5-/10", "bytes -5/10", "bytes=5-9/10", "bytes 1-99999999999999999999/*",
    ] {
      #expect(ContentRange(bytes(text)) == nil, "\(text)")
    }
  }

  @Test func waitsAreSecondsOrDates() {
    #expect(RetryAfter.parse(bytes("120"), now: 0) == 120)
    #expect(RetryAfter.parse(bytes("Thu, 01 Jan 1970 00:01:00 GMT"), now: 20) == 40)
    #expect(RetryAfter.parse(bytes("Thu, 01 Jan 1970 00:01:00 GMT"), now: 90) == 0)
    #expect(RetryAfter.parse(bytes("soon"), now: 0) == nil)
  }

  @Test func typesAreWithoutParameters() {
    func type(_ text: String) -> String? {
      Head(status: 200, fields: [.init(name: bytes("content-type"), value: bytes(text))]).mediaType?.text
    }
    #expect(type("Text/HTML; charset=utf-8") == "text/html")
    #expect(type("text") == nil && type("/html") == nil && type("text/") == nil)
  }
}

@Suite struct AddressTests {
  @Test(arguments: [
    ("", "http://a/b/c/d;p?q"), ("#s", "http://a/b/c/d;p?q"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), (".", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://x/y", "https://x/y"), ("a b\u{e9}", "http://a/b/c/a%20b%C3%A9"),
  ])
  func redirectsLeadWhereTheRFCSays(_ reference: String, _ expected: String) throws {
    let base = try Address(bytes("http://a/b/c/d;p?q"))
    #expect(try base.following(bytes(reference)).text == expected)
  }
}

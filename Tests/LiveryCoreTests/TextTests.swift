import LiveryCore
import Testing

@Suite struct TextTests {
  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do { try body() } catch { return error.code }
    return nil
  }

  @Test func namesHave1To255BytesWithoutControlCharacters() throws {
    try checkName("a")
    try checkName(String(repeating: "é", count: 127))
    #expect(code { () throws(StoreError) in try checkName("") } == .invalidArgument)
    #expect(code { () throws(StoreError) in try checkName(String(repeating: "é", count: 128)) } == .invalidArgument)
    for bad in ["a\u{0}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "a\nb"] {
      #expect(code { () throws(StoreError) in try checkName(bad) } == .invalidArgument)
    }
    do throws(StoreError) {
      try checkName("a\nb")
    } catch {
      #expect(error.message == "the name `a\u{fffd}b` contains the control character U+000A")
    }
  }

  @Test func originsHaveUpTo63Bytes() throws {
    try checkOrigin("")
    try checkOrigin(String(repeating: "x", count: 63))
    #expect(code { () throws(StoreError) in try checkOrigin(String(repeating: "x", count: 64)) } == .invalidArgument)
    #expect(code { () throws(StoreError) in try checkOrigin("\t") } == .invalidArgument)
  }

  @Test func imageReferencesHave1To1024Bytes() {
    #expect(isImageReference("logo@2x.png"))
    #expect(isImageReference(String(repeating: "x", count: 1024)))
    #expect(!isImageReference(""))
    #expect(!isImageReference(String(repeating: "x", count: 1025)))
    #expect(!isImageReference("a\u{85}"))
  }

  @Test func truncationKeepsTheLimitAndOneLine() {
    #expect(truncated("abc", to: 3) == "abc")
    #expect(truncated("abcd", to: 3) == "ab…")
    #expect(truncated("äöü€", to: 2) == "ä…")
    #expect(truncated("a", to: 0) == "…")
    #expect(truncated("a\nb", to: 9) == "a\u{fffd}b")
  }

  @Test func base64IsThatOfTheStandard() {
    // RFC 4648 §10
    let vectors = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ]
    for (plain, text) in vectors {
      #expect(Base64.encode(Array(plain.utf8)) == text)
      #expect(Base64.decode(text) == Array(plain.utf8))
    }
    let all = (0...255).map { UInt8($0) }
    #expect(Base64.decode(Base64.encode(all)) == all)
    for bad in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm9v ", "Zm 9", "Z===", "====", "Zg==Zg==", "Zm9_", "Zm9é", "="] {
      #expect(Base64.decode(bad) == nil, "\(bad)")
    }
  }

  @Test func hexadecimalIsWrittenLowerAndReadInEitherCase() {
    #expect(Hexadecimal.encode([0, 0x1a, 0xff]) == "001aff")
    #expect(Hexadecimal.decode("001AfF") == [0, 0x1a, 0xff])
    #expect(Hexadecimal.decode("") == [])
    for bad in ["0", "0g", "0x00", " 00", "００"] { #expect(Hexadecimal.decode(bad) == nil, "\(bad)") }
  }

  @Test func wholeNumbersAreDecimalAndFit() {
    #expect(Numbers.parseInt("0") == 0)
    #expect(Numbers.parseInt("+7") == 7)
    #expect(Numbers.parseInt("-0012") == -12)
    #expect(Numbers.parseInt("9223372036854775807") == .max)
    #expect(Numbers.parseInt("-9223372036854775808") == .min)
    for bad in [
      "", "+", "-", "9223372036854775808", "-9223372036854775809", "1 ", " 1", "1.0", "0x1", "1e3", "--1",
      "99999999999999999999999", "１",
    ] {
      #expect(Numbers.parseInt(bad) == nil, "\(bad)")
    }
  }

  @Test func decimalNumbersAreFiniteAndFillTheText() {
    #expect(Numbers.parseDouble("-1.5e3") == -1500)
    #expect(Numbers.parseDouble("2") == 2)
    for bad in [
      "", "nan", "inf", "1e999", "1,5", "1.5 ", "0x1p3", "1\u{0}", "e", String(repeating: "1", count: 600), "1e-400",
      "-0.1e-330", "2.4e-324",
    ] {
      #expect(Numbers.parseDouble(bad) == nil, "\(bad)")
    }
  }

  @Test func numbersReadBackAsTheSame() {
    #expect(Numbers.format(1) == "1.0")
    #expect(Numbers.format(0.1) == "0.1")
    #expect(Numbers.format(-0.0) == "-0.0")
    #expect(Numbers.format(1e100) == "1e+100")
    #expect(Numbers.format(.leastNonzeroMagnitude) == "5e-324")
    #expect(Numbers.format(Double("-2.5e-310") ?? 0) == "-2.5e-310")
    #expect(Numbers.parseDouble("5e-324") == .leastNonzeroMagnitude)
    #expect(Numbers.parseDouble("2.5e-324") == .leastNonzeroMagnitude)
    #expect(Numbers.parseDouble("0.000e-400") == 0)
    var random = Seeded(state: 7)
    for _ in 0..<2000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      #expect(Numbers.parseDouble(Numbers.format(number)) == number)
    }
  }

  @Test func colorsAreReadInThreeFormsAndWrittenInOne() {
    #expect(Color(hex: "#fff") == Color(red8: 255, green8: 255, blue8: 255))
    #expect(Color(hex: "#0aF")?.hex == "#00AAFFFF")
    #expect(Color(hex: "#12ab9c")?.hex == "#12AB9CFF")
    #expect(Color(hex: "#12AB9C80")?.hex == "#12AB9C80")
    for bad in ["", "#", "fff", "#ff", "#ffff", "#fffff", "#fffffff", "#fffffffff", "#ggg", "#12AB9C8é", " #fff"] {
      #expect(Color(hex: bad) == nil, "\(bad)")
    }
    #expect(Color(red: .nan, green: -1, blue: 2, alpha: .infinity).hex.utf8.count == 9)
  }

  @Test func pointersEscapeTildeAndSlash() {
    #expect(jsonPointer([]) == "")
    #expect(jsonPointer(["a/b", "~", "0", ""]) == "/a~1b/~0/0/")
  }
}

/// A generator that gives the same numbers on every run (splitmix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

import LiveryCore
import Testing

extension Value {
  /// Any sound value.
  static func random(depth: Int, using random: inout Seeded) -> Value {
    func text(_ random: inout Seeded) -> String {
      let alphabet = ["a", "B", "é", "e\u{301}", "\u{0}", "\n", "\"", "\\", "/", "😀", "7"]
      return (0..<Int(random.next() % 30)).map { _ in alphabet[Int(random.next() % 11)] }.joined()
    }
    switch random.next() % (depth > 0 ? 13 : 11) {
    case 0: return .bool(random.next() % 2 == 0)
    case 1: return .int(Int64(truncatingIfNeeded: random.next()) >> Int64(random.next() % 64))
    case 2:
      let number = Double(bitPattern: random.next())
      return .double(number.isFinite ? number : -0.0)
    case 3: return .double(Double(Int64(truncatingIfNeeded: random.next() % 4096)) / 64)
    case 4: return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: random.next() % 0x7f80_0000))))
    case 5: return .string(text(&random))
    case 6: return .data((0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case 7: return .url("https://a.example/" + String(random.next()))
    case 8:
      let span = UInt64(Timestamp.latest.microseconds - Timestamp.earliest.microseconds)
      return .date(Timestamp(microseconds: Timestamp.earliest.microseconds + Int64(random.next() % span)))
    case 9:
      func component() -> Float { Float(random.next() % 1025) / 1024 }
      return .color(
        Color(red: component(), green: Float(random.next() % 256) / 255, blue: component(), alpha: component()))
    case 10: return .image("image " + String(random.next()))
    case 11: return .list((0..<Int(random.next() % 6)).map { _ in .random(depth: depth - 1, using: &random) })
    default:
      return .object(
        (0..<Int(random.next() % 6)).map {
          .init("\($0) k\(random.next() % 1000)", .random(depth: depth - 1, using: &random))
        })
    }
  }
}

@Suite struct CBORTests {
  private func failure(_ bytes: [UInt8]) -> StoreError? {
    do { _ = try CBOR.decode(bytes) } catch { return error }
    return nil
  }

  private func bytes(_ hex: String) -> [UInt8] {
    Hexadecimal.decode(String(hex.filter { $0 != " " })) ?? []
  }

  @Test func encodingsAreThoseOfTheStandard() throws {
    // RFC 8949, appendix A
    let vectors: [(Value, String)] = [
      (.int(0), "00"), (.int(1), "01"), (.int(10), "0a"), (.int(23), "17"), (.int(24), "1818"), (.int(100), "1864"),
      (.int(1000), "1903e8"), (.int(1_000_000), "1a000f4240"), (.int(1_000_000_000_000), "1b000000e8d4a51000"),
      (.int(.max), "1b7fffffffffffffff"), (.int(.min), "3b7fffffffffffffff"), (.int(-1), "20"), (.int(-10), "29"),
      (.int(-100), "3863"), (.int(-1000), "3903e7"), (.double(0), "f90000"), (.double(-0.0), "f98000"),
      (.double(1), "f93c00"), (.double(1.1), "fb3ff199999999999a"), (.double(1.5), "f93e00"),
      (.double(65504), "f97bff"), (.double(100_000), "fa47c35000"), (.double(3.4028234663852886e+38), "fa7f7fffff"),
      (.double(1.0e+300), "fb7e37e43c8800759c"), (.double(5.960464477539063e-8), "f90001"),
      (.double(0.00006103515625), "f90400"), (.double(-4), "f9c400"), (.double(-4.1), "fbc010666666666666"),
      (.bool(false), "f4"), (.bool(true), "f5"), (.data([]), "40"), (.data([1, 2, 3, 4]), "4401020304"),
      (.string(""), "60"), (.string("a"), "6161"), (.string("\"\\"), "62225c"), (.string("\u{fc}"), "62c3bc"),
      (.string("\u{6c34}"), "63e6b0b4"), (.string("\u{10151}"), "64f0908591"), (.list([]), "80"),
      (.list([.int(1), .list([.int(2), .int(3)])]), "8201820203"), (.object([]), "a0"),
      (.object([.init("a", .int(1)), .init("b", .list([.int(2), .int(3)]))]), "a26161016162820203"),
      (.url("http://www.example.com"), "d82076687474703a2f2f7777772e6578616d706c652e636f6d"),
      (.date(Timestamp(microseconds: 1_363_896_240_000_000)), "c074323031332d30332d32315432303a30343a30305a"),
      (.color(Color(red: 0, green: 0.5, blue: 1)), "d94c4384 f90000 f93800 f93c00 f93c00"),
      (.image("x"), "d94c496178"),
    ]
    for (value, hex) in vectors {
      #expect(Hexadecimal.encode(CBOR.encode(value)) == hex.filter { $0 != " " }, "\(value.json())")
      #expect(try CBOR.decode(bytes(hex)) == value)
      #expect(try CBOR.decode(bytes(hex)).type == value.type)
    }
  }

  @Test func keysAreInTheOrderOfTheirEncodings() {
    let value = Value.object([.init("aa", .int(1)), .init("b", .int(2)), .init("a", .int(3)), .init("", .int(4))])
    #expect(Hexadecimal.encode(CBOR.encode(value)) == "a4600461610361620262616101")
  }

  @Test func everyValueComesBack() throws {
    var random = Seeded(state: 1)
    for _ in 0..<3000 {
      let value = Value.random(depth: 4, using: &random)
      let encoded = CBOR.encode(value)
      let decoded = try CBOR.decode(encoded)
      #expect(decoded == value)
      #expect(CBOR.encode(decoded) == encoded)
    }
  }

  @Test func nothingHasTwoEncodings() {
    for hex in [
      "1800", "1817", "190018", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3800", "5800", "7800", "9800", "b800",
      "fa3f800000", "fb3ff0000000000000", "fb47efffffe0000000", "d80074323031332d30332d32315432303a30343a30305a",
      "fa00000000", "d91c", "c07819323031332d30332d32315432303a30343a30302b30303a3030",
      "d94c4384fa00000000f90000f90000f90000",
    ] {
      #expect(failure(bytes(hex))?.code == .corrupt, "\(hex)")
    }
  }

  @Test func anythingElseIsCorrupt() {
    for hex in [
      "", "18", "1b00", "1b8000000000000000", "3b8000000000000000", "1c", "1f", "5f", "7f", "9f", "bf", "ff", "f6",
      "f7",
      "e0", "f818", "f97c00", "f97e00", "fa7f800000", "fa7fc00000", "fb7ff0000000000000", "fb7ff8000000000000", "f93c",
      "fa00", "fb00", "61", "62c3", "61ff", "63eda080", "4401", "81", "8201", "a1", "a161", "a16161", "a10101",
      "a1616101 00",
      "a2616101616102", "a2616201616101", "a161000101", "a1610001", "c0", "c001", "c06161", "c1 00", "d820", "d8206161",
      "d82001",
      "d94c49", "d94c4960", "d94c4961 0a", "d94c43", "d94c4383f90000f90000f90000", "d94c4384f94000f90000f90000f90000",
      "d94c4384fb3fb999999999999af90000f90000f90000", "d94c438400000000", "d94c4384f90000f90000f90000", "c6 00", "0000",
      "5bffffffffffffffff", "7bffffffffffffffff", "9bffffffffffffffff", "bbffffffffffffffff", "9a7fffffff",
      "ba7fffffff",
      "c0 74 303030302d30332d32315432303a30343a30305a",
    ] {
      #expect(failure(bytes(hex))?.code == .corrupt, "\(hex)")
    }
  }

  @Test func nestingIsLimited() throws {
    func nested(_ depth: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: depth) + [0x00] }
    _ = try CBOR.decode(nested(64))
    #expect(failure(nested(65))?.code == .corrupt)
    #expect(failure(nested(1_000_000))?.code == .corrupt)
    let deep = (0..<1000).reduce(Value.int(1)) { inner, _ in .list([inner]) }
    #expect(failure(CBOR.encode(deep))?.code == .corrupt)
  }

  @Test func damagedBytesNeverCrash() throws {
    var random = Seeded(state: 5)
    for _ in 0..<500 {
      var encoded = CBOR.encode(.random(depth: 3, using: &random))
      for _ in 0..<4 {
        encoded[Int(random.next() % UInt64(encoded.count))] = UInt8(truncatingIfNeeded: random.next())
        if let value = try? CBOR.decode(encoded) {
          #expect(CBOR.encode(value) == encoded)
          try value.check()
        }
      }
      for count in 0..<min(encoded.count, 40) { _ = failure(Array(encoded.prefix(count))) }
    }
  }

  @Test func onlyTheCanonicalFormIsDecoded() throws {
    let texts = [
      "2026-03-01T11:00:00Z", "2026-03-01T11:00:00.5Z", "2026-03-01T11:00:00.000001Z", "2026-03-01T11:00:00.50Z",
      "2026-03-01T11:00:00.0Z", "2026-03-01T11:00:00.Z", "2026-03-01T11:00:00z", "2026-03-01t11:00:00Z",
      "2026-03-01 11:00:00Z",
      "2026-03-01T11:00:00+00:00", "2026-03-01T11:00:00.5000010Z", "2026-03-01T11:00:00.1234567Z",
      "2016-12-31T23:59:60Z",
      "2026-03-01T12:00:00+01:00", "2026-03-01T11:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
      "0000-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-03-01T11:00:00.123456-00:00", "", "Z",
    ]
    for text in texts {
      let isCanonical = Timestamp(rfc3339: text)?.rfc3339 == text
      let bytes =
        [0xc0] + (text.utf8.count < 24 ? [0x60 | UInt8(text.utf8.count)] : [0x78, UInt8(text.utf8.count)])
        + Array(text.utf8)
      #expect(((try? CBOR.decode(bytes)) != nil) == isCanonical, "\(text)")
    }
  }
}

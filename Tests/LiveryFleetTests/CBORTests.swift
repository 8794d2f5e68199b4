import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct CBORTests {
  /// Of RFC 8949, appendix A, and of docs/file-format.md.
  @Test(arguments: [
    (Value.int(0), "00"), (.int(23), "17"), (.int(24), "1818"), (.int(1000), "1903e8"), (.int(1_000_000), "1a000f4240"),
    (.int(1_000_000_000_000), "1b000000e8d4a51000"), (.int(-1), "20"), (.int(-1000), "3903e7"),
    (.int(.max), "1b7fffffffffffffff"), (.int(.min), "3b7fffffffffffffff"), (.double(0), "f90000"),
    (.double(-0.0), "f98000"), (.double(1.1), "fb3ff199999999999a"), (.double(65504), "f97bff"),
    (.double(100_000), "fa47c35000"), (.double(5.960464477539063e-8), "f90001"),
    (.double(1.0e+300), "fb7e37e43c8800759c"),
    (.bool(false), "f4"), (.bool(true), "f5"), (.string(""), "60"), (.string("IETF"), "6449455446"),
    (.string("ü"), "62c3bc"), (.data([1, 2, 3, 4]), "4401020304"), (.list([]), "80"), (.object([]), "a0"),
    (.object([.init("b", .int(2)), .init("aa", .int(1))]), "a261620262616101"),
    (.url("http://www.example.com"), "d82076687474703a2f2f7777772e6578616d706c652e636f6d"),
    (.date(Timestamp(microseconds: 1_363_896_240_000_000)), "c074323031332d30332d32315432303a30343a30305a"),
    (.date(Timestamp(microseconds: 1_363_896_240_500_000)), "c076323031332d30332d32315432303a30343a30302e355a"),
    (.date(Timestamp(microseconds: -62_135_596_800_000_000)), "c074303030312d30312d30315430303a30303a30305a"),
    (
      .date(Timestamp(microseconds: 253_402_300_799_999_999)),
      "c0781b393939392d31322d33315432333a35393a35392e3939393939395a"
    ),
    (.color(Color(red: 1, green: 0.5, blue: 0, alpha: 1)), "d94c4384f93c00f93800f90000f93c00"),
    (.image("a"), "d94c496161"),
  ])
  func aValueHasOneEncoding(_ value: Value, _ text: String) throws {
    #expect(try CBOR.encode(value).hexadecimal == text)
    #expect(try CBOR.decode(bytes(text)) == value)
  }

  @Test(arguments: [
    "", "1817", "190017", "1a00000017", "1b0000000000000017", "1bffffffffffffffff", "3bffffffffffffffff", "5f4101ff",
    "7f6161ff", "9fff", "bfff", "a2616201616101", "a2616101616102", "a10101", "a1610001", "fa3f800000",
    "fb3ff0000000000000", "f97e00", "f97c00", "f6", "f7", "f800", "c11a514b67b0",
    "c074323031332d30332d32315432303a30343a30307a",
    "c076323031332d30332d32315432303a30343a30302e305a", "c074323031332d30332d33325432303a30343a30305a", "61ff",
    "62c080", "0000",
    "d94c4383f93c00f93800f90000", "d94c4384f93c00f93800f98000f93c00", "d94c4384f93c00f93800f94000f93c00", "82", "6261",
    "c074303030302d30312d30315430303a30303a30305a", "1c", "ff",
  ])
  func nothingElseIsTaken(_ text: String) {
    #expect(reason { try CBOR.decode(bytes(text)) } == .malformed)
  }

  @Test func whatNestsTooDeepIsRefusedInBothDirections() throws {
    func nested(_ depth: Int) -> Value { depth == 0 ? .int(1) : .list([nested(depth - 1)]) }
    #expect(try CBOR.decode(CBOR.encode(nested(32))) == nested(32))
    #expect(reason { try CBOR.encode(nested(33)) } == .tooLarge)
    #expect(reason { try CBOR.decode([UInt8](repeating: 0x81, count: 1000) + [0]) } == .tooLarge)
    #expect(reason { try CBOR.decode([0x9b, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]) } == .malformed)
  }

  @Test func whatIsNoValueIsNotWritten() {
    #expect(reason { try CBOR.encode(.double(.nan)) } == .malformed)
    #expect(reason { try CBOR.encode(.double(.infinity)) } == .malformed)
    #expect(reason { try CBOR.encode(.object([.init("a", .int(1)), .init("a", .int(2))])) } == .malformed)
    #expect(reason { try CBOR.encode(.object([.init("a\0", .int(1))])) } == .malformed)
    #expect(reason { try CBOR.encode(.date(Timestamp(microseconds: .max))) } == .malformed)
    #expect(reason { try CBOR.encode(.color(Color(red: 2, green: 0, blue: 0))) } == .malformed)
    #expect(reason { try CBOR.encode(.color(Color(red: -0.0, green: 0, blue: 0))) } == .malformed)
  }

  @Test func datesOfAllTimesComeBack() {
    var random = Random(seed: 1)
    for _ in 0..<20_000 {
      let moment = random.number(in: -62_135_596_800_000_000...253_402_300_799_999_999)
      let text = DateText.encode(microseconds: moment)
      #expect(text.flatMap { DateText.decode($0) } == moment)
    }
    #expect(DateText.encode(microseconds: -62_135_596_800_000_001) == nil)
  }

  private func bytes(_ text: String) -> [UInt8] { unhex(text) }
}

func unhex(_ text: some StringProtocol) -> [UInt8] {
  let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

import LiveryCore
import Testing

@Suite struct CheckTests {
  private func failure(_ value: Value) -> StoreError? {
    do { try value.check() } catch { return error }
    return nil
  }

  private func nested(_ depth: Int) -> Value { (0..<depth).reduce(.int(1)) { inner, _ in .list([inner]) } }
  private func nestedObjects(_ depth: Int) -> Value {
    (0..<depth).reduce(.int(1)) { inner, _ in .object([.init("k", inner)]) }
  }

  @Test func soundValuesPass() {
    let value = Value.object([
      .init("a", .list([.bool(true), .int(.min), .double(-0.5), .string("\0"), .data([0])])),
      .init("b", .url("")), .init("c", .url("https://a.example")), .init("d", .date(.earliest)),
      .init("e", .date(.latest)), .init("f", .color(Color(red: 0, green: 1, blue: 0.5))), .init("g", .image("x")),
      .init("\u{e9}", .int(1)), .init("e\u{301}", .int(2)), .init("", .int(3)),
    ])
    #expect(failure(value) == nil)
  }

  @Test func unsoundPartsAreNamedWithTheirPlace() {
    let unsound: [(Value, String)] = [
      (.double(.nan), "not finite"), (.double(.infinity), "not finite"), (.url("x"), "absolute URL"),
      (.image(""), "image reference"), (.date(Timestamp(microseconds: .max)), "years"),
      (.date(Timestamp(microseconds: .min)), "years"), (.color(Color(red: 2, green: 0, blue: 0)), "color"),
      (.color(Color(red: 0, green: .nan, blue: 0)), "color"),
    ]
    for (value, reason) in unsound {
      #expect(failure(value)?.code == .invalidValue)
      #expect(failure(value)?.message.contains(reason) == true)
      let inside = failure(.object([.init("a/b", .list([.int(1), value]))]))
      #expect(inside?.message.hasPrefix("at /a~1b/1: ") == true, "\(inside?.message ?? "")")
    }
  }

  @Test func keysAreDistinctAndHaveNoNUL() {
    #expect(
      failure(.object([.init("a", .int(1)), .init("b", .int(1)), .init("a", .int(2))]))?.message.contains("/a") == true)
    #expect(failure(.list([.object([.init("a\0", .int(1))])]))?.code == .invalidValue)
  }

  @Test func depthIsLimitedTo32() {
    #expect(failure(nested(32)) == nil)
    #expect(failure(nested(33))?.code == .invalidValue)
    #expect(failure(nestedObjects(32)) == nil)
    #expect(failure(nestedObjects(33))?.code == .invalidValue)
  }

  @Test func depthCountsListsAndObjects() {
    #expect(Value.int(1).depth == 0)
    #expect(Value.list([]).depth == 1)
    #expect(Value.object([]).depth == 1)
    #expect(Value.list([.int(1), .list([.object([])])]).depth == 3)
    #expect(nested(33).depth == 33)
    #expect(nested(500).depth == 33)
    #expect(nestedObjects(500).depth == 33)
  }

  @Test func sizeIsLimitedToAMebibyte() {
    #expect(failure(.data([UInt8](repeating: 0, count: 1 << 20))) == nil)
    #expect(failure(.data([UInt8](repeating: 0, count: (1 << 20) + 1)))?.code == .invalidValue)
    #expect(failure(.list([.data([UInt8](repeating: 0, count: 1 << 20))]))?.code == .invalidValue)
    let items = Value.list([Value](repeating: .int(1), count: (1 << 20) - 5))
    #expect(items.encodedSize == 1 << 20)
    #expect(failure(items) == nil)
    #expect(failure(.list([Value](repeating: .int(1), count: (1 << 20) - 4)))?.code == .invalidValue)
  }

  @Test func partsSharedManyTimesOverCostNoMore() {
    var value = Value.list([.int(1), .int(2)])
    for _ in 0..<30 { value = .list([value, value]) }
    #expect(failure(value)?.code == .invalidValue)
    #expect(value.encodedSize > Value.maximumSize)
    var object = Value.int(1)
    for _ in 0..<30 { object = .object([.init("a", object), .init("b", object)]) }
    #expect(failure(object)?.code == .invalidValue)
  }

  @Test func sizeIsThatOfWhatIsStored() {
    #expect(Value.bool(true).encodedSize == 1)
    #expect(Value.int(1).encodedSize == 8)
    #expect(Value.color(Color(red: 0, green: 0, blue: 0)).encodedSize == 16)
    #expect(Value.string("é").encodedSize == 2)
    var random = Seeded(state: 11)
    for _ in 0..<300 {
      let value = Value.list([.random(depth: 3, using: &random)])
      #expect(value.encodedSize == CBOR.encode(value).count, "\(value.json())")
    }
  }
}

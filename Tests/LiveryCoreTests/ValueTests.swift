import LiveryCore
import Testing

@Suite struct ValueTests {
  @Test func textIsComparedByteByByte() {
    #expect(Value.string("\u{e9}") != Value.string("e\u{301}"))
    #expect(Value.string("a") == Value.string("a"))
  }

  @Test func membersAreComparedInAnyOrder() {
    let left = Value.object([.init("a", .int(1)), .init("b", .int(2))])
    let right = Value.object([.init("b", .int(2)), .init("a", .int(1))])
    #expect(left == right)
    #expect(left != .object([.init("a", .int(1)), .init("b", .int(3))]))
    #expect(left != .object([.init("b", .int(2)), .init("c", .int(1))]))
  }

  @Test func eachMemberIsComparedOnce() {
    var (left, right) = (Value.int(0), Value.int(0))
    for _ in 0..<Value.maximumDepth {
      left = .object([.init("a", left), .init("bb", .int(2)), .init("c", .int(1))])
      right = .object([.init("a", right), .init("c", .int(1)), .init("bb", .int(2))])
    }
    #expect(left == right)
  }

  @Test func integerAndDoubleDiffer() {
    #expect(Value.int(2) != Value.double(2))
  }
}

import Testing

@testable import LiveryCore

/// The numbers of distinct byte strings, compared with what a dictionary says.
@Suite struct TextByteIndexTests {
  @Test func numbersAreThoseOfADictionary() {
    var generator = SystemRandomNumberGenerator()
    for most in [1, 4, 9, 200] {
      var index = ByteIndex()
      var known: [[UInt8]: Int] = [:]
      for _ in 0..<2_000 {
        // Some are beginnings of others, and the empty one is among them.
        var key: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<most, using: &generator) { key.append(.random(in: 0...2, using: &generator)) }
        #expect(index.number(of: key) == known[key])
        let (number, isNew) = index.insert(key)
        #expect(isNew == (known[key] == nil))
        #expect(number == known[key] ?? known.count)
        known[key] = number
        #expect(index.count == known.count)
      }
      for (key, number) in known { #expect(index.number(of: key) == number) }
    }
  }

  @Test func textsAndTheirBytesAreTheSame() {
    var index = ByteIndex()
    #expect(index.number(of: "") == nil)
    // Canonically equivalent, and not the same bytes.
    #expect(index.insert("\u{e9}").number == 0)
    #expect(index.insert("e\u{301}").number == 1)
    #expect(index.number(of: Array("e\u{301}".utf8)) == 1)
    let copy = index
    #expect(index.insert("later").isNew)
    #expect(copy.number(of: "later") == nil)
  }
}

import LiveryCore
import Testing

/// Text in less space; docs/file-format.md names the format of the block.
@Suite struct SqueezedTests {
  @Test func textsComeBack() throws {
    var texts: [[UInt8]] = [[], [1], Array("abcdefghijkl".utf8), Array("abcdefghijklm".utf8)]
    texts.append([UInt8](repeating: 7, count: 100_000))
    texts.append(Array(String(repeating: "{\"Type\": \"Number\", \"Key\": \"a\"}, ", count: 1_000).utf8))
    var random = SchemaRandom(seed: 5)
    for size in [12, 13, 17, 255, 270, 271, 4_096, 70_000] {
      texts.append((0..<size).map { _ in UInt8(random.below(256)) })
      texts.append((0..<size).map { _ in UInt8(random.below(2)) })
      // A match as far back as can be told, and farther.
      texts.append((0..<size).map { UInt8(truncatingIfNeeded: $0 / 256 ^ $0) })
    }
    for text in texts {
      let squeezed = Squeezed.encode(text)
      #expect(try Squeezed.decode(squeezed) == text)
      #expect(squeezed.count <= text.count + text.count / 255 + 24)
    }
    #expect(Squeezed.encode(texts[5]).count < texts[5].count / 20)
  }

  @Test func whatIsNoTextIsTold() throws {
    let squeezed = Squeezed.encode(Array(String(repeating: "Hello, ", count: 50).utf8))
    for count in 0..<squeezed.count { #expect(try Squeezed.decode(Array(squeezed.prefix(count))) == nil) }
    #expect(try Squeezed.decode(squeezed + [0]) == nil)
    var far = squeezed
    far[0] = 0xFF
    #expect(try Squeezed.decode(far) == nil)
    far[7] = 0x7F
    #expect(try Squeezed.decode(far) == nil)
    var random = SchemaRandom(seed: 6)
    for _ in 0..<20_000 {
      var bytes = squeezed
      for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      _ = try? Squeezed.decode(bytes)
    }
  }

  /// A block that another program has made.
  @Test func blocksOfOthersAreRead() throws {
    // "a" 20 times, then "bcdefg": literals 1, match of 19 one byte back, literals 6.
    let block: [UInt8] = [0x1F, 97, 1, 0, 0, 0x60, 98, 99, 100, 101, 102, 103]
    let size: [UInt8] = [26, 0, 0, 0, 0, 0, 0, 0]
    #expect(try Squeezed.decode(size + block) == Array((String(repeating: "a", count: 20) + "bcdefg").utf8))
  }
}

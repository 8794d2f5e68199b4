import Testing

@testable import LiveryCore

@Suite struct ByteBufferTests {
  @Test func whatIsWrittenIsThereInItsOrder() {
    var buffer = ByteBuffer(capacity: 0)
    buffer.append(7 as UInt8)
    buffer.append(littleEndian: 0x0102_0304 as UInt32)
    buffer.append(bigEndian: 0x0506 as UInt16)
    buffer.append(varint: 300)
    buffer.append("é")
    buffer.append([1, 2])
    buffer.append("")
    buffer.append([UInt8]())
    #expect(buffer.array == [7, 4, 3, 2, 1, 5, 6, 0xac, 2, 0xc3, 0xa9, 1, 2])
    #expect(buffer.count == 13)
  }

  @Test func itGrowsAsItMust() {
    var buffer = ByteBuffer(capacity: 1)
    var expected: [UInt8] = []
    for number in 0..<1000 {
      buffer.append(littleEndian: UInt64(number))
      expected.append(littleEndian: UInt64(number))
      let piece = [UInt8](repeating: UInt8(number % 251), count: number % 97)
      buffer.append(piece)
      expected += piece
    }
    #expect(buffer.array == expected)
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64.max]) func numbersOfSevenBitsAtATime(_ number: UInt64) {
    var buffer = ByteBuffer()
    buffer.append(varint: number)
    var back: UInt64 = 0
    for (index, byte) in buffer.array.enumerated() { back |= UInt64(byte & 127) << (7 * index) }
    #expect(back == number)
    #expect(buffer.array.dropLast().allSatisfy { $0 >= 128 } && buffer.array.last! < 128)
  }
}

@Suite struct TextBytesTests {
  @Test func codePointsAreCounted() {
    var text = ""
    for scalar in ["a", "é", "€", "😀", "\u{301}", "b"] {
      for _ in 0..<7 {
        #expect(text.scalarCount == text.unicodeScalars.count)
        text += scalar
      }
    }
    #expect(text.scalarCount == 42)
  }

  @Test func controlsAreFoundWhereverTheyAre() {
    for control in ["\u{0}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}"] {
      for before in 0..<20 {
        for after in [0, 1, 7, 8, 9] {
          let name = String(repeating: "é", count: before) + control + String(repeating: "~", count: after)
          #expect(throws: StoreError.self) { try checkName(name) }
        }
      }
    }
    for harmless in [" ", "~", "\u{a0}", "Â", "À", "€", "😀", "\u{10ffff}"] {
      for before in 0..<20 {
        #expect(throws: Never.self) { try checkName(String(repeating: "x", count: before) + harmless) }
      }
    }
  }
}

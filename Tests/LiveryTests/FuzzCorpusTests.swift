import CSystem
import Testing

@testable import LiveryCore

/// What fuzzing has collected in Tests/Fuzz/corpus: inputs that between them reach all that the parsers do.
@Suite struct FuzzCorpusTests {
  @Test(arguments: fuzzTargets.indices)
  func parsersReturnWhateverTheyAreGiven(_ target: Int) throws {
    let (parser, parse) = fuzzTargets[target]
    let tests = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    var count = 0
    let start = try #require(lvs_read_file("\(tests)/Fuzz/corpus/\(parser).txt", -1, 1 << 24, &count))
    defer { free(start) }
    let text = UnsafeRawBufferPointer(start: start, count: count)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    #expect(!lines.isEmpty)
    for line in lines {
      let input = try #require(unpacked(line))
      input.withUnsafeBufferPointer { parse($0.baseAddress, $0.count) }
    }
  }

  /// The input that a line holds (Tests/Fuzz/pack.py): a backslash and two hexadecimal digits stand for a byte.
  private func unpacked(_ line: some Collection<UInt8>) -> [UInt8]? {
    var input: [UInt8] = []
    var rest = line[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        input.append(byte)
        continue
      }
      guard let decoded = Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1 else {
        return nil
      }
      input += decoded
      rest = rest.dropFirst(2)
    }
    return input
  }
}

import CSystem
import Testing

/// What fuzzing has collected in Tests/Fuzz/corpus: inputs that between them reach all that the parsers do.
@Suite struct FuzzCorpusTests {
  private static func names(in folder: String) -> [String] {
    var length = 0
    guard let bytes = lvs_directory_names(folder, &length) else { return [] }
    defer { free(bytes) }
    let all = UnsafeRawBufferPointer(start: bytes, count: length)
    let names = all.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return names.filter { !$0.utf8.starts(with: ".".utf8) }
  }

  @Test(arguments: fuzzTargets.indices)
  func parsersReturnWhateverTheyAreGiven(_ target: Int) throws {
    let (parser, parse) = fuzzTargets[target]
    let tests = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let folder = "\(tests)/Fuzz/corpus/\(parser)"
    let names = Self.names(in: folder)
    #expect(!names.isEmpty)
    for name in names {
      var count = 0
      let bytes = try #require(lvs_read_file("\(folder)/\(name)", -1, 1 << 24, &count))
      defer { free(bytes) }
      bytes.withMemoryRebound(to: UInt8.self, capacity: count + 1) { parse($0, count) }
    }
  }
}

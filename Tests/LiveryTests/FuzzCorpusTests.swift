import CSystem
import Testing

/// What fuzzing has collected in Tests/Fuzz/corpus: inputs that between them reach all that the parsers do.
@Suite struct FuzzCorpusTests {
  @Test(arguments: fuzzTargets.indices)
  func parsersReturnWhateverTheyAreGiven(_ target: Int) throws {
    let (parser, parse) = fuzzTargets[target]
    let tests = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let folder = "\(tests)/Fuzz/corpus/\(parser)"
    let names = names(in: folder).filter { !$0.utf8.starts(with: ".".utf8) }
    #expect(!names.isEmpty)
    for name in names {
      var count = 0
      let bytes = try #require(lvs_read_file("\(folder)/\(name)", -1, 1 << 24, &count))
      defer { free(bytes) }
      bytes.withMemoryRebound(to: UInt8.self, capacity: count + 1) { parse($0, count) }
    }
  }
}

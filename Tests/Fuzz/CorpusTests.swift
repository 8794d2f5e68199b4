import CSystem
import Glibc
import Testing

/// What fuzzing has collected in `corpus`: inputs that between them reach all that the parsers do; and what chance makes of them.
///
/// A broken promise ends the process. With `LIVERY_FUZZ_TELL=1` each input is written before it is tried, so that the last one
/// is it. `LIVERY_FUZZ_MUTATIONS` is how many are made of each input, and `LIVERY_SEED` is for others.
@Suite struct CorpusTests {
  /// The parsers by their names, which are those of their corpora.
  static let parsers: [(name: String, parse: @Sendable (UnsafePointer<UInt8>?, Int) -> Void)] = [
    ("json", fuzzJSON), ("value", fuzzValue), ("schema", fuzzSchema), ("plist-xml", fuzzPropertyListXML),
    ("plist-binary", fuzzPropertyListBinary), ("cbor", fuzzCBOR), ("squeezed", fuzzSqueezed), ("record", fuzzRecord),
    ("color", fuzzColor), ("date", fuzzDate), ("pattern", fuzzPattern), ("text", fuzzText), ("png", fuzzPNG),
    ("jpeg", fuzzJPEG), ("gif", fuzzGIF), ("webp", fuzzWebP), ("svg", fuzzSVG), ("file", fuzzFile),
    ("page-target", fuzzPageTarget), ("page-form", fuzzPageForm), ("page-multipart", fuzzPageMultipart),
    ("page-headers", fuzzPageHeaders), ("page-prompt", fuzzPagePrompt), ("fetch-date", fuzzFetchDate),
    ("fetch-control", fuzzFetchControl), ("fetch-tag", fuzzFetchTag), ("fetch-range", fuzzFetchRange),
    ("fetch-address", fuzzFetchAddress), ("secrets-keys", fuzzSecretsKeys), ("prompt-message", fuzzPromptMessage),
    ("picker-mounts", fuzzPickerMounts), ("picker-head", fuzzPickerHead), ("fleet-cbor", fuzzFleetCBOR),
    ("fleet-signed", fuzzFleetSigned), ("fleet-keys", fuzzFleetKeys), ("fleet-manifest", fuzzFleetManifest),
    ("fleet-document", fuzzFleetDocument), ("fleet-report", fuzzFleetReport), ("fleet-code", fuzzFleetCode),
    ("fleet-kept", fuzzFleetKept),
  ]

  private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/corpus"

  /// The others are of parsers in C, which scripts/torture has libFuzzer go through each time.
  @Test func everyParserIsHere() throws {
    let directory = try #require(opendir(Self.folder))
    defer { closedir(directory) }
    var names: Set<String> = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let isInC = name.hasPrefix("images-") || name.hasPrefix("camera-")
      if name.hasSuffix(".txt"), !isInC { names.insert(String(name.dropLast(4))) }
    }
    #expect(names == Set(Self.parsers.map { $0.name }))
  }

  @Test(arguments: parsers.indices)
  func parsersReturnWhateverTheyAreGiven(_ index: Int) throws {
    let (name, parse) = Self.parsers[index]
    let inputs = try Self.inputs(name)
    #expect(!inputs.isEmpty)
    let tells = getenv("LIVERY_FUZZ_TELL") != nil
    func attempt(_ input: [UInt8]) {
      if tells { print("\(name): \(input)") }
      input.withUnsafeBufferPointer { parse($0.baseAddress, $0.count) }
    }
    for input in inputs { attempt(input) }
    let count = getenv("LIVERY_FUZZ_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 20
    var chance = Chance(getenv("LIVERY_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1)
    for input in inputs {
      for _ in 0..<count { attempt(chance.mutated(input, inputs)) }
    }
  }

  private static func inputs(_ name: String) throws -> [[UInt8]] {
    var count = 0
    let start = try #require(lvs_read_file("\(folder)/\(name).txt", -1, 1 << 24, &count))
    defer { free(start) }
    let text = UnsafeRawBufferPointer(start: start, count: count)
    return try text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
      try #require(unpacked($0))
    }
  }

  /// The input that a line holds (pack.py): a backslash and two hexadecimal digits stand for a byte.
  private static func unpacked(_ line: some Collection<UInt8>) -> [UInt8]? {
    var input: [UInt8] = []
    var rest = line[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        input.append(byte)
        continue
      }
      guard let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      input.append(decoded)
      rest = rest.dropFirst(2)
    }
    return input
  }
}

/// What a fuzzer does to inputs, the same each time.
private struct Chance {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  private mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(1, bound)))
  }

  mutating func mutated(_ input: [UInt8], _ others: [[UInt8]]) -> [UInt8] {
    var bytes = input
    for _ in 0...number(below: 4) {
      switch number(below: 6) {
      case 0 where !bytes.isEmpty: bytes[number(below: bytes.count)] = UInt8(number(below: 256))
      case 1 where !bytes.isEmpty: bytes[number(below: bytes.count)] ^= 1 << UInt8(number(below: 8))
      case 2 where !bytes.isEmpty: bytes.remove(at: number(below: bytes.count))
      case 3: bytes.insert(UInt8(number(below: 256)), at: number(below: bytes.count + 1))
      case 4: bytes.removeLast(number(below: bytes.count + 1))
      default: bytes += others[number(below: others.count)].prefix(64)
      }
    }
    return bytes
  }
}

import CSystem

/// A POSIX extended regular expression, searched for anywhere in a text, as `grep -E` does.
///
/// What other dialects write and POSIX takes for something else is refused: `\d`, `[\w-]`, `a+?`, `(?:a)`.
final class Pattern {
  /// The longest pattern, in bytes.
  static let maximumLength = 256
  /// The most copies that nested repetition may make of a part: the C library expands them all in memory.
  static let maximumRepetition = 1_000
  /// The most parts of a pattern in which repetition is expanded.
  static let maximumSize = 2_000
  /// The longest text a pattern is searched in, in bytes: the search takes time that grows faster than the text.
  static let maximumTextLength = 4_096

  private let handle: OpaquePointer
  /// The number of parts once repetition is expanded: what compiling and searching cost.
  let size: Int

  /// Throws `.invalidValue` for a pattern that is malformed or too costly.
  convenience init(_ text: String) throws(StoreError) {
    try self.init(text, size: try Pattern.size(of: text))
  }

  fileprivate convenience init(_ text: String, size: Int) throws(StoreError) {
    var reason = [CChar](repeating: 0, count: 128)
    guard let handle = lvs_regex_make(text, &reason, reason.count) else {
      let message = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw StoreError(.invalidValue, "the pattern is malformed: \(message)")
    }
    self.init(handle, size)
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(_ handle: OpaquePointer, _ size: Int) {
    self.handle = handle
    self.size = size
  }

  deinit {
    lvs_regex_free(handle)
  }

  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        // No text has no address of its own.
        guard let start = chars.baseAddress else { return lvs_regex_matches(handle, "", 0) }
        return lvs_regex_matches(handle, start, chars.count)
      }
    }
  }

  /// Refuses what would cost the C library memory or time without bounds: `x+` and `x{n}` are expanded to copies of
  /// `x`, so nesting multiplies them, and back-references make matching exponential.
  fileprivate static func size(of text: String) throws(StoreError) -> Int {
    let bytes = text.bytes
    guard bytes.count <= maximumLength else {
      throw StoreError(.invalidValue, "the pattern is longer than \(maximumLength) bytes")
    }
    guard !bytes.contains(0) else { throw StoreError(.invalidValue, "the pattern contains a NUL") }
    var scan = PatternScan(bytes: bytes)
    return try scan.sequence(depth: 0).size
  }
}

/// The patterns of one schema or setting: the same text is compiled once, and all together may cost only so much.
final class PatternCache {
  /// The most that compiling may cost: the sum of the squares of the sizes, as the C library takes that much memory.
  static let budget = 20_000_000

  private var numbers = ByteIndex()
  private var patterns: [Pattern] = []
  private var spent = 0

  /// Throws `.invalidValue` for a pattern that is malformed or too costly, by itself or with those before.
  func pattern(_ text: String) throws(StoreError) -> Pattern {
    if let known = numbers.number(of: text) { return patterns[known] }
    let size = try Pattern.size(of: text)
    guard spent + size * size <= PatternCache.budget else {
      throw StoreError(.invalidValue, "the patterns are too costly together")
    }
    spent += size * size
    let pattern = try Pattern(text, size: size)
    if numbers.insert(text).isNew { patterns.append(pattern) }
    return pattern
  }
}

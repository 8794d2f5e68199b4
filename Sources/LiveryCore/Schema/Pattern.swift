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
  /// The most that a search may cost which looks at characters beyond ASCII one by one, in copies of parts of a pattern that the
  /// C library makes meanwhile, and the same where the beginning is all that can be one. About a second.
  private static let (maximumWork, maximumAnchoredWork) = (2_500_000, 30_000_000)

  private let handle: OpaquePointer
  /// The number of parts once repetition is expanded: what compiling and searching cost.
  let size: Int

  private let isAnchored: Bool

  /// Throws `.invalidValue` for a pattern that is malformed or too costly.
  convenience init(_ text: String) throws(StoreError) {
    try self.init(text, try Pattern.measure(text))
  }

  fileprivate convenience init(_ text: String, _ cost: (size: Int, isAnchored: Bool)) throws(StoreError) {
    var reason = [CChar](repeating: 0, count: 128)
    guard let handle = lvs_regex_make(text, &reason, reason.count) else {
      let message = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw StoreError(.invalidValue, "the pattern is malformed: \(message)")
    }
    self.init(handle, cost.size, cost.isAnchored)
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(_ handle: OpaquePointer, _ size: Int, _ isAnchored: Bool) {
    self.handle = handle
    self.size = size
    self.isAnchored = isAnchored
  }

  deinit {
    lvs_regex_free(handle)
  }

  /// What searching a text costs, in bytes of text times parts of the pattern; nil if that is too much.
  ///
  /// - Parameter text: of `maximumTextLength` bytes at most.
  func cost(of text: String) -> Int? {
    let characters = pass(text) { lvs_regex_slow_characters(handle, $0, $1) }
    guard characters > 0 else { return text.utf8.count * size }
    let work = size * size * (isAnchored ? min(characters, size) : characters)
    guard work <= (isAnchored ? Pattern.maximumAnchoredWork : Pattern.maximumWork) else { return nil }
    return isAnchored ? work / 3 : 4 * work
  }

  func matches(_ text: String) -> Bool { pass(text) { lvs_regex_matches(handle, $0, $1) } }

  private func pass<Result>(_ text: String, _ body: (UnsafePointer<CChar>, Int) -> Result) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        // No text has no address of its own.
        guard let start = chars.baseAddress else { return body("", 0) }
        return body(start, chars.count)
      }
    }
  }

  /// Refuses what would cost the C library memory or time without bounds: `x+` and `x{n}` are expanded to copies of
  /// `x`, so nesting multiplies them, and back-references make matching exponential.
  fileprivate static func measure(_ text: String) throws(StoreError) -> (size: Int, isAnchored: Bool) {
    let bytes = text.bytes
    guard bytes.count <= maximumLength else {
      throw StoreError(.invalidValue, "the pattern is longer than \(maximumLength) bytes")
    }
    guard !bytes.contains(0) else { throw StoreError(.invalidValue, "the pattern contains a NUL") }
    var scan = PatternScan(bytes: bytes)
    let size = try scan.sequence(depth: 0).size
    return (size, bytes.first == UInt8(ascii: "^") && !scan.hasChoice)
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
    let cost = try Pattern.measure(text)
    guard spent + cost.size * cost.size <= PatternCache.budget else {
      throw StoreError(.invalidValue, "the patterns are too costly together")
    }
    spent += cost.size * cost.size
    let pattern = try Pattern(text, cost)
    if numbers.insert(text).isNew { patterns.append(pattern) }
    return pattern
  }
}

import CSystem

/// A POSIX extended regular expression, searched for anywhere in a text, as `grep -E` does.
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

/// Walks over a pattern and counts how many copies of its parts expansion would make.
private struct PatternScan {
  struct Cost {
    /// The largest product of nested repetition.
    var copies: Int
    /// The number of parts once expanded.
    var size: Int
  }

  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Passes over the parts up to the end or the closing parenthesis.
  mutating func sequence(depth: Int) throws(StoreError) -> Cost {
    guard depth <= 32 else { throw StoreError(.invalidValue, "the pattern nests too deeply") }
    var total = Cost(copies: 1, size: 1)
    while let byte = next {
      if byte == UInt8(ascii: ")"), depth > 0 { return total }
      let part = try repeated(try atom(depth: depth))
      total.copies = max(total.copies, part.copies)
      total.size += part.size
      guard total.size <= Pattern.maximumSize else { throw StoreError(.invalidValue, "the pattern is too costly") }
    }
    return total
  }

  private mutating func atom(depth: Int) throws(StoreError) -> Cost {
    let single = Cost(copies: 1, size: 1)
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "("):
      let cost = try sequence(depth: depth + 1)
      if next != nil { position += 1 }
      return cost
    case UInt8(ascii: "["):
      bracket()
      return single
    case UInt8(ascii: "\\"):
      if let escaped = next {
        guard !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains(escaped) else {
          throw StoreError(.invalidValue, "the pattern has a back-reference")
        }
        position += 1
      }
      return single
    default:
      return single
    }
  }

  /// Passes over a bracket expression: `]` stands for itself at its beginning, and inside `[: :]`, `[. .]`, `[= =]`.
  private mutating func bracket() {
    if next == UInt8(ascii: "^") { position += 1 }
    if next == UInt8(ascii: "]") { position += 1 }
    while let byte = next, byte != UInt8(ascii: "]") {
      position += 1
      guard byte == UInt8(ascii: "["), let kind = next, [0x3A, 0x2E, 0x3D].contains(kind) else { continue }
      position += 1
      while let inner = next {
        position += 1
        if inner == kind, next == UInt8(ascii: "]") { break }
      }
      if next != nil { position += 1 }
    }
    if next != nil { position += 1 }
  }

  /// The cost of a part with what repeats it; several in a row multiply as nested ones do.
  private mutating func repeated(_ part: Cost) throws(StoreError) -> Cost {
    var cost = part
    while let byte = next {
      var copies = 1
      if byte == UInt8(ascii: "+") {
        copies = 2
        position += 1
      } else if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") {
        position += 1
      } else if byte == UInt8(ascii: "{"), let bound = interval() {
        copies = max(1, bound)
      } else {
        break
      }
      // Both factors are bounded, so the products cannot overflow.
      cost.copies *= copies
      guard cost.copies <= Pattern.maximumRepetition else {
        throw StoreError(
          .invalidValue, "the pattern repeats a part more than \(Pattern.maximumRepetition) times")
      }
      cost.size *= copies
      guard cost.size <= Pattern.maximumSize else { throw StoreError(.invalidValue, "the pattern is too costly") }
    }
    return cost
  }

  /// The largest number of `{m}`, `{m,}` or `{m,n}`; nil, with nothing passed over, if this is none.
  private mutating func interval() -> Int? {
    var largest = 0
    var current = 0
    var index = position + 1
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        current = min(current &* 10 &+ Int(byte &- 48), 1 << 20)
      case UInt8(ascii: ","):
        largest = max(largest, current)
        current = 0
      case UInt8(ascii: "}"):
        position = index
        return max(largest, current)
      default:
        return nil
      }
    }
    return nil
  }
}

/// Walks over a pattern: counts how many copies of its parts expansion would make, and refuses what is of other dialects.
struct PatternScan {
  struct Cost {
    /// The largest product of nested repetition.
    var copies: Int
    /// The number of parts once expanded.
    var size: Int
  }

  let bytes: [UInt8]
  var position = 0
  /// Whether there is a `|` outside of groups.
  private(set) var hasChoice = false

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
      if byte == UInt8(ascii: "|"), depth == 0 { hasChoice = true }
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
      if next == UInt8(ascii: "?") { throw misread(position - 1..<position + 1, "groups are `(…)` alone") }
      let cost = try sequence(depth: depth + 1)
      if next != nil { position += 1 }
      return cost
    case UInt8(ascii: "["):
      try bracket()
      return single
    case UInt8(ascii: "\\"):
      if let escaped = next {
        guard !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains(escaped) else {
          throw StoreError(.invalidValue, "the pattern has a back-reference")
        }
        position += 1
        try checkEscape(escaped)
      }
      return single
    default:
      return single
    }
  }

  /// Passes over a bracket expression: `]` stands for itself at its beginning, and inside `[: :]`, `[. .]`, `[= =]`.
  private mutating func bracket() throws(StoreError) {
    if next == UInt8(ascii: "^") { position += 1 }
    if next == UInt8(ascii: "]") { position += 1 }
    while let byte = next, byte != UInt8(ascii: "]") {
      position += 1
      if byte == UInt8(ascii: "\\") { try checkBackslash() }
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
    let start = position
    while let byte = next {
      if byte == UInt8(ascii: "?"), position > start {
        throw misread(
          position - 1..<position + 1, "there is no repetition that takes as little as it can: leave the `?` out")
      }
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

  // MARK: Other dialects

  /// Refuses a letter or digit behind a backslash, which POSIX takes for the character itself, save those that the C library
  /// knows.
  private func checkEscape(_ escaped: UInt8) throws(StoreError) {
    guard Self.isAlphanumeric(escaped), !"wWsSbB".utf8.contains(escaped) else { return }
    throw misread(position - 2..<position, Self.advice(escaped, isInside: false))
  }

  /// Refuses a backslash in a bracket that is not doubled: POSIX takes it for a backslash.
  private mutating func checkBackslash() throws(StoreError) {
    guard let escaped = next, escaped != UInt8(ascii: "\\") else {
      position = min(bytes.count, position + 1)
      return
    }
    throw misread(position - 1..<position + 1, Self.advice(escaped, isInside: true))
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// What to write in the place of an escape.
  private static func advice(_ escaped: UInt8, isInside: Bool) -> String {
    let kind = place(of: escaped)
    let (outside, inside) = forms[kind]
    if !isInside { return "write \(outside)" }
    if !inside.isEmpty { return "inside of brackets write \(inside)" }
    return "inside of brackets a backslash stands for itself, and is written `\\\\`; "
      + "write `]` first, `-` last, and other characters plainly"
  }

  private static func place(of escaped: UInt8) -> Int {
    switch escaped {
    case UInt8(ascii: "d"): 0
    case UInt8(ascii: "D"): 1
    case UInt8(ascii: "w"): 2
    case UInt8(ascii: "W"): 3
    case UInt8(ascii: "s"): 4
    case UInt8(ascii: "S"): 5
    case UInt8(ascii: "h"): 6
    case UInt8(ascii: "p"), UInt8(ascii: "P"): 7
    case UInt8(ascii: "A"): 8
    case UInt8(ascii: "z"), UInt8(ascii: "Z"): 9
    default: isAlphanumeric(escaped) ? 10 : 11
    }
  }

  /// For an escape, by its place: what POSIX writes outside of brackets and inside of them.
  private static let forms: [(String, String)] = [
    ("`[0-9]`", "`0-9`"), ("`[^0-9]`", "the characters themselves, or `[^0-9]` by itself"),
    ("`[[:alnum:]_]`", "`[:alnum:]_`"),
    ("`[^[:alnum:]_]`", "the characters themselves, or `[^[:alnum:]_]` by itself"),
    ("`[[:space:]]`", "`[:space:]`"), ("`[^[:space:]]`", "the characters themselves, or `[^[:space:]]` by itself"),
    ("`[[:blank:]]`", "`[:blank:]`"), ("a class such as `[[:alpha:]]`", "a class such as `[:alpha:]`"), ("`^`", ""),
    ("`$`", ""), ("the character itself", "the character itself"), ("the character itself", ""),
  ]

  /// What other dialects mean and POSIX does not.
  private func misread(_ range: Range<Int>, _ advice: String) -> StoreError {
    var character = 1
    for byte in bytes[..<range.lowerBound] where byte & 0xc0 != 0x80 { character += 1 }
    var end = min(range.upperBound, bytes.count)
    while end < bytes.count, bytes[end] & 0xc0 == 0x80 { end += 1 }
    let found = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
    return StoreError(
      .invalidValue,
      "the pattern has `\(found)` at character \(character), which is not of POSIX extended regular expressions: \(advice)"
    )
  }
}

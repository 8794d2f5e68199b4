import LiveryClient

/// Text that stays one line wherever it is shown, and reads in the order in which it is written.
public enum Line {
  /// Whether no character of it ends a line, controls a terminal, or turns the direction of what follows: U+0000 to U+001F,
  /// U+007F to U+009F, U+2028 to U+202E, U+2066 to U+2069.
  public static func isValid(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { !isControl($0) } }

  /// A text as a line of up to so many bytes: each run of such characters and spaces becomes one space, what is too long ends
  /// with `…`. nil if nothing is left.
  public static func of(_ text: String, limit: Int) -> String? {
    var line: [UInt8] = []
    var isSpaced = false
    for scalar in text.unicodeScalars {
      if isControl(scalar) || scalar.value == 0x20 {
        isSpaced = true
        continue
      }
      if isSpaced, !line.isEmpty { line.append(0x20) }
      isSpaced = false
      line.append(contentsOf: scalar.utf8)
      if line.count > limit { break }
    }
    guard !line.isEmpty else { return nil }
    return String(decoding: line, as: UTF8.self).shortened(limit)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Itself, or the beginning of it that ends with `…`, of so many bytes at most; 3 or more.
  func shortened(_ limit: Int) -> String {
    let mark = "…"
    guard utf8.count > limit, limit > mark.utf8.count else { return self }
    return cut(limit - mark.utf8.count) + mark
  }
}

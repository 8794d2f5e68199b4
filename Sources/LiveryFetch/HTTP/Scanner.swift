/// Reads bytes of a header field from left to right.
struct Scanner {
  private let bytes: [UInt8]
  private(set) var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { place >= bytes.count }
  var next: UInt8? { isAtEnd ? nil : bytes[place] }

  /// Whether the byte came next, and was passed.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  /// Whether the text came next, and was passed.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count else { return false }
    for index in 0..<count where bytes[place + index] != text.utf8Start[index] { return false }
    place += count
    return true
  }

  mutating func skipSpace() {
    while next == 32 || next == 9 { place += 1 }
  }

  /// Bytes as long as they are of a kind.
  mutating func take(while isWanted: (UInt8) -> Bool) -> [UInt8] {
    let start = place
    while let next, isWanted(next) { place += 1 }
    return Array(bytes[start..<place])
  }

  /// A token of RFC 9110, empty if none comes next.
  mutating func takeToken() -> [UInt8] { take { $0.isTokenByte } }

  /// A quoted string of RFC 9110 without its quotes and backslashes; nil if it does not end.
  mutating func takeQuoted() -> [UInt8]? {
    guard skip(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while let byte = next {
      place += 1
      if byte == UInt8(ascii: "\"") { return content }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      guard let escaped = next else { return nil }
      place += 1
      content.append(escaped)
    }
    return nil
  }

  /// Decimal digits, so many at least and at most; nil if there are fewer.
  mutating func takeNumber(_ lengths: ClosedRange<Int>) -> Int64? {
    var number: Int64 = 0
    var count = 0
    while let digit = next, digit.isDigit, count < lengths.upperBound {
      number = number * 10 + Int64(digit - 48)
      place += 1
      count += 1
    }
    return lengths.contains(count) ? number : nil
  }
}

extension UInt8 {
  var isDigit: Bool { self >= 48 && self <= 57 }

  var lowercased: UInt8 { self >= 65 && self <= 90 ? self + 32 : self }

  var isTokenByte: Bool {
    switch self {
    case 48...57, 65...90, 97...122: true
    // ! # $ % & ' * + - . ^ _ ` | ~
    case 33, 35, 36, 37, 38, 39, 42, 43, 45, 46, 94, 95, 96, 124, 126: true
    default: false
    }
  }
}

extension [UInt8] {
  /// Whether they are the bytes of a text, in whatever letter case of ASCII.
  func isText(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index].lowercased != text.utf8Start[index].lowercased { return false }
    return true
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}

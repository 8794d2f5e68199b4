// HTTP means something where it is ASCII; the rest is carried along.

extension UInt8 {
  package static var tab: UInt8 { 0x09 }
  package static var lineFeed: UInt8 { 0x0A }
  package static var carriageReturn: UInt8 { 0x0D }
  package static var space: UInt8 { 0x20 }
  package static var quote: UInt8 { 0x22 }
  package static var percent: UInt8 { 0x25 }
  package static var ampersand: UInt8 { 0x26 }
  package static var plus: UInt8 { 0x2B }
  package static var comma: UInt8 { 0x2C }
  package static var hyphen: UInt8 { 0x2D }
  package static var slash: UInt8 { 0x2F }
  package static var colon: UInt8 { 0x3A }
  package static var semicolon: UInt8 { 0x3B }
  package static var equals: UInt8 { 0x3D }
  package static var questionMark: UInt8 { 0x3F }
  package static var backslash: UInt8 { 0x5C }

  package var isControl: Bool { self < 0x20 || self == 0x7F }
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// What a hexadecimal digit stands for.
  package var hexadecimal: UInt8? {
    let letter = lowercased
    if isDigit { return self - 0x30 }
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
  }
}

extension Collection where Element == UInt8 {
  /// Whether it is this ASCII text, in upper or lower case.
  package func isSame(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    var next = text.utf8Start
    for byte in self {
      guard byte.lowercased == next.pointee.lowercased else { return false }
      next += 1
    }
    return true
  }

  /// Whether it begins with this ASCII text, in upper or lower case.
  package func begins(with text: StaticString) -> Bool { prefix(text.utf8CodeUnitCount).isSame(text) }
}

extension ArraySlice<UInt8> {
  /// Without blanks at either end.
  package var trimmed: ArraySlice<UInt8> {
    var rest = self
    while let first = rest.first, first == .space || first == .tab { rest = rest.dropFirst() }
    while let last = rest.last, last == .space || last == .tab { rest = rest.dropLast() }
    return rest
  }

  /// What comes before the first of these bytes, and what comes behind it; all and nothing if there is none.
  package func cut(at byte: UInt8) -> (before: ArraySlice<UInt8>, behind: ArraySlice<UInt8>?) {
    guard let place = firstIndex(of: byte) else { return (self, nil) }
    return (self[..<place], self[(place + 1)...])
  }

  /// nil if it is not UTF-8.
  package var text: String? { String(validating: self, as: UTF8.self) }

  /// A number of digits alone; nil if it is none, or too large.
  package var decimal: Int? {
    guard !isEmpty, count <= 15 else { return nil }
    var number = 0
    for byte in self {
      guard byte.isDigit else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }
}

/// `%41` and the like.
package enum Percent {
  /// Decodes; nil where a `%` has no two hexadecimal digits behind it, unless those are left as they are.
  package static func decode(_ bytes: ArraySlice<UInt8>, isForm: Bool) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let byte = bytes[place]
      place += 1
      if byte == .plus, isForm {
        decoded.append(.space)
      } else if byte != .percent {
        decoded.append(byte)
      } else if bytes.endIndex - place >= 2, let high = bytes[place].hexadecimal, let low = bytes[place + 1].hexadecimal
      {
        decoded.append(high << 4 | low)
        place += 2
      } else if isForm {
        decoded.append(byte)
      } else {
        return nil
      }
    }
    return decoded
  }
}

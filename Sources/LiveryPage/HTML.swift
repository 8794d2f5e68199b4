import LiveryHTTP

/// Markup as it grows. What is interpolated is escaped; the literal parts are the page's own.
///
/// Whatever draws calls its functions: that they are not inlined is half of the library's size.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
  package private(set) var bytes: [UInt8]

  package init() { bytes = [] }
  @inline(never)
  package init(stringLiteral literal: String) { bytes = Array(literal.utf8) }
  @inline(never)
  package init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

  @inline(never)
  package static func += (left: inout HTML, right: HTML) { left.bytes += right.bytes }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    @inline(never)
    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + 24 * interpolationCount)
    }

    @inline(never)
    package mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

    @inline(never)
    package mutating func appendInterpolation(_ text: String) {
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "\""): bytes += "&quot;".utf8
        case UInt8(ascii: "'"): bytes += "&#39;".utf8
        // A parser would make a line feed of it.
        case 13: bytes += "&#13;".utf8
        default: bytes.append(byte)
        }
      }
    }

    @inline(never)
    package mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }
    @inline(never)
    package mutating func appendInterpolation(_ number: Int) { bytes += number.description.utf8 }
    @inline(never)
    package mutating func appendInterpolation(_ number: UInt64) { bytes += number.description.utf8 }

    /// The markup if the condition holds; for attributes.
    @inline(never)
    package mutating func appendInterpolation(_ html: HTML, if condition: Bool) {
      if condition { bytes += html.bytes }
    }

    /// A part of an address: whatever is not a letter, a digit or one of `-._~` as %XX.
    @inline(never)
    package mutating func appendInterpolation(query text: String) { bytes += Query.encoded(text) }
  }
}

/// The parts of addresses.
package enum Query {
  package static func encoded(_ text: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return bytes
  }
}

/// 64 bits of a text, by FNV-1a: to tell whether it is another one, not to keep it from anybody.
package func fingerprint(_ text: some Sequence<UInt8>) -> String {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  return String(hash, radix: 36)
}

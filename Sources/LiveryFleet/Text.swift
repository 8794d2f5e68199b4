import CFleet
import LiveryClient

// Text by its bytes: `é` in two spellings is two names.

extension String {
  /// Whether two texts are the same bytes.
  @inline(never)
  func sameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Where the bytes lie together they are compared there: a view of them takes each one out by itself.
    return compare(other) { lvd_is_same($0.baseAddress, $1.baseAddress, $0.count) } ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether it comes before another one in the order of their bytes.
  @inline(never)
  func precedes(_ other: String) -> Bool {
    compare(other) { $0.lexicographicallyPrecedes($1) } ?? utf8.lexicographicallyPrecedes(other.utf8)
  }

  @inline(__always)
  private func compare(
    _ other: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool? {
    utf8.withContiguousStorageIfAvailable { (left) in
      other.utf8.withContiguousStorageIfAvailable { body(left, $0) }
    } ?? nil
  }
}

extension [UInt8] {
  /// The order in which hashes and keys are listed.
  @inline(never)
  func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }

  /// Lowercase hexadecimal, two digits for each byte.
  public var hexadecimal: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Base64 for URLs (RFC 4648 §5) without padding, in its one form: bits that no byte uses are zero.
enum Base64URL {
  private static var digits: [UInt8] {
    Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  }

  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = digits
    var text: [UInt8] = []
    var (bits, held): (UInt32, Int) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(digits[Int(bits >> UInt32(held) & 63)])
      }
    }
    if held > 0 { text.append(digits[Int(bits << UInt32(6 - held) & 63)]) }
    return text
  }

  /// nil for anything that `encode` does not give.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, held): (UInt32, Int) = (0, 0)
    for character in text {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = character - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0") + 52
      case UInt8(ascii: "-"): digit = 62
      case UInt8(ascii: "_"): digit = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(digit)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        bits &= (1 << UInt32(held)) - 1
      }
    }
    guard held < 6, bits == 0 else { return nil }
    return bytes
  }
}

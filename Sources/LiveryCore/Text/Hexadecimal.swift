/// Base 16 of RFC 4648 §8: written in lower case, read in either.
public enum Hexadecimal {
  public static func encode(_ bytes: [UInt8], isUppercase: Bool = false) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      out.append(character(byte >> 4, isUppercase))
      out.append(character(byte & 15, isUppercase))
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The bytes; nil for anything but pairs of digits.
  public static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 2 == 0 else { return nil }
    return text.withBytes { (characters) in
      var out: [UInt8] = []
      out.reserveCapacity(characters.count / 2)
      for place in stride(from: 0, to: characters.count, by: 2) {
        guard let high = digit(characters[place]), let low = digit(characters[place + 1]) else { return nil }
        out.append(high << 4 | low)
      }
      return out
    }
  }

  /// Whether it is digits alone.
  public static func holds(_ text: String) -> Bool {
    text.withBytes { (characters) in characters.allSatisfy { digit($0) != nil } }
  }

  static func character(_ digit: UInt8, _ isUppercase: Bool = false) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") &+ digit : (isUppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) &+ (digit &- 10)
  }

  static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

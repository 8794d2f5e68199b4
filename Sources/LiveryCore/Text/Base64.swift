/// Base64 of RFC 4648 §4.
public enum Base64 {
  private static let alphabet: [UInt8] = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  public static func encode(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    append(bytes, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  static func append(_ bytes: [UInt8], to out: inout [UInt8]) {
    let alphabet = alphabet
    let padding = UInt8(ascii: "=")
    out.reserveCapacity(out.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index + 3 <= bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      out.append(alphabet[Int(group >> 18)])
      out.append(alphabet[Int(group >> 12 & 63)])
      out.append(alphabet[Int(group >> 6 & 63)])
      out.append(alphabet[Int(group & 63)])
      index += 3
    }
    switch bytes.count - index {
    case 1:
      let group = UInt32(bytes[index]) << 16
      out += [alphabet[Int(group >> 18)], alphabet[Int(group >> 12 & 63)], padding, padding]
    case 2:
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
      out += [alphabet[Int(group >> 18)], alphabet[Int(group >> 12 & 63)], alphabet[Int(group >> 6 & 63)], padding]
    default: break
    }
  }

  /// The bytes; nil unless the text is strictly base64: with padding, without white space, unused bits zero.
  public static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 == 0 else { return nil }
    var padding = 0
    while padding < 2, padding < characters.count, characters[characters.count - 1 - padding] == UInt8(ascii: "=") {
      padding += 1
    }
    var out: [UInt8] = []
    out.reserveCapacity(characters.count / 4 * 3)
    var group: UInt32 = 0
    for index in 0..<(characters.count - padding) {
      guard let digit = digit(characters[index]) else { return nil }
      group = group << 6 | digit
      if index % 4 == 3 {
        out.append(UInt8(truncatingIfNeeded: group >> 16))
        out.append(UInt8(truncatingIfNeeded: group >> 8))
        out.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    switch padding {
    case 1:
      guard group & 3 == 0 else { return nil }
      out.append(UInt8(truncatingIfNeeded: group >> 10))
      out.append(UInt8(truncatingIfNeeded: group >> 2))
    case 2:
      guard group & 15 == 0 else { return nil }
      out.append(UInt8(truncatingIfNeeded: group >> 4))
    default: break
    }
    return out
  }

  private static func digit(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

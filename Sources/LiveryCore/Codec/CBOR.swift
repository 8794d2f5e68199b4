/// Values as CBOR (RFC 8949) in the core deterministic encoding of its §4.2.1: one value has one encoding.
///
/// Integers and doubles keep apart as integers and floats. Dates are tag 0 (text of RFC 3339), URLs tag 32 (text), colors
/// tag 19523 (an array of red, green, blue and alpha), images tag 19529 (text). What is sealed is tag 19539 (bytes), and
/// no part of anything.
public enum CBOR {
  /// The deepest nesting of arrays and maps that is read.
  public static let maximumDepth = 64

  enum Major: UInt8 {
    case unsigned = 0
    case negative, bytes, text, array, map, tag, simple
  }

  static let falseByte: UInt8 = 0xf4
  static let trueByte: UInt8 = 0xf5
  static let nullByte: UInt8 = 0xf6
  static let halfByte: UInt8 = 0xf9
  static let singleByte: UInt8 = 0xfa
  static let doubleByte: UInt8 = 0xfb

  static let dateTag: UInt64 = 0
  static let urlTag: UInt64 = 32
  static let colorTag: UInt64 = 19523
  static let imageTag: UInt64 = 19529
  static let sealedTag: UInt64 = 19539

  /// The value's bytes.
  ///
  /// They can be decoded if the value passes `check()`.
  public static func encode(_ value: Value) -> [UInt8] {
    var out = ByteBuffer()
    append(value, to: &out)
    return out.array
  }

  @_optimize(speed)
  static func append(_ value: Value, to out: inout ByteBuffer, depth: Int = 0) {
    switch value {
    case .bool(let truth): out.append(truth ? trueByte : falseByte)
    case .int(let number):
      if number >= 0 {
        appendHead(.unsigned, UInt64(number), to: &out)
      } else {
        appendHead(.negative, UInt64(bitPattern: ~number), to: &out)
      }
    case .double(let number): append(number, to: &out)
    case .string(let text): append(text, to: &out)
    case .data(let bytes):
      appendHead(.bytes, UInt64(bytes.count), to: &out)
      out.append(bytes)
    case .url(let text):
      appendHead(.tag, urlTag, to: &out)
      append(text, to: &out)
    case .date(let date):
      appendHead(.tag, dateTag, to: &out)
      append(date.rfc3339, to: &out)
    case .color(let color):
      appendHead(.tag, colorTag, to: &out)
      appendHead(.array, 4, to: &out)
      append(Double(color.red), to: &out)
      append(Double(color.green), to: &out)
      append(Double(color.blue), to: &out)
      append(Double(color.alpha), to: &out)
    case .image(let text):
      appendHead(.tag, imageTag, to: &out)
      append(text, to: &out)
    case .sealed(let sealed):
      appendHead(.tag, sealedTag, to: &out)
      append(.data(sealed.bytes), to: &out)
    case .list where depth >= maximumDepth, .object where depth >= maximumDepth:
      // Only what `check()` refuses comes here.
      out.append(nullByte)
    case .list(let items):
      appendHead(.array, UInt64(items.count), to: &out)
      for item in items { append(item, to: &out, depth: depth + 1) }
    case .object(let members):
      appendHead(.map, UInt64(members.count), to: &out)
      for index in sortedOrder(of: members.count, { keyPrecedes(members[$0].key, members[$1].key) }) {
        append(members[index].key, to: &out)
        append(members[index].value, to: &out, depth: depth + 1)
      }
    }
  }

  /// The order of two keys' encodings: those begin with the length, so shorter ones come first.
  private static func keyPrecedes(_ left: String, _ right: String) -> Bool {
    let lengths = (left.utf8.count, right.utf8.count)
    return lengths.0 == lengths.1 ? left.precedesInBytes(right) : lengths.0 < lengths.1
  }

  @_optimize(speed)
  static func append(_ text: String, to out: inout ByteBuffer) {
    appendHead(.text, UInt64(text.utf8.count), to: &out)
    out.append(text)
  }

  private static func append(_ number: Double, to out: inout ByteBuffer) {
    if let half = Half.exactly(number) {
      out.append(halfByte)
      out.append(bigEndian: half)
    } else if Double(Float(number)) == number {
      out.append(singleByte)
      out.append(bigEndian: Float(number).bitPattern)
    } else {
      out.append(doubleByte)
      out.append(bigEndian: number.bitPattern)
    }
  }

  @_optimize(speed)
  static func appendHead(_ major: Major, _ argument: UInt64, to out: inout ByteBuffer) {
    let type = major.rawValue << 5
    switch argument {
    case 0...23: out.append(type | UInt8(truncatingIfNeeded: argument))
    case 24...0xff:
      out.append(type | 24)
      out.append(UInt8(truncatingIfNeeded: argument))
    case 0x100...0xffff:
      out.append(type | 25)
      out.append(bigEndian: UInt16(truncatingIfNeeded: argument))
    case 0x10000...0xffff_ffff:
      out.append(type | 26)
      out.append(bigEndian: UInt32(truncatingIfNeeded: argument))
    default:
      out.append(type | 27)
      out.append(bigEndian: argument)
    }
  }
}

/// IEEE 754 numbers of 16 bits, by their bits: not every processor has them.
enum Half {
  /// The bits of the same number in 16 bits; nil if there is none, and for NaN and infinity.
  static func exactly(_ number: Double) -> UInt16? {
    let bits = number.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 48) & 0x8000
    let fraction = bits & 0xf_ffff_ffff_ffff
    let exponent = Int(bits >> 52 & 0x7ff) - 1023
    if number == 0 { return sign }
    if exponent >= -14 && exponent <= 15 {
      guard fraction & ((1 << 42) - 1) == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: exponent + 15) << 10 | UInt16(truncatingIfNeeded: fraction >> 42)
    }
    if exponent >= -24 && exponent < -14 {
      let shift = UInt64(28 - exponent)
      let significand = fraction | 1 << 52
      guard significand & ((1 << shift) - 1) == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: significand >> shift)
    }
    return nil
  }

  /// The number; NaN for NaN and infinity.
  static func value(_ bits: UInt16) -> Double {
    let fraction = Double(bits & 0x3ff)
    let exponent = Int(bits >> 10 & 0x1f)
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    switch exponent {
    case 0: return sign * fraction / 16_777_216
    case 31: return .nan
    default: return Double(sign: .plus, exponent: exponent - 15, significand: sign * (1 + fraction / 1024))
    }
  }
}

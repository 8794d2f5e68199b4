import LiveryClient

/// Values as CBOR (RFC 8949) in the core deterministic encoding of its §4.2.1: one value has one encoding, that of stores
/// (docs/file-format.md), and no other is taken.
public enum CBOR {
  enum Major {
    static let unsigned: UInt8 = 0
    static let negative: UInt8 = 1
    static let bytes: UInt8 = 2
    static let text: UInt8 = 3
    static let array: UInt8 = 4
    static let map: UInt8 = 5
    static let tag: UInt8 = 6
  }

  enum Simple {
    static let no: UInt8 = 0xf4
    static let yes: UInt8 = 0xf5
    static let half: UInt8 = 0xf9
    static let single: UInt8 = 0xfa
    static let double: UInt8 = 0xfb
  }

  enum Tag {
    static let date: UInt64 = 0
    static let url: UInt64 = 32
    static let color: UInt64 = 19523
    static let image: UInt64 = 19529
  }

  /// The value's bytes.
  ///
  /// - Throws: `.malformed` for what no value may be: a number that is not finite, a key twice or with NUL, a moment outside
  ///   the years 1 to 9999; `.tooLarge` for what is nested too deep.
  public static func encode(_ value: Value) throws(FleetError) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    try append(value, to: &out, depth: 0)
    return out
  }

  private static func append(_ value: Value, to out: inout [UInt8], depth: Int) throws(FleetError) {
    switch value {
    case .bool(let truth): out.append(truth ? Simple.yes : Simple.no)
    case .int(let number):
      let isNegative = number < 0
      appendHead(
        isNegative ? Major.negative : Major.unsigned, UInt64(bitPattern: isNegative ? ~number : number), to: &out)
    case .double(let number): try append(number, to: &out)
    case .string(let text): append(text, to: &out)
    case .data(let bytes):
      appendHead(Major.bytes, UInt64(bytes.count), to: &out)
      out += bytes
    case .url(let text):
      appendHead(Major.tag, Tag.url, to: &out)
      append(text, to: &out)
    case .date(let date):
      guard let text = DateText.encode(microseconds: date.microseconds) else {
        throw FleetError(.malformed, "a moment is outside the years 1 to 9999")
      }
      appendHead(Major.tag, Tag.date, to: &out)
      appendHead(Major.text, UInt64(text.count), to: &out)
      out += text
    case .color(let color):
      appendHead(Major.tag, Tag.color, to: &out)
      appendHead(Major.array, 4, to: &out)
      for component in [color.red, color.green, color.blue, color.alpha] {
        guard component >= 0, component <= 1, component.sign == .plus else {
          throw FleetError(.malformed, "a color is out of range")
        }
        try append(Double(component), to: &out)
      }
    case .image(let text):
      appendHead(Major.tag, Tag.image, to: &out)
      append(text, to: &out)
    case .list(let items):
      guard depth < Limit.depth else { throw tooDeep }
      appendHead(Major.array, UInt64(items.count), to: &out)
      for item in items { try append(item, to: &out, depth: depth + 1) }
    case .object(let members):
      guard depth < Limit.depth else { throw tooDeep }
      try append(members, to: &out, depth: depth)
    }
  }

  private static func append(_ members: [Value.Member], to out: inout [UInt8], depth: Int) throws(FleetError) {
    appendHead(Major.map, UInt64(members.count), to: &out)
    // Most are in order already.
    let isOrdered = zip(members, members.dropFirst()).allSatisfy { keyPrecedes($0.key, $1.key) }
    let ordered = isOrdered ? members : members.sorted { keyPrecedes($0.key, $1.key) }
    for (index, member) in ordered.enumerated() {
      guard !member.key.utf8.contains(0) else { throw FleetError(.malformed, "a key contains a NUL") }
      if index > 0, ordered[index - 1].key.sameBytes(as: member.key) {
        throw FleetError(.malformed, "an object has the key \(member.key) twice")
      }
      append(member.key, to: &out)
      try append(member.value, to: &out, depth: depth + 1)
    }
  }

  static var tooDeep: FleetError { FleetError(.tooLarge, "a value is nested too deep") }

  /// The order of two keys' encodings: those begin with the length, so shorter ones come first.
  static func keyPrecedes(_ left: String, _ right: String) -> Bool {
    let lengths = (left.utf8.count, right.utf8.count)
    return lengths.0 == lengths.1 ? left.precedes(right) : lengths.0 < lengths.1
  }

  private static func append(_ text: String, to out: inout [UInt8]) {
    appendHead(Major.text, UInt64(text.utf8.count), to: &out)
    if text.utf8.withContiguousStorageIfAvailable({ out.append(contentsOf: $0) }) == nil {
      out.append(contentsOf: text.utf8)
    }
  }

  private static func append(_ number: Double, to out: inout [UInt8]) throws(FleetError) {
    guard number.isFinite else { throw FleetError(.malformed, "a number is not finite") }
    if let half = Half.exactly(number) {
      out.append(Simple.half)
      appendBigEndian(UInt64(half), count: 2, to: &out)
    } else if Double(Float(number)) == number {
      out.append(Simple.single)
      appendBigEndian(UInt64(Float(number).bitPattern), count: 4, to: &out)
    } else {
      out.append(Simple.double)
      appendBigEndian(number.bitPattern, count: 8, to: &out)
    }
  }

  private static func appendHead(_ major: UInt8, _ argument: UInt64, to out: inout [UInt8]) {
    let type = major << 5
    switch argument {
    case 0...23: out.append(type | UInt8(truncatingIfNeeded: argument))
    case 24...0xff:
      out.append(type | 24)
      appendBigEndian(argument, count: 1, to: &out)
    case 0x100...0xffff:
      out.append(type | 25)
      appendBigEndian(argument, count: 2, to: &out)
    case 0x10000...0xffff_ffff:
      out.append(type | 26)
      appendBigEndian(argument, count: 4, to: &out)
    default:
      out.append(type | 27)
      appendBigEndian(argument, count: 8, to: &out)
    }
  }

  private static func appendBigEndian(_ number: UInt64, count: Int, to out: inout [UInt8]) {
    for place in stride(from: 8 * (count - 1), through: 0, by: -8) {
      out.append(UInt8(truncatingIfNeeded: number >> UInt64(place)))
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

/// The stored form of a value without its type: scalars plainly, little-endian; lists and objects as CBOR.
public enum Payload {
  public static func encode(_ value: Value) -> [UInt8] {
    var bytes = ByteBuffer(capacity: size(of: value))
    append(value, to: &bytes)
    return bytes.array
  }

  public static func append(_ value: Value, to bytes: inout ByteBuffer) {
    switch value {
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int(let value): bytes.append(littleEndian: value)
    case .double(let value): bytes.append(littleEndian: value.bitPattern)
    case .date(let value): bytes.append(littleEndian: value.microseconds)
    case .string(let text), .url(let text), .image(let text): bytes.append(text)
    case .data(let data): bytes.append(data)
    case .color(let color):
      bytes.append(littleEndian: color.red.bitPattern)
      bytes.append(littleEndian: color.green.bitPattern)
      bytes.append(littleEndian: color.blue.bitPattern)
      bytes.append(littleEndian: color.alpha.bitPattern)
    case .list, .object: CBOR.append(value, to: &bytes)
    case .sealed(let sealed): bytes.append(sealed.bytes)
    }
  }

  /// About how many bytes a value takes, where that is easily told.
  public static func size(of value: Value?) -> Int {
    switch value {
    case .string(let text), .url(let text), .image(let text): text.utf8.count
    case .data(let data): data.count
    default: 16
    }
  }

  /// nil if the bytes are no value of that type.
  public static func decode(_ type: ValueType, _ bytes: RawSpan) -> Value? {
    switch type {
    case .bool:
      guard bytes.byteCount == 1, bytes.byte(at: 0) <= 1 else { return nil }
      return .bool(bytes.byte(at: 0) == 1)
    case .int:
      return word(bytes).map { .int(Int64(bitPattern: $0)) }
    case .double:
      return word(bytes).map { .double(Double(bitPattern: $0)) }
    case .date:
      return word(bytes).map { .date(Timestamp(microseconds: Int64(bitPattern: $0))) }
    case .string: return bytes.text.map { .string($0) }
    case .url: return bytes.text.map { .url($0) }
    case .image: return bytes.text.map { .image($0) }
    case .data: return .data(bytes.array)
    case .color:
      guard bytes.byteCount == 16 else { return nil }
      let (first, second) = (bytes.word(at: 0), bytes.word(at: 8))
      let color = Color(red: float(first), green: float(first >> 32), blue: float(second), alpha: float(second >> 32))
      return color.isValid ? .color(color) : nil
    case .list, .object:
      guard let value = try? CBOR.decode(bytes.array), value.type == type else { return nil }
      return value
    }
  }

  private static func word(_ bytes: RawSpan) -> UInt64? { bytes.byteCount == 8 ? bytes.word(at: 0) : nil }

  private static func float(_ bits: UInt64) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: bits)) }
}

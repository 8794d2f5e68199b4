/// The stored form of a value without its type: scalars plainly, little-endian; lists and objects as CBOR.
public enum Payload {
  public static func encode(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return bytes
  }

  public static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int(let value): bytes.append(littleEndian: value)
    case .double(let value): bytes.append(littleEndian: value.bitPattern)
    case .date(let value): bytes.append(littleEndian: value.microseconds)
    case .string(let text), .url(let text), .image(let text): bytes.append(text)
    case .data(let data): bytes.append(contentsOf: data)
    case .color(let color):
      for component in [color.red, color.green, color.blue, color.alpha] {
        bytes.append(littleEndian: component.bitPattern)
      }
    case .list, .object: CBOR.append(value, to: &bytes)
    }
  }

  /// nil if the bytes are no value of that type.
  public static func decode(_ type: ValueType, _ bytes: [UInt8]) -> Value? {
    switch type {
    case .bool:
      guard bytes.count == 1, bytes[0] <= 1 else { return nil }
      return .bool(bytes[0] == 1)
    case .int:
      return word(bytes).map { .int(Int64(bitPattern: $0)) }
    case .double:
      return word(bytes).map { .double(Double(bitPattern: $0)) }
    case .date:
      return word(bytes).map { .date(Timestamp(microseconds: Int64(bitPattern: $0))) }
    case .string: return String(validating: bytes, as: UTF8.self).map { .string($0) }
    case .url: return String(validating: bytes, as: UTF8.self).map { .url($0) }
    case .image: return String(validating: bytes, as: UTF8.self).map { .image($0) }
    case .data: return .data(bytes)
    case .color:
      guard bytes.count == 16 else { return nil }
      let component = { (index: Int) in
        Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[index * 4 + $1]) << (8 * UInt32($1)) })
      }
      let color = Color(red: component(0), green: component(1), blue: component(2), alpha: component(3))
      return color.isValid ? .color(color) : nil
    case .list, .object:
      guard let value = try? CBOR.decode(bytes), value.type == type else { return nil }
      return value
    }
  }

  private static func word(_ bytes: [UInt8]) -> UInt64? {
    guard bytes.count == 8 else { return nil }
    return bytes.withUnsafeBytes { $0.bytes.word(at: 0) }
  }
}

/// The stored form of a secret's value, which only who has the key can open.
///
///     0  form     u8   1
///     1  type     u8   ValueType of the value
///     2  layer    u8   the layer that the value is of
///     3  content       what the sealer made of the value's stored form
public struct Sealed: Sendable, Equatable {
  public let bytes: [UInt8]

  static let form: UInt8 = 1
  static let headerSize = 3
  /// The most bytes that a sealer may add.
  public static let mostOverhead = 128

  public init(_ type: ValueType, layer: UInt8, content: [UInt8]) {
    bytes = [Self.form, type.rawValue, layer] + content
  }

  /// nil if the bytes are no such form, whatever their content says.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count > Self.headerSize, bytes.count <= Value.maximumSize + Self.headerSize + Self.mostOverhead,
      bytes[0] == Self.form, ValueType(rawValue: bytes[1]) != nil
    else { return nil }
    self.bytes = bytes
  }

  public var type: ValueType { ValueType(rawValue: bytes[1]) ?? .data }
  public var layer: UInt8 { bytes[2] }
  public var content: [UInt8] { [UInt8](bytes[Self.headerSize...]) }

  /// What a value is bound to: it opens in no other store, setting and layer, and as no other type.
  public static func context(store: [UInt8], name: String, type: ValueType, layer: UInt8) -> [UInt8] {
    var context = "livery sealed".bytes
    context += [form, type.rawValue, layer, UInt8(truncatingIfNeeded: store.count)]
    context += store
    context.append(name)
    return context
  }
}

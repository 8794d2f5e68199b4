/// A stored record looked at in its place, without a copy.
public struct RecordPlace {
  /// nil for no value.
  public let type: ValueType?
  /// Whether the stored form is sealed.
  public let isSealed: Bool
  /// Where the value's stored form is.
  public let payload: Range<Int>
  public let layer: Layer
  let flags: UInt8
  let revision: UInt64
  let time: Int64
  /// Microseconds since 1970; 0 for never.
  public let expires: Int64

  /// nil if the record is damaged or belongs to another key.
  @inline(__always)
  public init?(_ bytes: RawSpan, key: RawSpan, tag: UInt8) {
    guard bytes.byteCount >= Record.headerSize, Checksum.verify(bytes, key: key, tag: tag),
      bytes.byte(at: 8) == Record.format, let layer = Layer(rawValue: bytes.byte(at: 11))
    else { return nil }
    let end = bytes.byteCount - Int(bytes.byte(at: 12))
    guard end >= Record.headerSize else { return nil }
    let type = bytes.byte(at: 9) & ~Record.sealedType
    isSealed = bytes.byte(at: 9) & Record.sealedType != 0
    if type == 0 {
      self.type = nil
    } else {
      guard let known = ValueType(rawValue: type) else { return nil }
      self.type = known
    }
    self.layer = layer
    flags = bytes.byte(at: 10)
    revision = bytes.word(at: 16)
    time = Int64(bitPattern: bytes.word(at: 24))
    expires = Int64(bitPattern: bytes.word(at: 32))
    payload = Record.headerSize..<end
  }

  /// The value; nil if there is none, or if the bytes are none of its type.
  @inline(__always)
  public func value(in bytes: RawSpan) -> Value? {
    if isSealed { return sealed(in: bytes).map { .sealed($0) } }
    return type.flatMap { Payload.decode($0, bytes.extracting(payload)) }
  }

  @inline(never)
  private func sealed(in bytes: RawSpan) -> Sealed? {
    guard let sealed = Sealed(bytes.array(in: payload)), sealed.type == type, sealed.layer == layer.rawValue else {
      return nil
    }
    return sealed
  }
}

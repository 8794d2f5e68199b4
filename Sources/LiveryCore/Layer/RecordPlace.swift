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
  /// Microseconds since 1970; 0 for never. Long ago for a value that has ended with the boot of the system.
  public let expires: Int64
  /// As it was set.
  let ownExpiry: Int64
  /// The boot of the system that the value ends with; 0 for none.
  let boot: UInt64

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
    ownExpiry = Int64(bitPattern: bytes.word(at: 32))
    guard flags & Record.volatileFlag != 0 else {
      expires = ownExpiry
      boot = 0
      payload = Record.headerSize..<end
      return
    }
    let start = Record.headerSize + 8
    guard end >= start else { return nil }
    boot = bytes.word(at: Record.headerSize)
    expires = Boot.hasEnded(boot) ? Int64.min : ownExpiry
    payload = start..<end
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

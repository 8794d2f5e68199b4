/// A stored record looked at in its place, without a copy: what a read that only passes the value on needs.
public struct RecordPlace {
  public let type: ValueType
  /// Microseconds since 1970; 0 for never.
  public let expires: Int64
  /// The value, if its type takes no more than 8 bytes.
  public let scalar: UInt64?
  /// Otherwise where its stored form is.
  public let payload: Range<Int>

  /// nil if the record is damaged, has no value, or is not so simple: `Record` tells.
  @inline(__always)
  public init?(_ bytes: RawSpan, key: UnsafeRawBufferPointer, tag: UInt8) {
    guard bytes.byteCount >= Record.headerSize, Checksum.verify(bytes, key: key, tag: tag),
      bytes.byte(at: 8) == Record.format, bytes.byte(at: 11) <= Layer.override.rawValue,
      let type = ValueType(rawValue: bytes.byte(at: 9))
    else { return nil }
    let end = bytes.byteCount - Int(bytes.byte(at: 12))
    guard end >= Record.headerSize else { return nil }
    let size = end - Record.headerSize
    self.type = type
    expires = Int64(bitPattern: bytes.word(at: 32))
    payload = Record.headerSize..<end
    switch type {
    case .bool:
      guard size == 1, bytes.byte(at: Record.headerSize) <= 1 else { return nil }
      scalar = UInt64(bytes.byte(at: Record.headerSize))
    case .int, .double, .date:
      guard size == 8 else { return nil }
      scalar = bytes.word(at: Record.headerSize)
    case .string, .url, .image:
      // What is not ASCII has yet to be looked at.
      let isASCII = bytes.withUnsafeBytes { bytes in
        for index in Record.headerSize..<end where bytes[index] >= 0x80 { return false }
        return true
      }
      guard isASCII else { return nil }
      scalar = nil
    case .data: scalar = nil
    case .color, .list, .object: return nil
    }
  }
}

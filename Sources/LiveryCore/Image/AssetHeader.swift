/// What stands before the bytes of a stored asset.
///
/// Layout, little-endian, unaligned; the key is the SHA-256 of the bytes:
///
///     0  checksum     u64   of bytes 8 to 47, as that of a record
///     8  format       u8    1
///     9  type         u8    MediaType
///    10  orientation  u8    1 to 8
///    11  reserved     5 bytes, 0
///    16  width        u32   in pixels, 0 if there is none
///    20  height       u32
///    24  time         i64   when it was stored, microseconds since 1970
///    32  size         u64   of the bytes
///    40  content      u64   checksum of the bytes, seeded as the other
///    48  the bytes
public struct AssetHeader: Sendable, Equatable {
  public var facts: ImageFacts
  public var time: Timestamp
  public var size: Int
  public var content: UInt64

  public static let format: UInt8 = 1
  public static let length = 48

  /// The header of some bytes.
  public init(_ facts: ImageFacts, time: Timestamp, bytes: [UInt8], key: [UInt8], tag: UInt8) {
    self.facts = facts
    self.time = time
    size = bytes.count
    content = bytes.withUnsafeBytes { Checksum.sum(of: $0.bytes, key: key, tag: tag) }
  }

  /// The stored form, bound to the key it is stored under.
  public func encode(key: [UInt8], tag: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.length)
    bytes.append(littleEndian: 0 as UInt64)
    bytes += [Self.format, facts.type.rawValue, facts.orientation, 0, 0, 0, 0, 0]
    bytes.append(littleEndian: UInt64(facts.width) | UInt64(facts.height) << 32)
    bytes.append(littleEndian: UInt64(bitPattern: time.microseconds))
    bytes.append(littleEndian: UInt64(size))
    bytes.append(littleEndian: content)
    Checksum.seal(&bytes, key: key, tag: tag)
    return bytes
  }

  /// Reads the header of a stored asset; nil if it is damaged or belongs to another key. The bytes are not looked at.
  public init?(_ stored: RawSpan, key: [UInt8], tag: UInt8) {
    guard stored.byteCount >= Self.length,
      Checksum.verify(stored.extracting(0..<Self.length), key: key, tag: tag),
      stored.byte(at: 8) == Self.format, let type = MediaType(rawValue: stored.byte(at: 9))
    else { return nil }
    let size = stored.word(at: 16)
    facts = ImageFacts(
      type, width: Int(size & 0xFFFF_FFFF), height: Int(size >> 32), orientation: stored.byte(at: 10))
    time = Timestamp(microseconds: Int64(bitPattern: stored.word(at: 24)))
    self.size = stored.byteCount - Self.length
    content = stored.word(at: 40)
    guard stored.word(at: 32) == UInt64(self.size) else { return nil }
  }

  /// Whether the bytes behind the header are those that were stored.
  public func matches(_ stored: RawSpan, key: [UInt8], tag: UInt8) -> Bool {
    Checksum.sum(of: stored.extracting(Self.length..<stored.byteCount), key: key, tag: tag) == content
  }
}

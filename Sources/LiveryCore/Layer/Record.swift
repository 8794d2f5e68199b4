import CXXHash

/// A value with where it comes from, as it is stored: one layer's value of a setting, or the effective one.
///
/// Layout, little-endian, unaligned:
///
///     0  checksum   u64   XXH3-64 of all that follows, seeded with the XXH3-64 of the key (seeded with the database's tag)
///     8  format     u8    1
///     9  type       u8    ValueType, 0 for no value; 128 more if the payload is sealed
///    10  flags      u8    1 rejected, 2 locked, 4 volatile
///    11  layer      u8
///    12  origin     u8    length in bytes
///    13  reserved   3 bytes, 0
///    16  revision   u64
///    24  time       i64   microseconds since 1970
///    32  expires    i64   microseconds since 1970, 0 for never
///    40  payload, then origin; of a volatile value first the number of the boot that it was set in, u64
public struct Record: Sendable, Equatable {
  /// nil in an effective record: the setting has no value.
  public var value: Value? { didSet { sealed = nil } }
  /// The stored form of a value that is sealed, be it opened or not; goes when the value is exchanged.
  public private(set) var sealed: Sealed?
  public var layer: Layer
  /// The commit that made it.
  public var revision: UInt64
  public var time: Timestamp
  public var expires: Timestamp?
  public var origin: String
  /// Whether it no longer satisfies the schema.
  public var isRejected = false
  /// In an effective record: whether weaker layers may not be changed.
  public var isLocked = false
  /// The boot of the system that it ends with; 0 for none.
  public var boot: UInt64 = 0

  public init(
    _ value: Value?, layer: Layer, revision: UInt64, time: Timestamp, expires: Timestamp? = nil, origin: String = ""
  ) {
    self.value = value
    self.layer = layer
    self.revision = revision
    self.time = time
    self.expires = expires
    self.origin = origin
  }
}

extension Record {
  public static let format: UInt8 = 1
  static let headerSize = 40
  private static let rejectedFlag: UInt8 = 1
  private static let lockedFlag: UInt8 = 2
  static let volatileFlag: UInt8 = 4
  static let sealedType: UInt8 = 128

  /// The same with its value opened, or sealed.
  public func with(_ value: Value, _ sealed: Sealed?) -> Record {
    var record = self
    record.value = value
    record.sealed = sealed
    return record
  }

  /// The stored form, bound to the key it is stored under.
  public func encode(key: [UInt8], tag: UInt8) -> [UInt8] {
    var form = sealed
    if case .sealed(let unopened)? = value { form = unopened }
    var bytes = [UInt8](unsafeUninitializedCapacity: Self.headerSize + 64) { place, count in
      let header = UnsafeMutableRawBufferPointer(place)
      let flags =
        (isRejected ? Self.rejectedFlag : 0) | (isLocked ? Self.lockedFlag : 0) | (boot != 0 ? Self.volatileFlag : 0)
      header.storeBytes(of: 0, as: UInt64.self)
      header.storeBytes(of: Self.format, toByteOffset: 8, as: UInt8.self)
      header.storeBytes(
        of: (value?.type.rawValue ?? 0) | (form == nil ? 0 : Self.sealedType), toByteOffset: 9, as: UInt8.self)
      header.storeBytes(of: flags, toByteOffset: 10, as: UInt8.self)
      header.storeBytes(of: layer.rawValue, toByteOffset: 11, as: UInt8.self)
      header.storeBytes(of: UInt32(UInt8(clamping: origin.utf8.count)).littleEndian, toByteOffset: 12, as: UInt32.self)
      header.storeBytes(of: revision.littleEndian, toByteOffset: 16, as: UInt64.self)
      header.storeBytes(of: time.microseconds.littleEndian, toByteOffset: 24, as: Int64.self)
      header.storeBytes(of: (expires?.microseconds ?? 0).littleEndian, toByteOffset: 32, as: Int64.self)
      count = Self.headerSize
    }
    if boot != 0 { bytes.append(littleEndian: boot) }
    if let form { bytes.append(contentsOf: form.bytes) } else if let value { Payload.append(value, to: &bytes) }
    bytes.append(origin)
    Checksum.seal(&bytes, key: key, tag: tag)
    return bytes
  }

  /// Reads a stored record back; nil if it is damaged or belongs to another key.
  public init?(_ bytes: RawSpan, key: [UInt8], tag: UInt8) {
    guard let place = RecordPlace(bytes, key: key.span.bytes, tag: tag),
      let origin = bytes.text(in: place.payload.upperBound..<bytes.byteCount)
    else { return nil }
    value = place.value(in: bytes)
    guard value != nil || place.type == nil else { return nil }
    if case .sealed(let form)? = value { sealed = form }
    layer = place.layer
    self.origin = origin
    revision = place.revision
    time = Timestamp(microseconds: place.time)
    expires = place.ownExpiry == 0 ? nil : Timestamp(microseconds: place.ownExpiry)
    boot = place.boot
    isRejected = place.flags & Self.rejectedFlag != 0
    isLocked = place.flags & Self.lockedFlag != 0
  }

  public static func == (left: Record, right: Record) -> Bool {
    left.saysTheSame(as: right) && left.revision == right.revision && left.time == right.time
      && left.origin.sameBytes(as: right.origin)
  }

  /// Whether two records say the same, whichever commits made them.
  public func saysTheSame(as other: Record) -> Bool {
    value == other.value && layer == other.layer && expires == other.expires && isRejected == other.isRejected
      && isLocked == other.isLocked && boot == other.boot
  }
}

import CXXHash

/// The checksum that every stored thing begins with: 8 bytes, little-endian, over what follows them, bound to the key.
///
/// A record that is damaged, or that a damaged page shows under another key, does not verify.
public enum Checksum {
  public static let size = 8

  /// Fills in the checksum of bytes whose first 8 are free.
  public static func seal(_ bytes: inout [UInt8], key: [UInt8], tag: UInt8) {
    let sum = compute(bytes.span.bytes, key: key.span.bytes, tag: tag)
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: sum.littleEndian, as: UInt64.self) }
  }

  static func seal(_ buffer: inout ByteBuffer, key: RawSpan, tag: UInt8) {
    buffer.withBytes { bytes in
      let sum = compute(UnsafeRawBufferPointer(bytes).bytes, key: key, tag: tag)
      bytes.storeBytes(of: sum.littleEndian, as: UInt64.self)
    }
  }

  public static func verify(_ bytes: RawSpan, key: [UInt8], tag: UInt8) -> Bool {
    verify(bytes, key: key.span.bytes, tag: tag)
  }

  static func verify(_ bytes: RawSpan, key: RawSpan, tag: UInt8) -> Bool {
    guard bytes.byteCount >= size else { return false }
    return compute(bytes, key: key, tag: tag) == bytes.word(at: 0)
  }

  /// `content` with its checksum in front.
  public static func sealed(_ content: [UInt8], key: [UInt8], tag: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    bytes.reserveCapacity(size + content.count)
    bytes.append(contentsOf: content)
    seal(&bytes, key: key, tag: tag)
    return bytes
  }

  /// The content behind a checksum, or nil if it is damaged.
  public static func content(of bytes: RawSpan, key: [UInt8], tag: UInt8) -> [UInt8]? {
    guard verify(bytes, key: key, tag: tag) else { return nil }
    return bytes.array(in: size..<bytes.byteCount)
  }

  /// The checksum that something stored begins with.
  public static func stored(in bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { $0.count < size ? 0 : $0.bytes.word(at: 0) }
  }

  /// The checksum of something that is stored apart from it.
  public static func sum(of bytes: RawSpan, key: [UInt8], tag: UInt8) -> UInt64 {
    sum(of: bytes, key: key.span.bytes, tag: tag)
  }

  private static func compute(_ bytes: RawSpan, key: RawSpan, tag: UInt8) -> UInt64 {
    sum(of: bytes.extracting(size..<bytes.byteCount), key: key, tag: tag)
  }

  private static func sum(of bytes: RawSpan, key: RawSpan, tag: UInt8) -> UInt64 {
    let seed = key.withUnsafeBytes { lvs_xxh3($0.baseAddress, $0.count, UInt64(tag)) }
    return bytes.withUnsafeBytes { lvs_xxh3($0.baseAddress, $0.count, seed) }
  }
}

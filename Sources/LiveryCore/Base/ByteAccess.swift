extension [UInt8] {
  public mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  public mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
    append(littleEndian: value.byteSwapped)
  }

  /// The text's bytes.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: UnsafeRawBufferPointer($0)) }
  }
}

extension RawSpan {
  /// The byte at an offset that the caller has checked.
  public func byte(at offset: Int) -> UInt8 {
    withUnsafeBytes { $0[offset] }
  }

  /// Eight bytes, little-endian, unaligned, at an offset that the caller has checked.
  public func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
  }

  /// A copy of a range that the caller has checked.
  public func array(in range: Range<Int>) -> [UInt8] {
    // Of a slice it would be copied byte by byte.
    withUnsafeBytes { Array(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  public var array: [UInt8] { array(in: 0..<byteCount) }

  /// A range as text; nil if it is not UTF-8.
  public func text(in range: Range<Int>) -> String? {
    withUnsafeBytes { String(validating: UnsafeRawBufferPointer(rebasing: $0[range]), as: UTF8.self) }
  }

  public var text: String? { text(in: 0..<byteCount) }
}

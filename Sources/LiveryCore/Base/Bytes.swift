extension String {
  /// Whether two texts are the same bytes. `==` would also take canonically equivalent text for the same.
  @inline(never)
  public func sameBytes(as other: String) -> Bool {
    // The same object, or the same few bytes in place of one.
    if unsafeBitCast(self, to: Words.self) == unsafeBitCast(other, to: Words.self) { return true }
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { (mine) in other.withBytes { mine.hasSameBytes(as: $0) } }
  }

  private typealias Words = (UInt64, UInt64)

  /// Whether the text begins with the bytes of another.
  @inline(never)
  public func begins(with prefix: String) -> Bool {
    let count = prefix.utf8.count
    guard utf8.count >= count else { return false }
    return withBytes { (mine) in
      prefix.withBytes { UnsafeRawBufferPointer(rebasing: mine[0..<count]).hasSameBytes(as: $0) }
    }
  }

  /// The order of names and keys: by bytes.
  @inline(never)
  public func precedesInBytes(_ other: String) -> Bool {
    withBytes { (mine) in other.withBytes { mine.precedes($0) } }
  }

  /// The number of its code points, which Unicode calls scalar values: of bytes that continue none.
  public var scalarCount: Int {
    @inline(never) get {
      withBytes { (bytes) in
        let ones: UInt64 = 0x0101_0101_0101_0101
        var count = bytes.count
        var offset = 0
        while offset + 8 <= bytes.count {
          let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          // A one for each byte that continues a code point; the product has their sum in its highest byte.
          count -= Int(truncatingIfNeeded: ((word >> 7 & ~(word >> 6) & ones) &* ones) >> 56)
          offset += 8
        }
        while offset < bytes.count {
          if bytes[offset] & 0xc0 == 0x80 { count -= 1 }
          offset += 1
        }
        return count
      }
    }
  }

  /// The text's bytes.
  public var bytes: [UInt8] {
    @inline(never) get { withBytes { Array($0) } }
  }

  /// Hands `body` the bytes in their place.
  @inlinable
  @inline(__always)
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    func run(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<R, E> {
      do throws(E) { return .success(try body(UnsafeRawBufferPointer(bytes))) } catch { return .failure(error) }
    }
    if let result = utf8.withContiguousStorageIfAvailable({ run($0) }) { return try result.get() }
    var text = self
    return try text.withUTF8 { run($0) }.get()
  }

  /// The same, for what takes spans.
  @inlinable
  @inline(__always)
  public func withSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try withBytes { (bytes) throws(E) -> R in try body(bytes.bytes) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether they come before others in the order of bytes.
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let shared = Swift.min(count, other.count)
    var offset = 0
    while offset + 8 <= shared,
      loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    {
      offset += 8
    }
    while offset < shared {
      if self[offset] != other[offset] { return self[offset] < other[offset] }
      offset += 1
    }
    return count < other.count
  }

  /// Whether as many bytes are the same.
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= count {
      if loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset += 8
    }
    while offset < count {
      if self[offset] != other[offset] { return false }
      offset += 1
    }
    return true
  }
}

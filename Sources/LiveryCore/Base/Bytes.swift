extension String {
  /// Whether two texts are the same bytes. `==` would also take canonically equivalent text for the same.
  @inline(__always)
  public func sameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// The order of names and keys: by bytes.
  public func precedesInBytes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// The text's bytes.
  public var bytes: [UInt8] { Array(utf8) }

  /// Hands `body` the bytes in their place.
  @inlinable
  @inline(__always)
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    var text = self
    let result = text.withUTF8 { (bytes) -> Result<R, E> in
      do throws(E) { return .success(try body(UnsafeRawBufferPointer(bytes))) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The same, for what takes spans.
  @inlinable
  @inline(__always)
  public func withSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try withBytes { (bytes) throws(E) -> R in try body(bytes.bytes) }
  }
}

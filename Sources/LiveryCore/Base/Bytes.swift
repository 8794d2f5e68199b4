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
}

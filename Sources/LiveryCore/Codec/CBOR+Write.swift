extension CBOR {
  /// Writes piece by piece what `Reader` reads: a value made of parts costs no tree of them.
  ///
  /// Lists and objects are begun with the number of what follows; the members of an object come in the order of their keys.
  public struct Writer {
    /// What was written, behind the place of a checksum.
    public private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: how many bytes are likely to be written.
    public init(capacity: Int) {
      bytes.reserveCapacity(Checksum.size + capacity)
      for _ in 0..<Checksum.size { bytes.append(0) }
    }

    public mutating func list(_ count: Int) { appendHead(.array, UInt64(count), to: &bytes) }

    public mutating func object(_ count: Int) { appendHead(.map, UInt64(count), to: &bytes) }

    /// A key of one letter.
    public mutating func key(_ letter: UInt8) {
      appendHead(.text, 1, to: &bytes)
      bytes.append(letter)
    }

    public mutating func int(_ number: Int64) { append(.int(number), to: &bytes) }

    public mutating func text(_ text: String) { append(text, to: &bytes) }

    public mutating func value(_ value: Value) { append(value, to: &bytes) }

    /// Fills in the checksum, once all is written.
    public mutating func seal(key: [UInt8], tag: UInt8) { Checksum.seal(&bytes, key: key, tag: tag) }
  }
}

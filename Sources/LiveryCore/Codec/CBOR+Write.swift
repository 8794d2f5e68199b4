extension CBOR {
  /// Writes piece by piece what `Reader` reads: a value made of parts costs no tree of them.
  ///
  /// Lists and objects are begun with the number of what follows; the members of an object come in the order of their keys.
  public struct Writer: ~Copyable {
    /// What was written, behind the place of a checksum.
    private var buffer: ByteBuffer

    /// - Parameter capacity: how many bytes are likely to be written.
    public init(capacity: Int) {
      buffer = ByteBuffer(capacity: Checksum.size + capacity)
      buffer.append(littleEndian: 0 as UInt64)
    }

    /// How many bytes were written.
    public var count: Int { buffer.count }

    public mutating func list(_ count: Int) { appendHead(.array, UInt64(count), to: &buffer) }

    public mutating func object(_ count: Int) { appendHead(.map, UInt64(count), to: &buffer) }

    /// A key of one letter.
    public mutating func key(_ letter: UInt8) {
      appendHead(.text, 1, to: &buffer)
      buffer.append(letter)
    }

    public mutating func int(_ number: Int64) { append(.int(number), to: &buffer) }

    public mutating func text(_ text: String) { append(text, to: &buffer) }

    /// Writes a value, if there is one.
    @inline(never)
    public mutating func value(_ value: Value?) {
      guard let value else { return }
      append(value, to: &buffer)
    }

    /// All that was written, with its checksum.
    public mutating func sealed(key: [UInt8], tag: UInt8) -> [UInt8] {
      Checksum.seal(&buffer, key: key.span.bytes, tag: tag)
      return buffer.array
    }
  }
}

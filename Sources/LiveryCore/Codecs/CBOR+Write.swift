extension CBOR {
  /// Writes piece by piece what `Reader` reads: a value made of parts costs no tree of them.
  ///
  /// Lists and objects are begun with the number of what follows; the members of an object come in the order of their keys.
  public struct Writer {
    public private(set) var bytes: [UInt8] = []

    public init() {}

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
  }
}

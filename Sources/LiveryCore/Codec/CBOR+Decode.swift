extension CBOR {
  /// The value of bytes that `encode` made.
  ///
  /// Errors: `.corrupt` for anything else: every byte counts, and nothing that has a second encoding is taken.
  public static func decode(_ bytes: [UInt8]) throws(StoreError) -> Value {
    var decoder = Decoder(bytes: bytes)
    do throws(Misfit) {
      let value = try decoder.value(depth: 0)
      guard decoder.offset == bytes.count else { throw Misfit("bytes follow the value") }
      return value
    } catch {
      throw StoreError(.corrupt, "not a value in CBOR: \(error.reason) at byte \(decoder.offset)")
    }
  }

  struct Decoder {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func value(depth: Int) throws(Misfit) -> Value {
      guard offset < bytes.count else { throw Misfit("the end is missing") }
      let first = bytes[offset]
      switch Major(rawValue: first >> 5) {
      case .unsigned:
        guard let number = Int64(exactly: try argument()) else { throw Misfit("an integer out of range") }
        return .int(number)
      case .negative:
        guard let number = Int64(exactly: try argument()) else { throw Misfit("an integer out of range") }
        return .int(~number)
      case .bytes: return .data(Array(bytes[try run()]))
      case .text: return .string(try text())
      case .array:
        let count = try length(atLeast: 1, depth: depth)
        var items: [Value] = []
        for _ in 0..<count { items.append(try value(depth: depth + 1)) }
        return .list(items)
      case .map: return .object(try members(depth: depth))
      case .tag: return try tagged(depth)
      case .simple, nil:
        if first == trueByte || first == falseByte {
          offset += 1
          return .bool(first == trueByte)
        }
        return .double(try double())
      }
    }

    private mutating func members(depth: Int) throws(Misfit) -> [Value.Member] {
      let count = try length(atLeast: 2, depth: depth)
      var members: [Value.Member] = []
      var last: Range<Int>?
      for _ in 0..<count {
        guard offset < bytes.count, bytes[offset] >> 5 == Major.text.rawValue else { throw Misfit("a key is no text") }
        let start = offset
        let key = try text()
        guard !bytes[(offset - key.utf8.count)..<offset].contains(0) else { throw Misfit("a key contains a NUL") }
        if let last, !bytes[last].lexicographicallyPrecedes(bytes[start..<offset]) {
          throw Misfit("keys are not in order")
        }
        last = start..<offset
        members.append(Value.Member(key, try value(depth: depth + 1)))
      }
      return members
    }

    private mutating func tagged(_ depth: Int) throws(Misfit) -> Value {
      switch try argument() {
      case dateTag:
        let text = Array(bytes[try taggedRun()])
        guard let date = Timestamp(canonical: text) else {
          throw Misfit("a malformed date")
        }
        return .date(date)
      case urlTag:
        let text = try taggedText()
        guard text.utf8.isEmpty || isAbsoluteURL(text) else { throw Misfit("a malformed URL") }
        return .url(text)
      case imageTag:
        let text = try taggedText()
        guard isImageReference(text) else { throw Misfit("a malformed image reference") }
        return .image(text)
      case colorTag:
        guard offset < bytes.count, bytes[offset] == Major.array.rawValue << 5 | 4 else {
          throw Misfit("a malformed color")
        }
        offset += 1
        let color = Color(red: try component(), green: try component(), blue: try component(), alpha: try component())
        guard color.isValid else { throw Misfit("a color out of range") }
        return .color(color)
      case sealedTag where depth == 0:
        guard offset < bytes.count, bytes[offset] >> 5 == Major.bytes.rawValue,
          let sealed = Sealed(Array(bytes[try run()]))
        else { throw Misfit("a malformed sealed value") }
        return .sealed(sealed)
      default: throw Misfit("an unknown tag")
      }
    }

    private mutating func taggedText() throws(Misfit) -> String {
      try text(in: try taggedRun())
    }

    private mutating func taggedRun() throws(Misfit) -> Range<Int> {
      guard offset < bytes.count, bytes[offset] >> 5 == Major.text.rawValue else { throw Misfit("a tag without text") }
      return try run()
    }

    private mutating func component() throws(Misfit) -> Float {
      let number = try double()
      guard Double(Float(number)) == number else { throw Misfit("a color out of range") }
      return Float(number)
    }

    mutating func double() throws(Misfit) -> Double {
      guard offset < bytes.count else { throw Misfit("the end is missing") }
      let number: Double
      switch bytes[offset] {
      case halfByte:
        number = Half.value(UInt16(truncatingIfNeeded: try bigEndian(2)))
      case singleByte:
        number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bigEndian(4))))
        if Half.exactly(number) != nil { throw Misfit("a number in more bytes than it needs") }
      case doubleByte:
        number = Double(bitPattern: try bigEndian(8))
        if Double(Float(number)) == number { throw Misfit("a number in more bytes than it needs") }
      default: throw Misfit("an unknown type")
      }
      guard number.isFinite else { throw Misfit("a number that is not finite") }
      return number
    }

    mutating func text() throws(Misfit) -> String {
      try text(in: try run())
    }

    private func text(in range: Range<Int>) throws(Misfit) -> String {
      guard let text = bytes.withUnsafeBytes({ $0.bytes.text(in: range) }) else {
        throw Misfit("text that is not UTF-8")
      }
      return text
    }

    /// Where the bytes of a text or of data lie.
    mutating func run() throws(Misfit) -> Range<Int> {
      let count = try argument()
      guard count <= UInt64(bytes.count - offset) else { throw Misfit("the end is missing") }
      let start = offset
      offset += Int(count)
      return start..<offset
    }

    /// The number of items or members, which take some bytes each.
    mutating func length(atLeast size: UInt64, depth: Int) throws(Misfit) -> Int {
      guard depth < maximumDepth else { throw Misfit("nested deeper than \(maximumDepth) levels") }
      let count = try argument()
      guard count <= UInt64(bytes.count - offset) / size else { throw Misfit("the end is missing") }
      return Int(count)
    }

    mutating func argument() throws(Misfit) -> UInt64 {
      guard offset < bytes.count else { throw Misfit("the end is missing") }
      let (number, least): (UInt64, UInt64)
      switch bytes[offset] & 31 {
      case let small where small < 24:
        offset += 1
        return UInt64(small)
      case 24: (number, least) = (try bigEndian(1), 24)
      case 25: (number, least) = (try bigEndian(2), 0x100)
      case 26: (number, least) = (try bigEndian(4), 0x10000)
      case 27: (number, least) = (try bigEndian(8), 0x1_0000_0000)
      default: throw Misfit("an indefinite or reserved length")
      }
      guard number >= least else { throw Misfit("a number in more bytes than it needs") }
      return number
    }

    /// The number in the bytes after the first one.
    private mutating func bigEndian(_ count: Int) throws(Misfit) -> UInt64 {
      guard bytes.count - offset > count else { throw Misfit("the end is missing") }
      var number: UInt64 = 0
      for byte in bytes[(offset + 1)...(offset + count)] { number = number << 8 | UInt64(byte) }
      offset += count + 1
      return number
    }
  }
}

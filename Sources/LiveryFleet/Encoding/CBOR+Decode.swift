import LiveryClient

extension CBOR {
  /// The value of bytes that `encode` gives.
  ///
  /// - Throws: `.malformed` for anything else: every byte counts, and nothing that has a second encoding is taken; `.tooLarge`
  ///   for what is nested too deep.
  public static func decode(_ bytes: [UInt8]) throws(FleetError) -> Value {
    var decoder = Decoder(bytes: bytes)
    do throws(FleetError) {
      let value = try decoder.value(depth: 0)
      guard decoder.offset == bytes.count else { throw FleetError(.malformed, "bytes follow the value") }
      return value
    } catch {
      throw FleetError(error.reason, "not CBOR as it should be: \(error.message), at byte \(decoder.offset)")
    }
  }
}

private struct Decoder {
  let bytes: [UInt8]
  var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private func misfit(_ reason: StaticString) -> FleetError { FleetError(.malformed, "\(reason)") }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func value(depth: Int) throws(FleetError) -> Value {
    guard let first = next else { throw misfit("the end is missing") }
    switch first >> 5 {
    case CBOR.Major.unsigned:
      guard let number = Int64(exactly: try argument()) else { throw misfit("an integer is out of range") }
      return .int(number)
    case CBOR.Major.negative:
      guard let number = Int64(exactly: try argument()) else { throw misfit("an integer is out of range") }
      return .int(~number)
    case CBOR.Major.bytes: return .data(Array(bytes[try run()]))
    case CBOR.Major.text: return .string(try text())
    case CBOR.Major.array:
      let count = try length(atLeast: 1, depth: depth)
      var items: [Value] = []
      items.reserveCapacity(min(count, 1024))
      for _ in 0..<count { items.append(try value(depth: depth + 1)) }
      return .list(items)
    case CBOR.Major.map: return .object(try members(depth: depth))
    case CBOR.Major.tag: return try tagged()
    default:
      if first == CBOR.Simple.no || first == CBOR.Simple.yes {
        offset += 1
        return .bool(first == CBOR.Simple.yes)
      }
      return .double(try double())
    }
  }

  private mutating func members(depth: Int) throws(FleetError) -> [Value.Member] {
    let count = try length(atLeast: 2, depth: depth)
    var members: [Value.Member] = []
    members.reserveCapacity(min(count, 1024))
    for _ in 0..<count {
      guard let first = next, first >> 5 == CBOR.Major.text else { throw misfit("a key is no text") }
      let key = try text()
      guard !key.utf8.contains(0) else { throw misfit("a key contains a NUL") }
      if let last = members.last, !CBOR.keyPrecedes(last.key, key) { throw misfit("keys are not in order") }
      members.append(Value.Member(key, try value(depth: depth + 1)))
    }
    return members
  }

  private mutating func tagged() throws(FleetError) -> Value {
    switch try argument() {
    case CBOR.Tag.date:
      guard let moment = DateText.decode(Array(bytes[try taggedRun()])) else { throw misfit("a malformed date") }
      return .date(Timestamp(microseconds: moment))
    case CBOR.Tag.url: return .url(try text(in: try taggedRun()))
    case CBOR.Tag.image: return .image(try text(in: try taggedRun()))
    case CBOR.Tag.color:
      guard next == CBOR.Major.array << 5 | 4 else { throw misfit("a malformed color") }
      offset += 1
      return .color(Color(red: try component(), green: try component(), blue: try component(), alpha: try component()))
    default: throw misfit("an unknown tag")
    }
  }

  private mutating func taggedRun() throws(FleetError) -> Range<Int> {
    guard let first = next, first >> 5 == CBOR.Major.text else { throw misfit("a tag without text") }
    return try run()
  }

  private mutating func component() throws(FleetError) -> Float {
    let number = try double()
    guard number >= 0, number <= 1, number.sign == .plus, Double(Float(number)) == number else {
      throw misfit("a color is out of range")
    }
    return Float(number)
  }

  private mutating func double() throws(FleetError) -> Double {
    let number: Double
    switch next {
    case CBOR.Simple.half: number = Half.value(UInt16(truncatingIfNeeded: try bigEndian(2)))
    case CBOR.Simple.single:
      number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bigEndian(4))))
      if Half.exactly(number) != nil { throw misfit("a number has more bytes than it needs") }
    case CBOR.Simple.double:
      number = Double(bitPattern: try bigEndian(8))
      if Double(Float(number)) == number { throw misfit("a number has more bytes than it needs") }
    case nil: throw misfit("the end is missing")
    default: throw misfit("an unknown type")
    }
    guard number.isFinite else { throw misfit("a number is not finite") }
    return number
  }

  private mutating func text() throws(FleetError) -> String { try text(in: try run()) }

  private func text(in range: Range<Int>) throws(FleetError) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else { throw misfit("a text is not UTF-8") }
    return text
  }

  /// Where the bytes of a text or of data lie.
  private mutating func run() throws(FleetError) -> Range<Int> {
    let count = try argument()
    guard count <= UInt64(bytes.count - offset) else { throw misfit("the end is missing") }
    let start = offset
    offset += Int(count)
    return start..<offset
  }

  /// The number of items or members, which take some bytes each.
  private mutating func length(atLeast size: UInt64, depth: Int) throws(FleetError) -> Int {
    guard depth < Limit.depth else { throw CBOR.tooDeep }
    let count = try argument()
    guard count <= UInt64(bytes.count - offset) / size else { throw misfit("the end is missing") }
    return Int(count)
  }

  private mutating func argument() throws(FleetError) -> UInt64 {
    guard let first = next else { throw misfit("the end is missing") }
    let (number, least): (UInt64, UInt64)
    switch first & 31 {
    case let small where small < 24:
      offset += 1
      return UInt64(small)
    case 24: (number, least) = (try bigEndian(1), 24)
    case 25: (number, least) = (try bigEndian(2), 0x100)
    case 26: (number, least) = (try bigEndian(4), 0x10000)
    case 27: (number, least) = (try bigEndian(8), 0x1_0000_0000)
    default: throw misfit("an indefinite or reserved length")
    }
    guard number >= least else { throw misfit("a number has more bytes than it needs") }
    return number
  }

  /// The number in the bytes after the first one.
  private mutating func bigEndian(_ count: Int) throws(FleetError) -> UInt64 {
    guard bytes.count - offset > count else { throw misfit("the end is missing") }
    var number: UInt64 = 0
    for byte in bytes[(offset + 1)...(offset + count)] { number = number << 8 | UInt64(byte) }
    offset += count + 1
    return number
  }
}

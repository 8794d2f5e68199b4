import LiveryClient

/// A value as bytes, between two processes on one device: a tag, then what it holds, numbers little-endian. Nothing of it
/// is ever stored.
enum ValueCode {
  private enum Tag: UInt8 {
    case no = 0
    case yes, int, double, string, data, url, date, color, image, list, object
  }

  static func write(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .bool(let content): put(content ? .yes : .no, &bytes)
    case .int(let content):
      put(.int, &bytes)
      put(UInt64(bitPattern: content), &bytes)
    case .double(let content):
      put(.double, &bytes)
      put(content.bitPattern, &bytes)
    case .string(let text): put(.string, text.utf8, &bytes)
    case .url(let text): put(.url, text.utf8, &bytes)
    case .image(let text): put(.image, text.utf8, &bytes)
    case .data(let content): put(.data, content, &bytes)
    case .date(let time):
      put(.date, &bytes)
      put(UInt64(bitPattern: time.microseconds), &bytes)
    case .color(let color):
      put(.color, &bytes)
      for part in [color.red, color.green, color.blue, color.alpha] { put(part.bitPattern, &bytes) }
    case .list(let items):
      put(.list, &bytes)
      put(UInt32(truncatingIfNeeded: items.count), &bytes)
      for item in items { write(item, to: &bytes) }
    case .object(let members):
      put(.object, &bytes)
      put(UInt32(truncatingIfNeeded: members.count), &bytes)
      for member in members {
        put(UInt32(truncatingIfNeeded: member.key.utf8.count), &bytes)
        bytes += member.key.utf8
        write(member.value, to: &bytes)
      }
    }
  }

  private static func put(_ tag: Tag, _ bytes: inout [UInt8]) { bytes.append(tag.rawValue) }

  private static func put(_ tag: Tag, _ content: some Collection<UInt8>, _ bytes: inout [UInt8]) {
    put(tag, &bytes)
    put(UInt32(truncatingIfNeeded: content.count), &bytes)
    bytes += content
  }

  private static func put(_ number: some FixedWidthInteger & UnsignedInteger, _ bytes: inout [UInt8]) {
    var rest = UInt64(number)
    for _ in 0..<(number.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// The value that bytes hold from `place` on, which goes behind it; nil for what is none.
  static func read(_ bytes: ArraySlice<UInt8>, _ place: inout Int, depth: Int = 0) -> Value? {
    guard place < bytes.endIndex, let tag = Tag(rawValue: bytes[place]), depth <= Value.maximumDepth else { return nil }
    place += 1
    switch tag {
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return number(bytes, &place, 8).map { .int(Int64(bitPattern: $0)) }
    case .double:
      guard let bits = number(bytes, &place, 8) else { return nil }
      let content = Double(bitPattern: bits)
      return content.isFinite ? .double(content) : nil
    case .date: return number(bytes, &place, 8).map { .date(Timestamp(microseconds: Int64(bitPattern: $0))) }
    case .color:
      var parts: [Float] = []
      for _ in 0..<4 {
        guard let bits = number(bytes, &place, 4) else { return nil }
        let part = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        guard part >= 0, part <= 1 else { return nil }
        parts.append(part)
      }
      return .color(Color(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3]))
    case .string: return text(bytes, &place).map { .string($0) }
    case .url: return text(bytes, &place).map { .url($0) }
    case .image: return text(bytes, &place).map { .image($0) }
    case .data: return part(bytes, &place).map { .data(Array($0)) }
    case .list: return items(bytes, &place, depth).map { .list($0) }
    case .object: return members(bytes, &place, depth).map { .object($0) }
    }
  }

  private static func items(_ bytes: ArraySlice<UInt8>, _ place: inout Int, _ depth: Int) -> [Value]? {
    guard let count = number(bytes, &place, 4), count <= bytes.endIndex - place else { return nil }
    var items: [Value] = []
    for _ in 0..<count {
      guard let item = read(bytes, &place, depth: depth + 1) else { return nil }
      items.append(item)
    }
    return items
  }

  private static func members(_ bytes: ArraySlice<UInt8>, _ place: inout Int, _ depth: Int) -> [Value.Member]? {
    guard let count = number(bytes, &place, 4), count <= (bytes.endIndex - place) / 5 else { return nil }
    var members: [Value.Member] = []
    var keys: Set<[UInt8]> = []
    for _ in 0..<count {
      guard let key = part(bytes, &place), !key.contains(0), keys.insert(Array(key)).inserted,
        let name = String(validating: key, as: UTF8.self), let value = read(bytes, &place, depth: depth + 1)
      else { return nil }
      members.append(.init(name, value))
    }
    return members
  }

  private static func text(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> String? {
    guard let part = part(bytes, &place) else { return nil }
    return String(validating: part, as: UTF8.self)
  }

  private static func part(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> ArraySlice<UInt8>? {
    guard let count = number(bytes, &place, 4), count <= bytes.endIndex - place else { return nil }
    let start = place
    place += Int(count)
    return bytes[start..<place]
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ place: inout Int, _ count: Int) -> UInt64? {
    guard bytes.endIndex - place >= count else { return nil }
    var number: UInt64 = 0
    for index in 0..<count { number |= UInt64(bytes[place + index]) << UInt64(8 * index) }
    place += count
    return number
  }
}

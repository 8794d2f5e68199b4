extension CBOR {
  /// Adds the bytes that `encode` makes of a value, without making them; not all of them once there are more than `limit`.
  package static func addSize(of value: Value, to size: inout Int, limit: Int, depth: Int = 0) {
    guard size <= limit, depth <= maximumDepth else { return }
    switch value {
    case .bool: size += 1
    case .int(let number): size += headSize(UInt64(bitPattern: number >= 0 ? number : ~number))
    case .double(let number): size += self.size(of: number)
    case .date(let date): size += headSize(dateTag) + textSize(date.rfc3339)
    case .color(let color):
      size += headSize(colorTag) + headSize(4)
      for component in [color.red, color.green, color.blue, color.alpha] { size += self.size(of: Double(component)) }
    case .string(let text): size += textSize(text)
    case .url(let text): size += headSize(urlTag) + textSize(text)
    case .image(let text): size += headSize(imageTag) + textSize(text)
    case .data(let bytes): size += headSize(UInt64(bytes.count)) + bytes.count
    case .sealed(let sealed): size += headSize(sealedTag) + headSize(UInt64(sealed.bytes.count)) + sealed.bytes.count
    case .list(let items):
      size += headSize(UInt64(items.count))
      for item in items where size <= limit { addSize(of: item, to: &size, limit: limit, depth: depth + 1) }
    case .object(let members):
      size += headSize(UInt64(members.count))
      for member in members where size <= limit {
        size += textSize(member.key)
        addSize(of: member.value, to: &size, limit: limit, depth: depth + 1)
      }
    }
  }

  /// Of a type with its argument.
  private static func headSize(_ argument: UInt64) -> Int {
    switch argument {
    case 0...23: 1
    case 24...0xff: 2
    case 0x100...0xffff: 3
    case 0x10000...0xffff_ffff: 5
    default: 9
    }
  }

  private static func textSize(_ text: String) -> Int { headSize(UInt64(text.utf8.count)) + text.utf8.count }

  private static func size(of number: Double) -> Int {
    if Half.exactly(number) != nil { return 3 }
    return Double(Float(number)) == number ? 5 : 9
  }
}

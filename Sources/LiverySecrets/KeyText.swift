import CSecrets
import LiveryClient

/// Keys as text: a line for each.
enum KeyText {
  private static let word: [UInt8] = Array("livery-key-1 ".utf8)

  /// The keys of a text, the one that seals first.
  ///
  /// - Throws: `.parse` with the number of the line.
  static func keys(in text: UnsafeRawBufferPointer) throws(StoreError) -> [Key] {
    guard text.count <= LVK_MOST_TEXT else {
      throw StoreError(.parse, "the keys take more than \(LVK_MOST_TEXT) bytes")
    }
    var keys: [Key] = []
    var line = 0
    var start = 0
    while start < text.count {
      line += 1
      var end = start
      while end < text.count, text[end] != 0x0a { end += 1 }
      var last = end
      while last > start, text[last - 1] == 0x0d || text[last - 1] == 0x20 { last -= 1 }
      let content = UnsafeRawBufferPointer(rebasing: text[start..<last])
      start = end + 1
      if content.isEmpty || content[0] == UInt8(ascii: "#") { continue }
      guard let key = try key(in: content) else {
        throw StoreError(.parse, "line \(line) is no key: `livery-key-1` and 32 bytes in base64 are expected")
      }
      guard keys.count < LVK_MOST_KEYS else {
        throw StoreError(.parse, "line \(line): there are more than \(LVK_MOST_KEYS) keys")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else { throw StoreError(.parse, "there is no key in it") }
    return keys
  }

  /// nil if it is none.
  private static func key(in line: UnsafeRawBufferPointer) throws(StoreError) -> Key? {
    let size = LVK_KEY
    // 32 bytes are 43 digits and one that fills up.
    guard line.count == word.count + 44, line[line.count - 1] == UInt8(ascii: "=") else { return nil }
    for index in 0..<word.count where line[index] != word[index] { return nil }
    let key = try Key()
    var bits: UInt32 = 0
    var count = 0
    var place = 0
    defer { withUnsafeMutableBytes(of: &bits) { lvk_wipe($0.baseAddress, $0.count) } }
    for index in word.count..<(line.count - 1) {
      guard let digit = digit(line[index]) else { return nil }
      bits = bits << 6 | digit
      count += 6
      if count >= 8, place < size {
        count -= 8
        key.bytes[place] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
        bits &= (1 << UInt32(count)) - 1
        place += 1
      }
    }
    // Two digits of the last carry nothing.
    guard place == size, bits == 0 else { return nil }
    key.identify()
    return key
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 97 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 48 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// Hands `body` the text of keys, and wipes it.
  static func text<R>(
    of keys: [Key], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let size = LVK_KEY
    let capacity = keys.count * (word.count + 45)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
    defer {
      lvk_wipe(buffer.baseAddress, capacity)
      buffer.deallocate()
    }
    var place = 0
    func put(_ byte: UInt8) {
      buffer[place] = byte
      place += 1
    }
    for key in keys {
      for byte in word { put(byte) }
      for start in stride(from: 0, to: size, by: 3) {
        let second = start + 1 < size ? key.bytes[start + 1] : 0
        let third = start + 2 < size ? key.bytes[start + 2] : 0
        let bits = UInt32(key.bytes[start]) << 16 | UInt32(second) << 8 | UInt32(third)
        put(digits[Int(bits >> 18)])
        put(digits[Int(bits >> 12 & 63)])
        put(digits[Int(bits >> 6 & 63)])
        put(start + 2 < size ? digits[Int(bits & 63)] : UInt8(ascii: "="))
      }
      put(0x0a)
    }
    return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[0..<place]))
  }
}

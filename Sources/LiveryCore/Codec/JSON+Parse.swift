import CJansson
import CSystem

extension JSON {
  /// Reads a JSON text (RFC 8259): one value of any kind, no member twice.
  ///
  /// Errors: `.parse` with line and column.
  public static func parse(_ text: [UInt8]) throws(StoreError) -> JSON {
    guard text.count <= maximumSize else {
      throw StoreError(.parse, "the JSON text has \(text.count) bytes; at most \(maximumSize) are allowed")
    }
    let shape = try Shape(text)
    try Memory.requireLibrary(lvs_json_load(), LVS_JANSSON)
    // When jansson gets no memory for a token that is longer than those before it, it drops a byte of it and says nothing.
    // So the text follows a string as long as its longest token: either that has the memory for all, or it is too short.
    let pad = shape.longestToken
    // Once as text, then as jansson's tree, then as ours.
    try Memory.require(shape.count * 200 + text.count * 4 + pad)
    var list = Array("[\"".utf8)
    list.reserveCapacity(pad + text.count + 6)
    list.append(contentsOf: repeatElement(UInt8(ascii: "-"), count: pad))
    list.append(contentsOf: "\",\n".utf8)
    let start = list.count
    list.append(contentsOf: text)
    list.append(UInt8(ascii: "]"))

    var failure = json_error_t()
    var root: UnsafeMutablePointer<json_t>?
    // Where jansson gets no memory it mostly says that the text is broken: what is, is so twice.
    for _ in 0..<(text.count <= 1 << 20 ? 2 : 1) where root == nil {
      root = list.withUnsafeBytes { buffer in
        lvs_json_loadb(
          buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
          Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL), &failure)
      }
    }
    guard let root else {
      if lvs_memory_is_short() || !lvs_memory_can_have(1 << 20) || failure.text.0 == 0 { throw Memory.shortage() }
      let place = Int(failure.position) - start
      if let end = shape.end(of: text), place > end, end < text.count { throw StoreError.behind(text, end) }
      guard place > text.count else {
        throw StoreError(failure, place, text)
      }
      // The bracket behind the text is its end.
      var end = Lines.location(of: text.count, in: text)
      end.column = max(1, end.column - 1)
      throw StoreError(failure, at: end)
    }
    defer { lvs_json_decref(root) }
    guard lvs_json_string_length(lvs_json_array_get(root, 0)) == pad else {
      throw Memory.shortage(of: list.count)
    }
    guard lvs_json_array_size(root) == 2 else {
      throw StoreError.behind(text, shape.end(of: text) ?? 0)
    }
    guard let json = JSON(lvs_json_array_get(root, 1)) else {
      throw StoreError(.parse, "the JSON text is nested too deeply")
    }
    return json
  }

  /// What is known of a text before it is read.
  private struct Shape {
    /// In bytes, with the quotation marks of a string.
    var longestToken = 0
    /// Where the first array or object ends.
    private var firstEnd: Int?
    /// At least as many as there are values.
    var count = 1

    /// Refuses what would cost too much to read.
    init(_ text: [UInt8]) throws(StoreError) {
      let start = StoreError.Location(line: 1, column: 1)
      if text.starts(with: [0xef, 0xbb, 0xbf]) {
        throw StoreError.json("the text begins with a byte order mark; save it as UTF-8 without one", start)
      }
      if let place = text.firstIndex(of: 0) {
        // jansson passes over it.
        throw StoreError.json("a NUL outside of an escape", Lines.location(of: place, in: text))
      }
      var depth = 0
      var index = 0
      var number: Int?
      var digits = 0
      var token = 0
      let mostValues = JSON.maximumCount(of: text.count)
      while index < text.count {
        let byte = text[index]
        digits = byte &- UInt8(ascii: "0") < 10 ? digits + 1 : 0
        if digits > JSON.maximumDigits {
          throw StoreError.json(
            "a number of more than \(JSON.maximumDigits) digits", Lines.location(of: index, in: text))
        }
        if Self.isOfNumber(byte) {
          if number == nil { number = index }
        } else if let start = number {
          try Self.checkNumber(text, start..<index)
          number = nil
        }
        switch byte {
        case UInt8(ascii: "\""):
          let begin = index
          index += 1
          while index < text.count, text[index] != UInt8(ascii: "\"") {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            index += 1
          }
          longestToken = max(longestToken, index - begin + 1)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          count += 1
          if depth > JSON.maximumDepth {
            throw StoreError.json("nested deeper than \(JSON.maximumDepth) levels", Lines.location(of: index, in: text))
          }
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          depth -= 1
          if depth == 0, firstEnd == nil { firstEnd = index + 1 }
        case UInt8(ascii: ","):
          count += 1
          if count > mostValues {
            throw StoreError.json("more than \(mostValues) values", Lines.location(of: index, in: text))
          }
        case 0xc2, 0xe2:
          if let mark = Self.quotationMark(text, index) {
            throw StoreError.json(
              "the quotation mark \(mark) is typographic; JSON takes the straight one, \"",
              Lines.location(of: index, in: text))
          }
        default: break
        }
        // A number or a word, or what is none and longer.
        token = byte == 0x20 || byte == 0x0a || byte == UInt8(ascii: ",") ? 0 : token + 1
        longestToken = max(longestToken, token)
        index += 1
      }
      if let number { try Self.checkNumber(text, number..<min(index, text.count)) }
      guard text.contains(where: { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }) else {
        throw StoreError.json("the text is empty", start)
      }
    }

    /// A quotation mark as word processors make it of a straight one, where a token would begin.
    private static func quotationMark(_ text: [UInt8], _ index: Int) -> String? {
      for mark in [
        "\u{201c}", "\u{201d}", "\u{201e}", "\u{201f}", "\u{2018}", "\u{2019}", "\u{201a}", "\u{ab}", "\u{bb}",
      ] {
        if text[index...].starts(with: mark.utf8) { return mark }
      }
      return nil
    }

    /// Where the value ends, behind which nothing but space may follow; nil for one that has no end.
    func end(of text: [UInt8]) -> Int? {
      guard let first = text.firstIndex(where: { !PropertyListXML.isSpace($0) }) else { return nil }
      switch text[first] {
      case UInt8(ascii: "["), UInt8(ascii: "{"): return firstEnd
      case UInt8(ascii: "\""):
        var index = first + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < text.count ? index + 1 : nil
      default:
        return text[first...].firstIndex { PropertyListXML.isSpace($0) || ",[]{}\"".utf8.contains($0) } ?? text.count
      }
    }

    /// Whether numbers consist of it; so do parts of words.
    private static func isOfNumber(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }

    /// Refuses a number that would become 0 although it is none: jansson refuses only what is too large.
    private static func checkNumber(_ text: [UInt8], _ place: Range<Int>) throws(StoreError) {
      // The smallest takes a power of ten, or more than 300 digits.
      let isSmall = place.count > 300 || place.count > 4 && text[place].contains { $0 | 0x20 == UInt8(ascii: "e") }
      if isSmall, Numbers.underflows(text[place]) {
        throw StoreError.json("real number underflow", Lines.location(of: place.lowerBound, in: text))
      }
    }
  }

  /// From jansson's tree; nil if it is deeper than allowed.
  private init?(_ node: UnsafeMutablePointer<json_t>, depth: Int = 0) {
    switch node.pointee.type {
    case JSON_OBJECT:
      guard depth < JSON.maximumDepth else { return nil }
      var members: [Member] = []
      members.reserveCapacity(lvs_json_object_size(node))
      var iterator = lvs_json_object_iter(node)
      while let member = iterator {
        guard let name = lvs_json_object_iter_key(member), let child = lvs_json_object_iter_value(member),
          let value = JSON(child, depth: depth + 1)
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: name, count: lvs_json_object_iter_key_len(member))
        members.append(Member(key: String(decoding: bytes, as: UTF8.self), value: value))
        iterator = lvs_json_object_iter_next(node, member)
      }
      self = .object(members)
    case JSON_ARRAY:
      guard depth < JSON.maximumDepth else { return nil }
      let count = lvs_json_array_size(node)
      var items: [JSON] = []
      items.reserveCapacity(count)
      for index in 0..<count {
        guard let child = lvs_json_array_get(node, index), let item = JSON(child, depth: depth + 1) else { return nil }
        items.append(item)
      }
      self = .array(items)
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(start: lvs_json_string_value(node), count: lvs_json_string_length(node))
      self = .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER: self = .int(Int64(lvs_json_integer_value(node)))
    case JSON_REAL: self = .double(lvs_json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }
}

extension StoreError {
  /// What follows the value of a text.
  fileprivate static func behind(_ text: [UInt8], _ end: Int) -> StoreError {
    let place = text[end...].firstIndex { !PropertyListXML.isSpace($0) } ?? end
    return json("end of file expected", Lines.location(of: place, in: text))
  }

  fileprivate static func json(_ reason: String, _ location: Location) -> StoreError {
    StoreError(
      .parse, "\(reason) at line \(location.line), column \(location.column)", location: location)
  }

  /// What jansson says of a text, and where in it that is.
  fileprivate init(_ failure: json_error_t, _ stop: Int, _ text: [UInt8]) {
    // It stops before a byte that is not of UTF-8, and else behind what is wrong.
    let isByte = StoreError.reason(failure).utf8.starts(with: "unable to decode".utf8)
    self.init(failure, at: Lines.location(of: isByte ? stop : Fault.place(stop, in: text), in: text))
  }

  private static func reason(_ failure: json_error_t) -> String {
    // The last byte of the text is jansson's error code.
    withUnsafeBytes(of: failure.text) { text in
      String(decoding: text.dropLast().prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  fileprivate init(_ failure: json_error_t, at location: Location) {
    self = .json(truncated(withoutContent(StoreError.reason(failure)), to: 160), location)
  }
}

/// Finds what is wrong where jansson has read on: it tells where it stopped.
private enum Fault {
  /// Where the token begins that ends at a place, or in a string what must not be in one.
  static func place(_ stop: Int, in text: [UInt8]) -> Int {
    var index = 0
    while index < stop, index < text.count {
      let begin = index
      if text[index] == UInt8(ascii: "\"") {
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
          guard let length = length(text, index) else { return index }
          index += length
        }
        index += 1
      } else {
        while index < text.count, isOfWord(text[index]) { index += 1 }
        if index == begin { index += 1 }
      }
      if index >= stop { return begin }
    }
    return max(0, stop - 1)
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || "+-.".utf8.contains(byte)
  }

  /// Of a byte in a string, or of an escape; nil for a control character and for an escape that is none.
  private static func length(_ text: [UInt8], _ index: Int) -> Int? {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else { return text[index] < 0x20 ? nil : 1 }
    guard text[index + 1] == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(text[index + 1]) ? 2 : nil }
    guard let unit = unit(text, index) else { return nil }
    guard unit & 0xf800 == 0xd800 else { return 6 }
    // The first half of a pair takes the second.
    guard unit < 0xdc00, let second = Self.unit(text, index + 6) else { return nil }
    return second & 0xfc00 == 0xdc00 ? 12 : nil
  }

  /// What `\u` and four digits say.
  private static func unit(_ text: [UInt8], _ index: Int) -> UInt32? {
    guard index + 6 <= text.count, text[index..<(index + 2)].elementsEqual("\\u".utf8) else { return nil }
    var unit: UInt32 = 0
    for byte in text[(index + 2)..<(index + 6)] {
      let digit = byte &- UInt8(ascii: "0") < 10 ? byte - UInt8(ascii: "0") : (byte | 0x20) &- UInt8(ascii: "a") &+ 10
      guard digit < 16, digit < 10 || byte >= UInt8(ascii: "A") else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

/// jansson's reason without the piece of text that it found: that may be a secret. Members' names are none.
private func withoutContent(_ reason: String) -> String {
  if reason.utf8.starts(with: "duplicate object key".utf8) { return reason }
  let mark = Array(" near '".utf8)
  let bytes = Array(reason.utf8)
  guard bytes.count >= mark.count else { return reason }
  for start in 0...(bytes.count - mark.count) where bytes[start..<start + mark.count].elementsEqual(mark) {
    return String(decoding: bytes[..<start], as: UTF8.self)
  }
  return reason
}

import CJansson

extension JSON {
  /// Reads a JSON text (RFC 8259): one value of any kind, no member twice.
  ///
  /// Errors: `.parse` with line and column.
  public static func parse(_ text: [UInt8]) throws(StoreError) -> JSON {
    guard text.count <= maximumSize else {
      throw StoreError(.parse, "the JSON text has \(text.count) bytes; at most \(maximumSize) are allowed")
    }
    try checkShape(text)
    var failure = json_error_t()
    let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY)
    let root = text.withUnsafeBytes { buffer in
      json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &failure)
    }
    guard let root else { throw StoreError(failure) }
    defer { json_decref(root) }
    guard let json = JSON(root) else { throw StoreError(.parse, "the JSON text is nested too deeply") }
    return json
  }

  /// Refuses what would cost too much to read, before anything is read.
  private static func checkShape(_ text: [UInt8]) throws(StoreError) {
    let start = StoreError.Location(line: 1, column: 1)
    if text.starts(with: [0xef, 0xbb, 0xbf]) {
      throw StoreError.json("the text begins with a byte order mark; save it as UTF-8 without one", start)
    }
    var depth = 0
    var count = 1
    var index = 0
    var digits = 0
    while index < text.count {
      let byte = text[index]
      digits = byte &- UInt8(ascii: "0") < 10 ? digits + 1 : 0
      if digits > maximumDigits {
        throw StoreError.json("a number of more than \(maximumDigits) digits", Lines.location(of: index, in: text))
      }
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
          if text[index] == UInt8(ascii: "\\") { index += 1 }
          index += 1
        }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        count += 1
        if depth > maximumDepth {
          throw StoreError.json("nested deeper than \(maximumDepth) levels", Lines.location(of: index, in: text))
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","):
        count += 1
        if count > maximumCount {
          throw StoreError.json("more than \(maximumCount) values", Lines.location(of: index, in: text))
        }
      default: break
      }
      index += 1
    }
    guard text.contains(where: { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }) else {
      throw StoreError.json("the text is empty", start)
    }
  }

  /// From jansson's tree; nil if it is deeper than allowed.
  private init?(_ node: UnsafeMutablePointer<json_t>, depth: Int = 0) {
    switch node.pointee.type {
    case JSON_OBJECT:
      guard depth < JSON.maximumDepth else { return nil }
      var members: [Member] = []
      members.reserveCapacity(json_object_size(node))
      var iterator = json_object_iter(node)
      while let member = iterator {
        guard let name = json_object_iter_key(member), let child = json_object_iter_value(member),
          let value = JSON(child, depth: depth + 1)
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: name, count: json_object_iter_key_len(member))
        members.append(Member(key: String(decoding: bytes, as: UTF8.self), value: value))
        iterator = json_object_iter_next(node, member)
      }
      self = .object(members)
    case JSON_ARRAY:
      guard depth < JSON.maximumDepth else { return nil }
      let count = json_array_size(node)
      var items: [JSON] = []
      items.reserveCapacity(count)
      for index in 0..<count {
        guard let child = json_array_get(node, index), let item = JSON(child, depth: depth + 1) else { return nil }
        items.append(item)
      }
      self = .array(items)
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(start: json_string_value(node), count: json_string_length(node))
      self = .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER: self = .int(Int64(json_integer_value(node)))
    case JSON_REAL: self = .double(json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }
}

extension StoreError {
  fileprivate static func json(_ reason: String, _ location: Location) -> StoreError {
    StoreError(
      .parse, "\(reason) at line \(location.line), column \(location.column)", location: location)
  }

  fileprivate init(_ failure: json_error_t) {
    // The last byte of the text is jansson's error code.
    let reason = withUnsafeBytes(of: failure.text) { text in
      String(decoding: text.dropLast().prefix { $0 != 0 }, as: UTF8.self)
    }
    self = .json(
      truncated(withoutContent(reason), to: 160),
      Location(line: max(1, Int(failure.line)), column: max(1, Int(failure.column))))
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

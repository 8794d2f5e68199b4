extension Value {
  /// A value from JSON.
  ///
  /// Errors: `.invalidValue` for a null, or nesting deeper than `depthLimit`; the message has the JSON pointer.
  ///
  /// - Parameter depthLimit: higher only for documents that wrap values.
  public init(json: JSON, depthLimit: Int = Value.maximumDepth) throws(StoreError) {
    do {
      self = try Value.converted(json, depth: 0, limit: depthLimit)
    } catch {
      throw StoreError(.invalidValue, error.message)
    }
  }

  private static func converted(_ json: JSON, depth: Int, limit: Int) throws(Misfit) -> Value {
    switch json {
    case .null: throw Misfit("null is no value; leave the member out instead")
    case .bool(let truth): return .bool(truth)
    case .int(let number): return .int(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .array(let elements):
      guard depth < limit else { throw Misfit(Value.tooDeep) }
      var items: [Value] = []
      items.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        do {
          items.append(try converted(element, depth: depth + 1, limit: limit))
        } catch {
          throw error.within(String(index))
        }
      }
      return .list(items)
    case .object(let entries):
      guard depth < limit else { throw Misfit(Value.tooDeep) }
      var members: [Member] = []
      members.reserveCapacity(entries.count)
      for entry in entries {
        do {
          members.append(Member(entry.key, try converted(entry.value, depth: depth + 1, limit: limit)))
        } catch {
          throw error.within(entry.key)
        }
      }
      return .object(members)
    }
  }

  /// The value as JSON: data as base64, colors as `#RRGGBBAA`, dates as RFC 3339 in UTC, URLs and images as text, members
  /// in the order they are in; `pretty` indents by two spaces, with a line for each item and member.
  ///
  /// Doubles carry a fraction or an exponent, so that they come back as doubles. What `check()` refuses and JSON cannot
  /// say, a number that is not finite or nesting without end, is written as null.
  ///
  /// Corresponds to `livery_value_to_json` in C.
  public func json(pretty: Bool = false) -> String {
    var writer = JSONWriter(pretty: pretty)
    writer.write(self)
    return String(decoding: writer.out, as: UTF8.self)
  }

  /// The same, of a value of any size. Errors: `.noMemory`.
  public func jsonText(pretty: Bool = false) throws(StoreError) -> String {
    var writer = JSONWriter(pretty: pretty)
    writer.growth = Memory.Growth()
    writer.write(self)
    guard !writer.isShort else { throw Memory.shortage(of: writer.out.count) }
    try Memory.require(writer.out.count)
    return String(decoding: writer.out, as: UTF8.self)
  }
}

/// Writes JSON; the only place that does.
struct JSONWriter {
  let pretty: Bool
  /// Writing may stop once this much is there: for renderings that get cut anyway.
  var limit = Int.max
  var out: [UInt8] = []
  /// Writing stops when there is no memory for more; nil to go on regardless.
  var growth: Memory.Growth?
  private(set) var isShort = false
  private var depth = 0

  // Far beyond what a value may have, and far below what the stack of a small thread holds.
  private static let maximumDepth = 256

  init(pretty: Bool, limit: Int = .max) {
    self.pretty = pretty
    self.limit = limit
    out.reserveCapacity(64)
  }

  mutating func write(_ value: Value) {
    switch value {
    case .bool(let truth): append(truth ? "true" : "false")
    case .int(let number): out.append(contentsOf: String(number).utf8)
    case .double(let number):
      if number.isFinite { out.append(contentsOf: Numbers.format(number).utf8) } else { append("null") }
    case .string(let text), .url(let text), .image(let text): write(text)
    case .data(let bytes):
      out.append(UInt8(ascii: "\""))
      Base64.append(bytes, to: &out)
      out.append(UInt8(ascii: "\""))
    case .date(let date): write(date.rfc3339)
    case .color(let color): write(color.hex)
    case .list where depth >= Self.maximumDepth, .object where depth >= Self.maximumDepth, .sealed: append("null")
    case .list(let items):
      guard open("[", isEmpty: items.isEmpty) else { return append("]") }
      for index in items.indices where out.count < limit {
        separate(first: index == 0)
        write(items[index])
      }
      close("]")
    case .object(let members):
      guard open("{", isEmpty: members.isEmpty) else { return append("}") }
      for index in members.indices where out.count < limit {
        separate(first: index == 0)
        write(members[index].key)
        append(pretty ? ": " : ":")
        write(members[index].value)
      }
      close("}")
    }
  }

  /// Writes the bracket; false for an empty one, which its closing bracket follows at once.
  private mutating func open(_ bracket: StaticString, isEmpty: Bool) -> Bool {
    append(bracket)
    depth += 1
    if isEmpty { depth -= 1 }
    return !isEmpty
  }

  private mutating func close(_ bracket: StaticString) {
    depth -= 1
    newLine()
    append(bracket)
  }

  private mutating func separate(first: Bool) {
    if !first { out.append(UInt8(ascii: ",")) }
    if growth?.allows(out.count) == false {
      isShort = true
      limit = 0
    }
    newLine()
  }

  private mutating func newLine() {
    guard pretty else { return }
    out.append(UInt8(ascii: "\n"))
    out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }

  mutating func write(_ text: String) {
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        out.append(UInt8(ascii: "\\"))
        out.append(byte)
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0a: append("\\n")
      case 0x0c: append("\\f")
      case 0x0d: append("\\r")
      case 0..<0x20, 0x7f:
        append("\\u00")
        out.append(Hexadecimal.character(byte >> 4))
        out.append(Hexadecimal.character(byte & 15))
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}

import CLivery

// Values are copied at the edge: a handle lives as long as the call that it is for.

extension Value {
  /// Copies what a handle stands for, which stays the caller's: `livery_value *`.
  public init(reading handle: OpaquePointer?) throws(StoreError) {
    var number: livery_type = 0
    try check(livery_value_type(handle, &number))
    guard let raw = UInt8(exactly: number), let type = ValueType(rawValue: raw) else {
      throw StoreError(.typeMismatch, "the library knows a type of values that is newer: \(number)")
    }
    switch type {
    case .list: self = .list(try Value.items(of: handle))
    case .object: self = .object(try Value.members(of: handle))
    default: self = try Value.scalar(handle, as: type)
    }
  }

  private static func scalar(_ handle: OpaquePointer?, as type: ValueType) throws(StoreError) -> Value {
    switch type {
    case .bool:
      var content = false
      try check(livery_value_as_bool(handle, &content))
      return .bool(content)
    case .int:
      var content: Int64 = 0
      try check(livery_value_as_int(handle, &content))
      return .int(content)
    case .double:
      var content = 0.0
      try check(livery_value_as_double(handle, &content))
      return .double(content)
    case .string: return .string(try text(of: handle))
    case .url: return .url(try text(of: handle))
    case .image: return .image(try text(of: handle))
    case .data:
      var start: UnsafeRawPointer?
      var length = 0
      try check(livery_value_as_data(handle, &start, &length))
      return .data([UInt8](UnsafeRawBufferPointer(start: start, count: length)))
    case .date:
      var content: Int64 = 0
      try check(livery_value_as_date(handle, &content))
      return .date(Timestamp(microseconds: content))
    case .color:
      var content = livery_color()
      try check(livery_value_as_color(handle, &content))
      return .color(Color(content))
    case .list, .object: throw StoreError(.typeMismatch, "the value is no list and no object")
    }
  }

  /// Copies what a handle stands for and gives it back.
  init(taking handle: OpaquePointer?) throws(StoreError) {
    defer { livery_value_release(handle) }
    self = try Value(reading: handle)
  }

  private static func text(of handle: OpaquePointer?) throws(StoreError) -> String {
    var start: UnsafePointer<CChar>?
    var length = 0
    try check(livery_value_as_string(handle, &start, &length))
    return LiveryClient.text(start, length)
  }

  private static func items(of handle: OpaquePointer?) throws(StoreError) -> [Value] {
    var count = 0
    try check(livery_value_count(handle, &count))
    var items: [Value] = []
    items.reserveCapacity(count)
    for index in 0..<count { items.append(try item(index, of: handle)) }
    return items
  }

  private static func members(of handle: OpaquePointer?) throws(StoreError) -> [Member] {
    var count = 0
    try check(livery_value_count(handle, &count))
    var members: [Member] = []
    members.reserveCapacity(count)
    for index in 0..<count {
      var key: UnsafePointer<CChar>?
      var length = 0
      try check(livery_value_key_at(handle, index, &key, &length))
      members.append(Member(LiveryClient.text(key, length), try item(index, of: handle)))
    }
    return members
  }

  private static func item(_ index: Int, of handle: OpaquePointer?) throws(StoreError) -> Value {
    var item: OpaquePointer?
    try check(livery_value_at(handle, index, &item))
    return try Value(taking: item)
  }

  /// A handle with the value's content: the caller has to release it.
  ///
  /// - Throws: `.invalidValue` for what no value may be: a number that is not finite, a malformed URL, too much nesting.
  public func makeHandle() throws(StoreError) -> OpaquePointer? {
    try makeHandle(depth: 0)
  }

  private func makeHandle(depth: Int) throws(StoreError) -> OpaquePointer? {
    var handle: OpaquePointer?
    switch self {
    case .bool(let content): try check(livery_value_make_bool(content, &handle))
    case .int(let content): try check(livery_value_make_int(content, &handle))
    case .double(let content): try check(livery_value_make_double(content, &handle))
    case .string(let text): try passing(utf8: text) { livery_value_make_string($0, $1, &handle) }
    case .url(let text): try passing(utf8: text) { livery_value_make_url($0, $1, &handle) }
    case .image(let text): try passing(utf8: text) { livery_value_make_image($0, $1, &handle) }
    case .data(let bytes): try passing(bytes: bytes) { livery_value_make_data($0, $1, &handle) }
    case .date(let time): try check(livery_value_make_date(time.microseconds, &handle))
    case .color(let color): try check(livery_value_make_color(color.content, &handle))
    case .list(let items):
      let made = try Value.makeHandles(items, depth: depth)
      defer { made.release() }
      try check(made.handles.withUnsafeBufferPointer { livery_value_make_list($0.baseAddress, $0.count, &handle) })
    case .object(let members):
      let made = try Value.makeHandles(members.map { $0.value }, depth: depth)
      defer { made.release() }
      try passing(all: members.map { $0.key }) { (keys) in
        made.handles.withUnsafeBufferPointer { livery_value_make_object(keys, $0.baseAddress, $0.count, &handle) }
      }
    }
    return handle
  }

  private struct Made {
    var handles: [OpaquePointer?] = []

    func release() {
      for handle in handles { livery_value_release(handle) }
    }
  }

  private static func makeHandles(_ values: [Value], depth: Int) throws(StoreError) -> Made {
    // What is deeper would be refused in the end, and no caller's value is to exhaust the stack before.
    guard depth < maximumDepth else {
      throw StoreError(.invalidValue, "lists and objects are nested more than \(maximumDepth) deep")
    }
    var made = Made()
    made.handles.reserveCapacity(values.count)
    do throws(StoreError) {
      for value in values { made.handles.append(try value.makeHandle(depth: depth + 1)) }
    } catch {
      made.release()
      throw error
    }
    return made
  }
}

/// Calls a C function with a handle on a value that lives as long as the call.
func passing(_ value: Value, _ body: (OpaquePointer?) -> livery_status) throws(StoreError) {
  let handle = try value.makeHandle()
  defer { livery_value_release(handle) }
  try check(body(handle))
}

extension Value {
  /// Reads a value from JSON. Corresponds to `livery_value_from_json` in C.
  ///
  /// - Throws: `.parse`, with the place; `.invalidValue`.
  public init(json: [UInt8]) throws(StoreError) {
    var handle: OpaquePointer?
    try check(json.withUnsafeCharacters { livery_value_from_json($0, $1, &handle) })
    self = try Value(taking: handle)
  }

  public init(json: String) throws(StoreError) {
    self = try Value(json: Array(json.utf8))
  }

  /// The value as JSON: data as base64, colors as `#RRGGBBAA`, dates as RFC 3339 in UTC, URLs and images as text; `pretty`
  /// indents by two spaces. Corresponds to `livery_value_to_json` in C.
  public func jsonText(pretty: Bool = false) throws(StoreError) -> String {
    var start: UnsafeMutablePointer<CChar>?
    var length = 0
    try passing(self) { livery_value_to_json($0, pretty ? UInt32(LIVERY_JSON_PRETTY) : 0, &start, &length) }
    return taken(start, length)
  }

  /// The value in another type, if nothing is lost by that; nil otherwise.
  public func coerced(to type: ValueType) -> Value? {
    if type == self.type { return self }
    guard let handle = try? makeHandle() else { return nil }
    defer { livery_value_release(handle) }
    guard let coerced = try? Value.scalar(handle, as: type) else { return nil }
    // Not every text is a URL or refers to an image.
    if case .url = coerced { return coerced.isPossible ? coerced : nil }
    if case .image = coerced { return coerced.isPossible ? coerced : nil }
    return coerced
  }

  private var isPossible: Bool {
    guard let handle = try? makeHandle() else { return false }
    livery_value_release(handle)
    return true
  }
}

// What may be made of a value: the conversions of `livery/store.h`.

extension Bool {
  public init?(_ value: Value) {
    guard case .bool(let content)? = value.coerced(to: .bool) else { return nil }
    self = content
  }
}

extension Int64 {
  public init?(_ value: Value) {
    guard case .int(let content)? = value.coerced(to: .int) else { return nil }
    self = content
  }
}

extension Int {
  public init?(_ value: Value) {
    guard let content = Int64(value) else { return nil }
    self.init(exactly: content)
  }
}

extension Double {
  public init?(_ value: Value) {
    guard case .double(let content)? = value.coerced(to: .double) else { return nil }
    self = content
  }
}

/// Of strings, URLs and image references.
extension String {
  public init?(_ value: Value) {
    guard case .string(let content)? = value.coerced(to: .string) else { return nil }
    self = content
  }
}

extension Timestamp {
  public init?(_ value: Value) {
    guard case .date(let content)? = value.coerced(to: .date) else { return nil }
    self = content
  }
}

extension Color {
  public init?(_ value: Value) {
    guard case .color(let content)? = value.coerced(to: .color) else { return nil }
    self = content
  }
}

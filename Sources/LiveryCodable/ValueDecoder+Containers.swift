import Livery

/// The members of an object; or settings, of which several make one member if their names go on behind a dot.
struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: NodeDecoder
  let members: [String: Value]
  let areSettings: Bool

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { node(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    // What was encoded as nil is absent.
    if !contains(key), let none = absent(type) { return none }
    return try below(key).decode(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try below(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try below(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try below(key).double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try below(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try below(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try below(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try below(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try below(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try below(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try below(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try below(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try below(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try below(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try below(key).integer(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try below(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try below(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try below(AnyKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }

  private func below(_ key: any CodingKey) throws -> NodeDecoder {
    guard let node = node(key.stringValue) else {
      let context = DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "there is no \(areSettings ? "setting" : "member") `\(key.stringValue)`")
      throw DecodingError.keyNotFound(key, context)
    }
    return decoder.below(key, node)
  }

  private func node(_ name: String) -> Node? {
    if let value = members[name] { return .value(value) }
    guard areSettings else { return nil }
    var inner: [String: Value] = [:]
    for (key, value) in members
    where key.utf8.starts(with: name.utf8) && key.utf8.dropFirst(name.utf8.count).first == 0x2E {
      inner[String(decoding: key.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self)] = value
    }
    return inner.isEmpty ? nil : .settings(inner)
  }
}

/// What is absent, as an optional type; nil for all others.
func absent<T>(_ type: T.Type) -> T? {
  (type as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? T }
}

/// The items of a list.
struct ItemDecoder: UnkeyedDecodingContainer {
  let decoder: NodeDecoder
  let items: [Value]
  private(set) var currentIndex = 0

  init(decoder: NodeDecoder, items: [Value]) {
    self.decoder = decoder
    self.items = items
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  mutating func decodeNil() throws -> Bool {
    _ = try here(Never?.self)
    return false
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

  private func here<T>(_ type: T.Type) throws -> NodeDecoder {
    guard !isAtEnd else {
      let context = DecodingError.Context(
        codingPath: codingPath + [AnyKey(currentIndex)], debugDescription: "the list ends here")
      throw DecodingError.valueNotFound(type, context)
    }
    return decoder.below(AnyKey(currentIndex), .value(items[currentIndex]))
  }

  /// What fails may be tried again as another type.
  private mutating func next<T>(_ type: T.Type, _ body: (NodeDecoder) throws -> T) throws -> T {
    let content = try body(here(type))
    currentIndex += 1
    return content
  }
}

/// A value that is decoded as a whole.
struct ScalarDecoder: SingleValueDecodingContainer {
  let decoder: NodeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float() }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
}

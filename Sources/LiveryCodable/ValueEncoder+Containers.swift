import Livery

/// The members of an object that is being encoded.
struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  // Nothing is nil in a value: the member is left out.
  func encodeNil(forKey key: Key) throws { encoder.node.remove(key.stringValue) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try put(key) { try $0.encode(value) } }

  func encode(_ value: Bool, forKey key: Key) throws { try put(key) { $0.set(.bool(value)) } }
  func encode(_ value: String, forKey key: Key) throws { try put(key) { $0.set(.string(value)) } }
  func encode(_ value: Double, forKey key: Key) throws { try put(key) { try $0.double(value) } }
  func encode(_ value: Float, forKey key: Key) throws { try put(key) { try $0.float(value) } }
  func encode(_ value: Int, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: Int8, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: Int16, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: Int32, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: Int64, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: UInt, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: UInt8, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: UInt16, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: UInt32, forKey key: Key) throws { try put(key) { try $0.integer(value) } }
  func encode(_ value: UInt64, forKey key: Key) throws { try put(key) { try $0.integer(value) } }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key, .members).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key, .items).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested(AnyKey("super"), nil) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key, nil) }

  /// What fails leaves the member as it was.
  private func put(_ key: Key, _ body: (NodeEncoder) throws -> Void) throws {
    let member = EncodedNode()
    try body(encoder.below(key, member))
    encoder.node.put(member, forKey: key.stringValue)
  }

  /// A second container of the kind goes on with the first.
  private func nested(_ key: any CodingKey, _ content: EncodedNode.Content?) -> NodeEncoder {
    encoder.below(key, encoder.node.nested(key.stringValue, content))
  }
}

/// The items of a list that is being encoded.
struct ItemEncoder: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.items.count }

  func encodeNil() throws { throw encoder.below(AnyKey(count), EncodedNode()).nothing(Never?.none as Any) }

  func encode<T: Encodable>(_ value: T) throws {
    try append { below in
      try below.encode(value)
      if below.node.isEmpty { throw below.nothing(value) }
    }
  }

  func encode(_ value: Bool) throws { try append { $0.set(.bool(value)) } }
  func encode(_ value: String) throws { try append { $0.set(.string(value)) } }
  func encode(_ value: Double) throws { try append { try $0.double(value) } }
  func encode(_ value: Float) throws { try append { try $0.float(value) } }
  func encode(_ value: Int) throws { try append { try $0.integer(value) } }
  func encode(_ value: Int8) throws { try append { try $0.integer(value) } }
  func encode(_ value: Int16) throws { try append { try $0.integer(value) } }
  func encode(_ value: Int32) throws { try append { try $0.integer(value) } }
  func encode(_ value: Int64) throws { try append { try $0.integer(value) } }
  func encode(_ value: UInt) throws { try append { try $0.integer(value) } }
  func encode(_ value: UInt8) throws { try append { try $0.integer(value) } }
  func encode(_ value: UInt16) throws { try append { try $0.integer(value) } }
  func encode(_ value: UInt32) throws { try append { try $0.integer(value) } }
  func encode(_ value: UInt64) throws { try append { try $0.integer(value) } }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }

  /// What fails adds no item.
  private func append(_ body: (NodeEncoder) throws -> Void) throws {
    let item = EncodedNode()
    try body(encoder.below(AnyKey(count), item))
    encoder.node.append(item)
  }

  private func next() -> NodeEncoder {
    let item = EncodedNode()
    defer { encoder.node.append(item) }
    return encoder.below(AnyKey(count), item)
  }
}

/// A value that is encoded as a whole.
struct ScalarEncoder: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.node.content = .nothing }
  /// What fails leaves the value as it was.
  func encode<T: Encodable>(_ value: T) throws {
    let whole = EncodedNode()
    try encoder.with(whole).encode(value)
    encoder.node.become(whole)
  }

  func encode(_ value: Bool) throws { encoder.set(.bool(value)) }
  func encode(_ value: String) throws { encoder.set(.string(value)) }
  func encode(_ value: Double) throws { try encoder.double(value) }
  func encode(_ value: Float) throws { try encoder.float(value) }
  func encode(_ value: Int) throws { try encoder.integer(value) }
  func encode(_ value: Int8) throws { try encoder.integer(value) }
  func encode(_ value: Int16) throws { try encoder.integer(value) }
  func encode(_ value: Int32) throws { try encoder.integer(value) }
  func encode(_ value: Int64) throws { try encoder.integer(value) }
  func encode(_ value: UInt) throws { try encoder.integer(value) }
  func encode(_ value: UInt8) throws { try encoder.integer(value) }
  func encode(_ value: UInt16) throws { try encoder.integer(value) }
  func encode(_ value: UInt32) throws { try encoder.integer(value) }
  func encode(_ value: UInt64) throws { try encoder.integer(value) }
}

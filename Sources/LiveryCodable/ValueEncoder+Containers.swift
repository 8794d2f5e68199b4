import Livery

/// The members of an object that is being encoded.
struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  // Nothing is nil in a value: the member is left out.
  func encodeNil(forKey key: Key) throws { encoder.node.remove(key.stringValue) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try below(key).encode(value) }

  func encode(_ value: Bool, forKey key: Key) throws { below(key).set(.bool(value)) }
  func encode(_ value: String, forKey key: Key) throws { below(key).set(.string(value)) }
  func encode(_ value: Double, forKey key: Key) throws { try below(key).double(value) }
  func encode(_ value: Float, forKey key: Key) throws { try below(key).double(Double(value)) }
  func encode(_ value: Int, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: Int8, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: Int16, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: Int32, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: Int64, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: UInt, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: UInt8, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: UInt16, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: UInt32, forKey key: Key) throws { try below(key).integer(value) }
  func encode(_ value: UInt64, forKey key: Key) throws { try below(key).integer(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    below(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { below(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { below(AnyKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { below(key) }

  private func below(_ key: any CodingKey) -> NodeEncoder { encoder.below(key, encoder.node.member(key.stringValue)) }
}

/// The items of a list that is being encoded.
struct ItemEncoder: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.items.count }

  func encodeNil() throws { throw encoder.below(AnyKey(count), EncodedNode()).nothing(Never?.none as Any) }

  func encode<T: Encodable>(_ value: T) throws {
    let item = EncodedNode()
    let below = encoder.below(AnyKey(count), item)
    try below.encode(value)
    if item.isEmpty { throw below.nothing(value) }
    encoder.node.append(item)
  }

  func encode(_ value: Bool) throws { next().set(.bool(value)) }
  func encode(_ value: String) throws { next().set(.string(value)) }
  func encode(_ value: Double) throws { try next().double(value) }
  func encode(_ value: Float) throws { try next().double(Double(value)) }
  func encode(_ value: Int) throws { try next().integer(value) }
  func encode(_ value: Int8) throws { try next().integer(value) }
  func encode(_ value: Int16) throws { try next().integer(value) }
  func encode(_ value: Int32) throws { try next().integer(value) }
  func encode(_ value: Int64) throws { try next().integer(value) }
  func encode(_ value: UInt) throws { try next().integer(value) }
  func encode(_ value: UInt8) throws { try next().integer(value) }
  func encode(_ value: UInt16) throws { try next().integer(value) }
  func encode(_ value: UInt32) throws { try next().integer(value) }
  func encode(_ value: UInt64) throws { try next().integer(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }

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
  func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
  func encode(_ value: Bool) throws { encoder.set(.bool(value)) }
  func encode(_ value: String) throws { encoder.set(.string(value)) }
  func encode(_ value: Double) throws { try encoder.double(value) }
  func encode(_ value: Float) throws { try encoder.double(Double(value)) }
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

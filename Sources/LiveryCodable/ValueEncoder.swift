import Livery

/// Encodes types as values: as a list, an object or a scalar, as `JSONEncoder` does as JSON.
///
/// Members that are nil are left out, since nothing is nil in a value. Types that a value has of its own are kept: `Date` and
/// `Timestamp` become dates of microseconds, `Data` data, `Color` a color, and `URL` a URL if it is absolute, else text. A
/// `Float` becomes the number that its text spells, a `Decimal` the nearest one.
public struct ValueEncoder: Sendable {
  /// What types that encode themselves are told.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// - Throws: `EncodingError` for nil, and for what no value holds: numbers that are not finite or larger than `Int64`,
  ///   dates beyond the years 1 to 9999, nil in a list; and what a type throws that encodes itself.
  public func encode<T: Encodable>(_ content: T) throws -> Value {
    let encoder = encoder(at: [])
    guard let value = try encode(content, encoder) else { throw encoder.nothing(content) }
    return value
  }

  /// nil for what is nil.
  func encodeIfAny<T: Encodable>(_ content: T, at path: [any CodingKey]) throws -> Value? {
    try encode(content, encoder(at: path))
  }

  private func encoder(at path: [any CodingKey]) -> NodeEncoder {
    NodeEncoder(node: EncodedNode(), codingPath: path, userInfo: userInfo)
  }

  private func encode<T: Encodable>(_ content: T, _ encoder: NodeEncoder) throws -> Value? {
    try encoder.encode(content)
    if encoder.node.content == nil { throw encoder.nothing(content) }
    return try encoder.node.value(encoder)
  }
}

/// A value that is being encoded. Containers share it.
final class EncodedNode {
  enum Content {
    case nothing
    case value(Value)
    case members
    case items
  }

  /// nil as long as nothing was encoded.
  var content: Content?
  private(set) var items: [EncodedNode] = []
  private var keys: [String] = []
  private var members: [String: EncodedNode] = [:]

  var isEmpty: Bool {
    switch content {
    case nil, .nothing: true
    default: false
    }
  }

  func append(_ item: EncodedNode) { items.append(item) }

  /// In place of an earlier member of the same key.
  func put(_ member: EncodedNode, forKey key: String) {
    if members.updateValue(member, forKey: key) == nil { keys.append(key) }
  }

  /// The member of a key if it has such content, else a new one in its place.
  func nested(_ key: String, _ content: Content?) -> EncodedNode {
    switch (members[key]?.content, content) {
    case (.members, .members), (.items, .items): if let member = members[key] { return member }
    default: break
    }
    let member = EncodedNode()
    put(member, forKey: key)
    return member
  }

  func become(_ other: EncodedNode) {
    content = other.content
    items = other.items
    keys = other.keys
    members = other.members
  }

  func remove(_ key: String) {
    if members.removeValue(forKey: key) != nil { keys.removeAll { $0 == key } }
  }

  /// nil for nothing.
  func value(_ encoder: NodeEncoder) throws -> Value? {
    switch content {
    case nil, .nothing: return nil
    case .value(let value): return value
    case .members:
      var found: [Value.Member] = []
      for key in keys {
        guard let member = members[key], let value = try member.value(encoder.below(AnyKey(key), member)) else {
          continue
        }
        found.append(.init(key, value))
      }
      return .object(found)
    case .items:
      return .list(
        try items.enumerated().map { index, item in
          let below = encoder.below(AnyKey(index), item)
          guard let value = try item.value(below) else { throw below.nothing(Never?.none as Any) }
          return value
        })
    }
  }
}

struct NodeEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  init(node: EncodedNode, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
    self.node = node
    self.codingPath = codingPath
    self.userInfo = userInfo
  }

  func below(_ key: any CodingKey, _ node: EncodedNode) -> NodeEncoder {
    NodeEncoder(node: node, codingPath: codingPath + [key], userInfo: userInfo)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.content = .members
    return KeyedEncodingContainer(MemberEncoder(encoder: self))
  }

  /// The same place for another node.
  func with(_ node: EncodedNode) -> NodeEncoder {
    NodeEncoder(node: node, codingPath: codingPath, userInfo: userInfo)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .items
    return ItemEncoder(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncoder(encoder: self) }

  // What is encoded

  func encode<T: Encodable>(_ content: T) throws {
    if try encodeFoundationType(content) { return }
    try content.encode(to: self)
  }

  func set(_ value: Value) { node.content = .value(value) }

  func integer<T: FixedWidthInteger>(_ number: T) throws {
    guard let whole = Int64(exactly: number) else {
      throw invalid(number, "\(number) does not fit in 64 bits with sign")
    }
    set(.int(whole))
  }

  func double(_ number: Double) throws {
    guard number.isFinite else { throw invalid(number, "\(number) is no finite number") }
    set(.double(number))
  }

  /// The number of its shortest text: 0.1 stays 0.1.
  func float(_ number: Float) throws {
    guard let double = Double("\(number)"), double.isFinite else {
      throw invalid(number, "\(number) is no finite number")
    }
    set(.double(double))
  }

  // What to say of failures

  func invalid(_ value: Any, _ message: String) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
  }

  func nothing(_ value: Any) -> EncodingError { invalid(value, "nothing was encoded: a value is not nil") }
}

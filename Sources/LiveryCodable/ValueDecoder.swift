import Livery

/// Decodes types from values: from a list or an object, as `JSONDecoder` does from JSON.
///
/// Nothing is nil in a value: a member that is absent decodes as nil, and no item of a list does. Numbers convert where
/// nothing is lost, and text where a type has no other spelling: `Date` and `Timestamp` decode from dates and from RFC 3339,
/// `Data` from data and base64, `URL` from URLs and strings, `Color` from colors and from text of CSS; `String` also from
/// URLs and references to images, and `Decimal` from numbers.
public struct ValueDecoder: Sendable {
  /// What types that decode themselves are told.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// - Throws: `DecodingError`, and what a type throws that decodes itself.
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    try decode(type, from: .value(value), at: [])
  }

  func decode<T: Decodable>(_ type: T.Type, from node: Node, at path: [any CodingKey]) throws -> T {
    try NodeDecoder(node: node, codingPath: path, userInfo: userInfo).decode(type)
  }
}

/// What is decoded: a value, or the settings whose names begin alike, by the rest of their names.
enum Node {
  case value(Value)
  case settings([String: Value])

  /// What to call it in messages.
  var kind: String {
    switch self {
    case .value(let value): "a value of type \(value.type)"
    case .settings: "settings"
    }
  }
}

struct NodeDecoder: Decoder {
  let node: Node
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  init(node: Node, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
    self.node = node
    self.codingPath = codingPath
    self.userInfo = userInfo
  }

  func below(_ key: any CodingKey, _ node: Node) -> NodeDecoder {
    NodeDecoder(node: node, codingPath: codingPath + [key], userInfo: userInfo)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch node {
    case .settings(let settings):
      return KeyedDecodingContainer(MemberDecoder(decoder: self, members: settings, areSettings: true))
    case .value(.object(let members)):
      let byKey = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
      return KeyedDecodingContainer(MemberDecoder(decoder: self, members: byKey, areSettings: false))
    case .value: throw mismatch([String: Any].self)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(.list(let items)) = node else { throw mismatch([Any].self) }
    return ItemDecoder(decoder: self, items: items)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { ScalarDecoder(decoder: self) }

  // What is decoded

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let content = try foundationType(type) { return content }
    return try T(from: self)
  }

  func bool() throws -> Bool {
    guard case .value(.bool(let content)) = node else { throw mismatch(Bool.self) }
    return content
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    switch node {
    case .value(.int(let number)):
      if let content = T(exactly: number) { return content }
      throw corrupted("the number \(number) does not fit in \(type)")
    case .value(.double(let number)):
      if let content = T(exactly: number) { return content }
      throw corrupted("the number \(number) does not fit in \(type)")
    default: throw mismatch(type)
    }
  }

  func double() throws -> Double {
    switch node {
    case .value(.double(let number)): return number
    case .value(.int(let number)):
      if let content = Double(exactly: number) { return content }
      throw corrupted("the number \(number) does not fit in Double")
    default: throw mismatch(Double.self)
    }
  }

  /// The nearest one.
  func float() throws -> Float {
    let content = Float(try double())
    guard content.isFinite else { throw corrupted("the number does not fit in Float") }
    return content
  }

  func string() throws -> String {
    switch node {
    case .value(.string(let text)), .value(.url(let text)), .value(.image(let text)): return text
    default: throw mismatch(String.self)
    }
  }

  /// A value of another type than its own, where text spells it.
  func converted<T>(_ type: T.Type, to wanted: ValueType) throws -> Value {
    switch node {
    case .value(let value) where value.type == wanted: return value
    case .value(.string(let text)):
      if let value = Value.string(text).coerced(to: wanted) { return value }
      throw corrupted("the text does not spell a \(wanted)")
    default: throw mismatch(type)
    }
  }

  // What to say of failures

  func mismatch<T>(_ type: T.Type) -> DecodingError {
    .typeMismatch(type, context("expected \(type), found \(node.kind)"))
  }

  func corrupted(_ message: String) -> DecodingError { .dataCorrupted(context(message)) }

  private func context(_ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: message)
  }
}

/// A key of any name or index.
struct AnyKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init(intValue) }
}

/// A JSON document as read: null included, members in the order of the text.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent.
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  public struct Member: Sendable {
    public var key: String
    public var value: JSON

    public init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// The largest text, in bytes.
  public static let maximumSize = 64 << 20
  /// The deepest nesting of arrays and objects.
  public static let maximumDepth = 200
  /// The largest number of values in a text of so many bytes. It bounds memory: the smallest text of a value takes two bytes, the
  /// value itself a hundred. The largest list has fewer, and so have settings by their names.
  public static func maximumCount(of bytes: Int) -> Int { max(1_200_000, bytes / 8) }
  /// The most digits in a row of a number: more than any number needs that is exact.
  static let maximumDigits = 1_000

  /// An object's member by key, compared byte by byte; nil for anything else.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.sameBytes(as: key) }?.value
  }
}

extension JSON: Equatable {
  /// Whether two documents are the same: text byte by byte, members in the same order.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)): a.sameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.key.sameBytes(as: $1.key) && $0.value == $1.value }
    default: false
    }
  }
}

import CLivery

/// A typed value: what a setting holds, and what every report and listing is made of.
///
/// A copy of what `livery_value` holds in C: it needs nothing of the store any more, and may be taken apart by patterns.
public enum Value: Sendable {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Empty, or an absolute URL.
  case url(String)
  case date(Timestamp)
  case color(Color)
  /// A reference to an image asset.
  case image(String)
  case list([Value])
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable {
    public var key: String
    public var value: Value

    public init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The deepest nesting of lists and objects; a scalar has depth 0.
  public static var maximumDepth: Int { Int(LIVERY_DEPTH_MAX) }
}

/// The type of a value. Raw values are those of the C constants.
public enum ValueType: UInt8, Sendable, CaseIterable {
  case bool = 1
  case int, double, string, data, url, date, color, image, list, object
}

extension Value {
  public var type: ValueType {
    switch self {
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    case .data: .data
    case .url: .url
    case .date: .date
    case .color: .color
    case .image: .image
    case .list: .list
    case .object: .object
    }
  }

  /// An object's member by key, compared byte by byte; nil for any other value.
  public subscript(key: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    for member in members where member.key.sameBytes(as: key) { return member.value }
    return nil
  }

  /// The number of items or members; 0 for a scalar.
  public var count: Int {
    switch self {
    case .list(let items): items.count
    case .object(let members): members.count
    default: 0
    }
  }

  /// The text of a string, URL or image reference, as it is.
  @inline(never)
  public var text: String? {
    switch self {
    case .string(let text), .url(let text), .image(let text): text
    default: nil
    }
  }

  /// The items of a list.
  public var items: [Value]? {
    guard case .list(let items) = self else { return nil }
    return items
  }
}

extension Value: Equatable {
  /// Whether two values are the same: text byte by byte, doubles by their bits, so that 0.0 and −0.0 differ, members in any
  /// order.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): return a == b
    case (.int(let a), .int(let b)): return a == b
    case (.double(let a), .double(let b)): return a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)), (.url(let a), .url(let b)), (.image(let a), .image(let b)):
      return a.sameBytes(as: b)
    case (.data(let a), .data(let b)): return a == b
    case (.date(let a), .date(let b)): return a == b
    case (.color(let a), .color(let b)): return a == b
    case (.list(let a), .list(let b)): return a == b
    case (.object(let a), .object(let b)):
      guard a.count == b.count else { return false }
      // Keys are distinct: if each of one has its like in the other, there are no more.
      for member in a {
        guard let other = right[member.key], other == member.value else { return false }
      }
      return true
    default: return false
    }
  }
}

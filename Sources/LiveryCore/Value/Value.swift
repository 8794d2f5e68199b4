/// A typed value: what a setting holds, and what every report and listing is made of.
///
/// Corresponds to `livery_value` in C. Doubles are finite, URLs and images well-formed, dates within the years 1 to 9999
/// and the keys of an object distinct; `Value.check()` says whether that holds for one built by hand.
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
  /// A secret that cannot be opened here. Never a part of another value; no read returns it.
  case sealed(Sealed)

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
  public static let maximumDepth = 32
  /// The largest value, in bytes as stored.
  public static let maximumSize = 1 << 20
}

/// The type of a value. Raw values are those of the C constants and of the file format.
public enum ValueType: UInt8, Sendable, CaseIterable {
  case bool = 1
  case int, double, string, data, url, date, color, image, list, object
}

extension ValueType: CustomStringConvertible {
  /// The type's name in reports: "bool", "int", …
  public var description: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .double: "double"
    case .string: "string"
    case .data: "data"
    case .url: "url"
    case .date: "date"
    case .color: "color"
    case .image: "image"
    case .list: "list"
    case .object: "object"
    }
  }

  public init?(name: String) {
    guard let found = ValueType.allCases.first(where: { $0.description.sameBytes(as: name) }) else { return nil }
    self = found
  }
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
    case .sealed(let sealed): sealed.type
    }
  }

  /// An object's member by key, compared byte by byte; nil for any other value.
  public subscript(key: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.sameBytes(as: key) }?.value
  }

  /// Whether it is a secret that cannot be opened here.
  public var isSealed: Bool {
    if case .sealed = self { return true }
    return false
  }

  /// The number of items or members; 0 for a scalar.
  public var count: Int {
    switch self {
    case .list(let items): items.count
    case .object(let members): members.count
    default: 0
    }
  }
}

extension Value: Equatable {
  /// Whether two values are the same: text byte by byte, doubles by their bits, so that 0.0 and −0.0 differ, members in any
  /// order.
  @inline(never)
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
      return a.isSame(as: b)
    case (.sealed(let a), .sealed(let b)): return a == b
    default: return false
    }
  }
}

extension Value? {
  /// The same of values that there may not be; unlike `==` of an optional it copies neither.
  @inline(never)
  @_optimize(speed)
  public func isSame(as other: Value?) -> Bool {
    guard let self else { return other == nil }
    guard let other else { return false }
    return self == other
  }
}

extension [Value.Member] {
  /// The members in the order of their keys' bytes.
  @inline(never)
  public func sortedByKey() -> [Value.Member] {
    func precedes(_ one: Int, _ other: Int) -> Bool { self[one].key.precedesInBytes(self[other].key) }
    return isInOrder(count, precedes) ? self : sortedOrder(of: count, precedes).map { self[$0] }
  }

  /// Whether as many others are the same, in whatever order.
  @inline(never)
  fileprivate func isSame(as others: [Value.Member]) -> Bool {
    var index = 0
    while index < count, self[index].key.sameBytes(as: others[index].key) {
      guard self[index].value == others[index].value else { return false }
      index += 1
    }
    guard index < count else { return true }
    // What was the same is not compared again, which would double with each level.
    let (mine, theirs) = (Array(self[index...]).sortedByKey(), Array(others[index...]).sortedByKey())
    return mine.indices.allSatisfy {
      mine[$0].key.sameBytes(as: theirs[$0].key) && mine[$0].value == theirs[$0].value
    }
  }
}

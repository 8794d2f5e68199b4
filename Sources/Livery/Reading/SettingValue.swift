/// A Swift type that settings can be read and written as.
public protocol SettingValue: Sendable {
  /// The value as this type, if nothing is lost by that.
  init?(_ value: Value)
  var settingValue: Value { get }
  /// What to call the type in messages.
  static var settingType: String { get }
  /// The type of values that a read may take from the cache as 8 bytes, and those bytes as this type; 0 for none.
  static var _scalarType: UInt8 { get }
  init?(_scalar: UInt64)
  /// Whether a read may take the text of a string, a URL or an image from the cache, and that as this type.
  static var _readsText: Bool { get }
  init?(_text: String)
}

extension SettingValue {
  @inlinable public static var _scalarType: UInt8 { 0 }
  @inlinable public init?(_scalar: UInt64) { return nil }
  @inlinable public static var _readsText: Bool { false }
  @inlinable public init?(_text: String) { return nil }
}

extension Value: SettingValue {
  public init?(_ value: Value) { self = value }
  public var settingValue: Value { self }
  public static var settingType: String { "value" }
}

extension Bool: SettingValue {
  public init?(_ value: Value) {
    guard case .bool(let content)? = value.coerced(to: .bool) else { return nil }
    self = content
  }
  public var settingValue: Value { .bool(self) }
  public static var settingType: String { "bool" }
  @inlinable public static var _scalarType: UInt8 { 1 }
  @inlinable public init?(_scalar: UInt64) { self = _scalar != 0 }
}

extension Int64: SettingValue {
  public init?(_ value: Value) {
    guard case .int(let content)? = value.coerced(to: .int) else { return nil }
    self = content
  }
  public var settingValue: Value { .int(self) }
  public static var settingType: String { "int" }
  @inlinable public static var _scalarType: UInt8 { 2 }
  @inlinable public init?(_scalar: UInt64) { self.init(bitPattern: _scalar) }
}

extension Int: SettingValue {
  public init?(_ value: Value) {
    guard let content = Int64(value), let exact = Int(exactly: content) else { return nil }
    self = exact
  }
  public var settingValue: Value { .int(Int64(self)) }
  public static var settingType: String { "int" }
  @inlinable public static var _scalarType: UInt8 { 2 }
  @inlinable public init?(_scalar: UInt64) { self.init(exactly: Int64(bitPattern: _scalar)) }
}

extension Double: SettingValue {
  public init?(_ value: Value) {
    guard case .double(let content)? = value.coerced(to: .double) else { return nil }
    self = content
  }
  public var settingValue: Value { .double(self) }
  public static var settingType: String { "double" }
  @inlinable public static var _scalarType: UInt8 { 3 }
  @inlinable public init?(_scalar: UInt64) { self.init(bitPattern: _scalar) }
}

extension Float {
  /// The one nearest to a number; nil for a number beyond its range, and for one of which 0 would be left.
  @inlinable public init?(within number: Double) {
    self.init(number)
    guard isFinite, self != 0 || number == 0 else { return nil }
  }
}

/// Reads as the float nearest to the number; a number beyond its range, or of which 0 would be left, does not convert.
extension Float: SettingValue {
  public init?(_ value: Value) {
    guard let content = Double(value) else { return nil }
    self.init(within: content)
  }
  public var settingValue: Value { .double(Double(self)) }
  public static var settingType: String { "float" }
  @inlinable public static var _scalarType: UInt8 { 3 }
  @inlinable public init?(_scalar: UInt64) { self.init(within: Double(bitPattern: _scalar)) }
}

/// Reads strings, URLs and image references.
extension String: SettingValue {
  public init?(_ value: Value) {
    guard case .string(let content)? = value.coerced(to: .string) else { return nil }
    self = content
  }
  public var settingValue: Value { .string(self) }
  public static var settingType: String { "string" }
  @inlinable public static var _readsText: Bool { true }
  @inlinable public init?(_text: String) { self = _text }
}

extension Timestamp: SettingValue {
  public init?(_ value: Value) {
    guard case .date(let content)? = value.coerced(to: .date) else { return nil }
    self = content
  }
  public var settingValue: Value { .date(self) }
  public static var settingType: String { "date" }
  @inlinable public static var _scalarType: UInt8 { 7 }
  @inlinable public init?(_scalar: UInt64) { self.init(microseconds: Int64(bitPattern: _scalar)) }
}

extension Color: SettingValue {
  public init?(_ value: Value) {
    guard case .color(let content)? = value.coerced(to: .color) else { return nil }
    self = content
  }
  public var settingValue: Value { .color(self) }
  public static var settingType: String { "color" }
}

extension Array: SettingValue where Element: SettingValue {
  public init?(_ value: Value) {
    guard case .list(let items) = value else { return nil }
    var content: [Element] = []
    content.reserveCapacity(items.count)
    for item in items {
      guard let element = Element(item) else { return nil }
      content.append(element)
    }
    self = content
  }
  public var settingValue: Value { .list(map { $0.settingValue }) }
  public static var settingType: String { "list" }
}

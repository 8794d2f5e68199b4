/// What a setting holds. Raw values are part of the stored descriptors.
public enum SettingKind: UInt8, Sendable, CaseIterable {
  case bool = 1
  case int, double, string, data, url, date, color, image
  /// One of the options' values.
  case choice
  /// A list of distinct options' values.
  case choices
  /// A list of objects, or of plain values, that a template describes.
  case list

  /// The type of the setting's values; nil for a choice, whose options may be of any scalar type.
  public var valueType: ValueType? {
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
    case .choice: nil
    case .choices, .list: .list
    }
  }
}

extension SettingKind: CustomStringConvertible {
  /// The kind's name in reports: that of the values' type, or "choice".
  public var description: String { valueType?.description ?? "choice" }
}

/// A setting as a schema declares it: its type, its constraints, and how it is shown to people.
public struct SettingDescriptor: Sendable, Equatable {
  /// One choice of a ComboBox.
  public struct Option: Sendable, Equatable {
    public var title: String
    /// A scalar.
    public var value: Value

    public init(title: String, value: Value) {
      self.title = title
      self.value = value
    }
  }

  /// The condition under which a setting is offered to people: another one has a certain value.
  public struct Condition: Sendable, Equatable {
    public var key: String
    public var equals: Value

    public init(key: String, equals: Value) {
      self.key = key
      self.equals = equals
    }
  }

  public var key: String
  public var kind: SettingKind
  public var title: String?
  public var placeholder: String?
  public var description: String?
  /// The titles of the group and of the panes in it, joined with " › ".
  public var group = ""
  public var isSecret = false
  /// Only the console's layers may set it.
  public var isReadOnly = false
  public var isHidden = false
  /// A change takes effect when the app starts again.
  public var needsRestart = false
  public var isRequired = false
  /// Its value in the layer `session` stays when the session ends.
  public var survivesLogout = false
  /// Its values, other than the default, end with the boot of the system.
  public var isVolatile = false
  /// Bounds and step as the schema gives them: an integer, a double or, for bounds of dates, a date.
  public var minimum: Value?
  public var maximum: Value?
  public var step: Value?
  public var unit: String?
  /// In Unicode scalars for text, in bytes for data.
  public var minLength: Int?
  public var maxLength: Int?
  /// A POSIX extended regular expression that is searched for in the text.
  public var pattern: String?
  public var maxItems: Int?
  /// The member by which a list's items are told apart.
  public var uniqueBy: String?
  public var options: [Option] = []
  public var since: String?
  public var deprecated: String?
  /// Old names that still read.
  public var aliases: [String] = []
  public var enabledBy: Condition?
  /// The members of a list's items; one with an empty key where the items are plain values.
  public var template: [SettingDescriptor] = []
  public var defaultValue: Value?

  public init(key: String, kind: SettingKind) {
    self.key = key
    self.kind = kind
  }

  /// What the items of a list of plain values are.
  public var plainItem: SettingDescriptor? {
    template.count == 1 && template[0].key.isEmpty ? template[0] : nil
  }

  /// Whether a value of the setting may carry a secret, its own or one in an item.
  public var holdsSecret: Bool {
    isSecret || template.contains { $0.holdsSecret }
  }

  /// What its value of the session survives, as a schema lists it; nil for nothing.
  public var survived: Value? { survivesLogout ? .list([.string(Self.logout)]) : nil }

  public static func == (left: SettingDescriptor, right: SettingDescriptor) -> Bool {
    left.object(isItem: true) == right.object(isItem: true)
  }
}

extension SettingDescriptor {
  /// The constraints that are set, as an object whose members are named as in the schema.
  public var constraints: Value {
    var members: [Value.Member] = []
    func add(_ key: String, _ value: Value?) {
      if let value { members.append(.init(key, value)) }
    }
    add("Minimum", minimum)
    add("Maximum", maximum)
    add("Step", step)
    add("Unit", unit.map { .string($0) })
    add("MinLength", minLength.map { .int(Int64($0)) })
    add("MaxLength", maxLength.map { .int(Int64($0)) })
    add("Pattern", pattern.map { .string($0) })
    add("Required", isRequired ? .bool(true) : nil)
    add("MaxItems", maxItems.map { .int(Int64($0)) })
    add("UniqueBy", uniqueBy.map { .string($0) })
    if !options.isEmpty {
      add("Options", .list(options.map { .object([.init("Title", .string($0.title)), .init("Value", $0.value)]) }))
    }
    if let enabledBy {
      add("EnabledBy", .object([.init("Key", .string(enabledBy.key)), .init("Equals", enabledBy.equals)]))
    }
    return .object(members)
  }
}

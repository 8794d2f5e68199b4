/// The settings of a schema, made ready to check values when one is asked for.
public final class SchemaValidator {
  private let settings: [SettingDescriptor]
  private var numbers = ByteIndex()
  private var validators: [SettingValidator?]
  private let patterns = PatternCache()

  public init(_ schema: Schema) {
    settings = schema.settings
    validators = [SettingValidator?](repeating: nil, count: settings.count)
    for setting in settings { _ = numbers.insert(setting.key) }
  }

  public func declared(_ name: String) -> SettingDescriptor? {
    numbers.number(of: name).map { settings[$0] }
  }

  /// What a setting's declaration says of a value; nil if the schema does not declare it.
  public func validated(_ name: String, _ value: Value) -> Validation? {
    guard let number = numbers.number(of: name) else { return nil }
    let validator = validators[number] ?? SettingValidator(settings[number], patterns: patterns)
    validators[number] = validator
    return validator.validated(value)
  }

  /// The default of a setting, or of a member in the template of a list.
  public func defaultValue(_ path: MigrationPath) -> Value? {
    guard var found = declared(path.root) else { return nil }
    for name in (path.lists + [path.name]).dropFirst() {
      guard let member = found.template.first(where: { $0.key.sameBytes(as: name) }) else { return nil }
      found = member
    }
    return found.defaultValue
  }
}

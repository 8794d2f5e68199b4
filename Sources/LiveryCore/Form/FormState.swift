/// What a form tells of a setting at one moment, beside its declaration.
public struct FormState: Sendable {
  /// Why a setting cannot be changed.
  public enum Obstacle: Sendable {
    case locked(by: Layer)
    case readOnly
    /// Another setting has another value than this one asks for.
    case disabled(by: SettingDescriptor)
  }

  /// What is in effect.
  public var record: Record
  /// Whether the form's layer holds a value.
  public var hasOwnValue: Bool
  public var obstacle: Obstacle?

  public init(record: Record, hasOwnValue: Bool, obstacle: Obstacle?) {
    self.record = record
    self.hasOwnValue = hasOwnValue
    self.obstacle = obstacle
  }
}

extension SettingKind {
  /// What the form draws of it.
  func formKind(isSecret: Bool) -> String {
    switch self {
    case .bool: "switch"
    case .int: "integer"
    case .double: "number"
    case .string: isSecret ? "secret" : "text"
    case .choices: "choices"
    case .data, .url, .date, .color, .image, .choice, .list: description
    }
  }
}

extension SettingDescriptor {
  public var formKind: String { kind.formKind(isSecret: isSecret) }

  /// A value of the setting without its secrets: in place of each is whether it has a text.
  func withoutSecrets(_ value: Value) -> Value {
    if isSecret {
      if case .string(let text) = value { return .bool(!text.utf8.isEmpty) }
      return .bool(true)
    }
    if value.isSealed { return .list([]) }
    guard holdsSecret, case .list(let items) = value else { return value }
    if let plain = plainItem { return .list(items.map { plain.withoutSecrets($0) }) }
    return .list(items.map { withoutSecrets(item: $0) })
  }

  private func withoutSecrets(item: Value) -> Value {
    guard case .object(let members) = item else { return item }
    return .object(
      members.map { member in
        let declared = template.first { $0.key.sameBytes(as: member.key) }
        return .init(member.key, declared?.withoutSecrets(member.value) ?? member.value)
      })
  }
}

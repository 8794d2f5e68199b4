// What refers to the finished descriptor or to other settings: default, aliases, conditions.
extension SchemaCompiler {
  mutating func defaultValue(_ fields: SettingFields, type: SchemaType, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.value] else {
      // A list that nobody has filled is empty.
      if type == .list, !descriptor.isRequired { descriptor.defaultValue = .list([]) }
      return
    }
    if case .string(let text) = json, text.isEmpty, [.color, .date, .image, .number].contains(type) { return }
    // Without its options or template a default cannot be judged.
    if type == .comboBox, descriptor.options.isEmpty { return }
    let validator = SettingValidator(descriptor, patterns: patterns)
    descriptor.defaultValue = at(.value) { compiler in
      if case .null = json {
        compiler.wrongType(json, "the default")
        return nil
      }
      guard let value = compiler.value(json) else { return nil }
      switch validator.validated(value) {
      case .valid(let value): return value
      case .invalid(let violations):
        for violation in violations {
          compiler.error(
            SchemaCompiler.code(of: violation), "default of \(violation.message)",
            hint: "leave `Value` out for no default")
        }
        return nil
      }
    }
  }

  private static func code(of violation: Violation) -> String {
    func isOne(of names: [String]) -> Bool {
      names.contains { name in violation.constraint?.sameBytes(as: name) ?? false }
    }
    if isOne(of: ["Type"]) { return "default-wrong-type" }
    if isOne(of: ["Options"]) { return "default-not-an-option" }
    if isOne(of: ["Minimum", "Maximum", "Step", "MinLength", "MaxLength", "MaxItems"]) {
      return "default-out-of-range"
    }
    return "default-invalid"
  }

  mutating func aliases(
    _ fields: SettingFields, index: Int, scope: SchemaScope, of descriptor: inout SettingDescriptor
  ) {
    guard let json = fields[.aliases] else { return }
    if scope.isItem {
      at(.aliases) {
        $0.report(.warning, "does-not-apply", "`Aliases` does not apply to members of a list's items", isKey: true)
      }
      return
    }
    var aliases: [String] = []
    at(.aliases) { compiler in
      guard let items = compiler.array(json) else { return }
      for (position, item) in items.enumerated() {
        compiler.at(.index(position)) { compiler in
          guard let alias = compiler.key(item) else { return }
          compiler.declare(alias, index: index, scope: scope)
          aliases.append(alias)
        }
      }
    }
    descriptor.aliases = aliases
  }

  mutating func condition(_ fields: SettingFields, index: Int, scope: SchemaScope) {
    guard let json = fields[.enabledBy] else { return }
    at(.enabledBy) { compiler in
      guard case .object(let members) = json else {
        compiler.wrongType(json, "an object with `Key` and `Equals`")
        return
      }
      compiler.reportUnknown(members, known: ["Key", "Equals"], in: "EnabledBy")
      guard let keyMember = json["Key"], let equalsMember = json["Equals"] else {
        compiler.error("missing-member", "`EnabledBy` has `Key` and `Equals`")
        return
      }
      guard let key = compiler.at(.key, { $0.text(keyMember) }),
        let equals = compiler.at(.member("Equals"), { $0.value(equalsMember) })
      else { return }
      scope.conditions.append(
        .init(path: compiler.path, key: key, equals: equals, index: index, setting: compiler.setting ?? ""))
    }
  }

  /// Checks the conditions of a scope whose keys are all known, and converts what they compare with.
  mutating func resolveConditions(of scope: SchemaScope, in settings: inout [SettingDescriptor]) {
    let outerPath = path
    let outerSetting = setting
    // Made once for each setting: one with many options may be named by many.
    var validators = [SettingValidator?](repeating: nil, count: settings.count)
    for condition in scope.conditions {
      path = condition.path
      setting = condition.setting
      guard let target = scope.declaration(of: condition.key), settings.indices.contains(target.index) else {
        at(.key) { compiler in
          compiler.error(
            "unknown-key", "`EnabledBy` names \(Value.string(condition.key).brief), which is not declared here",
            hint: MemberNames.meant(by: condition.key, among: settings.prefix(MemberNames.limit).map { $0.key })
              .map { "did you mean `\($0)`?" })
        }
        continue
      }
      let validator = validators[target.index] ?? SettingValidator(settings[target.index], patterns: patterns)
      validators[target.index] = validator
      let equals = at(.member("Equals")) { $0.compared(condition.equals, with: validator) }
      guard let equals, settings.indices.contains(condition.index) else { continue }
      settings[condition.index].enabledBy = .init(key: settings[target.index].key, equals: equals)
    }
    path = outerPath
    setting = outerSetting
  }

  private mutating func compared(_ value: Value, with target: SettingValidator) -> Value? {
    switch target.validated(value) {
    case .valid(let value): return value
    case .invalid(let violations):
      error("invalid-condition", "`Equals` is no value of \(violations.first?.message ?? "it")")
      return nil
    }
  }
}

// What values that the old schema allows come to under the new one.
extension ComparisonRun {
  /// Judges what a setting's values have become.
  mutating func check(_ slot: ComparisonSlot) {
    guard let number = newNumbers.number(of: slot.name) else { return checkUndeclared(slot) }
    checkSecrecy(slot, new.settings[number], at: [slot.name])
    checkLifetime(slot, new.settings[number])
    let validator = SettingValidator(new.settings[number], patterns: patterns)
    check(slot, validator, at: [slot.name])
  }

  /// Whether values that stay now would go later, by a boot of the system or the end of a session.
  private mutating func checkLifetime(_ slot: ComparisonSlot, _ setting: SettingDescriptor) {
    guard !slot.isEmpty else { return }
    if setting.isVolatile, !slot.isVolatile {
      report(
        .warning, "now-volatile", "`\(setting.key)` is volatile now: its values end with the boot that is running",
        at: .new([setting.key], .volatile))
    }
    if slot.survivesLogout, !setting.survivesLogout {
      report(
        .warning, "no-longer-survives",
        "`\(setting.key)` no longer survives a logout: its value of the session ends with that",
        at: .new([setting.key], .key))
    }
  }

  private mutating func checkUndeclared(_ slot: ComparisonSlot) {
    guard !slot.isEmpty else { return }
    let wasMoved = slot.origin.isEmpty || !slot.name.sameBytes(as: slot.origin[0]) || slot.origin.count > 1
    let place = wasMoved ? Place.pointer(slot.stepPointer) : .old(slot.origin, .key)
    if new.isOpen {
      checkSecrecy(slot, nil, at: [slot.name])
      return report(
        .warning, "no-longer-declared", "`\(slot.name)` is no longer declared: its values stay, and are not checked",
        at: place)
    }
    if wasMoved {
      return reportLoss(
        "undeclared-target", "a step leads into `\(slot.name)`, which the new schema does not declare", at: place,
        hint: MemberNames.meant(by: slot.name, among: unreached)
          .map { "did you mean `\($0)`?" })
    }
    for setting in new.settings {
      for alias in setting.aliases where alias.sameBytes(as: slot.name) {
        return reportLoss(
          "missing-rename",
          "`\(slot.name)` is now an alias of `\(setting.key)`, which reads but moves no values: they no longer count",
          at: place, hint: renameHint(slot.name, into: setting.key))
      }
    }
    guard let meant = successor(of: slot) else {
      return reportLoss(
        "removed-key", "`\(slot.name)` is gone, and no step says what becomes of its values", at: place,
        hint:
          "add {\"Op\": \"remove\", \"Key\": \(Value.string(slot.name).brief)} to the steps to version \(new.version)")
    }
    reportLoss(
      "removed-key", "`\(slot.name)` is gone, and no step says what becomes of its values", at: place,
      hint: "did you mean to rename it to `\(meant)`? " + renameHint(slot.name, into: meant))
  }

  func renameHint(_ from: String, into: String) -> String {
    "add {\"Op\": \"rename\", \"From\": \(Value.string(from).brief), \"Into\": \(Value.string(into).brief)} "
      + "to the steps to version \(new.version)"
  }

  /// The new setting that one that is gone resembles, by its key or else by its title.
  private mutating func successor(of slot: ComparisonSlot) -> String? {
    guard namesToCompare > 0 else { return nil }
    namesToCompare -= unreached.count + 1
    if let near = nearestNames(to: slot.name, among: unreached, limit: 1).first { return near }
    var title: String?
    for setting in old.settings where setting.key.sameBytes(as: slot.name) { title = setting.title }
    guard let title else { return nil }
    for (number, setting) in new.settings.enumerated() where !isReached[number] {
      if let other = setting.title, other.sameBytes(as: title) { return setting.key }
    }
    return nil
  }

  mutating func check(_ slot: ComparisonSlot, _ validator: SettingValidator, at path: [String]) {
    let setting = validator.descriptor
    let shown = MigrationPath(lists: Array(path.dropLast()), name: setting.key).text
    if slot.isObject {
      return reportLoss(
        "type-changed", "`\(shown)` becomes an object, which no setting can hold", at: .pointer(slot.stepPointer))
    }
    checkValues(slot, validator, shown, at: path)
    guard let declared = slot.declared else { return }
    switch Self.change(from: declared, to: setting) {
    case .none: break
    case .exact:
      report(
        .warning, "type-changed",
        "`\(shown)` is of type \(setting.kind), and was of type \(declared.kind): values are read "
          + "converted, and nothing is lost", at: .new(path, .type))
    case .lossy:
      let lost = setting.kind == .choice ? "are none of its options" : "do not convert"
      return reportLoss(
        "type-changed",
        "`\(shown)` is of type \(setting.kind), and its values are of type \(declared.kind): those that \(lost) "
          + "are set aside",
        at: .new(path, .type), hint: convertHint(declared.kind.valueType, to: setting, shown))
    }
    let limits = Narrowing(declared, setting).found
    for limit in limits {
      reportLoss(
        "narrowed", "`\(shown)`: \(limit.text); values beyond are set aside", at: .new(path, limit.member))
    }
    if setting.hasItems { checkItems(slot, declared, validator, shown, at: path) }
  }

  /// A step that converts values, if there is one that would.
  private func convertHint(_ old: ValueType?, to setting: SettingDescriptor, _ shown: String) -> String? {
    switch setting.kind {
    case .list, .choices: return nil
    default: break
    }
    let type = setting.kind == .choice ? setting.options.first?.value.type : setting.kind.valueType
    guard let type, let kind = SettingKind(type), old != type, old != .list else { return nil }
    return
      "add {\"Op\": \"convert\", \"Key\": \(Value.string(shown).brief), \"Type\": \"\(kind.conversionName)\"} to the "
      + "steps to version \(new.version)"
  }

  /// Bools, choices and what steps set: few values, which are all tried.
  private mutating func checkValues(
    _ slot: ComparisonSlot, _ validator: SettingValidator, _ shown: String, at path: [String]
  ) {
    let setting = validator.descriptor
    var refused = ""
    var reason = ""
    var count = 0
    var changesType = false
    for value in slot.values {
      guard case .invalid(let violations) = validator.validated(value) else {
        if setting.kind != .choice, setting.kind.valueType != value.type { changesType = true }
        continue
      }
      count += 1
      if count == 1 { reason = violations.first?.message ?? "" }
      if count <= 8 { refused += (count > 1 ? ", " : "") + value.brief } else if count == 9 { refused += ", …" }
    }
    if count > 0 {
      if slot.isChanged, !slot.stepPointer.utf8.isEmpty {
        return reportLoss(
          "step-value-invalid", "steps make values of `\(shown)` that are set aside (\(refused)): \(reason)",
          at: .pointer(slot.stepPointer))
      }
      let wereOptions = setting.kind == .choice
      return reportLoss(
        wereOptions ? "removed-options" : "type-changed",
        wereOptions
          ? "`\(shown)`: Options no longer has \(refused)"
          : "`\(shown)` no longer takes \(refused): \(reason)", at: .new(path, wereOptions ? .options : .type),
        hint: wereOptions
          ? "say in a step `convert` with `Map` what takes their place"
          : convertHint(slot.values.first?.type, to: setting, shown)
      )
    }
    if changesType, !slot.isChanged {
      report(
        .warning, "type-changed", "`\(shown)` is of another type: values are read converted, and nothing is lost",
        at: .new(path, .type))
    }
  }
}

extension ComparisonRun {
  private enum Change {
    case none, exact, lossy
  }

  /// What reading the values of one kind as another loses.
  private static func change(from declared: SettingDescriptor, to setting: SettingDescriptor) -> Change {
    if declared.kind == setting.kind || declared.hasItems && setting.hasItems { return .none }
    switch (declared.kind, setting.kind) {
    case (.int, .double): return declared.isExactAsDouble ? .exact : .lossy
    case (.url, .string), (.image, .string): return .exact
    default: return .lossy
    }
  }
}

/// The constraints that have become stricter for values of a kind.
private struct Narrowing {
  private let declared: SettingDescriptor
  private let setting: SettingDescriptor
  private(set) var found: [(member: SchemaMember, text: String)] = []

  init(_ declared: SettingDescriptor, _ setting: SettingDescriptor) {
    self.declared = declared
    self.setting = setting
    switch declared.kind {
    case .int, .double, .date: compareRange()
    case .string, .url, .image, .data: compareText()
    case .choices, .list: compareCount()
    default: break
    }
  }

  private mutating func add(_ member: SchemaMember, _ new: String, _ old: String?) {
    found.append((member, "\(member.name) is \(new), " + (old.map { "and was \($0)" } ?? "and there was none")))
  }

  private mutating func compareRange() {
    if let new = setting.minimum {
      let old = declared.minimum ?? (declared.kind == .int ? .int(.min) : nil)
      let order = old.flatMap { Bounds.order($0, new) }
      if order != .equal, order != .greater { add(.minimum, new.brief, declared.minimum?.brief) }
    }
    if let new = setting.maximum {
      let old = declared.maximum ?? (declared.kind == .int ? .int(.max) : nil)
      let order = old.flatMap { Bounds.order($0, new) }
      if order != .equal, order != .less { add(.maximum, new.brief, declared.maximum?.brief) }
    }
    guard let new = setting.step else { return }
    let step = declared.step ?? (declared.kind == .int ? .int(1) : nil)
    // Without a step of their own whole numbers count from any.
    let base = declared.step == nil ? .int(0) : declared.minimum ?? .int(0)
    if let step, Bounds.isMultiple(step, of: new, from: nil), Bounds.isMultiple(base, of: new, from: setting.minimum) {
      return
    }
    add(.step, new.brief + (setting.minimum.map { " from \($0.brief)" } ?? ""), declared.step?.brief)
  }

  private mutating func compareText() {
    let least = max(0, declared.minLength ?? 0)
    let isURL = declared.kind == .url && setting.kind == .url
    let mayBeEmpty = !declared.isRequired && declared.kind != .image && (least == 0 || declared.kind == .url)
    if setting.isRequired, mayBeEmpty { found.append((.required, "Required, and was not")) }
    if let new = setting.minLength {
      let shortest = mayBeEmpty && !isURL ? 0 : max(1, least)
      if new > shortest { add(.minLength, "\(new)", declared.minLength.map { "\($0)" }) }
    }
    if let new = setting.maxLength, new < declared.maxLength ?? Int.max {
      add(.maxLength, "\(new)", declared.maxLength.map { "\($0)" })
    }
    guard let new = setting.pattern else { return }
    if let old = declared.pattern, old.sameBytes(as: new), isURL || declared.kind != .url || !mayBeEmpty { return }
    add(.pattern, new, declared.pattern)
  }

  private mutating func compareCount() {
    if setting.isRequired, !declared.isRequired { found.append((.required, "Required, and was not")) }
    if let new = setting.maxItems, new < declared.mostItems {
      add(.maxItems, "\(new)", declared.maxItems.map { "\($0)" })
    }
  }
}

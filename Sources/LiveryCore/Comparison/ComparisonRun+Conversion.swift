// What the step `convert` makes of values.
extension ComparisonRun {
  mutating func convert(
    _ step: MigrationStep, _ slot: inout ComparisonSlot, _ conversion: Conversion, _ invalid: MigrationStep.Invalid
  ) {
    var values: [Value] = []
    var lost: String?
    for value in slot.values {
      if let converted = conversion.converted(value, isSecret: false).value {
        if converted != value { slot.isChanged = true }
        values.append(converted)
      } else if lost == nil {
        lost = value.brief
      }
    }
    let all: Bool
    slot.values = values
    slot.defaultValue = slot.defaultValue.flatMap { conversion.converted($0, isSecret: false).value }
    if let declared = slot.declared {
      let (converted, failing) = conversion.converted(declared)
      slot.declared = converted
      let isSame = converted?.kind == declared.kind && conversion.scale == nil && conversion.map.isEmpty
      if !isSame { slot.isChanged = true }
      if !isSame, !conversion.keepsApart(declared) { slot.isDistinct = false }
      if let failing { lost = failing }
      if converted == nil { lost = "a value of type \(declared.kind)" }
      if !declared.hasItems { slot.values += conversion.map.values }
      all = slot.isEmpty
    } else if slot.isObject {
      all = true
      lost = lost ?? "an object"
    } else {
      all = values.isEmpty && lost != nil
    }
    if slot.isChanged, !all { slot.stepPointer = step.pointer }
    guard let lost else { return }
    reportDropped(step, invalid, slot.name, lost, all: all, "does not convert to \(conversion.type)")
    // A plain value that goes takes its item with it.
    let isPlain = slot.name.utf8.isEmpty
    switch invalid {
    case .fail: break
    case .useDefault:
      slot.takesDefault = true
      if !isPlain { slot.needsDefault = true }
    case .remove:
      if isPlain { return }
      slot.isAlwaysPresent = false
      slot.defaultValue = nil
    }
  }
}

extension Conversion {
  /// What values of a declaration become, and which do not convert.
  fileprivate func converted(_ declared: SettingDescriptor) -> (SettingDescriptor?, lost: String?) {
    let any = SettingKind(type).map { SettingDescriptor(key: declared.key, kind: $0) }
    if let scale {
      switch declared.kind {
      case .int, .double: return scaled(declared, by: scale)
      case .string: return (any, "text")
      default: return (nil, nil)
      }
    }
    if declared.kind.valueType == type, declared.kind != .list, declared.kind != .choices { return (declared, nil) }
    switch (declared.kind, type) {
    case (.list, _), (.choices, _): return (nil, nil)
    case (.color, .string): return (any, "a color finer than eight bits a component")
    case (_, .string): return (any, nil)
    case (.int, .double): return declared.isExactAsDouble ? (any, nil) : (any, "a whole number beyond 2⁵³")
    case (.double, .int): return (any, "a fraction")
    case (.string, _): return (any, "text")
    case (.url, .image), (.image, .url): return (any, "text")
    default: return (nil, nil)
    }
  }

  /// Whether values of a declaration that differ never become the same.
  fileprivate func keepsApart(_ declared: SettingDescriptor) -> Bool {
    guard map.isEmpty else { return false }
    if let scale { return declared.kind == .int && scale.type == .int }
    return type == .string || declared.kind == .int
  }

  private func scaled(_ declared: SettingDescriptor, by scale: Value) -> (SettingDescriptor?, lost: String?) {
    guard let kind = SettingKind(type) else { return (nil, nil) }
    var result = SettingDescriptor(key: declared.key, kind: kind)
    var lost: String?
    var isNegative = false
    if case .int(let factor) = scale { isNegative = factor < 0 }
    if case .double(let factor) = scale { isNegative = factor < 0 }
    func bound(_ value: Value?) -> Value? {
      value.flatMap { $0.scaled(by: scale, to: type) }
    }
    let low = bound(declared.minimum), high = bound(declared.maximum)
    (result.minimum, result.maximum) = isNegative ? (high, low) : (low, high)
    let isWhole = declared.kind == .int && scale.type == .int
    if isWhole, type == .int, !isNegative, declared.step == nil || declared.step?.type == .int {
      result.step = bound(declared.step ?? .int(1))
      // Steps count from the lower bound, or from 0.
      if declared.minimum != nil, low == nil { result.step = nil }
    }
    if low == nil || high == nil { lost = "a number" }
    if type == .int, !isWhole { lost = "a number" }
    if type == .double, isWhole, !result.isExactAsDouble { lost = "a number" }
    if declared.kind == .int, !isWhole, !declared.isExactAsDouble { lost = "a number" }
    return (result, lost)
  }
}

extension SettingDescriptor {
  /// Whether a whole number of the setting is the same as a double.
  var isExactAsDouble: Bool {
    let most = Int64(1) << 53
    guard let minimum, let maximum else { return false }
    return Bounds.order(minimum, .int(-most)) != .less && Bounds.order(maximum, .int(most)) != .greater
  }
}

// What the steps make of the names and of the kinds of values.
extension ComparisonRun {
  mutating func follow(_ step: MigrationStep) {
    if case .call(let name) = step.action {
      if function == nil { function = name }
      return report(
        .warning, "not-followed", "what `\(name)` does to values is not known here", at: .pointer(step.pointer))
    }
    var slots = slots
    descend(step, 0, &slots)
    self.slots = slots
  }

  private mutating func descend(_ step: MigrationStep, _ depth: Int, _ slots: inout [ComparisonSlot]) {
    guard depth < step.lists.count else { return apply(step, &slots) }
    let name = step.lists[depth]
    guard let index = slots.index(of: name) else { return reportMissing(step, name, depth, slots) }
    guard slots[index].declared?.kind == .list else {
      return report(
        .warning, "step-without-effect", "`\(name)` is no list: the step finds nothing", at: .pointer(step.pointer))
    }
    var members = slots[index].members
    descend(step, depth + 1, &members)
    slots[index].members = members
  }

  private mutating func reportMissing(
    _ step: MigrationStep, _ name: String, _ depth: Int, _ slots: [ComparisonSlot]
  ) {
    if depth == 0, old.isOpen || function != nil { return }
    var names: [String] = []
    for slot in slots { names.append(slot.name) }
    report(
      .warning, "step-without-effect",
      "there is no `\(name)` where the steps have come to: the step finds nothing", at: .pointer(step.pointer),
      hint: MemberNames.meant(by: name, among: names).map { "did you mean `\($0)`?" })
  }

  private mutating func apply(_ step: MigrationStep, _ slots: inout [ComparisonSlot]) {
    switch step.action {
    case .rename(let name, let into):
      guard let index = source(name, of: step, in: slots) else { return }
      checkFree(into, step, slots)
      let slot = slots.remove(at: index)
      copy(step, slot, into, &slots)
    case .copy(let name, let into):
      guard let index = source(name, of: step, in: slots) else { return }
      checkFree(into, step, slots)
      copy(step, slots[index], into, &slots)
    case .remove(let name):
      if let index = source(name, of: step, in: slots) { remove(step, index, &slots) }
    case .convert(let name, let conversion, let invalid):
      if let index = source(name, of: step, in: slots) { convert(step, &slots[index], conversion, invalid) }
    case .set(let name, let value, let condition): set(step, name, value, condition, &slots)
    case .split(let name, _, let into, let invalid):
      if let index = source(name, of: step, in: slots) { split(step, index, into, invalid, &slots) }
    case .join(let names, _, let into, let invalid): join(step, names, into, invalid, &slots)
    case .gather(let names, let into): gather(step, names, into, &slots)
    case .spread(let name, let members):
      if let index = source(name, of: step, in: slots) { spread(step, index, members, &slots) }
    // `follow` has told of it.
    case .call: break
    }
  }

  /// Where a name is that a step reads; tells if it is nowhere.
  private mutating func source(_ name: String, of step: MigrationStep, in slots: [ComparisonSlot]) -> Int? {
    let index = slots.index(of: name)
    if index == nil { reportMissing(step, name, step.lists.count, slots) }
    return index
  }

  private func copy(
    _ step: MigrationStep, _ slot: ComparisonSlot, _ into: String, _ slots: inout [ComparisonSlot]
  ) {
    var copy = slot
    copy.name = into
    copy.stepPointer = step.pointer
    slots.put(copy)
  }

  private mutating func remove(_ step: MigrationStep, _ index: Int, _ slots: inout [ComparisonSlot]) {
    report(
      .warning, "removed-by-step", "the values of `\(step.path(slots[index].name).text)` are removed",
      at: .pointer(step.pointer))
    slots.remove(at: index)
  }

  private mutating func checkFree(_ name: String, _ step: MigrationStep, _ slots: [ComparisonSlot]) {
    for source in step.sources where source.sameBytes(as: name) { return }
    guard let index = slots.index(of: name), !slots[index].isEmpty else { return }
    reportLoss(
      "target-taken", "`\(step.path(name).text)` may have a value already: the upgrade fails where both have one",
      at: .pointer(step.pointer), hint: "move or remove it in a step before")
  }

  /// What becomes of values that a step makes nothing of.
  @inline(never)
  private mutating func reportDropped(
    _ step: MigrationStep, _ invalid: MigrationStep.Invalid, _ name: String, _ what: String, all: Bool = false,
    _ verb: String
  ) {
    let path = step.path(name).text
    if invalid == .fail {
      let message = "the upgrade fails where `\(path)` holds \(what) that \(verb)"
      if all { return reportLoss("step-fails", message, at: .pointer(step.pointer)) }
      return report(
        .warning, "step-may-fail", message, at: .pointer(step.pointer), hint: "say with `Invalid` what becomes of them")
    }
    report(.warning, "step-drops-values", "`\(path)` loses \(what) that \(verb)", at: .pointer(step.pointer))
  }

  private mutating func set(
    _ step: MigrationStep, _ name: String, _ value: Value, _ condition: MigrationStep.Condition,
    _ slots: inout [ComparisonSlot]
  ) {
    guard let index = slots.index(of: name) else {
      if case .equals = condition { return reportMissing(step, name, step.lists.count, slots) }
      var slot = ComparisonSlot(name, step, nil, [value])
      slot.isAlwaysPresent = true
      return slots.append(slot)
    }
    slots[index].stepPointer = step.pointer
    slots[index].isChanged = true
    switch condition {
    case .always:
      if !slots[index].isEmpty {
        report(
          .warning, "overwritten-by-step", "the values of `\(step.path(name).text)` are replaced",
          at: .pointer(step.pointer))
      }
      var slot = ComparisonSlot(name, step, nil, [value])
      slot.origin = slots[index].origin
      slot.isAlwaysPresent = true
      slots[index] = slot
    case .absent:
      slots[index].values.append(value)
      slots[index].isAlwaysPresent = true
    case .equals(let replaced):
      if slots[index].declared == nil { slots[index].values.removeAll { $0.isEquivalent(to: replaced) } }
      slots[index].values.append(value)
    }
  }
}

// MARK: Conversion

extension ComparisonRun {
  private mutating func convert(
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
    if let declared = slot.declared {
      let (converted, failing) = conversion.converted(declared)
      slot.declared = converted
      let isSame = converted?.kind == declared.kind && conversion.scale == nil && conversion.map.isEmpty
      if !isSame { slot.isChanged = true }
      if let failing { lost = failing }
      if converted == nil { lost = "a value of type \(declared.kind)" }
      slot.values += conversion.map.values
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
    switch invalid {
    case .fail: break
    case .useDefault: slot.needsDefault = true
    case .remove: slot.isAlwaysPresent = false
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

// MARK: Several

extension ComparisonRun {
  private mutating func split(
    _ step: MigrationStep, _ index: Int, _ targets: [String], _ invalid: MigrationStep.Invalid,
    _ slots: inout [ComparisonSlot]
  ) {
    let slot = slots[index]
    var isText = slot.declared?.kind == .string || slot.declared?.kind == .url || slot.declared?.kind == .image
    for value in slot.values where value.coerced(to: .string) != nil { isText = true }
    for target in targets { checkFree(target, step, slots) }
    slots.remove(at: index)
    guard isText else { return reportDropped(step, invalid, slot.name, "a value", all: true, "is no text") }
    reportDropped(step, invalid, slot.name, "text", "does not have \(targets.count) parts")
    for target in targets {
      var part = ComparisonSlot(target, step, .string)
      part.isAlwaysPresent = slot.isAlwaysPresent && invalid == .fail
      part.isSecret = slot.isSecret
      slots.put(part)
    }
  }

  /// Takes the slots of several names away, and tells of those that are nowhere.
  private mutating func take(
    _ names: [String], for into: String, _ step: MigrationStep, _ slots: inout [ComparisonSlot]
  ) -> (parts: [ComparisonSlot], areAlwaysPresent: Bool) {
    var parts: [ComparisonSlot] = []
    var areAlwaysPresent = !step.lists.isEmpty
    for name in names {
      guard let index = source(name, of: step, in: slots) else {
        areAlwaysPresent = false
        continue
      }
      if !slots[index].isAlwaysPresent { areAlwaysPresent = false }
      parts.append(slots[index])
    }
    if !parts.isEmpty { checkFree(into, step, slots) }
    for part in parts {
      if let index = slots.index(of: part.name) { slots.remove(at: index) }
    }
    return (parts, areAlwaysPresent)
  }

  private mutating func gather(
    _ step: MigrationStep, _ names: [String], _ into: String, _ slots: inout [ComparisonSlot]
  ) {
    let (parts, areAlwaysPresent) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    var slot = ComparisonSlot(into, step)
    slot.isObject = true
    slot.members = parts
    slot.isAlwaysPresent = areAlwaysPresent
    slots.put(slot)
  }

  private mutating func join(
    _ step: MigrationStep, _ names: [String], _ into: String, _ invalid: MigrationStep.Invalid,
    _ slots: inout [ComparisonSlot]
  ) {
    let (parts, areAlwaysPresent) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    if !areAlwaysPresent { reportDropped(step, invalid, into, "what is made of values", "are not all there") }
    for part in parts where part.declared?.kind == .list || part.declared?.kind == .choices || part.isObject {
      reportDropped(step, invalid, part.name, "a value", all: true, "is no text")
    }
    for part in parts where part.declared?.kind == .color {
      reportDropped(step, invalid, part.name, "a color finer than eight bits a component", "cannot be joined")
    }
    var slot = ComparisonSlot(into, step, .string)
    let isInItems = !step.lists.isEmpty
    slot.isAlwaysPresent =
      areAlwaysPresent || invalid == .fail && isInItems && parts.contains { $0.isAlwaysPresent }
    slot.isSecret = parts.contains { $0.holdsSecret }
    slots.put(slot)
  }

  private mutating func spread(
    _ step: MigrationStep, _ index: Int, _ members: [(member: String, name: String)],
    _ slots: inout [ComparisonSlot]
  ) {
    let object = slots[index]
    guard object.isObject else {
      return reportLoss(
        "step-fails", "the upgrade fails where `\(step.path(object.name).text)` has a value: it is no object",
        at: .pointer(step.pointer))
    }
    slots.remove(at: index)
    var rest: [ComparisonSlot] = []
    for member in object.members {
      guard let target = members.first(where: { $0.member.sameBytes(as: member.name) })?.name else {
        rest.append(member)
        continue
      }
      checkFree(target, step, slots)
      copy(step, member, target, &slots)
    }
    if rest.isEmpty { return }
    var left = object
    left.members = rest
    left.stepPointer = step.pointer
    if slots.index(of: left.name) != nil {
      return reportLoss(
        "step-fails", "the upgrade fails where `\(step.path(rest[0].name).text)` has a value: it has no place to go",
        at: .pointer(step.pointer))
    }
    slots.append(left)
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

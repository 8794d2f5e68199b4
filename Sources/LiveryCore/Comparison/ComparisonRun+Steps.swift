// What the steps make of the names and of the kinds of values.
extension ComparisonRun {
  mutating func follow(_ step: MigrationStep) {
    if case .call(let name) = step.action {
      if function == nil { function = name }
      return report(
        .warning, "not-followed", "what `\(name)` does to values is not known here", at: .step(step.pointer))
    }
    var slots = state
    descend(step, 0, &slots)
    state = slots
  }

  private mutating func descend(_ step: MigrationStep, _ depth: Int, _ slots: inout [ComparisonSlot]) {
    guard depth < step.lists.count else { return carryOut(step, &slots) }
    let name = step.lists[depth]
    guard let place = slots.place(of: name) else { return findsNothing(step, name, depth, slots) }
    guard slots[place].open?.kind == .list else {
      return report(
        .warning, "step-without-effect", "`\(name)` is no list: the step finds nothing", at: .step(step.pointer))
    }
    var members = slots[place].members
    descend(step, depth + 1, &members)
    slots[place].members = members
  }

  private mutating func findsNothing(
    _ step: MigrationStep, _ name: String, _ depth: Int, _ slots: [ComparisonSlot]
  ) {
    if depth == 0, old.isOpen || function != nil { return }
    var names: [String] = []
    for slot in slots { names.append(slot.name) }
    report(
      .warning, "step-without-effect",
      "there is no `\(name)` where the steps have come to: the step finds nothing", at: .step(step.pointer),
      hint: MemberNames.meant(by: name, among: names).map { "did you mean `\($0)`?" })
  }

  private mutating func carryOut(_ step: MigrationStep, _ slots: inout [ComparisonSlot]) {
    switch step.action {
    case .rename(let name, let into):
      guard let place = source(name, of: step, in: slots) else { return }
      checkFree(into, step, slots)
      let slot = slots.remove(at: place)
      copy(step, slot, into, &slots)
    case .copy(let name, let into):
      guard let place = source(name, of: step, in: slots) else { return }
      checkFree(into, step, slots)
      copy(step, slots[place], into, &slots)
    case .remove(let name):
      if let place = source(name, of: step, in: slots) { remove(step, place, &slots) }
    case .convert(let name, let conversion, let invalid):
      if let place = source(name, of: step, in: slots) { convert(step, &slots[place], conversion, invalid) }
    case .set(let name, let value, let condition): set(step, name, value, condition, &slots)
    case .split(let name, _, let into, let invalid):
      if let place = source(name, of: step, in: slots) { split(step, place, into, invalid, &slots) }
    case .join(let names, _, let into, let invalid): join(step, names, into, invalid, &slots)
    case .gather(let names, let into): gather(step, names, into, &slots)
    case .spread(let name, let members):
      if let place = source(name, of: step, in: slots) { spread(step, place, members, &slots) }
    // `follow` has told of it.
    case .call: break
    }
  }

  /// Where a name is that a step reads; tells if it is nowhere.
  private mutating func source(_ name: String, of step: MigrationStep, in slots: [ComparisonSlot]) -> Int? {
    let place = slots.place(of: name)
    if place == nil { findsNothing(step, name, step.lists.count, slots) }
    return place
  }

  private func copy(
    _ step: MigrationStep, _ slot: ComparisonSlot, _ into: String, _ slots: inout [ComparisonSlot]
  ) {
    var copy = slot
    copy.name = into
    copy.step = step.pointer
    slots.put(copy)
  }

  private mutating func remove(_ step: MigrationStep, _ place: Int, _ slots: inout [ComparisonSlot]) {
    report(
      .warning, "removed-by-step", "the values of `\(step.path(slots[place].name).text)` are removed",
      at: .step(step.pointer))
    slots.remove(at: place)
  }

  private mutating func checkFree(_ name: String, _ step: MigrationStep, _ slots: [ComparisonSlot]) {
    for source in step.sources where source.sameBytes(as: name) { return }
    guard let place = slots.place(of: name), !slots[place].isEmpty else { return }
    loss(
      "target-taken", "`\(step.path(name).text)` may have a value already: the upgrade fails where both have one",
      at: .step(step.pointer), hint: "move or remove it in a step before")
  }

  /// What becomes of values that a step makes nothing of.
  private mutating func drops(
    _ step: MigrationStep, _ invalid: MigrationStep.Invalid, _ name: String, _ what: String, all: Bool = false,
    _ verb: String
  ) {
    let path = step.path(name).text
    if invalid == .fail {
      let message = "the upgrade fails where `\(path)` holds \(what) that \(verb)"
      if all { return loss("step-fails", message, at: .step(step.pointer)) }
      return report(
        .warning, "step-may-fail", message, at: .step(step.pointer), hint: "say with `Invalid` what becomes of them")
    }
    report(.warning, "step-drops-values", "`\(path)` loses \(what) that \(verb)", at: .step(step.pointer))
  }

  private mutating func set(
    _ step: MigrationStep, _ name: String, _ value: Value, _ condition: MigrationStep.Condition,
    _ slots: inout [ComparisonSlot]
  ) {
    guard let place = slots.place(of: name) else {
      if case .equals = condition { return findsNothing(step, name, step.lists.count, slots) }
      var slot = ComparisonSlot(name, step, nil, [value])
      slot.isAlways = true
      return slots.append(slot)
    }
    slots[place].step = step.pointer
    slots[place].isChanged = true
    switch condition {
    case .always:
      if !slots[place].isEmpty {
        report(
          .warning, "overwritten-by-step", "the values of `\(step.path(name).text)` are replaced",
          at: .step(step.pointer))
      }
      var slot = ComparisonSlot(name, step, nil, [value])
      slot.origin = slots[place].origin
      slot.isAlways = true
      slots[place] = slot
    case .absent:
      slots[place].constants.append(value)
      slots[place].isAlways = true
    case .equals(let replaced):
      if slots[place].open == nil { slots[place].constants.removeAll { $0.isAlike(replaced) } }
      slots[place].constants.append(value)
    }
  }
}

// MARK: Conversion

extension ComparisonRun {
  private mutating func convert(
    _ step: MigrationStep, _ slot: inout ComparisonSlot, _ conversion: Conversion, _ invalid: MigrationStep.Invalid
  ) {
    let verb = "does not convert to \(conversion.type)"
    var constants: [Value] = []
    var lost: String?
    for value in slot.constants {
      if let converted = conversion.converted(value, isSecret: false).value {
        if converted != value { slot.isChanged = true }
        constants.append(converted)
      } else if lost == nil {
        lost = value.brief
      }
    }
    let all = constants.isEmpty && slot.open == nil || slot.isObject
    slot.constants = constants
    if let open = slot.open {
      let (converted, failing) = conversion.converted(open)
      slot.open = converted
      if !conversion.map.isEmpty || converted?.kind != open.kind || conversion.scale != nil { slot.isChanged = true }
      if let failing { lost = failing }
      if converted == nil { lost = "a value of type \(open.kind)" }
      slot.constants += conversion.map.values
      if slot.isEmpty {
        drops(step, invalid, slot.name, "a value of type \(open.kind)", all: true, verb)
        return dropped(invalid, &slot)
      }
    } else if all, lost != nil || slot.isObject {
      drops(step, invalid, slot.name, lost ?? "an object", all: true, verb)
      return dropped(invalid, &slot)
    }
    slot.step = slot.isChanged ? step.pointer : slot.step
    guard let lost else { return }
    drops(step, invalid, slot.name, lost, verb)
    dropped(invalid, &slot)
  }

  private func dropped(_ invalid: MigrationStep.Invalid, _ slot: inout ComparisonSlot) {
    switch invalid {
    case .fail: break
    case .useDefault: slot.needsDefault = true
    case .remove: slot.isAlways = false
    }
  }

}

extension Conversion {
  /// What values of a declaration become, and which do not convert.
  fileprivate func converted(_ open: SettingDescriptor) -> (SettingDescriptor?, lost: String?) {
    let any = SettingKind(type).map { SettingDescriptor(key: open.key, kind: $0) }
    if let scale {
      switch open.kind {
      case .int, .double: return scaled(open, by: scale)
      case .string: return (any, "text")
      default: return (nil, nil)
      }
    }
    if open.kind.valueType == type, open.kind != .list, open.kind != .choices { return (open, nil) }
    switch (open.kind, type) {
    case (.list, _), (.choices, _): return (nil, nil)
    case (.color, .string): return (any, "a color finer than eight bits a component")
    case (_, .string): return (any, nil)
    case (.int, .double): return open.isExactAsDouble ? (any, nil) : (any, "a whole number beyond 2⁵³")
    case (.double, .int): return (any, "a fraction")
    case (.string, _): return (any, "text")
    case (.url, .image), (.image, .url): return (any, "text")
    default: return (nil, nil)
    }
  }

  private func scaled(_ open: SettingDescriptor, by scale: Value) -> (SettingDescriptor?, lost: String?) {
    guard let kind = SettingKind(type) else { return (nil, nil) }
    var result = SettingDescriptor(key: open.key, kind: kind)
    var lost: String?
    var isNegative = false
    if case .int(let factor) = scale { isNegative = factor < 0 }
    if case .double(let factor) = scale { isNegative = factor < 0 }
    func bound(_ value: Value?) -> Value? {
      value.flatMap { $0.scaled(by: scale, to: type) }
    }
    let low = bound(open.minimum), high = bound(open.maximum)
    (result.minimum, result.maximum) = isNegative ? (high, low) : (low, high)
    let isWhole = open.kind == .int && scale.type == .int
    if isWhole, type == .int, !isNegative, open.step == nil || open.step?.type == .int {
      result.step = bound(open.step ?? .int(1))
      // Steps count from the lower bound, or from 0.
      if open.minimum != nil, low == nil { result.step = nil }
    }
    if low == nil || high == nil { lost = "a number" }
    if type == .int, !isWhole { lost = "a number" }
    if type == .double, isWhole, !result.isExactAsDouble { lost = "a number" }
    return (result, lost)
  }
}

// MARK: Several

extension ComparisonRun {
  private mutating func split(
    _ step: MigrationStep, _ place: Int, _ targets: [String], _ invalid: MigrationStep.Invalid,
    _ slots: inout [ComparisonSlot]
  ) {
    let slot = slots[place]
    var isText = slot.open?.kind == .string || slot.open?.kind == .url || slot.open?.kind == .image
    for value in slot.constants where value.coerced(to: .string) != nil { isText = true }
    for target in targets { checkFree(target, step, slots) }
    if isText {
      drops(step, invalid, slot.name, "text", "does not have \(targets.count) parts")
    } else {
      drops(step, invalid, slot.name, "a value", all: true, "is no text")
    }
    slots.remove(at: place)
    guard isText else { return }
    for target in targets {
      var part = ComparisonSlot(target, step, .string)
      part.isAlways = slot.isAlways && invalid == .fail
      part.isSecret = slot.isSecret
      slots.put(part)
    }
  }

  /// Takes the slots of several names away, and tells of those that are nowhere.
  private mutating func take(
    _ names: [String], for into: String, _ step: MigrationStep, _ slots: inout [ComparisonSlot]
  ) -> (parts: [ComparisonSlot], areAlways: Bool) {
    var parts: [ComparisonSlot] = []
    var areAlways = !step.lists.isEmpty
    for name in names {
      guard let place = source(name, of: step, in: slots) else {
        areAlways = false
        continue
      }
      if !slots[place].isAlways { areAlways = false }
      parts.append(slots[place])
    }
    if !parts.isEmpty { checkFree(into, step, slots) }
    for part in parts {
      if let place = slots.place(of: part.name) { slots.remove(at: place) }
    }
    return (parts, areAlways)
  }

  private mutating func gather(
    _ step: MigrationStep, _ names: [String], _ into: String, _ slots: inout [ComparisonSlot]
  ) {
    let (parts, areAlways) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    var slot = ComparisonSlot(into, step)
    slot.isObject = true
    slot.members = parts
    slot.isAlways = areAlways
    slots.put(slot)
  }

  private mutating func join(
    _ step: MigrationStep, _ names: [String], _ into: String, _ invalid: MigrationStep.Invalid,
    _ slots: inout [ComparisonSlot]
  ) {
    let (parts, areAlways) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    if !areAlways { drops(step, invalid, into, "what is made of values", "are not all there") }
    for part in parts where part.open?.kind == .list || part.open?.kind == .choices || part.isObject {
      drops(step, invalid, part.name, "a value", all: true, "is no text")
    }
    for part in parts where part.open?.kind == .color {
      drops(step, invalid, part.name, "a color finer than eight bits a component", "cannot be joined")
    }
    var slot = ComparisonSlot(into, step, .string)
    slot.isAlways = areAlways || invalid == .fail && !step.lists.isEmpty && parts.contains { $0.isAlways }
    slot.isSecret = parts.contains { $0.holdsSecret }
    slots.put(slot)
  }

  private mutating func spread(
    _ step: MigrationStep, _ place: Int, _ members: [(member: String, name: String)],
    _ slots: inout [ComparisonSlot]
  ) {
    let object = slots[place]
    guard object.isObject else {
      return loss(
        "step-fails", "the upgrade fails where `\(step.path(object.name).text)` has a value: it is no object",
        at: .step(step.pointer))
    }
    slots.remove(at: place)
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
    left.step = step.pointer
    if slots.place(of: left.name) != nil {
      return loss(
        "step-fails", "the upgrade fails where `\(step.path(rest[0].name).text)` has a value: it has no place to go",
        at: .step(step.pointer))
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

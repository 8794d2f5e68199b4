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
    guard slots[index].declared?.hasItems == true else {
      return reportWithoutEffect(step, "`\(step.path(name, at: depth))` is no list")
    }
    var members = slots[index].members
    let inner = depth + 1 < step.lists.count ? [step.lists[depth + 1]] : step.names
    let isForPlain = inner.contains { $0.utf8.isEmpty }
    if !isForPlain, let plain = members.index(of: ""), members[plain].isAlwaysPresent {
      return reportWithoutEffect(step, "the items of `\(step.path(name, at: depth))` are plain values")
    }
    descend(step, depth + 1, &members)
    if isForPlain { settle(step, depth, &members) }
    slots[index].members = members
    if dropsItems { slots[index].losesItems = true }
    dropsItems = false
  }

  /// An item with a value that has no name becomes that value, and can have nothing else.
  private mutating func settle(_ step: MigrationStep, _ depth: Int, _ members: inout [ComparisonSlot]) {
    guard let index = members.index(of: ""), !members[index].isEmpty else { return }
    let plain = members[index]
    // Other steps only change what is there.
    let makesOne = !step.targets.isEmpty || step.operation == .set
    for other in members where makesOne && !other.isEmpty && !other.name.utf8.isEmpty {
      let isAlways = plain.isAlwaysPresent && other.isAlwaysPresent
      reportLoss(
        isAlways ? "step-fails" : "target-taken",
        "`\(step.path("", at: depth + 1))` becomes a plain value, and \(isAlways ? "has" : "may have") the member "
          + "`\(other.name)` as well: the upgrade fails where it does",
        at: .pointer(step.pointer), hint: "move or remove it in a step before")
      break
    }
    guard plain.isObject else { return }
    // The object is the item.
    members.remove(at: index)
    for member in plain.members { members.put(member) }
    if plain.members.index(of: "") != nil {
      reportLoss(
        "step-value-invalid",
        "`\(step.path("", at: depth + 1))` becomes an object with a member that has no name, which no list can hold",
        at: .pointer(step.pointer))
    }
  }

  private mutating func reportWithoutEffect(_ step: MigrationStep, _ reason: String, hint: String? = nil) {
    report(
      .warning, "step-without-effect", "\(reason): the step finds nothing", at: .pointer(step.pointer), hint: hint)
  }

  /// Whether the settings, or after a host function all, may be others than those that are declared.
  private func isOpen(_ depth: Int) -> Bool { function != nil || depth == 0 && old.isOpen }

  private mutating func reportMissing(
    _ step: MigrationStep, _ name: String, _ depth: Int, _ slots: [ComparisonSlot]
  ) {
    if isOpen(depth) { return }
    var names: [String] = []
    for slot in slots { names.append(slot.name) }
    reportWithoutEffect(
      step, "there is no `\(step.path(name, at: depth))` where the steps have come to",
      hint: MemberNames.meant(by: name, among: names).map { "did you mean `\(step.path($0, at: depth))`?" })
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
    drop([slots.remove(at: index)], step, &slots)
  }

  /// Plain values go with their items: those that are left are objects.
  private mutating func drop(_ dropped: [ComparisonSlot], _ step: MigrationStep, _ slots: inout [ComparisonSlot]) {
    for plain in dropped where plain.name.utf8.isEmpty {
      dropsItems = true
      var none = ComparisonSlot("", step)
      none.isAlwaysPresent = plain.isAlwaysPresent
      slots.put(none)
    }
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
  mutating func reportDropped(
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
    for source in step.sources where source.utf8.isEmpty { dropsItems = true }
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
    if case .absent = condition, slots[index].isInEveryItem(of: step) { return }
    if case .equals(let replaced) = condition, slots[index].isNever(replaced), function == nil {
      return reportWithoutEffect(step, "`\(step.path(name).text)` is never \(replaced.brief)")
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
      slots[index].isDistinct = slots[index].isDistinct(withMissing: value)
      slots[index].values.append(value)
      slots[index].isAlwaysPresent = true
      slots[index].needsDefault = false
    case .equals(let replaced):
      if slots[index].mayHold(value) { slots[index].isDistinct = false }
      if slots[index].declared == nil { slots[index].values.removeAll { $0.isEquivalent(to: replaced) } }
      slots[index].values.append(value)
    }
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
    guard isText else {
      drop([slot], step, &slots)
      return reportDropped(step, invalid, slot.name, "a value", all: true, "is no text")
    }
    reportDropped(step, invalid, slot.name, "text", "does not have \(targets.count) parts")
    for target in targets {
      var part = ComparisonSlot(target, step, .string)
      // A plain value without as many parts goes with its item.
      part.isAlwaysPresent = slot.isAlwaysPresent && (invalid == .fail || slot.name.utf8.isEmpty)
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
    let (parts, _) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    var slot = ComparisonSlot(into, step)
    slot.isObject = true
    slot.members = parts
    slot.isAlwaysPresent = !step.lists.isEmpty && parts.contains { $0.isAlwaysPresent }
    slots.put(slot)
  }

  private mutating func join(
    _ step: MigrationStep, _ names: [String], _ into: String, _ invalid: MigrationStep.Invalid,
    _ slots: inout [ComparisonSlot]
  ) {
    let (parts, areAlwaysPresent) = take(names, for: into, step, &slots)
    if parts.isEmpty { return }
    if !areAlwaysPresent {
      let isNowhere = parts.count < names.count && !isOpen(step.lists.count)
      reportDropped(step, invalid, into, "what is made of values", all: isNowhere, "are not all there")
      if isNowhere, invalid != .fail { return drop(parts, step, &slots) }
    }
    for part in parts where part.declared?.hasItems == true || part.isObject {
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

extension MigrationStep {
  /// A name on the way to what the step works on, with the lists before it.
  fileprivate func path(_ name: String, at depth: Int) -> String {
    MigrationPath(lists: Array(lists.prefix(depth)), name: name).text
  }
}

extension ComparisonSlot {
  /// Whether a step finds it in each item; nothing has to be set in each layer.
  fileprivate func isInEveryItem(of step: MigrationStep) -> Bool {
    isAlwaysPresent && !needsDefault && !step.lists.isEmpty
  }
}

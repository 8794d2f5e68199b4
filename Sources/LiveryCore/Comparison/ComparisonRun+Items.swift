// What the items of lists and of multiple choices come to.
extension ComparisonRun {
  mutating func checkItems(
    _ slot: ComparisonSlot, _ declared: SettingDescriptor, _ validator: SettingValidator, _ shown: String,
    at path: [String]
  ) {
    if slot.losesItems, declared.isRequired, validator.descriptor.isRequired {
      reportLoss(
        "narrowed", "`\(shown)` is required: lists that steps leave without items are set aside",
        at: .new(path, .required))
    }
    // Without items there is nothing to be lost.
    for member in slot.members where member.name.utf8.isEmpty && member.isEmpty && member.isAlwaysPresent { return }
    let setting = validator.descriptor
    let items = setting.items
    checkMembers(slot, validator, items, shown, at: path)
    if items.count == 1, items[0].key.utf8.isEmpty {
      checkPlain(slot, items[0], shown, at: path)
    } else {
      checkRequired(slot, items, shown, at: path)
    }
    guard declared.mostItems > 1 else { return }
    if setting.kind == .choices {
      checkChosenOnce(slot, validator, shown, at: path)
    } else {
      checkUnique(slot, validator, shown, at: path)
    }
  }

  /// A member of a list's items, or the items themselves if it has no name.
  private static func path(of member: String, in list: String) -> String {
    member.utf8.isEmpty ? "\(list)[]" : "\(list)[].\(member)"
  }

  private func validator(of member: String, in list: SettingValidator) -> SettingValidator? {
    guard list.descriptor.kind == .choices else { return list.member(member) }
    return member.utf8.isEmpty ? SettingValidator(list.descriptor.items[0], patterns: patterns) : nil
  }

  private mutating func checkMembers(
    _ slot: ComparisonSlot, _ validator: SettingValidator, _ items: [SettingDescriptor], _ shown: String,
    at path: [String]
  ) {
    var reached = ByteIndex()
    for member in slot.members { _ = reached.insert(member.name) }
    var free: [String] = []
    for member in items where reached.number(of: member.key) == nil { free.append(member.key) }
    for member in slot.members {
      if let inner = self.validator(of: member.name, in: validator) {
        check(member, inner, at: path + [member.name])
      } else if !member.isEmpty {
        reportGone(member, free, shown, at: path)
      }
    }
  }

  /// Tells of a member that the new items do not have.
  private mutating func reportGone(_ member: ComparisonSlot, _ free: [String], _ shown: String, at path: [String]) {
    let text = Self.path(of: member.name, in: shown)
    let isGone = member.stepPointer.utf8.isEmpty
    if member.name.utf8.isEmpty {
      return reportLoss(
        "removed-member",
        "`\(text)` is gone: items are objects now, and lists that have plain values are set aside whole",
        at: isGone ? .new(path, .itemTemplate) : .pointer(member.stepPointer),
        hint: free.first.map { renameHint(text, into: Self.path(of: $0, in: shown)) })
    }
    let isAlone = free.count == 1 && free[0].utf8.isEmpty
    let near = isAlone ? free[0] : nearestNames(to: member.name, among: free, limit: 1).first
    reportLoss(
      "removed-member", "`\(text)` is gone: lists with an item that has it are set aside whole",
      at: isGone ? .old(member.origin, .key) : .pointer(member.stepPointer),
      hint: near.map {
        let into = Self.path(of: $0, in: shown)
        return "did you mean to rename it to `\(into)`? " + renameHint(text, into: into)
      }
        ?? "add {\"Op\": \"remove\", \"Key\": \(Value.string(text).brief)} to the steps to version \(new.version)")
  }

  /// Whether items that no step made plain values stay the objects that they were.
  private mutating func checkPlain(
    _ slot: ComparisonSlot, _ item: SettingDescriptor, _ shown: String, at path: [String]
  ) {
    let text = Self.path(of: "", in: shown)
    guard let index = slot.members.index(of: "") else {
      // Its members have been told of.
      for member in slot.members where !member.isEmpty { return }
      return reportLoss(
        "type-changed", "`\(text)` is a plain value now, and was an object: lists with an item are set aside whole",
        at: .new(path + [""], .type))
    }
    let found = slot.members[index]
    if found.isAlwaysPresent, !found.needsDefault || item.defaultValue != nil { return }
    reportLoss(
      "step-value-invalid",
      "`\(text)` stays an object in items without what steps make it of: lists with one are set aside whole",
      at: .pointer(found.stepPointer), hint: setHint(text))
  }

  private mutating func checkRequired(
    _ slot: ComparisonSlot, _ items: [SettingDescriptor], _ shown: String, at path: [String]
  ) {
    for member in items where member.isRequired {
      if let index = slot.members.index(of: member.key) {
        let found = slot.members[index]
        if found.isAlwaysPresent, !found.needsDefault || member.defaultValue != nil { continue }
      }
      let text = Self.path(of: member.key, in: shown)
      reportLoss(
        "narrowed", "`\(text)` is required: lists with an item without it are set aside whole",
        at: .new(path + [member.key], .required), hint: setHint(text))
    }
  }

  private func setHint(_ path: String) -> String {
    "set it where it is absent: add {\"Op\": \"set\", \"Key\": \(Value.string(path).brief), "
      + "\"Value\": …, \"When\": \"absent\"} to the steps to version \(new.version)"
  }
}

// MARK: Items that differ

extension ComparisonRun {
  private mutating func checkUnique(
    _ slot: ComparisonSlot, _ validator: SettingValidator, _ shown: String, at path: [String]
  ) {
    guard let unique = validator.descriptor.uniqueBy, let inner = validator.member(unique) else { return }
    let value = inner.descriptor.defaultValue
    var isByDefault = true
    if let index = slot.members.index(of: unique), !slot.members[index].isEmpty {
      let member = slot.members[index]
      isByDefault = member.isDistinct && keepsApart(member, inner)
      if isByDefault, member.isDistinct(withMissing: value) { return }
    } else if value == nil {
      // Nothing is there to be the same.
      return
    }
    if isByDefault {
      return reportLoss(
        "narrowed",
        "`\(Self.path(of: unique, in: shown))` counts as its default where an item lacks it, which by UniqueBy two "
          + "items may not have: lists in which two do are set aside",
        at: .new(path + [unique], .value))
    }
    reportLoss(
      "narrowed", "`\(shown)`: UniqueBy is `\(unique)`: lists in which two items have the same are set aside",
      at: .new(path, .uniqueBy))
  }

  private mutating func checkChosenOnce(
    _ slot: ComparisonSlot, _ validator: SettingValidator, _ shown: String, at path: [String]
  ) {
    guard let index = slot.members.index(of: ""), !slot.members[index].isEmpty else { return }
    let item = slot.members[index]
    guard item.isDistinct else {
      return reportLoss(
        "narrowed", "`\(shown)` holds no option twice: lists in which two items are the same are set aside",
        at: .new(path, .kindClass))
    }
    if let inner = self.validator(of: "", in: validator), !keepsApart(item, inner) {
      reportLoss("removed-options", "`\(shown)`: two options have become one", at: .new(path, .options))
    }
  }

  /// Whether single values that differ are read as values that do.
  private func keepsApart(_ slot: ComparisonSlot, _ validator: SettingValidator) -> Bool {
    var seen = ByteIndex()
    for value in slot.values {
      guard case .valid(let read) = validator.validated(value) else { continue }
      if !seen.insert(CBOR.encode(read)).isNew { return false }
    }
    return true
  }
}

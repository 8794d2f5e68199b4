/// What may be held under one name while the steps are followed: in a layer, in an item of a list, or in an object.
struct ComparisonSlot {
  var name: String
  /// Where it was declared in the old schema; empty for what a step made.
  var origin: [String] = []
  /// Where the last step that wrote it is in the new schema; "" for none.
  var stepPointer = ""
  /// All values that a declaration allows; bools and choices are few, and are in `values`.
  var declared: SettingDescriptor?
  /// Single values.
  var values: [Value] = []
  /// What a list's items hold, or an object that a step made; items that are plain values hold one without a name.
  var members: [ComparisonSlot] = []
  var isObject = false
  /// Steps may take items away, or all of them.
  var losesItems = false
  /// Every item has the member.
  var isAlwaysPresent = false
  /// Some items have it only if there is a default.
  var needsDefault = false
  /// Some items have the default of the template in the place of what did not convert.
  var takesDefault = false
  /// What an item without it counts as, where items are told apart by it.
  var defaultValue: Value?
  /// No two items have the same.
  var isDistinct = false
  /// The values are no longer those that were set.
  var isChanged = false
  /// As the old schema declares it.
  var isVolatile = false
  var survivesLogout = false
  /// The values are secrets, or are made of some.
  var isSecret = false

  init(_ setting: SettingDescriptor, within lists: [String]) {
    name = setting.key
    origin = lists + [setting.key]
    isAlwaysPresent = setting.isRequired || setting.key.utf8.isEmpty
    defaultValue = setting.defaultValue
    isSecret = setting.isSecret
    isVolatile = setting.isVolatile
    survivesLogout = setting.survivesLogout
    switch setting.kind {
    case .bool: values = [.bool(false), .bool(true)]
    case .choice:
      for option in setting.options {
        // What is set cannot be empty.
        if setting.isRequired, case .string(let text) = option.value, text.utf8.isEmpty { continue }
        values.append(option.value)
      }
    default: declared = setting
    }
    for member in setting.items {
      var slot = ComparisonSlot(member, within: origin)
      slot.isDistinct = setting.isTold(apartBy: member.key)
      members.append(slot)
    }
  }

  /// What a step makes.
  init(_ name: String, _ step: MigrationStep, _ kind: SettingKind? = nil, _ values: [Value] = []) {
    self.name = name
    stepPointer = step.pointer
    self.values = values
    isChanged = true
    if let kind { declared = SettingDescriptor(key: name, kind: kind) }
  }

  var isEmpty: Bool { declared == nil && values.isEmpty && !isObject }

  /// Whether a value may be the given one.
  func mayHold(_ value: Value) -> Bool {
    for own in values where own.isEquivalent(to: value) { return true }
    guard let declared, case .valid = declared.validated(value) else { return false }
    return true
  }

  /// Whether it holds single values, and the given one is none of them.
  func isNever(_ value: Value) -> Bool { declared == nil && !isObject && !mayHold(value) }

  /// Whether all items still differ once those without the member have a value, or count as having it.
  func isDistinct(withMissing value: Value?) -> Bool {
    guard isDistinct, let value else { return isDistinct }
    if takesDefault || isAlwaysPresent { return !takesDefault }
    // Without a default any number of items may lack it, and with one a single item.
    guard let defaultValue else { return false }
    return defaultValue.isEquivalent(to: value) || !mayHold(value)
  }

  var holdsSecret: Bool { isSecret || members.contains { $0.holdsSecret } }
}

extension [ComparisonSlot] {
  func index(of name: String) -> Int? {
    for index in indices where self[index].name.sameBytes(as: name) { return index }
    return nil
  }

  mutating func put(_ slot: ComparisonSlot) {
    if let index = index(of: slot.name) { self[index] = slot } else { append(slot) }
  }
}

extension SettingDescriptor {
  /// What the items of a list are, or those of a multiple choice: plain values, each of them one of the options.
  var items: [SettingDescriptor] {
    guard kind == .choices else { return template }
    var item = SettingDescriptor(key: "", kind: .choice)
    item.options = options
    item.isRequired = isRequired
    return [item]
  }

  var hasItems: Bool { kind == .list || kind == .choices }

  var mostItems: Int {
    let most = maxItems ?? Int.max
    return kind == .choices ? min(most, options.count) : most
  }

  /// Whether no two items may have the same member.
  func isTold(apartBy member: String) -> Bool {
    kind == .choices || uniqueBy.map { $0.sameBytes(as: member) } ?? false
  }
}

extension SettingKind {
  init?(_ type: ValueType) {
    for kind in SettingKind.allCases where kind.valueType == type && kind != .choices && kind != .list {
      self = kind
      return
    }
    return nil
  }

  /// The type as a step `convert` names it.
  var conversionName: String {
    switch self {
    case .int: "integer"
    case .double: "number"
    default: description
    }
  }
}

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
  /// What a list's items hold, or an object that a step made.
  var members: [ComparisonSlot] = []
  var isObject = false
  /// Every item has the member.
  var isAlwaysPresent = false
  /// Some items have it only if there is a default.
  var needsDefault = false
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
    isAlwaysPresent = setting.isRequired
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
    if setting.kind == .list {
      for member in setting.template { members.append(ComparisonSlot(member, within: origin)) }
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

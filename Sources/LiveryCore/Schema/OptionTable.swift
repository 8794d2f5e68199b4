/// The options of a choice, found by value whatever type the value comes in.
struct OptionTable {
  enum Match {
    case option(Value)
    case notAnOption
    case wrongType
  }

  private var values: [[UInt8]: Value] = [:]
  private var types: [ValueType] = []

  init(_ options: [SettingDescriptor.Option]) {
    for option in options {
      values[CBOR.encode(option.value)] = option.value
      if !types.contains(option.value.type) { types.append(option.value.type) }
    }
  }

  /// The option that the value is, or becomes when converted to an option's type.
  func match(_ value: Value) -> Match {
    switch value {
    case .list, .object: return .wrongType
    default: break
    }
    var converts = false
    for type in [value.type] + types {
      guard let converted = value.coerced(to: type) else { continue }
      if types.contains(type) { converts = true }
      if let found = values[CBOR.encode(converted)] { return .option(found) }
    }
    return converts ? .notAnOption : .wrongType
  }
}

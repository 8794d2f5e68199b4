/// The options of a choice, found by value whatever type the value comes in.
struct OptionTable {
  enum Match {
    case option(Value)
    case notAnOption
    case wrongType
  }

  private var numbers = ByteIndex()
  private var values: [Value] = []
  private var types: [ValueType] = []

  init(_ options: [SettingDescriptor.Option]) {
    for option in options {
      if numbers.insert(CBOR.encode(option.value)).isNew { values.append(option.value) }
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
      if let number = numbers.number(of: CBOR.encode(converted)) { return .option(values[number]) }
    }
    return converts ? .notAnOption : .wrongType
  }
}

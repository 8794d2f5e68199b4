/// The types in a value that JSON cannot tell, so that an export of an undeclared setting comes back as it was.
///
/// Where the whole value is of such a type the hint is the type's name; where parts of it are, an object of JSON pointers
/// and names.
enum TypeHints {
  /// Of a secret that is exported as it is sealed.
  static let sealed = Value.string("sealed")

  static func hint(for value: Value) -> Value? {
    if !isNative(value) { return .string(value.type.description) }
    var found: [Value.Member] = []
    collect(value, at: "", into: &found)
    return found.isEmpty ? nil : .object(found)
  }

  /// A value read from JSON with the types that a hint names; nil if one does not convert.
  static func apply(_ hint: Value, to value: Value) -> Value? {
    if hint == sealed {
      guard case .string(let text) = value, let bytes = Base64.decode(text) else { return nil }
      return Sealed(bytes).map { .sealed($0) }
    }
    switch hint {
    case .string(let name): return ValueType(name: name).flatMap { value.coerced(to: $0) }
    case .object(let parts):
      var pointers = ByteIndex()
      var types: [ValueType] = []
      for part in parts {
        guard case .string(let name) = part.value, let type = ValueType(name: name) else { return nil }
        if pointers.insert(part.key).isNew { types.append(type) }
      }
      var met = 0
      let converted = convert(value, at: "") { pointer in
        guard let number = pointers.number(of: pointer) else { return nil }
        met += 1
        return types[number]
      }
      // One that leads nowhere is meant for something else.
      return met == types.count ? converted : nil
    default: return nil
    }
  }

  /// Whether it says types that there are, whatever the value.
  static func isKnown(_ hint: Value) -> Bool {
    switch hint {
    case .string(let name): hint == sealed || ValueType(name: name) != nil
    case .object(let parts):
      parts.allSatisfy { (part) in
        if case .string(let name) = part.value { ValueType(name: name) != nil } else { false }
      }
    default: false
    }
  }

  private static func isNative(_ value: Value) -> Bool {
    switch value.type {
    case .bool, .int, .double, .string, .list, .object: true
    case .data, .url, .date, .color, .image: false
    }
  }

  private static func collect(_ value: Value, at pointer: String, into found: inout [Value.Member]) {
    switch value {
    case .list(let items):
      for (index, item) in items.enumerated() { collect(item, at: pointer + "/\(index)", into: &found) }
    case .object(let members):
      for member in members { collect(member.value, at: pointer + jsonPointer([member.key]), into: &found) }
    default:
      if !isNative(value) { found.append(.init(pointer, .string(value.type.description))) }
    }
  }

  private static func convert(
    _ value: Value, at pointer: String, _ type: (String) -> ValueType?
  ) -> Value? {
    if let type = type(pointer) { return value.coerced(to: type) }
    switch value {
    case .list(let items):
      var converted: [Value] = []
      for (index, item) in items.enumerated() {
        guard let item = convert(item, at: pointer + "/\(index)", type) else { return nil }
        converted.append(item)
      }
      return .list(converted)
    case .object(let members):
      var converted: [Value.Member] = []
      for member in members {
        guard let value = convert(member.value, at: pointer + jsonPointer([member.key]), type) else { return nil }
        converted.append(.init(member.key, value))
      }
      return .object(converted)
    default: return value
    }
  }
}

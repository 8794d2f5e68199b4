/// How the step `convert` makes a value of another.
struct Conversion: Sendable {
  let type: ValueType
  /// A number other than 0, for types of numbers.
  let scale: Value?
  let map: ConversionMap

  /// The value in the wanted type, or nil and why not.
  func converted(_ old: Value, isSecret: Bool) -> (value: Value?, reason: String) {
    if let mapped = map.value(for: old) { return (mapped, "") }
    let shown = isSecret ? "••••••" : old.brief
    guard let scale else {
      if let value = old.converted(to: type) { return (value, "") }
      return (nil, "\(shown) does not convert to \(type) without loss")
    }
    guard let number = old.coerced(to: .int) ?? old.coerced(to: .double) else {
      return (nil, "\(shown) is not a number")
    }
    if let value = number.scaled(by: scale, to: type) { return (value, "") }
    return (nil, "\(shown) × \(scale.brief) is not a value of type \(type)")
  }
}

/// The table of a conversion: new values by the text of the old ones.
struct ConversionMap: Sendable {
  private var texts = ByteIndex()
  private(set) var values: [Value] = []

  mutating func add(_ text: String, _ value: Value) {
    if texts.insert(text).isNew { values.append(value) }
  }

  var isEmpty: Bool { values.isEmpty }

  func value(for old: Value) -> Value? {
    guard !isEmpty else { return nil }
    if let text = old.exactText, let number = texts.number(of: text) { return values[number] }
    // 2.0 is found under "2" too.
    guard case .double = old, let whole = old.coerced(to: .int)?.exactText else { return nil }
    return texts.number(of: whole).map { values[$0] }
  }
}

extension Value {
  /// The text that reads back as the same value: what a scalar becomes when its setting turns into text. Nil for lists,
  /// objects, and colors that eight bits a component do not hold.
  var exactText: String? {
    switch self {
    case .bool(let truth): return truth ? "true" : "false"
    case .int(let number): return "\(number)"
    case .double(let number): return Numbers.format(number)
    case .string(let text), .url(let text), .image(let text): return text
    case .data(let bytes): return Base64.encode(bytes)
    case .date(let date): return date.rfc3339
    case .color(let color): return Value.string(color.hex).coerced(to: .color) == self ? color.hex : nil
    case .list, .object, .sealed: return nil
    }
  }

  /// As `coerced`, and every scalar to the text that reads back as the same.
  func converted(to type: ValueType) -> Value? {
    if let value = coerced(to: type) { return value }
    return type == .string ? exactText.map { .string($0) } : nil
  }

  /// The number times a factor: exactly for integers, and where a whole number is wanted within 1e-9 of one, or if the
  /// factor is the closest that there is to what would give it.
  func scaled(by factor: Value, to type: ValueType) -> Value? {
    if case .int(let number) = self, case .int(let factor) = factor {
      let (product, overflows) = number.multipliedReportingOverflow(by: factor)
      return overflows ? nil : Value.int(product).coerced(to: type)
    }
    guard let number = double, let factor = factor.double else { return nil }
    let product = number * factor
    guard product.isFinite else { return nil }
    guard type == .int else { return .double(product) }
    let whole = product.rounded()
    guard abs(product - whole) <= 1e-9 || whole / number == factor else { return nil }
    return Value.double(whole).coerced(to: .int)
  }

  /// nil also if a double does not hold it.
  private var double: Double? {
    switch self {
    case .int(let number): Double(exactly: number)
    case .double(let number): number
    default: nil
    }
  }

  /// Whether a step takes two values for the same: a schema can write some types as text only.
  func isEquivalent(to other: Value) -> Bool {
    if case .double(let mine) = self, case .double(let theirs) = other { return mine == theirs }
    return self == other || coerced(to: other.type) == other || other.coerced(to: type) == self
  }
}

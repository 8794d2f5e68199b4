// Bounds, lengths and patterns.
extension SchemaCompiler {
  mutating func constraints(_ fields: SettingFields, of descriptor: inout SettingDescriptor) {
    let isDate = descriptor.kind == .date
    descriptor.minimum = fields[.minimum].flatMap { json in
      at(.minimum) { isDate ? $0.date(json) : $0.number(json) }
    }
    descriptor.maximum = fields[.maximum].flatMap { json in
      at(.maximum) { isDate ? $0.date(json) : $0.number(json) }
    }
    descriptor.minLength = fields[.minLength].flatMap { json in at(.minLength) { $0.count(json) } }
    descriptor.maxLength = fields[.maxLength].flatMap { json in at(.maxLength) { $0.count(json) } }
    descriptor.maxItems = fields[.maxItems].flatMap { json in at(.maxItems) { $0.count(json) } }
    if let minimum = descriptor.minimum, let maximum = descriptor.maximum,
      Bounds.order(minimum, maximum) == .greater
    {
      at(.maximum) {
        $0.error("empty-range", "Minimum \(minimum.brief) is greater than Maximum \(maximum.brief)")
      }
    }
    if let minimum = descriptor.minLength, let maximum = descriptor.maxLength, minimum > maximum {
      at(.maxLength) { $0.error("empty-range", "MinLength \(minimum) is greater than MaxLength \(maximum)") }
    }
    if let json = fields[.step] { descriptor.step = at(.step) { $0.step(json) } }
    if let json = fields[.pattern] { descriptor.pattern = at(.pattern) { $0.pattern(json) } }
  }

  private mutating func date(_ json: JSON) -> Value? {
    guard let text = text(json) else { return nil }
    guard let date = Value.string(text).coerced(to: .date) else {
      wrongType(json, "an RFC 3339 date-time, such as \"2026-01-31T12:00:00Z\"")
      return nil
    }
    return date
  }

  private mutating func step(_ json: JSON) -> Value? {
    guard let step = number(json) else { return nil }
    guard Bounds.order(step, .int(0)) == .greater else {
      error("invalid-step", "`Step` is greater than 0, found \(step.brief)")
      return nil
    }
    return step
  }

  private mutating func pattern(_ json: JSON) -> String? {
    guard let text = text(json) else { return nil }
    do {
      _ = try patterns.pattern(text)
      return text
    } catch {
      report(.error, "invalid-pattern", error.message)
      return nil
    }
  }
}

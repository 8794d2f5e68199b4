/// Comparing numbers and dates without rounding.
enum Bounds {
  enum Order {
    case less, equal, greater
  }

  /// The order of two numbers or two dates; nil for anything else, and for NaN.
  static func order(_ left: Value, _ right: Value) -> Order? {
    switch (left, right) {
    case (.int(let a), .int(let b)): return a < b ? .less : a > b ? .greater : .equal
    case (.double(let a), .double(let b)): return a < b ? .less : a > b ? .greater : a == b ? .equal : nil
    case (.date(let a), .date(let b)): return a < b ? .less : a > b ? .greater : .equal
    case (.int(let a), .double(let b)): return order(a, b)
    case (.double(let a), .int(let b)):
      switch order(b, a) {
      case .less: return .greater
      case .greater: return .less
      case .equal: return .equal
      case nil: return nil
      }
    default: return nil
    }
  }

  private static func order(_ left: Int64, _ right: Double) -> Order? {
    if right.isNaN { return nil }
    if right >= 0x1p63 { return .less }
    if right < -0x1p63 { return .greater }
    let whole = right.rounded(.towardZero)
    let truncated = Int64(whole)
    if left != truncated { return left < truncated ? .less : .greater }
    return right > whole ? .less : right < whole ? .greater : .equal
  }

  /// Whether a value lies a whole number of steps from the base: exactly for integers, within 1e-9 of a step
  /// relative to the distance for doubles.
  static func isMultiple(_ value: Value, of step: Value, from base: Value?) -> Bool {
    if case .int(let number) = value, case .int(let step) = step {
      var start: Int64? = 0
      if let base {
        if case .int(let number) = base { start = number } else { start = nil }
      }
      if let start {
        let distance = UInt64(bitPattern: max(number, start) &- min(number, start))
        return step > 0 && distance.isMultiple(of: UInt64(step))
      }
    }
    guard let number = double(value), let size = double(step), size > 0 else { return false }
    let steps = (number - (base.flatMap { double($0) } ?? 0)) / size
    guard steps.isFinite else { return false }
    let distance = abs(steps - steps.rounded())
    return distance <= 1e-9 * max(1, abs(steps))
  }

  private static func double(_ value: Value) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}

/// A constraint that a value does not satisfy.
public struct Violation: Sendable {
  /// `.typeMismatch`, `.invalidValue`; `.readOnly` for what only the console may set.
  public var code: StoreError.Code
  /// The constraint by its name in the schema, such as "Minimum"; "Type" for a value of another type.
  public var constraint: String?
  /// One line for people that names setting, constraint and value; secrets are masked.
  public var message: String

  public init(code: StoreError.Code, constraint: String?, message: String) {
    self.code = code
    self.constraint = constraint
    self.message = message
  }
}

/// What validating a value came to.
public enum Validation: Sendable {
  /// The value in the setting's own type.
  case valid(Value)
  /// Everything that is wrong, in the order of the value; never empty.
  case invalid([Violation])
}

extension SettingDescriptor {
  /// Converts a value to the setting's type, if nothing is lost by that, and checks every constraint.
  public func validated(_ value: Value) -> Validation {
    SettingValidator(self).validated(value)
  }
}

/// The state of one validation: where it is, and what was wrong so far.
struct ValidationRun {
  /// More violations than these are counted only: nobody reads them, and a hostile value may have a million.
  static let limit = 1_000

  /// The most that searching for patterns may cost in one value, in bytes of text times parts of the pattern.
  static let searchBudget = 16_000_000

  /// The setting that the value is of; empty for a plain item.
  private let name: String
  /// Where it is in the value.
  var path: [PathStep] = []
  var searched = 0
  private var violations: [Violation] = []
  private var dropped = 0

  init(of name: String) {
    self.name = name
  }

  var count: Int { violations.count + dropped }

  mutating func report(_ code: StoreError.Code, _ constraint: String?, _ text: @autoclosure () -> String) {
    guard violations.count < ValidationRun.limit else {
      dropped += 1
      return
    }
    let place = name.isEmpty ? path.phrase : ([.member(name)] + path).phrase
    violations.append(
      Violation(code: code, constraint: constraint, message: place.isEmpty ? text() : "\(place): \(text())"))
  }

  func finished() -> [Violation] {
    guard dropped > 0, let last = violations.last else { return violations }
    return violations
      + [Violation(code: last.code, constraint: nil, message: "and \(dropped) violations more of the same value")]
  }
}

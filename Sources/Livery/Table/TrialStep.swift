/// What a commit did to a trial.
enum TrialStep: Equatable, Sendable {
  /// - Parameter length: in microseconds.
  case begun(length: Int64)
  /// - Parameter revision: the commit that began it.
  case confirmed(revision: UInt64)
  case reverted(revision: UInt64)

  private static let begins: Int64 = 4
  private static let confirms: Int64 = 8
  private static let reverts: Int64 = 16

  /// As the log has it beside the other kinds of commits.
  var kind: Int64 {
    switch self {
    case .begun: Self.begins
    case .confirmed: Self.confirms
    case .reverted: Self.reverts
    }
  }

  var number: Int64 {
    switch self {
    case .begun(let length): length
    case .confirmed(let revision), .reverted(let revision): Int64(bitPattern: revision)
    }
  }

  init?(_ kind: Int64, _ number: Int64) {
    switch kind & (Self.begins | Self.confirms | Self.reverts) {
    case Self.begins: self = .begun(length: number)
    case Self.confirms: self = .confirmed(revision: UInt64(bitPattern: number))
    case Self.reverts: self = .reverted(revision: UInt64(bitPattern: number))
    default: return nil
    }
  }
}

extension TrialStep: CustomStringConvertible {
  var description: String {
    switch self {
    case .begun: "trial"
    case .confirmed: "confirmed"
    case .reverted: "reverted"
    }
  }
}

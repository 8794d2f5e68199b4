/// Where a value was set, weakest first. Raw values are those of the C constants and of the file format.
public enum Layer: UInt8, Sendable, CaseIterable, Comparable {
  /// The schema's defaults; written by applying a schema alone.
  case defaults = 0
  /// What the app ships: a brand's property list, a variant.
  case bundle
  /// From the console; the operator may overrule it.
  case recommended
  /// The operator at the device.
  case user
  /// The logged-in user; goes at logout or when it expires.
  case session
  /// From the console; weaker layers are locked.
  case enforced
  /// For support and testing; each value expires.
  case override

  public static func < (left: Layer, right: Layer) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Whether the console writes it: the layers that may set what the schema calls ReadOnly.
  public var isConsole: Bool { self == .recommended || self == .enforced }

  /// Whether people at the device set it.
  public var isOfPeople: Bool { self == .user || self == .session }

  /// Whether its values may carry an expiry time.
  public var canExpire: Bool { self == .session || self == .override }
}

extension Layer: CustomStringConvertible {
  public var description: String {
    switch self {
    case .defaults: "defaults"
    case .bundle: "bundle"
    case .recommended: "recommended"
    case .user: "user"
    case .session: "session"
    case .enforced: "enforced"
    case .override: "override"
    }
  }

  public init?(name: String) {
    guard let found = Layer.allCases.first(where: { $0.description.sameBytes(as: name) }) else { return nil }
    self = found
  }
}

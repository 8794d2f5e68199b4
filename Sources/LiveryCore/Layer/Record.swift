/// A value with where it comes from: what one layer holds for a setting, or what is in effect.
public struct Record: Sendable, Equatable {
  /// nil in what is in effect: the setting has no value.
  public var value: Value? { didSet { sealed = nil } }
  /// The stored form of a value that is sealed, be it opened or not; goes when the value is exchanged.
  public private(set) var sealed: Sealed?
  public var layer: Layer
  /// The commit that made it.
  public var revision: UInt64
  public var time: Timestamp
  public var expires: Timestamp?
  public var origin: String
  /// Whether it no longer satisfies the schema.
  public var isRejected = false
  /// In what is in effect: whether weaker layers may not be changed.
  public var isLocked = false
  /// The boot of the system that it ends with; 0 for none.
  public var boot: UInt64 = 0

  public init(
    _ value: Value?, layer: Layer, revision: UInt64, time: Timestamp, expires: Timestamp? = nil, origin: String = ""
  ) {
    self.value = value
    self.layer = layer
    self.revision = revision
    self.time = time
    self.expires = expires
    self.origin = origin
  }
}

/// What readers see of a setting, without where it comes from.
public struct Effect: Sendable {
  /// nil if the setting has no value.
  public var value: Value?
  public var layer = Layer.defaults
  public var expires: Timestamp?
  /// The boot of the system that it ends with; 0 for none.
  public var boot: UInt64 = 0
  /// Whether weaker layers may not be changed.
  public var isLocked: Bool
  /// The commit that put it in effect.
  public var revision: UInt64

  /// Whether time alone may end it.
  public var mayEnd: Bool { expires != nil || boot != 0 }

  public func hasExpired(at now: Timestamp) -> Bool { hasEnded(expires, boot, at: now) }
}

extension Record {
  /// The same with its value opened, or sealed.
  public func with(_ value: Value, _ sealed: Sealed?) -> Record {
    var record = self
    record.value = value
    record.sealed = sealed
    return record
  }

  /// The stored form of the value, if it is sealed.
  var sealedForm: Sealed? {
    if let sealed { return sealed }
    if case .sealed(let unopened)? = value { return unopened }
    return nil
  }

  public static func == (left: Record, right: Record) -> Bool {
    left.saysTheSame(as: right) && left.revision == right.revision && left.time == right.time
      && left.origin.sameBytes(as: right.origin)
  }

  /// Whether two records say the same, whichever commits made them.
  @_optimize(speed)
  public func saysTheSame(as other: Record) -> Bool {
    value.isSame(as: other.value) && layer == other.layer && expires == other.expires && isRejected == other.isRejected
      && isLocked == other.isLocked && boot == other.boot
  }
}

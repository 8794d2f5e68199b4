/// What became of one layer's value.
public enum LayerState: Sendable {
  /// It is the effective value.
  case wins
  /// A stronger layer has a value.
  case shadowed
  /// Its time is over.
  case expired
  /// It no longer satisfies the schema.
  case rejected
  /// The schema no longer declares the setting.
  case orphaned
}

extension LayerState: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wins: "wins"
    case .shadowed: "shadowed"
    case .expired: "expired"
    case .rejected: "rejected"
    case .orphaned: "orphaned"
    }
  }
}

/// What the layers of one setting come to.
public struct Resolution: Sendable {
  /// The record that is in effect, if any.
  public let winner: Record?
  /// Whether weaker layers may not be changed.
  public let isLocked: Bool
  /// What became of each record, in the order they were given.
  public let states: [LayerState]
}

/// The one place that decides which layer's value counts: the strongest that has neither expired nor been rejected.
///
/// - Parameter records: at most one for each layer, in any order.
public func resolve(_ records: [Record], at now: Timestamp) -> Resolution {
  let (winner, isLocked) = strongest(records, at: now)
  var states: [LayerState] = []
  states.reserveCapacity(records.count)
  for (index, record) in records.enumerated() {
    if record.isRejected {
      states.append(.rejected)
    } else if record.hasExpired(at: now) {
      states.append(.expired)
    } else {
      states.append(index == winner ? .wins : .shadowed)
    }
  }
  return Resolution(winner: winner.map { records[$0] }, isLocked: isLocked, states: states)
}

/// The same without what became of each record.
@_optimize(speed)
public func decide(_ records: [Record], at now: Timestamp) -> (winner: Record?, isLocked: Bool) {
  let (winner, isLocked) = strongest(records, at: now)
  return (winner.map { records[$0] }, isLocked)
}

@_optimize(speed)
func strongest(_ records: [Record], at now: Timestamp) -> (winner: Int?, isLocked: Bool) {
  var winner: Int?
  var isLocked = false
  for index in records.indices where records[index].counts(at: now) {
    let layer = records[index].layer
    if layer == .enforced { isLocked = true }
    if let best = winner, records[best].layer > layer { continue }
    winner = index
  }
  return (winner, isLocked)
}

/// Whether a time is over, or a boot that is not 0.
func hasEnded(_ expires: Timestamp?, _ boot: UInt64, at now: Timestamp) -> Bool {
  if boot != 0, Boot.hasEnded(boot) { return true }
  guard let expires else { return false }
  return expires <= now
}

extension Record {
  /// From its expiry time on a value does not count, and a volatile one from the next boot of the system on.
  public func hasExpired(at now: Timestamp) -> Bool { hasEnded(expires, boot, at: now) }

  public var hasEndedWithBoot: Bool { boot != 0 && Boot.hasEnded(boot) }

  public func counts(at now: Timestamp) -> Bool {
    !isRejected && !hasExpired(at: now)
  }
}

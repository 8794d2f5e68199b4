import CSystem

/// The trial that was begun last, and what has become of it: one record of the store.
struct TrialState: Sendable {
  enum Phase: Int64, Sendable {
    case pending = 0
    case confirmed
    case reverted
  }

  /// What ended it.
  struct End: Sendable {
    var revision: UInt64
    var time: Timestamp
    var origin: String
  }

  var phase = Phase.pending
  var term: Trial
  /// In microseconds.
  var length: Int64
  var time: Timestamp
  var origin: String
  /// nil while it is pending.
  var end: End?

  var isPending: Bool { phase == .pending }

  /// When it ends by the system's clock as that is set now, seen from a moment of the one that counts.
  func until(from moment: Int64) -> Timestamp {
    Timestamp(microseconds: Timestamp.now.microseconds &+ max(0, term.deadline &- moment))
  }
}

extension TrialState {
  init(_ term: Trial, length: Int64, time: Timestamp, origin: String) {
    self.term = term
    self.length = length
    self.time = time
    self.origin = origin
  }

  var stored: Value {
    func int(_ number: UInt64) -> Value { .int(Int64(bitPattern: number)) }
    var items: [Value] = [
      .int(phase.rawValue), int(term.revision), int(term.boot), .int(term.began), .int(term.deadline), .int(length),
      .int(time.microseconds), .string(origin),
    ]
    if let end { items += [int(end.revision), .int(end.time.microseconds), .string(end.origin)] }
    return .list(items)
  }

  /// nil if it is none.
  init?(_ stored: Value) {
    guard case .list(let items) = stored, items.count == 8 || items.count == 11 else { return nil }
    var numbers: [Int64] = []
    var texts: [String] = []
    for item in items {
      switch item {
      case .int(let number): numbers.append(number)
      case .string(let text): texts.append(text)
      default: return nil
      }
    }
    let hasEnded = items.count == 11
    guard numbers.count == (hasEnded ? 9 : 7), texts.count == (hasEnded ? 2 : 1),
      let phase = Phase(rawValue: numbers[0]),
      hasEnded == (phase != .pending)
    else { return nil }
    self.phase = phase
    term = Trial(
      revision: UInt64(bitPattern: numbers[1]), boot: UInt64(bitPattern: numbers[2]), began: numbers[3],
      deadline: numbers[4])
    guard term.isSound else { return nil }
    length = numbers[5]
    time = Timestamp(microseconds: numbers[6])
    origin = texts[0]
    if hasEnded {
      end = End(
        revision: UInt64(bitPattern: numbers[7]), time: Timestamp(microseconds: numbers[8]), origin: texts[1])
    }
  }
}

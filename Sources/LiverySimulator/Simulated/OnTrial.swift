import LiveryClient
import LiveryFleet

/// What is on trial in a store: what its layers held before, where they hold something else since.
struct OnTrial {
  /// When it is over, by a clock that goes on whatever happens, or as soon as the system has started anew.
  struct Time {
    var deadline: LiverySimulator.Time
    var system: Int
  }

  enum End: Equatable {
    case confirmed
    /// Who took it back; nil if it went back by itself.
    case reverted(by: String?)
  }

  let revision: Int
  let time: Time
  var recommended: [Int: Int64?] = [:]
  var user: [Int: Int64?] = [:]
  var enforced: [Int: Int64?] = [:]
  /// What the operator has chosen since.
  var chosen: Set<Int> = []
  let owned: Value?

  init(revision: Int, time: Time, former: SimulatedStore, present: SimulatedStore) {
    self.revision = revision
    self.time = time
    owned = former.record("owned")
    for index in 0..<Settings.count {
      if former.recommended[index] != present.recommended[index] { recommended[index] = former.recommended[index] }
      if former.user[index] != present.user[index] { user[index] = former.user[index] }
      if former.enforced[index] != present.enforced[index] { enforced[index] = former.enforced[index] }
    }
  }
}

extension SimulatedStore {
  /// Before anything is read: what is over goes back.
  ///
  /// - Parameter isHalf: a fault.
  mutating func settle(at now: Time, system: Int, isHalf: Bool) {
    guard let onTrial, now >= onTrial.time.deadline || system != onTrial.time.system else { return }
    if isHalf, system != onTrial.time.system { self.onTrial?.enforced = [:] }
    goBack(by: nil)
  }

  mutating func goBack(by origin: String?) {
    guard let trial = onTrial else { return }
    for (index, value) in trial.recommended { recommended[index] = value }
    for (index, value) in trial.user { user[index] = value }
    for (index, value) in trial.enforced { enforced[index] = value }
    keep([Device.Record("owned", trial.owned)])
    lastTrial = (trial.revision, .reverted(by: origin), trial.chosen)
    onTrial = nil
  }

  /// False if it is over.
  mutating func confirm(_ revision: Int) -> Bool {
    guard let trial = onTrial, trial.revision == revision else { return false }
    lastTrial = (revision, .confirmed, trial.chosen)
    onTrial = nil
    return true
  }
}

import LiveryClient
import LiveryFleet

/// A change of the console's that is on trial, as the driver keeps it: it is there before the change, and goes after its end.
struct DriverTrial {
  var fingerprint: [UInt8]
  /// The store's revision before it.
  var after: Int
  var wanted: Desired.Trial
  /// What it has made active in place of what the operator had chosen.
  var replacing: [Value]
  /// What of its conditions has come true.
  var passed: [Desired.Trial.Condition] = []
  var schema: Int64
  /// When it began, and with which revision; of this process alone.
  var began: Time = 0
  var revision = 0

  /// What it still waits for.
  var open: [Desired.Trial.Condition] { wanted.conditions.filter { !passed.contains($0) } }
}

/// When pulls began that have brought all that was asked for.
struct PullWatch {
  private var wasAsking = false
  private var began: Time = 0
  private var seen: UInt64 = 0
  private(set) var succeeded: Time?

  mutating func look(_ machine: Device, at now: Time) {
    if machine.isAsking, !wasAsking { began = now }
    if machine.pullsCompleted != seen { (seen, succeeded) = (machine.pullsCompleted, began) }
    wasAsking = machine.isAsking
  }
}

// What a driver does about trials.

extension SimulatedDevice {
  static let superseded = "superseded"

  /// What is kept of the device, and what is on trial itself, is there before the change; what goes back with it comes with it.
  func begin(_ wanted: Desired.Trial, _ change: Change, _ records: [Device.Record]) {
    guard let owned = records.first(where: { $0.name == "owned" }),
      case .data(let fingerprint)? = owned.value?["applied"]
    else { return schedule.add(.event(.postponed), at: now) }
    let others = records.filter { $0.name != "owned" }
    store.keep(others)
    look(atRecords: others)
    var made = DriverTrial(
      fingerprint: fingerprint, after: store.revision, wanted: wanted, replacing: change.replacing, schema: store.schema
    )
    store.driverTrial = made
    if phase == .stormy, trialDice.chance(0.1) { return crash() }
    let time = OnTrial.Time(deadline: now + wanted.seconds * .second, system: system)
    let violations = store.commit(change.edits, [owned], isHalf: fault == .half, trial: time)
    guard violations.isEmpty else {
      outcome.refusals += 1
      say("refuses: \(violations.map { $0.message })")
      store.driverTrial = nil
      return schedule.add(.event(.refused(violations)), at: now + 5)
    }
    outcome.commits += 1
    outcome.trials += 1
    say("commits \(change.edits.count) edits on trial for \(wanted.seconds) s, \(wanted.conditions.map { $0.text })")
    committed(change.trial)
    made.revision = store.revision
    made.began = now
    trial = made
    schedule.add(.event(.trial(isPending: true)), at: now)
    schedule.add(.event(.applied), at: now)
    watch(made)
    if made.open.contains(.reached) { schedule.add(.event(.pull), at: now) }
    if trialDice.chance(0.5) { disturb(wanted.seconds * .second) }
  }

  /// Much happens to a device while something is on trial.
  private func disturb(_ length: Time) {
    let moment = trialDice.chance(0.5) ? trialDice.number(in: 0...5000) : trialDice.number(in: 0...length * 5 / 4)
    let item: Schedule.Item
    switch trialDice.below(10) {
    case 0...5: item = .cut(isPower: trialDice.chance(0.5))
    case 6: item = .befall(.upgrade)
    default:
      let value = trialDice.chance(0.3) ? nil : Settings.operators + Int64(trialDice.below(1_000_000))
      item = .befall(.operate(index: 1 + trialDice.below(Settings.count - 2), value: value))
    }
    schedule.add(item, at: now + moment)
  }

  /// The app is asked, and it is looked again when the time is over.
  private func watch(_ made: DriverTrial) {
    let left = store.onTrial.map { $0.time.deadline - now } ?? 0
    schedule.add(.over, at: now + max(0, left) + 200)
    if made.open.contains(where: { $0 != .reached }) {
      schedule.add(.asked(made.revision), at: now + trialDice.number(in: 200...3000))
    }
  }

  /// What is wanted instead of it begins with what was there before.
  func takeBack(_ trial: DriverTrial) {
    schedule.add(.event(.postponed), at: now)
    if store.onTrial?.revision == trial.revision {
      store.goBack(by: Self.superseded)
      ledger.goBack(&shadow, isRefused: false)
    }
    lookAtTrial()
  }

  /// Looks what has become of what is on trial.
  func lookAtTrial(isFirst: Bool = false) {
    guard machine != nil, var found = store.driverTrial else { return }
    let owned = store.record("owned")
    let isInEffect =
      if case .data(let applied)? = owned?["applied"] { applied == found.fingerprint } else { false }
    let isPending = (store.onTrial?.revision ?? 0) > found.after
    var end: OnTrial.End?
    var chosen: [Value] = []
    if let last = store.lastTrial, last.revision > found.after {
      end = last.end
      chosen = found.replacing.filter { (item) in
        guard case .list(let parts) = item, case .string(let name)? = parts.first else { return false }
        return Settings.index(of: name).map { last.chosen.contains($0) } ?? false
      }
    }
    if isPending, isInEffect {
      guard trial == nil, let onTrial = store.onTrial else { return }
      found.revision = onTrial.revision
      found.began = now
      trial = found
      tell(.trial(isPending: true), isFirst)
      if found.open.contains(.reached) { schedule.add(.event(.pull), at: now) }
      watch(found)
      return
    }
    // On a full disk it is found once more later.
    if phase != .full { store.driverTrial = nil }
    trial = nil
    guard case .reverted(let origin)? = end, !isInEffect else { return tell(.trial(isPending: false), isFirst) }
    say("has gone back: \(origin ?? "by itself")")
    let violation = Report.Violation(name: "trial", message: "it went back")
    tell(
      .wentBack(
        owned: owned, chosen: chosen, fingerprint: found.fingerprint, schema: found.schema, found.wanted,
        origin == Self.superseded ? nil : violation), isFirst)
  }

  private func tell(_ event: Device.Event, _ isFirst: Bool) {
    if isFirst { machine?.prepare(event, at: moment, world) } else { schedule.add(.event(event), at: now) }
  }

  /// What waits for that has come true once the server was reached after the change.
  func passIfReached() {
    guard let trial, trial.open.contains(.reached), let succeeded = pulls.succeeded, succeeded >= trial.began,
      !(machine?.isAsking ?? true)
    else { return }
    pass(.reached, trial.revision)
    lookAtTrial()
  }

  /// What was on trial stays once all has come true.
  private func pass(_ condition: Desired.Trial.Condition, _ revision: Int) {
    guard phase != .full else { return schedule.add(.asked(revision), at: now + 30 * .second) }
    store.driverTrial?.passed.append(condition)
    trial?.passed.append(condition)
    guard store.driverTrial?.open.isEmpty ?? true, store.confirm(revision) else { return }
    say("confirms what is on trial")
    outcome.confirmed += 1
    if !ledger.confirm() { wrong(.half, "what was over has been confirmed") }
  }

  /// The app says whether it is well.
  func answerCheck(_ revision: Int) {
    guard store.onTrial?.revision == revision, let trial else { return }
    for condition in trial.open {
      guard case .check(let name) = condition else { continue }
      switch health != nil ? .no : facts.check(name) {
      case .yes: pass(condition, revision)
      case .no:
        store.goBack(by: "check " + name)
        ledger.goBack(&shadow, isRefused: true)
      case .never: continue
      }
      guard store.onTrial != nil else { break }
    }
    lookAtTrial()
  }
}

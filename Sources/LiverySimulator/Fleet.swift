import CSimulator
import LiveryFleet

/// A fleet in virtual time. The console goes by the reports of the first devices, step by step; all others live one after another in
/// what it has published then, as devices know of each other by that alone. So memory does not grow with their number.
public struct Fleet: Sendable {
  private let options: Options
  private let plan: Plan
  private let cache: HostileCache

  public init(_ options: Options) throws(FleetError) {
    self.options = options
    guard Crypto.isReady else { throw FleetError(.unavailable, "libsodium does not work") }
    plan = try Plan(options)
    cache = HostileCache(forger: try Forger(plan))
  }

  /// Lives through all of it.
  ///
  /// - Parameter progress: told how many devices are done.
  public func run(progress: @escaping @Sendable (Int) -> Void) async throws -> Summary {
    let cohort = try cohort()
    let history = cohort.history
    var outcome = cohort.outcome
    var rest = options.cohort..<options.devices
    if let first = options.first {
      outcome = Outcome()
      rest = first..<first + (options.count ?? 1)
    } else {
      progress(options.cohort)
    }
    let results = try options.folder.map { try Results($0, options, history) }
    let (shared, batches) = (history, stride(from: rest.lowerBound, to: rest.upperBound, by: options.batch))
    guard options.threads > 1 else {
      // Nothing else goes on: no other thread ever has a part in what it holds.
      for start in batches {
        outcome += try self.outcome(start..<min(start + options.batch, rest.upperBound), history, results)
        progress(outcome.devices)
      }
      return summary(history, outcome)
    }
    try await withThrowingTaskGroup(of: Outcome.self) { (group) in
      var next = batches.makeIterator()
      func begin() -> Bool {
        guard let start = next.next() else { return false }
        let part = start..<min(start + options.batch, rest.upperBound)
        group.addTask { try self.outcome(part, shared, results) }
        return true
      }
      for _ in 0..<options.threads where !begin() { break }
      while let part = try await group.next() {
        outcome += part
        progress(outcome.devices)
        _ = begin()
      }
    }
    return summary(history, outcome)
  }

  private func summary(_ history: History, _ outcome: Outcome) -> Summary {
    var history = history
    history.blobs = [:]
    return Summary(options, history, outcome)
  }

  /// What came of devices, as it was kept or as they live through it now.
  private func outcome(_ devices: Range<Int>, _ history: History, _ results: Results?) throws -> Outcome {
    if let known = try results?.outcome(devices) { return known }
    let outcome = try live(devices, history)
    try results?.keep(outcome, devices)
    return outcome
  }

  private var mode: lvm_mode { options.fault == .unsigned ? LVM_TRUST : LVM_REMEMBER }

  /// The steps of the console.
  private var steps: [Time] { Array(stride(from: 0, through: plan.end, by: Int(Plan.step))) }

  /// The devices whose reports the console goes by, and what it publishes.
  private func cohort() throws(FleetError) -> (history: History, outcome: Outcome) {
    let began = lvm_processor()
    lvm_set_mode(mode)
    defer { lvm_set_mode(LVM_VERIFY) }
    var console = try Console(plan, isBlind: options.fault == .console)
    var devices: [SimulatedDevice] = []
    for number in 0..<options.cohort {
      devices.append(try SimulatedDevice(number, plan, cache, options, tells: false))
    }
    var outcome = Outcome()
    for (step, time) in steps.enumerated() {
      var tally = Tally()
      if let rollout = console.rollout {
        for device in devices { tally += device.tally(of: console.history.rollouts[rollout.number], console.share) }
      }
      outcome.tallies.append(tally)
      if step > 0, time < plan.end {
        try console.act(at: time, tally) {
          let known = devices.filter { $0.book.schema != nil }
          return Dictionary(grouping: known) { $0.book.schema ?? 0 }.mapValues { $0.map { $0.configuration.id } }
        }
      }
      let history = console.history
      for device in devices { device.live(until: min(time + Plan.step, plan.end), history) }
    }
    for device in devices { outcome += device.end(console.history) }
    outcome.take(since: began)
    return (console.history, outcome)
  }

  /// Devices that live in what was published.
  private func live(_ numbers: Range<Int>, _ history: History) throws(FleetError) -> Outcome {
    let began = lvm_processor()
    lvm_set_mode(mode)
    defer { lvm_set_mode(LVM_VERIFY) }
    var outcome = Outcome()
    outcome.tallies = steps.map { _ in Tally() }
    let looks = Dictionary(uniqueKeysWithValues: history.decisions.map { ($0.time, $0) })
    for number in numbers {
      let tells = options.tells && options.first != nil
      let device = try SimulatedDevice(number, plan, cache, options, tells: tells)
      for (step, time) in steps.enumerated() {
        if let look = looks[time] {
          outcome.tallies[step] += device.tally(of: history.rollouts[look.rollout], look.share)
        }
        guard step + 1 == steps.count || looks[time + Plan.step] != nil else { continue }
        device.live(until: min(time + Plan.step, plan.end), history)
      }
      outcome += device.end(history)
    }
    outcome.take(since: began)
    return outcome
  }
}

extension Outcome {
  /// Counts of signatures and what it took, of the thread that it is of.
  fileprivate mutating func take(since began: Int64) {
    var (asked, verified): (UInt64, UInt64) = (0, 0)
    lvm_take_counts(&asked, &verified)
    self.asked += Int(asked)
    self.verified += Int(verified)
    processor += Int(lvm_processor() - began)
  }
}

extension SimulatedDevice {
  /// What its reports say of a rollout.
  func tally(of rollout: History.Rollout, _ share: Int64) -> Tally {
    facts.add(rollout.salt)
    guard facts.place(rollout.salt) < share else { return Tally() }
    var tally = Tally(expected: 1, schemas: book.schema.map { 1 << $0 } ?? 0)
    guard let verdict = book.verdict(rollout.document.hash) else { return tally }
    tally.schemasTold = tally.schemas
    switch verdict {
    case .applied:
      tally.told = 1
      tally.failed = book.health == nil ? 0 : 1
    case .refused, .unusable: (tally.told, tally.failed) = (1, 1)
    case .scheduled, .passedOver: tally.schemasTold = 0
    }
    return tally
  }

  /// What came of it.
  func end(_ history: History) -> Outcome {
    outcome.wentBack = ledger.wentBack
    outcome.reached = history.rollouts.indices.map { shadow.reached.contains($0) ? 1 : 0 }
    return outcome
  }
}

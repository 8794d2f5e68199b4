/// What came of devices: sums, and what went wrong.
struct Outcome: Sendable {
  /// What must not be.
  enum Wrong: String, Sendable, CaseIterable {
    /// A device does not hold what it should, or an operator's choice is gone.
    case lost
    /// A device has not heard of what was published long ago.
    case stale
    /// A commit is not all of what was published.
    case half
    /// The console does not know what became of a document.
    case undecided
    /// What an attacker made is in effect, or was kept.
    case unsigned
    /// What was older than what had been there was taken.
    case older
    /// A bad document got further than its first step.
    case spread
  }

  struct Finding: Sendable {
    var wrong: Wrong
    var device: Int
    var time: Time
    var what: String
  }

  var devices = 0
  var events = 0
  var pulls = 0
  var commits = 0
  var refusals = 0
  var reports = 0
  var starts = 0
  var hostile = 0
  var checks = 0
  var operated = 0
  /// Changes on trial, and what became of them; how often devices were cut off meanwhile.
  var trials = 0
  var confirmed = 0
  var wentBack = 0
  var cuts = 0
  var asked = 0
  var verified = 0
  /// How long it took on processors, in nanoseconds.
  var processor = 0
  var counts = [Int](repeating: 0, count: Wrong.allCases.count)
  /// The first ones.
  var findings: [Finding] = []
  private static let most = 50
  /// By steps of the console.
  var tallies: [Tally] = []
  /// How many devices ever had the document of each rollout in effect.
  var reached: [Int] = []

  static func += (left: inout Outcome, right: Outcome) {
    left.devices += right.devices
    left.events += right.events
    left.pulls += right.pulls
    left.commits += right.commits
    left.refusals += right.refusals
    left.reports += right.reports
    left.starts += right.starts
    left.hostile += right.hostile
    left.checks += right.checks
    left.operated += right.operated
    left.trials += right.trials
    left.confirmed += right.confirmed
    left.wentBack += right.wentBack
    left.cuts += right.cuts
    left.asked += right.asked
    left.verified += right.verified
    left.processor += right.processor
    for index in left.counts.indices { left.counts[index] += right.counts[index] }
    if !right.findings.isEmpty {
      // Devices are not done in their order.
      let all = (left.findings + right.findings).sorted { ($0.device, $0.time) < ($1.device, $1.time) }
      left.findings = Array(all.prefix(most))
    }
    left.tallies.add(right.tallies)
    left.reached.add(right.reached)
  }

  mutating func add(_ wrong: Wrong, _ device: Int, _ time: Time, _ what: String) {
    if let index = Wrong.allCases.firstIndex(of: wrong) { counts[index] += 1 }
    if findings.count < Self.most { findings.append(Finding(wrong: wrong, device: device, time: time, what: what)) }
  }

  var wrongs: Int { counts.reduce(0, +) }
}

extension [Tally] {
  fileprivate mutating func add(_ other: [Tally]) {
    while count < other.count { append(Tally()) }
    for (index, tally) in other.enumerated() { self[index] += tally }
  }
}

extension [Int] {
  fileprivate mutating func add(_ other: [Int]) {
    while count < other.count { append(0) }
    for (index, number) in other.enumerated() { self[index] += number }
  }
}

/// What came of a fleet.
public struct Summary: Sendable {
  private let options: Options
  private let history: History
  private let outcome: Outcome

  init(_ options: Options, _ history: History, _ outcome: Outcome) {
    self.options = options
    self.history = history
    self.outcome = outcome
  }

  /// How much went wrong.
  public var wrongs: Int { outcome.wrongs }

  /// What went wrong, by its words.
  public var kinds: [String] {
    zip(Outcome.Wrong.allCases, outcome.counts).compactMap { $1 > 0 ? $0.rawValue : nil }
  }

  public var devices: Int { outcome.devices }
  public var commits: Int { outcome.commits }
  public var hostileAnswers: Int { outcome.hostile }
  public var checks: Int { outcome.checks }
  public var trials: Int { outcome.trials }
  public var trialsConfirmed: Int { outcome.confirmed }
  public var trialsGoneBack: Int { outcome.wentBack }
  public var trialsCut: Int { outcome.cuts }

  /// Decisions that the console would have made otherwise had it gone by all devices.
  public var otherwise: Int {
    guard options.first == nil else { return 0 }
    return history.decisions.filter { (decision) in
      let tally = outcome.tallies[Int(decision.time / Plan.step)]
      return Rule.decide(tally, since: decision.time - decision.since) != decision.taken
    }.count
  }

  /// What it took, which depends on the threads as well.
  public var cost: String {
    return "signatures: \(outcome.asked), of which \(outcome.verified) were verified anew; "
      + "processor: \(outcome.processor / 1_000_000_000) s, \(outcome.processor / 1000 / max(1, outcome.devices)) µs for each device"
  }

  /// For people.
  public var lines: [String] {
    let counts = zip(Outcome.Wrong.allCases, outcome.counts).map { "\($1) \($0.rawValue)" }.joined(separator: ", ")
    let bad = history.rollouts.filter { $0.document.badness != .none }
    let stopped = history.decisions.filter { $0.taken == .stop }.count
    var lines = [
      "devices: \(outcome.devices), \(options.days) days, seed \(options.seed)",
      "happened: \(outcome.events) events, \(outcome.starts) starts, \(outcome.pulls) requests, "
        + "\(outcome.hostile) hostile answers, \(outcome.operated) choices of operators",
      "devices did: \(outcome.commits) commits, \(outcome.refusals) refusals, \(outcome.reports) reports that arrived",
      "rollouts: \(history.rollouts.count), of which \(bad.count) bad; \(stopped) stopped; "
        + "\(otherwise) decisions of \(history.decisions.count) otherwise by all devices",
      "looked at \(outcome.checks) times after all had been well",
    ]
    if options.hasTrials {
      lines.append(
        "trials: \(outcome.trials), of which \(outcome.confirmed) confirmed and \(outcome.wentBack) gone back; "
          + "cut off \(outcome.cuts) times meanwhile")
    }
    for (number, rollout) in history.rollouts.enumerated() where rollout.document.badness != .none {
      let reached = outcome.reached.indices.contains(number) ? outcome.reached[number] : 0
      lines.append(
        "bad: \(rollout.document.name) (\(rollout.document.badness)) was published for \(rollout.reached) of 10,000, "
          + "and in effect on \(reached) of \(outcome.devices)")
    }
    for finding in outcome.findings.prefix(10) {
      lines.append(
        "\(finding.wrong.rawValue): device \(finding.device), \(SimulatedDevice.text(finding.time)): \(finding.what)")
      lines.append("  " + options.command(finding.device) + " --tell")
    }
    lines.append(counts)
    return lines
  }
}

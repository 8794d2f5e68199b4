import LiveryClient

/// A device of a fleet as a machine: it is told what happens, and says what to do. Driven by whoever has clock, network and store,
/// or by a simulation.
///
/// A pull asks for the manifests of its channels, for the documents that they name, then for their assets, one request after
/// another; when all is there the whole is applied in one commit. What fails is tried again, ever later.
public struct Device: Sendable {
  public let configuration: Configuration
  public let id: String
  var kept: Kept
  var random: Random
  /// Records that are to be written.
  var unsaved: [String] = []
  /// What is under way.
  var pulling: Pull?
  /// What is being applied.
  var applying: Applying?
  /// Whether it is to be looked what is wanted; with which schema, for which present moment, and when, that was looked at last.
  var needsLook = true
  var lookedSchema: Int64?
  var lookedPresent: Int64 = 0
  var nextLook: Int64 = 0
  /// What was wanted by then.
  var looked: Looked?
  /// Whether something else holds than what is wanted, since it cannot be had or made yet.
  public internal(set) var isBehind = false
  var isOnTrial = false
  var reporting: Reporting = .none
  /// When it asks for everything next, in milliseconds of `uptime`.
  var nextPull: Int64 = 0
  /// When it asks because of hints, if that is before, and the channels that they named.
  var nextHinted: Int64?
  var hinted: [Channel] = []
  var nextReport: Int64 = 0
  /// Whether somebody has asked for the next report.
  var isReportWanted = false
  /// No change is tried before that.
  var nextChange: Int64 = 0
  var pullBackoff = Backoff(least: 2000, most: 3_600_000)
  var reportBackoff = Backoff(least: 5000, most: 3_600_000)
  var changeBackoff = Backoff(least: 1000, most: 300_000)
  var saveBackoff = Backoff(least: 1000, most: 300_000)
  /// No records are handed out before that.
  var nextSave: Int64 = 0
  /// The server asks not to be asked before that.
  var notBefore: Int64 = 0
  /// The same of reports.
  var reportNotBefore: Int64 = 0
  /// Whether something has changed since the report that is on its way was made.
  var isReportOutdated = false
  /// Whether to look what is in effect although nobody has told of a change: values may have been set before the start, when nobody
  /// listened, or just before the power went.
  var mayHaveChanged = false
  /// The schema because of which it was looked so last.
  var noticedSchema: Int64?
  /// Hints that led to nothing, one after another.
  var emptyHints = 0
  var lastHintedPull: Int64?
  /// When it asked last, or will, since the broker was there again.
  var lastReached: Int64?
  /// When the documents that hold change next, in seconds since 1970.
  var nextSchedule: Int64?
  /// The digest of the verdicts in the report that is on its way, or was the last.
  var sentVerdicts: [UInt8]?
  /// What the app said of its health there.
  var sentHealth: String?
  var sentSchema: Int64?
  /// What it said could not be taken.
  var sentProblem: String?
  /// How many pulls have come to their end since the start: all that was asked for was there.
  public internal(set) var pullsCompleted: UInt64 = 0
  var subscribed: [Channel] = []
  /// Whether its channels may be others than those.
  var isSubscriptionDue = true
  /// What went wrong last, until something goes right.
  public internal(set) var problem: FleetError?

  struct Looked: Sendable {
    /// The hashes of the documents that held, the weakest first, and the schema: what they come to follows from them alone.
    var documents: [[UInt8]]
    var schema: Int64?
    var fingerprint: [UInt8]
    /// The hashes of those of which nothing is.
    var idle: [[UInt8]]
  }

  struct Applying: Sendable {
    var fingerprint: [UInt8]
    var schema: Int64?
    /// What is wanted of settings, and the documents that it is of.
    var entries: [Desired.Entry]
    var documents: [[UInt8]]
    /// The records that are written along.
    var records: [String]
    /// What holds again if it is refused.
    var owned: Owned
    var applied: [UInt8]?
    var holding: [Attribution]
    var appliedSchema: Int64?
  }

  enum Reporting: Sendable {
    case none
    /// It was asked what is in effect.
    case collecting
    /// A report is on its way; what it tells.
    case sending([Kept.Told])
  }

  /// A device that has just enrolled.
  ///
  /// - Parameters:
  ///   - fingerprint: of the roots, as the enrollment code has it.
  ///   - seed: another one for each device and each start.
  public init(_ configuration: Configuration, fingerprint: [UInt8], seed: UInt64) {
    self.configuration = configuration
    id = configuration.id
    random = Random(seed: seed)
    kept = Kept(trust: Trust(fleet: configuration.fleet, fingerprint: fingerprint))
    unsaved = [Kept.trustName, Kept.stateName]
  }

  /// A device as it was kept.
  ///
  /// - Parameter records: those that it has had saved, in any order.
  /// - Throws: if it is not known whom it trusts: it has to enroll anew.
  public init(_ configuration: Configuration, records: [Record], seed: UInt64) throws(FleetError) {
    self.configuration = configuration
    id = configuration.id
    random = Random(seed: seed)
    guard let trust = records.first(where: { $0.name.sameBytes(as: Kept.trustName) })?.value else {
      throw FleetError(.malformed, "it is not known whom the device trusts")
    }
    kept = try Kept(trust: trust, records)
    guard kept.trust.fleet.sameBytes(as: configuration.fleet) else {
      throw FleetError(.foreign, "the device is of the fleet \(kept.trust.fleet)")
    }
    for index in kept.channels.indices { kept.channels[index].isTaken = takes(kept.channels[index].manifest) }
  }

  /// Tells it what has happened, and does what it asks for afterwards.
  public mutating func handle(_ event: Event, at moment: Moment, _ world: World) -> [Effect] {
    var effects: [Effect] = []
    take(event, moment, world, &effects)
    settle(moment, world, &effects)
    return effects
  }

  /// Tells it what became of a trial before it starts: nothing follows from that yet.
  public mutating func prepare(_ event: Event, at moment: Moment, _ world: World) {
    var effects: [Effect] = []
    take(event, moment, world, &effects)
  }

  private mutating func take(_ event: Event, _ moment: Moment, _ world: World, _ effects: inout [Effect]) {
    switch event {
    case .boot:
      pulling = nil
      applying = nil
      reporting = .none
      subscribed = []
      isSubscriptionDue = true
      mayHaveChanged = true
      needsLook = true
      // Devices that start together do not ask together.
      (nextHinted, hinted) = (nil, [])
      nextPull = moment.uptime + random.number(in: 0...2000)
      nextReport = moment.uptime + random.number(in: 0...5000)
    case .tick: break
    case .pull: if pulling == nil { nextPull = moment.uptime } else { pulling?.isWantedAgain = true }
    case .push:
      markReportDue()
      isReportWanted = true
      nextReport = moment.uptime
    case .hint(let channel, let version): hint(channel, version, moment)
    case .reached: reached(moment)
    // To whom nothing is missing nothing is new: networks tell of themselves every so often.
    case .network: if pullBackoff.failures > 0 || reportBackoff.failures > 0 { reached(moment) }
    // What the device has made itself is told of as well: it is looked what is in effect.
    case .changed: mayHaveChanged = true
    case .answer(let answer): answered(answer, moment)
    case .failure(let retryAfter): failed(retryAfter, moment)
    case .applied: applied(moment)
    case .trial(let isPending): setTrial(isPending)
    case .wentBack(let owned, let chosen, let fingerprint, let schema, let trial, let violation):
      wentBack(owned, chosen, fingerprint, schema, trial, violation)
    case .refused(let violations): refused(violations, moment)
    case .postponed: postponed(moment)
    case .notSaved(let records): notSaved(records, moment)
    case .stored(let isStored): stored(isStored, moment)
    case .collected(let values, let health): collected(values, health, moment, world, &effects)
    case .reported(let isFull): reported(isFull, moment)
    case .reportFailed(let retryAfter): reportFailed(retryAfter, moment)
    case .reportOutnumbered: reportOutnumbered(moment)
    }
  }

  /// Begins what is due, and says when to be asked again.
  private mutating func settle(_ moment: Moment, _ world: World, _ effects: inout [Effect]) {
    begin(moment)
    advance(moment, world, &effects)
    apply(moment, world, &effects)
    lookAtProblem()
    report(moment, &effects)
    subscribe(&effects)
    if applying == nil, moment.uptime >= nextSave { save(&effects) }
    effects.append(.wake(wake(moment)))
  }

  private func wake(_ moment: Moment) -> Int64 {
    // Clocks are set: at least every hour is looked whether documents hold.
    var next = moment.uptime + 3_600_000
    if pulling == nil { next = min(next, nextAttempt) }
    // What is past waits for something else, which comes with an event or has a time of its own.
    if let nextSchedule, nextSchedule > kept.trust.scheduled(moment.clock) {
      next = min(next, moment.uptime + min(nextSchedule - moment.clock, 3600) * 1000 - moment.fraction)
    }
    if nextChange > moment.uptime { next = min(next, nextChange) }
    if !unsaved.isEmpty, applying == nil { next = min(next, nextSave) }
    if canReport { next = min(next, nextReport) }
    return max(next, moment.uptime + 1)
  }

  private mutating func save(_ effects: inout [Effect]) {
    let records = takeUnsaved()
    if !records.isEmpty { effects.append(.save(records)) }
  }

  /// What is to be written, once.
  mutating func takeUnsaved() -> [Record] {
    var records: [Record] = []
    for name in unsaved {
      // What cannot be encoded was never decoded: there is none.
      let value = (try? kept.value(name)) ?? nil
      records.append(Record(name, value))
    }
    unsaved = []
    return records
  }

  mutating func mark(_ name: String) {
    if !unsaved.contains(where: { $0.sameBytes(as: name) }) { unsaved.append(name) }
  }

  /// The channels of which it takes documents, the weakest first.
  public var channels: [Channel] {
    let groups = kept.channel(.device(id))?.manifest.groups ?? []
    return [.fleet] + groups.map { .group($0) } + [.device(id)]
  }

  private mutating func subscribe(_ effects: inout [Effect]) {
    guard isSubscriptionDue else { return }
    isSubscriptionDue = false
    let wanted = channels
    guard wanted != subscribed else { return }
    subscribed = wanted
    effects.append(.subscribe(wanted))
  }
}

// MARK: Hints

extension Device {
  /// Anybody may send hints: what leads to nothing makes it wait longer before it listens to the next one.
  private mutating func hint(_ channel: Channel, _ version: Int64, _ moment: Moment) {
    guard channels.contains(channel), version > kept.trust.version(of: channel) else { return }
    if pulling != nil { pulling?.hear(channel, version) } else { heedHint(channel, moment) }
  }

  /// Asks soon: but not sooner than what hints led to so far lets it.
  mutating func heedHint(_ channel: Channel, _ moment: Moment) {
    var due = max(notBefore, moment.uptime + random.number(in: 0...max(0, configuration.hintSpread)))
    if let lastHintedPull, emptyHints > 0 {
      due = max(due, lastHintedPull + min(interval, 2000 << Int64(min(emptyHints, 16))))
    }
    guard nextHinted != nil || due < nextPull else { return }
    if !hinted.contains(channel) { hinted.append(channel) }
    due = min(due, nextHinted ?? due)
    (nextHinted, lastHintedPull) = (due, due)
  }

  /// Asks soon, and tells what is due: the waits that have grown as long as nobody was there are over. Those that the server has
  /// asked for are not, and a broker that comes and goes is not followed every time.
  private mutating func reached(_ moment: Moment) {
    let due: Int64
    let isNew = lastReached.map { $0 <= moment.uptime } ?? true
    if let lastReached, !isNew {
      // Networks that come and go do not put it off.
      due = max(notBefore, lastReached)
    } else {
      let soon = max(notBefore, moment.uptime + random.number(in: 0...max(0, configuration.hintSpread)))
      due = max(soon, lastReached.map { $0 + Self.reachedPause } ?? soon)
      lastReached = due
      pullBackoff.succeed()
    }
    // What is asked just now may have been answered before, or be of a hint: it is asked once more, at its time.
    nextPull = min(nextPull, due)
    if due <= moment.uptime { pulling?.isWantedAgain = true }
    guard case .none = reporting else { return }
    if isNew { reportBackoff.succeed() }
    nextReport = min(nextReport, max(due, reportNotBefore))
  }

  /// A pull has ended: somebody may have been reached meanwhile.
  mutating func askIfReached(_ moment: Moment) {
    if let lastReached, lastReached > moment.uptime { nextPull = min(nextPull, max(notBefore, lastReached)) }
  }

  /// The least time between two pulls because of that, in milliseconds.
  static let reachedPause: Int64 = 5000

  /// How often it asks, in milliseconds.
  var interval: Int64 {
    (kept.channel(.fleet)?.manifest.interval ?? configuration.interval) * 1000
  }
}

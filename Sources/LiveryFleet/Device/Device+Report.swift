import LiveryClient

// What the other side is told: one report at a time, and never more often than it has to be.

extension Device {
  /// Bytes of values that one report holds at most; what is left comes with the next.
  private static let valueBudget = 512 << 10

  mutating func markReportDue() {
    // What has changed since it was asked what is in effect is not in the report.
    if case .none = reporting {} else { isReportOutdated = true }
    guard !kept.isReportDue else { return }
    kept.isReportDue = true
    mark(Kept.stateName)
  }

  /// Whether there is something to report, and nothing that has to end before.
  var canReport: Bool {
    guard case .none = reporting else { return false }
    return (kept.isReportDue || mayHaveChanged) && applying == nil && pulling == nil && hasKeys
  }

  mutating func report(_ moment: Moment, _ effects: inout [Effect]) {
    guard canReport, moment.uptime >= nextReport else { return }
    reporting = .collecting
    isReportOutdated = false
    isReportWanted = false
    // What changes from here on may be in this report or not.
    mayHaveChanged = false
    effects.append(.collect)
  }

  mutating func collected(
    _ values: [Report.Effective], _ health: String?, _ moment: Moment, _ world: World, _ effects: inout [Effect]
  ) {
    guard case .collecting = reporting else { return }
    reporting = .none
    let health = health?.cut(1024)
    var told: [Kept.Told] = []
    var changed: [Report.Effective] = []
    var (size, room) = (0, Limit.reported)
    // Whether there is room for one more.
    func fits(_ bytes: Int) -> Bool {
      guard room > 0, size + bytes <= Self.valueBudget else { return false }
      size += bytes
      room -= 1
      return true
    }
    var isComplete = true
    let reportable = values.filter { $0.size <= Limit.reportedValue }
    let isOrdered = zip(reportable, reportable.dropFirst()).allSatisfy { $0.name.precedes($1.name) }
    let ordered = (isOrdered ? reportable : reportable.sorted { $0.name.precedes($1.name) }).prefix(Limit.reported)
    told.reserveCapacity(ordered.count)
    var former = kept.told[...]
    for value in ordered {
      guard let digest = try? value.digest() else { continue }
      if let last = told.last, last.name.sameBytes(as: value.name) { continue }
      isComplete = takeGone(before: value.name, &former, &told, &changed, fits) && isComplete
      let before = former.first?.name.sameBytes(as: value.name) == true ? former.popFirst() : nil
      let now = Kept.Told(name: value.name, digest: [UInt8](digest.prefix(8)))
      if before == now {
        told.append(now)
      } else if fits(value.size) {
        told.append(now)
        changed.append(value)
      } else {
        isComplete = false
        if let before { told.append(before) }
      }
    }
    isComplete = takeGone(before: nil, &former, &told, &changed, fits) && isComplete
    if !kept.isReportDue {
      let isSame = health.isSame(as: kept.toldHealth) && world.schema == kept.toldSchema
      guard !isSame || !changed.isEmpty || !isComplete else {
        nextReport = moment.uptime + configuration.reportInterval / 10
        return
      }
      markReportDue()
    }
    // Should there be none to send, it is not tried over and over.
    nextReport = moment.uptime + configuration.reportInterval
    guard kept.sequence < Limit.version else { return }
    kept.sequence += 1
    mark(Kept.stateName)
    let documents = verdicts(moment, world)
    let report = Report(
      fleet: configuration.fleet, device: configuration.device, sequence: kept.sequence,
      time: min(max(0, moment.clock), Limit.time), schema: world.schema, keys: kept.trust.keys?.version ?? 0,
      channels: kept.channels.map { Report.ChannelVersion(channel: $0.manifest.channel, version: $0.manifest.version) },
      documents: documents, violations: violations(world), since: kept.acknowledged, values: changed,
      digest: Report.digest(told.map { $0.digest }), problem: presentProblem, health: health)
    guard let payload = try? report.encoded() else { return }
    // A number is used once, whatever happens to the report.
    let records = takeUnsaved()
    effects.append(.report(payload, records))
    reporting = .sending(told)
    if !isComplete { isReportOutdated = true }
    sentVerdicts = Report.digest(of: documents)
    sentHealth = health
    sentSchema = world.schema
    sentProblem = presentProblem
  }

  /// Tells that what comes before a name, or all that is left, is gone; false if there was no room for it.
  private func takeGone(
    before name: String?, _ former: inout ArraySlice<Kept.Told>, _ told: inout [Kept.Told],
    _ changed: inout [Report.Effective], _ fits: (Int) -> Bool
  ) -> Bool {
    var isComplete = true
    while let first = former.first, name.map({ first.name.precedes($0) }) ?? true {
      former.removeFirst()
      let gone = Report.Effective(first.name, nil, nil)
      if fits(gone.size) {
        changed.append(gone)
      } else {
        isComplete = false
        told.append(first)
      }
    }
    return isComplete
  }

  /// What becomes of a document without a value changing is told as well: one that begins, ends, or is for another schema.
  mutating func lookAtVerdicts(_ moment: Moment, _ world: World) {
    let known: [UInt8]?
    if case .none = reporting { known = kept.toldVerdicts } else { known = sentVerdicts }
    if Report.digest(of: verdicts(moment, world)) != known { markReportDue() }
  }

  /// Whether the other side knows, or hears just now, that this could not be taken.
  func isTold(_ error: FleetError) -> Bool { knownProblem?.sameBytes(as: error.reason.name) ?? false }

  /// Why what is published cannot be taken; until this process knows, what the one before it has met.
  private var presentProblem: String? { problem?.reason.name ?? (pullsCompleted == 0 ? kept.problem : nil) }

  private var knownProblem: String? {
    if case .sending = reporting { sentProblem } else { kept.toldProblem }
  }

  /// That what is published can be taken again is told as well, once it is known.
  mutating func lookAtProblem() {
    guard problem == nil, pullsCompleted > 0, !needsLook, knownProblem != nil, !kept.isReportDue else { return }
    markReportDue()
  }

  /// What a report tells of documents: one verdict for each hash, and if there are too many those first that are taken.
  func verdicts(_ moment: Moment, _ world: World) -> [Report.DocumentVerdict] {
    let all = verdictsOfEntries(moment, world)
    // One channel may take what another one passes over: of the same hash that comes first.
    let order = all.indices.sorted { (left, right) in
      if all[left].hash != all[right].hash { return all[left].hash.precedes(all[right].hash) }
      let isOther = all[right].verdict == .passedOver
      return (all[left].verdict == .passedOver) == isOther ? left < right : isOther
    }
    var isTold = [Bool](repeating: false, count: all.count)
    for (rank, place) in order.enumerated() {
      isTold[place] = rank == 0 || all[order[rank - 1]].hash != all[place].hash
    }
    let told = all.indices.filter { isTold[$0] }.map { all[$0] }
    let most = Limit.reported / 16
    guard told.count > most else { return told }
    return Array((told.filter { $0.verdict != .passedOver } + told.filter { $0.verdict == .passedOver }).prefix(most))
  }

  /// Whether what is wanted now was refused, with the schema that there is now.
  private func hasRefused(_ world: World) -> Bool { !isBehind && kept.hasRefused(with: world.schema) }

  /// What was wrong with it.
  func violations(_ world: World) -> [Report.Violation] { hasRefused(world) ? kept.violations : [] }

  /// The verdict of each document of the manifests, in their order.
  func verdictsOfEntries(_ moment: Moment, _ world: World) -> [Report.DocumentVerdict] {
    var verdicts: [Report.DocumentVerdict] = []
    verdicts.reserveCapacity(kept.channels.reduce(0) { $0 + $1.isTaken.count })
    let present = kept.trust.scheduled(moment.clock)
    let isRefusal = hasRefused(world)
    // What held before does so still.
    let holding = isRefusal && kept.appliedSchema == world.schema ? kept.tried : []
    for state in kept.channels {
      for (entry, isTaken) in zip(state.manifest.documents, state.isTaken) {
        let verdict: Report.Verdict
        if !isTaken {
          verdict = .passedOver
        } else if let document = kept.document(entry.hash)?.held?.document {
          if !document.isFor(world.schema) {
            verdict = .passedOver
          } else if !document.holds(at: present, world.offset).holds {
            verdict = .scheduled
          } else {
            let holdsStill = holding.contains { $0 == entry.hash } && !kept.refusedHeld.contains { $0 == entry.hash }
            let waits = isBehind || isOnTrial && kept.isOnTrial(entry.hash)
            verdict = isRefusal && !holdsStill ? .refused : waits ? .scheduled : .applied
          }
        } else {
          verdict = .unusable
        }
        verdicts.append(Report.DocumentVerdict(hash: entry.hash, verdict: verdict))
      }
    }
    return verdicts
  }

  /// Records could not be kept, and a report that came with them was not sent.
  mutating func notSaved(_ records: [Record], _ moment: Moment) {
    for record in records { mark(record.name) }
    nextSave = moment.uptime + saveBackoff.fail(&random, wanted: nil)
    guard case .sending = reporting, records.contains(where: { $0.name.sameBytes(as: Kept.stateName) }) else { return }
    reporting = .none
    nextReport = max(nextReport, nextSave)
  }

  mutating func reported(_ isFull: Bool, _ moment: Moment) {
    guard case .sending(let told) = reporting else { return }
    reporting = .none
    kept.told = isFull ? [] : told
    kept.acknowledged = isFull ? nil : kept.sequence
    kept.toldVerdicts = sentVerdicts
    kept.toldHealth = sentHealth
    kept.toldSchema = sentSchema
    kept.toldProblem = sentProblem
    kept.isReportDue = isReportOutdated || isFull
    isReportOutdated = false
    mark(Kept.toldName)
    mark(Kept.stateName)
    reportBackoff.succeed()
    saveBackoff.succeed()
    nextReport = moment.uptime + configuration.reportInterval
  }

  mutating func reportFailed(_ retryAfter: Int64?, _ moment: Moment) {
    guard case .sending = reporting else { return }
    reporting = .none
    isReportOutdated = false
    let wanted = retryAfter.map { min(max($0, 0), 86_400) * 1000 }
    reportNotBefore = moment.uptime + (wanted ?? 0)
    nextReport = moment.uptime + reportBackoff.fail(&random, wanted: wanted)
  }

  /// Goes on with a number beyond what there was, and tells everything: it is not known what the other side knows.
  ///
  /// The seconds since 1970 are more than any number that reports have counted to. Where the clock does not say, the steps
  /// grow: never so far that whoever answers so could use up all numbers.
  mutating func reportOutnumbered(_ moment: Moment) {
    guard case .sending = reporting else { return }
    let step = Int64(1) << Int64(min(reportBackoff.failures, 20))
    kept.sequence = min(max(kept.sequence + step, min(kept.trust.present(moment.clock), Limit.time)), Limit.version)
    kept.acknowledged = nil
    kept.told = []
    mark(Kept.stateName)
    mark(Kept.toldName)
    let isFirst = reportBackoff.failures == 0
    reportFailed(nil, moment)
    // Who was put back is told no for its number alone: with the next one it counts.
    if isFirst { nextReport = moment.uptime }
  }
}

extension String? {
  func isSame(as other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.sameBytes(as: other)
  }
}

extension Report.Effective {
  /// About how many bytes it takes in a report.
  fileprivate var size: Int {
    let most =
      switch value {
      case nil: 0
      case .bool, .int, .double: 9
      // As deep as it lies in a report: what is nested deeper than can be told is too large.
      case .some(let value): (try? CBOR.encode(.list([.list([.list([value])])])))?.count ?? Limit.report
      }
    return name.utf8.count + 32 + most
  }
}

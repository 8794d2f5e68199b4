import LiveryClient

// What the other side is told: one report at a time, and never more often than it has to be.

extension Device {
  /// Bytes of values that one report holds at most; what is left comes with the next.
  private static let valueBudget = 768 << 10

  mutating func markReportDue() {
    if case .sending = reporting { isReportOutdated = true }
    guard !kept.isReportDue else { return }
    kept.isReportDue = true
    mark(Kept.stateName)
  }

  /// Whether a report is due, and nothing else has to come first.
  var mayReport: Bool {
    guard case .none = reporting else { return false }
    return kept.isReportDue && applying == nil && pulling == nil && kept.trust.keys != nil
  }

  mutating func report(_ moment: Moment, _ effects: inout [Effect]) {
    guard mayReport, moment.uptime >= nextReport else { return }
    reporting = .collecting
    effects.append(.collect)
  }

  mutating func collected(
    _ values: [Report.Effective], _ health: String?, _ moment: Moment, _ world: World, _ effects: inout [Effect]
  ) {
    guard case .collecting = reporting else { return }
    reporting = .none
    let ordered = values.sorted { $0.name.precedes($1.name) }.prefix(Limit.reported)
    var digests: [[UInt8]] = []
    var told: [Kept.Told] = []
    var changed: [Report.Effective] = []
    var size = 0
    var isComplete = true
    for value in ordered {
      guard let digest = try? value.digest() else { continue }
      if let last = told.last, last.name.sameBytes(as: value.name) { continue }
      digests.append(digest)
      let now = Kept.Told(name: value.name, digest: [UInt8](digest.prefix(8)))
      if let before = known(value.name), before == now {
        told.append(now)
        continue
      }
      let bytes = value.value.flatMap { try? CBOR.encode($0) }?.count ?? 0
      guard size + bytes <= Self.valueBudget else {
        isComplete = false
        continue
      }
      size += bytes + value.name.utf8.count
      changed.append(value)
      told.append(now)
    }
    for former in kept.told
    where changed.count < Limit.reported && !ordered.contains(where: { $0.name.sameBytes(as: former.name) }) {
      changed.append(Report.Effective(former.name, nil, nil))
    }
    changed.sort { $0.name.precedes($1.name) }
    changed = Array(changed.prefix(Limit.reported))
    guard kept.sequence < Limit.version else { return }
    kept.sequence += 1
    mark(Kept.stateName)
    let report = Report(
      fleet: configuration.fleet, device: configuration.device, sequence: kept.sequence,
      time: min(max(0, moment.clock), Limit.time), schema: world.schema, keys: kept.trust.keys?.version ?? 0,
      channels: kept.channels.map { Report.ChannelVersion(channel: $0.manifest.channel, version: $0.manifest.version) },
      documents: verdicts(moment, world), violations: kept.violations, since: kept.acknowledged, values: changed,
      digest: Report.digest(digests), problem: problem?.reason.name, health: health?.cut(1024))
    guard let payload = try? report.encoded() else { return }
    // A number is used once, whatever happens to the report.
    let records = takeUnsaved()
    effects.append(.save(records))
    effects.append(.report(payload))
    reporting = .sending(told)
    sentHolding = holdingDigest
    isReportOutdated = !isComplete
  }

  private func known(_ name: String) -> Kept.Told? {
    var (low, high) = (0, kept.told.count)
    while low < high {
      let middle = low + (high - low) / 2
      if kept.told[middle].name.precedes(name) { low = middle + 1 } else { high = middle }
    }
    return low < kept.told.count && kept.told[low].name.sameBytes(as: name) ? kept.told[low] : nil
  }

  private func verdicts(_ moment: Moment, _ world: World) -> [Report.DocumentVerdict] {
    var verdicts: [Report.DocumentVerdict] = []
    for state in kept.channels {
      let mine = takes(state.manifest)
      for entry in state.manifest.documents where verdicts.count < Limit.reported / 16 {
        let verdict: Report.Verdict
        if !mine.contains(where: { $0.hash == entry.hash }) {
          verdict = .passedOver
        } else if let document = kept.document(entry.hash)?.held?.document {
          if !document.isFor(world.schema) {
            verdict = .passedOver
          } else if !document.holds(at: moment.clock, world.offset).holds {
            verdict = .scheduled
          } else {
            verdict = kept.refused != nil ? .refused : .applied
          }
        } else {
          verdict = .unusable
        }
        verdicts.append(Report.DocumentVerdict(hash: entry.hash, verdict: verdict))
      }
    }
    return verdicts
  }

  mutating func reported(_ isFull: Bool, _ moment: Moment) {
    guard case .sending(let told) = reporting else { return }
    reporting = .none
    kept.told = isFull ? [] : told
    kept.acknowledged = isFull ? nil : kept.sequence
    kept.toldHolding = sentHolding
    kept.isReportDue = isReportOutdated || isFull
    isReportOutdated = false
    mark(Kept.toldName)
    mark(Kept.stateName)
    reportBackoff.succeed()
    nextReport = moment.uptime + configuration.reportInterval
  }

  mutating func reportFailed(_ retryAfter: Int64?, _ moment: Moment) {
    guard case .sending = reporting else { return }
    reporting = .none
    isReportOutdated = false
    let wanted = retryAfter.map { min($0, 86_400) * 1000 }
    nextReport = moment.uptime + reportBackoff.fail(&random, wanted: wanted)
  }
}

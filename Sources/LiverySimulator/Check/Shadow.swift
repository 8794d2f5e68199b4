import LiveryClient
import LiveryFleet

/// What is known of a device beside what it knows itself.
struct Shadow {
  /// What is kept of its channels, as the console published it, by the channels' names.
  private(set) var held: [String: PlainManifest] = [:]
  private(set) var highest: [String: Int64] = [:]
  /// What the operator has chosen, as far as the console did not replace it.
  private(set) var user = LayerValues()
  /// Whom the device trusts, as it is kept.
  private(set) var trust: Trust?
  /// What was made active once and is wanted still, if only beneath something stronger.
  private(set) var active = [[Reference.Wish]](repeating: [], count: Settings.count)
  /// The hashes of the documents that held when something was made of them last, but for those that are still to be tried.
  private(set) var holding: [[UInt8]] = []
  /// With which schema that was.
  private(set) var schema: Int64?
  /// How many exchanges of keys it has seen.
  var knownRotations = 0
  /// Rollouts whose document was in effect.
  var reached: Set<Int> = []

  mutating func operate(_ index: Int, _ value: Int64?) { user[index] = value }

  mutating func believe(_ trust: Trust) {
    self.trust = trust
    knownRotations = max(0, Int(trust.keys?.version ?? 1) - 1)
  }

  /// A channel is kept as of a version.
  ///
  /// - Returns: whether a higher version was there.
  mutating func hold(_ channel: String, _ manifest: PlainManifest) -> Bool {
    held[channel] = manifest
    let isOlder = manifest.version < highest[channel] ?? 0
    highest[channel] = max(manifest.version, highest[channel] ?? 0)
    return isOlder
  }

  mutating func drop(_ channel: String) { held[channel] = nil }

  /// The manifests, the weakest first.
  func manifests(_ own: String) -> [PlainManifest] {
    let device = held[own]
    let groups = (device?.groups ?? []).compactMap { held["group." + Plan.groupName($0)] }
    return [held["fleet"]].compactMap { $0 } + groups + [device].compactMap { $0 }
  }

  /// Whether what the operator chose goes with a change.
  func isReplaced(_ index: Int, by reference: Reference) -> Bool {
    guard let wish = reference.wishes[index], wish.verb == .replace else { return false }
    return !active[index].contains(wish)
  }

  /// What was on trial went back.
  mutating func goBack(
    to former: [[Reference.Wish]], _ documents: [[UInt8]], _ schema: Int64?, _ choices: [Int: Int64]
  ) {
    active = former
    holding = documents
    self.schema = schema
    for (index, value) in choices { user[index] = value }
  }

  /// Others hold than before, which come to the same.
  mutating func hold(owned: Value?) {
    guard case .list(let documents)? = owned?["documents"] else { return holding = [] }
    holding = documents.compactMap { document in
      guard case .data(let hash)? = document["hash"], document["untried"] == nil else { return nil }
      return hash
    }
  }

  /// A commit has made active what was not so before.
  mutating func commit(_ reference: Reference) {
    holding = reference.holding
    schema = reference.schema
    for index in 0..<Settings.count {
      if isReplaced(index, by: reference) { user[index] = nil }
      let wish = reference.wishes[index]
      active[index] = reference.replacements[index].filter { $0 == wish || active[index].contains($0) }
    }
  }
}

// What must not be, looked for at every step.

extension SimulatedDevice {
  private var ownName: String { "device." + facts.id }

  var knownRotations: Int { shadow.knownRotations }

  /// What was kept just now.
  func look(atRecords records: [Device.Record]) {
    for record in records {
      if record.name == "trust" {
        guard let value = record.value, let trust = try? Trust(value) else { continue }
        shadow.believe(trust)
      } else if record.name.hasPrefix("channel.") {
        let channel = String(record.name.dropFirst(8))
        guard case .data(let payload)? = record.value?["manifest"] else {
          shadow.drop(channel)
          continue
        }
        guard let manifest = published(channel, payload) else {
          wrong(.unsigned, "a manifest of \(channel) is kept that was never published")
          continue
        }
        let former = shadow.highest[channel] ?? 0
        if shadow.hold(channel, manifest) {
          wrong(.older, "version \(manifest.version) of \(channel) after \(former)")
        }
      }
    }
  }

  private func published(_ channel: String, _ payload: [UInt8]) -> PlainManifest? {
    if channel == ownName { return own.last { $0.payload == payload } }
    if channel == "fleet" { return history.channels[History.fleet].last { $0.payload == payload } }
    for number in 0..<Plan.groups where channel == "group." + Plan.groupName(number) {
      return history.channels[History.group(number)].last { $0.payload == payload }
    }
    return nil
  }

  /// What the device takes for now: its clock may be behind what was signed.
  private var present: Int64 { shadow.trust?.scheduled(clock) ?? clock }

  private var reference: Reference {
    Reference(
      shadow.manifests(ownName), facts, clock: present, schema: store.schema, before: (shadow.holding, shadow.schema))
  }

  /// The change that was made has to be the whole of what is kept.
  ///
  /// - Parameter trial: what the device wants it to be on trial for.
  func committed(_ trial: Desired.Trial?) {
    let reference = reference
    if trial != reference.trial { wrong(.lost, "it is on trial for another time, or by other checks") }
    if plan.hasTrials { ledger.commit(reference, shadow, at: now, system: system) }
    for index in 0..<Settings.count {
      for value in [store.recommended[index], store.enforced[index]] {
        if let value, value >= Settings.planted {
          wrong(.unsigned, "\(Settings.names[index]) is what an attacker wants")
        }
      }
    }
    if store.recommended != reference.recommended { wrong(.half, "the layer of what is recommended is another") }
    if store.enforced != reference.enforced { wrong(.half, "the layer of what is enforced is another") }
    for asset in reference.assets where !store.assets.contains(asset) { wrong(.half, "an asset is not there") }
    shadow.commit(reference)
    if store.user != shadow.user { wrong(.lost, "what the operator chose is another") }
    for (number, rollout) in history.rollouts.enumerated() {
      guard reference.verdicts.contains(where: { $0.document === rollout.document && $0.verdict == .applied }) else {
        continue
      }
      shadow.reached.insert(number)
      if rollout.document.badness != .none, facts.place(rollout.salt) >= Rule.shares[0] {
        wrong(.spread, "\(rollout.document.name), which is bad, is in effect")
      }
    }
  }

  /// All was well for long.
  func check(isLast: Bool) {
    guard isLast || lastCrash < now - Plan.bound else { return }
    outcome.checks += 1
    let before = now - Plan.bound
    for (channel, versions) in channels() {
      guard let least = versions.last(where: { $0.time <= before })?.version else { continue }
      let held = shadow.held[channel]?.version ?? 0
      if held < least { wrong(.stale, "version \(held) of \(channel), and \(least) has been there for long") }
    }
    let reference = reference
    // Who sleeps is late for what begins.
    let isTurning = reference.turned(within: 12 * 3600, before: clock)
    let isRefused = ledger.isRefused(reference)
    if !isTurning, reference.fits, !isRefused {
      if store.recommended != reference.recommended || store.enforced != reference.enforced {
        wrong(.lost, "what the console wants does not hold")
      }
    }
    if store.user != shadow.user { wrong(.lost, "what the operator chose is another") }
    // What became of a trial is told the next time that the device is awake and may report.
    guard isLast, !isTurning, !(plan.hasTrials && reference.turned(within: 24 * 3600, before: clock)) else { return }
    for (channel, versions) in channels() where shadow.held[channel] != nil {
      guard let kind = Channel(name: channel), book.version(of: kind) == versions.last?.version else {
        wrong(.undecided, "the console does not know of \(channel)")
        continue
      }
    }
    for (document, wanted) in reference.verdicts {
      let verdict = isRefused ? reference.whenRefused(document, wanted) : wanted
      guard book.verdict(document.hash) != verdict else { continue }
      wrong(
        .undecided,
        "\(document.name) is \(verdict.name), and told as \(book.verdict(document.hash)?.name ?? "nothing")")
    }
    if book.schema != store.schema { wrong(.undecided, "the console knows of another schema") }
    if !book.has(effective()) { wrong(.undecided, "the console does not know what is in effect") }
  }

  /// The channels that it has to hold, by their names, with what they said.
  private func channels() -> [(String, [PlainManifest])] {
    let groups = shadow.held[ownName]?.groups ?? []
    return [("fleet", history.channels[History.fleet]), (ownName, own.filter { $0.time <= now })]
      + groups.map { ("group." + Plan.groupName($0), history.channels[History.group($0)]) }
  }
}

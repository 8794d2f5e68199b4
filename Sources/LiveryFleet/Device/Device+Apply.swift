import LiveryClient

// What follows from what was pulled.

extension Device {
  /// Has a change made if something else is wanted than what holds.
  mutating func apply(_ moment: Moment, _ world: World, _ effects: inout [Effect]) {
    if let nextSchedule, kept.trust.scheduled(moment.clock) >= nextSchedule { needsLook = true }
    if moment.uptime >= nextLook || world.schema != lookedSchema { needsLook = true }
    // A clock that was set back: what it had ended may hold again.
    let present = kept.trust.scheduled(moment.clock)
    if present < lookedPresent { needsLook = true }
    // Once for each: a look may have to wait.
    if world.schema != noticedSchema {
      noticedSchema = world.schema
      mayHaveChanged = true
    }
    // Nothing holds before all of it was there once.
    guard needsLook, applying == nil, moment.uptime >= nextChange, kept.channel(.fleet) != nil,
      kept.channel(.device(id)) != nil, !channels.contains(where: { kept.isUnread($0) })
    else { return }
    needsLook = false
    lookedSchema = world.schema
    lookedPresent = present
    nextLook = moment.uptime + 3_600_000
    lookAtVerdicts(moment, world)
    do throws(FleetError) {
      var (documents, waiting, holding) = try holding(moment.clock, world)
      let (fingerprint, merged) = try wanted(documents, waiting, world)
      for (index, held) in documents.enumerated() where held.document.trial != nil {
        let isTried = kept.tried.contains { $0 == held.hash }
        holding[index].isUntried = !isTried && looked?.idle.contains { $0 == held.hash } ?? false
      }
      if isOnTrial { for index in holding.indices { holding[index].isOnTrial = kept.isOnTrial(holding[index].hash) } }
      isBehind = false
      guard !holds(fingerprint, world) else {
        if kept.refused != nil { forgetRefusal() }
        // The record of a change that is on trial goes back with it, and is not written before its end.
        if holding != kept.holding, !isOnTrial {
          // What was covered and is over replaces again when it is back.
          let desired = if let merged { merged } else { try merging(documents, waiting, world) }
          kept.owned = try desired.change(from: kept.owned).owned
          kept.holding = holding
          mark(Kept.ownedName)
        }
        return
      }
      let isRefused = fingerprint == kept.refused && kept.hasRefused(with: world.schema)
      if isRefused, kept.refusedTrial == nil { return }
      let desired = if let merged { merged } else { try merging(documents, waiting, world) }
      if isRefused, desired.trial?.text == kept.refusedTrial { return }
      try requireAssets(of: desired, documents, moment, world)
      let followsUpgrade = kept.applied != nil && world.schema != kept.appliedSchema
      var change = try desired.change(
        from: kept.owned, holding, canonical: followsUpgrade ? world.canonical : { $0 })
      change.followsUpgrade = followsUpgrade
      for index in holding.indices where desired.trial != nil {
        holding[index].isOnTrial = !kept.tried.contains { $0 == holding[index].hash }
      }
      let published = kept.channels.flatMap { $0.entries }
      change.origin = ChangeOrigin.of(holding, since: kept.holding) { (hash) in published.contains { $0.hash == hash } }
      begin(change, desired, holding, fingerprint, world.schema, &effects)
    } catch {
      isBehind = true
      // What was refused is something else.
      lookAtVerdicts(moment, world)
      if !isTold(error) { markReportDue() }
      problem = error
    }
  }

  /// Whether what comes to a fingerprint is what holds. With another schema the same is made anew: it may not fit any more. What is
  /// on trial then an upgrade takes back by itself.
  func holds(_ fingerprint: [UInt8], _ world: World) -> Bool {
    fingerprint == kept.applied && (world.schema == kept.appliedSchema || isOnTrial)
  }

  /// The fingerprint of what documents come to; with that itself, unless they are those of the last time.
  mutating func wanted(
    _ documents: [HeldDocument], _ waiting: [HeldDocument], _ world: World
  ) throws(FleetError) -> (fingerprint: [UInt8], Desired?) {
    if let looked, looked.schema == world.schema, looked.documents.elementsEqual(documents, by: { $0 == $1.hash }) {
      return (looked.fingerprint, nil)
    }
    let desired = try merging(documents, waiting, world)
    let fingerprint = try desired.fingerprint()
    looked = Looked(
      documents: documents.map { $0.hash }, schema: world.schema, fingerprint: fingerprint, idle: desired.idle)
    return (fingerprint, desired)
  }

  private func merging(
    _ documents: [HeldDocument], _ waiting: [HeldDocument], _ world: World
  ) throws(FleetError) -> Desired {
    try Desired.merging(documents, waiting: waiting, tried: kept.tried, canonical: world.canonical)
  }

  /// What is to be shown has to be here: while a document waits for its time a store may drop what nothing there refers to. It is
  /// asked for soon, then.
  ///
  /// - Throws: `.unavailable`: then nothing changes.
  private mutating func requireAssets(
    of desired: Desired, _ documents: [HeldDocument], _ moment: Moment, _ world: World
  ) throws(FleetError) {
    for held in documents {
      for asset in held.document.assets where !world.hasAsset(asset.hash) {
        let id = asset.hash.hexadecimal
        let shown = desired.entries.filter { $0.document == held.hash }
        guard shown.contains(where: { $0.setting.value?.shows(id) == true }) else { continue }
        let soon = moment.uptime + random.number(in: 0...max(0, configuration.hintSpread))
        if pulling == nil { nextPull = min(nextPull, max(notBefore, soon)) }
        throw FleetError(.unavailable, "an asset that is to be shown is not here")
      }
    }
  }

  /// The documents that hold now, the weakest first, those that are for another time, and what is known of each that holds.
  ///
  /// - Throws: `.unavailable` or `.unsupported` if one is not there: then nothing changes.
  mutating func holding(
    _ clock: Int64, _ world: World
  ) throws(FleetError) -> (documents: [HeldDocument], waiting: [HeldDocument], attributions: [Attribution]) {
    var documents: [HeldDocument] = []
    var waiting: [HeldDocument] = []
    var attributions: [Attribution] = []
    nextSchedule = nil
    if kept.trust.forgetPassed(clock) { mark(Kept.trustName) }
    let present = kept.trust.scheduled(clock)
    for state in kept.channels {
      for entry in state.entries {
        guard let known = kept.document(entry.hash) else {
          throw FleetError(.unavailable, "the document \(entry.name) is not here")
        }
        guard let held = known.held else {
          throw FleetError(.unsupported, "the document \(entry.name) is none that this software knows")
        }
        guard held.document.isFor(world.schema) else { continue }
        let (holds, next) = held.document.holds(at: present, world.offset)
        if let next { nextSchedule = min(nextSchedule ?? next, next) }
        for moment in [held.document.from, held.document.until].compactMap({ $0?.moment(world.offset) })
        where moment <= present && kept.trust.pass(moment, clock) { mark(Kept.trustName) }
        guard holds else {
          waiting.append(held)
          continue
        }
        documents.append(held)
        attributions.append(Attribution(entry, of: state.manifest.channel))
      }
    }
    return (documents, waiting, attributions)
  }

  private mutating func begin(
    _ change: Change, _ desired: Desired, _ holding: [Attribution], _ fingerprint: [UInt8], _ schema: Int64?,
    _ effects: inout [Effect]
  ) {
    let before = (owned: kept.owned, applied: kept.applied, holding: kept.holding, schema: kept.appliedSchema)
    kept.owned = change.owned
    kept.applied = fingerprint
    kept.appliedSchema = schema
    kept.holding = holding
    mark(Kept.ownedName)
    forgetRefusal()
    markReportDue()
    let records = takeUnsaved()
    isBehind = true
    applying = Applying(
      fingerprint: fingerprint, schema: schema, entries: desired.entries, documents: holding.map { $0.hash },
      records: records.map { $0.name }, owned: before.owned, applied: before.applied, holding: before.holding,
      appliedSchema: before.schema)
    effects.append(.apply(change, records))
  }

  private mutating func forgetRefusal() {
    kept.refused = nil
    kept.refusedSchema = nil
    kept.refusedTrial = nil
    kept.refusedHeld = []
    kept.violations = []
    mark(Kept.stateName)
  }

  mutating func applied(_ moment: Moment) {
    guard applying != nil else { return }
    applying = nil
    isBehind = false
    changeBackoff.succeed()
    saveBackoff.succeed()
    needsLook = true
    // That all is well can wait until others have the change as well; who asks for a report has it at once, as who has joined.
    guard !isReportWanted, kept.acknowledged != nil else { return }
    nextReport = max(nextReport, moment.uptime + random.number(in: 0...max(0, configuration.reportSpread)))
  }

  /// Nothing of it holds; the same is not tried again, unless with another schema.
  mutating func refused(_ violations: [Report.Violation], _ moment: Moment) {
    guard let refused = applying else { return }
    goBack(to: refused)
    isBehind = false
    kept.refused = refused.fingerprint
    kept.refusedSchema = refused.schema
    kept.refusedTrial = nil
    kept.refusedHeld = refusedHeld(of: refused, violations)
    kept.violations = violations.prefix(Limit.reported / 16).map {
      Report.Violation(name: $0.name.cut(Limit.settingName), message: $0.message.cut(1024))
    }
    changeBackoff.succeed()
    markReportDue()
  }

  /// Of what held before that which sets what does not fit, since something stronger is gone; or all, where nothing is new that it could be.
  private func refusedHeld(of change: Applying, _ violations: [Report.Violation]) -> [[UInt8]] {
    let tried = kept.tried
    let held = change.documents.filter { tried.contains($0) }
    let wrong = change.entries.filter { entry in violations.contains { $0.name.sameBytes(as: entry.setting.name) } }
    let culprits = held.filter { hash in wrong.contains { $0.document == hash } }
    return culprits.isEmpty && held.count == change.documents.count ? held : culprits
  }

  mutating func postponed(_ moment: Moment) {
    guard let postponed = applying else { return }
    goBack(to: postponed)
    needsLook = true
    nextChange = moment.uptime + changeBackoff.fail(&random, wanted: nil)
  }

  private mutating func goBack(to former: Applying) {
    kept.owned = former.owned
    kept.applied = former.applied
    kept.appliedSchema = former.appliedSchema
    kept.holding = former.holding
    // What is owned is there as it was: it is written with a change, and with nothing else. By then another may have gone back.
    for name in former.records where !name.sameBytes(as: Kept.ownedName) { mark(name) }
    mark(Kept.stateName)
    applying = nil
  }
}

extension Value {
  /// Whether it refers to an asset.
  fileprivate func shows(_ id: String) -> Bool {
    switch self {
    case .image(let text), .string(let text), .url(let text): text.utf8.suffix(id.utf8.count).elementsEqual(id.utf8)
    case .list(let items): items.contains { $0.shows(id) }
    case .object(let members): members.contains { $0.value.shows(id) }
    default: false
    }
  }
}

extension Document {
  /// Whether it is for a version of the schema.
  func isFor(_ version: Int64?) -> Bool {
    guard let schema else { return true }
    guard let version else { return false }
    return schema.contains(version)
  }
}

extension String {
  /// The beginning of it, of so many bytes at most; one character where there is none.
  package func cut(_ limit: Int) -> String {
    if utf8.isEmpty { return "?" }
    guard utf8.count > limit else { return self }
    var bytes = Array<UInt8>(utf8.prefix(limit))
    // Not within a character.
    guard let next = utf8.dropFirst(limit).first, next & 0xc0 == 0x80 else {
      return String(decoding: bytes, as: UTF8.self)
    }
    while let last = bytes.last, last & 0xc0 == 0x80 { bytes.removeLast() }
    if let last = bytes.last, last >= 0xc0 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

import LiveryClient
import LiveryFleet

// What drives the machine: it does what that asks for, and may be cut off between any two of it.

extension SimulatedDevice {
  func boot() {
    var records = store.records
    // What it knew and could not keep is gone.
    shadow.hold(owned: store.record("owned"))
    switch fault {
    case .floors: records = records.map { $0.name == "trust" ? $0.without("floors") : $0 }
    case .owned: records.removeAll { $0.name == "owned" }
    default: break
    }
    starts += 1
    isAsleep = false
    outcome.starts += 1
    booted = now
    let seed = plan.seed &+ UInt64(number) &* 1_000_003 &+ starts
    if records.contains(where: { $0.name == "trust" }) {
      do throws(FleetError) {
        machine = try Device(configuration, records: records, seed: seed)
      } catch {
        return wrong(.lost, "it does not start: \(error)")
      }
    } else {
      machine = Device(configuration, fingerprint: plan.publishers[0].fingerprint, seed: seed)
    }
    say("starts")
    if plan.hasTrials { lookAtTrial(isFirst: true) }
    handle(.boot)
  }

  /// The process is gone, with all that was not stored.
  func crash(isPower: Bool? = nil) {
    say("is cut off")
    if plan.hasTrials {
      if isPower ?? trialDice.chance(0.5) { system += 1 }
      if store.onTrial != nil { outcome.cuts += 1 }
      trial = nil
      pulls = PullWatch()
    }
    lastCrash = now
    machine = nil
    wanted = []
    schedule.clear()
    schedule.add(.boot, at: now + dice.number(in: .second...5 * .minute))
  }

  func handle(_ event: Device.Event) {
    guard machine != nil, !isAsleep else { return }
    guard let effects = machine?.handle(event, at: moment, world) else { return }
    if plan.hasTrials, let machine { pulls.look(machine, at: now) }
    for effect in effects {
      if phase == .stormy, dice.chance(0.02) { return crash() }
      perform(effect)
    }
    if trial != nil { passIfReached() }
  }

  var moment: Device.Moment { Device.Moment(uptime: now - booted, clock: clock) }

  var world: Device.World {
    let zone = facts.zone
    let assets = store.assets
    return Device.World(hasAsset: { assets.contains($0) }, offset: { zone.offset($0) }, schema: store.schema)
  }

  private func perform(_ effect: Device.Effect) {
    switch effect {
    case .request(let request): ask(request)
    case .report(let payload, let records): if save(records) { send(payload) }
    case .apply(let change, let records): apply(change, records)
    case .save(let records): _ = save(records)
    case .store(let hash, let bytes):
      let isStored = phase != .full
      if isStored {
        if Crypto.hash(bytes) != hash { wrong(.unsigned, "an asset is not the one that was published") }
        store.add(asset: hash)
      }
      schedule.add(.event(.stored(isStored)), at: now + 5)
    case .collect: schedule.add(.event(.collected(effective(), health: health)), at: now + 5)
    case .subscribe(let channels):
      wanted = channels
      connect()
    case .wake(let uptime): schedule.wake = wake(at: booted + uptime)
    }
  }

  /// Devices without mains are woken when they sleep anyway: what is further ahead than a few minutes waits for that.
  private func wake(at time: Time) -> Time {
    if fault == .asleep, phase == .offline, now - lastConnected > 3 * .day { isAsleep = true }
    guard !hasMains, time - now > 10 * .minute else { return time }
    return max(time, (time - sleepPhase + Self.sleep - 1) / Self.sleep * Self.sleep + sleepPhase)
  }

  private func apply(_ change: Change, _ records: [Device.Record]) {
    guard phase != .full else { return schedule.add(.event(.postponed), at: now + 5) }
    if let trial { return takeBack(trial) }
    if let wanted = change.trial { return begin(wanted, change, records) }
    if fault == .torn {
      store.keep(records)
      if dice.chance(0.02) { return crash() }
    }
    let violations = store.commit(change.edits, fault == .torn ? [] : records, isHalf: fault == .half)
    guard violations.isEmpty else {
      outcome.refusals += 1
      say("refuses: \(violations.map { $0.message })")
      return schedule.add(.event(.refused(violations)), at: now + 5)
    }
    outcome.commits += 1
    say("commits \(change.edits.count) edits")
    look(atRecords: records)
    committed(nil)
    schedule.add(.event(.applied), at: now + 5)
  }

  /// False if a full disk did not take them.
  private func save(_ records: [Device.Record]) -> Bool {
    // It goes on from that, also where it cannot be kept.
    if let owned = records.first(where: { $0.name == "owned" })?.value { shadow.hold(owned: owned) }
    if phase == .full, !records.isEmpty {
      if fault == .dropped { return true }
      schedule.add(.event(.notSaved(records)), at: now + 5)
      return false
    }
    store.keep(records)
    look(atRecords: records)
    return true
  }

  private func ask(_ request: Device.Request) {
    outcome.pulls += 1
    let delay = dice.number(in: 20...2000)
    guard !isLossy else { return schedule.add(.event(.failure(retryAfter: nil)), at: now + 30 * .second) }
    let origin = origin(history)
    var answer: Device.Answer? = origin.answer(request.path, tag: request.entityTag, at: now)
    if phase == .hostile, dice.chance(0.35) {
      outcome.hostile += 1
      answer = cache.answer(request, origin, at: now, knows: knownRotations, &dice)
    }
    say("asks for \(request.path): \(answer.map { "\($0.status) \($0.entityTag ?? "")" } ?? "nothing")")
    schedule.add(.event(answer.map { .answer($0) } ?? .failure(retryAfter: nil)), at: now + delay)
  }

  private func send(_ payload: [UInt8]) {
    let isLost = isLossy
    say("reports, which \(isLost ? "gets lost" : "arrives")")
    if isLost {
      schedule.add(
        .event(fault == .reports ? .reported(full: false) : .reportFailed(retryAfter: nil)), at: now + 20 * .second)
    } else {
      schedule.add(.report(payload), at: now + dice.number(in: 20...2000))
      // Somebody sends it once more.
      if phase == .hostile, dice.chance(0.3) { schedule.add(.copy(payload), at: now + .minute) }
    }
  }

  /// What is in effect.
  func effective() -> [Report.Effective] {
    (0..<Settings.count).compactMap { (index) in
      store.effective(index).map { Report.Effective(Settings.names[index], $0.layer, .int($0.value)) }
    }
  }

  var health: String? {
    store.effective(Settings.mode)?.value == Settings.unwellMode ? "unwell" : nil
  }
}

extension Device.Record {
  fileprivate func without(_ member: String) -> Device.Record {
    guard let value, case .object(let members) = value else { return self }
    return Device.Record(name, .object(members.filter { $0.key != member }))
  }
}

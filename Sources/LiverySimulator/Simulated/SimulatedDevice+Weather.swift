import LiveryFleet

// What befalls a device from outside.

extension SimulatedDevice {
  func befall(_ event: Weather.Event) {
    switch event {
    case .phase(let next):
      say("is \(next)")
      let wasOnline = isOnline
      phase = next
      if next == .offline { lastConnected = now }
      if isOnline, !wasOnline { connect() }
    case .clock(let ahead):
      say("has a clock that is \(ahead) seconds ahead")
      skew = ahead
      // Some systems tell, others do not.
      if dice.chance(0.5) { handle(.tick) }
    case .operate(let index, let value):
      // Also while nobody listens.
      guard phase != .full else { return }
      guard store.operate(index, value) else { return }
      outcome.operated += 1
      shadow.operate(index, value)
      ledger.operate(index, value)
      say("has \(Settings.names[index]) set to \(value.map { "\($0)" } ?? "nothing")")
      handle(.changed)
    case .reboot: if machine != nil { crash() }
    case .upgrade: upgrade()
    case .check(let isLast): check(isLast: isLast)
    case .published:
      if let version = own.last(where: { $0.time <= now })?.version { hint(.device(facts.id), version) }
    }
  }

  private func upgrade() {
    guard store.schema == 1 else { return }
    say("has schema 2")
    // What is not confirmed is not carried over.
    store.goBack(by: nil)
    ledger.goBack(&shadow, isRefused: true)
    store.schema = 2
    handle(.tick)
    if trial != nil { lookAtTrial() }
  }

  /// The broker hears of a publication.
  func tell(of publication: History.Publication) {
    guard publication.time <= now else { return }
    hint(Console.channel(publication.channel), publication.version)
  }

  private func hint(_ channel: Channel, _ version: Int64) {
    guard machine != nil, isOnline, wanted.contains(channel), !isLossy else { return }
    let spread: Time = phase == .calm ? 500 : 20_000
    schedule.add(.event(.hint(channel, version: version)), at: now + dice.number(in: 0...spread))
    guard phase == .hostile else { return }
    if dice.chance(0.5) {
      schedule.add(.event(.hint(channel, version: version)), at: now + dice.number(in: 0...Time.hour))
    }
    for _ in 0..<dice.below(6) {
      let invented = dice.chance(0.5) ? dice.number(in: -5...20) : Int64.max
      schedule.add(.event(.hint(channel, version: invented)), at: now + dice.number(in: 0...Time.hour))
    }
  }

  /// The connection to the broker is there (again): it tells what it retains.
  func connect() {
    guard isOnline, machine != nil else { return }
    lastConnected = now
    let origin = origin(history)
    for channel in wanted {
      let place: Origin.Place =
        switch channel {
        case .fleet: .shared(History.fleet)
        case .device: .own
        case .group: origin.place("/v1/channels/\(channel.name)/manifest")
        }
      if let version = origin.manifest(place, at: now)?.version { hint(channel, version) }
    }
  }
}

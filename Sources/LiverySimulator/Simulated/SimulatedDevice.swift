import LiveryFleet

/// A device with its store, its driver and what befalls it.
final class SimulatedDevice {
  let number: Int
  let plan: Plan
  let fault: Options.Fault?
  let configuration: Device.Configuration
  var facts: Facts
  let own: [PlainManifest]
  let origin: (History) -> Origin
  let cache: HostileCache
  let hasMains: Bool
  /// When it looks at the clock if it sleeps otherwise.
  let sleepPhase: Time
  var dice: Dice
  var weather: Weather
  var nextWeather = 0
  var phase = Weather.Phase.fair
  var skew: Int64 = 0
  var lastConnected: Time = 0
  var lastCrash: Time = 0
  /// Where trials are simulated: what is drawn of them alone; how often the system has started; what is on trial.
  var trialDice: Dice
  var system = 0
  var trial: DriverTrial?
  var ledger = TrialLedger()
  var pulls = PullWatch()
  /// A fault: it is never woken again.
  var isAsleep = false

  var machine: Device?
  var booted: Time = 0
  var starts: UInt64 = 0
  var schedule = Schedule()
  var store: SimulatedStore
  var wanted: [Channel] = []
  /// How much of what was published the broker has told of.
  var nextHint = 0

  var book = ReportBook()
  var shadow = Shadow()
  var outcome = Outcome()
  var now: Time
  var tells: Bool
  /// Of what was drawn once the history was there.
  var history = History()

  /// What may fail of a beginning.
  private struct Beginning {
    var dice: Dice
    let configuration: Device.Configuration
    let facts: Facts
    let now: Time
    let own: [PlainManifest]

    init(_ number: Int, _ plan: Plan) throws(FleetError) {
      var dice = Dice(plan.seed, 2, UInt64(number))
      var configuration = Device.Configuration(fleet: Plan.fleetName, device: dice.bytes(32), scope: "app")
      configuration.reportInterval = 6 * .hour
      let id = configuration.id
      facts = Facts(id: id, zone: Zone.all[dice.below(Zone.all.count)])
      now = dice.number(in: 0...Time.day)
      own = try SimulatedDevice.channel(id, UInt64(number), enrolled: now, plan, &dice)
      self.dice = dice
      self.configuration = configuration
    }
  }

  convenience init(
    _ number: Int, _ plan: Plan, _ cache: HostileCache, _ options: Options, tells: Bool
  ) throws(FleetError) {
    let beginning = try Beginning(number, plan)
    self.init(beginning, number, plan, cache, options, tells: tells)
  }

  private init(
    _ beginning: Beginning, _ number: Int, _ plan: Plan, _ cache: HostileCache, _ options: Options, tells: Bool
  ) {
    self.number = number
    self.cache = cache
    self.plan = plan
    self.tells = tells
    fault = options.fault
    dice = beginning.dice
    trialDice = Dice(plan.seed, 4, UInt64(number))
    configuration = beginning.configuration
    facts = beginning.facts
    now = beginning.now
    let own = beginning.own
    self.own = own
    let id = configuration.id
    hasMains = dice.chance(0.05)
    sleepPhase = dice.number(in: 0...Self.sleep)
    weather = Weather(enrolled: now, plan, own: own, &dice)
    store = SimulatedStore(schema: dice.chance(0.5) ? 1 : 2)
    var blobs: [String: [UInt8]] = [:]
    for document in own.flatMap({ $0.entries }).map({ $0.document }) {
      blobs["/v1/blobs/" + document.hash.hexadecimal] = document.bytes
      if let asset = document.asset { blobs["/v1/blobs/" + Crypto.hash(asset).hexadecimal] = asset }
    }
    let made = blobs
    origin = { Origin(history: $0, own: own, ownPath: "/v1/channels/device.\(id)/manifest", blobs: made) }
    schedule.add(.boot, at: now)
    outcome.devices = 1
  }

  /// How long a device without mains sleeps while nobody talks to it.
  static let sleep = 8 * Time.hour

  /// What its own channel says, and when.
  private static func channel(
    _ id: String, _ device: UInt64, enrolled: Time, _ plan: Plan, _ dice: inout Dice
  ) throws(FleetError) -> [PlainManifest] {
    var times = [Time(0)] + plan.rotations
    for _ in 0..<dice.below(3) { times.append(dice.number(in: enrolled...plan.end - Plan.calm)) }
    times.sort()
    var made: [PlainManifest] = []
    var last: Publisher.Channel?
    var groups: [Int] = []
    var entries: [PlainManifest.Entry] = []
    for time in times {
      if made.isEmpty || dice.chance(0.3) {
        groups = (0..<Plan.groups).filter { _ in dice.chance(0.3) }
        if dice.chance(0.5) { groups.reverse() }
      }
      if dice.chance(0.4) {
        let name = "own-" + made.count.description
        // Its values tell of it: no other document has such ones.
        let number = 1000 + Int64(made.count)
        let trial = plan.trial(UInt64(made.count), of: device)
        entries = [
          .init(document: try .chance(name, number, .none, dice.chance(0.3) ? max(0, time) : nil, trial, &dice))
        ]
      }
      var publisher = plan.devicePublisher(at: time)
      if let last { publisher.resume(last) }
      made.append(try PlainManifest(.device(id), groups: groups, entries, at: time, by: &publisher))
      last = publisher.channels.first
    }
    return made
  }
}

extension SimulatedDevice {
  /// Lives until a time, with what the console has published so far.
  func live(until end: Time, _ history: History) {
    self.history = history
    for rollout in history.rollouts { facts.add(rollout.salt) }
    while let next = nextTime(), next < end {
      now = max(now, next)
      outcome.events += 1
      if plan.hasTrials { lookAtStore() }
      if nextWeather < weather.events.count, weather.events[nextWeather].time <= next {
        let event = weather.events[nextWeather].event
        nextWeather += 1
        befall(event)
      } else if nextHint < history.publications.count, history.publications[nextHint].time <= next {
        let publication = history.publications[nextHint]
        nextHint += 1
        tell(of: publication)
      } else if let item = schedule.take() {
        happen(item)
      } else {
        handle(.tick)
      }
    }
    self.history = History()
  }

  private func nextTime() -> Time? {
    var least = schedule.next
    if nextWeather < weather.events.count { least = min(least ?? .max, weather.events[nextWeather].time) }
    if nextHint < history.publications.count { least = min(least ?? .max, history.publications[nextHint].time) }
    return least
  }

  func happen(_ item: Schedule.Item) {
    switch item {
    case .event(let event): handle(event)
    case .boot: boot()
    case .asked(let revision): answerCheck(revision)
    case .over: lookAtTrial()
    case .cut(let isPower): crash(isPower: isPower)
    case .befall(let event): befall(event)
    case .copy(let payload):
      outcome.reports += 1
      _ = book.take(payload)
      // The device hears nothing of it.
      schedule.add(.event(.tick), at: isLossy ? now + 20 * .second : now + 100)
    case .report(let payload):
      outcome.reports += 1
      let full = book.take(payload)
      // The answer may get lost.
      if isLossy {
        schedule.add(.event(.reportFailed(retryAfter: nil)), at: now + 20 * .second)
      } else {
        schedule.add(.event(.reported(full: full ?? false)), at: now + 100)
      }
    }
  }

  var isOnline: Bool { phase != .offline }

  /// Whether something on its way gets lost now.
  var isLossy: Bool {
    switch phase {
    case .calm: false
    case .offline: true
    case .stormy: dice.chance(0.4)
    case .hostile: dice.chance(0.1)
    case .fair, .full, .skewed: dice.chance(0.02)
    }
  }

  var clock: Int64 { min(max(0, now.clock + skew), 253_402_300_799) }

  func say(_ what: @autoclosure () -> String) {
    if tells { print("\(number) \(Self.text(now)) \(what())") }
  }

  static func text(_ time: Time) -> String {
    let seconds = time / .second
    return "day \(seconds / 86_400) \(seconds / 3600 % 24):\(seconds / 60 % 60):\(seconds % 60)"
  }

  func wrong(_ wrong: Outcome.Wrong, _ what: String) {
    say("\(wrong.rawValue): \(what)")
    outcome.add(wrong, number, now, what)
  }
}

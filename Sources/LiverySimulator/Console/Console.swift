import LiveryFleet

/// The console: what it publishes, step by step, and what it makes of reports.
struct Console {
  private let plan: Plan
  private let isBlind: Bool
  private var dice: Dice
  private var publisher: Publisher
  private var number: Int64 = 0
  private var slots: [[PlainManifest.Entry]] = Array(repeating: [], count: Plan.groups + 1)
  /// The rollout that goes on, and since when it has its share.
  private(set) var rollout: (number: Int, place: Int, since: Time)?
  private var lastRefresh: Time = 0
  private(set) var history = History()

  init(_ plan: Plan, isBlind: Bool) throws(FleetError) {
    self.plan = plan
    self.isBlind = isBlind
    dice = Dice(plan.seed, 1)
    publisher = plan.publishers[0]
    history.keys = [(0, plan.keyFiles[0])]
    for channel in 0..<Plan.groups {
      for _ in 0..<2 { slots[channel].append(PlainManifest.Entry(document: try made(at: 0, channel))) }
    }
    for channel in 1..<Plan.groups { try publish(channel, at: 0) }
    try publish(History.fleet, at: 0)
  }

  /// The share of the rollout that goes on.
  var share: Int64 {
    guard let rollout else { return 0 }
    return slots[History.fleet][rollout.place].share ?? 10_000
  }

  /// What it does at a time, before devices go on.
  ///
  /// - Parameters:
  ///   - tally: what reports say of the rollout that goes on.
  ///   - devices: those that it goes by, by the versions of their schemas.
  mutating func act(at time: Time, _ tally: Tally, among devices: () -> [Int64: [String]]) throws(FleetError) {
    if let index = plan.rotations.firstIndex(of: time) { try rotate(index, at: time) }
    if time - lastRefresh >= 5 * .day { try refresh(at: time) }
    // The last changes are to arrive.
    guard time < plan.end - Plan.calm else { return }
    var changed: Set<Int> = []
    if time == plan.blunder {
      let document = try PlainDocument(
        "blunder",
        [.init(index: 1, verb: .recommend, value: 1), .init(index: Settings.volume, verb: .enforce, value: 700)],
        badness: .refusedByNewSchema)
      history.add(blobsOf: document)
      slots[Plan.blundering].append(PlainManifest.Entry(document: document))
      changed.insert(Plan.blundering)
    }
    try look(at: time, tally, &changed)
    if dice.chance(0.12) {
      let place = dice.below(2)
      slots[History.fleet][place] = PlainManifest.Entry(
        document: try made(at: time, History.fleet), isForeign: dice.chance(0.1))
      changed.insert(History.fleet)
    }
    if dice.chance(0.25) {
      let channel = 1 + dice.below(Plan.unpublished)
      slots[channel][dice.below(2)] = PlainManifest.Entry(document: try made(at: time, channel))
      changed.insert(channel)
    }
    if rollout == nil, dice.chance(0.15), time < plan.end - 5 * .day {
      try begin(at: time, among: devices())
      changed.insert(History.fleet)
    }
    for channel in changed.sorted(by: >) { try publish(channel, at: time) }
  }

  private mutating func look(at time: Time, _ tally: Tally, _ changed: inout Set<Int>) throws(FleetError) {
    guard let (number, place, since) = rollout else { return }
    let share = share
    var decision = Rule.decide(tally, since: time - since)
    if isBlind, time - since >= Rule.pause { decision = .raise }
    history.decisions.append(
      History.Decision(time: time, rollout: number, share: share, since: since, taken: decision))
    switch decision {
    case .wait: return
    case .stop:
      slots[History.fleet].remove(at: place)
      rollout = nil
    case .raise:
      let next = Rule.shares.first { $0 > share }
      slots[History.fleet][place].share = next
      history.rollouts[number].reached = next ?? 10_000
      rollout = next == nil ? nil : (number, place, time)
      if next == nil {
        // It is a document as others are.
        slots[History.fleet].swapAt(dice.below(2), place)
        slots[History.fleet].removeLast()
      }
    }
    changed.insert(History.fleet)
  }

  private mutating func begin(at time: Time, among devices: [Int64: [String]]) throws(FleetError) {
    let badness: PlainDocument.Badness = [.none, .none, .refused, .refusedByNewSchema, .unwell][dice.below(5)]
    let document = try made(at: time, History.fleet, badness, isRollout: true)
    let salt = Rule.salt(dice.bytes(8), among: devices)
    rollout = (history.rollouts.count, slots[History.fleet].count, time)
    history.rollouts.append(History.Rollout(document: document, salt: salt, reached: Rule.shares[0]))
    slots[History.fleet].append(PlainManifest.Entry(document: document, share: Rule.shares[0], salt: salt))
  }

  /// A document by chance, which nothing is wrong with unless it is said.
  private mutating func made(
    at time: Time, _ channel: Int, _ badness: PlainDocument.Badness = .none, isRollout: Bool = false
  ) throws(FleetError) -> PlainDocument {
    number += 1
    let isScheduled = !isRollout && dice.chance(0.3)
    let name = "d" + number.description
    let trial = plan.trial(UInt64(number), isRollout: isRollout)
    let made = try PlainDocument.chance(name, number, badness, isScheduled ? time : nil, trial, &dice)
    history.add(blobsOf: made)
    return made
  }

  private mutating func publish(_ channel: Int, at time: Time) throws(FleetError) {
    let interval = channel == History.fleet ? Plan.interval : nil
    add(
      try PlainManifest(Self.channel(channel), slots[channel], interval: interval, at: time, by: &publisher), channel,
      at: time)
  }

  private mutating func add(_ manifest: PlainManifest, _ channel: Int, at time: Time) {
    // Within a step the later one of a channel takes the place of the former: devices see neither between them.
    history.channels[channel].append(manifest)
    history.publications.append(History.Publication(time: time, channel: channel, version: manifest.version))
  }

  private mutating func refresh(at time: Time) throws(FleetError) {
    lastRefresh = time
    for channel in (0..<Plan.groups).reversed() { try publish(channel, at: time) }
  }

  /// Other keys: what was signed before does not count any more.
  private mutating func rotate(_ index: Int, at time: Time) throws(FleetError) {
    var next = plan.publishers[index + 1]
    for channel in publisher.channels { next.resume(channel) }
    publisher = next
    history.keys.append((time, plan.keyFiles[index + 1]))
    try refresh(at: time)
  }

  static func channel(_ channel: Int) -> Channel {
    channel == History.fleet ? .fleet : .group(Plan.groupName(channel - 1))
  }
}

/// What reports say of a rollout.
struct Tally: Sendable, Equatable {
  /// Devices that are meant.
  var expected = 0
  /// Those whose reports say what became of the document.
  var told = 0
  /// Those of them where it did no good.
  var failed = 0
  /// The versions of the schemas of those that are meant, and of those that have told: a bit each.
  var schemas = 0
  var schemasTold = 0

  static func += (left: inout Tally, right: Tally) {
    left.expected += right.expected
    left.told += right.told
    left.failed += right.failed
    left.schemas |= right.schemas
    left.schemasTold |= right.schemasTold
  }
}

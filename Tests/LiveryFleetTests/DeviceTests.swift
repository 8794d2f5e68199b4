import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct DeviceTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000
  private let hour: Int64 = 3_600_000

  /// A fleet and a device in it, which nobody has told anything yet.
  private func fleet() throws -> (Origin, SimulatedDevice) {
    try fleetOfOne(at: start)
  }

  private func own(_ device: SimulatedDevice) -> Channel { .device(device.device.id) }

  private func document(_ settings: Document.Setting..., from: ScheduledTime? = nil, until: ScheduledTime? = nil)
    -> (Manifest.Entry, Document)
  {
    (Manifest.Entry("first"), Document(from: from, until: until, settings: settings))
  }

  private func now(_ device: SimulatedDevice) -> Int64 { device.now / 1000 }

  @Test func whatIsPublishedHoldsAfterOnePull() throws {
    let (origin, device) = try fleet()
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(70)))], now: noon)
    try origin.publish(.group("lobby"), [document(.init("title", .enforce, .string("Lobby")))], now: noon)
    try origin.publish(own(device), [], groups: ["lobby"], now: noon)
    device.run(until: start + minute)
    #expect(device.value("volume") == .int(70))
    #expect(device.value("title") == .string("Lobby"))
    #expect(device.commits == 1)
    #expect(device.device.problem == nil)
    // What has not changed costs an answer of 304 for each channel, and no commit.
    let before = device.requests.count
    device.run(until: start + 20 * minute)
    #expect(device.requests.count - before == 3)
    #expect(device.requests.suffix(3).allSatisfy { $0.entityTag != nil })
    #expect(device.commits == 1)
    // And the console knows of it.
    let id = device.device.id
    #expect(origin.values[id]?["volume"]?.layer == .recommended)
    #expect(origin.last[id]?.documents.allSatisfy { $0.verdict == .applied } == true)
    #expect(origin.last[id]?.channels.count == 3)
  }

  @Test func theSameDocumentsInAnotherOrderComeToSomethingElse() throws {
    let (origin, device) = try fleet()
    let low = (Manifest.Entry("low"), Document(settings: [.init("volume", .recommend, .int(10))]))
    let high = (Manifest.Entry("high"), Document(settings: [.init("volume", .recommend, .int(90))]))
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [low, high], interval: 60, now: noon)
    device.run(until: start + minute)
    #expect(device.value("volume") == .int(90))
    try origin.publish(.fleet, [high, low], interval: 60, now: noon + 60)
    device.run(until: start + 4 * minute)
    #expect(device.value("volume") == .int(10) && device.commits == 2)
    try origin.publish(.fleet, [low, high], interval: 60, now: noon + 240)
    device.run(until: start + 8 * minute)
    #expect(device.value("volume") == .int(90) && device.commits == 3)
  }

  @Test func whatIsOwnedIsKeptWithAChangeAlone() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(70)))], interval: 60, now: noon)
    device.run(until: start + minute)
    #expect(device.records["owned"] != nil)
    // What was on trial has gone back, and what is to take its place has to wait: nothing is owned until that is there.
    device.isBusy = true
    device.goBack(nil)
    try origin.publish(.fleet, [document(.init("title", .enforce, .string("Lobby")))], interval: 60, now: noon + 60)
    device.run(until: start + 10 * minute)
    #expect(device.value("title") == nil && device.records["owned"] == nil)
    device.isBusy = false
    device.run(until: start + 20 * minute)
    #expect(device.value("title") == .string("Lobby") && device.records["owned"] != nil)
  }

  @Test func nothingHoldsBeforeTheDeviceHasAChannelOfItsOwn() throws {
    let (origin, device) = try fleet()
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(70)))], now: noon)
    device.run(until: start + minute)
    #expect(device.value("volume") == nil)
    #expect(device.device.problem?.reason == .unavailable)
    try origin.publish(own(device), [], now: noon)
    device.run(until: start + 10 * minute)
    #expect(device.value("volume") == .int(70))
  }

  @Test func eachVerbComesToItsOutcomeAtTheDevice() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    device.set("a", .int(1))
    device.set("b", .int(1))
    device.set("c", .int(1))
    let settings: [Document.Setting] = [
      .init("a", .recommend, .int(2)), .init("b", .replace, .int(2), serial: 1), .init("c", .enforce, .int(2)),
    ]
    try origin.publish(.fleet, [(Manifest.Entry("first"), Document(settings: settings))], interval: 60, now: noon)
    device.run(until: start + minute)
    #expect(device.value("a") == .int(1))
    #expect(device.value("b") == .int(2))
    #expect(device.value("c") == .int(2))
    // The operator may change what was replaced, for good.
    device.set("b", .int(3))
    device.set("c", .int(3))
    try origin.publish(
      .fleet, [(Manifest.Entry("other"), Document(settings: settings + [.init("d", .recommend, .int(4))]))],
      interval: 60, now: now(device))
    device.run(until: start + 5 * minute)
    #expect(device.value("d") == .int(4))
    #expect(device.value("b") == .int(3))
    #expect(device.value("c") == .int(2))
    // Until it is published once more.
    try origin.publish(
      .fleet, [document(.init("b", .replace, .int(2), serial: 2), .init("c", .release))], interval: 60, now: now(device)
    )
    device.run(until: start + 10 * minute)
    #expect(device.value("b") == .int(2))
    #expect(device.value("c") == .int(1))
    #expect(device.value("d") == nil)
  }

  @Test func aReplacementThatEndsBeneathSomethingStrongerIsMadeAnewWhenItIsBack() throws {
    let (origin, device) = try fleet()
    let weak = [document(.init("b", .replace, .int(2), serial: 1))]
    let strong = [(Manifest.Entry("strong"), Document(settings: [.init("b", .recommend, .int(9))]))]
    func step(_ fleet: [(Manifest.Entry, Document)], _ mine: [(Manifest.Entry, Document)]) throws {
      try origin.publish(.fleet, fleet, interval: 60, now: now(device))
      try origin.publish(own(device), mine, now: now(device))
      device.run(until: device.now + 5 * minute)
    }
    try step(weak, [])
    try step(weak, strong)
    device.set("b", .int(3))
    // What is covered is not over: the operator's own stays.
    try step(weak, [])
    #expect(device.value("b") == .int(3))
    try step(weak, strong)
    let commits = device.commits
    try step([], strong)
    #expect(device.commits == commits && device.value("b") == .int(3))
    try device.restart()
    try step(weak, strong)
    try step(weak, [])
    #expect(device.value("b") == .int(2))
  }

  @Test func oneValueThatDoesNotFitRefusesTheWhole() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    device.violation = { name, value in name == "volume" && value == .int(130) ? "130 is above 100" : nil }
    try origin.publish(
      .fleet, [document(.init("other", .recommend, .int(1)), .init("volume", .enforce, .int(130)))], interval: 60,
      now: noon)
    device.run(until: start + 10 * minute)
    #expect(device.value("other") == nil)
    #expect(device.value("volume") == nil)
    // Not again and again.
    #expect(device.refusals == 1)
    let report = try #require(origin.last[device.device.id])
    #expect(report.violations == [.init(name: "volume", message: "130 is above 100")])
    #expect(report.documents.map { $0.verdict } == [.refused])
    // With another schema it is tried again.
    device.schema = 2
    device.run(until: start + 20 * minute)
    #expect(device.refusals == 2)
    try origin.publish(.fleet, [document(.init("other", .recommend, .int(1)))], interval: 60, now: now(device))
    device.run(until: start + 30 * minute)
    #expect(device.value("other") == .int(1))
    #expect(origin.last[device.device.id]?.violations.isEmpty == true)
  }

  @Test func documentsHoldInTheirTimeWithoutANetwork() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    let evening = document(
      .init("theme", .enforce, .string("dark")), from: .moment(noon + 7200), until: .moment(noon + 10_800))
    try origin.publish(
      .fleet, [document(.init("theme", .enforce, .string("light"))), (Manifest.Entry("evening"), evening.1)], now: noon)
    device.run(until: start + minute)
    #expect(device.value("theme") == .string("light"))
    device.network = { _ in .lost }
    try device.restart()
    device.run(until: start + 2 * hour - 1000)
    #expect(device.value("theme") == .string("light"))
    device.run(until: start + 2 * hour + 1000)
    #expect(device.value("theme") == .string("dark"))
    device.run(until: start + 3 * hour + 1000)
    #expect(device.value("theme") == .string("light"))
  }

  @Test func documentsBeginAndEndOnTheSecond() throws {
    // Whatever part of a second is over when the device looks.
    let (origin, device) = try fleetOfOne(at: start + 700)
    try origin.publish(own(device), [], now: noon)
    let (from, until) = (noon + 90, noon + 95)
    try origin.publish(
      .fleet, [document(.init("volume", .enforce, .int(5)), from: .moment(from), until: .moment(until))], now: noon)
    device.run(until: from * 1000 - 1)
    #expect(device.value("volume") == nil)
    device.run(until: from * 1000 + 20)
    #expect(device.value("volume") == .int(5))
    device.run(until: until * 1000 + 20)
    #expect(device.value("volume") == nil)
  }

  @Test func aClockThatIsSetBackBringsBackWhatItHadEnded() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(
      .fleet, [document(.init("theme", .enforce, .string("dark")), until: .moment(noon + 3600))], now: noon)
    device.skew = 7200
    device.run(until: start + minute)
    #expect(device.value("theme") == nil)
    device.skew = 0
    device.tell(.tick)
    device.run(until: device.now + 1000)
    #expect(device.value("theme") == .string("dark"))
    // What had passed by it has not, for a clock that is behind what was signed either.
    device.network = { _ in .lost }
    device.skew = -now(device)
    try device.restart()
    device.run(until: device.now + hour)
    #expect(device.value("theme") == .string("dark"))
  }

  @Test func whatIsForAnotherTimeTakesNoRoomFromWhatHolds() throws {
    let many = (0..<Limit.settings).map { Document.Setting("a\($0)", .recommend, .int(1)) }
    func held(_ settings: [Document.Setting]) throws -> HeldDocument {
      let bytes = try Document(settings: settings).encoded()
      return try HeldDocument(bytes, hash: Crypto.hash(bytes))
    }
    let document = try held(many)
    let waiting = try [held(many.map { .init("b" + $0.name, .recommend, .int(2)) }), held(many)]
    #expect(try Desired.merging([document], waiting: waiting).entries.count == Limit.settings)
  }

  @Test func aClockWithoutABatteryBeginsAndEndsNothingAnew() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    let over = document(.init("volume", .enforce, .int(5)), until: .moment(noon + 3600))
    let begun = document(.init("theme", .enforce, .string("dark")), from: .moment(noon + 5400))
    try origin.publish(.fleet, [over, (Manifest.Entry("begun"), begun.1)], now: noon)
    device.run(until: start + minute)
    #expect(device.value("volume") == .int(5) && device.value("theme") == nil)
    device.network = { _ in .lost }
    device.run(until: start + 2 * hour)
    #expect(device.value("volume") == nil && device.value("theme") == .string("dark"))
    let commits = device.commits
    device.skew = -now(device)
    try device.restart()
    device.run(until: start + 4 * hour)
    #expect(device.value("volume") == nil && device.value("theme") == .string("dark") && device.commits == commits)
    device.skew = 0
    device.tell(.tick)
    device.run(until: start + 5 * hour)
    #expect(device.value("volume") == nil && device.value("theme") == .string("dark") && device.commits == commits)
  }

  @Test func whatBeginsOnceMoreByAClockThatWasSetReplacesNothingAgain() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(
      .fleet, [document(.init("volume", .replace, .int(5), serial: 1), from: .moment(noon + 3600))], now: noon)
    device.skew = 7200
    device.run(until: start + minute)
    #expect(device.value("volume") == .int(5))
    device.set("volume", .int(33))
    device.skew = 0
    device.tell(.tick)
    device.run(until: start + 2 * minute)
    #expect(device.value("volume") == .int(33) && device.layers[.recommended]?["volume"] == nil)
    try device.restart()
    device.run(until: start + 2 * hour)
    #expect(device.value("volume") == .int(33) && device.layers[.recommended]?["volume"] == .int(5))
    // Another one replaces.
    try origin.publish(.fleet, [document(.init("volume", .replace, .int(5), serial: 2))], now: now(device))
    device.run(until: start + 8 * hour)
    #expect(device.value("volume") == .int(5))
  }

  @Test func whatBeginsOrEndsIsNotOnTrialBecauseOfWhatWasConfirmedLongAgo() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    let tried = Document(settings: [.init("title", .recommend, .string("a"))], trial: .init(seconds: 600))
    let lock = Document(until: .moment(noon + 7200), settings: [.init("volume", .enforce, .int(1))])
    let later = Document(
      from: .moment(noon + 10_800), settings: [.init("theme", .enforce, .string("dark"))], trial: .init(seconds: 60))
    try origin.publish(.fleet, [(Manifest.Entry("tried"), tried), (Manifest.Entry("lock"), lock)], now: noon)
    device.run(until: start + minute)
    try origin.publish(
      .fleet, [(Manifest.Entry("tried"), tried), (Manifest.Entry("lock"), lock), (Manifest.Entry("later"), later)],
      now: now(device))
    device.run(until: start + hour)
    #expect(device.trials == [600])
    // Nobody is there to confirm anything.
    device.network = { _ in .lost }
    try device.restart()
    device.run(until: start + 2 * hour + minute)
    #expect(device.value("volume") == nil && device.trials == [600, nil])
    // That of a document that begins counts.
    device.run(until: start + 3 * hour + minute)
    #expect(device.value("theme") == .string("dark") && device.trials == [600, nil, 60])
  }

  @Test func aClockThatIsBehindWhatWasSignedTakesNothingAwayAndRepeatsNothing() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    let begun = document(
      .init("theme", .enforce, .string("dark")), .init("volume", .replace, .int(1), serial: 1),
      from: .moment(noon - 60))
    let over = document(.init("title", .enforce, .string("sale")), until: .moment(noon - 60))
    try origin.publish(.fleet, [begun, (Manifest.Entry("over"), over.1)], now: noon)
    device.run(until: start + minute)
    #expect(device.value("theme") == .string("dark") && device.value("title") == nil)
    device.set("volume", .int(5))
    // Its battery is empty, and nobody tells it the time.
    device.network = { _ in .lost }
    device.skew = -now(device)
    try device.restart()
    device.run(until: start + 5 * hour)
    #expect(device.value("theme") == .string("dark") && device.value("title") == nil && device.commits == 1)
    #expect(device.overview.documents.map { $0.verdict } == [.applied, .scheduled])
    device.skew = 0
    device.run(until: start + 10 * hour)
    #expect(device.value("volume") == .int(5) && device.commits == 1)
  }

  @Test func aClockThatIsBehindIsNotAskedEverySecond() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)), from: .moment(noon + 5))], now: noon)
    device.run(until: start + 2000)
    device.network = { _ in .lost }
    device.skew = -now(device)
    try device.restart()
    let before = device.ticks
    device.run(until: start + 10 * hour)
    #expect(device.ticks - before < 100)
  }

  @Test func assetsComeBeforeWhatShowsThem() throws {
    let (origin, device) = try fleet()
    let asset: [UInt8] = [1, 2, 3]
    var shown = document(.init("logo", .enforce, .image("asset")))
    shown.1.assets = [.init(hash: Crypto.hash(asset), size: 3)]
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [shown], interval: 60, now: noon)
    device.run(until: start + 10 * minute)
    #expect(device.value("logo") == nil)
    origin.put([Publisher.blob(asset)])
    device.isFull = true
    device.run(until: start + 2 * hour)
    #expect(device.value("logo") == nil)
    device.isFull = false
    device.run(until: start + 4 * hour)
    #expect(device.assets == [Crypto.hash(asset)])
    #expect(device.value("logo") == .image("asset"))
  }

  @Test func anAssetThatIsGoneWhenItsTimeComesIsHadAnewBefore() throws {
    let (origin, device) = try fleet()
    let asset: [UInt8] = [1, 2, 3]
    let hash = Crypto.hash(asset)
    var shown = document(.init("logo", .enforce, .image(hash.hexadecimal)), from: .moment(noon + 7200))
    shown.1.assets = [.init(hash: hash, size: 3)]
    let other = document(.init("theme", .enforce, .string("light")), until: .moment(noon + 3600))
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [shown, (Manifest.Entry("other"), other.1)], interval: 86_400, now: noon)
    origin.put([Publisher.blob(asset)])
    device.run(until: start + minute)
    #expect(device.assets == [hash])
    device.dropAssets()
    let network = device.network
    device.network = { _ in .lost }
    // What does not show it needs no network.
    device.run(until: start + hour + minute)
    #expect(device.value("theme") == nil)
    device.run(until: start + 2 * hour + minute)
    #expect(device.value("logo") == nil)
    #expect(device.device.problem?.reason == .unavailable)
    device.network = network
    device.tell(.network)
    device.run(until: device.now + minute)
    #expect(device.assets == [hash] && device.value("logo") == .image(hash.hexadecimal))
  }

  @Test func aDeviceThatWasAwayForWeeksIsRightAfterOnePull() throws {
    let (origin, device) = try fleet()
    origin.publisher.lifetime = 90 * 86_400
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)))], now: noon)
    device.run(until: start + minute)
    device.network = { _ in .lost }
    device.run(until: start + 40 * 24 * hour)
    #expect(device.value("volume") == .int(1))
    for step in 2...9 {
      try origin.publish(.fleet, [document(.init("volume", .recommend, .int(Int64(step))))], now: noon + Int64(step))
    }
    device.network = { .answered(origin.answer($0)) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(9))
  }

  @Test func failuresAreTriedEverLaterAndNeverTogether() throws {
    var gaps: [Set<Int64>] = [[], []]
    for seed in 0..<20 {
      let device = SimulatedDevice(key("device"), fingerprint: publisher().fingerprint, at: start, seed: UInt64(seed))
      var times: [Int64] = []
      device.network = { [unowned device] _ in
        times.append(device.now)
        return .lost
      }
      device.run(until: start + 24 * hour)
      let waits = zip(times.dropFirst(), times).map { $0 - $1 }
      for (index, wait) in waits.enumerated() {
        let step = min(Int64(2000) << Int64(min(index, 20)), 3_600_000)
        let expected = (step / 2)...(step + device.latency)
        #expect(expected.contains(wait))
      }
      // Waiting costs nothing.
      #expect(device.ticks < 2 * times.count + 30)
      gaps[0].insert(times[0])
      gaps[1].insert(waits[3])
    }
    #expect(gaps[0].count > 15 && gaps[1].count > 15)
  }

  @Test func aServerThatAsksToWaitIsHeeded() throws {
    let (origin, device) = try fleet()
    _ = origin
    var times: [Int64] = []
    device.network = { [unowned device] _ in
      times.append(device.now)
      return .answered(Device.Answer(status: 503, retryAfter: 600))
    }
    device.run(until: start + 2 * hour)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 >= 600_000 })
    #expect(times.count >= 5)
  }

  @Test func hintsAreHintsAlone() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)))], now: noon)
    device.run(until: start + minute)
    // What is known, and channels of others, are nothing to ask for.
    let before = device.requests.count
    device.tell(.hint(.fleet, version: 1))
    device.tell(.hint(.group("other"), version: 9))
    device.run(until: start + 2 * minute)
    #expect(device.requests.count == before)
    // A change is there within a second.
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(2)))], now: now(device))
    device.tell(.hint(.fleet, version: 2))
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(2))
    // Who cries wolf is heard ever less.
    let quiet = device.requests.count
    let begun = device.now
    while device.now < begun + 10 * minute {
      device.tell(.hint(.fleet, version: Limit.version))
      device.run(until: device.now + 500)
    }
    #expect((device.requests.count - quiet) / 2 < 20)
  }

  /// The hint of what a pull brings may come while that is under way.
  @Test func aHintOfWhatIsJustBroughtAsksForNothingMore() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(0)))], now: noon)
    device.run(until: start + minute)
    for number: Int64 in 1...8 {
      let network = device.network
      var isTold = false
      device.network = { [unowned device] request in
        defer { if !isTold { isTold = true; device.tell(.hint(.fleet, version: number + 1)) } }
        return network(request)
      }
      try origin.publish(.fleet, [document(.init("volume", .recommend, .int(number)))], now: now(device))
      device.tell(.pull)
      device.run(until: device.now + 1000)
      device.network = network
      #expect(device.value("volume") == .int(number))
      let before = device.requests.count
      device.run(until: device.now + 10_000)
      #expect(device.requests.count == before)
    }
    // So that the next one is heard at once.
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(99)))], now: now(device))
    device.tell(.hint(.fleet, version: 10))
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(99))
  }

  @Test func aRevokedKeyIsNotBelievedEvenIfNothingHasChanged() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)))], interval: 60, now: noon)
    device.run(until: start + minute)
    // A thief publishes with the key that signs, far ahead.
    var thief = origin.publisher
    for _ in 0..<50 {
      origin.put(
        try thief.publish(
          .fleet, documents: [(Manifest.Entry("bad"), Document(settings: [.init("volume", .enforce, .int(666))]))],
          interval: 60, now: now(device)))
    }
    device.run(until: start + 5 * minute)
    #expect(device.value("volume") == .int(666))
    origin.put(try origin.publisher.rotate(signers: [key("second signer")], now: now(device)))
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(2)))], interval: 60, now: now(device))
    device.run(until: start + 15 * minute)
    #expect(device.value("volume") == .int(2))
    #expect(device.device.problem == nil)
  }

  @Test func aHostileCacheIsAskedPast() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    for step in 1...3 {
      try origin.publish(.fleet, [document(.init("volume", .recommend, .int(Int64(step))))], interval: 60, now: noon)
    }
    device.run(until: start + minute)
    #expect(device.value("volume") == .int(3))
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(4)))], interval: 60, now: noon)
    let path = "/v1/channels/fleet/manifest"
    device.network = { request in
      guard request.path == path, !request.isFresh, let old = origin.former[path]?.first else {
        return .answered(origin.answer(request))
      }
      return .answered(Device.Answer(status: 200, body: old.bytes, entityTag: old.tag))
    }
    device.run(until: start + 10 * minute)
    #expect(device.value("volume") == .int(4))
  }

  @Test func rolloutsAndScopesAreForThoseWhomTheyName() throws {
    let (origin, device) = try fleet()
    let id = device.device.id
    let place = Rollout.place(of: id, salt: [1])
    try origin.publish(own(device), [], now: noon)
    func entry(_ name: String, _ share: Int64?, _ scope: String? = nil) -> Manifest.Entry {
      Manifest.Entry(name, scope: scope, rollout: share.map { Rollout(share: $0, salt: [1]) })
    }
    try origin.publish(
      .fleet,
      [
        (entry("in", place + 1), Document(settings: [.init("in", .recommend, .int(1))])),
        (entry("out", place), Document(settings: [.init("out", .recommend, .int(1))])),
        (entry("app", nil, "player"), Document(settings: [.init("app", .recommend, .int(1))])),
        (entry("later", nil), Document(schema: 2...3, settings: [.init("later", .recommend, .int(1))])),
      ], now: noon)
    device.run(until: start + minute)
    #expect(device.value("in") == .int(1))
    for name in ["out", "app", "later"] { #expect(device.value(name) == nil) }
    // What is for others is not even asked for.
    #expect(device.requests.filter { $0.path.contains("blobs") }.count == 2)
    device.schema = 2
    device.run(until: start + 2 * hour)
    #expect(device.value("later") == .int(1))
  }

  @Test func reportsTellWhatHasChangedAndArriveOnce() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)))], now: noon)
    device.set("name", .string("left"))
    device.run(until: start + 5 * minute)
    let id = device.device.id
    let first = try #require(origin.last[id])
    #expect(first.since == nil && first.values.map { $0.name } == ["name", "volume"])
    // Many changes are one report, and another of what came while that was made.
    for number in 0..<50 { device.set("name", .string("\(number)")) }
    device.run(until: start + 10 * minute)
    let second = try #require(origin.last[id])
    #expect(second.sequence <= first.sequence + 2)
    #expect(second.since == second.sequence - 1 && second.values.map { $0.name } == ["name"])
    #expect(origin.values[id]?["name"]?.value == .string("49"))
    // Without an answer it is sent again, with another number, also after a restart.
    var isLost = true
    device.console = { bytes in
      let taken = origin.take(report: bytes)
      return isLost ? nil : taken
    }
    device.set("name", .string("right"))
    device.run(until: start + 12 * minute)
    try device.restart()
    isLost = false
    device.run(until: start + 2 * hour)
    #expect(origin.values[id]?["name"]?.value == .string("right"))
    #expect(origin.replays == 0)
    let quiet = try #require(origin.last[id]).sequence
    device.run(until: start + 20 * hour)
    #expect(try #require(origin.last[id]).sequence == quiet)
  }

  @Test func whatBecomesOfADocumentIsToldAlsoIfNoValueChanges() throws {
    let (origin, device) = try fleet()
    // The value holds by another document already.
    let begins = now(device) + 7200
    let same = Document.Setting("volume", .recommend, .int(70))
    let later = Document(schema: 1...1, from: .moment(begins), settings: [same])
    try origin.publish(
      .fleet, [document(same), (Manifest.Entry("later"), later)], now: noon)
    try origin.publish(own(device), [], now: noon)
    device.run(until: start + 10 * minute)
    func verdict() throws -> Report.Verdict? {
      let hash = Crypto.hash(try later.encoded())
      return origin.last[device.device.id]?.documents.first { $0.hash == hash }?.verdict
    }
    #expect(try verdict() == .scheduled)
    device.run(until: start + 3 * 60 * minute)
    #expect(try verdict() == .applied)
    // For another version of the schema it is passed over.
    device.schema = 2
    device.run(until: start + 5 * 60 * minute)
    #expect(try verdict() == .passedOver)
    // With the other schema the same was made once more.
    #expect(device.commits == 2)
    let reports = device.device.kept.sequence
    device.run(until: start + 9 * 60 * minute)
    #expect(device.device.kept.sequence == reports)
  }

  @Test func moreThanAReportHoldsComesWithTheNextOnes() throws {
    let (origin, device) = try fleet()
    try origin.publish(own(device), [], now: noon)
    try origin.publish(.fleet, [document(.init("volume", .recommend, .int(1)))], now: noon)
    for number in 0..<30 { device.set("large.\(number)", .data([UInt8](repeating: UInt8(number), count: 50_000))) }
    device.set("too large", .data([UInt8](repeating: 1, count: 70_000)))
    device.run(until: start + 20 * minute)
    let id = device.device.id
    #expect(origin.values[id]?.count == 31)
    #expect(try #require(origin.last[id]).sequence >= 3)
    for number in 0..<30 { device.unset("large.\(number)") }
    device.run(until: start + 40 * minute)
    #expect(origin.values[id]?.keys.sorted() == ["volume"])
    let quiet = try #require(origin.last[id]).sequence
    device.run(until: start + 10 * hour)
    #expect(try #require(origin.last[id]).sequence == quiet)
  }

  @Test func powerMayGoAtAnyMoment() throws {
    for cut in 0..<60 {
      let (origin, device) = try fleet()
      try origin.publish(own(device), [], now: noon)
      try origin.publish(
        .fleet, [document(.init("volume", .replace, .int(1), serial: 1), .init("a", .enforce, .int(1)))], interval: 60,
        now: noon)
      device.run(until: start + Int64(cut) * 50)
      try device.restart()
      // Both or neither.
      #expect((device.value("volume") == nil) == (device.value("a") == nil))
      device.run(until: start + minute)
      #expect(device.value("volume") == .int(1))
      device.set("volume", .int(5))
      try device.restart()
      device.run(until: start + 5 * minute)
      // It was replaced once, whatever the power did.
      #expect(device.value("volume") == .int(5))
    }
  }
}

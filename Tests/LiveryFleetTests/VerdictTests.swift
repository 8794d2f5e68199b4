import LiveryClient
import Testing

@testable import LiveryFleet

/// What is told of documents that are not there for good.
@Suite struct VerdictTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  private func fleet(
    _ setting: Document.Setting, trial: Document.Trial? = nil
  ) throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleetOfOne(at: start)
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(origin, setting, trial: trial, now: noon)
    return (origin, device)
  }

  private func publish(
    _ origin: Origin, _ setting: Document.Setting, trial: Document.Trial? = nil, now: Int64
  ) throws {
    let document = Document(settings: [setting], trial: trial)
    try origin.publish(.fleet, [(Manifest.Entry("first"), document)], interval: 60, now: now)
  }

  private func verdicts(_ origin: Origin, _ device: SimulatedDevice) -> [Report.Verdict]? {
    origin.last[device.device.id]?.documents.map { $0.verdict }
  }

  @Test func whatIsPostponedIsNotToldAsApplied() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.isBusy = true
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == nil)
    #expect(verdicts(origin, device) == [.scheduled])
    #expect(device.overview.documents.map { $0.verdict } == [.scheduled])
    device.isBusy = false
    device.run(until: start + 30 * minute)
    #expect(device.value("a") == .int(1))
    #expect(verdicts(origin, device) == [.applied])
    #expect(device.overview.documents.map { $0.verdict } == [.applied])
  }

  @Test func whatIsOnTrialIsToldAsAppliedOnceItStays() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)), trial: .init(seconds: 600))
    device.tell(.trial(isPending: true))
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1))
    #expect(verdicts(origin, device) == [.scheduled])
    device.tell(.trial(isPending: false))
    device.run(until: start + 20 * minute)
    #expect(verdicts(origin, device) == [.applied])
  }

  @Test func whatHeldBeforeIsNotToldAsOnTrialBesideWhatIs() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    #expect(verdicts(origin, device) == [.applied])
    let before = Document(settings: [.init("a", .recommend, .int(1))])
    let tried = Document(settings: [.init("b", .recommend, .int(2))], trial: .init(seconds: 86_400))
    let both = [(Manifest.Entry("first"), before), (Manifest.Entry("second"), tried)]
    try origin.publish(.fleet, both, interval: 60, now: noon + 600)
    device.tell(.trial(isPending: true))
    func names(_ verdict: Report.Verdict) -> [String] {
      device.overview.documents.filter { $0.verdict == verdict && !$0.isOnTrial }.map { $0.name }
    }
    device.run(until: start + 20 * minute)
    #expect(Set(verdicts(origin, device) ?? []) == [.applied, .scheduled] && names(.applied) == ["first"])
    device.tell(.trial(isPending: false))
    device.run(until: start + 40 * minute)
    #expect(verdicts(origin, device) == [.applied, .applied])
    #expect(device.overview.documents.allSatisfy { !$0.isOnTrial })
  }

  @Test func whatWentBackIsRefusedAndNotTriedAgain() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + minute)
    let commits = device.commits
    device.goBack(.init(name: "trial", message: "nobody confirmed it"))
    device.run(until: start + 30 * minute)
    #expect(device.value("a") == nil)
    #expect(device.commits == commits)
    #expect(verdicts(origin, device) == [.refused])
    #expect(origin.last[device.device.id]?.violations == [.init(name: "trial", message: "nobody confirmed it")])
    // What was seen of versions stays.
    #expect(origin.last[device.device.id]?.channels.contains { $0.channel == .fleet && $0.version == 1 } == true)
    try publish(origin, .init("a", .recommend, .int(2)), now: noon + 2000)
    device.run(until: start + 60 * minute)
    #expect(device.value("a") == .int(2))
    #expect(verdicts(origin, device) == [.applied])
  }

  @Test func whatHeldBeforeIsNotRefusedWithWhatCameBesideIt() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + minute)
    device.violation = { name, value in name == "volume" && value == .int(130) ? "130 is above 100" : nil }
    let loud = Document(from: nil, until: nil, settings: [.init("volume", .enforce, .int(130))])
    try origin.publish(.device(device.device.id), [(Manifest.Entry("own"), loud)], now: noon + 60)
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1) && device.value("volume") == nil)
    #expect(verdicts(origin, device) == [.applied, .refused])
    #expect(origin.last[device.device.id]?.violations == [.init(name: "volume", message: "130 is above 100")])
    try device.restart()
    #expect(device.overview.documents.map { $0.verdict } == [.applied, .refused])
    // With another schema all of it was refused.
    device.schema = 2
    device.tell(.tick)
    device.run(until: start + 20 * minute)
    #expect(verdicts(origin, device) == [.refused, .refused])
  }

  @Test func whatHeldBeforeIsNotRefusedWithWhatWentBack() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + minute)
    let tried = Document(
      from: nil, until: nil, settings: [.init("b", .recommend, .int(2))], trial: .init(seconds: 60, check: nil))
    try origin.publish(.device(device.device.id), [(Manifest.Entry("own"), tried)], now: noon + 60)
    device.run(until: start + 3 * minute)
    #expect(device.value("b") == .int(2))
    device.goBack(.init(name: "trial", message: "nobody confirmed it"))
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1) && device.value("b") == nil)
    #expect(verdicts(origin, device) == [.applied, .refused])
  }

  @Test func whatDoesNotFitOnceItIsCoveredNoMoreIsRefused() throws {
    let (origin, device) = try fleet(.init("volume", .recommend, .int(130)))
    device.violation = { name, value in name == "volume" && value == .int(130) ? "130 is above 100" : nil }
    let own = Channel.device(device.device.id)
    let quiet = Document(from: nil, until: nil, settings: [.init("volume", .recommend, .int(30))])
    try origin.publish(own, [(Manifest.Entry("own"), quiet)], now: noon)
    device.run(until: start + 10 * minute)
    #expect(verdicts(origin, device) == [.applied, .applied])
    let other = Document(from: nil, until: nil, settings: [.init("b", .recommend, .int(2))])
    try origin.publish(own, [(Manifest.Entry("other"), other)], now: noon + 600)
    device.run(until: start + 20 * minute)
    #expect(device.value("volume") == .int(30) && device.value("b") == nil)
    #expect(verdicts(origin, device) == [.refused, .refused])
    // Where nothing is new it is of that alone as well.
    try origin.publish(own, [], now: noon + 1200)
    device.run(until: start + 30 * minute)
    #expect(device.value("volume") == .int(30) && verdicts(origin, device) == [.refused])
    try device.restart()
    #expect(device.overview.documents.map { $0.verdict } == [.refused])
  }

  @Test func whatWentBackForSomethingElseIsTriedAnew() throws {
    let (_, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + minute)
    device.goBack(nil)
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1))
  }

  @Test func whatAnUpgradeTookBackIsTriedWithTheNewSchema() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + minute)
    device.schema = 2
    device.goBack(.init(name: "trial", message: "nobody confirmed it"), tried: 1)
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1))
    device.goBack(.init(name: "trial", message: "nobody confirmed it"), tried: 2)
    device.run(until: start + 20 * minute)
    #expect(device.value("a") == nil)
    #expect(verdicts(origin, device) == [.refused])
  }

  @Test func whatWasSetWhileNobodyListenedIsTold() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    let sequence = try #require(origin.last[device.device.id]?.sequence)
    // Where nothing has changed a start tells nothing.
    try device.restart()
    device.run(until: start + 20 * minute)
    #expect(origin.last[device.device.id]?.sequence == sequence)
    device.set("b", .int(5), isHeard: false)
    device.run(until: start + 30 * minute)
    #expect(origin.last[device.device.id]?.sequence == sequence)
    try device.restart()
    device.run(until: start + 40 * minute)
    #expect(origin.values[device.device.id]?["b"]?.value == .int(5))
  }

  @Test func anotherSchemaIsTold() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    #expect(origin.last[device.device.id]?.schema == 1)
    device.schema = 2
    device.tell(.tick)
    device.run(until: start + 20 * minute)
    #expect(origin.last[device.device.id]?.schema == 2)
  }

  @Test func whatCannotBeTakenIsToldOnceAndItsEndToo() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    let sequence = try #require(origin.last[device.device.id]?.sequence)
    // A document that is none, pull by pull.
    let none = Publisher.blob([0xa0])
    var channel = try #require(origin.publisher.channels.first { $0.channel == .fleet })
    channel.documents = [Manifest.Entry(hash: Crypto.hash(none.bytes), size: 1, name: "none")]
    origin.publisher.resume(channel)
    origin.put([none])
    origin.put(try origin.publisher.refresh(now: noon + 600))
    device.run(until: start + 40 * minute)
    #expect(device.requests.count > 40)
    #expect(origin.last[device.device.id]?.problem == "unsupported")
    let told = try #require(origin.last[device.device.id]?.sequence)
    #expect(told <= sequence + 2)
    try device.restart()
    device.run(until: start + 60 * minute)
    #expect(origin.last[device.device.id]?.sequence == told)
    try publish(origin, .init("a", .recommend, .int(1)), now: noon + 3600)
    device.run(until: start + 80 * minute)
    #expect(try #require(origin.last[device.device.id]).problem == nil)
  }

  /// One process asks, and ends; another one reports, and has not asked.
  @Test func whatAnotherProcessCouldNotTakeIsTold() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    device.console = { _ in nil }
    device.network = { _ in .answered(Device.Answer(status: 200, body: [1, 2, 3])) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    device.network = { _ in .lost }
    device.console = { origin.take(report: $0) }
    for _ in 0..<2 {
      try device.restart()
      device.tell(.push)
      device.run(until: device.now + 100)
      #expect(origin.last[device.device.id]?.problem == "malformed")
    }
    device.network = { .answered(origin.answer($0)) }
    device.run(until: device.now + 60 * minute)
    #expect(try #require(origin.last[device.device.id]).problem == nil)
    try device.restart()
    device.tell(.push)
    device.run(until: device.now + 100)
    #expect(try #require(origin.last[device.device.id]).problem == nil)
  }

  @Test func aFailureThatIsOverIsToldAlsoIfNothingElseIsNew() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    device.network = { _ in .answered(Device.Answer(status: 200, body: [1, 2, 3])) }
    device.run(until: start + 20 * minute)
    #expect(origin.last[device.device.id]?.problem == "malformed")
    device.network = { .answered(origin.answer($0)) }
    device.run(until: start + 120 * minute)
    let last = try #require(origin.last[device.device.id])
    #expect(last.problem == nil)
    device.run(until: start + 240 * minute)
    #expect(origin.last[device.device.id]?.sequence == last.sequence)
  }

  @Test func aPublicationIsOneReportAlsoWhereTheDeviceHearsOfItsOwnChange() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    let sequence = try #require(origin.last[device.device.id]?.sequence)
    try publish(origin, .init("a", .recommend, .int(2)), now: noon + 600)
    device.tell(.pull)
    while device.value("a") != .int(2) { device.run(until: device.now + 10) }
    // While the report is on its way, and afterwards.
    for _ in 0..<20 {
      device.tell(.changed)
      device.run(until: device.now + 20)
    }
    device.run(until: device.now + 10 * minute)
    let last = try #require(origin.last[device.device.id])
    #expect(last.sequence == sequence + 1)
    #expect(last.values.map { $0.name } == ["a"] && last.documents.map { $0.verdict } == [.applied])
    // What does change at that time is told.
    for number in 0..<40 {
      device.set("b", .int(Int64(number)))
      device.run(until: device.now + 7)
    }
    device.run(until: device.now + 10 * minute)
    #expect(origin.values[device.device.id]?["b"]?.value == .int(39))
  }

  @Test func somebodyMayWantAReportAtOnce() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    let sequence = try #require(origin.last[device.device.id]?.sequence)
    device.tell(.push)
    device.run(until: start + 10 * minute + 2000)
    #expect(origin.last[device.device.id]?.sequence == sequence + 1)
  }
}

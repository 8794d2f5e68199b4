import LiveryClient
import Testing

@testable import LiveryFleet

/// What is told of documents that are not there for good.
@Suite struct VerdictTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  private func fleet(_ setting: Document.Setting) throws -> (Origin, SimulatedDevice) {
    let origin = try Origin(publisher())
    let device = SimulatedDevice(key("device"), fingerprint: origin.publisher.fingerprint, at: start)
    device.network = { .answered(origin.answer($0)) }
    device.console = { origin.take(report: $0) }
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(origin, setting, now: noon)
    return (origin, device)
  }

  private func publish(_ origin: Origin, _ setting: Document.Setting, now: Int64) throws {
    let document = Document(from: nil, until: nil, settings: [setting])
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
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.tell(.trial(isPending: true))
    device.run(until: start + 10 * minute)
    #expect(device.value("a") == .int(1))
    #expect(verdicts(origin, device) == [.scheduled])
    device.tell(.trial(isPending: false))
    device.run(until: start + 20 * minute)
    #expect(verdicts(origin, device) == [.applied])
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
    device.tell(.tick)
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

  @Test func somebodyMayWantAReportAtOnce() throws {
    let (origin, device) = try fleet(.init("a", .recommend, .int(1)))
    device.run(until: start + 10 * minute)
    let sequence = try #require(origin.last[device.device.id]?.sequence)
    device.tell(.push)
    device.run(until: start + 10 * minute + 2000)
    #expect(origin.last[device.device.id]?.sequence == sequence + 1)
  }
}

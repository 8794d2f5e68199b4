import LiveryClient
import Testing

@testable import LiveryFleet

/// What was applied with one schema and may not fit another.
@Suite struct UpgradeTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  /// A device with a value that the second schema does not take.
  private func fleet() throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleetOfOne(at: start)
    device.violation = { [unowned device] _, value in
      device.schema == 2 && value == .int(80) ? "80 is above 50" : nil
    }
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(origin, .init("volume", .enforce, .int(80)), .init("title", .replace, .int(1), serial: 1), now: noon)
    device.run(until: start + 10 * minute)
    #expect(verdicts(origin, device) == [.applied])
    return (origin, device)
  }

  private func publish(_ origin: Origin, _ settings: Document.Setting..., now: Int64) throws {
    try origin.publish(
      .fleet, [(Manifest.Entry("first"), Document(settings: settings))], interval: 60, now: now)
  }

  private func verdicts(_ origin: Origin, _ device: SimulatedDevice) -> [Report.Verdict]? {
    origin.last[device.device.id]?.documents.map { $0.verdict }
  }

  @Test func whatDoesNotFitAnyMoreIsToldAsRefused() throws {
    let (origin, device) = try fleet()
    device.schema = 2
    device.tell(.tick)
    device.run(until: device.now + 10 * minute)
    #expect(verdicts(origin, device) == [.refused])
    #expect(origin.last[device.device.id]?.violations == [.init(name: "volume", message: "80 is above 50")])
    #expect(device.overview.documents.map { $0.verdict } == [.refused])
    // Once, also over a restart, and until something else is wanted.
    try device.restart()
    device.run(until: device.now + 10 * minute)
    #expect(device.refusals == 1 && verdicts(origin, device) == [.refused])
    try publish(origin, .init("volume", .enforce, .int(40)), now: device.now / 1000)
    device.run(until: device.now + 10 * minute)
    #expect(device.value("volume") == .int(40) && verdicts(origin, device) == [.applied])
    #expect(origin.last[device.device.id]?.violations.isEmpty == true)
  }

  @Test func whatWasRefusedWithAFormerSchemaIsNotToldWithTheNext() throws {
    let (origin, device) = try fleet()
    device.schema = 2
    device.tell(.tick)
    device.run(until: device.now + 10 * minute)
    #expect(verdicts(origin, device) == [.refused])
    // What is to take its place has to wait.
    device.isBusy = true
    device.schema = 3
    try device.restart()
    device.run(until: device.now + 10 * minute)
    let report = try #require(origin.last[device.device.id])
    #expect(report.schema == 3 && report.violations.isEmpty && verdicts(origin, device) == [.scheduled])
    #expect(device.overview.violations.isEmpty && device.overview.documents.map { $0.verdict } == [.scheduled])
  }

  @Test func whatFitsIsMadeAnewOnceAndReplacesNothing() throws {
    let (origin, device) = try fleet()
    device.violation = { _, _ in nil }
    device.set("title", .int(5))
    device.schema = 2
    device.tell(.tick)
    device.run(until: device.now + 10 * minute)
    #expect(device.commits == 2 && device.value("title") == .int(5))
    #expect(verdicts(origin, device) == [.applied])
    try device.restart()
    device.run(until: device.now + 10 * minute)
    #expect(device.commits == 2)
  }

  @Test func whatWasKeptBeforeSchemasWereIsMadeAnewOnce() throws {
    let (origin, device) = try fleet()
    guard case .object(let members)? = device.records["owned"] else { return #expect(Bool(false)) }
    #expect(members.contains { $0.key == "schema" && $0.value == .int(1) })
    device.records["owned"] = .object(members.filter { $0.key != "schema" })
    try device.restart()
    device.run(until: device.now + 10 * minute)
    #expect(device.commits == 2 && verdicts(origin, device) == [.applied])
  }
}

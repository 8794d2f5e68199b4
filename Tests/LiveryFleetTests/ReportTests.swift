import LiveryClient
import Testing

@testable import LiveryFleet

/// What is told, whatever the store holds and wherever it comes from.
@Suite struct ReportTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  private func fleet() throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleetOfOne(at: start)
    try origin.publish(.device(device.device.id), [], now: noon)
    try origin.publish(.fleet, [], now: noon)
    return (origin, device)
  }

  private func sequence(_ bytes: [UInt8]) -> Int64 { (try? Report.verified(bytes, after: nil))?.sequence ?? 0 }

  /// - Parameter skew: by how many seconds the device's clock is wrong.
  @Test(arguments: [0, -noon])
  func aDeviceThatWasPutBackReportsAgain(_ skew: Int64) throws {
    let (origin, device) = try fleet()
    let id = device.device.id
    device.skew = skew
    device.run(until: start + 10 * minute)
    let backup = device.records
    for number in 0..<20 {
      device.set("name", .int(Int64(number)))
      device.run(until: device.now + 2 * minute)
    }
    let last = try #require(origin.sequences[id])
    #expect(last > 20)
    device.records = backup
    device.isOutnumbered = { self.sequence($0) <= origin.sequences[id] ?? 0 }
    device.set("name", .string("restored"), isHeard: false)
    try device.restart()
    device.run(until: device.now + 2 * minute)
    let report = try #require(origin.last[id])
    #expect(report.sequence > last && report.sequence >= noon && report.since == nil)
    #expect(origin.values[id]?["name"]?.value == .string("restored"))
    #expect(origin.replays == 0)
  }

  @Test func aNumberBeyondAllClocksIsReachedToo() throws {
    let (origin, device) = try fleet()
    let id = device.device.id
    device.isOutnumbered = { self.sequence($0) <= noon + 1_000_000 }
    device.run(until: start + 2 * 24 * 60 * minute)
    #expect(try #require(origin.sequences[id]) > noon + 1_000_000)
  }

  @Test func whoAlwaysSaysThatANumberIsTooLowUsesUpNone() throws {
    let (_, device) = try fleet()
    device.isOutnumbered = { _ in true }
    device.run(until: start + 60 * 24 * 60 * minute)
    #expect((noon...(1 << 40)).contains(device.device.kept.sequence))
  }

  @Test func aValueThatIsNestedTooDeepForAReportIsLeftOut() throws {
    let (origin, device) = try fleet()
    let id = device.device.id
    func nested(_ depth: Int) -> Value { depth == 0 ? .int(1) : .list([nested(depth - 1)]) }
    for depth in 29...32 { device.set("deep.\(depth)", nested(depth)) }
    device.set("name", .int(1))
    device.run(until: start + 10 * minute)
    #expect(origin.values[id]?.keys.sorted() == ["deep.29", "name"])
    let quiet = device.device.kept.sequence
    device.run(until: start + 60 * minute)
    #expect(device.device.kept.sequence == quiet)
    // One that was told before is told as gone.
    device.set("deep.29", nested(30))
    device.run(until: start + 70 * minute)
    #expect(origin.values[id]?.keys.sorted() == ["name"])
  }
}

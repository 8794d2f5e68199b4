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

  /// Publishes and has the device ask after more than a minute; after how many milliseconds what is told then, in the order of `values`.
  private func waits(
    _ values: Range<Int64>, _ origin: Origin, _ device: SimulatedDevice,
    _ ask: (SimulatedDevice) -> Void = { $0.tell(.pull) }
  ) throws -> [Int64] {
    var waits: [Int64] = []
    for value in values {
      let document = Document(from: nil, until: nil, settings: [.init("volume", .enforce, .int(value))])
      try origin.publish(.fleet, [(Manifest.Entry("all"), document)], interval: 86_400, now: device.now / 1000)
      let asked = device.now
      device.console = { bytes in
        waits.append(device.now - asked)
        return origin.take(report: bytes)
      }
      ask(device)
      device.run(until: device.now + 2 * minute)
    }
    return waits
  }

  @Test func whoHasAChangeLetsOthersHaveItBeforeItTells() throws {
    let (origin, device) = try fleet()
    device.run(until: start + 10 * minute)
    let waits = try waits(0..<30, origin, device)
    #expect(waits.count == 30 && device.value("volume") == .int(29))
    #expect(waits.allSatisfy { $0 <= 5500 })
    #expect(waits.contains { $0 < 1500 } && waits.contains { $0 > 4000 })
  }

  @Test func whatIsRefusedIsToldAtOnce() throws {
    let (origin, device) = try fleet()
    device.run(until: start + 10 * minute)
    device.violation = { _, value in "not \(value)" }
    let waits = try waits(0..<10, origin, device)
    #expect(waits.count == 10 && waits.allSatisfy { $0 < 500 } && device.value("volume") == nil)
  }

  @Test func whatSomebodyWantsToldIsToldAtOnce() throws {
    let (origin, device) = try fleet()
    device.run(until: start + 10 * minute)
    // While the change is on its way, and when it is made.
    for pause: Int64 in [0, 300] {
      let waits = try waits(0..<10, origin, device) { device in
        device.tell(.pull)
        device.run(until: device.now + pause)
        device.tell(.push)
      }
      #expect(waits.count >= 10 && waits.allSatisfy { $0 < 500 }, "\(waits)")
      #expect(device.value("volume") == .int(9))
    }
  }

  @Test func whoHasJoinedTellsAtOnce() throws {
    let (origin, device) = try fleetOfOne(at: start)
    let document = Document(from: nil, until: nil, settings: [.init("volume", .enforce, .int(1))])
    try origin.publish(.device(device.device.id), [(Manifest.Entry("own"), document)], now: noon)
    try origin.publish(.fleet, [], now: noon)
    device.tell(.pull)
    device.tell(.push)
    device.run(until: start + 500)
    #expect(origin.values[device.device.id]?["volume"]?.value == .int(1))
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

import LiveryClient
import Testing

@testable import LiveryFleet

/// What follows when the broker is there again: the device was away, and waits ever longer.
@Suite struct ReachedTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  /// A fleet and a device in it, to which something is published.
  private func fleet() throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleetOfOne(at: start)
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(1, origin, device)
    device.run(until: start + minute)
    return (origin, device)
  }

  private func publish(_ number: Int64, _ origin: Origin, _ device: SimulatedDevice) throws {
    try origin.publish(
      .fleet, [(Manifest.Entry("first"), Document(settings: [.init("volume", .recommend, .int(number))]))],
      now: device.now / 1000)
  }

  @Test func whatWasMissedIsThereWithinASecondAndTold() throws {
    let (origin, device) = try fleet()
    device.network = { _ in .lost }
    device.console = { _ in nil }
    try publish(2, origin, device)
    device.run(until: device.now + 10 * 60 * minute)
    #expect(device.value("volume") == .int(1))
    device.network = { .answered(origin.answer($0)) }
    device.console = { origin.take(report: $0) }
    device.tell(.reached)
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(2))
    device.run(until: device.now + minute)
    #expect(origin.values[device.device.id]?["volume"]?.value == .int(2))
  }

  @Test func aNetworkThatIsThereAgainEndsTheWaitsAndIsNoNewsOtherwise() throws {
    let (origin, device) = try fleet()
    let quiet = device.requests.count
    device.tell(.network)
    device.run(until: device.now + 1000)
    #expect(device.requests.count == quiet)
    device.network = { _ in .lost }
    try publish(2, origin, device)
    device.run(until: device.now + 10 * 60 * minute)
    device.network = { .answered(origin.answer($0)) }
    device.tell(.network)
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(2))
  }

  @Test func itCostsAnAnswerOf304ForEachChannel() throws {
    let (_, device) = try fleet()
    let before = device.requests.count
    device.tell(.reached)
    device.run(until: device.now + minute)
    #expect(device.requests.count == before + 2)
    #expect(device.requests.suffix(2).allSatisfy { $0.entityTag != nil })
  }

  @Test func aBrokerThatComesAndGoesIsNotFollowedEveryTime() throws {
    let (_, device) = try fleet()
    let before = device.requests.count
    let end = device.now + minute
    while device.now < end {
      device.tell(.reached)
      device.run(until: device.now + 100)
    }
    #expect((device.requests.count - before) / 2 <= 13)
  }

  @Test func networksThatComeAndGoPutNothingOff() throws {
    let (origin, device) = try fleet()
    try publish(2, origin, device)
    device.network = { _ in .lost }
    device.tell(.pull)
    device.run(until: device.now + 10 * minute)
    for _ in 0..<80 {
      device.tell(.network)
      device.tell(.reached)
      device.run(until: device.now + 450)
    }
    device.network = { .answered(origin.answer($0)) }
    device.tell(.network)
    device.run(until: device.now + 6000)
    #expect(device.value("volume") == .int(2))
  }

  @Test func aServerThatAsksToWaitIsLeftAlone() throws {
    let (origin, device) = try fleet()
    device.network = { _ in .answered(Device.Answer(status: 503, retryAfter: 600)) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    let before = device.requests.count
    device.network = { .answered(origin.answer($0)) }
    device.tell(.reached)
    device.run(until: device.now + 9 * minute)
    #expect(device.requests.count == before)
    device.run(until: device.now + 3 * minute)
    #expect(device.requests.count > before)
  }

  @Test func whatItHasAskedForEndsWhenItCanAnswer() throws {
    let (origin, device) = try fleet()
    device.network = { _ in .answered(Device.Answer(status: 503, retryAfter: 86_400)) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    device.tell(.reached)
    device.network = { .answered(origin.answer($0)) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    try publish(2, origin, device)
    device.tell(.hint(.fleet, version: 3))
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(2))
    try publish(3, origin, device)
    device.run(until: device.now + 5000)
    device.tell(.reached)
    device.run(until: device.now + 1000)
    #expect(device.value("volume") == .int(3))
  }
}

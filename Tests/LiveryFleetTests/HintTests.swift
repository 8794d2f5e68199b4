import LiveryClient
import Testing

@testable import LiveryFleet

/// What a hint leads to: the channel that it names is asked for, and what depends on that.
@Suite struct HintTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000
  private let origin: Origin
  private let device: SimulatedDevice

  /// A device in a group, which has asked for everything.
  init() throws {
    let (origin, device) = try fleetOfOne(at: start)
    (self.origin, self.device) = (origin, device)
    try publish(1, .group("lobby"))
    try publish(1, .fleet)
    try origin.publish(own, [], groups: ["lobby"], now: noon)
    device.run(until: start + minute)
    try #require(device.value("fleet") == .int(1) && device.value("group.lobby") == .int(1))
  }

  private var own: Channel { .device(device.device.id) }

  private func publish(_ number: Int64, _ channel: Channel) throws {
    try origin.publish(
      channel, [(Manifest.Entry("first"), Document(settings: [.init(channel.name, .recommend, .int(number))]))],
      groups: channel == own ? ["lobby"] : [], now: device.now / 1000)
  }

  /// What is asked for within a second of a hint, without documents.
  private func asked(after channel: Channel, version: Int64) -> [String] {
    let before = device.requests.count
    device.tell(.hint(channel, version: version))
    device.run(until: device.now + 1000)
    return device.requests[before...].map { $0.path }.filter { !$0.contains("/blobs/") }
  }

  private func path(_ channel: Channel) -> String { "/v1/channels/" + channel.name + "/manifest" }

  @Test func theChannelThatItNamesIsAskedForAlone() throws {
    try publish(2, .fleet)
    #expect(asked(after: .fleet, version: 2) == [path(.fleet)])
    #expect(device.value("fleet") == .int(2))
    try publish(2, .group("lobby"))
    #expect(asked(after: .group("lobby"), version: 2) == [path(.group("lobby"))])
    #expect(device.value("group.lobby") == .int(2))
    try publish(2, own)
    #expect(asked(after: own, version: 2) == [path(own)])
    #expect(device.value(own.name) == .int(2))
  }

  @Test func hintsThatComeTogetherAreOne() throws {
    try publish(2, .group("lobby"))
    try publish(2, .fleet)
    let before = device.requests.count
    device.tell(.hint(.group("lobby"), version: 2))
    device.tell(.hint(.fleet, version: 3))
    device.run(until: device.now + 1000)
    #expect(device.requests.count == before + 4)
    #expect(device.value("fleet") == .int(2))
    #expect(device.value("group.lobby") == .int(2))
  }

  @Test func theGroupThatTheFleetIsAheadOfIsAskedForToo() throws {
    try publish(2, .group("lobby"))
    // The fleet's manifest names the version of the group's; that one's hint was lost.
    try publish(2, .fleet)
    #expect(asked(after: .fleet, version: 3) == [path(.fleet), path(.group("lobby"))])
    #expect(device.value("group.lobby") == .int(2))
  }

  @Test func aGroupThatTheDeviceIsNewInIsAskedForToo() throws {
    try publish(1, .group("bar"))
    try origin.publish(own, [], groups: ["lobby", "bar"], now: device.now / 1000)
    #expect(asked(after: own, version: 2) == [path(own), path(.group("bar"))])
    #expect(device.value("group.bar") == .int(1))
  }

  @Test func whatIsOverIsAskedForToo() throws {
    device.skew = 8 * 86_400
    try origin.publish(.group("lobby"), [], now: device.clock)
    try origin.publish(own, [], groups: ["lobby"], now: device.clock)
    try origin.publish(.fleet, [], now: device.clock)
    #expect(asked(after: .fleet, version: 2) == [path(.fleet), path(own), path(.group("lobby"))])
    #expect(device.value("group.lobby") == nil)
  }

  @Test func everythingIsAskedForInTimeHoweverManyHintsThereAre() throws {
    // The hint of the device's own channel is lost; others come all the time, and lead to something.
    try publish(2, own)
    for number: Int64 in 2...40 {
      try publish(number, .fleet)
      device.tell(.hint(.fleet, version: number))
      device.run(until: device.now + minute / 2)
    }
    #expect(device.value("fleet") == .int(40))
    #expect(device.value(own.name) == .int(2))
  }

  @Test func whatFailedIsAskedForAsAWhole() throws {
    try publish(2, own)
    device.network = { _ in .lost }
    device.tell(.pull)
    device.run(until: device.now + 10 * minute)
    device.network = { [origin] in .answered(origin.answer($0)) }
    try publish(2, .fleet)
    #expect(asked(after: .fleet, version: 2).contains(path(own)))
    #expect(device.value(own.name) == .int(2))
  }

  @Test func whoWantsItToAskGetsEverything() throws {
    try publish(2, own)
    try publish(2, .fleet)
    device.tell(.hint(.fleet, version: 2))
    device.tell(.pull)
    device.run(until: device.now + 1000)
    #expect(device.value(own.name) == .int(2))
    // Also while it asks because of a hint.
    try publish(3, own)
    try publish(3, .fleet)
    device.tell(.hint(.fleet, version: 3))
    while !device.device.isAsking { device.run(until: device.now + 10) }
    device.tell(.pull)
    device.run(until: device.now + 1000)
    #expect(device.value(own.name) == .int(3))
  }

  @Test func theBrokerThatIsThereAgainLeadsToEverything() throws {
    try publish(2, own)
    try publish(2, .fleet)
    device.tell(.hint(.fleet, version: 2))
    device.tell(.reached)
    device.run(until: device.now + 1000)
    #expect(device.value(own.name) == .int(2))
    try publish(3, own)
    device.tell(.reached)
    device.tell(.hint(.fleet, version: 4))
    device.run(until: device.now + 6000)
    #expect(device.value(own.name) == .int(3))
  }

  @Test func theBrokerThatIsThereAgainWhileAHintIsFollowedLeadsToEverything() throws {
    device.latency = 2000
    try publish(2, own)
    try publish(2, .fleet)
    device.tell(.hint(.fleet, version: 2))
    while !device.device.isAsking { device.run(until: device.now + 10) }
    device.tell(.reached)
    device.run(until: device.now + 20_000)
    #expect(device.value("fleet") == .int(2))
    #expect(device.value(own.name) == .int(2))
  }

  @Test func theHintOfAGroupThatTheDeviceHasLeftMeanwhileLeadsToNothing() throws {
    try origin.publish(own, [], groups: [], now: device.now / 1000)
    device.tell(.hint(own, version: 2))
    while !device.device.isAsking { device.run(until: device.now + 10) }
    device.tell(.hint(.group("lobby"), version: 9))
    let before = (device.requests.count, device.device.pullsCompleted)
    device.run(until: device.now + 5000)
    #expect(device.value("group.lobby") == nil)
    #expect(device.requests.count == before.0 && device.device.pullsCompleted == before.1 + 1)
  }

  @Test func aShorterIntervalDoesNotHaveAllAskTogether() throws {
    var others: [SimulatedDevice] = []
    for number in 1...20 {
      let other = SimulatedDevice(
        key("device \(number)"), fingerprint: origin.publisher.fingerprint, at: device.now, seed: UInt64(number))
      other.network = { [origin] in .answered(origin.answer($0)) }
      other.console = { [origin] in origin.take(report: $0) }
      try origin.publish(.device(other.device.id), [], now: device.now / 1000)
      other.run(until: device.now + minute)
      others.append(other)
    }
    try origin.publish(.fleet, [], interval: 100, now: device.now / 1000)
    var moments: [Int64] = []
    for other in others {
      other.tell(.hint(.fleet, version: 2))
      other.run(until: other.now + 1000)
      let begun = other.requests.count
      while other.requests.count == begun { other.run(until: other.now + 100) }
      moments.append(other.now)
    }
    #expect(moments.max()! - moments.min()! > 10_000)
  }

  @Test(arguments: [["second signer"], ["signer", "second signer"]])
  func withOtherKeysEverythingIsReadAnew(_ signers: [String]) throws {
    origin.put(try origin.publisher.rotate(signers: signers.map { key($0) }, now: device.now / 1000))
    try publish(2, own)
    try publish(2, .group("lobby"))
    try publish(2, .fleet)
    let paths = asked(after: .fleet, version: 2)
    #expect(paths.contains(path(own)) && paths.contains(path(.group("lobby"))))
    #expect(device.value(own.name) == .int(2))
  }

  @Test func aShorterIntervalHoldsAtOnce() throws {
    try origin.publish(.fleet, [], interval: 20, now: device.now / 1000)
    _ = asked(after: .fleet, version: 2)
    try publish(2, own)
    device.run(until: device.now + minute)
    #expect(device.value(own.name) == .int(2))
  }
}

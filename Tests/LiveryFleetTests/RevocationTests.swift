import LiveryClient
import Testing

@testable import LiveryFleet

/// What is known of keys changes between two answers.
@Suite struct RevocationTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000
  private let path = "/v1/channels/fleet/manifest"

  private func fleet(_ publisher: Publisher) throws -> (Origin, SimulatedDevice) {
    let origin = try Origin(publisher)
    let device = SimulatedDevice(key("device"), fingerprint: origin.publisher.fingerprint, at: start)
    device.network = { .answered(origin.answer($0)) }
    device.console = { origin.take(report: $0) }
    return (origin, device)
  }

  private func publish(_ volume: Int64, _ origin: Origin, now: Int64) throws {
    try origin.publish(
      .fleet, [(Manifest.Entry("first"), Document(settings: [.init("volume", .recommend, .int(volume))]))],
      interval: 60, now: now)
  }

  @Test func whatAStolenKeyHasSignedIsNotTakenInThePullThatTellsOfIt() throws {
    let (origin, device) = try fleet(publisher())
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(1, origin, now: noon)
    device.run(until: start + minute)
    var thief = origin.publisher
    thief.resume(.init(channel: .fleet, version: Limit.version - 1, groups: [], documents: [], interval: 60))
    let stolen = try thief.publish(
      .fleet, documents: [(Manifest.Entry("bad"), Document(settings: [.init("volume", .enforce, .int(666))]))],
      interval: 60, now: noon + 60)
    origin.put(try origin.publisher.rotate(signers: [key("second signer")], now: noon + 60))
    // The fleet's channel is asked for first: the thief still holds that one.
    origin.put(stolen)
    device.run(until: start + 10 * minute)
    #expect(device.value("volume") == .int(1))
    #expect(device.device.problem?.reason == .unsigned)
    #expect(device.device.kept.trust.keys?.version == 2)
    try publish(2, origin, now: noon + 600)
    device.run(until: start + 30 * minute)
    #expect(device.value("volume") == .int(2))
    #expect(device.device.problem == nil)
  }

  @Test func floorsOfThoseWhoMayNotSignAreNotKept() throws {
    var made = publisher()
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    _ = try trust.take(keys: made.keyFiles()[0].bytes, clock: noon)
    let file = try #require(try made.publish(.fleet, documents: [], now: noon).last)
    let verified = try trust.verified(manifest: file.bytes, for: .fleet, clock: noon)
    _ = try trust.take(keys: made.rotate(signers: [key("second signer")], now: noon)[0].bytes, clock: noon)
    trust.remember(verified)
    #expect(trust.version(of: .fleet) == 0)
    // Nor read where they were.
    trust.floors = [
      .init(channel: "fleet", key: key("signer").publicKey, version: 9, issued: noon, hash: verified.hash),
      .init(channel: "fleet", key: key("second signer").publicKey, version: 3, issued: noon, hash: verified.hash),
    ]
    #expect(try Trust(trust.value).version(of: .fleet) == 3)
  }

  @Test func whatIsUnchangedDoesNotHoldAfterTheTimeOfWhoSignedIt() throws {
    let (origin, device) = try fleet(publisher())
    var keys = origin.publisher.keys
    keys.signers[0].until = noon + 600
    let bytes = try Envelope(.keys, keys.encoded(), signedBy: [key("root")]).encoded()
    origin.put([.init(path: "/v1/keys/latest", bytes: bytes, isImmutable: false)])
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(1, origin, now: noon)
    device.run(until: start + 9 * minute)
    #expect(device.value("volume") == .int(1) && device.device.problem == nil)
    device.run(until: start + 20 * minute)
    #expect(device.device.problem?.reason == .unsigned)
    #expect(device.requests.last { $0.path == path }?.entityTag == nil)
    // What is there stays, and holds again once others have signed it.
    #expect(device.value("volume") == .int(1))
    origin.put(try origin.publisher.rotate(now: noon + 1200))
    device.run(until: start + 60 * minute)
    #expect(device.device.problem == nil)
  }

  @Test func whatIsUnchangedDoesNotHoldIfItTakesMoreToSignIt() throws {
    let (origin, device) = try fleet(publisher())
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(1, origin, now: noon)
    device.run(until: start + minute)
    let rotated = try origin.publisher.rotate(
      signers: [key("signer"), key("second signer")], threshold: 2, now: noon + 60)
    origin.put(rotated.filter { $0.path != path })
    device.run(until: start + 10 * minute)
    #expect(device.device.problem?.reason == .unsigned)
    origin.put(rotated.filter { $0.path == path })
    device.run(until: start + 30 * minute)
    #expect(device.device.problem == nil)
    #expect(device.device.kept.channel(.fleet)?.signers.count == 2)
  }

  @Test func whatIsUnchangedDoesNotHoldAfterTheTimeOfTheKeyDocument() throws {
    let (origin, device) = try fleet(
      Publisher(fleet: "kiosks", roots: [key("root")], signers: [key("signer")], now: noon, keyLifetime: 600))
    try origin.publish(.device(device.device.id), [], now: noon)
    try publish(1, origin, now: noon)
    device.run(until: start + 9 * minute)
    #expect(device.device.problem == nil)
    device.run(until: start + 20 * minute)
    #expect(device.device.problem?.reason == .expired)
    origin.put(try origin.publisher.rotate(now: noon + 1200))
    device.run(until: start + 60 * minute)
    #expect(device.device.problem == nil && device.value("volume") == .int(1))
  }
}

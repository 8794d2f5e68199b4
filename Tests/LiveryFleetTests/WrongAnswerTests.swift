import LiveryClient
import Testing

@testable import LiveryFleet

/// Answers that are not what was asked for: which word each is told with, and what it names.
@Suite struct WrongAnswerTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  private func fleet() throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleetOfOne(at: start)
    try origin.publish(.device(device.device.id), [], now: noon)
    try origin.publish(.fleet, [(Manifest.Entry("good"), good)], interval: 60, now: noon)
    return (origin, device)
  }

  private let good = Document(settings: [.init("volume", .recommend, .int(70))])

  /// Something else in place of what the fleet's manifest says, signed as it is.
  private func change(_ origin: Origin, _ body: (inout Manifest) -> Void) throws {
    let path = "/v1/channels/fleet/manifest"
    let request = Device.Request(path: path, entityTag: nil, isFresh: true, limit: Limit.manifest)
    let envelope = try Envelope.decode(origin.answer(request).body, as: .manifest)
    var manifest = try Manifest.decode(envelope.payload)
    manifest.version += 1
    body(&manifest)
    let signed = try Envelope(.manifest, manifest.encoded(), signedBy: [key("signer")]).encoded()
    origin.put([Publisher.File(path: path, bytes: signed, isImmutable: false)])
  }

  @Test func aKeyDocumentThatIsNotThereIsNamed() throws {
    let (origin, device) = try fleet()
    origin.remove("/v1/keys/latest")
    device.run(until: start + minute)
    #expect(device.device.problem?.reason == .keysMissing)
    #expect(device.device.problem?.message.contains("latest") == true && device.value("volume") == nil)
  }

  @Test func aKeyDocumentInThePlaceOfAnotherIsAskedForOnceMoreAndNotOverAndOver() throws {
    let (origin, device) = try fleet()
    device.run(until: start + minute)
    // Others' roots say that they are version 9, wherever one asks.
    var other = Publisher(fleet: "kiosks", roots: [key("other root")], signers: [key("other")], now: noon)
    for _ in 0..<8 { _ = try other.rotate(signers: [key("other")], now: noon) }
    let forged = try #require(try other.keyFiles().last)
    for path in ["/v1/keys/latest", "/v1/keys/2"] {
      origin.put([Publisher.File(path: path, bytes: forged.bytes, isImmutable: false)])
    }
    let before = device.requests.count
    try change(origin) { $0.keys = 9 }
    device.run(until: start + 2 * minute)
    #expect(device.device.problem?.reason == .malformed)
    #expect(device.device.problem?.message.contains("key document 2: it has version 9") == true)
    let asked = device.requests.suffix(from: before)
    // Once, and once more past caches, in each pull.
    #expect(asked.count { $0.path == "/v1/keys/2" } <= 2 * asked.count { $0.path == "/v1/keys/latest" })
    #expect(device.value("volume") == .int(70))
  }

  @Test func theSizeOfADocumentIsWhatItsEntrySays() throws {
    let (origin, device) = try fleet()
    try change(origin) { $0.documents[0].size += 1 }
    device.run(until: start + minute)
    #expect(device.device.problem?.reason == .malformed && device.value("volume") == nil)
    try change(origin) { $0.documents[0].size -= 1 }
    device.run(until: start + 20 * minute)
    #expect(device.device.problem == nil && device.value("volume") == .int(70))
  }

  @Test func whatIsOfAnotherChannelSpeaksOfACacheAndNotOfAnotherFleet() throws {
    let (origin, device) = try fleet()
    let own = "/v1/channels/\(Channel.device(device.device.id).name)/manifest"
    device.network = { (request) in
      var request = request
      if request.path == own { request.path = "/v1/channels/fleet/manifest" }
      return .answered(origin.answer(request))
    }
    device.run(until: start + minute)
    #expect(device.device.problem?.reason == .mixed && device.value("volume") == nil)
  }

  @Test func aStrangersManifestIsUnsignedWhateverItSaysOfTheTime() throws {
    let (origin, device) = try fleet()
    device.run(until: start + minute)
    let path = "/v1/channels/fleet/manifest"
    let request = Device.Request(path: path, entityTag: nil, isFresh: true, limit: Limit.manifest)
    var manifest = try Manifest.decode(Envelope.decode(origin.answer(request).body, as: .manifest).payload)
    (manifest.version, manifest.issued, manifest.expires) = (9, Limit.time - 2, Limit.time - 1)
    let forged = try Envelope(.manifest, manifest.encoded(), signedBy: [key("stranger")]).encoded()
    origin.put([Publisher.File(path: path, bytes: forged, isImmutable: false)])
    device.run(until: start + 3 * minute)
    #expect(device.device.problem?.reason == .unsigned)
    #expect(device.device.problem?.message.contains("manifest of fleet") == true)
    let nobody = try Envelope(.manifest, manifest.encoded(), signedBy: []).encoded()
    #expect(reason { try Envelope.decode(nobody, as: .manifest) } == .unsigned)
  }

  @Test func whatWasRefusedIsNotToldOfWhatTakesItsPlaceAndCannotBeRead() throws {
    let (origin, device) = try fleet()
    device.violation = { name, _ in name == "bad" ? "it is bad" : nil }
    let bad = (Manifest.Entry("bad"), Document(settings: [.init("bad", .recommend, .int(1))]))
    try origin.publish(.fleet, [(Manifest.Entry("good"), good), bad], interval: 60, now: noon)
    device.run(until: start + 5 * minute)
    let id = device.device.id
    #expect(origin.last[id]?.documents.map { $0.verdict } == [.refused, .refused])
    let junk = Array("<html>".utf8)
    origin.put([Publisher.File(path: "/v1/blobs/" + Crypto.hash(junk).hexadecimal, bytes: junk, isImmutable: true)])
    try change(origin) { ($0.documents[1].hash, $0.documents[1].size) = (Crypto.hash(junk), Int64(junk.count)) }
    device.run(until: start + 10 * minute)
    #expect(origin.last[id].map { Set($0.documents.map { $0.verdict }) } == [.scheduled, .unusable])
    #expect(origin.last[id]?.violations.isEmpty == true && device.overview.violations.isEmpty)
  }
}

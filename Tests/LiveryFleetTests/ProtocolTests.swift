import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct ProtocolTests {
  @Test func documentsComeBackAsTheyWere() throws {
    let bytes = try everything.encoded()
    let back = try Document.decode(bytes)
    #expect(back == everything)
    #expect(try back.encoded() == bytes)
    #expect(try Document.decode(Document(settings: []).encoded()) == Document(settings: []))
  }

  @Test func manifestsComeBackAsTheyWere() throws {
    let entry = Manifest.Entry(
      hash: Crypto.hash([1]), size: 1, name: "first", scope: "player", rollout: Rollout(share: 550, salt: [1, 2]),
      author: "eva",
      comment: "é")
    for manifest in [
      Manifest(
        fleet: "kiosks", channel: .fleet, version: 5, keys: 1, issued: noon, expires: noon + 1,
        versions: [.init(group: "lobby", version: 3), .init(group: "a", version: 1)], documents: [entry], interval: 60),
      Manifest(fleet: "kiosks", channel: .group("lobby"), version: 1, keys: 1, issued: 0, expires: 0),
      Manifest(
        fleet: "kiosks", channel: .device(DeviceID.of(key("device").publicKey)), version: Limit.version, keys: 9,
        issued: noon, expires: noon, groups: ["lobby", "berlin"], documents: [entry]),
    ] {
      let bytes = try manifest.encoded()
      #expect(try Manifest.decode(bytes) == manifest)
      #expect(try Manifest.decode(bytes).encoded() == bytes)
    }
  }

  @Test func reportsAndRequestsComeBackAsTheyWere() throws {
    let report = Report(
      fleet: "kiosks", device: key("device").publicKey, sequence: 9, time: noon, schema: 4, keys: 2,
      channels: [.init(channel: .fleet, version: 7), .init(channel: .group("lobby"), version: 2)],
      documents: [
        .init(hash: Crypto.hash([1]), verdict: .refused), .init(hash: Crypto.hash([2]), verdict: .passedOver),
      ],
      violations: [.init(name: "volume", message: "130 is above 100")], since: 8,
      values: [.init("a", .user, .int(1)), .init("b", nil, nil)], digest: Report.digest([Crypto.hash([3])]),
      problem: "expired", health: "well")
    #expect(try Report.decode(report.encoded()) == report)
    let signed = try Envelope(.report, report.encoded(), signedBy: [key("device")]).encoded()
    #expect(try Report.verified(signed, after: 8) == report)
    #expect(reason { try Report.verified(signed, after: 9) } == .rollback)
    let foreign = try Envelope(.report, report.encoded(), signedBy: [key("other")]).encoded()
    #expect(reason { try Report.verified(foreign, after: nil) } == .unsigned)

    let request = EnrollmentRequest(
      fleet: "kiosks", token: code.token, device: key("device").publicKey, name: "Lobby, left")
    let sent = try Envelope(.enrollment, request.encoded(), signedBy: [key("device")]).encoded()
    #expect(try EnrollmentRequest.verified(sent) == request)
    let claimed = try Envelope(.enrollment, request.encoded(), signedBy: [key("other")]).encoded()
    #expect(reason { try EnrollmentRequest.verified(claimed) } == .unsigned)
  }

  /// Each is a document but for one thing.
  @Test func whatIsNotKnownOrNotInOrderIsRefused() throws {
    let good: [Value.Member] = [.init("format", .int(1))]
    func document(_ members: [Value.Member]) -> FleetError.Reason? {
      reason { try Document.decode(CBOR.encode(.object(members))) }
    }
    func setting(_ members: [Value.Member]) -> Value { .object(members) }
    #expect(document(good) == nil)
    #expect(document([.init("format", .int(2))]) == .unsupported)
    #expect(document(good + [.init("more", .int(1))]) == .unsupported)
    #expect(document(good + [.init("settings", .list([]))]) == .malformed)
    let a = setting([.init("name", .string("a")), .init("verb", .string("release"))])
    let b = setting([.init("name", .string("b")), .init("verb", .string("release"))])
    #expect(document(good + [.init("settings", .list([a, b]))]) == nil)
    #expect(document(good + [.init("settings", .list([b, a]))]) == .malformed)
    #expect(document(good + [.init("settings", .list([a, a]))]) == .malformed)
    for (verb, value, serial, expected) in [
      ("release", Value.int(1), nil, FleetError.Reason.malformed), ("enforce", nil, nil, .malformed),
      ("enforce", .int(1), Value.int(1), .malformed), ("replace", .int(1), nil, .malformed),
      ("replace", .int(1), .int(0), .malformed), ("delete", nil, nil, .unsupported),
    ] {
      var members: [Value.Member] = [.init("name", .string("a")), .init("verb", .string(verb))]
      if let value { members.append(.init("value", value)) }
      if let serial { members.append(.init("serial", serial)) }
      #expect(document(good + [.init("settings", .list([setting(members)]))]) == expected)
    }
    #expect(document(good + [.init("from", .string("2026-13-01T00:00:00"))]) == .malformed)
    #expect(document(good + [.init("from", .int(-1))]) == .malformed)
    #expect(document(good + [.init("schema", .list([.int(3), .int(2)]))]) == .malformed)
    #expect(document(good + [.init("trial", .object([.init("seconds", .int(0))]))]) == .malformed)
  }

  @Test func whatIsLargerThanMayBeIsRefused() throws {
    let large = Document(settings: [.init("a", .enforce, .data([UInt8](repeating: 0, count: Limit.document)))])
    #expect(reason { try large.encoded() } == .tooLarge)
    let many = Document(settings: (0..<2049).map { .init("setting-\($0)", .release) })
    #expect(reason { try Document.decode(many.encoded()) } == .tooLarge)
    #expect(
      reason { try Envelope.decode([UInt8](repeating: 0, count: Limit.manifest + 1), as: .manifest) } == .tooLarge)
  }

  @Test func aSignatureIsOfOneKindAlone() throws {
    let payload = try publisher().keys.encoded()
    for made in Envelope.Kind.allCases {
      let bytes = try Envelope(made, payload, signedBy: [key("root")]).encoded()
      for asked in Envelope.Kind.allCases where asked != made {
        #expect(reason { try Envelope.decode(bytes, as: asked) } != nil)
      }
      // The same signature under another kind's name.
      guard case .list(var parts) = try CBOR.decode(bytes) else { continue }
      for asked in Envelope.Kind.allCases where asked != made {
        parts[0] = .string(asked.name)
        let renamed = try Envelope.decode(CBOR.encode(.list(parts)), as: asked)
        #expect(reason { try renamed.verify { _ in true } } == .unsigned)
      }
    }
  }

  @Test func namesAreThoseThatPathsAndTopicsTakeAsTheyAre() {
    for name in ["a", "lobby-2", "0", "a_b", String(repeating: "a", count: 32)] { #expect(Name.isValid(name)) }
    for name in ["", "-a", "_", "A", "a/b", "..", "a b", "é", "a+", "#", String(repeating: "a", count: 33)] {
      #expect(!Name.isValid(name))
    }
    for name in ["fleet", "group.lobby", "device." + DeviceID.of([1])] { #expect(Channel(name: name)?.name == name) }
    for name in ["", "group.", "group.A", "device.", "device.0", "Fleet", "fleet.", "group.a/b"] {
      #expect(Channel(name: name) == nil)
    }
  }
}

import LiveryClient
import Testing

@testable import LiveryFleet

/// The attacks that a device withstands, and the way back from each.
@Suite struct TrustTests {
  private func signed(_ manifest: Manifest, _ signers: [SigningKey] = [key("signer")]) throws -> [UInt8] {
    try Envelope(.manifest, manifest.encoded(), signedBy: signers).encoded()
  }

  private func signed(_ keys: KeyDocument, _ roots: [SigningKey] = [key("root")]) throws -> [UInt8] {
    try Envelope(.keys, keys.encoded(), signedBy: roots).encoded()
  }

  private func manifest(_ version: Int64, keys: Int64 = 1, expires: Int64 = noon + 1000) -> Manifest {
    Manifest(fleet: "kiosks", channel: .fleet, version: version, keys: keys, issued: noon, expires: expires)
  }

  private func enrolled() throws -> Trust {
    var trust = Trust(fleet: "kiosks", fingerprint: publisher().fingerprint)
    #expect(try trust.take(keys: signed(publisher().keys), clock: noon) == .taken)
    return trust
  }

  private func take(_ manifest: Manifest, _ trust: inout Trust, _ signers: [SigningKey] = [key("signer")]) throws {
    trust.remember(try trust.verified(manifest: signed(manifest, signers), for: .fleet, clock: noon))
  }

  @Test func rollbackAnOlderManifestIsRefused() throws {
    var trust = try enrolled()
    try take(manifest(5), &trust)
    #expect(reason { try take(manifest(4), &trust) } == .rollback)
    try take(manifest(5), &trust)
    try take(manifest(6), &trust)
  }

  @Test func equivocationASecondManifestOfAVersionIsRefused() throws {
    var trust = try enrolled()
    try take(manifest(5), &trust)
    #expect(reason { try take(manifest(5, expires: noon + 2000), &trust) } == .equivocation)
  }

  @Test func freezeAManifestWhoseTimeIsOverIsRefused() throws {
    var trust = try enrolled()
    #expect(reason { try take(manifest(5, expires: noon), &trust) } == .expired)
    // Nor does a clock that was set back make it good again, once something later was seen.
    var later = manifest(6)
    later.issued = noon + 500
    try take(later, &trust)
    let old = try signed(manifest(7, expires: noon + 400))
    #expect(reason { try trust.verified(manifest: old, for: .fleet, clock: 0) } == .expired)
    // The way back: a fresh one.
    try take(manifest(8), &trust)
  }

  @Test func aManifestFromAfterTheTimeOfTheKeysEndsNothing() throws {
    var trust = try enrolled()
    var late = manifest(5, expires: noon + 800 * 86_400)
    late.issued = noon + 400 * 86_400
    #expect(reason { try take(late, &trust) } == .expired)
    try take(manifest(5), &trust)
  }

  @Test func mixAndMatchAGroupThatIsBehindTheFleetIsRefused() throws {
    var fleet = manifest(5)
    fleet.versions = [.init(group: "lobby", version: 3)]
    func group(_ version: Int64) -> Manifest {
      Manifest(fleet: "kiosks", channel: .group("lobby"), version: version, keys: 1, issued: noon, expires: noon + 9)
    }
    #expect(reason { try Trust.check(fleet, allows: group(2)) } == .mixed)
    try Trust.check(fleet, allows: group(3))
    try Trust.check(fleet, allows: group(4))
  }

  @Test func aManifestOfAnotherChannelOrFleetIsRefused() throws {
    let trust = try enrolled()
    let bytes = try signed(manifest(5))
    #expect(reason { try trust.verified(manifest: bytes, for: .group("lobby"), clock: noon) } == .mixed)
    var other = manifest(5)
    other.fleet = "others"
    let foreign = try signed(other)
    #expect(reason { try trust.verified(manifest: foreign, for: .fleet, clock: noon) } == .foreign)
  }

  @Test func fastForwardAStolenKeyBlocksNothingOnceItIsRevoked() throws {
    var trust = try enrolled()
    try take(manifest(5), &trust)
    try take(manifest(Limit.version), &trust)
    #expect(reason { try take(manifest(6), &trust) } == .rollback)

    var next = publisher()
    _ = try next.rotate(signers: [key("second signer")], now: noon + 10)
    #expect(reason { try take(manifest(6, keys: 2), &trust, [key("second signer")]) } == .keysMissing)
    #expect(try trust.take(keys: signed(next.keys), clock: noon) == .taken)
    #expect(reason { try take(manifest(6, keys: 2), &trust) } == .unsigned)
    try take(manifest(6, keys: 2), &trust, [key("second signer")])
  }

  @Test func whatAnotherKeyHasSignedStaysAFloorWhenOneIsRevoked() throws {
    var made = Publisher(
      fleet: "kiosks", roots: [key("root")], signers: [key("signer"), key("second signer")], now: noon)
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    _ = try trust.take(keys: signed(made.keys), clock: noon)
    try take(manifest(5), &trust)
    try take(manifest(900), &trust, [key("second signer")])
    _ = try made.rotate(signers: [key("signer")], now: noon + 10)
    _ = try trust.take(keys: signed(made.keys), clock: noon)
    #expect(reason { try take(manifest(4), &trust) } == .rollback)
    try take(manifest(6), &trust)
  }

  @Test func aManifestTakesAsManySignersAsTheKeyDocumentSays() throws {
    let made = Publisher(
      fleet: "kiosks", roots: [key("root")], signers: [key("signer"), key("second signer")], threshold: 2, now: noon)
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    _ = try trust.take(keys: signed(made.keys), clock: noon)
    #expect(reason { try take(manifest(1), &trust) } == .unsigned)
    #expect(reason { try take(manifest(1), &trust, [key("signer"), key("other")]) } == .unsigned)
    try take(manifest(1), &trust, [key("signer"), key("second signer")])
    // One wrong signature beside two right ones is not taken either.
    #expect(reason { try take(manifest(2), &trust, [key("signer"), key("second signer"), key("other")]) } == .unsigned)
  }

  @Test func aSignerCountsWithinItsTimeAlone() throws {
    var document = publisher().keys
    document.signers[0].from = noon + 10
    document.signers[0].until = noon + 20
    var trust = Trust(fleet: "kiosks", fingerprint: publisher().fingerprint)
    _ = try trust.take(keys: signed(document), clock: noon)
    let bytes = try signed(manifest(1))
    for (clock, expected) in [(noon + 9, FleetError.Reason.unsigned), (noon + 10, nil), (noon + 20, .unsigned)] {
      #expect(reason { try trust.verified(manifest: bytes, for: .fleet, clock: clock) } == expected)
    }
  }

  @Test func keyDocumentsOfOthersAndOlderOnesAreRefused() throws {
    var trust = try enrolled()
    var next = publisher()
    _ = try next.rotate(now: noon + 10)
    #expect(reason { try trust.take(keys: signed(next.keys, [key("signer")]), clock: noon) } == .unsigned)
    #expect(reason { try trust.take(keys: signed(next.keys, [key("root"), key("other")]), clock: noon) } == .unsigned)
    #expect(try trust.take(keys: signed(next.keys), clock: noon) == .taken)
    #expect(try trust.take(keys: signed(next.keys), clock: noon) == .same)
    #expect(reason { try trust.take(keys: signed(publisher().keys), clock: noon) } == .rollback)
    var second = next.keys
    second.threshold = 2
    #expect(reason { try trust.take(keys: signed(second), clock: noon) } == .equivocation)
    var other = next.keys
    other.fleet = "others"
    #expect(reason { try trust.take(keys: signed(other), clock: noon) } == .foreign)
    var fresh = Trust(fleet: "kiosks", fingerprint: [UInt8](repeating: 0, count: 32))
    #expect(reason { try fresh.take(keys: signed(publisher().keys), clock: noon) } == .unsigned)
    var late = Trust(fleet: "kiosks", fingerprint: publisher().fingerprint)
    #expect(reason { try late.take(keys: signed(publisher().keys), clock: noon + 366 * 86_400) } == .expired)
  }

  @Test func rootsAreFollowedStepByStep() throws {
    var made = publisher()
    var files = try made.keyFiles()
    for root in ["root 2", "root 3", "root 4"] { files += try made.rotate(roots: [key(root)], now: noon) }
    func file(_ path: String) throws -> [UInt8] { try #require(files.last { $0.path == path }).bytes }
    var trust = try enrolled()
    #expect(try trust.take(keys: file("/v1/keys/latest"), clock: noon) == .needsVersion(2))
    #expect(try trust.take(keys: file("/v1/keys/2"), clock: noon) == .taken)
    #expect(try trust.take(keys: file("/v1/keys/4"), clock: noon) == .needsVersion(3))
    #expect(try trust.take(keys: file("/v1/keys/3"), clock: noon) == .taken)
    #expect(try trust.take(keys: file("/v1/keys/4"), clock: noon) == .taken)
    // A device that enrolls now knows the present roots alone.
    var fresh = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    #expect(try fresh.take(keys: file("/v1/keys/latest"), clock: noon) == .taken)
  }

  @Test func newRootsNeedTheSignaturesOfTheFormerOnes() throws {
    var made = publisher()
    _ = try made.rotate(roots: [key("root 2")], now: noon)
    var trust = try enrolled()
    #expect(reason { try trust.take(keys: signed(made.keys, [key("root 2")]), clock: noon) } == .unsigned)
    // Who claims other former roots than there were is not believed.
    var claimed = made.keys
    claimed.former = KeyDocument.Roots(keys: [key("other").publicKey])
    #expect(
      reason { try trust.take(keys: signed(claimed, [key("root 2"), key("other")]), clock: noon) } == .unsigned)
    #expect(try trust.take(keys: signed(made.keys, [key("root"), key("root 2")]), clock: noon) == .taken)
  }

  @Test func whatIsTrustedIsKept() throws {
    var trust = try enrolled()
    try take(manifest(5), &trust)
    let kept = try CBOR.encode(trust.value)
    var back = try Trust(CBOR.decode(kept))
    #expect(back.keys == trust.keys)
    #expect(back.version(of: .fleet) == 5)
    #expect(reason { try take(manifest(4), &back) } == .rollback)
  }
}

import LiveryClient
import Testing

@testable import LiveryFleet

/// A device that comes up long after it was enrolled.
@Suite struct LateStartTests {
  @Test func rootsThatChangedMeanwhileAreFollowedFromThoseOfTheEnrollment() throws {
    var console = publisher()
    let enrolled = console.fingerprint
    let first = try #require(try console.keyFiles().first).bytes
    let second = try #require(try console.rotate(roots: [key("root 2")], now: noon + 1).first).bytes
    let third = try #require(try console.rotate(roots: [key("root 3")], now: noon + 2).first).bytes

    var trust = Trust(fleet: "kiosks", fingerprint: enrolled)
    #expect(try trust.take(keys: second, clock: noon + 1) == .taken)
    #expect(try trust.take(keys: third, clock: noon + 2) == .taken)

    trust = Trust(fleet: "kiosks", fingerprint: enrolled)
    #expect(try trust.take(keys: third, clock: noon + 2) == .needsVersion(2))
    #expect(try trust.take(keys: second, clock: noon + 2) == .taken && trust.keys?.version == 2)
    #expect(try trust.take(keys: third, clock: noon + 2) == .taken && trust.keys?.version == 3)

    // Roots that do not follow lead to nothing.
    trust = Trust(fleet: "kiosks", fingerprint: Crypto.hash([]))
    #expect(try trust.take(keys: second, clock: noon + 1) == .needsVersion(1))
    #expect(reason { try trust.take(keys: first, clock: noon + 1) } == .unsigned)
    #expect(trust.keys == nil)
  }
}

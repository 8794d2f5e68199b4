import CFleet
import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct MergeTests {
  private func held(_ settings: [Document.Setting], trial: Document.Trial? = nil) throws -> HeldDocument {
    let bytes = try Document(settings: settings, trial: trial).encoded()
    return try HeldDocument(bytes, hash: Crypto.hash(bytes))
  }

  private func edits(_ settings: [Document.Setting], from owned: Owned = Owned()) throws -> Change {
    try Desired.merging([held(settings)]).change(from: owned)
  }

  @Test func theStrongestChannelWinsWhateverTheVerb() throws {
    let fleet = try held([
      .init("a", .enforce, .int(1)), .init("b", .enforce, .int(1)), .init("c", .recommend, .int(1)),
    ])
    let group = try held([.init("b", .recommend, .int(2)), .init("c", .replace, .int(2), serial: 1)])
    let device = try held([.init("c", .release), .init("d", .enforce, .int(3))])
    let desired = try Desired.merging([fleet, group, device])
    #expect(
      desired.entries.map { $0.setting } == [
        .init("a", .enforce, .int(1)), .init("b", .recommend, .int(2)), .init("d", .enforce, .int(3)),
      ])
    #expect(desired.entries.map { $0.document } == [fleet.hash, group.hash, device.hash])
    #expect(try Desired.merging([]).entries.isEmpty)
  }

  @Test func ofTrialsThatBeginTogetherAllHaveToProveGood() throws {
    let fleet = try held([.init("a", .enforce, .int(1))], trial: .init(seconds: 600, check: "screen"))
    let group = try held([.init("b", .enforce, .int(1))], trial: .init(seconds: 60))
    let device = try held([.init("c", .enforce, .int(1))], trial: .init(seconds: 900, check: "camera"))
    let again = try held([.init("d", .enforce, .int(1))], trial: .init(seconds: 700, check: "screen"))
    func trial(_ documents: HeldDocument..., tried: [[UInt8]] = []) throws -> Desired.Trial? {
      try Desired.merging(documents, tried: tried).trial
    }
    #expect(
      try trial(fleet, group, device, again)
        == .init(seconds: 60, [.reached, .check("camera"), .check("screen")]))
    #expect(try trial(again, fleet) == .init(seconds: 600, [.check("screen")]))
    #expect(try trial(fleet, group, tried: [fleet.hash]) == .init(seconds: 60, [.reached]))
    #expect(try trial(fleet, group, tried: [group.hash, fleet.hash]) == nil)
    #expect(try trial(device, fleet)?.text == "600 camera screen")
    // One of which nothing is has none.
    let above = try held([.init("a", .release)])
    #expect(try trial(fleet, above) == nil)
    #expect(try Desired.merging([fleet, above]).idle == [fleet.hash])
    #expect(try trial(fleet, group, above) == .init(seconds: 60, [.reached]))
  }

  @Test func eachVerbComesToItsEdit() throws {
    let change = try edits([
      .init("a", .recommend, .int(1)), .init("b", .replace, .int(2), serial: 1), .init("c", .enforce, .int(3)),
      .init("d", .release),
    ])
    #expect(
      change.edits == [.set("a", .int(1), .recommended), .replace("b", .int(2)), .set("c", .int(3), .enforced)])
  }

  @Test func aReplacementIsMadeOnce() throws {
    let first = try edits([.init("b", .replace, .int(2), serial: 1)])
    #expect(first.edits == [.replace("b", .int(2))])
    #expect(
      try edits([.init("b", .replace, .int(2), serial: 1)], from: first.owned).edits == [
        .set("b", .int(2), .recommended)
      ])
    #expect(try edits([.init("b", .replace, .int(2), serial: 2)], from: first.owned).edits == [.replace("b", .int(2))])
    #expect(try edits([.init("b", .replace, .int(3), serial: 1)], from: first.owned).edits == [.replace("b", .int(3))])
  }

  @Test func whatWasReplacedStaysSoBeneathSomethingStronger() throws {
    let weak = try held([.init("b", .replace, .int(2), serial: 1)])
    let strong = try held([.init("b", .recommend, .int(9))])
    let released = try held([.init("b", .release)])
    let other = try held([.init("b", .replace, .int(3), serial: 1)])
    let first = try Desired.merging([weak]).change(from: Owned())
    for above in [strong, released, other] {
      let covered = try Desired.merging([weak, above]).change(from: first.owned)
      #expect(covered.owned.covered.count == 1)
      // As it is kept.
      var kept = try Owned(CBOR.decode(CBOR.encode(covered.owned.value)))
      guard case .list(let beside) = try CBOR.decode(CBOR.encode(.list(covered.owned.coveredValue))) else { return }
      kept.cover(beside)
      #expect(kept == covered.owned)
      #expect(try Desired.merging([weak]).change(from: kept).edits.last == .set("b", .int(2), .recommended))
      // It was gone.
      let without = try Desired.merging([above]).change(from: kept)
      #expect(without.owned.covered.isEmpty)
      #expect(try Desired.merging([weak]).change(from: without.owned).edits.last == .replace("b", .int(2)))
    }
    // Beneath another from its beginning it has replaced nothing.
    let hidden = try Desired.merging([weak, strong]).change(from: Owned())
    #expect(hidden.owned.covered.isEmpty)
    #expect(try Desired.merging([weak]).change(from: hidden.owned).edits.last == .replace("b", .int(2)))
    #expect(try Desired.merging([weak, strong]).fingerprint() == Desired.merging([strong]).fingerprint())
  }

  @Test func whatWasReplacedStaysSoByAnotherName() throws {
    let first = try edits([.init("b", .replace, .int(2), serial: 1)])
    let upgraded = try Desired.merging([held([.init("b", .replace, .int(2), serial: 1)])], canonical: { _ in "c" })
    let change = try upgraded.change(from: first.owned, canonical: { $0 == "b" ? "c" : $0 })
    #expect(change.edits == [.reset("b", .recommended), .set("c", .int(2), .recommended)])
  }

  @Test func whatIsNotWantedAnyMoreIsTakenBack() throws {
    let first = try edits([
      .init("a", .recommend, .int(1)), .init("b", .enforce, .int(2)), .init("c", .enforce, .int(3)),
    ])
    let second = try edits([.init("b", .recommend, .int(2)), .init("c", .release)], from: first.owned)
    #expect(
      second.edits == [
        .reset("a", .recommended), .reset("b", .enforced), .reset("c", .enforced), .set("b", .int(2), .recommended),
      ])
    #expect(second.origins.count == second.edits.count)
    #expect(second.owned.entries.map { $0.name } == ["b"])
    #expect(try Owned(CBOR.decode(CBOR.encode(first.owned.value))) == first.owned)
  }

  @Test func tooManySettingsAreRefused() throws {
    let documents = try (0..<2).map { part in
      try held((0..<2000).map { .init("setting-\(part)-\($0)", .release) })
    }
    #expect(reason { try Desired.merging(documents) } == .tooLarge)
  }

  // MARK: Rollout

  @Test func aRolloutGrowsByThoseThatJoinIt() {
    let ids = (0..<20_000).map { DeviceID.of(Array("\($0)".utf8)) }
    var before: Set<String> = []
    for share: Int64 in [0, 1, 100, 550, 2500, 9999] {
      let rollout = Rollout(share: share, salt: [7])
      let inside = Set(ids.filter { rollout.includes($0) })
      #expect(before.isSubset(of: inside))
      // Six standard deviations.
      let expected = Double(share) * 2
      let spread = 6 * (expected * (1 - Double(share) / 10_000)).squareRoot() + 1
      #expect(abs(Double(inside.count) - expected) <= spread)
      before = inside
    }
    let other = ids.filter {
      Rollout(share: 2500, salt: [8]).includes($0) != Rollout(share: 2500, salt: [7]).includes($0)
    }
    #expect(other.count > 6000)
  }

  // MARK: Schedules

  /// As in Berlin since 1996: summer from the last Sunday of March to that of October, 01:00 UTC.
  private func berlin(_ moment: Int64) -> Int64 {
    let (day, _) = moment.floorDivided(by: 86_400)
    let year = Calendar.date(ofDay: day).year
    func lastSunday(_ month: Int64) -> Int64 {
      let last = Calendar.days(toYear: year, month: month, day: 31)
      return (last - (last + 4) % 7) * 86_400 + 3600
    }
    return moment >= lastSunday(3) && moment < lastSunday(10) ? 7200 : 3600
  }

  @Test(arguments: [
    ("2026-01-15T12:00:00", "2026-01-15T11:00:00"), ("2026-07-15T12:00:00", "2026-07-15T10:00:00"),
    // Clocks jump from 02:00 to 03:00: what lies between comes with the jump.
    ("2026-03-29T01:59:59", "2026-03-29T00:59:59"), ("2026-03-29T02:00:00", "2026-03-29T01:00:00"),
    ("2026-03-29T02:30:00", "2026-03-29T01:00:00"), ("2026-03-29T03:00:00", "2026-03-29T01:00:00"),
    ("2026-03-29T03:00:01", "2026-03-29T01:00:01"),
    // And back from 03:00 to 02:00: what comes twice is the first.
    ("2026-10-25T01:59:59", "2026-10-24T23:59:59"), ("2026-10-25T02:00:00", "2026-10-25T00:00:00"),
    ("2026-10-25T02:59:59", "2026-10-25T00:59:59"), ("2026-10-25T03:00:00", "2026-10-25T02:00:00"),
  ])
  func timesOfDayAreRightAcrossDaylightSaving(_ local: String, _ utc: String) throws {
    let time = try #require(ScheduledTime.wall(local))
    #expect(time.moment(berlin) == WallTime.seconds(Array(utc.utf8)))
  }

  @Test func zonesOfHalfAnHourAndAcrossTheDateLineAreRight() throws {
    // Lord Howe Island: half an hour of daylight saving, which ended on 2026-04-04 at 15:00 UTC.
    let change = try #require(WallTime.seconds(Array("2026-04-04T15:00:00".utf8)))
    let howe: ZoneOffset = { $0 < change ? 39_600 : 37_800 }
    #expect(try #require(ScheduledTime.wall("2026-04-05T01:45:00")).moment(howe) == change - 900)
    #expect(try #require(ScheduledTime.wall("2026-04-05T02:00:00")).moment(howe) == change + 1800)
    // Samoa left out 2011-12-30.
    let jump = try #require(WallTime.seconds(Array("2011-12-30T10:00:00".utf8)))
    let samoa: ZoneOffset = { $0 < jump ? -36_000 : 50_400 }
    #expect(try #require(ScheduledTime.wall("2011-12-30T12:00:00")).moment(samoa) == jump)
    #expect(try #require(ScheduledTime.wall("2011-12-31T00:00:00")).moment(samoa) == jump)
  }

  @Test func aDocumentHoldsFromUntil() {
    let document = Document(from: .moment(100), until: .moment(200), settings: [])
    func at(_ now: Int64) -> (Bool, Int64?) { document.holds(at: now) { _ in 0 } }
    #expect(at(99) == (false, 100))
    #expect(at(100) == (true, 200))
    #expect(at(199) == (true, 200))
    #expect(at(200) == (false, nil))
    #expect(Document(settings: []).holds(at: 5) { _ in 0 } == (true, nil))
  }

  @Test func theSystemsZoneIsAskedForAMoment() {
    // Whatever the zone: no clock is more than a day from UTC, and asking twice gives the same.
    for moment: Int64 in [0, noon, noon + 180 * 86_400] {
      #expect(abs(lvd_zone_offset(moment)) < 86_400)
      #expect(lvd_zone_offset(moment) == lvd_zone_offset(moment))
    }
  }
}

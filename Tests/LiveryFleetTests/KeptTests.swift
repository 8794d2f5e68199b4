import LiveryClient
import Testing

@testable import LiveryFleet

/// What a device keeps, and what becomes of it where that is not what it should be.
@Suite struct KeptTests {
  private let start = noon * 1000
  private let minute: Int64 = 60_000

  private func fleet() throws -> (Origin, SimulatedDevice) {
    try fleetOfOne(at: start)
  }

  /// With a group whose title holds.
  private func grouped() throws -> (Origin, SimulatedDevice) {
    let (origin, device) = try fleet()
    try origin.publish(.fleet, [], now: noon)
    try origin.publish(
      .group("lobby"), [(Manifest.Entry("first"), Document(settings: [.init("title", .enforce, .string("Lobby"))]))],
      now: noon)
    try origin.publish(.device(device.device.id), [], groups: ["lobby"], now: noon)
    return (origin, device)
  }

  @Test(arguments: ["", String(repeating: "x", count: 1025)])
  func aTagThatCannotBeKeptTakesNothingAway(_ tag: String) throws {
    let (origin, device) = try grouped()
    device.network = { request in
      var answer = origin.answer(request)
      if request.path.contains("group.") { answer.entityTag = tag }
      return .answered(answer)
    }
    device.run(until: start + minute)
    #expect(device.value("title") == .string("Lobby"))
    #expect(device.device.kept.channel(.group("lobby"))?.entityTag == nil)
    device.network = { _ in .lost }
    try device.restart()
    device.run(until: start + 180 * minute)
    #expect(device.value("title") == .string("Lobby"))
  }

  @Test func theLongestTagIsSentBack() throws {
    let (origin, device) = try grouped()
    let tag = String(repeating: "x", count: 1024)
    device.network = { request in
      var answer = origin.answer(request)
      answer.entityTag = tag
      return .answered(answer)
    }
    device.run(until: start + minute)
    try device.restart()
    device.run(until: start + 2 * minute)
    #expect(device.requests.last?.entityTag == tag)
  }

  @Test func aGroupThatCannotBeReadIsWaitedFor() throws {
    let (origin, device) = try grouped()
    device.run(until: start + minute)
    let record = try #require(device.records["channel.group.lobby"])
    device.records["channel.group.lobby"] = .int(1)
    device.records["channel.group.other"] = record
    device.network = { _ in .lost }
    try device.restart()
    device.run(until: start + 180 * minute)
    #expect(device.value("title") == .string("Lobby"))
    device.network = { .answered(origin.answer($0)) }
    device.run(until: start + 360 * minute)
    #expect(device.value("title") == .string("Lobby"))
    // It is written anew, and what belongs to nobody goes.
    #expect(device.records["channel.group.lobby"]?["manifest"] == record["manifest"])
    #expect(device.records["channel.group.other"] == nil)
  }

  @Test func whatPullsHaveBroughtThatNeverEndIsNotInTheWay() throws {
    let (origin, device) = try fleet()
    try origin.publish(.device(device.device.id), [], now: noon)
    try origin.publish(.fleet, [], now: noon)
    device.run(until: start + minute)
    for round in 1...5 {
      var documents = (0..<40).map { number in
        (Manifest.Entry("part"), Document(settings: [.init("part.\(round).\(number)", .recommend, .int(1))]))
      }
      // An asset that is not there.
      documents[39].1.assets = [.init(hash: Crypto.hash([UInt8(round)]), size: 1)]
      try origin.publish(.fleet, documents, now: noon)
      device.tell(.pull)
      device.run(until: device.now + 10_000)
      #expect(device.device.problem?.reason == .unavailable)
    }
    #expect(device.device.kept.documents.count <= 2 * Limit.documentsHeld)
    #expect(device.records.keys.count { $0.hasPrefix("document.") } == device.device.kept.documents.count)
    try origin.publish(
      .fleet, [(Manifest.Entry("last"), Document(settings: [.init("volume", .recommend, .int(7))]))], now: noon)
    device.tell(.pull)
    device.run(until: device.now + 10_000)
    #expect(device.value("volume") == .int(7) && device.device.problem == nil)
    #expect(device.records.keys.count { $0.hasPrefix("document.") } == 1)
  }

  @Test func moreDocumentsThanADeviceTakesAreNotAskedFor() throws {
    let (origin, device) = try fleet()
    try origin.publish(.device(device.device.id), [], now: noon)
    let documents = (0...Limit.documentsHeld).map { number in
      (Manifest.Entry("part"), Document(settings: [.init("part.\(number)", .recommend, .int(1))]))
    }
    try origin.publish(.fleet, documents, interval: 60, now: noon)
    device.run(until: start + 10 * minute)
    #expect(device.device.problem?.reason == .tooLarge)
    #expect(!device.requests.contains { $0.path.contains("blobs") })
    try origin.publish(.fleet, Array(documents.dropFirst()), interval: 60, now: noon)
    device.run(until: start + 60 * minute)
    #expect(device.value("part.1") == .int(1) && device.device.problem == nil)
  }
}

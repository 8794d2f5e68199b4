import LiveryABI
import LiveryClient
import LiveryFleet
import Testing

@testable import LiverySync

/// What programs in Swift call, and what is decided without a network.
@Suite struct SyncTests {
  private func store(_ name: String) throws -> Store {
    var options = Store.Options()
    options.create = true
    options.inMemory = true
    return try Store(path: "/sync-tests/\(name)", options: options)
  }

  @Test func aDeviceOfNoFleetSaysSo() async throws {
    let store = try store("none")
    let status = try store.fleetStatus()
    #expect(status["state"]?.text == "none")
    await #expect(throws: StoreError.self) { try await store.pull() }
    do throws(StoreError) {
      try await store.push()
      Issue.record("there is nobody to report to")
    } catch {
      #expect(error.code == .notFound)
    }
    try store.leave()
    store.close()
  }

  @Test func whatIsNoCodeIsRefusedAsSuch() async throws {
    let store = try store("code")
    do throws(StoreError) {
      try await store.enroll("nonsense")
      Issue.record("it is no code")
    } catch {
      #expect(error.code == .parse)
    }
    var options = SyncOptions()
    options.broker = "ftp://x"
    #expect(throws: StoreError.self) { try store.sync(options) }
    let session = try store.sync()
    session.stop()
    session.stop()
    store.close()
  }

  /// Whoever confirms or takes back ours is not to do so with theirs.
  @Test func theTrialOfSomebodyElseIsNotTakenForTheConsoles() throws {
    let store = try store("trials")
    let trial = Trial(fingerprint: [1], after: 0, wanted: .init(seconds: 60, [.reached]), schema: nil)
    let revision = try store.edit(.user) { (edit) throws(StoreError) in
      try edit.set("volume", to: .int(1))
      try edit.setTrial(.seconds(60))
    }
    if case .none = try trial.state(in: store) {} else { Issue.record("it is somebody else's") }
    #expect(try store.placesOnTrial().isEmpty)
    try store.revertTrial(revision)
    if case .none = try trial.state(in: store) {} else { Issue.record("it was somebody else's") }
    let ours = try store.edit(.enforced) { (edit) throws(StoreError) in
      try edit.setOrigin("sync: p1 by eva")
      try edit.set("volume", to: .int(2))
      try edit.use(.bundle)
      try edit.set(Driver.ownedSetting, to: .object([.init("applied", .data([1]))]))
      try edit.setTrial(.seconds(60))
    }
    if case .pending(ours) = try trial.state(in: store) {} else { Issue.record("it is the console's") }
    #expect(try Set(store.placesOnTrial().map { $0.name }) == [Driver.ownedSetting, "volume"])
    #expect(trial.isInEffect(try store.kept(Driver.ownedSetting)) && !trial.isInEffect(nil))
    try store.revertTrial(ours)
    if case .reverted = try trial.state(in: store) {} else { Issue.record("it was the console's") }
    store.close()
  }

  @Test(arguments: [
    ("plain", 10, "plain"), ("a\u{1b}[31mb\nc", 20, "a [31mb c"), ("äöü", 3, "ä"), ("äöü", 4, "äö"),
    ("x\u{9b}y", 9, "x y"),
  ])
  func textOfOthersIsOneLineThatSteersNoTerminal(_ text: String, _ limit: Int, _ line: String) {
    #expect(text.line(limit) == line)
  }

  @Test func whatIsKeptOfTheFleetIsReadAsItWasWritten() throws {
    let membership = Membership(
      url: "https://fleet", fleet: "kiosks", device: [UInt8](repeating: 7, count: 32), name: "till 4",
      since: Timestamp(microseconds: 5), certificates: "/ca.pem", proxy: "")
    #expect(Membership(membership.value)?.value == membership.value)
    #expect(Membership(.object([])) == nil)
    #expect(Membership(.object([.init("url", .string("x")), .init("device", .data([1]))])) == nil)
    for name in ["sync.fleet", "sync.key", "sync.trial", "sync.other"] {
      #expect(throws: StoreError.self) { try Membership.check(.int(1), name) }
    }
    #expect(try Membership.check(.int(1), "sync.record.anything") == .int(1))
    for name in ["sync.request.1", "sync.answer.1"] {
      #expect(try Membership.check(.object([]), name) == .object([]))
      #expect(throws: StoreError.self) { try Membership.check(.int(1), name) }
    }
    let wanted = Desired.Trial(seconds: 60, [.check("screen"), .reached, .check("camera")])
    var trial = Trial(fingerprint: [1, 2], after: 9, wanted: wanted, schema: 3)
    #expect(trial.open == [.reached, .check("camera"), .check("screen")])
    #expect(Trial(trial.value)?.value == trial.value && Trial(trial.value)?.schema == 3)
    trial.passed = [.check("screen"), .reached]
    #expect(Trial(trial.value)?.open == [.check("camera")])
    #expect(Trial(.object([.init("after", .int(-1))])) == nil)
    // What no trial lasts is none, whoever wrote it.
    for seconds in [Int64.min, -1, 0, 2_592_001, .max] {
      let members: [Value.Member] = [
        .init("fingerprint", .data([1])), .init("after", .int(1)), .init("seconds", .int(seconds)),
        .init("conditions", .list([.string("-")])),
      ]
      #expect(Trial(.object(members)) == nil)
    }
  }
}

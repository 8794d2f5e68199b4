import CSystem
import LMDB
import Testing

@testable import Livery

/// What goes back by itself. Tests that need the clock to pass wait for it; how it may jump is told in `Tests/C/trial.c`.
@Suite struct TrialTests {
  let temporary = TemporaryStore()
  static let short = Duration.milliseconds(30)

  @discardableResult
  private func put(
    _ store: Store, _ edits: [(String, Value?)], in layer: Layer = .user, for length: Duration = .seconds(600)
  ) throws -> UInt64 {
    let change = try store.change(layer)
    try change.setOrigin("test")
    for (name, value) in edits {
      if let value { try change.set(name, to: value) } else { try change.reset(name) }
    }
    try change.setTrial(length)
    return try change.commit()
  }

  private func waitForEnd(_ store: Store) throws {
    while try store.trialStatus().text("state") == "pending" { lvs_sleep_us(2000) }
  }

  private func number(_ store: Store, _ name: String) -> Int64? {
    guard case .int(let number)? = try? store.value(name) else { return nil }
    return number
  }

  @Test func whatIsImportedGoesBackToo() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let json = Array(#"{"Values": {"a": 2, "b": 3}}"#.utf8)
    let tooLong = store.importJSON(json, into: .user, trial: .seconds(400 * 86_400))
    #expect(tooLong.error?.code == .invalidArgument)
    #expect(store.importJSON(json, into: .user, trial: .seconds(600)).error == nil)
    #expect(number(store, "a") == 2)
    #expect(try store.trialStatus()["settings"]?.items.count == 2)
    try store.revertTrial()
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    let layers = store.importJSON(
      try store.exportJSON(layers: true, pretty: false).bytes, into: .user, trial: .seconds(600))
    #expect(layers.error?.code == .invalidArgument)
    #expect(try store.trialStatus().text("state") == "reverted")
  }

  @Test func aTrialIsInEffectAtOnceAndStaysOnceItIsConfirmed() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2)), ("b", .int(3))])
    #expect(number(store, "a") == 2)
    #expect(number(store, "b") == 3)
    let status = try store.trialStatus()
    #expect(status.text("state") == "pending")
    #expect(status["revision"] == .int(Int64(begun)))
    #expect(status["settings"]?.items.count == 2)
    try store.confirmTrial(begun, origin: "console")
    #expect(number(store, "a") == 2)
    #expect(number(store, "b") == 3)
    #expect(try store.trialStatus().text("state") == "confirmed")
    #expect(try store.trialStatus().text("endOrigin") == "console")
    #expect(try store.inspect("a")["trial"] == nil)
    let kinds = try store.history().items.map { $0.text("kind") }
    #expect(kinds == ["confirmed", "trial", "change"])
  }

  @Test func aTrialThatNobodyConfirmsGoesBackWholeAtTheFirstRead() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    try store.set("c", to: .int(7), in: .user)
    try put(store, [("a", .int(2)), ("b", .int(3)), ("c", nil)], for: Self.short)
    let during = number(store, "c")
    let revision = try store.revision()
    // A machine that is busy may have let it end before.
    if try store.trialStatus().text("state") == "pending" { #expect(during == nil) }
    try waitForEnd(store)
    // Nobody has committed anything.
    #expect(try store.revision() == revision)
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    #expect(number(store, "c") == 7)
    let snapshot = try store.snapshot()
    #expect(try snapshot.value("a") == .int(1))
    #expect(try snapshot.value("a", in: .user) == .int(1))
    #expect(try snapshot.value("b", in: .user) == nil)
    #expect(try snapshot.names(in: .user) == ["a", "c"])
    #expect(try snapshot.next(after: "a")?.name == "c")
    #expect(try store.inspect("a")["layers"]?.items.first?["value"] == .int(1))
    #expect(try store.list().items.map { $0.text("name") } == ["a", "c"])
    snapshot.close()
    // The next commit finds it gone back, and says so.
    try store.set("d", to: .int(4), in: .user)
    let items = try store.history().items
    #expect(items.map { $0.text("kind") } == ["change", "reverted", "trial", "change", "change"])
    #expect(items[1].text("origin") == "trial")
    #expect(items[1]["trial"] == .int(Int64(revision)))
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    #expect(number(store, "c") == 7)
  }

  @Test func aTrialIsConfirmedWithItsRevisionAlone() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2))])
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun + 1) } == .conflict)
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun - 1) } == .conflict)
    #expect(code { () throws(StoreError) in try store.confirmTrial(0) } == .invalidArgument)
    #expect(try store.trialStatus().text("state") == "pending")
    let confirmed = try store.confirmTrial(begun)
    // Who has lost the answer asks again.
    #expect(try store.confirmTrial(begun) == confirmed)
    #expect(code { () throws(StoreError) in try store.revertTrial(begun) } == .notFound)
    #expect(code { () throws(StoreError) in try store.revertTrial() } == .notFound)
    #expect(try store.revision() == confirmed)
  }

  @Test func confirmingTooLateSaysThatItWentBack() throws {
    let store = try temporary.open()
    let begun = try put(store, [("a", .int(2))], for: Self.short)
    try waitForEnd(store)
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun) } == .notFound)
    #expect(number(store, "a") == nil)
    #expect(try store.history().items.first?.text("kind") == "reverted")
  }

  @Test func takenBackATrialIsGoneAtOnce() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2)), ("b", .int(3))])
    let reverted = try store.revertTrial(origin: "operator")
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    #expect(try store.revertTrial(begun) == reverted)
    #expect(code { () throws(StoreError) in try store.revertTrial() } == .notFound)
    #expect(try store.history().items.first?.text("origin") == "operator")
    #expect(try store.history().items.first?["changes"]?.items.count == 2)
  }

  @Test func thereIsOneTrialAtATime() throws {
    let store = try temporary.open()
    let begun = try put(store, [("a", .int(2))])
    #expect(code { () throws(StoreError) in _ = try trial(store, "b") } == .conflict)
    #expect(number(store, "b") == nil)
    try store.confirmTrial(begun)
    let second = try trial(store, "b")
    try store.revertTrial(second)
    #expect(number(store, "a") == 2)
    #expect(number(store, "b") == nil)
  }

  private func trial(_ store: Store, _ name: String) throws(StoreError) -> UInt64 {
    let change = try store.change(.user)
    try change.set(name, to: .int(9))
    try change.setTrial(.seconds(600))
    return try change.commit()
  }

  @Test func whatOthersSetMeanwhileStays() throws {
    let store = try temporary.open()
    for (name, value) in [("a", 1), ("b", 1), ("c", 1)] { try store.set(name, to: .int(Int64(value)), in: .user) }
    let begun = try put(store, [("a", .int(2)), ("b", .int(2)), ("c", .int(2)), ("d", nil), ("e", .int(2))])
    try store.set("a", to: .int(3), in: .user)
    // The same value again is a decision, too.
    try store.set("b", to: .int(2), in: .user)
    try store.set("c", to: .int(5), in: .recommended)
    try store.reset("e", in: .user)
    try store.revertTrial(begun)
    #expect(number(store, "a") == 3)
    #expect(number(store, "b") == 2)
    #expect(number(store, "c") == 1)
    #expect(number(store, "e") == nil)
  }

  @Test func aLockThatComesMeanwhileDoesNotKeepATrialFromGoingBack() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    try put(store, [("a", .int(2))], for: Self.short)
    try store.set("a", to: .int(9), in: .enforced)
    try waitForEnd(store)
    #expect(number(store, "a") == 9)
    try store.reset("a", in: .enforced)
    #expect(number(store, "a") == 1)
  }

  @Test func aLockOnTrialGoesAsWell() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    try put(store, [("a", .int(9))], in: .enforced, for: Self.short)
    #expect(code { () throws(StoreError) in try store.set("a", to: .int(3), in: .user) } == .locked)
    try waitForEnd(store)
    try store.set("a", to: .int(3), in: .user)
    #expect(number(store, "a") == 3)
  }

  @Test func aTrialOfSeveralLayersGoesBackAsOne() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .recommended)
    let change = try store.change(.recommended)
    try change.set("a", to: .int(2))
    try change.use(.user)
    try change.set("a", to: .int(3))
    try change.set("b", to: .int(4))
    try change.setTrial(.seconds(600))
    let begun = try change.commit()
    #expect(number(store, "a") == 3)
    try store.revertTrial(begun)
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    #expect(try store.snapshot().value("a", in: .user) == nil)
  }

  @Test func anEditMayBeOnTrial() throws {
    let store = try temporary.open()
    let begun = try store.edit(.user) { (change) throws(StoreError) in
      try change.set("a", to: .int(2))
      try change.setTrial(.seconds(600))
    }
    #expect(number(store, "a") == 2)
    try store.revertTrial(begun)
    #expect(number(store, "a") == nil)
  }

  @Test func undoingTheTrialTakesItBackAndBringsItBack() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2))])
    let undone = try store.undo(begun)
    #expect(number(store, "a") == 1)
    #expect(try store.trialStatus().text("state") == "reverted")
    #expect(try store.history().items.first?.text("origin") == "undo \(begun)")
    // Undone in turn it is set for good.
    try store.undo(undone)
    #expect(number(store, "a") == 2)
    #expect(try store.trialStatus().text("state") == "reverted")
  }

  @Test func whatIsConfirmedIsUndoneByItsFirstRevision() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2))])
    #expect(code { () throws(StoreError) in try store.undo(begun - 1) } == .conflict)
    let confirmed = try store.confirmTrial(begun)
    #expect(code { () throws(StoreError) in try store.undo(confirmed) } == .readOnly)
    try store.undo(begun)
    #expect(number(store, "a") == 1)
  }

  @Test func anUpgradeTakesTheTrialBackFirst() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(30), in: .user)
    let begun = try put(store, [("idle", .int(40))])
    // The same schema again is no upgrade.
    #expect(store.applySchema(Array(kioskSchema.utf8)).error == nil)
    #expect(number(store, "idle") == 40)
    let next = kioskSchema.replacingFirst("\"Version\": 1", by: "\"Version\": 2")
    #expect(store.applySchema(Array(next.utf8)).error == nil)
    #expect(number(store, "idle") == 30)
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun) } == .notFound)
    #expect(try store.history().items.prefix(2).map { $0.text("kind") } == ["schema", "reverted"])
  }

  @Test func valuesThatExpireKeepTheirEnd() throws {
    let store = try temporary.open { $0.allowOverride = true }
    let later = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000)
    func set(_ value: Int64, until: Timestamp, trial: Duration?) throws -> UInt64 {
      let change = try store.change(.override)
      try change.expires(until)
      try change.set("a", to: .int(value))
      try change.setTrial(trial)
      return try change.commit()
    }
    _ = try set(1, until: later, trial: nil)
    let soon = Timestamp(microseconds: Timestamp.now.microseconds + 40_000)
    let begun = try set(2, until: soon, trial: .seconds(600))
    while Timestamp.now < soon { lvs_sleep_us(2000) }
    try store.set("other", to: .int(1), in: .user)
    #expect(number(store, "a") == nil)
    try store.revertTrial(begun)
    #expect(number(store, "a") == 1)
  }

  @Test func emptyingALayerLeavesNothingToComeBack() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .session)
    try store.set("b", to: .int(1), in: .session)
    let begun = try put(store, [("a", nil), ("b", .int(2))], in: .session)
    let logout = try store.change(.session)
    try logout.resetAll()
    try logout.commit()
    try store.revertTrial(begun)
    #expect(number(store, "a") == nil)
    #expect(number(store, "b") == nil)
  }

  @Test func whatATrialGoesBackToIsNotCollected() throws {
    let store = try temporary.open { $0.logEntries = 1 }
    let png = try fixture("images/gray.png")
    let asset = try store.assets.put(png)
    try store.set("logo", to: asset.reference, in: .user)
    let begun = try put(store, [("logo", .string("none"))])
    for number in 0..<4 { try store.set("n", to: .int(Int64(number)), in: .user) }
    var options = Assets.CollectOptions()
    options.ignoresLog = true
    try store.assets.collect(options)
    #expect(code { () throws(StoreError) in try store.assets.remove(asset.id) } == .conflict)
    try store.revertTrial(begun)
    #expect(try store.value("logo") == asset.reference)
    #expect(try store.assets.bytes(asset.id) == png)
  }

  @Test func aRestoreBringsBackWhatWasConfirmed() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2)), ("b", .int(2))])
    let backup = temporary.path + "-backup"
    defer { unlink(backup) }
    try store.backup(to: backup)
    try store.restore(from: backup)
    #expect(number(store, "a") == 1)
    #expect(number(store, "b") == nil)
    #expect(code { () throws(StoreError) in try store.confirmTrial(begun) } == .notFound)
    #expect(try store.trialStatus().text("state") == "reverted")
  }

  @Test func whoOnlyReadsSeesItAndMayNotConfirmIt() throws {
    let writer = try temporary.open()
    let begun = try put(writer, [("a", .int(2))])
    let reader = try temporary.open {
      $0.create = false
      $0.readOnly = true
    }
    #expect(number(reader, "a") == 2)
    #expect(try reader.trialStatus()["revision"] == .int(Int64(begun)))
    #expect(code { () throws(StoreError) in try reader.confirmTrial(begun) } == .readOnly)
    #expect(code { () throws(StoreError) in try reader.revertTrial() } == .readOnly)
  }

  @Test func inspectingTellsUntilWhenAndToWhatItGoesBack() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let begun = try put(store, [("a", .int(2))])
    let told = try store.inspect("a")
    #expect(told["trial"]?["revision"] == .int(Int64(begun)))
    #expect(told["trial"]?["former"]?.items.first?["value"] == .int(1))
    #expect(told.text("reason")?.contains("goes back to 1") == true)
  }

  @Test func watchesAreTold() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let seen = TestEvents()
    let watch = try store.observe("a") { seen.add($0) }
    defer { watch.cancel() }
    let begun = try put(store, [("a", .int(2))])
    try store.confirmTrial(begun)
    try put(store, [("a", .int(3))], for: Self.short)
    seen.wait(for: 7)
    #expect(
      seen.kinds == [.trial, .changed, .confirmed, .trial, .changed, .reverted, .changed],
      "\(seen.kinds)")
    #expect(seen.last?.newValue == .int(2))
  }

  @Test func aTrialHasALength() throws {
    let store = try temporary.open()
    let change = try store.change(.user)
    for wrong in [Duration.zero, .seconds(-1), .seconds(400 * 86_400), .seconds(Int64.max)] {
      #expect(code { () throws(StoreError) in try change.setTrial(wrong) } == .invalidArgument)
    }
    // What changes nothing is not on trial.
    try store.set("a", to: .int(1), in: .user)
    let revision = try store.revision()
    #expect(try put(store, [("a", .int(1))]) == revision)
    #expect(try store.trialStatus().text("state") == "none")
  }

  @Test func everythingOfManyGoesBackTogether() throws {
    let store = try temporary.open { $0.durability = .deferred }
    let names = (0..<200).map { "s\($0)" }
    for name in names { try store.set(name, to: .int(0), in: .user) }
    try put(store, names.map { ($0, .int(1)) }, for: .milliseconds(60))
    while true {
      var sum: Int64 = 0
      for item in try store.list().items { if case .int(let number)? = item["value"] { sum += number } }
      #expect(sum == 0 || sum == 200)
      if sum == 0 { break }
    }
  }
}

private final class TestEvents: @unchecked Sendable {
  private let lock = TestLock()
  private var events: [Event] = []

  func add(_ more: [Event]) { lock.withLock { events += more } }
  var kinds: [Event.Kind] { lock.withLock { events.map { $0.kind } } }
  var last: Event? { lock.withLock { events.last } }

  func wait(for count: Int) {
    for _ in 0..<5000 where lock.withLock({ events.count }) < count { lvs_sleep_us(2000) }
  }
}

extension String {
  fileprivate func replacingFirst(_ part: String, by other: String) -> String {
    let bytes = Array(utf8), wanted = Array(part.utf8)
    for start in 0..<max(0, bytes.count - wanted.count) where Array(bytes[start..<start + wanted.count]) == wanted {
      return String(decoding: bytes[..<start], as: UTF8.self) + other
        + String(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
    }
    return self
  }
}

import CSystem
import Livery
import Testing

@Suite struct WatchTests {
  let temporary = TemporaryStore()

  @Test func aChangeInThisProcessReachesTheWatchWithOldAndNewValue() throws {
    let store = try temporary.open(schema: kioskSchema)
    let heard = Events()
    let observation = try store.observe("idle") { heard.append($0) }
    try store.update(.user, origin: "test") { $0[Key<Int>("idle")] = 60 }
    let event = try #require(heard.wait(1).first)
    #expect(event.kind == .changed)
    #expect(event.name == "idle")
    #expect(event.oldValue == .int(120))
    #expect(event.newValue == .int(60))
    #expect(event.layer == .user)
    #expect(event.origin == "test")
    #expect(try event.revision == store.revision())
    try store.set("sound", to: .bool(false), in: .user)
    observation.cancel()
    try store.set("idle", to: .int(61), in: .user)
    lvs_sleep_us(50_000)
    #expect(heard.all.count == 1)
  }

  @Test func aPostedFunctionRunsOnceOnTheWatcherThreadOrWhereItIsDispatched() throws {
    let store = try temporary.open()
    let (ran, dispatched) = (Flag(), Flag())
    try store.post { _ = ran.set() }
    try store.post(dispatched: true) { _ = dispatched.set() }
    #expect(!dispatched.isRaised)
    #expect(try store.dispatch() == 1)
    #expect(dispatched.isRaised)
    for _ in 0..<5_000 where !ran.isRaised { lvs_sleep_us(1000) }
    #expect(ran.isRaised)
    #expect(try store.dispatch() == 0)
  }

  @Test func everyCommitIsHeardInOrder() throws {
    let store = try temporary.open { $0.durability = .deferred }
    let heard = Events()
    let observation = try store.observe { heard.append($0) }
    for index in 0..<500 { try store.set("n", to: .int(Int64(index)), in: .user) }
    let events = heard.wait(500)
    #expect(events.map { $0.newValue } == (0..<500).map { .int($0) })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.revision < $1.revision })
    observation.cancel()
  }

  @Test func locksAreToldAsWritability() throws {
    let store = try temporary.open(schema: kioskSchema)
    let heard = Events()
    let observation = try store.observe("idle") { heard.append($0) }
    try store.set("idle", to: .int(120), in: .enforced)
    let event = try #require(heard.wait(1).first)
    #expect(event.kind == .writability)
    #expect(!event.isWritable)
    observation.cancel()
  }

  @Test func aSchemaIsToldBeforeTheChangesThatItBrings() throws {
    let store = try temporary.open()
    let heard = Events()
    let observation = try store.observe { heard.append($0) }
    _ = store.applySchema(Array(kioskSchema.utf8))
    let events = heard.wait(7)
    #expect(events.first?.kind == .schema)
    #expect(events.contains { $0.name == "idle" && $0.newValue == .int(120) })
    observation.cancel()
  }

  @Test func whatBeginsBesideAClosingEndsWithIt() throws {
    let temporary = TemporaryStore()
    let keeper = try temporary.open()
    for _ in 0..<100 {
      let store = try temporary.open()
      let tally = Tally()
      inThreads(3) { index in
        guard index > 0 else {
          while tally.begun < 4 { sched_yield() }
          return store.close()
        }
        do throws(StoreError) {
          for _ in 0..<200 {
            if index == 1 {
              tally.keep(try store.observe("a", onEnd: { tally.end() }) { _ in })
            } else {
              try store.post(onEnd: { tally.end() }) {}
            }
            tally.begin()
          }
        } catch {}
      }
      for _ in 0..<200 where tally.ended < tally.begun { usleep(1000) }
      #expect(tally.ended == tally.begun)
    }
    keeper.close()
  }

  @Test func initialValuesComeFirst() throws {
    let store = try temporary.open(schema: kioskSchema)
    let heard = Events()
    var options = WatchOptions()
    options.initial = true
    let observation = try store.observe("i*", options: options) { heard.append($0) }
    #expect(heard.wait(1).first?.kind == .initial)
    #expect(heard.all.first?.newValue == .int(120))
    observation.cancel()
  }

  @Test func changesThatFallTogetherAreToldAsOne() throws {
    let store = try temporary.open { $0.durability = .deferred }
    try store.set("n", to: .int(-1), in: .user)
    let heard = Events()
    var options = WatchOptions()
    options.minimumInterval = .milliseconds(200)
    let observation = try store.observe(options: options) { heard.append($0) }
    for index in 0..<100 { try store.set("n", to: .int(Int64(index)), in: .user) }
    heard.waitUntil { $0.last?.newValue == .int(99) }
    #expect(heard.all.count < 10)
    #expect(heard.all.first?.oldValue == .int(-1))
    observation.cancel()
  }

  @Test func anExpiryIsAnEventOnTime() throws {
    let store = try temporary.open { $0.allowOverride = true }
    let heard = Events()
    let observation = try store.observe { heard.append($0) }
    let change = try store.change(.override)
    let end = Timestamp.now.microseconds + 300_000
    try change.expires(Timestamp(microseconds: end))
    try change.set("a", to: .int(1))
    try change.commit()
    let events = heard.wait(2)
    let late = Timestamp.now.microseconds - end
    #expect(events.last?.kind == .expired)
    #expect(events.last?.oldValue == .int(1))
    #expect(events.last?.newValue == nil)
    #expect(late >= 0 && late < 500_000)
    observation.cancel()
  }

  @Test func theCommitOfAnExpiryTrimsTheLogByTheLimitsOfTheWatchingHandle() throws {
    let store = try temporary.open {
      $0.logEntries = 5
      $0.durability = .deferred
    }
    let writer = try temporary.open { $0.durability = .deferred }
    for index in 0..<20 { try writer.set("n", to: .int(Int64(index)), in: .user) }
    let change = try writer.change(.session)
    try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + 100_000))
    try change.set("a", to: .int(1))
    try change.commit()
    #expect(try store.history().items.count == 21)
    let heard = Events()
    let observation = try store.observe("a") { heard.append($0) }
    heard.waitUntil { $0.last?.kind == .expired }
    #expect(heard.all.last?.kind == .expired)
    #expect(try store.history().items.count == 5)
    observation.cancel()
  }

  @Test func eventsSayWhetherTheSettingIsSecret() throws {
    let store = try temporary.open(
      schema: """
        {"Version": 1, "Groups": [{"Title": "", "Settings": [
          {"Type": "TextField", "Title": "", "Key": "pin", "Value": "1", "Class": ["Password"]},
          {"Type": "TextField", "Title": "", "Key": "name", "Value": "1"}]}]}
        """)
    let heard = Events()
    var options = WatchOptions()
    options.initial = true
    let observation = try store.observe(options: options) { heard.append($0) }
    try store.set("name", to: .string("2"), in: .user)
    try store.set("pin", to: .string("2"), in: .user)
    let events = heard.wait(4)
    #expect(events.map(\.name) == ["name", "pin", "name", "pin"])
    #expect(events.map(\.isSecret) == [false, true, false, true])
    observation.cancel()
  }

  @Test func aWatchThatTheLogHasLeftBehindIsToldToReadAnew() throws {
    let store = try temporary.open {
      $0.logEntries = 10
      $0.durability = .deferred
    }
    let heard = Events()
    let slow = Flag()
    let observation = try store.observe { events in
      heard.append(events)
      if slow.set() { lvs_sleep_us(300_000) }
    }
    for index in 0..<100 { try store.set("n", to: .int(Int64(index)), in: .user) }
    heard.waitUntil { $0.last?.newValue == .int(99) }
    #expect(heard.all.contains { $0.kind == .resync })
    observation.cancel()
  }

  @Test func dispatchedWatchesAreCalledByDispatchAlone() throws {
    let store = try temporary.open()
    let heard = Events()
    var options = WatchOptions()
    options.dispatched = true
    let descriptor = try store.eventDescriptor()
    let observation = try store.observe(options: options) { heard.append($0) }
    try store.dispatch()
    try store.set("a", to: .int(1), in: .user)
    #expect(readable(descriptor))
    #expect(heard.all.isEmpty)
    #expect(try store.dispatch() == 1)
    #expect(heard.all.count == 1)
    observation.cancel()
  }

  private func readable(_ descriptor: Int32) -> Bool {
    for _ in 0..<2000 {
      var count: UInt64 = 0
      if read(descriptor, &count, 8) == 8 { return true }
      lvs_sleep_us(1000)
    }
    return false
  }

  @Test func handlersMayCancelSetWatchAndClose() throws {
    let store = try temporary.open()
    let ended = Events()
    let box = Box()
    let heard = Events()
    box.observation = try store.observe("a", onEnd: { ended.append([]) }) { events in
      heard.append(events)
      box.observation?.cancel()
      try? store.set("b", to: .int(1), in: .user)
      box.other = try? store.observe("b") { _ in }
      store.close()
    }
    try store.set("a", to: .int(1), in: .user)
    heard.wait(1)
    for _ in 0..<1000 where ended.calls == 0 { lvs_sleep_us(1000) }
    #expect(ended.calls == 1)
    #expect(code { () throws(StoreError) in _ = try store.revision() } == .closed)
  }

  @Test func closingTheStoreEndsItsWatchesOnce() throws {
    for _ in 0..<50 {
      let store = try temporary.open { $0.durability = .deferred }
      let ended = Events()
      let observation = try store.observe(onEnd: { ended.append([]) }) { _ in lvs_sleep_us(200) }
      try store.set("n", to: .int(Int64.random(in: 0...Int64.max)), in: .user)
      store.close()
      observation.cancel()
      for _ in 0..<1000 where ended.calls == 0 { lvs_sleep_us(100) }
      #expect(ended.calls == 1)
    }
  }
}

/// Events collected from another thread.
final class Events: @unchecked Sendable {
  private let lock = TestLock()
  private var events: [Event] = []
  private var count = 0

  func append(_ more: [Event]) {
    lock.withLock {
      events += more
      count += 1
    }
  }

  var all: [Event] { lock.withLock { events } }
  var calls: Int { lock.withLock { count } }

  @discardableResult
  func wait(_ count: Int) -> [Event] {
    waitUntil { $0.count >= count }
    return all
  }

  func waitUntil(_ condition: ([Event]) -> Bool) {
    for _ in 0..<5000 where !condition(all) { lvs_sleep_us(1000) }
  }
}

final class Box: @unchecked Sendable {
  var observation: Observation?
  var other: Observation?
}

final class Flag: @unchecked Sendable {
  private let lock = TestLock()
  private var isSet = false

  var isRaised: Bool { lock.withLock { isSet } }

  /// True the first time.
  func set() -> Bool {
    lock.withLock {
      defer { isSet = true }
      return !isSet
    }
  }
}

/// How much has begun and ended; it keeps what would end by itself otherwise.
private final class Tally: @unchecked Sendable {
  private let lock = TestLock()
  private var observations: [Observation] = []
  private var counts = (begun: 0, ended: 0)

  func keep(_ observation: Observation) { lock.withLock { observations.append(observation) } }
  func begin() { lock.withLock { counts.begun += 1 } }
  func end() { lock.withLock { counts.ended += 1 } }
  var begun: Int { lock.withLock { counts.begun } }
  var ended: Int { lock.withLock { counts.ended } }
}

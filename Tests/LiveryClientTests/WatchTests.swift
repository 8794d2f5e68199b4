import LiveryClient
import Testing

@Suite struct WatchTests {
  let temporary = TemporaryStore()

  @Test func aWatchTellsWhatChanged() throws {
    let store = try temporary.open(schema: kioskSchema)
    let events = Events()
    let ends = Counter()
    var options = WatchOptions()
    options.initial = true
    let watch = try store.observe("idle", options: options, onEnd: { ends.increase() }) { events.append($0) }
    let change = try store.change(.user)
    try change.setOrigin("test")
    try change.set("idle", to: .int(60))
    try change.set("welcome", to: .string("Hi"))
    try change.commit()
    events.wait(2)
    let first = try #require(events.all.first)
    #expect(first.kind == .initial && first.newValue == .int(120) && first.oldValue == nil)
    let second = try #require(events.all.last)
    #expect(second.kind == .changed && second.name == "idle" && second.revision == 2 && second.layer == .user)
    #expect(second.oldValue == .int(120) && second.newValue == .int(60) && second.origin == "test")
    #expect(second.isWritable && !second.isSecret && second.time > first.time)
    #expect(watch.cancel() && !watch.cancel())
    ends.wait(1)
  }

  @Test func aWatchWithoutValuesTellsNamesAlone() throws {
    let store = try temporary.open()
    let events = Events()
    var options = WatchOptions()
    options.hasValues = false
    let watch = try store.observe(options: options) { events.append($0) }
    try store.set("n", to: .int(1), in: .user)
    events.wait(1)
    let event = try #require(events.all.first)
    #expect(event.kind == .changed && event.name == "n" && event.oldValue == nil && event.newValue == nil)
    watch.cancel()
  }

  @Test func aWatchEndsWithItsLastReferenceAndWithTheStore() throws {
    let store = try temporary.open()
    let ends = Counter()
    do { _ = try store.observe(onEnd: { ends.increase() }) { _ in } }
    ends.wait(1)
    let watch = try store.observe(onEnd: { ends.increase() }) { _ in }
    store.close()
    ends.wait(2)
    #expect(!watch.cancel())
    #expect(code { () throws(StoreError) in _ = try store.observe(onEnd: { ends.increase() }) { _ in } } == .closed)
    #expect(
      code { () throws(StoreError) in _ = try store.observe("\u{0}", onEnd: { ends.increase() }) { _ in } }
        == .invalidArgument)
    #expect(ends.value == 4)
  }

  @Test func aHostDispatches() throws {
    let store = try temporary.open()
    let events = Events()
    let runs = Counter()
    var options = WatchOptions()
    options.dispatched = true
    options.minimumInterval = .milliseconds(1)
    let watch = try store.observe(options: options) { events.append($0) }
    #expect(try store.eventDescriptor() >= 0)
    try store.post(dispatched: true) { runs.increase() }
    try store.set("n", to: .int(1), in: .user)
    var calls = 0
    for _ in 0..<1000 where events.all.isEmpty { calls += try store.dispatch() }
    #expect(events.all.count == 1 && runs.value == 1 && calls == 2)
    watch.cancel()
  }

  @Test func whatIsPostedRunsOnceOrIsLetGo() throws {
    let store = try temporary.open()
    let runs = Counter()
    let ends = Counter()
    try store.post(onEnd: { ends.increase() }) { runs.increase() }
    ends.wait(1)
    #expect(runs.value == 1)
    try store.post(dispatched: true, onEnd: { ends.increase() }) { runs.increase() }
    store.close()
    #expect(runs.value == 1 && ends.value == 2)
    #expect(
      code { () throws(StoreError) in try store.post(onEnd: { ends.increase() }) { runs.increase() } } == .closed)
    #expect(runs.value == 1 && ends.value == 3)
  }

  @Test func changesAreAnAsynchronousSequence() async throws {
    let store = try temporary.open { $0.durability = .deferred }
    let changes = try store.changes(matching: "n")
    for index in 0..<20 { try store.set("n", to: .int(Int64(index)), in: .user) }
    var seen: [Value?] = []
    for await event in changes {
      seen.append(event.newValue)
      if seen.count == 20 { break }
    }
    #expect(seen == (0..<20).map { .int($0) })
    let others = try store.changes()
    store.close()
    for await _ in others { Issue.record("no event was to come") }
  }

  @Test func whatWaitsForASlowIterationIsBounded() async throws {
    let store = try temporary.open { $0.durability = .deferred }
    let events = Events()
    let changes = try store.changes(matching: "n*")
    let watch = try store.observe("n*") { events.append($0) }
    let change = try store.change(.user)
    for index in 0..<10_000 { try change.set("n\(index)", to: .int(1)) }
    try change.commit()
    try store.set("n0", to: .int(-1), in: .user)
    events.wait(10_001)
    try store.set("n1", to: .int(-2), in: .user)
    events.wait(10_002)
    watch.cancel()
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.kind == .resync && first?.revision == 2)
    #expect(await iterator.next()?.newValue == .int(-2))
  }
}

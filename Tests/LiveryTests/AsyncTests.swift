import Livery
import Testing

@Suite struct AsyncTests {
  let temporary = TemporaryStore()

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
  }

  @Test func closingTheStoreEndsTheSequence() async throws {
    let store = try temporary.open()
    let changes = try store.changes()
    store.close()
    for await _ in changes { Issue.record("no event was to come") }
  }

  @Test func whatWaitsForASlowIterationIsBoundedAndReplacedByOneResync() async throws {
    let store = try temporary.open { $0.durability = .deferred }
    let heard = Events()
    let changes = try store.changes(matching: "n*")
    let observation = try store.observe("n*") { heard.append($0) }
    // A commit of as many as can wait, then one more.
    try store.update(.user) { change in
      for index in 0..<10_000 { change[Key<Int>("n\(index)")] = index }
    }
    try store.set("n0", to: .int(-1), in: .user)
    heard.wait(10_001)
    try store.set("n1", to: .int(-2), in: .user)
    heard.wait(10_002)
    observation.cancel()
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.kind == .resync)
    #expect(first?.revision == 2)
    let second = await iterator.next()
    #expect(second?.newValue == .int(-2))
    store.close()
    #expect(await iterator.next() == nil)
  }
}

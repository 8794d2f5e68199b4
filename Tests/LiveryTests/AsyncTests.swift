import Livery
import Testing

@Suite struct AsyncTests {
  let temporary = TemporaryStore()

  @Test func changesAreAnAsynchronousSequence() async throws {
    let store = try temporary.open { $0.deferred = true }
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
}

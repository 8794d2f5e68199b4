import LiveryClient
import Synchronization
import Testing

@testable import LiveryFetch

/// Counts what it is asked to begin and to cancel.
private final class Counting: FetchTransport {
  let begun = Atomic<Int>(0)
  let cancelled = Atomic<Int>(0)

  func begin(_ request: FetchRequest, _ exchange: FetchExchange) throws(StoreError) {
    begun.add(1, ordering: .relaxed)
  }

  func cancel(_ exchange: FetchExchange) { cancelled.add(1, ordering: .relaxed) }
}

@Suite struct ExchangeTests {
  private func exchange(_ transport: Counting) -> Exchange {
    Exchange(Transport(transport), limit: 100, progressed: { _, _ in }, ended: { _ in })
  }

  @Test func whatIsCancelledBeforeItBeginsDoesNotBegin() throws {
    let transport = Counting()
    let exchange = exchange(transport)
    exchange.cancel()
    let request = Request(address: try Address(Array("http://h/".utf8)))
    do throws(StoreError) {
      try exchange.start(request)
      Issue.record("nobody waits for it")
    } catch {
      #expect(error.code == .cancelled)
    }
    #expect(transport.begun.load(ordering: .relaxed) == 0)
    #expect(transport.cancelled.load(ordering: .relaxed) == 0)
  }

  @Test func whatHasBegunIsCancelledOnce() throws {
    let transport = Counting()
    let exchange = exchange(transport)
    try exchange.start(Request(address: try Address(Array("http://h/".utf8))))
    exchange.cancel()
    exchange.cancel()
    #expect(transport.begun.load(ordering: .relaxed) == 1)
    #expect(transport.cancelled.load(ordering: .relaxed) == 1)
    try exchange.finish(nil)
  }
}

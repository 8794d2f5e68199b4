#if !hasFeature(Embedded)
  import Synchronization

  /// The events of a watch, one after the other; the watch ends with the iteration.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Element = Event

    fileprivate let waiting: WaitingEvents
    /// With the last reference to it the watch ends.
    fileprivate let signals: AsyncStream<Void>

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let waiting: WaitingEvents
      fileprivate var signals: AsyncStream<Void>.Iterator

      /// Waits for the next event; nil when the store is closed or the task cancelled.
      public mutating func next() async -> Event? {
        while !Task.isCancelled {
          if let event = waiting.take() { return event }
          guard await signals.next() != nil else { return Task.isCancelled ? nil : waiting.take() }
        }
        return nil
      }
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(waiting: waiting, signals: signals.makeAsyncIterator())
    }
  }

  extension Store {
    /// Watches settings as an asynchronous sequence:
    ///
    ///     for await event in try store.changes(matching: "media*") { … }
    ///
    /// For an iteration that is slow, up to 10,000 events wait in memory. Beyond that a `resync` stands for all that wait.
    public func changes(
      matching pattern: String? = nil, options: WatchOptions = WatchOptions()
    ) throws(StoreError) -> Changes {
      let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let waiting = WaitingEvents()
      let observation = try observe(pattern, options: options, onEnd: { continuation.finish() }) {
        waiting.append($0)
        continuation.yield()
      }
      continuation.onTermination = { _ in observation.cancel() }
      return Changes(waiting: waiting, signals: signals)
    }
  }

  private final class WaitingEvents: Sendable {
    private static let most = 10_000
    /// The latest first.
    private let events = Mutex<[Event]>([])

    func append(_ more: [Event]) {
      events.withLock { events in
        if events.count + more.count > Self.most, let last = more.last {
          events = [.resync(to: last.revision)]
        } else {
          events.insert(contentsOf: more.reversed(), at: 0)
        }
      }
    }

    func take() -> Event? { events.withLock { $0.popLast() } }
  }
#endif

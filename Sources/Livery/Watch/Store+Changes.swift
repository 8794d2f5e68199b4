#if !hasFeature(Embedded)
  /// The events of a watch, one after the other; the watch ends with the iteration.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Element = Event

    fileprivate let buffer: ChangesBuffer
    /// With the last reference to it the watch ends.
    fileprivate let signals: AsyncStream<Void>

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let buffer: ChangesBuffer
      fileprivate var signals: AsyncStream<Void>.Iterator

      /// Waits for the next event; nil when the store is closed or the task cancelled.
      public mutating func next() async -> Event? {
        while !Task.isCancelled {
          if let event = buffer.take() { return event }
          guard await signals.next() != nil else { return Task.isCancelled ? nil : buffer.take() }
        }
        return nil
      }
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(buffer: buffer, signals: signals.makeAsyncIterator())
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
      let buffer = ChangesBuffer(continuation)
      let observation = try observe(pattern, options: options, onEnd: { continuation.finish() }) {
        buffer.append($0)
      }
      continuation.onTermination = { _ in observation.cancel() }
      return Changes(buffer: buffer, signals: signals)
    }
  }

  /// What waits for an iteration, which is signalled that something does.
  private final class ChangesBuffer: @unchecked Sendable {
    private let signal: AsyncStream<Void>.Continuation
    private let lock = Lock()
    private var events: [Event] = []
    /// The first of `events` that was not taken.
    private var first = 0

    init(_ signal: AsyncStream<Void>.Continuation) {
      self.signal = signal
    }

    func append(_ more: [Event]) {
      lock.withLock {
        if events.count - first + more.count > WatchState.mostPending, let last = more.last {
          events = [.resync(to: last.revision)]
          first = 0
        } else {
          events += more
        }
      }
      signal.yield()
    }

    func take() -> Event? {
      lock.withLock {
        guard first < events.count else { return nil }
        defer { first += 1 }
        // What was taken goes when it is half of all, so that taking one costs the same however many wait.
        if first > 64, first * 2 > events.count {
          events.removeFirst(first)
          first = 0
        }
        return events[first]
      }
    }
  }
#endif

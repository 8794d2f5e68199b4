#if !hasFeature(Embedded)
  /// The events of a watch, one after the other; the watch ends with the iteration.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Element = Event

    fileprivate let stream: AsyncStream<Event>

    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
      stream.makeAsyncIterator()
    }
  }

  extension Store {
    /// Watches settings as an asynchronous sequence:
    ///
    ///     for await event in try store.changes(matching: "media*") { … }
    ///
    /// Events wait in memory for an iteration that is slow; beyond `WatchOptions.minimumInterval`, changes of one setting
    /// are told as one, which bounds them.
    public func changes(
      matching pattern: String? = nil, options: WatchOptions = WatchOptions()
    ) throws(StoreError) -> Changes {
      let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
      let observation = try observe(pattern, options: options, onEnd: { continuation.finish() }) { events in
        for event in events { continuation.yield(event) }
      }
      continuation.onTermination = { _ in observation.cancel() }
      return Changes(stream: stream)
    }
  }
#endif

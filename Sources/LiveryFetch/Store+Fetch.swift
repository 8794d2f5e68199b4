#if !hasFeature(Embedded)
  import CLivery
  import LiveryClient

  // What programs in Swift call. The C functions are the same for all others.

  /// How to fetch; what is left as it is has the library's default. Corresponds to `livery_fetch_options` in C.
  public struct FetchOptions: Sendable {
    /// What is expected.
    public enum Kind: Sendable {
      /// An image, told by its bytes whatever its server says.
      case image
      /// Any bytes.
      case document
      /// Any bytes; but where the server says that it is an image it has to be one.
      case any
    }

    public var kind = Kind.image
    /// Ask the server also where what is stored is fresh.
    public var revalidates = false
    /// Ask nobody: what the store holds, fresh or not, or `.unavailable`.
    public var isOffline = false
    /// The largest body, in bytes after decompression.
    public var maximumSize = 16 << 20
    /// The most bytes that the store keeps of what was fetched.
    public var quota = 256 << 20
    /// How long all of it may take.
    public var timeout = Duration.seconds(60)
    /// How often to try in all, where that may help.
    public var attempts = 4
    /// The id of an asset that is handed out where there is nothing better.
    public var placeholder: String?
    /// A file of certificates in the form PEM, in place of the system's.
    public var certificates: String?
    /// A proxy; "" for none, nil for what the environment says.
    public var proxy: String?
    /// Call what is handed over from `Store.dispatch` alone, in place of the watcher thread.
    public var isDispatched = false

    public init() {}

    fileprivate func wish() throws(StoreError) -> Wish {
      let (seconds, fraction) = timeout.components
      guard (1...Int(LIVERY_ASSET_MAX)).contains(maximumSize), quota > 0, (1...100).contains(attempts),
        timeout > .zero, seconds <= 86_400
      else { throw StoreError(.invalidArgument, "an option of the fetch is out of range") }
      var wish = Wish()
      switch kind {
      case .image: wish.kind = .image
      case .document: wish.kind = .document
      case .any: wish.kind = .any
      }
      wish.revalidates = revalidates
      wish.isOffline = isOffline
      wish.maximumSize = Int64(maximumSize)
      wish.quota = Int64(quota)
      wish.timeout = max(1, seconds * 1_000_000 + fraction / 1_000_000_000_000)
      wish.attempts = attempts
      wish.placeholder = placeholder
      wish.certificates = certificates
      wish.proxy = proxy
      wish.isDispatched = isDispatched
      try wish.check()
      return wish
    }
  }

  /// What a fetch has brought. Corresponds to `livery_fetch_result` in C.
  public struct Fetched: Sendable {
    /// Whether it may be outdated.
    public enum State: Sendable {
      /// It is what the server has, or had so lately that it need not be asked.
      case ready
      /// It is what the store holds; `reason` says why it is not known to be the latest.
      case stale
    }

    /// Where it came from.
    public enum Source: Sendable {
      case network
      /// Out of the store, and the server said that it still holds.
      case revalidated
      /// Out of the store, and the server was not asked.
      case store
    }

    public let url: String
    public let state: State
    public let source: Source
    /// The asset; nil where the server forbids to keep it.
    public let id: String?
    /// The media type: of an image by its bytes, of all else as the server says.
    public let type: String?
    public let bytes: [UInt8]
    /// How many bytes of a body came from the network.
    public let received: Int
    /// The status of HTTP that the server answered last; nil if it was not asked, or did not answer.
    public let httpStatus: Int?
    public let etag: String?
    /// When the server last said that these are the bytes; nil for what is not kept.
    public let fetched: Timestamp?
    /// Until when it need not be asked again.
    public let freshUntil: Timestamp?
    /// Why it may be outdated.
    public let reason: StoreError?
  }

  /// A fetch that was started.
  public struct FetchTask: Sendable {
    fileprivate let started: Started

    /// Cancels it: `.cancelled` is its outcome, unless it has one already. Twice is fine.
    public func cancel() { started.stop() }
  }

  extension Store {
    /// Fetches what a URL leads to, or takes it from the store where that is as good. Corresponds to `livery_fetch_start` in C.
    ///
    /// - Parameters:
    ///   - progress: is told the bytes that came and those of the whole, 0 if that is not known.
    ///   - done: runs once, unless this throws; on the watcher thread, or where the host dispatches. What it is told as failure:
    ///     `.network`, `.timeout`, `.cancelled`, `.refused`, `.unavailable`, `.notFound`, `.invalidValue`, `.parse`, `.closed`;
    ///     as `ChangeSet.commit()`.
    /// - Throws: `.invalidArgument` for a URL or an option that is malformed or out of range; as `claim`.
    @discardableResult
    public func fetch(
      _ url: String, options: FetchOptions = FetchOptions(), progress: (@Sendable (Int64, Int64) -> Void)? = nil,
      done: @escaping @Sendable (Result<Fetched, StoreError>) -> Void
    ) throws(StoreError) -> FetchTask {
      let address = try Address(Array(url.utf8))
      let wish = try options.wish()
      let fetcher = try Fetchers.find(self)
      let started = Started()
      let told = progress.map { Progress(fetcher, isDispatched: wish.isDispatched, $0) }
      let ending: Completion<Outcome> = try fetcher.ending(of: started, dispatched: wish.isDispatched, told) {
        (outcome) in
        done(outcome.flatMap { $0.fetched(url, self) })
      }
      let work = Fetch(
        fetcher, address, wish, progressed: told?.note, told: { (outcome) in ending.finish(.success(outcome)) })
      started.keep { work.abandon(StoreError(.cancelled, "the fetch of \(address.text) was cancelled")) }
      do throws(StoreError) { try work.start() } catch {
        ending.drop()
        throw error
      }
      ending.begin()
      return FetchTask(started: started)
    }

    /// The same, awaited. Cancelling the task cancels the fetch.
    public func fetch(
      _ url: String, options: FetchOptions = FetchOptions(), progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> Fetched {
      try await awaited { (done) throws(StoreError) in
        try self.fetch(url, options: options, progress: progress, done: done)
      }
    }

    /// Fetches every remote image of the brand in effect, and swaps all of them in with one commit; the report. Corresponds to
    /// `livery_fetch_brand_start` in C.
    ///
    /// - Throws: `.readOnly` if the store is; as `fetch`.
    @discardableResult
    public func fetchBrand(
      options: FetchOptions = FetchOptions(), progress: (@Sendable (Int64, Int64) -> Void)? = nil,
      done: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) throws(StoreError) -> FetchTask {
      let wish = try options.wish()
      guard wish.kind == .image else { throw StoreError(.invalidArgument, "a brand has images") }
      try change(.bundle).discard()
      let fetcher = try Fetchers.find(self)
      let find: @Sendable () throws(StoreError) -> [RemoteImage] = { () throws(StoreError) in
        try RemoteImage.all(in: self, for: nil)
      }
      let started = Started()
      let told = progress.map { Progress(fetcher, isDispatched: wish.isDispatched, $0) }
      let ending: Completion<Value> = try fetcher.ending(of: started, dispatched: wish.isDispatched, told, done)
      let work = BrandFetch(
        fetcher, find, wish, progressed: told?.note, told: { (outcome) in ending.finish(outcome) })
      started.keep { work.abandon(StoreError(.cancelled, "the fetch of the brand was cancelled")) }
      do throws(StoreError) { try work.start() } catch {
        ending.drop()
        throw error
      }
      ending.begin()
      return FetchTask(started: started)
    }

    /// The same, awaited.
    public func fetchBrand(
      options: FetchOptions = FetchOptions(), progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> Value {
      try await awaited { (done) throws(StoreError) in
        try self.fetchBrand(options: options, progress: progress, done: done)
      }
    }

    /// Makes requests by a transport of the program's own; nil for libcurl. Corresponds to `livery_fetch_set_transport` in C.
    public func useTransport(_ transport: (any FetchTransport)?) throws(StoreError) {
      try Fetchers.find(self).use(transport.map { Transport($0) } ?? Transport())
    }
  }

  /// Waits for what tells its outcome once; cancelling the task cancels it.
  private func awaited<Success: Sendable>(
    _ start: @Sendable (@escaping @Sendable (Result<Success, StoreError>) -> Void) throws(StoreError) -> FetchTask
  ) async throws -> Success {
    let running = Running()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Success, any Error>) in
        do throws(StoreError) {
          running.keep(try start { (outcome) in continuation.resume(with: outcome.mapError { $0 as any Error }) })
        } catch { continuation.resume(throwing: error) }
      }
    } onCancel: {
      running.cancel()
    }
  }

  /// A task that may be cancelled before it is there.
  private final class Running: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var task: FetchTask?
    private var isCancelled = false

    func keep(_ task: FetchTask) {
      let isCancelled = lock.withLock { () -> Bool in
        self.task = task
        return self.isCancelled
      }
      if isCancelled { task.cancel() }
    }

    func cancel() {
      let task = lock.withLock { () -> FetchTask? in
        isCancelled = true
        return self.task
      }
      task?.cancel()
    }
  }

  extension Outcome {
    fileprivate func fetched(_ url: String, _ store: Store) -> Result<Fetched, StoreError> {
      let isReady = state == .ready
      guard isReady || state == .stale else {
        return .failure(error ?? StoreError(.io, "\(url) was not fetched"))
      }
      let source: Fetched.Source =
        switch self.source {
        case .network: .network
        case .revalidated: .revalidated
        case .store, .nowhere: .store
        }
      do throws(StoreError) {
        let bytes = if let body { body } else { try store.assets.bytes(entry?.id ?? "") }
        return .success(
          Fetched(
            url: url, state: isReady ? .ready : .stale, source: source, id: entry?.id,
            type: (entry?.type ?? type)?.text, bytes: bytes, received: Int(received),
            httpStatus: httpStatus == 0 ? nil : Int(httpStatus), etag: (entry?.tag ?? tag)?.text,
            fetched: entry?.fetched, freshUntil: (entry?.freshness.end).map { Timestamp(seconds: $0) }, reason: error))
      } catch {
        return .failure(error)
      }
    }
  }
#endif

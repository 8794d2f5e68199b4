#if !hasFeature(Embedded)
  import LiveryClient
  import LiveryFleet

  // What programs in Swift call. The C functions are the same for all others.

  /// How to take part in a fleet; what is left as it is has the library's default. Corresponds to `livery_sync_options` in C.
  public struct SyncOptions: Sendable {
    /// What people call the device, for an enrollment.
    public var name: String?
    /// The app that documents are taken for, beside those for every app.
    public var scope: String?
    /// A file of certificates in the form PEM, in place of the system's.
    public var certificates: String?
    /// A proxy; "" for none, nil for what the environment says.
    public var proxy: String?
    /// The broker of hints: "mqtt://host" or "mqtts://host".
    public var broker: String?
    public var brokerUser: String?
    /// A file whose first line is the password.
    public var brokerPasswordFile: String?
    /// How long an enrollment, a pull or a push may take.
    public var timeout = Duration.seconds(60)

    public init() {}

    fileprivate func content() throws(StoreError) -> Options {
      var content = Options()
      content.name = name
      content.scope = scope
      content.certificates = certificates.map { Options.absolute($0) }
      content.proxy = proxy
      content.broker = broker
      content.brokerUser = brokerUser
      content.brokerPasswordFile = brokerPasswordFile
      let (seconds, fraction) = timeout.components
      guard timeout > .zero, seconds <= 86_400 else {
        throw StoreError(.invalidArgument, "timeout is out of range")
      }
      content.timeout = max(1, seconds * 1_000_000 + fraction / 1_000_000_000_000)
      try content.check()
      return content
    }
  }

  /// A store that takes part in a fleet, until it is stopped, or with the last reference to it. Corresponds to `livery_sync` in C.
  public final class SyncSession: @unchecked Sendable {
    private let sync: Sync

    fileprivate init(_ sync: Sync) { self.sync = sync }

    deinit { sync.stop() }

    /// Ends it; twice is fine. What is in effect stays.
    public func stop() { sync.stop() }
  }

  extension Store {
    /// Joins a fleet, with a code of its console; what is known of the device then. Corresponds to `livery_sync_enroll_start` in C.
    ///
    /// - Throws: `.parse`, `.refused`, `.conflict`, `.network`, `.timeout`, `.unavailable`, `.closed`; as `claim`.
    @discardableResult
    public func enroll(_ code: String, options: SyncOptions = SyncOptions()) async throws(StoreError) -> Value {
      let (driver, content) = (try Drivers.find(self), try options.content())
      try await ended(on: driver) { (finish) throws(StoreError) in
        let enrollment = try Enrollment(driver, code, content, ended: finish)
        driver.queue.run { enrollment.start() }
      }
      return try syncStatus()
    }

    /// Takes part in the fleet. Corresponds to `livery_sync_start` in C.
    public func sync(_ options: SyncOptions = SyncOptions()) throws(StoreError) -> SyncSession {
      SyncSession(Sync.start(try Drivers.find(self), try options.content()))
    }

    /// Asks for what is published, and applies it: `{"Version", "Values"}`. Corresponds to `livery_sync_pull_start` in C.
    ///
    /// - Throws: `.notFound`, `.refused`, `.invalidValue`, `.network`, `.timeout`, `.unavailable`, `.closed`.
    @discardableResult
    public func pull(options: SyncOptions = SyncOptions()) async throws(StoreError) -> Value {
      try await want(.pull, options)
    }

    /// Reports what the device has. Corresponds to `livery_sync_push_start` in C.
    ///
    /// - Throws: as `pull`.
    @discardableResult
    public func push(options: SyncOptions = SyncOptions()) async throws(StoreError) -> Value {
      try await want(.push, options)
    }

    /// What is known of the device and its fleet. Corresponds to `livery_sync_status` in C.
    public func fleetStatus() throws(StoreError) -> Value { try syncStatus() }

    /// Takes back what a console has set, and forgets the fleet. Corresponds to `livery_sync_leave` in C.
    public func leave() throws(StoreError) {
      _ = try Drivers.find(self)
      try leaveFleet()
    }

    private func want(_ kind: Waiter.Kind, _ options: SyncOptions) async throws(StoreError) -> Value {
      let (driver, content) = (try Drivers.find(self), try options.content())
      try await ended(on: driver) { (finish) throws(StoreError) in _ = driver.begin(kind, content, finish) }
      return try settingsForSync()
    }

    private func ended(
      on driver: Driver, _ start: (@escaping @Sendable (Result<Void, StoreError>) -> Void) throws(StoreError) -> Void
    ) async throws(StoreError) {
      let outcome = await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Void, StoreError>, Never>) in
        do throws(StoreError) {
          let ending: Completion<Void> = try driver.endings.make(dispatched: false) {
            continuation.resume(returning: $0)
          }
          do throws(StoreError) {
            try start { ending.finish($0) }
            ending.begin()
          } catch {
            ending.fail(error)
          }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      try outcome.get()
    }
  }
#endif

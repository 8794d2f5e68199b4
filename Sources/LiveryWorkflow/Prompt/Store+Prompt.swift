#if !hasFeature(Embedded)
  import CLivery
  import LiveryClient

  /// Shows prompts of a kind. Each pinned kind has a protocol of its own: `LoginPrompt` and its like.
  ///
  /// Both functions are called on the store's watcher thread, and return soon.
  public protocol PromptProvider: Sendable {
    /// Shows a prompt, and lets the person answer it then or later.
    ///
    /// - Throws: `.unavailable` for the next provider to be asked; anything else for the request to fail.
    func present(_ prompt: ShownPrompt) throws(StoreError)

    /// Takes it away: it was completed, or has ended for a reason.
    func dismiss(_ prompt: ShownPrompt, reason: StoreError?)
  }

  /// A prompt that is to be shown. Corresponds to `livery_prompt` in C.
  public struct ShownPrompt: Sendable, Hashable {
    fileprivate let prompt: Prompt
    /// What is asked for: `kind`, `title`, `subject`, `form`, `attempt`, `message`, `depth`, `placement`.
    public let request: Value

    public static func == (left: ShownPrompt, right: ShownPrompt) -> Bool { left.prompt === right.prompt }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(prompt)) }

    /// Answers it. Corresponds to `livery_prompt_answer` in C.
    ///
    /// - Parameter verdict: is told what became of the answer: nil if it was accepted, else why not, and whether another one may
    ///   be given.
    /// - Throws: what does not fit the form; `.busy` while another answer is looked at; `.closed`.
    public func answer(
      _ answer: Value, verdict: (@Sendable (StoreError?, _ retry: Bool) -> Void)? = nil
    ) throws(StoreError) {
      try prompt.answer(answer, verdict)
    }

    /// The person has closed it. Corresponds to `livery_prompt_dismiss` in C.
    public func dismiss() throws(StoreError) { try prompt.dismiss() }
  }

  public protocol LoginPrompt: PromptProvider {}
  public protocol DeviceProvisioningPrompt: PromptProvider {}
  public protocol LocationConsentPrompt: PromptProvider {}
  public protocol PasscodePrompt: PromptProvider {}
  public protocol GeofencePrompt: PromptProvider {}
  public protocol BluetoothConsentPrompt: PromptProvider {}
  public protocol PhotoUploadPrompt: PromptProvider {}
  public protocol UserAgreementPrompt: PromptProvider {}
  public protocol TimeRestrictionPrompt: PromptProvider {}
  public protocol ServerSwitchPrompt: PromptProvider {}
  public protocol EmailRecoveryPrompt: PromptProvider {}
  public protocol BadgePickerPrompt: PromptProvider {}
  public protocol SSOConfirmationPrompt: PromptProvider {}
  public protocol RevokedPrompt: PromptProvider {}

  /// Keeps a provider known until it is cancelled or let go of. Corresponds to `livery_prompt_provider` in C.
  public final class PromptProvision: Sendable {
    private let provider: Provider

    fileprivate init(_ provider: Provider) {
      self.provider = provider
    }

    deinit { cancel() }

    /// What is shown is dismissed, and the next provider asked. Twice is fine.
    public func cancel() { provider.desk.withdraw(provider) }
  }

  /// How to ask for a prompt. Corresponds to `livery_prompt_options` in C.
  public struct PromptOptions: Sendable {
    /// How long all of it may take; nil for as long as the person needs.
    public var timeout: Duration?
    /// How long each provider may take to show it.
    public var patience = Duration.seconds(10)
    /// Whether the topmost request of this handle goes.
    public var replaces = false
    /// What an answer of a kind with a name of its own looks like.
    public var schema: String?

    public init() {}
  }

  /// What a person has answered; or the default of a kind that nobody shows.
  public struct PromptAnswer: Sendable {
    public let value: Value
    public let isDefault: Bool

    public subscript(name: String) -> Value? { value[name] }
  }

  /// What a requester makes of an answer.
  public enum PromptDecision: Sendable {
    case accept
    /// With a line for the person, who may answer again if `retry` says so.
    case reject(String, retry: Bool = true)
  }

  extension Store {
    /// The kinds that every program knows. Corresponds to `livery_prompt_kinds` in C.
    public static var promptKinds: [Value] { PromptKind.all.map { $0.value } }

    /// Those of them that nobody shows. Corresponds to `livery_prompt_missing` in C.
    public func missingPrompts() throws(StoreError) -> [Value] { try Desks.find(self).missing() }

    /// Lets a provider show the prompts of a kind, also those of other processes. Corresponds to `livery_prompt_provide` in C.
    public func providePrompt(_ kind: String, by provider: some PromptProvider) throws(StoreError) -> PromptProvision {
      try PromptKind.checkName(kind, orAny: true)
      let desk = try Desks.find(self)
      let functions = Provider.Functions(
        present: { (prompt) in
          do throws(StoreError) {
            try provider.present(ShownPrompt(prompt: prompt, request: try prompt.shown))
            return nil
          } catch { return error }
        },
        dismiss: { (prompt, reason) in
          provider.dismiss(ShownPrompt(prompt: prompt, request: prompt.content), reason: reason)
        },
        end: {})
      let made = Provider(kind, desk, functions, dispatched: false)
      _ = try made.open()
      do throws(StoreError) { try desk.add(made) } catch {
        Provider.handles.remove(made.handle)
        throw error
      }
      return PromptProvision(made)
    }

    /// Lets a provider show every prompt that nobody shows who names its kind. Corresponds to `LIVERY_PROMPT_ANY` in C.
    public func provideAnyPrompt(by provider: some PromptProvider) throws(StoreError) -> PromptProvision {
      try providePrompt(PromptKind.any, by: provider)
    }

    public func provide(login: some LoginPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("login", by: login)
    }
    public func provide(deviceProvisioning: some DeviceProvisioningPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("device-provisioning", by: deviceProvisioning)
    }
    public func provide(locationConsent: some LocationConsentPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("location-consent", by: locationConsent)
    }
    public func provide(passcode: some PasscodePrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("passcode", by: passcode)
    }
    public func provide(geofence: some GeofencePrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("geofence", by: geofence)
    }
    public func provide(bluetoothConsent: some BluetoothConsentPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("bluetooth-consent", by: bluetoothConsent)
    }
    public func provide(photoUpload: some PhotoUploadPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("photo-upload", by: photoUpload)
    }
    public func provide(userAgreement: some UserAgreementPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("user-agreement", by: userAgreement)
    }
    public func provide(timeRestriction: some TimeRestrictionPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("time-restriction", by: timeRestriction)
    }
    public func provide(serverSwitch: some ServerSwitchPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("server-switch", by: serverSwitch)
    }
    public func provide(emailRecovery: some EmailRecoveryPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("email-recovery", by: emailRecovery)
    }
    public func provide(badgePicker: some BadgePickerPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("badge-picker", by: badgePicker)
    }
    public func provide(ssoConfirmation: some SSOConfirmationPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("sso-confirmation", by: ssoConfirmation)
    }
    public func provide(revoked: some RevokedPrompt) throws(StoreError) -> PromptProvision {
      try providePrompt("revoked", by: revoked)
    }

    /// Asks for a prompt, and waits for its answer. Cancelling the task takes the request back. Corresponds to
    /// `livery_prompt_request_start` in C.
    ///
    /// - Parameter decide: what to make of each answer; every one that fits the form is accepted without it. Runs on the store's
    ///   watcher thread.
    /// - Throws: `StoreError`: `.unavailable` if nobody shows it, `.cancelled` if it was dismissed, `.timeout`, `.refused`.
    public func prompt(
      _ kind: String, subject: Value = .object([]), options: PromptOptions = PromptOptions(),
      decide: (@Sendable (Value) -> PromptDecision)? = nil
    ) async throws -> PromptAnswer {
      let asked = Asked()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<PromptAnswer, any Error>) in
          do throws(StoreError) {
            asked.keep(
              try self.ask(kind, subject, options, decide) {
                continuation.resume(with: $0.mapError { $0 as any Error })
              })
          } catch { continuation.resume(throwing: error) }
        }
      } onCancel: {
        asked.cancel()
      }
    }

    /// Takes back the topmost request of this handle. Corresponds to `livery_prompt_pop` in C.
    ///
    /// - Throws: `.notFound` if there is none.
    public func popPrompt() throws(StoreError) { try Desks.find(self).pop() }

    private func ask(
      _ kind: String, _ subject: Value, _ options: PromptOptions, _ decide: (@Sendable (Value) -> PromptDecision)?,
      _ done: @escaping @Sendable (Result<PromptAnswer, StoreError>) -> Void
    ) throws(StoreError) -> Request {
      try PromptKind.checkName(kind)
      var wish = Request.Wish(kind: kind)
      wish.subject = subject
      wish.schema = options.schema
      wish.replaces = options.replaces
      wish.timeout = options.timeout.map { max(1, $0.wholeMicroseconds) } ?? 0
      wish.patience = options.patience.wholeMicroseconds
      try wish.check()
      if let decide {
        wish.answered = { (request, answer) in
          // It may have ended meanwhile.
          switch decide(answer) {
          case .accept: try? request.accepted()
          case .reject(let message, let retry): try? request.rejected(message, retry: retry)
          }
        }
      }
      wish.done = { (outcome) in
        switch outcome {
        case .completed(let answer, let byDefault): done(.success(PromptAnswer(value: answer, isDefault: byDefault)))
        case .failed(let error), .dismissed(let error), .timedOut(let error): done(.failure(error))
        }
      }
      let request = Request(try Desks.find(self), wish)
      _ = try request.begin()
      request.desk.loop.post { request.start() }
      return request
    }
  }

  extension Duration {
    var wholeMicroseconds: Int64 {
      let (seconds, fraction) = components
      guard seconds >= 0, fraction >= 0 else { return 0 }
      return seconds > 1_000_000 ? .max : seconds * 1_000_000 + fraction / 1_000_000_000_000
    }
  }

  /// A request that may be cancelled before it is there.
  private final class Asked: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var request: Request?
    private var isCancelled = false

    func keep(_ request: Request) {
      let isCancelled = lock.withLock { () -> Bool in
        self.request = request
        return self.isCancelled
      }
      if isCancelled { try? request.cancel("the task was cancelled") }
    }

    func cancel() {
      let request = lock.withLock { () -> Request? in
        isCancelled = true
        return self.request
      }
      try? request?.cancel("the task was cancelled")
    }
  }
#endif

import LiveryClient

/// Who shows prompts of a kind, until it is withdrawn or its store is closed.
final class Provider: @unchecked Sendable {
  static let handles = Handles<Provider>(kind: 0x60, noun: "provider")

  /// What a program gives to show prompts with.
  struct Functions: Sendable {
    /// Shows it; the status is that of `present` in C.
    var present: @Sendable (Prompt) -> StoreError?
    var dismiss: @Sendable (Prompt, StoreError?) -> Void
    /// Runs once, after everything else.
    var end: @Sendable () -> Void
  }

  let kind: String
  let desk: Desk
  let functions: Functions
  let mailbox: Mailbox
  /// Whether it is being withdrawn. Guarded by the lock of its desk.
  var isLeaving = false
  // Of the loop's thread alone.
  var prompts: [ObjectIdentifier: Prompt] = [:]
  var listener: Int32 = -1
  var socketName = ""
  var isWithdrawn = false

  // Set before others know of it.
  private(set) var handle: OpaquePointer?

  init(_ kind: String, _ desk: Desk, _ functions: Functions, dispatched: Bool) {
    self.kind = kind
    self.desk = desk
    self.functions = functions
    mailbox = desk.mailbox(dispatched: dispatched)
  }

  /// The handle to give out, before it is added to the desk.
  func open() throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    self.handle = handle
    return handle
  }
}

/// A prompt at its provider.
final class Prompt: @unchecked Sendable {
  static let handles = Handles<Prompt>(kind: 0x61, noun: "prompt")

  /// Is told what became of an answer: nil if it was taken, else why not, and whether another one may be given.
  typealias Verdict = @Sendable (StoreError?, _ retry: Bool) -> Void

  private let provider: Provider
  private let link: Link
  private let lock = Lock()
  // Guarded by `lock`.
  private(set) var handle: OpaquePointer?
  private var request: Value = .object([])
  private var hasEnded = false
  private var verdict: Verdict?
  // Of the calls of the mailbox, which are in order.
  private var isShown = false
  // Of the loop's thread alone.
  private var isAsked = false
  private var hasAnswered = false

  init(_ provider: Provider, _ link: Link) {
    self.provider = provider
    self.link = link
  }

  /// What was asked for: kind, subject, form.
  var content: Value { lock.withLock { request } }

  /// The same for who shows it: with title and form.
  var shown: Value {
    get throws(StoreError) {
      let request = content
      guard case .object(var members) = request else { return request }
      if let kind = request["kind"]?.text.flatMap({ PromptKind.named($0) }) {
        members.append(.init("title", .string(kind.title)))
      }
      if let form = Desk.form(of: request) { members.append(.init("form", try form.drawn())) }
      return .object(members)
    }
  }

  private var loop: Loop { provider.desk.loop }

  func start() {
    provider.prompts[ObjectIdentifier(self)] = self
    link.start { (message) in self.receive(message) }
  }

  /// On the loop's thread.
  private func receive(_ message: Message?) {
    switch message {
    case .ask(let request)?:
      guard !isAsked, !provider.isWithdrawn else { return end(StoreError(.unavailable, "the provider is withdrawn")) }
      isAsked = true
      do throws(StoreError) {
        let handle = try Self.handles.insert(self)
        lock.withLock {
          self.request = request
          self.handle = handle
        }
      } catch { return end(error) }
      provider.mailbox.add { self.present() }
    case .verdict(let error, let retry)?:
      tell(error, retry)
      hasAnswered = false
    case .end(let reason)?: end(reason)
    case nil: end(StoreError(.cancelled, "who asked for the prompt has ended"))
    default: end(StoreError(.io, "who asked for the prompt says what nobody understands"))
    }
  }

  /// Calls the program, which shows it.
  private func present() {
    if lock.withLock({ hasEnded }) { return }
    guard let error = provider.functions.present(self) else {
      isShown = true
      _ = loop.post { self.link.send(.took) }
      return
    }
    loop.post {
      // Who has answered has shown it.
      if self.hasAnswered { return }
      self.link.send(error.code == .unavailable ? .declined : .failed(error))
      self.end(nil)
    }
  }

  private func tell(_ error: StoreError?, _ retry: Bool) {
    let verdict = lock.withLock { () -> Verdict? in
      defer { self.verdict = nil }
      return self.verdict
    }
    if let verdict { provider.mailbox.add { verdict(error, retry) } }
  }

  /// It ends at this provider, for a reason or since it was completed. On the loop's thread.
  func end(_ reason: StoreError?) {
    lock.withLock { hasEnded = true }
    guard provider.prompts.removeValue(forKey: ObjectIdentifier(self)) != nil else { return }
    link.close()
    tell(reason ?? StoreError(.cancelled, "the prompt has ended"), false)
    provider.mailbox.add {
      if self.isShown { self.provider.functions.dismiss(self, reason) }
      Self.handles.remove(self.handle)
      self.lock.withLock { self.request = .object([]) }
    }
  }

  // MARK: For the program, on any thread

  /// - Throws: `.closed` if it has ended; `.busy` if an answer is being looked at; as `PromptForm.checked`.
  func answer(_ value: Value, _ verdict: Verdict?) throws(StoreError) {
    let request = content
    let checked = try Desk.form(of: request)?.checked(value) ?? value
    let message = Message.answer(checked)
    guard message.bytes.count <= Message.limit else {
      throw StoreError(.invalidValue, "an answer has at most \(Message.limit) bytes")
    }
    try lock.withLock { () throws(StoreError) in
      guard !hasEnded else { throw StoreError(.closed, "the prompt has ended") }
      guard self.verdict == nil else { throw StoreError(.busy, "an answer to the prompt is being looked at") }
      self.verdict = verdict ?? { _, _ in }
    }
    loop.post {
      self.hasAnswered = true
      self.link.send(message)
    }
  }

  /// The person has closed it.
  func dismiss() throws(StoreError) {
    guard !lock.withLock({ hasEnded }) else { throw StoreError(.closed, "the prompt has ended") }
    loop.post { self.link.send(.dismissed) }
  }
}

import CLivery
import LiveryClient

/// A prompt at who asks for it.
final class Request: @unchecked Sendable {
  static let handles = Handles<Request>(kind: 0x62, noun: "request")

  /// What to ask for, and who is told.
  struct Wish: Sendable {
    var kind: String
    var subject: Value = .object([])
    /// The schema of an answer of a kind that is not pinned.
    var schema: String?
    /// Microseconds; 0 for any time.
    var timeout: Int64 = 0
    var patience: Int64 = 10_000_000
    var replaces = false
    var isDispatched = false
    /// Is given an answer, and accepts or rejects it; every answer is accepted without it.
    var answered: (@Sendable (Request, Value) -> Void)?
    var done: @Sendable (PromptMachine.Outcome) -> Void = { _ in }
  }

  /// Who may be asked.
  enum Candidate: Sendable {
    case own(Provider)
    /// Of another process: the name of its socket, which no other one ever has.
    case other(String)

    func isSame(as other: Candidate) -> Bool {
      switch (self, other) {
      case (.own(let one), .own(let two)): one === two
      case (.other(let one), .other(let two)): one.sameBytes(as: two)
      default: false
      }
    }
  }

  let desk: Desk
  let wish: Wish
  private let lock = Lock()
  // Guarded by `lock`.
  private(set) var handle: OpaquePointer?
  private var isChecking = false
  private var isOver = false
  private var isCancelled = false
  // Of the loop's thread alone.
  private(set) var machine: PromptMachine
  private var candidates: [Candidate] = []
  private var link: Link?
  private var timer: Int?
  private var patience: Int?
  private var attempt = 0
  private var message = ""

  init(_ desk: Desk, _ wish: Wish) {
    self.desk = desk
    self.wish = wish
    machine = PromptMachine(count: 0, fallback: nil, unavailable: Self.unavailable(wish.kind))
  }

  private static func unavailable(_ kind: String) -> StoreError {
    StoreError(
      .unavailable,
      "nobody shows prompts of the kind \"\(kind)\": call livery_prompt_provide(store, \"\(kind)\", …), or run `livery prompt provide \(kind)`"
    )
  }

  /// Whether it has ended, or is about to.
  var isEnding: Bool { lock.withLock { isOver || isCancelled } }

  /// The handle to give out, before it is started.
  func begin() throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) { try desk.push(self) } catch {
      Self.handles.remove(handle)
      throw error
    }
    return handle
  }

  // MARK: On the loop's thread

  func start() {
    if machine.isOver { return }
    do throws(StoreError) { candidates = try desk.candidates(wish.kind) } catch { return handle(.closed) }
    if wish.timeout > 0 { timer = desk.loop.run(after: wish.timeout) { self.handle(.timedOut) } }
    machine = PromptMachine(
      count: candidates.count, fallback: PromptKind.named(wish.kind)?.fallback,
      unavailable: Self.unavailable(wish.kind))
    handle(.started)
  }

  func handle(_ event: PromptMachine.Event) {
    if case .rejected(let error, true) = event {
      attempt += 1
      message = error.message
    }
    switch event {
    case .declined, .lost, .rejected(_, true): lookForMore()
    default: break
    }
    for action in machine.handle(event) { carryOut(action) }
  }

  /// Who came since the request began is asked as well, after the others.
  private func lookForMore() {
    guard !machine.isOver, let present = try? desk.candidates(wish.kind) else { return }
    let more = present.filter { (one) in !candidates.contains { $0.isSame(as: one) } }
    candidates += more
    machine.add(more.count)
  }

  private func carryOut(_ action: PromptMachine.Action) {
    switch action {
    case .ask(let place): ask(place)
    case .deliver(let answer): deliver(answer)
    case .tell(_, let error, let retry): link?.send(.verdict(error, retry: retry))
    case .end(_, let reason):
      desk.loop.cancel(patience)
      link?.send(.end(reason))
      link?.close()
      link = nil
    case .finish(let outcome): finish(outcome)
    }
  }

  private func ask(_ place: Int) {
    do throws(StoreError) { link = try desk.connect(candidates[place]) } catch {
      let failure = error
      desk.loop.post { self.handle(.lost(place, failure)) }
      return
    }
    patience = desk.loop.run(after: wish.patience) {
      self.handle(.lost(place, StoreError(.unavailable, "who shows prompts of this kind does not answer")))
    }
    link?.start { (message) in self.receive(message, from: place) }
    link?.send(.ask(content))
  }

  /// What the provider is told.
  private var content: Value {
    var members: [Value.Member] = [
      .init("kind", .string(wish.kind)), .init("subject", wish.subject),
      .init("attempt", .int(Int64(attempt + 1))), .init("message", .string(message)),
      .init("depth", .int(Int64(desk.depth(of: self)))),
      .init("placement", .string(wish.replaces ? "replace" : "push")),
    ]
    if let schema = wish.schema { members.append(.init("schema", .string(schema))) }
    return .object(members)
  }

  private func receive(_ message: Message?, from place: Int) {
    switch message {
    case .took?:
      desk.loop.cancel(patience)
      handle(.took(place))
    case .declined?: handle(.declined(place))
    case .failed(let error)?: handle(.failed(place, error))
    case .dismissed?: handle(.dismissed(place))
    case .answer(let answer)?:
      desk.loop.cancel(patience)
      // What comes of another process is not believed.
      do throws(StoreError) {
        let checked = try Desk.form(of: content)?.checked(answer) ?? answer
        livery_value_release(try checked.makeHandle())
        handle(.answered(place, checked))
      } catch {
        link?.send(.verdict(error, retry: true))
      }
    case nil: handle(.lost(place, StoreError(.unavailable, "who showed the prompt has ended")))
    default: handle(.lost(place, StoreError(.io, "who shows the prompt says what nobody understands")))
    }
  }

  private func deliver(_ answer: Value) {
    guard let answered = wish.answered else { return accept() }
    lock.withLock { isChecking = true }
    desk.mailbox(dispatched: wish.isDispatched).add {
      if self.lock.withLock({ self.isChecking }) { answered(self, answer) }
    }
  }

  /// Takes the answer; what is a fact is kept first.
  private func accept() {
    do throws(StoreError) {
      if let answer = machine.answer { try desk.keep(wish.kind, answer, wish.subject) }
      handle(.accepted)
    } catch { handle(.rejected(error, retry: false)) }
  }

  private func finish(_ outcome: PromptMachine.Outcome) {
    desk.loop.cancel(timer)
    desk.loop.cancel(patience)
    desk.letGo(self)
    lock.withLock {
      isOver = true
      isChecking = false
    }
    desk.mailbox(dispatched: wish.isDispatched).add {
      Self.handles.remove(self.handle)
      self.wish.done(outcome)
    }
  }

  // MARK: For the program, on any thread

  /// Takes what is to be decided.
  private func decide() throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      guard !isOver else { throw StoreError(.closed, "the request has ended") }
      guard isChecking else { throw StoreError(.noValue, "there is no answer to accept or to reject") }
      isChecking = false
    }
  }

  func accepted() throws(StoreError) {
    try decide()
    desk.loop.post { self.accept() }
  }

  func rejected(_ message: String, retry: Bool) throws(StoreError) {
    try decide()
    let error = StoreError(.refused, message)
    desk.loop.post { self.handle(.rejected(error, retry: retry)) }
  }

  func cancel(_ message: String) throws(StoreError) {
    let wasOver = lock.withLock { () -> Bool in
      isCancelled = true
      return isOver
    }
    if wasOver { throw StoreError(.closed, "the request has ended") }
    let error = StoreError(.cancelled, message)
    desk.loop.post { self.handle(.cancelled(error)) }
  }
}

extension Request.Wish {
  /// - Throws: what is wrong with it.
  func check() throws(StoreError) {
    for time in [timeout, patience] where time < 0 || time > 86_400_000_000 {
      throw StoreError(.invalidArgument, "a time is longer than a day")
    }
    var bytes: [UInt8] = []
    ValueCode.write(subject, to: &bytes)
    guard bytes.count <= Message.limit / 2, (schema?.utf8.count ?? 0) <= Message.limit / 3 else {
      throw StoreError(.invalidValue, "the subject or the schema of a prompt is too large")
    }
    // Who shows the prompt is given it as a member of what is asked for.
    do throws(StoreError) {
      livery_value_release(try Value.object([.init("subject", subject)]).makeHandle())
    } catch {
      throw StoreError(error.code, "the subject of a prompt is no value that an object may hold: \(error.message)")
    }
    guard let schema else { return }
    if PromptKind.named(kind) != nil {
      throw StoreError(.invalidArgument, "the kind \"\(kind)\" has a form, and takes no schema")
    }
    if let error = Store.checkSchema(Array(schema.utf8)).error { throw error }
  }
}

import CLivery
import CPage
import LiveryClient
import LiveryHTTP

/// The prompts that wait at a page for whoever opens it: those that no program provides by their kind.
final class Prompts: @unchecked Sendable {
  enum State: Sendable {
    case waits
    /// The requester looks at an answer.
    case isLookedAt
    /// It was answered, or has ended for a reason.
    case isOver(StoreError?)
  }

  /// What stays the same of one.
  final class Question: @unchecked Sendable {
    /// Tells prompts apart, and is no secret.
    let number: UInt64
    fileprivate let handle: OpaquePointer?
    let title: String
    /// What the requester tells of it.
    let subject: Value
    /// What an answer is made of: the members of an object, or one control without name for a text.
    let elements: [Element]

    init(_ number: UInt64, _ handle: OpaquePointer?, _ title: String, _ subject: Value, _ elements: [Element]) {
      self.number = number
      self.handle = handle
      self.title = title
      self.subject = subject
      self.elements = elements
    }
  }

  /// One of them, as it is now.
  struct Prompt: Sendable {
    let question: Question
    var state = State.waits
    /// Why the last answer was rejected; "" if none was.
    var message: String
    /// What that answer was, without its secrets, for the session that gave it.
    var typed: (session: UInt64, entry: ListEntry)?

    var number: UInt64 { question.number }

    var isOver: Bool {
      if case .isOver = state { return true }
      return false
    }
  }

  /// So many of those that are over are remembered, to say what became of them.
  private static let mostOver = 32

  private let lock = Lock()
  // Guarded by `lock`.
  /// In the order in which they came.
  private var all: [Prompt] = []
  private var last: UInt64 = 0
  private var changes: UInt64 = 0
  private var provider: OpaquePointer?
  /// Called when one comes, goes or looks different.
  private var changed: (@Sendable () -> Void)?

  /// - Throws: `.unavailable` if the library cannot be loaded that prompts are of.
  static func load() throws(StoreError) {
    guard lvp_prompts_load() else {
      throw StoreError(
        .unavailable, "prompts are of the extension `workflow`, whose liblivery-workflow.so cannot be loaded")
    }
    // What people type passes through this library, too.
    lvp_memory_wipe()
  }

  /// Shows prompts from now on, until `withdraw`.
  ///
  /// - Throws: as `livery_prompt_provide` in C.
  func open(_ store: Store, changed: @escaping @Sendable () -> Void) throws(StoreError) {
    lock.withLock { self.changed = changed }
    var provider: OpaquePointer?
    try check(
      lvp_prompt_provide(
        store.handle, { Prompts.of($2).present($0, $1) }, { Prompts.of($3).dismiss($0, $1, $2) },
        Unmanaged.passRetained(self).toOpaque(),
        { (prompts) in if let prompts { Unmanaged<Prompts>.fromOpaque(prompts).release() } }, &provider))
    lock.withLock { self.provider = provider }
  }

  /// Shows none any more: others are asked. Twice is fine.
  func withdraw() {
    let provider = lock.withLock { () -> OpaquePointer? in
      defer { self.provider = nil }
      return self.provider
    }
    // It has ended already if the store is being closed.
    if let provider { _ = lvp_prompt_withdraw(provider) }
  }

  /// Nobody is told of changes any more.
  func end() { lock.withLock { changed = nil } }

  private static func of(_ object: UnsafeMutableRawPointer?) -> Prompts {
    // Only what was handed over comes back.
    Unmanaged<Prompts>.fromOpaque(object.unsafelyUnwrapped).takeUnretainedValue()
  }

  // MARK: What pages show

  /// Those that are not over, the one that came last first.
  var waiting: [Prompt] { lock.withLock { all.filter { !$0.isOver }.reversed() } }

  /// Grows with everything that happens.
  var revision: UInt64 { lock.withLock { changes } }

  subscript(number: UInt64) -> Prompt? { lock.withLock { all.first { $0.number == number } } }

  // MARK: What the library calls

  private func present(_ handle: OpaquePointer?, _ request: OpaquePointer?) -> livery_status {
    do throws(StoreError) {
      let request = try Value(reading: request)
      let form = request["form"]
      var elements = (form?["groups"]?.items ?? []).flatMap { Element.all($0["elements"]) }
      // Any value would do: people give a text.
      if form == nil { elements = [Element(kind: .text)] }
      // There is nothing to replace.
      for element in ListEntry(elements, stored: nil).template where element.kind == .secret {
        element.placeholder = ""
      }
      var title = request["title"]?.text ?? form?["title"]?.text ?? ""
      if title.isEmpty { title = request["kind"]?.text ?? "" }
      update {
        last += 1
        let question = Question(last, handle, title, request["subject"] ?? .object([]), elements)
        all.append(Prompt(question: question, message: request["message"]?.text ?? ""))
      }
      return livery_status(LIVERY_OK)
    } catch {
      error.leave()
      return error.code.rawValue
    }
  }

  private func dismiss(_ handle: OpaquePointer?, _ reason: livery_status, _ message: UnsafePointer<CChar>?) {
    let error = Self.error(reason, message)
    update {
      // A handle may come again.
      for place in all.indices where all[place].question.handle == handle && !all[place].isOver {
        all[place].state = .isOver(error)
        all[place].typed = nil
      }
      let over = all.filter { $0.isOver }
      if over.count > Self.mostOver { all.removeAll { $0.number == over[0].number } }
    }
  }

  private func judge(_ number: UInt64, _ status: livery_status, _ message: UnsafePointer<CChar>?, _ retry: Bool) {
    // What else becomes of it is told by `dismiss`.
    guard retry else { return }
    let error = Self.error(status, message)
    update {
      guard let place = place(number) else { return }
      all[place].state = .waits
      all[place].message = error?.message ?? ""
    }
  }

  private static func error(_ status: livery_status, _ message: UnsafePointer<CChar>?) -> StoreError? {
    guard status != livery_status(LIVERY_OK) else { return nil }
    return StoreError(.init(rawValue: status), message.map { String(cString: $0) } ?? "")
  }

  private func update(_ body: () -> Void) {
    let changed = lock.withLock { () -> (@Sendable () -> Void)? in
      body()
      changes += 1
      return self.changed
    }
    changed?()
  }

  /// Call it with the lock held. nil for one that is over.
  private func place(_ number: UInt64) -> Int? { all.firstIndex { $0.number == number && !$0.isOver } }

  // MARK: What people do

  private static let over = StoreError(.closed, "")

  /// Who is told of an answer's fate.
  private final class Answer {
    let prompts: Prompts
    let number: UInt64

    init(_ prompts: Prompts, _ number: UInt64) {
      self.prompts = prompts
      self.number = number
    }
  }

  /// Gives an answer; what becomes of it is seen in the prompt.
  ///
  /// - Throws: `.closed` if it is over, `.busy` if an answer is being looked at, what is wrong with this one.
  func answer(_ number: UInt64, _ value: Value, _ session: UInt64, _ entry: ListEntry) throws(StoreError) {
    let handle = try lock.withLock { () throws(StoreError) -> OpaquePointer? in
      guard let place = place(number) else { throw Self.over }
      guard case .waits = all[place].state else { throw StoreError(.busy, "") }
      all[place].state = .isLookedAt
      all[place].typed = (session, entry)
      return all[place].question.handle
    }
    do throws(StoreError) {
      let value = try value.makeHandle()
      defer { livery_value_release(value) }
      let answer = Unmanaged.passRetained(Answer(self, number))
      try check(
        lvp_prompt_answer(
          handle, value,
          {
            let answer = Unmanaged<Answer>.fromOpaque($3.unsafelyUnwrapped).takeUnretainedValue()
            answer.prompts.judge(answer.number, $0, $1, $2)
          }, answer.toOpaque(), { $0.map { Unmanaged<Answer>.fromOpaque($0).release() } }))
    } catch {
      // It may be over by now.
      lock.withLock { if let place = place(number) { all[place].state = .waits } }
      throw error
    }
  }

  /// The person has closed it.
  ///
  /// - Throws: `.closed` if it is over.
  func decline(_ number: UInt64) throws(StoreError) {
    let handle = try lock.withLock { () throws(StoreError) -> OpaquePointer? in
      guard let place = place(number) else { throw Self.over }
      all[place].state = .isLookedAt
      return all[place].question.handle
    }
    try check(lvp_prompt_dismiss(handle))
  }

  /// The prompt once its answer is decided on, which most are at once, or after so many milliseconds.
  func settled(_ number: UInt64, within patience: Int64) -> Prompt? {
    let end = Clock.now + patience
    while let prompt = self[number] {
      if case .isLookedAt = prompt.state, Clock.now < end { Clock.sleep(2) } else { return prompt }
    }
    return nil
  }
}

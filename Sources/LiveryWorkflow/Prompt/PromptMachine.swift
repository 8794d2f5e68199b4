import LiveryClient

/// What becomes of one request for a prompt: pure, without clocks, threads and messages. Events go in, actions come out, and
/// whatever the order of events there is exactly one `finish`, and one `end` for each provider that was asked.
///
/// Providers are known by their places, in the order in which they are asked.
struct PromptMachine: Sendable {
  enum Event: Sendable {
    /// The request begins.
    case started
    /// The provider shows it.
    case took(Int)
    /// The provider does not; the next one is asked.
    case declined(Int)
    /// The provider cannot, and nobody is asked after it.
    case failed(Int, StoreError)
    /// The provider has ended, or did not answer in time whether it shows it.
    case lost(Int, StoreError)
    /// The person has answered.
    case answered(Int, Value)
    /// The person has closed it.
    case dismissed(Int)
    /// The requester takes the answer.
    case accepted
    /// It does not; with `retry` the person may answer again.
    case rejected(StoreError, retry: Bool)
    /// The requester needs it no more.
    case cancelled(StoreError)
    case timedOut
    /// The requester's store was closed.
    case closed
  }

  enum Action: Sendable {
    /// Asks the provider to show it.
    case ask(Int)
    /// Hands an answer to the requester.
    case deliver(Value)
    /// Tells the provider what became of its answer; nil if it was taken.
    case tell(Int, StoreError?, retry: Bool)
    /// Ends the provider's part, for a reason or because it was completed.
    case end(Int, StoreError?)
    case finish(Outcome)
  }

  enum Outcome: Sendable {
    /// By a person; or `byDefault` since nobody provides it.
    case completed(Value, byDefault: Bool)
    case failed(StoreError)
    case dismissed(StoreError)
    case timedOut(StoreError)
  }

  private enum State {
    case idle
    case asking(Int)
    case shown(Int)
    /// The requester looks at an answer; the provider may have ended meanwhile.
    case checking(Value, by: Int, isThere: Bool)
    case over
  }

  private var count: Int
  private let fallback: Value?
  /// What a request is told that nobody shows.
  private let unavailable: StoreError
  private var state = State.idle
  /// Why the last provider was given up that showed it.
  private var loss: StoreError?
  /// Why the last provider was given up that did not get to show it.
  private var miss: StoreError?

  /// - Parameters:
  ///   - count: how many providers there are.
  ///   - fallback: the answer if none of them shows it.
  ///   - unavailable: the failure if there is no such answer.
  init(count: Int, fallback: Value?, unavailable: StoreError) {
    self.count = count
    self.fallback = fallback
    self.unavailable = unavailable
  }

  var isOver: Bool {
    if case .over = state { return true }
    return false
  }

  /// The answer that is with the requester.
  var answer: Value? {
    if case .checking(let answer, _, _) = state { return answer }
    return nil
  }

  /// So many more may be asked, after the others.
  mutating func add(_ more: Int) { count += more }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .started:
      guard case .idle = state else { return [] }
      return ask(0)
    case .took(let place):
      guard isAsking(place) else { return [] }
      state = .shown(place)
      return []
    case .declined(let place):
      guard isAsking(place) else { return [] }
      return [.end(place, nil)] + ask(place + 1)
    case .failed(let place, let error):
      guard isOpen(place) else { return [] }
      return finish(.failed(error), error)
    case .lost(let place, let error):
      return lose(place, error)
    case .answered(let place, let answer):
      guard isOpen(place) else { return [] }
      state = .checking(answer, by: place, isThere: true)
      return [.deliver(answer)]
    case .dismissed(let place):
      guard isOpen(place) || isChecking(of: place) else { return [] }
      let error = StoreError(.cancelled, "the prompt was dismissed")
      return finish(.dismissed(error), error)
    case .accepted:
      guard case .checking(let answer, let place, let isThere) = state else { return [] }
      let told: [Action] = isThere ? [.tell(place, nil, retry: false)] : []
      return told + finish(.completed(answer, byDefault: false), nil)
    case .rejected(let error, let retry):
      return reject(error, retry)
    case .cancelled(let error):
      return finish(.dismissed(error), error)
    case .timedOut:
      let error = StoreError(.timeout, "nobody answered the prompt in time")
      return finish(.timedOut(error), error)
    case .closed:
      let error = StoreError(.closed, "the store was closed")
      return finish(.failed(error), error)
    }
  }

  private func isAsking(_ place: Int) -> Bool {
    if case .asking(place) = state { return true }
    return false
  }

  /// Whether the provider may say what becomes of it.
  private func isOpen(_ place: Int) -> Bool {
    switch state {
    case .asking(place), .shown(place): true
    default: false
    }
  }

  private func isChecking(of place: Int) -> Bool {
    if case .checking(_, place, true) = state { return true }
    return false
  }

  private mutating func ask(_ place: Int) -> [Action] {
    if place < count {
      state = .asking(place)
      return [.ask(place)]
    }
    state = .over
    if let loss { return [.finish(.failed(loss))] }
    if let fallback { return [.finish(.completed(fallback, byDefault: true))] }
    return [.finish(.failed(miss ?? unavailable))]
  }

  private mutating func lose(_ place: Int, _ error: StoreError) -> [Action] {
    switch state {
    case .asking(place):
      miss = error
      return [.end(place, error)] + ask(place + 1)
    case .shown(place):
      loss = error
      return [.end(place, error)] + ask(place + 1)
    case .checking(let answer, place, true):
      // Its answer is there, and may still be taken.
      loss = error
      state = .checking(answer, by: place, isThere: false)
      return [.end(place, error)]
    default: return []
    }
  }

  private mutating func reject(_ error: StoreError, _ retry: Bool) -> [Action] {
    guard case .checking(_, let place, let isThere) = state else { return [] }
    let told: [Action] = isThere ? [.tell(place, error, retry: retry)] : []
    guard retry else { return told + finish(.failed(error), error) }
    guard isThere else { return ask(place + 1) }
    state = .shown(place)
    return told
  }

  private mutating func finish(_ outcome: Outcome, _ reason: StoreError?) -> [Action] {
    defer { state = .over }
    switch state {
    case .over: return []
    case .asking(let place), .shown(let place), .checking(_, let place, true):
      return [.end(place, reason), .finish(outcome)]
    case .idle, .checking: return [.finish(outcome)]
    }
  }
}

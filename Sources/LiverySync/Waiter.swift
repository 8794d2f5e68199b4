import LiveryClient
import LiveryFleet

/// Somebody who wants a pull or a push, and waits for its end.
struct Waiter: Sendable {
  enum Kind: Sendable {
    case pull, push
  }

  var kind: Kind
  /// What tells it from others.
  var number: String
  /// Until when it waits, in milliseconds of the driver's `now`.
  var until: Int64
  /// Whether it is of another process, which hears of the end through the store.
  var isRemote = false
  /// Whether the report that is on its way is what it waits for.
  var isIncluded = false
  /// Whether the machine was told, or the process that drives.
  var isSaid = false
  /// Whether the store has a request of it.
  var isAsked = false
  var finish: @Sendable (Result<Void, StoreError>) -> Void
}

extension Driver {
  /// Waits for a pull or a push from now on.
  func want(_ waiter: Waiter) {
    waiters.append(waiter)
    // Where nobody else takes part who could open the key it is told at once that this process cannot.
    if !drives, damage?.code == .unavailable { look() } else { serve() }
  }

  /// Waits no more; who did.
  func forget(_ number: String) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.number.sameBytes(as: number) }) else { return nil }
    return waiters.remove(at: index)
  }

  /// Ends one that waits no more.
  func end(_ waiter: Waiter, _ outcome: Result<Void, StoreError>) {
    if waiter.isAsked { withdraw(waiter.number) }
    waiter.finish(outcome)
  }

  /// Has done what is wanted: here, or by the process that drives.
  func serve() {
    guard !waiters.isEmpty else { return }
    guard drives else { return ask() }
    guard machine != nil else {
      let error = damage ?? StoreError(.notFound, "the device is of no fleet: enroll it with a code of the console")
      return finish { _ in error }
    }
    var wanted: [Device.Event] = []
    for index in waiters.indices where !waiters[index].isSaid {
      waiters[index].isSaid = true
      switch waiters[index].kind {
      case .pull: wanted.append(.pull)
      case .push:
        // Nothing is reported before it is known to whom.
        if machine?.hasKeys == false { wanted.append(.pull) }
        wanted.append(.push)
      }
    }
    for event in wanted { handle(event) }
  }

  /// Ends all who wait, and are to, with what they are told.
  private func finish(_ outcome: (Waiter) -> StoreError?) {
    let ended = waiters
    waiters = []
    for waiter in ended { end(waiter, outcome(waiter).map { .failure($0) } ?? .success(())) }
  }

  /// Ends those who wait for a pull, once there is none; also who waits for a report, as long as it is not known to whom.
  func finishPulls() {
    guard let machine, !machine.isPulling, machine.nextAttempt > now,
      // What waits for the end of a trial comes in a moment.
      !machine.isBehind || machine.problem != nil || lastCommitError != nil
    else { return }
    let failure = pullFailure(machine)
    let reports = machine.hasKeys || failure == nil
    func isOver(_ waiter: Waiter) -> Bool { waiter.isSaid && (waiter.kind == .pull || !reports) }
    let ended = waiters.filter(isOver)
    guard !ended.isEmpty else { return }
    waiters.removeAll(where: isOver)
    for waiter in ended { end(waiter, failure.map { .failure($0) } ?? .success(())) }
  }

  private func pullFailure(_ machine: Device) -> StoreError? {
    if let problem = machine.problem {
      if problem.reason == .unavailable, let error = networkError ?? storingError {
        return StoreError(error.code, error.message)
      }
      return problem.asStoreError
    }
    if let violations = machine.refusal {
      let first = violations.first
      return StoreError(
        .invalidValue,
        "what is published does not fit, and nothing of it is done: \(first?.name ?? ""): \(first?.message ?? "")",
        setting: first?.name)
    }
    if machine.isBehind { return lastCommitError ?? StoreError(.busy, "the store could not take it now") }
    return nil
  }

  /// A report has arrived, or has not.
  func finishPushes(_ error: StoreError?) {
    let ended = waiters.filter { $0.kind == .push && $0.isIncluded }
    waiters.removeAll { $0.kind == .push && $0.isIncluded }
    for waiter in ended { end(waiter, error.map { .failure($0) } ?? .success(())) }
    if waiters.contains(where: { $0.kind == .push }) { handle(.push) }
  }
}

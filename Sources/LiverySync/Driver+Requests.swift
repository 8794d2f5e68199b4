import LiveryClient
import LiveryFleet

// Between processes: what is asked of the one that drives, and what it answers. Each has a setting of its own, so that nobody's is
// written over; who has read an answer removes it, and what nobody waits for any more is removed by whoever drives.

extension Driver {
  /// How long anybody waits at most, in milliseconds.
  private static let longestRequest: Int64 = 86_400_000
  /// When an answer that could not be kept is tried again, in microseconds.
  private static let answerPause: Int64 = 1_000_000

  /// Asks the process that drives.
  func ask() {
    for waiter in waiters where !waiter.isSaid && !waiter.isRemote {
      let request: Value = .object([
        .init("kind", .string(waiter.kind == .pull ? "pull" : "push")), .init("until", .int(waiter.until)),
      ])
      do throws(StoreError) {
        try store.keep { (edit) throws(StoreError) in
          try edit.set(Membership.requests + waiter.number, to: request)
        }
        guard let index = waiters.firstIndex(where: { $0.number.sameBytes(as: waiter.number) }) else { continue }
        (waiters[index].isSaid, waiters[index].isAsked) = (true, true)
      } catch {
        forget(waiter.number)?.finish(.failure(error))
      }
    }
  }

  /// What has been asked is not to be done any more, and the answer was read, if there is one.
  func withdraw(_ number: String) { remove([Membership.requests + number, Membership.answers + number]) }

  private func remove(_ names: [String]) {
    _ = try? store.keep { (edit) throws(StoreError) in
      for name in names where try edit.value(name, in: .bundle) != nil { try edit.reset(name) }
    }
  }

  /// What other processes ask.
  func hearRequests() {
    let answers: [(name: String, value: Value)]
    let requests: [(name: String, value: Value)]
    do throws(StoreError) {
      (answers, requests) = (try kept(below: Membership.answers), try kept(below: Membership.requests))
    } catch { return hearAgain() }
    var stale = answers.filter { isStale($0.value) }.map { $0.name }
    for (name, request) in requests {
      guard !isStale(request), let kind = request["kind"]?.text, case .int(let until)? = request["until"] else {
        stale.append(name)
        continue
      }
      let number = String(decoding: name.utf8.dropFirst(Membership.requests.utf8.count), as: UTF8.self)
      if waiters.contains(where: { $0.number.sameBytes(as: number) }) { continue }
      want(
        Waiter(kind: kind.sameBytes(as: "push") ? .push : .pull, number: number, until: until, isRemote: true) {
          (outcome) in
          self.answer(number, until, outcome)
        })
    }
    if !stale.isEmpty { remove(stale) }
  }

  /// Whether nobody waits for it any more. The clock begins anew with the system.
  private func isStale(_ value: Value) -> Bool {
    guard case .int(let until)? = value["until"] else { return true }
    return until < now || until > now + Self.longestRequest
  }

  /// What cannot be read now is looked at again.
  private func hearAgain() {
    guard !isHearing else { return }
    isHearing = true
    queue.run(after: Self.answerPause) {
      self.isHearing = false
      if self.drives { self.hearRequests() }
      self.hearAnswers()
    }
  }

  private func kept(below prefix: String) throws(StoreError) -> [(name: String, value: Value)] {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    var found: [(name: String, value: Value)] = []
    for name in try snapshot.names(in: .bundle, matching: prefix + "**") {
      if let value = (try? snapshot.value(name, in: .bundle)) ?? nil { found.append((name, value)) }
    }
    return found
  }

  private func answer(_ number: String, _ until: Int64, _ outcome: Result<Void, StoreError>) {
    var members = [Value.Member("until", .int(until))]
    if case .failure(let error) = outcome {
      members.append(.init("status", .int(Int64(error.code.rawValue))))
      members.append(.init("message", .string(error.message.line(1000))))
    }
    let request = Membership.requests + number
    do throws(StoreError) {
      try store.keep { (edit) throws(StoreError) in
        // Whoever has asked may have given up.
        guard try edit.value(request, in: .bundle) != nil else { return }
        try edit.set(Membership.answers + number, to: .object(members))
        try edit.reset(request)
      }
    } catch {
      hearAgain()
    }
  }

  /// Other processes have answered.
  func hearAnswers() {
    for waiter in waiters where waiter.isAsked {
      let kept: Value?
      do throws(StoreError) { kept = try store.kept(Membership.answers + waiter.number) } catch {
        hearAgain()
        continue
      }
      guard let answer = kept, forget(waiter.number) != nil else { continue }
      guard case .int(let status)? = answer["status"], let code = Int32(exactly: status) else {
        end(waiter, .success(()))
        continue
      }
      let message = answer["message"]?.text ?? "it failed in another process"
      end(waiter, .failure(StoreError(StoreError.Code(rawValue: code), message)))
    }
  }
}

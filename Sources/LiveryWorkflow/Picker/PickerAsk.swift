import LiveryClient

/// What comes where a source may not be used.
public enum PickerDecision: Sendable {
  case stop
  /// Ask for permission again.
  case again
  /// Use another source.
  case other(PickerSource)
}

/// A question to the program, until it is answered. Corresponds to `livery_picker_ask` in C.
public final class PickerAsk: @unchecked Sendable {
  static let handles = Handles<PickerAsk>(kind: 0x71, noun: "ask")

  enum Question: Sendable {
    case permission, decision
  }

  private let question: Question
  private let lock = Lock()
  // Guarded by `lock`.
  private var pick: Pick?
  /// Set before anybody else knows of the question.
  private(set) var handle: OpaquePointer?

  init(_ pick: Pick, _ question: Question) {
    self.pick = pick
    self.question = question
  }

  func open() throws(StoreError) {
    handle = try Self.handles.insert(self)
  }

  var isOpen: Bool { lock.withLock { pick != nil } }

  /// Nobody may answer any more.
  func close() { _ = take() }

  /// Says whether the source may be used. Corresponds to `livery_picker_permit` in C.
  ///
  /// - Throws: `.closed` if it was answered before, or picking has ended; `.invalidArgument` if that was not the question.
  public func permit(_ permission: PickerPermission) throws(StoreError) {
    let pick = try answer(.permission)
    pick.desk.loop.post { pick.permitted(permission, to: self) }
  }

  /// Says what comes now. Corresponds to `livery_picker_decide` in C.
  ///
  /// - Throws: as `permit`; `.invalidArgument` also if nothing is known of the other source.
  public func decide(_ decision: PickerDecision) throws(StoreError) {
    let asked = lock.withLock { () -> Pick? in self.pick }
    if case .other(let source) = decision, let asked { try asked.wish.check(source) }
    let pick = try answer(.decision)
    pick.desk.loop.post { pick.decided(decision, to: self) }
  }

  private func answer(_ question: Question) throws(StoreError) -> Pick {
    guard question == self.question else {
      throw StoreError(
        .invalidArgument,
        self.question == .permission
          ? "the question is livery_picker_permit()'s" : "the question is livery_picker_decide()'s")
    }
    guard let pick = take() else { throw StoreError(.closed, "the question was answered, or picking has ended") }
    return pick
  }

  private func take() -> Pick? {
    let pick = lock.withLock { () -> Pick? in
      defer { self.pick = nil }
      return self.pick
    }
    // The number stays: the function may be about to be called with it.
    Self.handles.remove(handle)
    return pick
  }
}

import LiveryClient

/// A request for the user of a session, until it is answered.
final class SessionRequest: @unchecked Sendable {
  static let handles = Handles<SessionRequest>(kind: 0x53, noun: "fetch")

  let key: SessionFacts.Key
  private let lock = Lock()
  // Guarded by `lock`.
  private var keeper: SessionKeeper?
  private(set) var handle: OpaquePointer?

  init(_ keeper: SessionKeeper, _ key: SessionFacts.Key) {
    self.keeper = keeper
    self.key = key
  }

  func open() throws(StoreError) {
    let handle = try Self.handles.insert(self)
    lock.withLock { self.handle = handle }
  }

  /// Nobody may answer any more.
  func close() { Self.handles.remove(take().handle) }

  /// - Throws: `.closed` if it was answered before.
  func answer(_ answer: Result<Value, StoreError>) throws(StoreError) {
    let (keeper, handle) = take()
    Self.handles.remove(handle)
    guard let keeper else { throw StoreError(.closed, "the request was answered, or the store closed") }
    switch answer {
    case .success(let user): keeper.answered(self, user)
    case .failure(let error): keeper.failed(self, error)
    }
  }

  private func take() -> (keeper: SessionKeeper?, handle: OpaquePointer?) {
    lock.withLock {
      defer {
        keeper = nil
        handle = nil
      }
      return (keeper, handle)
    }
  }
}

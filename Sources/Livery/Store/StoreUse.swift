import CReadCache
import CSystem

/// What a handle on a store and its keys have in common: the environment, until the handle is closed.
final class StoreUse: Sendable {
  let shared: SharedEnvironment
  private let process = lvs_process_token()
  private let count = UseCount()

  init(_ shared: SharedEnvironment) {
    self.shared = shared
  }

  var isOfThisProcess: Bool { process == lvs_process_token() }

  /// Runs `body` unless the store is closed or belongs to a parent process; closing waits for it.
  @inline(__always)
  func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try enter()
    defer { leave() }
    return try body()
  }

  private func enter() throws(StoreError) {
    guard isOfThisProcess else { throw .forkedStore }
    guard count.enter() else { throw StoreError(.closed, "the store is closed") }
  }

  private func leave() {
    if count.leave() { Registry.release(shared) }
  }

  func close() {
    guard count.close() else { return }
    if isOfThisProcess { shared.snapshots.settle(shared) }
    Registry.release(shared)
  }
}

/// Counts the calls inside an object, so that the last one out, or `close`, lets go of what it holds exactly once.
final class UseCount: @unchecked Sendable {
  /// See pins.h.
  private let word: UnsafeMutablePointer<UInt64>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: LVS_OPEN)
  }

  deinit { word.deallocate() }

  /// False if closed.
  func enter() -> Bool { lvs_pin(word, 0, false) }

  var isClosed: Bool { !lvs_is_open(word) }

  /// Whether the caller has to let go: it was the last one in after a close.
  func leave() -> Bool { lvs_unpin(word) }

  /// Whether the caller has to let go; false while calls are inside, and if it was closed before.
  func close() -> Bool { lvs_pin(word, 0, true) && lvs_unpin(word) }
}

extension StoreError {
  static var forkedStore: StoreError {
    StoreError(.forked, "the store was opened by this process's parent: open it again")
  }
}

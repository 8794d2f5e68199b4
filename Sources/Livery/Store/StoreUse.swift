import CReadCache
import CSystem
import Synchronization

/// What a handle on a store and its keys have in common: the environment, until the handle is closed.
final class StoreUse: Sendable {
  let shared: SharedStore
  private let process = lvs_process_token()
  private let count = UseCount()
  /// Tells the handle from others on the same store.
  let identity = StoreUse.identities.add(1, ordering: .relaxed).newValue
  private static let identities = Atomic<UInt64>(0)

  init(_ shared: SharedStore) {
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
    if count.leave() { end() }
  }

  func close() {
    guard count.close() else { return }
    if isOfThisProcess { shared.backups.settle(shared) }
    end()
  }

  /// Nobody is inside any more. Calls that were may have begun watches, and posted, beside the closing.
  private func end() {
    if isOfThisProcess { shared.hub.stopAll(of: identity, shared) }
    Registry.release(shared)
  }
}

import CConsole
import LiveryClient
import LiveryTransfer

/// Requests that are made at the same time.
final class Requests: @unchecked Sendable {
  private let latch: OpaquePointer
  private let lock = Lock()
  // Guarded by `lock`.
  private var outcomes: [Result<Reply, StoreError>]

  private init(_ latch: OpaquePointer, _ count: Int) {
    self.latch = latch
    outcomes = [Result<Reply, StoreError>](
      repeating: .failure(StoreError(.network, "there was no answer")), count: count)
  }

  /// Makes them, and waits for all of them to end.
  ///
  /// - Returns: what came of each; nil if there is no memory.
  static func all(_ asks: [Ask]) -> [Result<Reply, StoreError>]? {
    guard !asks.isEmpty else { return [] }
    guard let latch = lvo_latch_make(asks.count) else { return nil }
    let requests = Requests(latch, asks.count)
    for (index, ask) in asks.enumerated() {
      let transfer = Transfer(ask) { (outcome) in
        requests.lock.withLock { requests.outcomes[index] = outcome }
        lvo_latch_end_one(requests.latch)
      }
      transfer.start()
    }
    lvo_latch_wait(latch)
    return requests.lock.withLock { requests.outcomes }
  }
}

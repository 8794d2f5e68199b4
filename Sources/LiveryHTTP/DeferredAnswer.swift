import CHTTP
import LiveryClient

/// The answer to a request that waits for it: whoever makes it has it sent, on any thread.
final class DeferredAnswer: @unchecked Sendable {
  private let handle: OpaquePointer
  private let lock = Lock()
  // Guarded by `lock`.
  private var made: Response?

  /// - Parameter handle: stays what it is until the answer is there.
  init(_ handle: OpaquePointer) { self.handle = handle }

  var answer: Response? { lock.withLock { made } }

  /// The first answer counts.
  func put(_ answer: Response) {
    let isFirst = lock.withLock { () -> Bool in
      guard made == nil else { return false }
      made = answer
      return true
    }
    if isFirst { lvh_exchange_resume(handle) }
  }
}

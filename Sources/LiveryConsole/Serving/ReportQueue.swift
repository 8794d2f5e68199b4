import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Reports of devices, on a thread of their own: those that come while others are being committed go into one commit together.
final class ReportQueue: @unchecked Sendable {
  /// How many go into one commit, and how many wait at most.
  static let batch = 128
  static let most = 4096

  private let console: Console
  private let queue: Queue
  private let lock = Lock()
  // Guarded by `lock`.
  private var waiting: [(bytes: [UInt8], done: @Sendable (Console.ReportOutcome) -> Void)] = []
  private var isAtWork = false

  convenience init(_ console: Console) throws(Refusal) {
    do throws(StoreError) { self.init(console, try Queue.make("livery-reports")) } catch {
      throw Refusal(.busy, error.message)
    }
  }

  private init(_ console: Console, _ queue: Queue) {
    self.console = console
    self.queue = queue
  }

  /// - Parameter done: called once the report is durable, or refused; on any thread.
  func add(_ bytes: [UInt8], done: @escaping @Sendable (Console.ReportOutcome) -> Void) {
    let (isTaken, isFirst) = lock.withLock { () -> (Bool, Bool) in
      guard waiting.count < ReportQueue.most else { return (false, false) }
      waiting.append((bytes, done))
      let isFirst = !isAtWork
      isAtWork = true
      return (true, isFirst)
    }
    guard isTaken else {
      return done(.failure(DeviceRefusal(status: 503, message: "too many devices report at once", wait: 10)))
    }
    if isFirst { queue.run { [self] in work() } }
  }

  private func work() {
    while true {
      let next = lock.withLock { () -> [(bytes: [UInt8], done: @Sendable (Console.ReportOutcome) -> Void)] in
        let next = Array(waiting.prefix(ReportQueue.batch))
        waiting.removeFirst(next.count)
        if next.isEmpty { isAtWork = false }
        return next
      }
      guard !next.isEmpty else { return }
      for (one, outcome) in zip(next, console.take(reports: next.map { $0.bytes })) { one.done(outcome) }
    }
  }
}

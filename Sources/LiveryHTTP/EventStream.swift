import CHTTP
import LiveryClient

/// Events on their way to a browser (text/event-stream).
final class EventStream: @unchecked Sendable {
  /// The most that waits for a slow reader. What comes on top of it is not told; that there was more is.
  static let mostBytes = 256 << 10
  private static let resync = Array("event: resync\ndata:\n\n".utf8)

  let number: UInt64
  let visitor: any Visitor
  private let connection: Connection
  private let lock = Lock()
  // Guarded by `lock`.
  /// nil when the connection is gone.
  private var exchange: OpaquePointer?
  private var queue: [[UInt8]] = []
  private var queued = 0
  /// How much of the first one is sent.
  private var sent = 0
  private var isBehind = false
  private var isSuspended = false
  private var isFinished = false

  init(_ number: UInt64, _ visitor: any Visitor, _ connection: Connection, _ exchange: OpaquePointer) {
    self.number = number
    self.connection = connection
    self.visitor = visitor
    self.exchange = exchange
  }

  func send(_ event: [UInt8]) {
    lock.withLock {
      guard !isFinished, !isBehind, !event.isEmpty else { return }
      if queued + event.count > EventStream.mostBytes {
        // What has begun is completed.
        queue.removeLast(queue.count - (sent > 0 ? 1 : 0))
        queue.append(EventStream.resync)
        queued = 0
        for event in queue { queued += event.count }
        isBehind = true
      } else {
        queue.append(event)
        queued += event.count
      }
      wake()
    }
  }

  /// Ends it, after what waits.
  func finish() {
    lock.withLock {
      isFinished = true
      wake()
    }
  }

  /// The connection is gone.
  func detach() {
    lock.withLock {
      isFinished = true
      exchange = nil
    }
  }

  private func wake() {
    guard isSuspended, let exchange else { return }
    isSuspended = false
    lvh_exchange_resume(exchange)
  }

  /// On the server's thread: how many bytes, 0 if it was suspended, -1 at the end.
  func read(_ buffer: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int {
    let count = take(buffer, most)
    // What was given before is sent; the other side has to take this, too.
    connection.server.setDeadline(connection, count == 0 ? .max : lvh_now() + Connection.patience)
    return count
  }

  private func take(_ buffer: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int {
    lock.withLock {
      var count = 0
      while count < most, let first = queue.first {
        let part = min(most - count, first.count - sent)
        first.withUnsafeBufferPointer { bytes in
          if let start = bytes.baseAddress { (buffer + count).update(from: start + sent, count: part) }
        }
        count += part
        sent += part
        guard sent == first.count else { break }
        queue.removeFirst()
        queued -= sent
        sent = 0
        if queue.isEmpty { isBehind = false }
      }
      if count > 0 { return count }
      guard !isFinished, let exchange else { return -1 }
      isSuspended = true
      lvh_exchange_suspend(exchange)
      return 0
    }
  }
}

/// Warnings that no caller is told through an error: drift of a schema, ignored input, recovery. Dropped by default.
///
/// Corresponds to `livery_set_log_handler` in C.
public enum Log {
  public typealias Handler = @Sendable (_ level: Level, _ message: String) -> Void

  /// How grave a message is. Raw values are those of the C constants.
  public enum Level: Int32, Sendable {
    /// Something was ignored, or is not as it should be; nothing was lost.
    case warning = 1
    /// Something failed that no caller was told of.
    case error = 2
  }

  private static let lock = Lock(isGlobal: true)
  nonisolated(unsafe) private static var handler: Handler?
  /// What those had to say who held locks.
  nonisolated(unsafe) private static var kept: [(level: Level, message: String)] = []

  /// Receives the messages from here on, from any thread, outside every lock; nil for silence.
  public static func setHandler(_ handler: Handler?) {
    // Letting go of the former one may run code of the caller's: outside the lock.
    let former = lock.withLock {
      let former = Self.handler
      Self.handler = handler
      return former
    }
    withExtendedLifetime(former) {}
  }

  static func write(_ level: Level, _ message: String) {
    let handler = lock.withLock { Self.handler }
    handler?(level, message)
  }

  /// Keeps a message for `writeKept`: a handler may call anything, and who has something to say holds locks.
  static func keep(_ level: Level, _ message: String) {
    lock.withLock { kept.append((level, message)) }
  }

  /// Writes what was kept, without a lock held.
  static func writeKept() {
    while true {
      let first = lock.withLock { kept.isEmpty ? nil : kept.removeFirst() }
      guard let first else { return }
      write(first.level, first.message)
    }
  }
}

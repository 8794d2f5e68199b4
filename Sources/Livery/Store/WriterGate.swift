import CSystem

/// The right to write, among all threads and processes: a mutex, and a POSIX lock on the first byte of `livery.lock`.
///
/// It stands in front of LMDB's own writer lock, which has no timeout: a stuck writer makes others fail with `.busy`
/// instead of hanging them. The kernel frees the file lock when its process dies.
final class WriterGate: @unchecked Sendable {
  private static let writerByte: Int64 = 0
  private static let openerByte: Int64 = 1
  private static let presenceByte: Int64 = 2
  /// Held by the one who comes next, so that a process that writes all the time does not overtake the others.
  private static let turnByte: Int64 = 3

  private let threads = Lock()
  /// -1 once closed.
  private var file: Int32

  init(file: Int32) {
    self.file = file
  }

  deinit {
    closeFile()
  }

  /// To be called when nobody uses the gate any more, and before its file is opened again: closing one descriptor of a
  /// file drops the locks that the process holds through any other.
  func closeFile() {
    guard file >= 0 else { return }
    close(file)
    file = -1
  }

  /// Runs `body` as the only writer. `saying` is the timeout to tell of, when a part of it has passed already.
  func whileWriting<R>(
    timeout: UInt32, saying: UInt32? = nil, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try hold(Self.writerByte, timeout, saying ?? timeout, body)
  }

  /// Runs `body` as the only process that opens or closes the store.
  func whileOpening<R>(timeout: UInt32, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try hold(Self.openerByte, timeout, timeout, body)
  }

  /// Runs `body` as the only writer beside being the only one that opens the store.
  func alsoWriting<R>(timeout: UInt32, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try takeInTurn(Self.writerByte, timeout, until: lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000)
    defer { lvs_unlock_byte(file, Self.writerByte) }
    return try body()
  }

  /// Announces that this process has the store open, until the file is closed.
  func announce() throws(StoreError) {
    guard lvs_share_byte(file, Self.presenceByte) == 0 else { throw .system(lvs_errno(), "livery.lock") }
  }

  /// Whether another process has the store open.
  var hasOthers: Bool { lvs_is_byte_taken(file, Self.presenceByte) }

  private func hold<R>(
    _ byte: Int64, _ timeout: UInt32, _ told: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
    guard threads.lock(until: deadline) else {
      throw StoreError(.busy, "another thread of this process kept the store for longer than \(told) ms")
    }
    defer { threads.unlock() }
    try takeInTurn(byte, told, until: deadline)
    defer { lvs_unlock_byte(file, byte) }
    return try body()
  }

  private func takeInTurn(_ byte: Int64, _ told: UInt32, until deadline: UInt64) throws(StoreError) {
    guard byte == Self.writerByte else { return try take(byte, blaming: byte, told, until: deadline) }
    try take(Self.turnByte, blaming: byte, told, until: deadline)
    defer { lvs_unlock_byte(file, Self.turnByte) }
    try take(byte, blaming: byte, told, until: deadline)
  }

  /// - Parameter keeper: the byte whose holder is the one that others wait for.
  private func take(
    _ byte: Int64, blaming keeper: Int64, _ told: UInt32, until deadline: UInt64
  ) throws(StoreError) {
    var pause: UInt64 = 50
    while lvs_lock_byte(file, byte) != 0 {
      let code = lvs_errno()
      guard code == EAGAIN || code == EACCES else { throw .system(code, "livery.lock") }
      guard lvs_monotonic_ns() < deadline else {
        let holder = lvs_lock_holder(file, keeper)
        let who = holder > 0 ? "process \(holder)" : "another process"
        throw StoreError(.busy, "\(who) kept the store for longer than \(told) ms")
      }
      lvs_sleep_us(pause)
      pause = min(pause * 2, 1000)
    }
  }
}

import CSystem

/// The right to write, among all threads and processes: a mutex, and a lock on the first byte of `livery.lock`.
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
  private let file: ByteLocks
  /// Where it is told who has a byte; nil if nobody else asks.
  private let wake: WakeWord?

  init(file: ByteLocks, wake: WakeWord? = nil) {
    self.file = file
    self.wake = wake
  }

  /// Which file the locks are on.
  var identity: FileIdentity { file.identity }

  /// Gives all locks back; to be called when nobody uses the gate any more.
  func close() { file.close() }

  /// Whether another copy of the library has the store open in this process.
  var isOpenElsewhere: Bool { file.isOpenElsewhere }

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

  /// Runs `body` as the only writer, for who is inside `whileOpening` already: the threads of this process share the locks.
  func alsoWriting<R>(timeout: UInt32, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try takeInTurn(Self.writerByte, timeout, until: lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000)
    defer { file.unlock(Self.writerByte) }
    return try body()
  }

  /// Announces that this process has the store open, until the file is closed.
  func announce() throws(StoreError) {
    let code = file.share(Self.presenceByte)
    guard code == 0 else { throw .system(code, "livery.lock") }
  }

  /// Whether another process has the store open.
  var hasOthers: Bool { file.isTaken(Self.presenceByte) }

  private func hold<R>(
    _ byte: Int64, _ timeout: UInt32, _ told: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
    guard threads.lock(until: deadline) else {
      throw .keptByOwnProcess(told)
    }
    defer { threads.unlock() }
    try takeInTurn(byte, told, until: deadline)
    defer { file.unlock(byte) }
    return try body()
  }

  private func takeInTurn(_ byte: Int64, _ told: UInt32, until deadline: UInt64) throws(StoreError) {
    guard byte == Self.writerByte else { return try take(byte, blaming: byte, told, until: deadline) }
    try take(Self.turnByte, blaming: byte, told, until: deadline)
    defer { file.unlock(Self.turnByte) }
    try take(byte, blaming: byte, told, until: deadline)
  }

  /// - Parameter keeper: the byte whose holder is the one that others wait for.
  private func take(
    _ byte: Int64, blaming keeper: Int64, _ told: UInt32, until deadline: UInt64
  ) throws(StoreError) {
    var pause: UInt64 = 50
    while true {
      let code = file.lock(byte)
      if code == 0 { break }
      guard code == EAGAIN || code == EACCES else { throw .system(code, "livery.lock") }
      guard lvs_monotonic_ns() < deadline else {
        let process = file.holder(of: keeper)
        let holder = process > 0 ? UInt32(process) : wake?.holder(of: keeper) ?? 0
        let who = holder > 0 ? "process \(holder)" : "another process"
        throw StoreError(.busy, "\(who) kept the store for longer than \(told) ms")
      }
      lvs_sleep_us(pause)
      pause = min(pause * 2, 1000)
    }
    wake?.hold(byte)
  }
}

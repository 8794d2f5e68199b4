import CSystem

/// A read transaction held open over several calls.
public final class HeldTransaction: @unchecked Sendable {
  /// Usable until `close`; by one thread at a time.
  public let transaction: Transaction
  private let environment: Environment
  private let epoch: Int

  init(handle: OpaquePointer, environment: Environment, epoch: Int) {
    transaction = Transaction(handle: handle)
    self.environment = environment
    self.epoch = epoch
  }

  /// Ends the transaction; to be called once.
  public func close() {
    environment.end(transaction.handle, epoch)
  }
}

/// Keeps LMDB from taking the lock file for one that nobody uses, and from beginning its table of readers anew: the locks of
/// a process, by which LMDB tells, do not keep itself out.
final class UsedLockFile {
  private let descriptor: Int32

  init(_ path: String) {
    descriptor = lvs_hold_byte(path, 0)
  }

  // Closing it gives up all locks of this process on the file: not before the environments are closed.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}

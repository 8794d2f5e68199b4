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

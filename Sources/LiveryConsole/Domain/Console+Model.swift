import Synchronization

// The pages' view of the console is the console itself.
extension Console: ConsoleModel {
  /// The latest generation that this process has seen.
  package var generation: UInt64 { latest.load(ordering: .relaxed) }
}

import CSystem

/// The word in `livery.wake` that counts commits and that the watchers of all processes sleep on.
final class WakeWord: @unchecked Sendable {
  private let word: UnsafeMutablePointer<lvs_wake>

  convenience init(path: String) throws(StoreError) {
    guard let word = lvs_wake_open(path) else { throw .system(lvs_errno(), path) }
    self.init(word)
  }

  private init(_ word: UnsafeMutablePointer<lvs_wake>) {
    self.word = word
  }

  deinit {
    lvs_wake_close(word)
  }

  var count: UInt32 { lvs_wake_count(word) }

  /// Counts a commit, and wakes whoever sleeps.
  func signal() { lvs_wake_signal(word) }

  /// Sleeps until the count is another one, or a time in nanoseconds is over.
  func wait(while count: UInt32, for nanoseconds: UInt64) { lvs_wake_wait(word, count, nanoseconds) }

  /// Announces a sleeper: without one, a commit makes no system call to wake.
  func join() { lvs_wake_join(word) }
  func leave() { lvs_wake_leave(word) }
}

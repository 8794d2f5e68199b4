import CSystem

/// The word in `livery.wake` that counts commits and that the watchers of all processes sleep on.
final class WakeWord: @unchecked Sendable {
  private let word: UnsafeMutablePointer<lvs_wake>

  convenience init(path: String, mode: UInt32) throws(StoreError) {
    guard let word = lvs_wake_open(path, mode) else { throw .system(lvs_errno(), path) }
    self.init(word)
  }

  /// One that nobody else knows.
  convenience init() throws(StoreError) {
    guard let word = lvs_wake_make() else { throw .system(lvs_errno(), "memory to wake threads") }
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

  /// Tells what a commit has changed, for the caches of all processes.
  func tell(_ changes: inout lvs_recent) { lvs_wake_tell(word, &changes) }
  /// Takes back what was told: to be called by the first process to open the store, as numbers of commits that a power
  /// failure took may come again.
  func clearRecent() { lvs_wake_clear_recent(word) }

  /// Sleeps until the count is another one, or a time in nanoseconds is over.
  func wait(while count: UInt32, for nanoseconds: UInt64) { lvs_wake_wait(word, count, nanoseconds) }

  /// Rises when the data file has been replaced.
  var generation: UInt32 { lvs_wake_generation(word) }
  var isReplacing: Bool { lvs_wake_is_replacing(word) }
  func beginReplacing() { lvs_wake_begin_replacing(word) }
  func endReplacing() { lvs_wake_end_replacing(word) }

  /// Notes that the data file is sound as it is now.
  func noteSound(_ path: String) { lvs_wake_note(word, path) }
  /// Whether the data file is as it was when it was noted to be sound.
  func isNotedSound(_ path: String) -> Bool { lvs_wake_is_noted(word, path) }

  /// Announces a sleeper: without one, a commit makes no system call to wake.
  func join() { lvs_wake_join(word) }
  func leave() { lvs_wake_leave(word) }
}

import CSystem
import CWake

/// The word in `livery.wake` that counts commits and that the watchers of all processes sleep on.
final class WakeWord: @unchecked Sendable {
  private let word: UnsafeMutablePointer<lvs_wake>

  // In Embedded Swift an initialiser that throws leaks the object: those that delegate throw before there is one.

  /// Takes the descriptor of the file over.
  convenience init(_ file: OpenFile, _ path: @autoclosure () -> String) throws(StoreError) {
    guard let word = lvs_wake_open(file.descriptor) else { throw .system(lvs_errno(), path()) }
    self.init(word, FileIdentity(file.facts))
  }

  /// One that nobody else knows.
  convenience init() throws(StoreError) {
    guard let word = lvs_wake_make() else { throw .system(lvs_errno(), "memory to wake threads") }
    self.init(word, FileIdentity(device: 0, inode: 0))
  }

  private init(_ word: UnsafeMutablePointer<lvs_wake>, _ identity: FileIdentity) {
    self.word = word
    self.identity = identity
  }

  /// Which file it lies in.
  let identity: FileIdentity
  /// Whether it is the page that the other processes look at. Without it watches poll, values that commits have outdated are
  /// looked up, and only others replace the data file.
  private(set) var isShared = true

  /// Whether this library knows what the page means.
  var isKnown: Bool { lvs_wake_is_known(word) }
  /// Makes it one that this library knows; to be called by the only process that opens the store.
  func reset() { lvs_wake_reset(word) }
  /// Does without the page, which others share and this library does not know; before anybody else uses this object.
  func part() throws(StoreError) {
    guard lvs_wake_part(word) == 0 else { throw .system(lvs_errno(), "memory to wake threads") }
    isShared = false
  }

  /// Tells that this process has a byte of livery.lock, and which process has it or had it last.
  func hold(_ byte: Int64) { if isKnown { lvs_wake_hold(word, UInt32(truncatingIfNeeded: byte)) } }
  func holder(of byte: Int64) -> UInt32 { isKnown ? lvs_wake_holder(word, UInt32(truncatingIfNeeded: byte)) : 0 }

  /// Notes which data file is open, and whether that is noted to be another one.
  func noteOpen(_ file: FileIdentity) { lvs_wake_note_open(word, file.device, file.inode) }
  func isOther(_ file: FileIdentity) -> Bool { lvs_wake_is_other(word, file.device, file.inode) }

  deinit {
    lvs_wake_close(word)
  }

  var count: UInt32 { lvs_wake_count(word) }

  /// Counts a commit, and wakes whoever sleeps.
  func signal() { lvs_wake_signal(word) }

  /// The last revision that a commit has told; 0 if none has.
  var revision: UInt64 { lvs_wake_revision(word) }
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
  func noteSound(_ name: String, in folder: Folder) { lvs_wake_note(word, folder.descriptor, name) }
  /// Whether the data file is as it was when it was noted to be sound.
  func isNotedSound(_ name: String, in folder: Folder) -> Bool { lvs_wake_is_noted(word, folder.descriptor, name) }

  /// What is known of the system's clock; to be written by the holder of the right to write.
  var clock: lvs_clock {
    get { lvs_clock_read(word) }
    set { lvs_clock_write(word, newValue) }
  }

  /// Announces a sleeper: without one, a commit makes no system call to wake.
  func join() { lvs_wake_join(word) }
  func leave() { lvs_wake_leave(word) }
}

import CSystem
import LMDB
import Synchronization

/// When a store copies itself, so that there is a last good copy when its file is found damaged.
///
/// After many commits, or with a commit long after the first one that waits to be copied, a thread beside those that commit
/// makes it. Where the last copy is old, a small store's is made at the closing of its last handle too, and after an opening
/// with a check; a large one's by a thread at the next opening, since closing is not to take long, and the store is to be
/// closed afterwards.
final class BackupPolicy: Sendable {
  /// What takes some milliseconds to copy.
  private static let smallBytes: UInt64 = 4 << 20

  private let directory: StoreDirectory
  private let commits = Atomic<UInt32>(0)
  /// From when on a commit has the store copied, on the monotonic clock; 0 while nothing waits to be copied.
  private let due = Atomic<UInt64>(0)
  private let isBusy = Atomic<Bool>(false)

  /// nil for never.
  private let maximumCommits: UInt32?
  private let maximumSeconds: UInt64?

  init(_ directory: StoreDirectory) {
    self.directory = directory
    maximumCommits = directory.options.automaticBackup.commits
    maximumSeconds = directory.options.automaticBackup.age?.wholeSeconds
  }

  /// After a commit.
  func committed(_ shared: SharedEnvironment) {
    let count = commits.add(1, ordering: .relaxed).newValue
    let now = lvs_monotonic_ns()
    let due = due.load(ordering: .relaxed)
    if due == 0 {
      // The first commit: from here on something waits to be copied.
      wait(from: now)
    } else if now >= due {
      takeBeside(shared, isForced: true)
      return
    }
    if let maximumCommits, count >= maximumCommits { takeBeside(shared, isForced: true) }
  }

  /// After an opening.
  ///
  /// - Parameter wasChecked: whether the whole file was looked at, and found sound.
  func opened(_ shared: SharedEnvironment, wasChecked: Bool) {
    if isLarge(shared) {
      takeBeside(shared, isForced: false)
    } else if wasChecked {
      take(shared, isForced: false)
    }
  }

  /// Before the last handle of the process is closed.
  func closing(_ shared: SharedEnvironment) {
    if commits.load(ordering: .relaxed) > 0, !isLarge(shared) { take(shared, isForced: false) }
  }

  /// Lets a thread end that copies a small store, so that the last handle's closing closes the store.
  func settle(_ shared: SharedEnvironment) {
    var tries = 0
    while isCopying, tries < 1000, !isLarge(shared), Registry.isNearlyClosed(shared) {
      tries += 1
      lvs_sleep_us(1000)
    }
  }

  private func isLarge(_ shared: SharedEnvironment) -> Bool { shared.environment.requiredFileSize > Self.smallBytes }

  /// Whether a thread is making a copy, and keeps the store open.
  var isCopying: Bool { isBusy.load(ordering: .acquiring) }

  /// Lets a thread end that copies the store: as long as it reads, no room that is given up in the file can be used.
  func waitForCopy(until deadline: UInt64) {
    while isCopying, lvs_monotonic_ns() < deadline { lvs_sleep_us(1000) }
  }

  /// By a thread, which keeps the store open until it has ended; the end of the program waits for it.
  private func takeBeside(_ shared: SharedEnvironment, isForced: Bool) {
    guard maximumSeconds != nil || isForced, !directory.options.readOnly else { return }
    // A thread costs more than a look.
    if !isForced, (try? isNeeded(shared, false)) == false { return }
    guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return }
    Registry.retain(shared)
    let copying = Copying(shared, isForced)
    lvs_background_begin()
    let status = lvs_thread_start(
      { context in
        guard let context else { return }
        let copying = Unmanaged<Copying>.fromOpaque(context).takeRetainedValue()
        copying.shared.backups.run(copying)
        lvs_background_end()
      }, Unmanaged.passRetained(copying).toOpaque())
    guard status != 0 else { return }
    lvs_background_end()
    Unmanaged.passUnretained(copying).release()
    isBusy.store(false, ordering: .releasing)
    wait(from: lvs_monotonic_ns())
    Registry.release(shared)
  }

  private func run(_ copying: Copying) {
    makeCopy(copying.shared, copying.isForced)
    isBusy.store(false, ordering: .releasing)
    Registry.release(copying.shared)
  }

  private func wait(from now: UInt64) {
    guard let maximumSeconds else { return }
    let (pause, isTooLong) = maximumSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    due.store(isTooLong ? .max : now &+ pause, ordering: .relaxed)
  }

  private func take(_ shared: SharedEnvironment, isForced: Bool) {
    guard maximumSeconds != nil || isForced, !directory.options.readOnly else { return }
    guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return }
    makeCopy(shared, isForced)
    isBusy.store(false, ordering: .releasing)
  }

  private func makeCopy(_ shared: SharedEnvironment, _ isForced: Bool) {
    do throws(StoreError) {
      guard try isNeeded(shared, isForced) else { return }
      // The attempt would take the last room from everybody.
      guard !shared.environment.hasNoRoomForCopy else {
        throw StoreError(.noSpace, "the file system has no room for it", systemError: ENOSPC)
      }
      _ = try shared.keepBackup(
        BackupFolder.Reason.automatic, directory.options, allowsDamagedRecords: false)
      commits.store(0, ordering: .relaxed)
      due.store(0, ordering: .relaxed)
    } catch {
      // Not to be tried again after each commit.
      commits.store(0, ordering: .relaxed)
      wait(from: lvs_monotonic_ns())
      Log.write(.error, "\(directory.path): no copy could be made: \(error.message)")
    }
  }

  /// Whether the store has changed since its last copy, and that is old.
  private func isNeeded(_ shared: SharedEnvironment, _ isForced: Bool) throws(StoreError) -> Bool {
    let revision = try shared.read { (view) throws(StoreError) in try view.revision() }
    guard revision > 0 else { return false }
    guard let last = try BackupFolder(of: directory.folder).entries().first else { return true }
    guard last.revision != revision else { return false }
    let age = Timestamp.now.microseconds - last.time.microseconds
    // A clock that was set back makes no copy young for ever.
    return isForced || age < 0 || UInt64(age) / 1_000_000 >= maximumSeconds ?? .max
  }
}

/// What a thread is to copy.
private final class Copying: Sendable {
  let shared: SharedEnvironment
  let isForced: Bool

  init(_ shared: SharedEnvironment, _ isForced: Bool) {
    self.shared = shared
    self.isForced = isForced
  }
}

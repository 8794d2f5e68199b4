import CSystem
import LMDB
import Synchronization

/// When a store copies itself, so that there is a last good copy when its file is found damaged.
///
/// Copies are made by the thread that commits, after its commit, when there were many of them or the last copy is old; and
/// at the opening and the closing of the store, when the last copy is old and something has changed.
final class SnapshotPolicy: Sendable {
  private let directory: StoreDirectory
  private let commits = Atomic<UInt32>(0)
  /// When to look at the age of the last copy next, on the monotonic clock.
  private let due = Atomic<UInt64>(0)
  private let isBusy = Atomic<Bool>(false)

  init(_ directory: StoreDirectory) {
    self.directory = directory
  }

  private var mostCommits: UInt32 {
    directory.options.snapshotCommits == 0 ? 1000 : directory.options.snapshotCommits
  }
  private var mostSeconds: UInt32 { directory.options.snapshotAge == 0 ? 600 : directory.options.snapshotAge }

  /// After a commit.
  func committed(_ shared: SharedEnvironment) {
    let count = commits.add(1, ordering: .relaxed).newValue
    let now = lvs_monotonic_ns()
    let due = due.load(ordering: .relaxed)
    if due == 0 {
      // The first commit: from here on something waits to be copied.
      if mostSeconds < UInt32.max { wait(from: now) }
    } else if now >= due {
      take(shared, isForced: true)
    }
    if mostCommits < UInt32.max, count >= mostCommits { take(shared, isForced: true) }
  }

  /// After an opening that has looked at the whole file, and found it sound.
  func opened(_ shared: SharedEnvironment) {
    take(shared, isForced: false)
  }

  /// Before the last handle of the process is closed.
  func closing(_ shared: SharedEnvironment) {
    guard commits.load(ordering: .relaxed) > 0 else { return }
    take(shared, isForced: false)
  }

  private func wait(from now: UInt64) {
    due.store(now &+ UInt64(mostSeconds) * 1_000_000_000, ordering: .relaxed)
  }

  private func take(_ shared: SharedEnvironment, isForced: Bool) {
    guard mostSeconds < UInt32.max || isForced, !directory.options.readOnly else { return }
    guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return }
    defer { isBusy.store(false, ordering: .releasing) }
    do throws(StoreError) {
      guard try isNeeded(shared, isForced) else { return }
      _ = try shared.keepBackup(
        BackupFolder.Reason.snapshot, directory.path, directory.options, allowsDamagedRecords: false)
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
    guard let last = try BackupFolder(store: directory.path).entries().first else { return true }
    guard last.revision != revision else { return false }
    let age = Timestamp.now.microseconds - last.time.microseconds
    // A clock that was set back makes no copy young for ever.
    return isForced || age < 0 || age >= Int64(mostSeconds) * 1_000_000
  }
}

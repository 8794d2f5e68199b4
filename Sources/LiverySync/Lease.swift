import CClient
import CSync
import LiveryClient

/// Who takes part: one among all processes on a store, which holds a lock of the kernel's on the first byte of `sync.lock` in the
/// store's folder. A store in memory has none, and is of one process.
final class Lease: @unchecked Sendable {
  private let folder: String?
  private let lock = Lock()
  // Guarded by `lock`.
  private var outcome = LVC_LEASE_NONE
  private var descriptor: Int32 = -1
  /// What the file says, as far as it is known.
  private var written: lvy_note?

  init(folder: String?) {
    self.folder = folder
    open()
  }

  deinit { end() }

  private func open() {
    outcome = folder.map { lvc_lease_open($0, "sync.lock", &descriptor) } ?? LVC_LEASE_NONE
  }

  /// Whether it is ours now. A file that cannot be opened may be another process's: then it is nobody's here.
  func take() -> Bool {
    lock.withLock {
      written = nil
      if outcome == LVC_LEASE_FAILED { open() }
      switch outcome {
      case LVC_LEASE_NONE: return true
      case LVC_LEASE_OPEN: return lvc_lease_take(descriptor, 0)
      default: return false
      }
    }
  }

  func give() {
    lock.withLock { if descriptor >= 0 { lvc_lease_give(descriptor, 0) } }
  }

  /// Whether the file cannot be opened.
  var isBarred: Bool { lock.withLock { outcome == LVC_LEASE_FAILED } }

  /// Tells the other processes how it is; for whoever has it.
  func write(_ note: lvy_note) {
    lock.withLock {
      guard descriptor >= 0 else { return }
      withUnsafePointer(to: note) { (note) in
        if let written, withUnsafePointer(to: written, { lvy_note_is_same($0, note) }) { return }
        written = lvy_note_write(descriptor, note) ? note.pointee : nil
      }
    }
  }

  func end() {
    lock.withLock {
      if descriptor >= 0 { lvc_lease_close(descriptor) }
      descriptor = -1
    }
  }
}

import CClient
import CLivery
import CLiverySync
import LiveryClient
import LiveryFleet

/// The checks that a program provides on a handle on a store: each decides whether what is on trial is well.
final class Checks: @unchecked Sendable {
  /// How long it is between two calls, in microseconds.
  private static let pause: Int64 = 1_000_000

  typealias Function = @convention(c) (UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> livery_status

  private struct Check: Sendable {
    var name: String
    var isDispatched: Bool
    var function: @Sendable () -> (status: livery_status, message: String)
  }

  private let store: Store
  private let queue: Queue
  private let lock = Lock()
  // Guarded by `lock`.
  private var checks: [Check] = []
  private var hasEnded = false
  /// The names of those that are being asked, and about which revision.
  private var asked: (names: [String], revision: UInt64) = ([], 0)
  /// Whether it is looked again already. Of the queue's thread alone.
  private var isLooking = false

  init(_ store: Store, _ queue: Queue) {
    self.store = store
    self.queue = queue
  }

  /// Provides a check in place of a former one of the name; without a function there is none.
  func provide(_ name: String, dispatched: Bool, _ function: Function?, _ userData: UserData) {
    let former = lock.withLock { () -> [Check] in
      let former = checks.filter { $0.name.sameBytes(as: name) }
      checks.removeAll { $0.name.sameBytes(as: name) }
      guard let function, !hasEnded else { return former }
      checks.append(
        Check(name: name, isDispatched: dispatched) {
          let status = name.withCString { function($0, userData.pointer) }
          let left = livery_last_error()
          let message = left?.pointee.status == status ? (left?.pointee.message).map { String(cString: $0) } : nil
          return (status, message ?? "")
        })
      return former
    }
    withExtendedLifetime(former) {}
    queue.run { self.look() }
  }

  func end() {
    let former = lock.withLock { () -> [Check] in
      hasEnded = true
      defer { checks = [] }
      return checks
    }
    withExtendedLifetime(former) {}
  }

  /// Asks the checks that what is on trial waits for, as far as they are provided here. On the queue's thread.
  func look() {
    guard lock.withLock({ !checks.isEmpty && !hasEnded }) else { return }
    let kept: Trial?
    do throws(StoreError) { kept = try Trial.of(store) } catch { return lookAgain() }
    guard let trial = kept else { return }
    let wanted = lock.withLock { checks.filter { trial.open.contains(.check($0.name)) } }
    guard !wanted.isEmpty else { return }
    let revision: UInt64
    switch try? trial.state(in: store) {
    case .pending(let pending): revision = pending
    case .confirmed, .reverted: return
    // It may be told of before it is there.
    case .some(.none), nil: return lookAgain()
    }
    for check in wanted where begin(check, revision) { call(check, revision) }
  }

  /// False if it is being asked already.
  private func begin(_ check: Check, _ revision: UInt64) -> Bool {
    lock.withLock {
      if asked.revision != revision { asked = ([], revision) }
      guard !asked.names.contains(where: { $0.sameBytes(as: check.name) }) else { return false }
      asked.names.append(check.name)
      return true
    }
  }

  private func lookAgain() {
    guard !isLooking else { return }
    isLooking = true
    queue.run(after: Self.pause / 5) {
      self.isLooking = false
      self.look()
    }
  }

  private func call(_ check: Check, _ revision: UInt64) {
    do throws(StoreError) {
      try store.post(dispatched: check.isDispatched) {
        let (status, message) = check.function()
        self.queue.run { self.take(status, message, check, revision) }
      }
    } catch {
      forget(check, revision)
    }
  }

  /// Nobody is asked about it any more: it is begun anew once there is somebody.
  private func forget(_ check: Check, _ revision: UInt64) {
    lock.withLock { if asked.revision == revision { asked.names.removeAll { $0.sameBytes(as: check.name) } } }
  }

  private func take(_ status: livery_status, _ message: String, _ check: Check, _ revision: UInt64) {
    do throws(StoreError) {
      switch status {
      case livery_status(LIVERY_OK):
        try store.pass(.check(check.name), of: revision, origin: "check \(check.name)".line(63))
      case livery_status(LIVERY_ERROR_BUSY): again(check, revision)
      default:
        let reason = message.utf8.isEmpty ? "it says no" : message
        try store.revertTrial(revision, origin: "check \(check.name): \(reason)".line(63))
      }
    } catch {
      // It has ended, or is tried again.
      if error.code != .notFound, error.code != .conflict, error.code != .closed { again(check, revision) }
    }
  }

  private func again(_ check: Check, _ revision: UInt64) {
    queue.run(after: Self.pause) {
      guard let known = self.lock.withLock({ self.checks.first { $0.name.sameBytes(as: check.name) } }) else {
        return self.forget(check, revision)
      }
      do throws(StoreError) {
        guard case .pending(revision)? = try Trial.of(self.store)?.state(in: self.store) else { return }
        self.call(known, revision)
      } catch {
        self.again(check, revision)
      }
    }
  }
}

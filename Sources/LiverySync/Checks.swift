import CClient
import CLivery
import CLiverySync
import LiveryClient

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
  /// The revision that is being asked about.
  private var asked: UInt64 = 0
  /// Whether it is looked again already. Of the queue's thread alone.
  private var isLooking = false

  init(_ store: Store, _ queue: Queue) {
    self.store = store
    self.queue = queue
  }

  /// Provides a check in place of a former one of the name; without a function there is none.
  func provide(_ name: String, dispatched: Bool, _ function: Function?, _ userData: UserData) {
    let former = lock.withLock { () -> [Check] in
      let former = checks.filter { $0.name.isSame(name) }
      checks.removeAll { $0.name.isSame(name) }
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

  /// Asks the check of what is on trial, if it is provided here. On the queue's thread.
  func look() {
    guard lock.withLock({ !checks.isEmpty && !hasEnded }), let trial = Trial.of(store), let name = trial.check,
      let check = lock.withLock({ checks.first { $0.name.isSame(name) } })
    else { return }
    let revision: UInt64
    switch try? trial.state(in: store) {
    case .pending(let pending): revision = pending
    case .confirmed, .reverted: return
    // It may be told of before it is there.
    case .some(.none), nil: return lookAgain()
    }
    let isNew = lock.withLock { () -> Bool in
      defer { asked = revision }
      return asked != revision
    }
    if isNew { call(check, revision) }
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
      forget(revision)
    }
  }

  /// Nobody is asked about it any more: it is begun anew once there is somebody.
  private func forget(_ revision: UInt64) {
    lock.withLock { if asked == revision { asked = 0 } }
  }

  private func take(_ status: livery_status, _ message: String, _ check: Check, _ revision: UInt64) {
    do throws(StoreError) {
      switch status {
      case livery_status(LIVERY_OK): try store.confirmTrial(revision, origin: "check \(check.name)".line(63))
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
      guard let known = self.lock.withLock({ self.checks.first { $0.name.isSame(check.name) } }) else {
        return self.forget(revision)
      }
      guard case .pending(revision)? = try? Trial.of(self.store)?.state(in: self.store) else { return }
      self.call(known, revision)
    }
  }
}

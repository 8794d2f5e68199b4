import CLivery
import CLiverySync
import LiveryClient
import LiveryFleet
import Synchronization

// The C functions: take what came in, call, hand out.

@_cdecl("livery_sync_enroll_start") @implementation
public func livery_sync_enroll_start(
  _ store: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_sync_options>?,
  _ done: livery_sync_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ task: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  start(done, user_data, destroy, options, store, task) { (driver, options, finish) throws(StoreError) in
    let text = try argument(code, "code", limit: 1 << 16)
    // What is no code is told as the outcome, as what the console says of one is.
    let enrollment: Enrollment
    do throws(StoreError) { enrollment = try Enrollment(driver, text, options) { finish($0) } } catch {
      finish(.failure(error))
      return {}
    }
    driver.queue.run { enrollment.start() }
    return { enrollment.cancel() }
  } report: { (store) throws(StoreError) in
    try store.syncStatus()
  }
}

@_cdecl("livery_sync_pull_start") @implementation
public func livery_sync_pull_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_sync_options>?, _ done: livery_sync_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ task: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  start(done, user_data, destroy, options, store, task) { (driver, options, finish) throws(StoreError) in
    driver.begin(.pull, options, finish)
  } report: { (store) throws(StoreError) in
    try store.settingsForSync()
  }
}

@_cdecl("livery_sync_push_start") @implementation
public func livery_sync_push_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_sync_options>?, _ done: livery_sync_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ task: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  start(done, user_data, destroy, options, store, task) { (driver, options, finish) throws(StoreError) in
    driver.begin(.push, options, finish)
  } report: { (store) throws(StoreError) in
    try store.settingsForSync()
  }
}

@_cdecl("livery_sync_cancel") @implementation
public func livery_sync_cancel(_ task: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard task != nil else { return }
    try Started.handles.find(task).stop()
  }
}

@_cdecl("livery_sync_start") @implementation
public func livery_sync_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_sync_options>?, _ sync: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let place = try required(sync, "sync")
    let options = try Options(options)
    let made = Sync.start(try Drivers.find(store), options)
    do throws(StoreError) { place.pointee = try Sync.handles.insert(made) } catch {
      made.stop()
      throw error
    }
  }
}

@_cdecl("livery_sync_stop") @implementation
public func livery_sync_stop(_ sync: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard sync != nil else { return }
    let object = try Sync.handles.find(sync)
    Sync.handles.remove(sync)
    object.stop()
  }
}

@_cdecl("livery_sync_status") @implementation
public func livery_sync_status(
  _ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let place = try required(value, "value")
    place.pointee = try store.syncStatus().makeHandle()
  }
}

@_cdecl("livery_sync_set_check") @implementation
public func livery_sync_set_check(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ flags: UInt32, _ check: livery_sync_check_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let name = try argument(name, "name", limit: 32)
    guard Name.isValid(name) else { throw StoreError(.invalidArgument, "name is no name of a check") }
    try checkFlags(flags, known: Int(LIVERY_SYNC_DISPATCH))
    try Drivers.find(store).checks.provide(
      name, dispatched: flags & UInt32(LIVERY_SYNC_DISPATCH) != 0, check, userData)
  }
}

@_cdecl("livery_sync_health") @implementation
public func livery_sync_health(_ store: OpaquePointer?, _ health: UnsafePointer<CChar>?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let most = Int(LIVERY_SYNC_HEALTH_MAX)
    let text = health == nil ? "" : Line.of(try argument(health, "health", limit: most), limit: most) ?? ""
    _ = try Drivers.find(store)
    try store.keep { (edit) throws(StoreError) in
      if text.utf8.isEmpty {
        try edit.reset(Membership.health)
      } else {
        try edit.set(Membership.health, to: .string(text))
      }
    }
  }
}

@_cdecl("livery_sync_leave") @implementation
public func livery_sync_leave(_ store: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    _ = try Drivers.find(store)
    try store.leaveFleet()
  }
}

private typealias Finish = @Sendable (Result<Void, StoreError>) -> Void

/// Starts what takes time: `work` begins it and gives how it is cancelled, `report` is what `done` is told of success.
private func start(
  _ done: livery_sync_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ options: UnsafePointer<livery_sync_options>?, _ store: OpaquePointer?,
  _ task: UnsafeMutablePointer<OpaquePointer?>?,
  _ work: (Driver, Options, @escaping Finish) throws(StoreError) -> @Sendable () -> Void,
  report: @escaping @Sendable (Store) throws(StoreError) -> Value
) -> livery_status {
  let userData = UserData(user_data, destroy)
  let started = Started()
  return boundary { () throws(StoreError) in
    var completion: Completion<Void>?
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      _ = try required(done, "done")
      let options = try Options(options)
      let driver = try Drivers.find(store)
      let ending: Completion<Void> = try driver.endings.make(dispatched: options.isDispatched) { (outcome) in
        started.end()
        tell(done, userData, outcome, store, report)
        userData.end()
      }
      completion = ending
      let cancel = try work(driver, options) { ending.finish($0) }
      let handle = try started.open {
        ending.finish(.failure(StoreError(.cancelled, "it was cancelled")))
        cancel()
      }
      if let task { task.pointee = handle }
      ending.begin()
    } catch {
      if let completion {
        completion.fail(error)
      } else {
        tell(done, userData, .failure(error), nil, report)
        userData.end()
      }
      throw error
    }
  }
}

private func tell(
  _ done: livery_sync_fn?, _ userData: UserData, _ outcome: Result<Void, StoreError>, _ store: Store?,
  _ report: (Store) throws(StoreError) -> Value
) {
  var handle: OpaquePointer?
  do throws(StoreError) {
    try outcome.get()
    if let store { handle = try report(store).makeHandle() }
    done?(livery_status(LIVERY_OK), "", handle, userData.pointer)
  } catch {
    error.message.withCString { done?(error.code.rawValue, $0, nil, userData.pointer) }
  }
  livery_value_release(handle)
}

/// Somebody who takes part, until `stop`.
final class Sync: @unchecked Sendable {
  static let handles = Handles<Sync>(kind: 0x53, noun: "sync")

  private let driver: Driver
  private let hasStopped = Atomic<Bool>(false)

  private init(_ driver: Driver) { self.driver = driver }

  static func start(_ driver: Driver, _ options: Options) -> Sync {
    driver.queue.run { driver.enter(options) }
    return Sync(driver)
  }

  /// Twice is fine.
  func stop() {
    if !hasStopped.exchange(true, ordering: .acquiringAndReleasing) {
      driver.queue.run { self.driver.leave(isMember: true) }
    }
  }
}

extension Driver {
  /// Begins a pull or a push, by whichever process drives, or by this one meanwhile; how it is cancelled.
  func begin(
    _ kind: Waiter.Kind, _ options: Options, _ finish: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) -> @Sendable () -> Void {
    let number = Crypto.random(12).hexadecimal
    queue.run {
      self.enter(nil, otherwise: options)
      let isOver = Once()
      let end: @Sendable (Result<Void, StoreError>) -> Void = { (outcome) in
        guard isOver.isFirst else { return }
        // Who comes next is not to find this one here: what it says of how would not count.
        self.queue.run {
          self.leave(isMember: false)
          finish(outcome)
        }
      }
      self.queue.run(after: options.timeout) {
        let waiter = self.forget(number)
        let barred = "it did not end in time: this process cannot open sync.lock, and no other one has answered"
        let message = "it did not end in time; it goes on, if a process takes part"
        end(.failure(StoreError(.timeout, self.lease.isBarred ? barred : message)))
        if waiter?.isAsked == true { self.withdraw(number) }
      }
      self.want(Waiter(kind: kind, number: number, until: self.now + options.timeout / 1000, finish: end))
    }
    return {
      self.queue.run {
        guard let waiter = self.forget(number) else { return }
        self.end(waiter, .failure(StoreError(.cancelled, "it was cancelled")))
      }
    }
  }
}

/// The first who asks. Of the queue's thread alone.
private final class Once: @unchecked Sendable {
  private var hasBeen = false

  var isFirst: Bool {
    defer { hasBeen = true }
    return !hasBeen
  }
}

import CSystem
import LMDB

/// The one environment that all of a process's handles on a store share: LMDB's locks break when it is opened twice.
final class SharedEnvironment: @unchecked Sendable {
  let environment: Environment
  let databases: Databases
  let gate: WriterGate
  let wake: WakeWord
  let cache: SettingCache
  let commits = CommitQueue()
  let hub = WatchHub()
  fileprivate let place: Place
  /// Guarded by the registry's lock.
  fileprivate var references = 1

  fileprivate init(
    environment: Environment, databases: Databases, gate: WriterGate, wake: WakeWord, cache: SettingCache, place: Place
  ) {
    self.environment = environment
    self.databases = databases
    self.gate = gate
    self.wake = wake
    self.cache = cache
    self.place = place
  }

  func read<R>(_ body: (View) throws(StoreError) -> R) throws(StoreError) -> R {
    try environment.read { (transaction) throws(StoreError) in
      try body(View(transaction: transaction, databases: databases))
    }
  }

  /// Begins a read transaction that stays open.
  func hold() throws(StoreError) -> (held: HeldTransaction, revision: UInt64) {
    let held: HeldTransaction
    do { held = try environment.snapshot() } catch { throw StoreError(error) }
    do throws(StoreError) {
      return (held, try View(transaction: held.transaction, databases: databases).revision())
    } catch {
      held.close()
      throw error
    }
  }

  func write<R>(
    timeout: UInt32, isSynchronous: Bool, _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    try gate.whileWriting(timeout: timeout) { () throws(StoreError) in
      environment.setSynchronous(isSynchronous)
      var isCommitted = false
      let result = try environment.write { (transaction) throws(StoreError) in
        let outcome = try body(View(transaction: transaction, databases: databases))
        if case .commit = outcome { isCommitted = true }
        return outcome
      }
      // Before all that is left to do, since others wait for it. A hint: whoever misses it looks within a second.
      if isCommitted { wake.signal() }
      return result
    }
  }
}

/// Which directory an environment is, whatever path led to it, and in which process.
private struct Place: Equatable {
  let device, inode, process: UInt64

  init?(_ path: String) {
    var facts = lvs_file_facts()
    guard lvs_file_facts_of(path, &facts) == 0 else { return nil }
    device = facts.device
    inode = facts.inode
    process = lvs_process_token()
  }
}

/// The environments that this process has open.
enum Registry {
  private static let lock = Lock(isGlobal: true)
  nonisolated(unsafe) private static var open: [SharedEnvironment] = []

  /// The environment of a directory: the one open already, or a new one. To be given back with `release`.
  static func acquire(_ path: String, _ options: Store.Options) throws(StoreError) -> SharedEnvironment {
    try lock.withLock { () throws(StoreError) in
      if let found = find(path) {
        found.references += 1
        return found
      }
      let made = try StoreDirectory(path: path, options: options).open { (environment, databases, gate, wake, cache) in
        Place(path).map {
          SharedEnvironment(
            environment: environment, databases: databases, gate: gate, wake: wake, cache: cache, place: $0)
        }
      }
      open.append(made)
      return made
    }
  }

  static func retain(_ shared: SharedEnvironment) {
    lock.withLock { shared.references += 1 }
  }

  /// Gives an environment back; with the last one it is closed.
  static func release(_ shared: SharedEnvironment) {
    // What a parent process opened is the parent's: a child touches none of it.
    guard shared.place.process == lvs_process_token() else { return }
    lock.withLock {
      shared.references -= 1
      guard shared.references == 0 else { return }
      open.removeAll { $0 === shared }
      shared.cache.retire()
      shared.environment.close()
      shared.gate.closeFile()
    }
  }

  private static func find(_ path: String) -> SharedEnvironment? {
    guard let place = Place(path) else { return nil }
    return open.first { $0.place == place }
  }
}

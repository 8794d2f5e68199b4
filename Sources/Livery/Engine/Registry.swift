import CSystem

/// Which directory an environment is, whatever path led to it, or which name in memory, and in which process.
struct Home: Equatable {
  let device, inode, process: UInt64
  private var name: [UInt8] = []

  init(_ folder: Folder) {
    device = folder.device
    inode = folder.inode
    process = lvs_process_token()
  }

  init(inMemory name: String) {
    device = 0
    inode = 0
    process = lvs_process_token()
    self.name = name.bytes
  }

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
  /// Makes what is shared of what was opened; the home is given for what has none on a disk.
  typealias Maker = (StoreDirectory.Opened, Home?) -> SharedEnvironment

  /// Held by who opens an environment, and may wait for other processes meanwhile.
  private static let opening = Lock(isGlobal: true)
  /// Guards what follows and its references, for a moment; taken after the other.
  private static let lock = Lock(isGlobal: true)
  /// One without references is just being closed.
  nonisolated(unsafe) private static var open: [SharedEnvironment] = []

  /// The environment of a directory: the one open already, or a new one. To be given back with `release`.
  static func acquire(
    _ path: String, _ options: OpenOptions, _ make: Maker
  ) throws(StoreError) -> SharedEnvironment {
    let deadline = lvs_monotonic_ns() &+ UInt64(options.timeout) * 1_000_000
    defer { Log.writeKept() }
    while true {
      let found = try opening.withLock { () throws(StoreError) in try find(path, options, make) }
      switch found {
      case .open(let shared): return shared
      case .opened(let shared, let wasChecked):
        shared.backups.opened(shared, wasChecked: wasChecked)
        return shared
      case .gone(let error, let isEnding):
        // A thread that copies the former store keeps it open until it is done.
        guard isEnding, lvs_monotonic_ns() < deadline else { throw error }
        lvs_sleep_us(2000)
      }
    }
  }

  private enum Found {
    case open(SharedEnvironment)
    case opened(SharedEnvironment, wasChecked: Bool)
    case gone(StoreError, isEnding: Bool)
  }

  private static func find(
    _ path: String, _ options: OpenOptions, _ make: Maker
  ) throws(StoreError) -> Found {
    let name = options.inMemory ? Home(inMemory: path) : nil
    // One without a name is found by nobody.
    guard let found = retained(options.inMemory ? (path.isEmpty ? nil : name) : Home(path)) else {
      let opened =
        options.inMemory ? try StoreDirectory.makeInMemory(path, options) : try StoreDirectory.open(path, options)
      let made = make(opened, name)
      lock.withLock { open.append(made) }
      return .opened(made, wasChecked: opened.wasChecked)
    }
    do throws(StoreError) {
      if found.copy != nil { try StoreDirectory.requireReadOnly(path, options) }
      found.place?.adopt(path)
      try found.requirePlace()
      return .open(found)
    } catch {
      defer { release(found) }
      guard error.code == .gone else { throw error }
      return .gone(error, isEnding: found.backups.isCopying)
    }
  }

  /// Runs `body` while nobody writes to a store, be it open in this process or not.
  static func whileQuiet<R>(
    _ folder: Folder, _ timeout: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let found = retained(Home(folder)) else { return try whileNobodyWrites(folder, timeout, body) }
    defer { release(found) }
    return try found.gate.whileWriting(timeout: timeout, body)
  }

  private static func whileNobodyWrites<R>(
    _ folder: Folder, _ timeout: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    // What cannot be locked is a copy, or cannot be written to here.
    guard let descriptor = try? folder.open(StoreDirectory.gate, O_RDWR) else {
      return try FileState.whileUnchanged(folder, body)
    }
    let gate = WriterGate(file: try ByteLocks.make(descriptor, folder.shown(StoreDirectory.gate)))
    defer { gate.close() }
    return try gate.whileWriting(timeout: timeout, body)
  }

  /// Whether nothing but what holds the store for a moment is left beside one handle.
  static func isNearlyClosed(_ shared: SharedEnvironment) -> Bool { lock.withLock { shared.references <= 2 } }

  static func retain(_ shared: SharedEnvironment) {
    lock.withLock { shared.references += 1 }
  }

  /// Gives an environment back; with the last one it is closed.
  static func release(_ shared: SharedEnvironment) {
    // What a parent process opened is the parent's: a child touches none of it.
    guard shared.home.process == lvs_process_token() else { return }
    if lock.withLock({ shared.references == 1 }) { shared.backups.closing(shared) }
    let isLast = lock.withLock {
      shared.references -= 1
      return shared.references == 0
    }
    guard isLast else { return }
    shared.close()
    lock.withLock { open.removeAll { $0 === shared } }
  }

  /// The environment of a directory that is open, to be given back with `release`; one that is closing is waited for.
  private static func retained(_ home: Home?) -> SharedEnvironment? {
    while true {
      var isClosing = false
      let found = lock.withLock {
        let found = find(home)
        isClosing = found?.references == 0
        if !isClosing { found?.references += 1 }
        return found
      }
      guard isClosing else { return found }
      lvs_sleep_us(100)
    }
  }

  private static func find(_ home: Home?) -> SharedEnvironment? {
    guard let home else { return nil }
    return open.first { $0.home == home && $0.copy?.isOutdated != true }
  }
}

import LMDB

/// An open store.
///
/// All members may be used from any thread. A store does not survive a fork: in the child everything throws `.forked`.
/// Corresponds to `livery_store` in C.
public final class Store: Sendable {
  /// How to open a store.
  public typealias Options = OpenOptions

  /// The directory, as it was given; of a store in memory its name.
  public let path: String
  public let options: Options
  let use: StoreUse
  /// How much of the past a commit of this handle leaves.
  let logLimits: LogLimits
  /// How long a commit waits, in milliseconds.
  let timeout: UInt32
  let descriptor = EventDescriptor()
  let migrations = MigrationFunctions()
  #if !hasFeature(Embedded)
    let boundKeys = BoundKeys()
    let naming: NamingHandle
  #endif

  /// Opens a store. Corresponds to `livery_open` in C.
  ///
  /// - Throws: `.notFound`, `.notAStore`, `.formatNewer`, `.permission`, `.noSpace`, `.corrupt`, `.busy`, `.io`;
  ///   `.invalidArgument` for an option out of range.
  public convenience init(path: String, options: Options = Options()) throws(StoreError) {
    try options.check()
    guard !path.isEmpty || options.inMemory, !path.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path is empty or contains NUL")
    }
    self.init(path, options, try SharedStore.acquire(path, options))
    clearEndedWithBoot()
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(_ path: String, _ options: Options, _ shared: SharedStore) {
    self.path = path
    self.options = options
    use = StoreUse(shared)
    #if !hasFeature(Embedded)
      naming = NamingHandle(shared.cache)
    #endif
    var limits = options.logLimits
    limits.clock = shared.clock
    logLimits = limits
    timeout = options.timeout
  }

  deinit {
    close()
  }

  /// Closes the store: calls under way finish, later ones throw `.closed`. Closing twice is fine.
  ///
  /// Corresponds to `livery_close` in C.
  public func close() {
    if isOfThisProcess {
      shared.hub.stopAll(of: identity, shared)
      migrations.removeAll()
      shared.claims.removeAll(of: identity)
      _ = shared.sealing.exchange(nil, of: identity)
      #if !hasFeature(Embedded)
        boundKeys.removeAll()
        naming.close()
      #endif
    }
    use.close()
  }

  /// Removes what has ended with a boot of the system, if the store can be written to soon: no read sees it all the same.
  private func clearEndedWithBoot() {
    guard !options.readOnly else { return }
    let isLeft = try? read { (view) throws(StoreError) in
      if let trial = try view.pendingTrial(), view.isOver(trial) { return true }
      return try !view.endedWithBoot().isEmpty
    }
    if isLeft == true { _ = try? shared.clearExpired(logLimits, timeout: 100) }
  }

  var shared: SharedStore { use.shared }
  var identity: UInt64 { use.identity }
  var isOfThisProcess: Bool { use.isOfThisProcess }

  /// Runs `body` unless the store is closed or belongs to a parent process; closing waits for it.
  @inline(__always)
  func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try use.whileOpen(body)
  }

  /// - Throws: `.gone` if the store's directory was removed, or exchanged for another one.
  package func requirePlace() throws(StoreError) {
    try whileOpen { () throws(StoreError) in try shared.requirePlace() }
  }

  /// Runs `body` in a read transaction.
  func read<R>(_ body: (View) throws(StoreError) -> R) throws(StoreError) -> R {
    try whileOpen { () throws(StoreError) in try shared.read(body) }
  }

  /// Runs `body` as the only writer, in a transaction that is committed unless it throws or says otherwise.
  func write<R>(
    isRemoval: Bool = false, _ body: (View) throws(StoreError) -> Environment.Outcome<R>
  ) throws(StoreError) -> R {
    try whileOpen { () throws(StoreError) in
      try checkWritable()
      defer { shared.clock.warn() }
      return try shared.write(
        timeout: timeout, isSynchronous: options.durability == .full, isRemoval: isRemoval, body)
    }
  }

  func checkWritable() throws(StoreError) {
    guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
  }

  /// The number of commits that changed something. Corresponds to `livery_revision` in C.
  public func revision() throws(StoreError) -> UInt64 {
    try read { (view) throws(StoreError) in try view.revision() }
  }
}

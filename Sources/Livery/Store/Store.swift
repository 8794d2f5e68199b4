import LMDB
import Synchronization

/// An open store.
///
/// All members may be used from any thread. A store does not survive a fork: in the child everything throws `.forked`.
/// Corresponds to `livery_store` in C.
public final class Store: Sendable {
  /// How to open a store. Corresponds to `livery_open_options` in C.
  public struct Options: Sendable {
    /// Make the store if the directory is missing or empty.
    public var create = false
    /// Keep the store in memory alone: nothing of it is on a disk, no other process finds it, and it is gone when the last
    /// handle on it is closed. The path is its name in this process, where the same name is the same store; without a name
    /// every opening makes another one. It is made if it is not there, unless it is to be read-only.
    public var inMemory = false
    /// Refuse every change through this handle. On a read-only file system nothing else opens a store: it is then read from a
    /// copy in memory, of what is there when the process opens it.
    public var readOnly = false
    /// Allow changes to the `override` layer through this handle.
    public var allowOverride = false
    /// Let a power failure lose the last commits of this handle; the store is never damaged.
    public var deferred = false
    /// How long a commit waits for other writers, in milliseconds; 0 for 5,000.
    public var busyTimeout: UInt32 = 0
    /// Address space reserved for the store, in bytes; 0 for 1 GiB. It grows beyond that when it must.
    public var mapSize: UInt64 = 0
    /// How many reads can be under way at once in all processes; 0 for 1,024.
    public var maxReaders: UInt32 = 0
    /// The most commits that the log keeps; 0 for 10,000.
    public var logEntries: UInt32 = 0
    /// How long the log keeps a commit, in seconds; 0 for 90 days.
    public var logAge: UInt32 = 0
    /// How much of the file the log may take, in bytes; 0 for 16 MiB, or a quarter of what all else takes if that is more.
    /// The latest commit is kept, however large it is.
    public var logBytes: UInt64 = 0
    /// Refuse a damaged store with `.corrupt`, in place of bringing back its last good copy.
    public var noRecovery = false
    /// Let the group of the directory read and write the store; otherwise it is its owner's alone. A store that was made so
    /// stays so.
    public var sharesWithGroup = false
    /// Copy the store after so many commits of this process since its last copy; 0 for 1,000, `UInt32.max` for never.
    public var snapshotCommits: UInt32 = 0
    /// Copy the store after a commit that comes so many seconds after the first one of this process since its last copy, or
    /// later; and at closing or opening it, where something has changed and the last copy is so old, or there is none. 0 for
    /// 10 minutes, `UInt32.max` for never.
    public var snapshotAge: UInt32 = 0
    /// How many backups of each reason the store keeps in its own folder; 0 for 3.
    public var backups: UInt32 = 0
    /// The most memory that values which were read before are kept in, in bytes; 0 for 32 MiB. As much as is needed is used.
    public var cacheSize: UInt64 = 0
    /// For how many versions of the schema the values of a setting are kept that it no longer declares, from the one on that
    /// did not; 0 for ever. `applySchema` drops them then, and `checkSchema` plans so.
    public var orphanVersions: UInt64 = 0

    public init() {}

    var effectiveBackups: Int { backups == 0 ? 3 : Int(backups) }
    var fileMode: UInt32 { sharesWithGroup ? 0o660 : 0o600 }
    var directoryMode: UInt32 { sharesWithGroup ? 0o770 : 0o700 }

    var effectiveTimeout: UInt32 { busyTimeout == 0 ? 5000 : busyTimeout }
    var effectiveMapSize: UInt64 { mapSize == 0 ? 1 << 30 : mapSize }
    var effectiveCacheSize: UInt64 { cacheSize == 0 ? 32 << 20 : cacheSize }
    var effectiveReaders: UInt32 { maxReaders == 0 ? 1024 : maxReaders }
    var logLimits: LogLimits {
      LogLimits(
        entries: logEntries == 0 ? 10_000 : Int(logEntries),
        age: (logAge == 0 ? 90 * 86_400 : Int64(logAge)) * 1_000_000, bytes: logBytes)
    }
  }

  /// The directory, as it was given; of a store in memory its name.
  public let path: String
  public let options: Options
  let use: StoreUse
  /// Tells this handle from others on the same store.
  let identity = Store.identities.add(1, ordering: .relaxed).newValue
  let descriptor = EventDescriptor()
  let migrations = MigrationFunctions()
  #if !hasFeature(Embedded)
    let boundKeys = BoundKeys()
  #endif
  private static let identities = Atomic<UInt64>(0)

  /// Opens a store. Corresponds to `livery_open` in C.
  ///
  /// - Throws: `.notFound`, `.notAStore`, `.formatNewer`, `.permission`, `.noSpace`, `.corrupt`, `.busy`, `.io`;
  ///   `.invalidArgument` for an option out of range.
  public convenience init(path: String, options: Options = Options()) throws(StoreError) {
    try options.check()
    guard !path.isEmpty || options.inMemory, !path.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path is empty or contains NUL")
    }
    self.init(path, options, try Registry.acquire(path, options))
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(_ path: String, _ options: Options, _ shared: SharedEnvironment) {
    self.path = path
    self.options = options
    use = StoreUse(shared)
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
      #if !hasFeature(Embedded)
        boundKeys.removeAll()
      #endif
    }
    use.close()
  }

  var shared: SharedEnvironment { use.shared }
  var isOfThisProcess: Bool { use.isOfThisProcess }

  /// Runs `body` unless the store is closed or belongs to a parent process; closing waits for it.
  @inline(__always)
  func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try use.whileOpen(body)
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
        timeout: options.effectiveTimeout, isSynchronous: !options.deferred, isRemoval: isRemoval, body)
    }
  }

  /// How much of the past a commit of this handle leaves.
  var logLimits: LogLimits {
    var limits = options.logLimits
    limits.clock = shared.clock
    return limits
  }

  func checkWritable() throws(StoreError) {
    guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
  }

  /// The number of commits that changed something. Corresponds to `livery_revision` in C.
  public func revision() throws(StoreError) -> UInt64 {
    try read { (view) throws(StoreError) in try view.revision() }
  }
}

extension Store.Options {
  func check() throws(StoreError) {
    guard mapSize == 0 || (1 << 20...1 << 40).contains(mapSize) else {
      throw StoreError(.invalidArgument, "map size \(mapSize) is not between 1 MiB and 1 TiB")
    }
    guard maxReaders == 0 || (8...65536).contains(maxReaders) else {
      throw StoreError(.invalidArgument, "\(maxReaders) readers are not between 8 and 65,536")
    }
    guard cacheSize == 0 || (1 << 16...1 << 30).contains(cacheSize) else {
      throw StoreError(.invalidArgument, "cache size \(cacheSize) is not between 64 KiB and 1 GiB")
    }
  }
}

import CLivery
import Synchronization

/// An open store.
///
/// All members may be used from any thread. A store does not survive a fork: in the child everything throws `.forked`.
/// Corresponds to `livery_store` in C.
public final class Store: @unchecked Sendable {
  /// How to open a store; 0 in any member means its default. Corresponds to `livery_open_options` in C.
  public struct Options: Sendable {
    /// Make the store if the directory is missing or empty.
    public var create = false
    /// Refuse every change through this handle.
    public var readOnly = false
    /// Allow changes to the `override` layer through this handle.
    public var allowOverride = false
    /// Keep the store in memory alone, by the path as its name in this process.
    public var inMemory = false
    /// Refuse a damaged store with `.corrupt`, in place of bringing back its last good copy.
    public var noRecovery = false
    /// Let the group of the directory read and write the store.
    public var sharesWithGroup = false
    /// What a commit waits for before it counts as made.
    public var durability = Durability.full
    /// How long a commit waits for other writers; whole milliseconds. Here as below nil is for what the library has for it.
    public var busyTimeout: Duration?
    /// Address space reserved for the store, in bytes.
    public var mapSize: UInt64?
    /// How many reads can be under way at once in all processes.
    public var maximumReaders: UInt32?
    /// The most commits that the log keeps.
    public var logEntries: UInt32?
    /// How long the log keeps a commit; whole seconds.
    public var logAge: Duration?
    /// How much of the file the log may take, in bytes.
    public var logBytes: UInt64?
    /// When the store backs itself up into its own folder.
    public var automaticBackup: AutomaticBackup?
    /// How many backups of each reason the store keeps in its own folder.
    public var backups: UInt32?
    /// The most memory that values which were read before are kept in, in bytes.
    public var cacheSize: UInt64?
    /// For how many versions of the schema values are kept that it no longer declares; nil for ever.
    public var orphanVersions: UInt64?

    public init() {}

    public enum Durability: Sendable {
      /// The disk's word: the commit survives a power failure.
      case full
      /// Nothing: a power failure may lose the last commits of this handle; the store is never damaged.
      case deferred
    }

    public struct AutomaticBackup: Sendable, Equatable {
      public static let never = AutomaticBackup(commits: nil, age: nil)

      /// After so many commits of this process since the last backup; nil for never.
      public var commits: UInt32?
      /// After a commit that comes so long after the first one since the last backup, or later; whole seconds, nil for never.
      public var age: Duration?

      public init(commits: UInt32? = 1000, age: Duration? = .seconds(600)) {
        self.commits = commits
        self.age = age
      }
    }
  }

  /// `livery_store *`, for functions of C that take one.
  public let handle: OpaquePointer
  private let isOwner: Bool
  private let isClosed = Atomic<Bool>(false)

  /// Opens a store. Corresponds to `livery_open` in C.
  ///
  /// - Throws: `.notFound`, `.notAStore`, `.formatNewer`, `.permission`, `.noSpace`, `.corrupt`, `.busy`, `.io`, `.duplicate`;
  ///   `.invalidArgument` for an option out of range.
  public convenience init(path: String, options: Options = Options()) throws(StoreError) {
    var handle: OpaquePointer?
    var content = options.content
    try passing(path) { livery_open($0, &content, &handle) }
    guard let handle else { throw StoreError(.invalidArgument, "the store was opened without a handle") }
    self.init(handle, isOwner: true)
  }

  /// A store that somebody else has opened and closes.
  ///
  /// - Throws: `.invalidArgument` for NULL. Whether the handle is one of an open store is found when it is used.
  public convenience init(borrowing handle: OpaquePointer?) throws(StoreError) {
    guard let handle else { throw StoreError(.invalidArgument, "store is NULL") }
    self.init(handle, isOwner: false)
  }

  private init(_ handle: OpaquePointer, isOwner: Bool) {
    self.handle = handle
    self.isOwner = isOwner
  }

  deinit {
    if isOwner { close() }
  }

  /// Closes the store: calls under way finish, later ones throw `.closed`. Closing twice is fine.
  ///
  /// Corresponds to `livery_close` in C.
  public func close() {
    if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { livery_close(handle) }
  }

  /// The number of commits that changed something. Corresponds to `livery_revision` in C.
  public func revision() throws(StoreError) -> UInt64 {
    var revision: UInt64 = 0
    try check(livery_revision(handle, &revision))
    return revision
  }
}

extension Store.Options {
  fileprivate var content: livery_open_options {
    var content = livery_open_options()
    content.struct_size = MemoryLayout<livery_open_options>.size
    func set(_ isSet: Bool, _ flag: Int) {
      if isSet { content.flags |= UInt32(flag) }
    }
    set(create, LIVERY_OPEN_CREATE)
    set(readOnly, LIVERY_OPEN_READ_ONLY)
    set(allowOverride, LIVERY_OPEN_ALLOW_OVERRIDE)
    set(durability == .deferred, LIVERY_OPEN_DEFERRED)
    set(inMemory, LIVERY_OPEN_MEMORY)
    set(noRecovery, LIVERY_OPEN_NO_RECOVERY)
    set(sharesWithGroup, LIVERY_OPEN_GROUP)
    // 0 is for what the library has; no waiting at all is the shortest that can be asked for.
    if let busyTimeout { content.busy_timeout_ms = max(1, busyTimeout.wholeMilliseconds) }
    content.map_size = mapSize ?? 0
    content.max_readers = maximumReaders ?? 0
    content.log_entries = logEntries ?? 0
    if let logAge { content.log_age_s = max(1, logAge.wholeSeconds) }
    content.log_bytes = logBytes ?? 0
    content.backups = backups ?? 0
    content.cache_size = cacheSize ?? 0
    if let automaticBackup {
      content.backup_commits = automaticBackup.commits ?? .max
      content.backup_age_s = automaticBackup.age.map { max(1, $0.wholeSeconds) } ?? .max
    }
    content.orphan_versions = orphanVersions ?? 0
    return content
  }
}

extension Duration {
  /// Without what is less than one; none if it is negative, and never more than fit.
  var wholeSeconds: UInt32 { UInt32(clamping: components.seconds) }

  var wholeMilliseconds: UInt32 {
    let (seconds, fraction) = components
    guard seconds >= 0, fraction >= 0 else { return 0 }
    guard seconds < Int64(UInt32.max) else { return .max }
    return UInt32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000)
  }
}

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
    /// Let a power failure lose the last commits of this handle; the store is never damaged.
    public var deferred = false
    /// Refuse a damaged store with `.corrupt`, in place of bringing back its last good copy.
    public var noRecovery = false
    /// Let the group of the directory read and write the store.
    public var sharesWithGroup = false
    /// How long a commit waits for other writers, in milliseconds.
    public var busyTimeout: UInt32 = 0
    /// Address space reserved for the store, in bytes.
    public var mapSize: UInt64 = 0
    /// How many reads can be under way at once in all processes.
    public var maxReaders: UInt32 = 0
    /// The most commits that the log keeps.
    public var logEntries: UInt32 = 0
    /// How long the log keeps a commit, in seconds.
    public var logAge: UInt32 = 0
    /// How much of the file the log may take, in bytes.
    public var logBytes: UInt64 = 0
    /// How many backups of each reason the store keeps in its own folder.
    public var backups: UInt32 = 0
    /// The most memory that values which were read before are kept in, in bytes.
    public var cacheSize: UInt64 = 0
    /// Copy the store after so many commits of this process since its last copy; `UInt32.max` for never.
    public var snapshotCommits: UInt32 = 0
    /// Copy the store after so many seconds; `UInt32.max` for never.
    public var snapshotAge: UInt32 = 0
    /// For how many versions of the schema values are kept that it no longer declares; 0 for ever.
    public var orphanVersions: UInt64 = 0

    public init() {}
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
    set(deferred, LIVERY_OPEN_DEFERRED)
    set(noRecovery, LIVERY_OPEN_NO_RECOVERY)
    set(sharesWithGroup, LIVERY_OPEN_GROUP)
    content.busy_timeout_ms = busyTimeout
    content.map_size = mapSize
    content.max_readers = maxReaders
    content.log_entries = logEntries
    content.log_age_s = logAge
    content.log_bytes = logBytes
    content.backups = backups
    content.cache_size = cacheSize
    content.snapshot_commits = snapshotCommits
    content.snapshot_age_s = snapshotAge
    content.orphan_versions = orphanVersions
    return content
  }
}

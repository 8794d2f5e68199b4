/// How to open a store. Corresponds to `livery_open_options` in C.
public struct OpenOptions: Sendable {
  /// What a commit waits for before it counts as made.
  public enum Durability: Sendable {
    /// The disk's word: the commit survives a power failure.
    case full
    /// Nothing: a power failure may lose the last commits of this handle; the store is never damaged.
    case deferred
  }

  /// When the store copies itself into its own folder, so that there is a last good copy when its file is found damaged.
  public struct AutomaticBackup: Sendable, Equatable {
    public static let never = AutomaticBackup(commits: nil, age: nil)

    /// After so many commits of this process since the last backup; nil for never.
    public var commits: UInt32?
    /// After a commit that comes so long after the first one of this process since the last backup, or later; and at closing
    /// or opening the store, where something has changed and the last backup is so old, or there is none. Whole seconds;
    /// nil for never.
    public var age: Duration?

    public init(commits: UInt32? = 1000, age: Duration? = .seconds(600)) {
      self.commits = commits
      self.age = age
    }
  }

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
  public var durability = Durability.full
  /// How long a commit waits for other writers; whole milliseconds, up to 49 days.
  public var busyTimeout = Duration.seconds(5)
  /// Address space reserved for the store, in bytes: 1 MiB to 1 TiB. It grows beyond that when it must.
  public var mapSize: UInt64 = 1 << 30
  /// How many reads can be under way at once in all processes: 8 to 65,536.
  public var maximumReaders: UInt32 = 1024
  /// The most commits that the log keeps, at least 1.
  public var logEntries: UInt32 = 10_000
  /// How long the log keeps a commit; whole seconds.
  public var logAge = Duration.seconds(90 * 86_400)
  /// How much of the file the log may take, in bytes; nil for 16 MiB, or a quarter of what all else takes if that is more.
  /// The latest commit is kept, however large it is.
  public var logBytes: UInt64?
  /// Refuse a damaged store with `.corrupt`, in place of bringing back its last good copy.
  public var noRecovery = false
  /// Let the group of the directory read and write the store; otherwise it is its owner's alone. A store that was made so
  /// stays so.
  public var sharesWithGroup = false
  public var automaticBackup = AutomaticBackup()
  /// How many backups of each reason the store keeps in its own folder, at least 1.
  public var backups: UInt32 = 3
  /// The most memory that values which were read before are kept in, in bytes: 64 KiB to 1 GiB. As much as is needed is used.
  public var cacheSize: UInt64 = 32 << 20
  /// For how many versions of the schema the values of a setting are kept that it no longer declares, from the one on that
  /// did not; nil for ever. `applySchema` drops them then, and `checkSchema` plans so.
  public var orphanVersions: UInt64?

  public init() {}

  var fileMode: UInt32 { sharesWithGroup ? 0o660 : 0o600 }
  var directoryMode: UInt32 { sharesWithGroup ? 0o770 : 0o700 }
  /// `busyTimeout` in milliseconds.
  var timeout: UInt32 { UInt32(clamping: busyTimeout.wholeMilliseconds) }

  var logLimits: LogLimits {
    // What is longer than anybody's past counts as that, and does not overflow.
    let age = Int64(min(logAge.wholeSeconds, 1 << 40)) * 1_000_000
    return LogLimits(entries: Int(logEntries), age: age, bytes: logBytes)
  }
}

extension OpenOptions {
  /// - Throws: `.invalidArgument` for what is out of its range.
  func check() throws(StoreError) {
    guard logEntries > 0, backups > 0 else {
      throw StoreError(.invalidArgument, "a store keeps at least one entry of its log, and one backup of each reason")
    }
    guard (1 << 20...1 << 40).contains(mapSize) else {
      throw StoreError(.invalidArgument, "map size \(mapSize) is not between 1 MiB and 1 TiB")
    }
    guard (8...65536).contains(maximumReaders) else {
      throw StoreError(.invalidArgument, "\(maximumReaders) readers are not between 8 and 65,536")
    }
    guard (1 << 16...1 << 30).contains(cacheSize) else {
      throw StoreError(.invalidArgument, "cache size \(cacheSize) is not between 64 KiB and 1 GiB")
    }
  }
}

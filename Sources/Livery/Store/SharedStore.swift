/// What all handles of a process on a store share: its one environment, the commits that wait, the watches, who has
/// claimed namespaces, and the schema as people see it.
final class SharedStore: SharedEnvironment, @unchecked Sendable {
  let claims: ClaimOwners
  let commits: CommitQueue
  let hub = WatchHub()
  let schemaMemory = SchemaMemory()

  override init(_ opened: StoreDirectory.Opened, _ home: Home?) {
    claims = ClaimOwners()
    commits = CommitQueue(claims)
    super.init(opened, home)
  }

  /// The one that the process has open, or a new one. To be given back with `Registry.release`.
  static func acquire(_ path: String, _ options: OpenOptions) throws(StoreError) -> SharedStore {
    // The registry holds nothing but what it was given here.
    unsafeDowncast(try Registry.acquire(path, options) { SharedStore($0, $1) }, to: SharedStore.self)
  }
}

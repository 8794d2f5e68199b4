/// What all handles of a process on a store share: its one environment, the commits that wait, the watches, and who has
/// claimed namespaces.
final class SharedStore: SharedEnvironment, @unchecked Sendable {
  let commits = CommitQueue()
  let hub = WatchHub()
  let claims = ClaimOwners()

  /// The one that the process has open, or a new one. To be given back with `Registry.release`.
  static func acquire(_ path: String, _ options: OpenOptions) throws(StoreError) -> SharedStore {
    // The registry holds nothing but what it was given here.
    unsafeDowncast(try Registry.acquire(path, options) { SharedStore($0) }, to: SharedStore.self)
  }
}

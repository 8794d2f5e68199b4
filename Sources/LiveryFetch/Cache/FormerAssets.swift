import LiveryClient

/// Assets that were fetched and whose place another one has taken: removed a moment later, also by another process.
///
/// They are noted in a setting, by the commit that takes their place, so that a process that ends leaves none behind. The note
/// is no reference, and goes with the next commit that stores something.
struct FormerAssets {
  static let setting = URLKey.prefix + "former"
  /// Microseconds that who has just read that a setting shows an asset has to read that, too.
  static let respite: Int64 = 5_000_000

  private let store: Store
  private let known: [(id: String, since: Timestamp)]

  init(_ store: Store) {
    self.store = store
    let items = (try? store.kept(Self.setting))?.items ?? []
    known = items.compactMap { (item) -> (String, Timestamp)? in
      guard let id = item["id"]?.text, case .date(let since) = item["since"] else { return nil }
      return (id, since)
    }
  }

  private static func isDue(_ since: Timestamp) -> Bool {
    let now = Timestamp.now.microseconds
    // Also what was noted by a clock that has gone back since.
    return since.microseconds > now || now - since.microseconds >= respite
  }

  /// What may be removed, unless something refers to it.
  var due: [String] { known.filter { Self.isDue($0.since) }.map { $0.id } }

  /// Adds ids to the note, and leaves out what was due.
  func note(_ ids: [String], since: Timestamp, in change: ChangeSet) throws(StoreError) {
    let kept = known.filter { !Self.isDue($0.since) } + ids.map { ($0, since) }
    if kept.isEmpty && known.isEmpty { return }
    try change.use(.bundle)
    if kept.isEmpty { return try change.reset(Self.setting) }
    let items = kept.suffix(10_000).map { (id, since) -> Value in
      .object([.init("id", .string(id)), .init("since", .date(since))])
    }
    try change.set(Self.setting, to: .list(Array(items)))
  }
}

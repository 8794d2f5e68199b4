import LiveryClient

/// The bodies that a store holds by their URLs. Used by one thread, that of the fetcher's queue.
final class Cache: @unchecked Sendable {
  /// A body that is to be stored.
  struct Item: Sendable {
    var key: URLKey
    var entry: Entry
    var body: [UInt8]
    var allowsAny: Bool
  }

  private let store: Store
  /// What servers have confirmed since it was stored: no commit is made for that.
  private var confirmed: [URLKey: Entry] = [:]
  /// Microseconds since 1970 at which something was used last by this process.
  private var used: [URLKey: Int64] = [:]
  /// Whether former assets have been noted since this was last asked, also those of a process that may have ended.
  private var hasNoted = false
  /// Former assets that were removed the last time, or that something refers to again.
  private var settled: Set<UInt64> = []

  init(_ store: Store) {
    self.store = store
  }

  /// What the store holds for a URL; nil also where its asset is gone or damaged.
  func entry(_ key: URLKey, _ url: [UInt8]) throws(StoreError) -> Entry? {
    guard var stored = Entry(try store.kept(key.setting)), stored.url == url else { return nil }
    do throws(StoreError) {
      let facts = try store.assets.info(stored.id)
      stored.ownType = (facts["type"]?.text).map { Array($0.utf8) }
    } catch {
      guard error.code == .notFound || error.code == .corrupt || error.code == .invalidArgument else { throw error }
      return nil
    }
    used[key] = Timestamp.now.microseconds
    if var confirmed = confirmed[key], confirmed.isSameBody(as: stored), confirmed.fetched >= stored.fetched {
      confirmed.ownType = stored.ownType
      return confirmed
    }
    return stored
  }

  /// The media type of an asset; nil if it is not there, or nobody knows.
  func type(of id: String) -> [UInt8]? {
    ((try? store.assets.info(id))?["type"]?.text).map { Array($0.utf8) }
  }

  /// The server says that what is stored still holds.
  func confirm(_ key: URLKey, _ entry: Entry) {
    confirmed[key] = entry
  }

  /// Adds bodies and what is known of them to an edit. What is stored already, and just as it was, is confirmed and not written again.
  func put(_ items: [Item], into change: ChangeSet) throws(StoreError) {
    var replaced: [String] = []
    var hasChanged = false
    for item in items {
      let entry = item.entry
      let stored = try self.entry(item.key, entry.url)
      confirmed[item.key] = entry
      if let stored, stored.isSameBody(as: entry) { continue }
      try change.put(item.body, allowsAny: item.allowsAny)
      if let stored, !stored.id.utf8.elementsEqual(entry.id.utf8) { replaced.append(stored.id) }
      try change.use(.bundle)
      try change.set(item.key.setting, to: entry.value)
      hasChanged = true
    }
    if hasChanged, try FormerAssets(store).note(replaced, since: .now, settled: settled, in: change) { hasNoted = true }
  }

  /// Removes assets whose place was taken a moment ago, as far as nothing refers to them.
  func removeFormer() {
    settled = []
    for id in FormerAssets(store).due { remove(id) }
  }

  /// What cannot be removed now stays in the note.
  private func remove(_ id: String) {
    do throws(StoreError) { try store.assets.remove(id) } catch {
      guard error.code == .notFound || error.code == .conflict else { return }
    }
    settled.insert(Self.number(id))
  }

  func hasNotedFormer() -> Bool {
    defer { hasNoted = false }
    return hasNoted
  }

  // MARK: The quota

  /// Makes room for what is about to be stored: what was not used for longest goes, but for what is kept, and what a setting
  /// refers to.
  func makeRoom(for items: [Item], quota: Int64) throws(StoreError) {
    var needed: Int64 = 0
    for item in items { needed += Int64(item.body.count) }
    // Nearly always there is room, and nobody has to wait for who looks.
    if Self.size(of: try all()) + needed <= quota { return }
    let kept = Set(items.map { $0.key })
    var ids: [String] = []
    try store.edit(.bundle) { (change) throws(StoreError) in
      ids = []
      let entries = try all()
      let referred = try referred()
      var candidates = entries.filter { !kept.contains($0.0) && !referred.contains(Self.number($0.1.id)) }
      candidates.sort { lastUse($0.0, $0.1) < lastUse($1.0, $1.1) }
      var total = Self.size(of: entries) + needed
      var gone: Set<UInt64> = []
      try change.setOrigin("fetch")
      for (key, entry) in candidates where total > quota {
        try change.reset(key.setting)
        confirmed[key] = nil
        used[key] = nil
        ids.append(entry.id)
        if gone.insert(Self.number(entry.id)).inserted { total -= entry.size }
      }
      // Whoever stores something next removes them, if this is the end of the process.
      if !ids.isEmpty {
        try FormerAssets(store).note(ids, since: Timestamp(microseconds: 0), settled: settled, in: change)
      }
    }
    for id in ids { remove(id) }
  }

  /// Same bytes are stored once.
  private static func size(of entries: [(URLKey, Entry)]) -> Int64 {
    var size: Int64 = 0
    var counted: Set<UInt64> = []
    for (_, entry) in entries where counted.insert(number(entry.id)).inserted { size += entry.size }
    return size
  }

  private func lastUse(_ key: URLKey, _ entry: Entry) -> Int64 { max(used[key] ?? 0, entry.fetched.microseconds) }

  private func all() throws(StoreError) -> [(URLKey, Entry)] {
    let snapshot = try store.snapshot()
    var entries: [(URLKey, Entry)] = []
    for name in try snapshot.names(in: .bundle, matching: URLKey.prefix + "*") {
      guard let entry = Entry(try snapshot.value(name, in: .bundle)) else { continue }
      entries.append((URLKey(entry.url), entry))
    }
    return entries
  }

  /// The assets that settings other than those of this cache refer to.
  private func referred() throws(StoreError) -> Set<UInt64> {
    var referred: Set<UInt64> = []
    for asset in try store.assets.list().items ?? [] {
      guard let id = asset["id"]?.text else { continue }
      let isReferred = (asset["uses"]?.items ?? []).contains { use in
        !(use.text ?? "").utf8.starts(with: URLKey.prefix.utf8)
      }
      if isReferred { referred.insert(Self.number(id)) }
    }
    return referred
  }

  /// The beginning of an asset's id, which tells it apart well enough.
  static func number(_ id: String) -> UInt64 {
    var number: UInt64 = 0
    for digit in id.utf8.prefix(16) {
      number = number << 4 | UInt64(digit < 58 ? digit &- 48 : digit &- 87) & 15
    }
    return number
  }
}

extension Store {
  /// What the layer of the cache holds for a setting; nil if it holds nothing. A plain read of what is not there would look for
  /// names like it.
  func kept(_ setting: String) throws(StoreError) -> Value? { try snapshot().value(setting, in: .bundle) }
}

import LiveryClient

/// Assets that were fetched and whose place another one has taken: removed a moment later, also by another process.
///
/// They are noted in a setting, by the commit that takes their place, so that a process that ends leaves none behind. The note
/// goes with the next commit that stores something. It has ids as bytes: as text they would refer to the assets.
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
      guard case .data(let bytes) = item["id"], case .date(let since) = item["since"] else { return nil }
      return (Self.text(bytes), since)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    for byte in bytes {
      for digit in [byte >> 4, byte & 15] { digits.append(digit < 10 ? 48 + digit : 87 + digit) }
    }
    return digits.text
  }

  private static func bytes(_ id: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var half: UInt8?
    for digit in id.utf8 {
      let number = digit < 58 ? digit &- 48 : digit &- 87
      if let high = half { bytes.append(high << 4 | number & 15) }
      half = half == nil ? number & 15 : nil
    }
    return bytes
  }

  private static func isDue(_ since: Timestamp) -> Bool {
    let now = Timestamp.now.microseconds
    // Also what was noted by a clock that has gone back since.
    return since.microseconds > now || now - since.microseconds >= respite
  }

  /// What may be removed, unless something refers to it.
  var due: [String] { known.filter { Self.isDue($0.since) }.map { $0.id } }

  /// Adds ids to the note, in an edit, so that no other process's are lost. What is due and settled goes: it was removed, or
  /// something refers to it again.
  ///
  /// - Returns: whether any are noted now.
  @discardableResult
  func note(
    _ ids: [String], since: Timestamp, settled: Set<UInt64>, in change: ChangeSet
  ) throws(StoreError) -> Bool {
    let left = known.filter { !Self.isDue($0.since) || !settled.contains(Cache.number($0.id)) }
    let kept = left + ids.map { ($0, since) }
    if kept.isEmpty && known.isEmpty { return false }
    try change.use(.bundle)
    if kept.isEmpty {
      try change.reset(Self.setting)
      return false
    }
    let items = kept.suffix(10_000).map { (id, since) -> Value in
      .object([.init("id", .data(Self.bytes(id))), .init("since", .date(since))])
    }
    try change.set(Self.setting, to: .list(Array(items)))
    return true
  }
}

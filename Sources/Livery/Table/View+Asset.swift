import LMDB

extension View {
  /// Stores an asset; false if it is there already, and sound.
  func put(_ asset: NewAsset, time: Timestamp) throws(StoreError) -> Bool {
    let known: Bool?
    do throws(StoreError) { known = try withAsset(asset.key) { _ in true } } catch {
      // A damaged one is mended.
      guard error.code == .corrupt else { throw error }
      known = nil
    }
    guard known == nil else { return false }
    let header = AssetHeader(asset.facts, time: time, bytes: asset.bytes, key: asset.key, tag: Tag.assets)
    do {
      try transaction.put(
        header.encode(key: asset.key, tag: Tag.assets), asset.bytes, for: asset.key, in: databases.assets)
    } catch { throw StoreError(error) }
    return true
  }

  /// What is known of an asset, without a look at its bytes; nil if there is none.
  func asset(_ key: [UInt8]) throws(StoreError) -> Asset? {
    try read(key, databases.assets, orDamaged: Self.what(key)) { stored in
      AssetHeader(stored, key: key, tag: Tag.assets).map { Asset(key: key, $0.facts, size: $0.size, time: $0.time) }
    }
  }

  /// Hands `body` the bytes of an asset, as they are in the map; nil if there is none.
  func withAsset<R>(_ key: [UInt8], _ body: (RawSpan) -> R) throws(StoreError) -> R? {
    try read(key, databases.assets, orDamaged: Self.what(key)) { stored in
      guard let header = AssetHeader(stored, key: key, tag: Tag.assets),
        header.matches(stored, key: key, tag: Tag.assets)
      else { return nil }
      return body(stored.extracting(AssetHeader.length..<stored.byteCount))
    }
  }

  /// Walks the assets in the order of their ids; a damaged one comes as nil.
  func walkAssets(_ body: (_ key: [UInt8], Asset?, _ size: Int) throws(StoreError) -> Void) throws(StoreError) {
    try walk(databases.assets) { (key, stored) throws(StoreError) in
      // What is longer is a fact.
      guard key.byteCount == SHA256.size else { return true }
      let key = key.array
      let header = AssetHeader(stored, key: key, tag: Tag.assets)
      try body(
        key, header.map { Asset(key: key, $0.facts, size: $0.size, time: $0.time) },
        max(0, stored.byteCount - AssetHeader.length))
      return true
    }
  }

  func hasAsset(_ key: [UInt8]) throws(StoreError) -> Bool {
    do { return try transaction.withValue(for: key, in: databases.assets) { $0 != nil } } catch {
      throw StoreError(error)
    }
  }

  private static func what(_ key: [UInt8]) -> String { "the asset \(Hexadecimal.encode(key))" }
}

/// Which settings refer to which assets.
struct AssetUses {
  private var keys = ByteIndex()
  /// By the number of the key: the names of the settings, each once for each layer.
  private var users: [[(name: String, layer: Layer)]] = []

  /// Finds what the values of all layers refer to, those set aside too.
  init(_ view: View) throws(StoreError) {
    var found = AssetUses()
    try view.walkLayers { (place, record) throws(StoreError) in
      if let value = record.value { found.add(value, place.name, place.layer) }
    }
    // What a trial goes back to, or would stay with.
    for (name, setting, part) in try view.settingsOnTrial() {
      for record in setting.values + part.former {
        if let value = view.opened(record, name).value { found.add(value, name, record.layer) }
      }
    }
    self = found
  }

  private init() {}

  /// Adds what the log could bring back.
  mutating func addLog(_ view: View) throws(StoreError) {
    var found = self
    try view.walkLog { (_, entry, _) throws(StoreError) in
      // A damaged entry brings nothing back.
      guard let entry else { return true }
      for edit in entry.edits { if let old = edit.old { found.add(old, edit.name, edit.layer) } }
      for change in entry.changes {
        if let old = change.old { found.add(old, change.name, change.layer) }
        if let new = change.new { found.add(new, change.name, change.layer) }
      }
      return true
    }
    self = found
  }

  func users(of key: [UInt8]) -> [(name: String, layer: Layer)] {
    keys.number(of: key).map { users[$0] } ?? []
  }

  /// Any text that is an id counts, whatever its type: undeclared settings may hold references as strings.
  private mutating func add(_ value: Value, _ name: String, _ layer: Layer) {
    switch value {
    case .string(let text), .url(let text), .image(let text):
      guard let key = Asset.key(text) else { return }
      let (number, isNew) = keys.insert(key)
      if isNew { users.append([]) }
      if let last = users[number].last, last.layer == layer, last.name.sameBytes(as: name) { return }
      users[number].append((name, layer))
    case .list(let items):
      for item in items { add(item, name, layer) }
    case .object(let members):
      for member in members { add(member.value, name, layer) }
    default: return
    }
  }
}

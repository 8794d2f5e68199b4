import LMDB

/// The databases of a store; docs/file-format.md describes what is in each.
struct Databases: Sendable {
  /// Format, revision and schema of the store: the unnamed database, which each commit writes anyway as it has the records
  /// of the others. What is the store's own begins there with a dot.
  let meta: Database
  /// Name → compiled descriptor, or the setting that an alias stands for.
  let schema: Database
  /// Name → what the layers hold, and which of it is in effect.
  let settings: Database
  /// Expiry time, layer and name → nothing: what expires next comes first, what is on trial and what
  /// ends with the boot last.
  let expiries: Database
  /// Revision → what the commit did.
  let log: Database
  /// SHA-256 of its bytes → asset.
  let assets: Database

  /// Opens them; nil if one is missing and `create` is false.
  ///
  /// - Parameter completes: make the databases that older stores lack.
  init?(_ transaction: Transaction, create: Bool, completes: Bool = false) throws(LMDBError) {
    guard let schema = try transaction.database(named: "schema", create: create),
      let settings = try transaction.database(named: "settings", create: create),
      let expiries = try transaction.database(named: "expiries", create: create),
      let log = try transaction.database(named: "log", create: create),
      let assets = try transaction.database(named: "assets", create: create || completes)
    else { return nil }
    meta = try transaction.unnamedDatabase()
    self.schema = schema
    self.settings = settings
    self.expiries = expiries
    self.log = log
    self.assets = assets
  }
}

extension Databases {
  private static let names = ["schema", "settings", "expiries", "log", "assets"]

  /// A database that a store's file has under another name only, as when the name is damaged; nil if there is none, or if
  /// the file is none of a store.
  static func lost(from found: [String]) -> String? {
    func isThere(_ name: String) -> Bool { found.contains { $0.sameBytes(as: name) } }
    let missing = names.filter { !isThere($0) }
    guard let first = missing.first, missing.count < names.count - missing.count else { return nil }
    // Older stores have no assets.
    let isOlder = missing.count == 1 && first.sameBytes(as: "assets") && found.count < names.count
    return isOlder ? nil : first
  }

  /// The database whose name a key is.
  static func named(by key: [UInt8]) -> String? {
    names.first { $0.bytes == key }
  }

  /// The tag of a database's checksums; nil if it has none.
  static func tag(of name: String) -> UInt8? {
    if name.sameBytes(as: "settings") { return Tag.settings }
    if name.sameBytes(as: "schema") { return Tag.schema }
    if name.sameBytes(as: "log") { return Tag.log }
    if name.sameBytes(as: "meta") { return Tag.meta }
    return nil
  }

  var named: [(name: String, database: Database)] {
    [
      ("meta", meta), ("schema", schema), ("settings", settings), ("expiries", expiries), ("log", log),
      ("assets", assets),
    ]
  }

  /// Those that a restore makes equal to the backup's, beside the settings and when they end. Assets are brought back, and none goes: somebody
  /// may need it yet.
  var restored: [(name: String, database: Database, onlyAdds: Bool)] {
    [("schema", schema, false), ("assets", assets, true)]
  }
}

/// What a checksum is bound to beside the key, so that a record cannot pass for one of another database.
enum Tag {
  static let meta: UInt8 = 1
  static let schema: UInt8 = 2
  static let settings: UInt8 = 3
  static let log: UInt8 = 5
  static let assets: UInt8 = 6
}

/// The place of one layer's value of a setting.
struct LayerKey {
  let layer: Layer
  let name: String

  init(_ layer: Layer, _ name: String) {
    self.layer = layer
    self.name = name
  }

  init?(_ bytes: RawSpan) {
    guard bytes.byteCount > 1, let layer = Layer(rawValue: bytes.byte(at: 0)),
      let name = bytes.text(in: 1..<bytes.byteCount)
    else { return nil }
    self.init(layer, name)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 + name.utf8.count)
    bytes.append(layer.rawValue)
    bytes.append(name)
    return bytes
  }
}

/// A value's place in `expiries`.
struct ExpiryKey {
  /// Stands for the end of a trial.
  static let onTrial = Timestamp(microseconds: Int64.max - 1)
  /// Stands for the end of the boot.
  static let atBoot = Timestamp(microseconds: Int64.max)

  let time: Timestamp
  let place: LayerKey

  init(_ time: Timestamp, _ place: LayerKey) {
    self.time = time
    self.place = place
  }

  init?(_ bytes: RawSpan) {
    guard bytes.byteCount > 9 else { return nil }
    time = Timestamp(microseconds: Int64(bitPattern: bytes.word(at: 0).byteSwapped))
    let rest = bytes.array(in: 8..<bytes.byteCount)
    guard let place = rest.withUnsafeBytes({ LayerKey($0.bytes) }) else { return nil }
    self.place = place
  }

  /// Whether it is the same of the same setting.
  func isSame(as other: ExpiryKey) -> Bool { time == other.time && place.layer == other.place.layer }

  /// Where those begin that stand for the end of the boot.
  static var bootKeys: [UInt8] { keys(of: atBoot) }
  /// Where those begin that stand for the end of a trial.
  static var trialKeys: [UInt8] { keys(of: onTrial) }

  private static func keys(of time: Timestamp) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt64(bitPattern: time.microseconds))
    return bytes
  }

  /// Expiry times are after 1970, so that the order of the bytes is that of time.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt64(bitPattern: time.microseconds))
    bytes.append(contentsOf: place.bytes)
    return bytes
  }
}

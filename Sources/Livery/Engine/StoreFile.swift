import CSystem
import LMDB

/// What a store's data file holds, read without LMDB and verified: each page, and the checksum of each record.
struct StoreFile {
  /// The entries of a database, in the order of their keys.
  struct Table {
    let name: String
    var entries: [(key: [UInt8], value: [UInt8])] = []
  }

  /// A record that is damaged where the pages are sound.
  struct DamagedRecord {
    let database: String
    let key: [UInt8]
    /// It verifies under a key that differs in one bit: so nobody finds it under the one it should have.
    let hasDamagedKey: Bool

    /// The setting that it belongs to, if it is one's.
    var setting: String? {
      guard database.sameBytes(as: "settings") || database.sameBytes(as: "schema") else { return nil }
      return String(validating: key, as: UTF8.self)
    }

    var description: String {
      if let setting { return "the record of `\(setting)` in the database \(database)" }
      return "a record of the database \(database)"
    }
  }

  let file: PageFile
  private(set) var tables: [Table] = []
  private(set) var damagedRecords: [DamagedRecord] = []
  private(set) var recordCount: UInt64 = 0
  private var damagedCount = 0
  private var staleDamage: String?

  private static let mostDamaged = 100

  /// - Parameter keeping: whether the content is wanted, and not only what is wrong with it.
  /// - Throws: `.notAStore` if it is another kind of file, and what the system says of reading it.
  /// - Parameter name: what errors call the file; its path if it is nil.
  init(_ path: String, keeping: Bool, as name: String? = nil) throws(StoreError) {
    let file: PageFile
    do { file = try PageFile.open(path) } catch { throw Self.refusal(error, name ?? path) }
    try self.init(file, keeping, name ?? path)
  }

  /// The same of a file in a folder.
  init(_ name: String, in folder: Folder, keeping: Bool) throws(StoreError) {
    let descriptor = try folder.open(name)
    let file: PageFile
    do { file = try PageFile.of(descriptor) } catch { throw Self.refusal(error, folder.shown(name)) }
    try self.init(file, keeping, folder.shown(name))
  }

  private static func refusal(_ error: LMDBError, _ shown: String) -> StoreError {
    let isNoFile = error.kind == .system && (error.code == EISDIR || error.code == ENXIO)
    guard error.kind == .foreign || isNoFile else {
      return error.kind == .system ? .system(error.code, shown) : StoreError(error).prefixed("\(shown): ")
    }
    return StoreError(.notAStore, "\(shown): the file is neither a store nor a copy of one")
  }

  private init(_ file: PageFile, _ keeping: Bool, _ shown: String) throws(StoreError) {
    self.file = file
    var tables: [Table] = []
    var damaged: [DamagedRecord] = []
    var format: UInt64?
    file.check(unnamed: "meta") { name, key, value in
      recordCount &+= 1
      // What describes a database there says that it is none.
      if name.sameBytes(as: "meta"), let lost = Databases.named(by: key) { file.note("lacks the database \(lost)") }
      if tables.isEmpty || !(tables[tables.count - 1].name.sameBytes(as: name)) { tables.append(Table(name: name)) }
      if !Self.isSound(name, key, value) {
        let isOfAnotherKey = Self.verifiesUnderAnotherKey(name, key, value)
        // Somebody else's.
        if name.sameBytes(as: "meta"), !View.isMeta(key: key), !isOfAnotherKey { return }
        damagedCount += 1
        if damaged.count < Self.mostDamaged {
          let database = Self.logKey(name, key) == nil ? name : "log"
          damaged.append(DamagedRecord(database: database, key: key, hasDamagedKey: isOfAnotherKey))
        }
      } else if name.sameBytes(as: "meta"), key == ".format".bytes, value.byteCount == 16 {
        format = value.word(at: 8)
      }
      if keeping || name.sameBytes(as: "meta") { tables[tables.count - 1].entries.append((key, value.array)) }
    }
    if let format, format > View.format {
      // What such a store consists of nobody knows here.
      throw StoreError(
        .formatNewer,
        "\(shown): the store has format \(format), and this library knows formats up to \(View.format): upgrade it")
    }
    if let lost = Databases.lost(from: file.databases) { file.note("lacks the database \(lost)") }
    self.tables = tables
    damagedRecords = damaged
    guard isWhole else { return }
    // The number of a commit that is damaged shows an older one as the latest.
    let key = ".revision".bytes
    let hidden = file.hiddenValue(of: key).flatMap { Self.number($0, key) } ?? 0
    if hidden > revision { staleDamage = "a commit of revision \(revision) hides that of revision \(hidden)" }
    if format == nil { throw StoreError(.notAStore, "\(shown): an LMDB file, but no Livery store") }
  }

  /// The key that an entry of the log has there, if it is one of the latest, which lie in the unnamed database.
  private static func logKey(_ database: String, _ key: [UInt8]) -> [UInt8]? {
    guard database.sameBytes(as: "meta") else { return nil }
    return LogTail.revision(of: key).map { View.logKey($0) }
  }

  private static func isSound(_ name: String, _ key: [UInt8], _ value: RawSpan) -> Bool {
    if let key = logKey(name, key) { return Checksum.verify(value, key: key, tag: Tag.log) }
    if let tag = Databases.tag(of: name) { return Checksum.verify(value, key: key, tag: tag) }
    if name.sameBytes(as: "assets") {
      // Behind an asset lie its facts.
      guard key.count <= SHA256.size else { return Checksum.verify(value, key: key, tag: Tag.assets) }
      return AssetHeader(value, key: key, tag: Tag.assets)?.matches(value, key: key, tag: Tag.assets) ?? false
    }
    guard name.sameBytes(as: "expiries") else { return true }
    return value.byteCount == 0 && key.withUnsafeBytes { ExpiryKey($0.bytes) } != nil
  }

  private static func verifiesUnderAnotherKey(_ name: String, _ key: [UInt8], _ value: RawSpan) -> Bool {
    var other = key
    for index in 0..<key.count {
      for bit in 0..<8 as Range<UInt8> {
        other[index] ^= 1 << bit
        if isSound(name, other, value) { return true }
        other[index] ^= 1 << bit
      }
    }
    return false
  }

  /// Whether the setting of a damaged record is known from the schema, or from what the log tells.
  private func knows(_ record: DamagedRecord) -> Bool {
    guard let name = record.setting?.bytes else { return false }
    for entry in table("schema").entries where entry.key == name { return true }
    for entry in logEntries where lvs_holds(entry.value, entry.value.count, name, name.count) { return true }
    return false
  }

  /// Those of the log, the latest ones last.
  private var logEntries: [(key: [UInt8], value: [UInt8])] {
    table("log").entries + table("meta").entries.filter { LogTail.revision(of: $0.key) != nil }
  }

  /// Whether all pages are sound and all records verify.
  var isWhole: Bool { file.damages.isEmpty && damagedRecords.isEmpty && staleDamage == nil }

  /// Whether all is sound but that a later commit stands where the one before the latest should.
  var hidesCommit: Bool { staleDamage != nil }

  /// What is wrong, in a few words; nil if nothing is.
  var damage: String? {
    if let first = file.damages.first {
      let more = file.damages.count > 1 ? ", and more" : ""
      return "page \(first.page) \(first.what)\(more)"
    }
    guard let first = damagedRecords.first else { return staleDamage }
    let more = damagedCount > 1 ? ", and \(damagedCount - 1) more" : ""
    return "\(first.description) does not match its checksum\(more)"
  }

  /// Whether a file that was read with `keeping` must not be used: pages are not sound, an older state is shown as the
  /// latest, or what describes the store is damaged. A record of a setting whose key is sure is damaged for itself alone.
  var isGravelyDamaged: Bool {
    if !file.damages.isEmpty || staleDamage != nil { return true }
    for record in damagedRecords {
      if record.database.sameBytes(as: "meta") || record.hasDamagedKey { return true }
      if record.database.sameBytes(as: "settings"), !knows(record) { return true }
    }
    return false
  }

  /// Whether something that describes the store, or declares a setting, has a damaged key: it would be taken for missing.
  var lacksFacts: Bool {
    for record in damagedRecords where record.hasDamagedKey {
      if record.database.sameBytes(as: "meta") || record.database.sameBytes(as: "schema") { return true }
    }
    return false
  }

  /// Fails unless the whole is sound.
  func requireWhole(_ path: String) throws(StoreError) {
    if let damage { throw StoreError(.corrupt, "\(path) is damaged: \(damage)") }
  }

  func table(_ name: String) -> Table {
    for table in tables where table.name.sameBytes(as: name) { return table }
    return Table(name: name)
  }

  /// A number in `meta`; nil if it is missing or damaged.
  func number(_ key: String) -> UInt64? {
    let key = key.bytes
    for entry in table("meta").entries where entry.key == key { return Self.number(entry.value, key) }
    return nil
  }

  private static func number(_ value: [UInt8], _ key: [UInt8]) -> UInt64? {
    let content = value.withUnsafeBytes { Checksum.content(of: $0.bytes, key: key, tag: Tag.meta) }
    guard let content, content.count >= 8 else { return nil }
    return content.withUnsafeBytes { $0.bytes.word(at: 0) }
  }

  var revision: UInt64 { number(".revision") ?? 0 }

  /// Which store it is of; empty if that is missing or damaged.
  var identifier: [UInt8] {
    let key = ".id".bytes
    for entry in table("meta").entries where entry.key == key {
      return entry.value.withUnsafeBytes { Checksum.content(of: $0.bytes, key: key, tag: Tag.meta) } ?? []
    }
    return []
  }
  /// The version of its schema, 0 if it has none.
  var schemaVersion: UInt64 { number(".schema") ?? 0 }

  /// The revision whose content it has; see `View.contentRevision`.
  var contentRevision: UInt64 {
    let key = ".restored".bytes
    for entry in table("meta").entries where entry.key == key {
      let content = entry.value.withUnsafeBytes { Checksum.content(of: $0.bytes, key: key, tag: Tag.meta) }
      guard let content, content.count == 16 else { break }
      let at = content.withUnsafeBytes { $0.bytes.word(at: 0) }
      if at == revision { return content.withUnsafeBytes { $0.bytes.word(at: 8) } }
    }
    return revision
  }
}

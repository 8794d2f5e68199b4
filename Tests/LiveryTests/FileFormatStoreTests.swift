import CSystem
import LMDB
import Livery
import Testing

/// What is in a store's file, looked at with LMDB alone and with what docs/file-format.md says.
@Suite(.onDisk) struct FileFormatStoreTests {
  private static let schema = """
    {"Version": 7, "Groups": [{"Title": "Kiosk", "Settings": [
      {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Value": 50, "Aliases": ["loudness"]},
      {"Type": "TextField", "Title": "Welcome", "Key": "welcome"}]}]}
    """

  let temporary = TemporaryStore()
  let expiry = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000)

  /// Makes a store with three commits and gives its databases, as keys and values.
  func contents() throws -> Contents {
    do {
      let store = try temporary.open(schema: Self.schema)
      try store.update(.enforced, origin: "console") { $0[Key<Int>("volume")] = 20 }
      let session = try store.change(.session)
      try session.expires(expiry)
      try session.set("welcome", to: .string("Hello"))
      try session.commit()
      try store.assets.put("font".bytes, allowsAny: true)
      store.close()
    }
    let environment = try Environment(path: temporary.path)
    defer { environment.close() }
    return try environment.openDatabases { (transaction) throws(Raw) in
      var found = Contents()
      do throws(LMDBError) {
        for name in Contents.names {
          guard let database = try transaction.stored(name, create: false) else {
            throw LMDBError(code: ENOENT)
          }
          try transaction.walk(database) { key, value in
            let bytes = { (span: RawSpan) in span.withUnsafeBytes { Array($0) } }
            guard name != "meta" || bytes(key)[0] == UInt8(ascii: ".") else { return true }
            found.entries.append((name, bytes(key), bytes(value)))
            return true
          }
        }
      } catch { throw Raw(error) }
      return found
    }
  }

  @Test func theFileHasTheDocumentedDatabasesAndKeys() throws {
    let contents = try contents()
    let latest = (1...3).map { ".log:".bytes + [0, 0, 0, 0, 0, 0, 0, $0] }
    let facts = [".format", ".id", ".revision", ".schema", ".schema-text"].map { $0.bytes }
    #expect(contents.keys("meta") == facts[..<2] + latest + facts[2...])
    #expect(contents.keys("schema") == ["loudness", "volume", "welcome"].map { $0.bytes })
    #expect(contents.keys("settings") == ["volume", "welcome"].map { $0.bytes })
    let moment = (0..<8).reversed().map { UInt8(truncatingIfNeeded: expiry.microseconds >> (8 * $0)) }
    #expect(contents.keys("expiries") == [moment + [4] + "welcome".bytes])
    #expect(contents["expiries", contents.keys("expiries")[0]] == [])
    #expect(contents.keys("log") == [])
  }

  @Test func everyValueHasItsChecksumAndContent() throws {
    let contents = try contents()
    func content(_ database: String, _ key: String, _ tag: UInt8) throws -> [UInt8] {
      let value = try #require(contents[database, key.bytes])
      return try #require(value.withUnsafeBytes { Checksum.content(of: $0.bytes, key: key.bytes, tag: tag) })
    }
    #expect(try content("meta", ".format", DocumentedTag.meta) == [1, 0, 0, 0, 0, 0, 0, 0])
    #expect(try content("meta", ".id", DocumentedTag.meta).count == 16)
    #expect(try content("meta", ".revision", DocumentedTag.meta) == [3, 0, 0, 0, 0, 0, 0, 0])
    #expect(try Squeezed.decode(content("meta", ".schema-text", DocumentedTag.meta)) == Self.schema.bytes)
    let facts = try content("meta", ".schema", DocumentedTag.meta)
    #expect(facts.count == 25 && facts.prefix(9) == [7, 0, 0, 0, 0, 0, 0, 0, 2])
    #expect(try content("schema", "loudness", DocumentedTag.schema) == [1] + "volume".bytes)
    #expect(try content("schema", "volume", DocumentedTag.schema).first == 0)
  }

  @Test func recordsAreBoundToTheirDatabase() throws {
    let contents = try contents()
    let welcome = try contents.setting("welcome")
    let session = try #require(welcome.values.first)
    #expect(session.layer == .session && session.value == .string("Hello") && welcome.values.count == 1)
    #expect(session.expires == expiry && session.revision == 3)
    let volume = try contents.setting("volume")
    #expect(volume.values.map { $0.layer } == [.defaults, .enforced])
    let enforced = try #require(volume.value(of: .enforced))
    #expect(enforced.value == .int(20) && enforced.origin == "console" && !enforced.isLocked)
    let effective = try #require(volume.effective)
    #expect(effective.value == .int(20) && effective.layer == .enforced)
    #expect(effective.isLocked && effective.revision == 2)
  }

  /// Such a key is left where a damaged value was replaced: its expiry was not known any more.
  @Test func anExpiryThatIsNotTheValuesOwnTakesNothing() throws {
    try temporary.open().set("kept", to: .int(1), in: .session)
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(Raw) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        guard let expiries = try transaction.database(named: "expiries", create: false) else {
          throw LMDBError(code: ENOENT)
        }
        try transaction.put([], for: [0, 0, 0, 0, 0, 0, 0, 1, 4] + "kept".bytes, in: expiries)
      } catch { throw Raw(error) }
      return .commit(())
    }
    environment.close()
    let store = try temporary.open()
    try store.set("other", to: .int(2), in: .user)
    #expect(try store.int("kept") == 1)
  }

  @Test func aHigherFormatIsRefused() throws {
    _ = try contents()
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(Raw) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        let sealed = Checksum.sealed([2, 0, 0, 0, 0, 0, 0, 0], key: ".format".bytes, tag: DocumentedTag.meta)
        try transaction.put(sealed, for: ".format".bytes, in: transaction.unnamedDatabase())
      } catch { throw Raw(error) }
      return .commit(())
    }
    environment.close()
    #expect(code { () throws(StoreError) in _ = try Store(path: temporary.path) } == .formatNewer)
  }
}

struct Contents {
  static let names = ["meta", "schema", "settings", "expiries", "log", "assets"]
  var entries: [(database: String, key: [UInt8], value: [UInt8])] = []

  func keys(_ database: String) -> [[UInt8]] {
    entries.filter { $0.database == database }.map { $0.key }
  }

  subscript(database: String, key: [UInt8]) -> [UInt8]? {
    entries.first { $0.database == database && $0.key == key }?.value
  }

  func setting(_ name: String) throws -> SettingRecord {
    let value = try #require(self["settings", name.bytes])
    return try #require(
      value.withUnsafeBytes { SettingRecord($0.bytes, key: name.bytes, tag: DocumentedTag.settings) })
  }
}

/// LMDB's errors as they are.
private struct Raw: LMDBErrorConvertible {
  let error: LMDBError
  init(_ error: LMDBError) { self.error = error }
}

extension FileFormatStoreTests {
  @Test func anAssetIsItsHeaderAndItsBytes() throws {
    let contents = try contents()
    let key = SHA256.digest("font".bytes)
    #expect(contents.keys("assets") == [key])
    let stored = try #require(contents["assets", key])
    #expect(stored.count == 52 && stored[8...15] == [1, 0, 1, 0, 0, 0, 0, 0] && stored[48...] == "font".bytes[...])
    let header = stored.withUnsafeBytes { AssetHeader($0.bytes, key: key, tag: DocumentedTag.assets) }
    #expect(header?.size == 4 && header?.facts == ImageFacts(.data, width: 0, height: 0))
  }

  @Test func aStoreFromBeforeThereWereAssetsGetsTheirDatabase() throws {
    let contents = try contents()
    let old = TemporaryStore()
    mkdir(old.path, 0o700)
    let environment = try Environment(path: old.path)
    try environment.write { (transaction) throws(Raw) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        for name in Contents.names.dropLast() {
          guard let database = try transaction.stored(name, create: true) else { continue }
          for entry in contents.entries where entry.database == name {
            try transaction.put(entry.value, for: entry.key, in: database)
          }
        }
      } catch { throw Raw(error) }
      return .commit(())
    }
    environment.close()
    let store = try Store(path: old.path)
    #expect(try store.int("volume") == 20)
    #expect(try store.assets.bytes(store.assets.put("font".bytes, allowsAny: true).id) == "font".bytes)
  }

  @Test func aLogEntryIsTheDocumentedObject() throws {
    let contents = try contents()
    let bytes = try #require(contents["meta", ".log:".bytes + [0, 0, 0, 0, 0, 0, 0, 2]])
    let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2]
    #expect(bytes.withUnsafeBytes { Checksum.verify($0.bytes, key: key, tag: DocumentedTag.log) })
    let entry = try CBOR.decode(Array(bytes.dropFirst(8)))
    #expect(entry["l"] == .int(5))
    #expect(entry["o"] == .string("console"))
    #expect(entry["k"] == .int(0))
    // Old and new value, a lock that was not there, and an edit that left something: 1 + 2 + 8 + 256 + 2048.
    #expect(entry["c"] == .list([.list([.string("volume"), .int(5), .int(2315), .int(50), .int(20)])]))
    #expect(entry["e"] == .list([]))
  }
}

import CSystem
import LMDB
import Testing

@testable import Livery

/// Damage to the file: `.corrupt` for what is damaged and for nothing else, and the way out of it.
@Suite(.onDisk) struct DamageTests {
  let temporary = TemporaryStore()

  /// Changes the stored bytes of a record behind the store's back.
  private func damage(
    _ name: String, _ key: [UInt8], in store: TemporaryStore? = nil, _ change: (inout [UInt8]) -> Void
  ) throws {
    let environment = try Environment(path: (store ?? temporary).path)
    defer { environment.close() }
    var bytes = try environment.read { (transaction) throws(StoreError) in try Self.stored(transaction, name, key) }
    change(&bytes)
    let changed = bytes
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        if let database = try transaction.stored(name, create: true) {
          try transaction.put(changed, for: key, in: database)
        }
      } catch { throw StoreError(error) }
      return .commit(())
    }
  }

  private func lose(_ name: String, _ key: [UInt8]) throws {
    let environment = try Environment(path: temporary.path)
    defer { environment.close() }
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        if let database = try transaction.stored(name, create: false) {
          _ = try transaction.delete(key, in: database)
        }
      } catch { throw StoreError(error) }
      return .commit(())
    }
  }

  private static func stored(_ transaction: Transaction, _ name: String, _ key: [UInt8]) throws(StoreError) -> [UInt8] {
    do throws(LMDBError) {
      guard let database = try transaction.stored(name, create: false) else { return [] }
      return try transaction.withValue(for: key, in: database) { $0?.array ?? [] }
    } catch { throw StoreError(error) }
  }

  /// Without the copies that a damaged file would be replaced by.
  private func fill() throws {
    let store = try temporary.open(schema: kioskSchema) {
      $0.automaticBackup = .never
    }
    try store.set("idle", to: .int(60), in: .user)
    try store.set("welcome", to: .string("Hi"), in: .user)
    store.close()
  }

  @Test(arguments: [0, 8, 9, 11, 16, 27])
  func aDamagedRecordIsCorruptAndSettingItRepairsIt(_ offset: Int) throws {
    try fill()
    try damage("settings", Array("idle".utf8)) { $0[offset] ^= 0x10 }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.value("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.inspect("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.list() } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.settings() } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.exportJSON() } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.snapshot().value("idle") } == .corrupt)
    #expect(try store.string("welcome") == "Hi")
    try store.set("idle", to: .int(61), in: .user)
    #expect(try store.int("idle") == 61)
    #expect(try store.list().items.count == 8)
    // The default is that of the schema again.
    try store.reset("idle", in: .user)
    #expect(try store.int("idle") == 120)
    #expect(try store.inspect("idle")["layers"]?.items.count == 1)
  }

  @Test func aDamagedRecordCanBeSetAnewOrReset() throws {
    try fill()
    try damage("settings", Array("idle".utf8)) { $0[20] ^= 1 }
    try damage("settings", Array("welcome".utf8)) { $0 = Array($0.prefix(7)) }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.value("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.inspect("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.exportJSON(layers: true) } == .corrupt)
    try store.set("idle", to: .int(60), in: .user)
    try store.reset("welcome", in: .user)
    #expect(try store.int("idle") == 60)
    #expect(try store.string("welcome") == "Hello")
    #expect(try store.inspect("idle")["layers"]?.items.count == 2)
    #expect(code { () throws(StoreError) in _ = try store.exportJSON(layers: true) } == nil)
  }

  @Test func aRecordMovedToAnotherKeyOrDatabaseIsDamaged() throws {
    try fill()
    var record: [UInt8] = []
    try damage("settings", Array("idle".utf8)) { record = $0 }
    try damage("settings", Array("welcome".utf8)) { $0 = record }
    try damage("schema", Array("sound".utf8)) { $0 = record }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.value("welcome") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.inspect("sound") } == .corrupt)
    #expect(try store.int("idle") == 60)
  }

  @Test func aDamagedDeclarationIsCorruptForItsSettingAlone() throws {
    try fill()
    try damage("schema", Array("idle".utf8)) { $0[12] ^= 1 }
    try damage("schema", Array("idleTime".utf8)) {
      $0 = Checksum.sealed([9], key: Array("idleTime".utf8), tag: Tag.schema)
    }
    try damage("schema", Array("sound".utf8)) { $0 = Checksum.sealed([0], key: Array("sound".utf8), tag: Tag.schema) }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(61), in: .user) } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.value("idleTime") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.inspect("sound") } == .corrupt)
    #expect(try store.string("welcome") == "Hi")
    try store.set("welcome", to: .string("Ho"), in: .user)
    #expect(store.checkSchema(Array(kioskSchema.utf8)).error == nil)
  }

  /// Nobody who reads waits for a writer; what is damaged is looked for as soon as none is there.
  @Test func aReadOfADamagedRecordDoesNotWaitForAWriterAndALaterOneMendsIt() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    try store.backup()
    try store.shared.environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      let view = View(transaction: transaction, databases: store.shared.databases)
      try view.put([1, 2, 3], "idle".bytes, view.databases.settings)
      return .commit(())
    }
    let child = Child.holding(byte: 0, of: temporary.path)
    #expect(child.line() == "held")
    let start = lvs_monotonic_ns()
    #expect(code { () throws(StoreError) in _ = try store.value("idle") } == .corrupt)
    #expect(lvs_monotonic_ns() - start < 2_000_000_000)
    child.finish()
    #expect(try store.int("idle") == 60)
  }

  @Test func aSettingWhoseRecordHasAnotherNameIsDamagedAndNotUnknown() throws {
    try fill()
    try lose("settings", Array("idle".utf8))
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.value("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.inspect("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.value("idler") } == .notFound)
    // Setting it brings the default back as well.
    try store.set("idle", to: .int(61), in: .user)
    #expect(try store.inspect("idle")["layers"]?.items.count == 2)
  }

  @Test func damagedFactsOfTheStoreAreCorrupt() throws {
    try fill()
    try damage("meta", Array(".revision".utf8)) { $0[9] ^= 1 }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.revision() } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.snapshot() } == .corrupt)
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(61), in: .user) } == .corrupt)
    #expect(try store.int("idle") == 60)
    store.close()
    try damage("meta", Array(".revision".utf8)) {
      $0 = Checksum.sealed([1, 2], key: Array(".revision".utf8), tag: Tag.meta)
    }
    try damage("meta", Array(".schema".utf8)) { $0 = Checksum.sealed([1], key: Array(".schema".utf8), tag: Tag.meta) }
    let again = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try again.revision() } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try again.schemaVersion() } == .corrupt)
    again.close()
    try damage("meta", Array(".format".utf8)) { $0[0] ^= 1 }
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .corrupt)
  }

  @Test func keysThatNoStoreWritesAreDamage() throws {
    try fill()
    try damage("expiries", [1]) { $0 = [] }
    try damage("settings", [0xff, 0xfe]) { $0 = [1] }
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try store.exportJSON(layers: true) } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.list() } == .corrupt)
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(61), in: .user) } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try store.value("nosuch") } == .notFound)
    // It may have been that one's.
    #expect(code { () throws(StoreError) in _ = try store.value("no") } == .corrupt)
    #expect(try store.int("idle") == 60)
  }

  @Test func aDamagedRecordMayBeTheOneAskedForUnlessItsNameIsDeclared() throws {
    try fill()
    try damage("settings", Array("idle".utf8)) { $0[$0.count - 1] ^= 1 }
    let declared = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try declared.value("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try declared.value("idlf") } == .notFound)
    declared.close()
    let other = TemporaryStore()
    let store = try other.open { $0.automaticBackup = .never }
    try store.set("loose.one", to: .int(1), in: .user)
    store.close()
    try damage("settings", Array("loose.one".utf8), in: other) { $0[$0.count - 1] ^= 1 }
    let open = try other.open()
    #expect(code { () throws(StoreError) in _ = try open.value("loose.two") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try open.value("loose.on") } == .corrupt)
    #expect(code { () throws(StoreError) in _ = try open.value("loose.three") } == .notFound)
  }

  @Test func aStoreOfANewerFormatIsRefusedAndLeftAlone() throws {
    try fill()
    var newer: [UInt8] = []
    newer.append(littleEndian: View.format + 1)
    try damage("meta", Array(".format".utf8)) { $0 = Checksum.sealed(newer, key: Array(".format".utf8), tag: Tag.meta) }
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .formatNewer)
    #expect(code { () throws(StoreError) in _ = try temporary.open { $0.readOnly = true } } == .formatNewer)
    // What it consists of nobody knows: it is not damaged because of a name that it lacks.
    var count = 0
    let bytes = try #require(lvs_read_file(temporary.path + "/data.mdb", -1, 1 << 24, &count))
    defer { free(bytes) }
    let name = Array("expiries".utf8)
    for place in 0..<(count - name.count) where memcmp(bytes + place, name, name.count) == 0 { bytes[place + 7] += 1 }
    let file = lvs_open(temporary.path + "/data.mdb", O_WRONLY, 0)
    lvs_write_all(file, bytes, count)
    close(file)
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .formatNewer)
    #expect(Store.check(path: temporary.path).error?.code == .formatNewer)
  }

  @Test func anLMDBFileOfAnotherProgramIsNoStore() throws {
    mkdir(temporary.path, 0o700)
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) { _ = try transaction.database(named: "theirs", create: true) } catch {
        throw StoreError(error)
      }
      return .commit(())
    }
    environment.close()
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .notAStore)
    #expect(code { () throws(StoreError) in _ = try Store(path: temporary.path) } == .notAStore)
  }

  @Test func aStoreWithoutAFormatNumberIsNoStore() throws {
    mkdir(temporary.path, 0o700)
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) { _ = try Databases(transaction, create: true) } catch { throw StoreError(error) }
      return .commit(())
    }
    environment.close()
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .notAStore)
  }

  @Test func aFileCutShortIsCorruptOrNoStoreAndNeverACrash() throws {
    let store = try temporary.open {
      $0.automaticBackup = .never
    }
    let change = try store.change(.user)
    for index in 0..<60 { try change.set("media.\(index)", to: .data([UInt8](repeating: 1, count: 300))) }
    try change.commit()
    store.close()
    let file = temporary.path + "/data.mdb"
    var count = 0
    let bytes = try #require(lvs_read_file(file, -1, 1 << 24, &count))
    defer { free(bytes) }
    for size in [1, 4095, 4096, 5000, 8191] + Array(stride(from: 8192, to: count, by: 4096)) + [8193] {
      let descriptor = lvs_open(file, O_WRONLY | O_TRUNC, 0o600)
      lvs_write_all(descriptor, bytes, size)
      close(descriptor)
      let found = code { () throws(StoreError) in
        let store = try Store(path: temporary.path)
        _ = try store.list()
        for index in 0..<60 { _ = try store.inspect("media.\(index)") }
        try store.set("media.1", to: .data([1]), in: .user)
        try store.set("media.59", to: .data([1]), in: .user)
        throw StoreError(.invalidArgument, "everything worked")
      }
      #expect(found == .corrupt || found == .notAStore || found == .io, "cut to \(size): \(found?.description ?? "")")
    }
  }
}

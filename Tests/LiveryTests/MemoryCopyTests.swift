import CSystem
import LMDB
import Testing

@testable import Livery

/// What stands for a store on a read-only file system. That one is taken for it where nobody can write, `Tests/C/system.c`
/// sees to.
@Suite struct MemoryCopyTests {
  let temporary = TemporaryStore()

  private var dataFile: String { temporary.path + "/data.mdb" }

  private func fill(_ note: String) throws {
    let store = try temporary.open {
      $0.snapshotAge = .max
      $0.snapshotCommits = .max
    }
    try store.set("note", to: .string(note), in: .user)
    store.close()
  }

  private func directory(noRecovery: Bool = false) -> StoreDirectory {
    var options = Store.Options()
    options.readOnly = true
    options.noRecovery = noRecovery
    return StoreDirectory(path: temporary.path, options: options)
  }

  private func end(_ opened: StoreDirectory.Opened) {
    opened.cache.retire()
    opened.environment.close()
  }

  private func note(_ opened: StoreDirectory.Opened) throws -> Value? {
    try opened.environment.read { (transaction) throws(StoreError) in
      let view = View(transaction: transaction, databases: opened.databases)
      return try view.effectiveRecord(view.found("note"), at: Timestamp.now).value
    }
  }

  private func damage() { #expect(truncate(dataFile, 4096 * 4) == 0) }

  @Test func aCopyShowsWhatWasThereWhenItWasMade() throws {
    try fill("before")
    let opened = try directory().openCopy()
    #expect(try note(opened) == .string("before"))
    #expect(opened.commitNumber.value == opened.environment.information().lastTransaction)
    try fill("after")
    #expect(try note(opened) == .string("before"))
    end(opened)
    let another = try directory().openCopy()
    #expect(try note(another) == .string("after"))
    end(another)
  }

  @Test func aCopyIsOutdatedWhereOthersCanWrite() throws {
    try fill("before")
    let opened = try directory().openCopy()
    #expect(opened.copy?.isOutdated == true)
    end(opened)
  }

  @Test func ofADamagedFileTheLatestSoundCopyIsRead() throws {
    try fill("before")
    let store = try temporary.open()
    _ = try store.backup()
    store.close()
    try fill("after")
    damage()
    let opened = try directory().openCopy()
    #expect(try note(opened) == .string("before"))
    end(opened)
    #expect(code { () throws(StoreError) in end(try directory(noRecovery: true).openCopy()) } == .corrupt)
  }

  @Test func aDamagedRecordIsReadFromABackupOfTheSameRevision() throws {
    try fill("before")
    var count = 0
    let bytes = try #require(lvs_read_file(dataFile, -1, 1 << 24, &count))
    defer { free(bytes) }
    let wanted = Array("before".utf8)
    let file = lvs_open(dataFile, O_RDWR, 0)
    for place in 0..<(count - wanted.count) where memcmp(bytes + place, wanted, wanted.count) == 0 {
      lvs_write_at(file, "B", 1, UInt64(place))
    }
    close(file)
    let damaged = try directory().openCopy()
    #expect(throws: StoreError.self) { try note(damaged) }
    end(damaged)
    #expect(lvs_rename(dataFile, dataFile + ".damaged") == 0)
    let original = lvs_open(dataFile, O_CREAT | O_RDWR, 0o600)
    lvs_write_all(original, bytes, count)
    close(original)
    let store = try temporary.open()
    _ = try store.backup()
    store.close()
    #expect(lvs_rename(dataFile + ".damaged", dataFile) == 0)
    let opened = try directory().openCopy()
    #expect(try note(opened) == .string("before"))
    end(opened)
  }

  @Test func withoutACopyADamagedFileIsCorruptAndAMissingOneNoStore() throws {
    try fill("before")
    damage()
    #expect(code { () throws(StoreError) in end(try directory().openCopy()) } == .corrupt)
    #expect(unlink(dataFile) == 0)
    #expect(code { () throws(StoreError) in end(try directory().openCopy()) } == .notAStore)
  }

  @Test func onlyHandlesForReadingAreOpenedWhereNobodyCanWrite() {
    #expect(
      code { () throws(StoreError) in
        try StoreDirectory(path: temporary.path, options: Store.Options()).requireReadOnly()
      } == .permission)
    #expect(code { () throws(StoreError) in try directory().requireReadOnly() } == nil)
    // This one can be written to.
    #expect(code { () throws(StoreError) in end(try directory().openReadOnlyMedium()) } == .permission)
  }
}

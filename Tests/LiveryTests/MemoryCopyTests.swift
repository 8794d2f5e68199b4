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

  private func close(_ opened: StoreDirectory.Opened) {
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
    close(opened)
    let another = try directory().openCopy()
    #expect(try note(another) == .string("after"))
    close(another)
  }

  @Test func aCopyIsOutdatedWhereOthersCanWrite() throws {
    try fill("before")
    let opened = try directory().openCopy()
    #expect(opened.copy?.isOutdated == true)
    close(opened)
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
    close(opened)
    #expect(code { () throws(StoreError) in close(try directory(noRecovery: true).openCopy()) } == .corrupt)
  }

  @Test func withoutACopyADamagedFileIsCorruptAndAMissingOneNoStore() throws {
    try fill("before")
    damage()
    #expect(code { () throws(StoreError) in close(try directory().openCopy()) } == .corrupt)
    #expect(unlink(dataFile) == 0)
    #expect(code { () throws(StoreError) in close(try directory().openCopy()) } == .notAStore)
  }

  @Test func onlyHandlesForReadingAreOpenedWhereNobodyCanWrite() {
    #expect(
      code { () throws(StoreError) in
        try StoreDirectory(path: temporary.path, options: Store.Options()).requireReadOnly()
      } == .permission)
    #expect(code { () throws(StoreError) in try directory().requireReadOnly() } == nil)
    // This one can be written to.
    #expect(code { () throws(StoreError) in close(try directory().openReadOnlyMedium()) } == .permission)
  }
}

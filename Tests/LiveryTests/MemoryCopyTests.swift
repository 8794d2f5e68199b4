import CSystem
import LMDB
import Testing

@testable import Livery

extension TemporaryStore {
  func directory(noRecovery: Bool = false) throws(StoreError) -> StoreDirectory {
    var options = Store.Options()
    options.readOnly = true
    options.noRecovery = noRecovery
    return try StoreDirectory(Folder.open(path), options, nil)
  }

  /// A setting's value as it is read where nobody can write.
  func valueInMemory(_ name: String, noRecovery: Bool = false) throws(StoreError) -> Value? {
    let opened = try directory(noRecovery: noRecovery).openCopy()
    defer { opened.end() }
    return try opened.value(name)
  }
}

extension StoreDirectory.Opened {
  func value(_ name: String) throws(StoreError) -> Value? {
    try environment.read { (transaction) throws(StoreError) in
      let view = View(transaction: transaction, databases: databases)
      return try view.effectiveRecord(name, at: Timestamp.now).value
    }
  }

  func end() {
    cache.retire()
    environment.close()
  }
}

/// What stands for a store on a read-only file system. That one is taken for it where nobody can write, `Tests/C/system.c`
/// sees to.
@Suite(.onDisk) struct MemoryCopyTests {
  let temporary = TemporaryStore()

  private var dataFile: String { temporary.path + "/data.mdb" }

  private func fill(_ note: String) throws {
    let store = try temporary.open {
      $0.automaticBackup = .never
    }
    try store.set("note", to: .string(note), in: .user)
    store.close()
  }

  private func backUp() throws {
    let store = try temporary.open()
    _ = try store.backup()
    store.close()
  }

  private func damage() { #expect(truncate(dataFile, 4096 * 4) == 0) }

  @Test func aCopyShowsWhatWasThereWhenItWasMade() throws {
    try fill("before")
    let opened = try temporary.directory().openCopy()
    #expect(try opened.value("note") == .string("before"))
    #expect(opened.lockPage.lastCommit == opened.environment.information().lastTransaction)
    try fill("after")
    #expect(try opened.value("note") == .string("before"))
    // This one can be written to.
    #expect(opened.copy?.isOutdated == true)
    opened.end()
    #expect(try temporary.valueInMemory("note") == .string("after"))
  }

  @Test func ofADamagedFileTheLatestSoundCopyIsRead() throws {
    try fill("before")
    try backUp()
    try fill("after")
    damage()
    #expect(try temporary.valueInMemory("note") == .string("before"))
    #expect(code { () throws(StoreError) in _ = try temporary.valueInMemory("note", noRecovery: true) } == .corrupt)
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
    #expect(code { () throws(StoreError) in _ = try temporary.valueInMemory("note") } == .corrupt)

    #expect(moved(dataFile, dataFile + ".damaged") == 0)
    let original = lvs_open(dataFile, O_CREAT | O_RDWR, 0o600)
    lvs_write_all(original, bytes, count)
    try backUp()
    #expect(moved(dataFile + ".damaged", dataFile) == 0)
    close(file)
    close(original)
    #expect(try temporary.valueInMemory("note") == .string("before"))
  }

  @Test func withoutACopyADamagedFileIsCorruptAndAMissingOneNoStore() throws {
    try fill("before")
    damage()
    #expect(code { () throws(StoreError) in _ = try temporary.valueInMemory("note") } == .corrupt)
    #expect(unlink(dataFile) == 0)
    #expect(code { () throws(StoreError) in _ = try temporary.valueInMemory("note") } == .notAStore)
  }

  @Test func onlyHandlesForReadingAreOpenedWhereNobodyCanWrite() throws {
    try fill("before")
    #expect(
      code { () throws(StoreError) in
        try StoreDirectory(Folder.open(temporary.path), Store.Options(), nil).requireReadOnly()
      } == .permission)
    #expect(code { () throws(StoreError) in try temporary.directory().requireReadOnly() } == nil)
    // This one can be written to.
    #expect(code { () throws(StoreError) in try temporary.directory().openReadOnlyMedium().end() } == .permission)
  }

  @Test func whatIsWrittenToWhileItIsReadIsReadAgain() throws {
    try fill("0")
    var reads = 0
    let count = try FileState.whileUnchanged(Folder.open(temporary.path)) { () throws(StoreError) -> Int in
      reads += 1
      if reads < 3 {
        try? fill("\(reads)")
        // What is torn may look damaged.
        if reads == 2 { throw StoreError(.corrupt, "torn") }
      }
      return reads
    }
    #expect(count == 3)
    #expect(
      code { () throws(StoreError) in
        var size = 1 << 20
        try FileState.whileUnchanged(Folder.open(temporary.path)) { () throws(StoreError) in
          size += 4096
          truncate(dataFile, size)
        }
      } == .busy)
  }
}

import CSystem
import LMDB
import Testing

@testable import Livery

/// Backups, and bringing them back into a store that others use.
@Suite(.onDisk) struct BackupTests {
  let temporary = TemporaryStore()

  private func fill() throws -> Store {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(60), in: .user)
    try store.set("welcome", to: .string("Welcome"), in: .bundle)
    try store.set("welcome", to: .string("Hi"), in: .user)
    return store
  }

  @Test func restoringGivesBackTheSameExportToTheByte() throws {
    let store = try fill()
    let before = try store.exportJSON(layers: true)
    let effective = try store.exportJSON()
    let backup = try store.backup()
    try store.set("idle", to: .int(90), in: .user)
    try store.set("idle", to: .int(30), in: .enforced)
    try store.reset("welcome", in: .user)
    let revision = try store.revision()
    #expect(try store.restore(from: backup) == revision + 1)
    #expect(try store.exportJSON(layers: true) == before)
    #expect(try store.exportJSON() == effective)
    #expect(try store.revision() == revision + 1)
    // The restored content backs up as what it was, and the next commit counts on.
    let again = try store.backup()
    try store.set("idle", to: .int(61), in: .user)
    #expect(try store.revision() == revision + 2)
    try store.restore(from: again)
    #expect(try store.exportJSON(layers: true) == before)
  }

  @Test func anUpgradeIsTakenBackWithItsSchema() throws {
    let store = try fill()
    let before = try store.exportJSON(layers: true)
    try store.backup()
    let newer = #"{"Version": 9, "Groups": [{"Settings": [{"Type": "TextField", "Key": "other", "Value": "x"}]}]}"#
    #expect(store.applySchema(Array(newer.utf8)).error == nil)
    #expect(code { () throws(StoreError) in _ = try store.value("idle") } == .notFound)
    try store.restore()
    #expect(try store.exportJSON(layers: true) == before)
    #expect(try store.schemaVersion() == 1)
    #expect(try store.int("idle") == 60)
    #expect(code { () throws(StoreError) in _ = try store.value("other") } == .notFound)
  }

  @Test func watchesHearWhatARestoreChanges() throws {
    let store = try fill()
    try store.backup()
    try store.set("idle", to: .int(90), in: .user)
    let heard = Events()
    let watch = try store.observe { heard.append($0) }
    try store.restore()
    heard.wait(1)
    let event = try #require(heard.all.first { $0.name == "idle" })
    #expect(event.oldValue == .int(90) && event.newValue == .int(60) && event.origin == "restore")
    #expect(!heard.all.contains { $0.name == "welcome" })
    watch.cancel()
  }

  @Test func aRestoreThatChangesNothingMakesNoRevision() throws {
    let store = try fill()
    let revision = try store.revision()
    try store.backup()
    #expect(try store.restore() == revision)
    #expect(try store.revision() == revision)
  }

  @Test func aRestoreCanBeUndone() throws {
    let store = try fill()
    try store.backup()
    try store.set("idle", to: .int(90), in: .user)
    let revision = try store.restore()
    #expect(try store.int("idle") == 60)
    try store.undo(revision)
    #expect(try store.int("idle") == 90)
  }

  @Test func theLastBackupsOfEachReasonAreKept() throws {
    let store = try temporary.open { $0.backups = 2 }
    for number in 1...4 {
      try store.set("n", to: .int(Int64(number)), in: .user)
      try store.backup()
      try store.keepBackup("upgrade")
    }
    let all = try store.backups().items
    #expect(all.count == 4)
    #expect(all.map { $0.text("reason") ?? "" } == ["upgrade", "manual", "upgrade", "manual"])
    #expect(all.first?["revision"] == .int(4) && all.last?["revision"] == .int(3))
  }

  @Test func aBackupReplacesAFileAsAWholeAndOpensAsAStore() throws {
    let store = try fill()
    let other = TemporaryStore()
    mkdir(other.path, 0o700)
    let file = other.path + "/data.mdb"
    try store.backup(to: file)
    try store.set("idle", to: .int(61), in: .user)
    try store.backup(to: file)
    let copy = try other.open()
    #expect(try copy.int("idle") == 61)
    #expect(try copy.exportJSON(layers: true) == store.exportJSON(layers: true))
  }

  @Test func aDamagedBackupIsRefusedAndTheStoreUntouched() throws {
    let store = try fill()
    let backup = try store.backup()
    try store.set("idle", to: .int(90), in: .user)
    var before = try store.exportJSON(layers: true)
    let sound = try bytes(of: backup)
    var generator = SeededGenerator(state: 1)
    var refused = 0
    for _ in 0..<300 {
      var damaged = sound
      damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      try write(damaged, to: backup)
      let found = code { () throws(StoreError) in try store.restore(from: backup) }
      if let found {
        refused += 1
        #expect(found == .corrupt || found == .notAStore || found == .formatNewer)
        #expect(try store.exportJSON(layers: true) == before)
      } else {
        // What hit no byte that counts.
        #expect(try store.int("idle") == 60)
        try store.set("idle", to: .int(90), in: .user)
        before = try store.exportJSON(layers: true)
      }
    }
    #expect(refused > 0)
    for length in [0, 100, 4096, 8192, sound.count / 2] {
      try write(Array(sound.prefix(length)), to: backup)
      let state = try store.exportJSON()
      #expect(code { () throws(StoreError) in try store.restore(from: backup) } != nil)
      #expect(try store.exportJSON() == state)
    }
    #expect(code { () throws(StoreError) in try store.restore(from: temporary.path + "/none") } == .notFound)
  }

  @Test func valuesOfEverySizeAreInTheBackup() throws {
    let store = try temporary.open()
    for number in 0..<300 {
      let text = String(repeating: "x", count: number * number)
      try store.set("value.\(number)", to: .string(text), in: number % 2 == 0 ? .user : .session)
    }
    let before = try store.exportJSON(layers: true)
    let file = try StoreFile(try store.backup(), keeping: true)
    #expect(file.isWhole && file.table("settings").entries.count == 300)
    let change = try store.change(.user)
    try change.resetAll()
    try change.commit()
    try store.restore()
    #expect(try store.exportJSON(layers: true) == before)
  }

  @Test func aDamagedRecordInTheStoreIsRepairedByARestore() throws {
    let store = try fill()
    let backup = try store.backup()
    let before = try store.exportJSON(layers: true)
    // No copy has the same revision, which would mend it by itself.
    try store.set("sound", to: .bool(false), in: .user)
    store.close()
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        let database = try transaction.database(named: "settings", create: true)
        if let database { try transaction.put([UInt8](repeating: 7, count: 50), for: "idle".bytes, in: database) }
      } catch { throw StoreError(error) }
      return .commit(())
    }
    environment.close()
    let again = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try again.value("idle") } == .corrupt)
    #expect(code { () throws(StoreError) in try again.backup() } == .corrupt)
    try again.restore(from: backup)
    #expect(try again.exportJSON(layers: true) == before)
  }

  @Test func backupsUnderConstantCommitsAreEachOfOneMoment() throws {
    let store = try temporary.open()
    let findings = Findings()
    inThreads(2) { thread in
      for number in 0..<(thread == 0 ? 300 : 30) {
        do throws(StoreError) {
          if thread == 0 {
            try store.set("a", to: .int(Int64(number)), in: .user)
          } else if try !StoreFile(store.backup(), keeping: true).isWhole {
            findings.add("a backup is damaged")
          }
        } catch { findings.add(error.message) }
      }
    }
    #expect(findings.all == [])
  }

  private func bytes(of path: String) throws -> [UInt8] {
    var count = 0
    let bytes = try #require(lvs_read_file(path, -1, 1 << 26, &count))
    defer { free(bytes) }
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = lvs_open(path, O_WRONLY | O_TRUNC, 0)
    #expect(descriptor >= 0)
    if !bytes.isEmpty { #expect(bytes.withUnsafeBytes { lvs_write_all(descriptor, $0.baseAddress, $0.count) } >= 0) }
    close(descriptor)
  }
}

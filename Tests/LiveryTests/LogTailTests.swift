import LMDB
import Testing

@testable import Livery

/// The latest entries of the log, which lie apart from the others.
@Suite(.onDisk) struct LogTailTests {
  let temporary = TemporaryStore()

  private func revisions() throws -> (log: [UInt64], tail: [UInt64]) {
    let file = try StoreFile(temporary.path + "/data.mdb", keeping: true)
    #expect(file.isWhole)
    let log = file.table("log").entries.map { entry in entry.key.withUnsafeBytes { $0.bytes.word(at: 0).byteSwapped } }
    return (log, file.table("meta").entries.compactMap { LogTail.revision(of: $0.key) })
  }

  private func history(_ store: Store) throws -> [Value?] { try store.history().items.map { $0["revision"] } }

  @Test func entriesMoveIntoTheLogTogetherAndNoneIsLost() throws {
    let store = try temporary.open { $0.durability = .deferred }
    var moves = 0
    for number in 1...60 {
      try store.set("n", to: .int(Int64(number)), in: .user)
      let (log, tail) = try revisions()
      #expect(log + tail == (1...UInt64(number)).map { $0 })
      #expect(tail.last == UInt64(number))
      if tail.count == 1 { moves += 1 }
    }
    #expect((4...20).contains(moves))
    #expect(try history(store) == (1...60).reversed().map { .int($0) })
    try store.undo(20, force: true)
    #expect(try store.int("n") == 19)
    try store.undo(61)
    #expect(try store.int("n") == 60)
  }

  @Test func whatIsLargeGoesIntoTheLogAndWhatWasBeforeItToo() throws {
    let store = try temporary.open()
    try store.set("n", to: .int(1), in: .user)
    try store.set("text", to: .string(String(repeating: "x", count: 4_000)), in: .user)
    #expect(try revisions() == ([1, 2], []))
    try store.set("n", to: .int(2), in: .user)
    #expect(try revisions() == ([1, 2], [3]))
    #expect(try history(store) == [.int(3), .int(2), .int(1)])
  }

  @Test func whoKeepsFewEntriesKeepsThemAllInTheLog() throws {
    let store = try temporary.open()
    for number in 1...5 { try store.set("n", to: .int(Int64(number)), in: .user) }
    #expect(try revisions().tail.count == 5)
    store.close()
    let other = try temporary.open { $0.logEntries = 3 }
    try other.set("n", to: .int(6), in: .user)
    #expect(try revisions() == ([4, 5, 6], []))
  }

  @Test func secretsAreForgottenAmongTheLatest() throws {
    let schema = """
      {"Version": 1, "Groups": [{"Title": "A", "Settings": [
        {"Type": "TextField", "Title": "Pin", "Key": "pin", "Class": ["Password"]}
      ]}]}
      """
    let store = try temporary.open(schema: schema)
    try store.set("pin", to: .string("hidden-4711"), in: .user)
    try store.set("pin", to: .string("hidden-4712"), in: .user)
    try store.reset("pin", in: .user)
    let file = try StoreFile(temporary.path + "/data.mdb", keeping: true)
    let kept = file.table("meta").entries.filter { LogTail.revision(of: $0.key) != nil }
    #expect(kept.count == 4)
    for entry in kept { #expect(!String(decoding: entry.value, as: UTF8.self).contains("hidden-471")) }
  }

  @Test func aDamagedEntryIsTheLogsAndNotTheStores() throws {
    let store = try temporary.open { $0.automaticBackup = .never }
    for number in 1...3 { try store.set("n", to: .string("value-\(number)"), in: .user) }
    store.close()
    let environment = try Environment(path: temporary.path)
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        guard let database = try transaction.stored("meta", create: false) else { return .abort(()) }
        let key = LogTail.key(2)
        var bytes = try transaction.withValue(for: key, in: database) { $0?.array ?? [] }
        bytes[20] ^= 1
        try transaction.put(bytes, for: key, in: database)
      } catch { throw StoreError(error) }
      return .commit(())
    }
    environment.close()
    let file = try StoreFile(temporary.path + "/data.mdb", keeping: true)
    #expect(!file.isWhole && !file.isGravelyDamaged)
    let again = try temporary.open { $0.automaticBackup = .never }
    #expect(try again.string("n") == "value-3")
    #expect(code { () throws(StoreError) in _ = try again.undo(2) } == .corrupt)
    try again.undo(3)
    #expect(try again.string("n") == "value-2")
  }
}

import CSystem
import Testing

@testable import Livery

/// What other processes do to a store, and what there is a limited number of.
@Suite struct ProcessTests {
  let temporary = TemporaryStore()

  @Test(.onDisk) func theMapFollowsOneThatAnotherProcessGrew() throws {
    let store = try temporary.open { $0.mapSize = 1 << 20 }
    try store.set("small", to: .int(1), in: .user)
    let text = String(repeating: "x", count: 900_000)
    let file = temporary.path + "-values.json"
    defer { unlink(file) }
    let json = Array("{\"large.1\": \"\(text)\", \"large.2\": \"\(text)\", \"large.3\": \"\(text)\"}".utf8)
    let descriptor = lvs_open(file, O_CREAT | O_WRONLY, 0o600)
    lvs_write_all(descriptor, json, json.count)
    close(descriptor)
    let child = try Child.command(["import", file], store: temporary.path)
    #expect(child.finish() == 0)
    // A read meets the larger file first, a commit does so after.
    #expect(try store.int("small") == 1)
    #expect(try store.string("large.3").utf8.count == 900_000)
    try store.set("small", to: .int(2), in: .user)
    #expect(try store.int("small") == 2)
  }

  @Test(.onDisk) func aCommitFollowsAMapThatAnotherProcessGrew() throws {
    let store = try temporary.open { $0.mapSize = 1 << 20 }
    let text = String(repeating: "x", count: 120_000)
    for index in 0..<12 {
      let child = try Child.command(["set", "large.\(index)", text], store: temporary.path)
      #expect(child.finish() == 0)
    }
    try store.set("small", to: .int(2), in: .user)
    #expect(try store.list().items.count == 13)
  }

  @Test func whenSnapshotsTakeAllReaderSlotsFurtherOnesAreBusyAndReadsGoOn() throws {
    let store = try temporary.open { $0.maximumReaders = 8 }
    try store.set("a", to: .int(1), in: .user)
    var snapshots: [Snapshot] = []
    var refused: StoreError.Code?
    while refused == nil, snapshots.count < 1000 {
      refused = code { () throws(StoreError) in snapshots.append(try store.snapshot()) }
    }
    #expect(refused == .busy)
    #expect(snapshots.count >= 7)
    #expect(try store.int("a") == 1)
    snapshots.removeLast().close()
    let another = try store.snapshot()
    another.close()
    for snapshot in snapshots { snapshot.close() }
  }

  @Test func aSnapshotDoesNotKeepTheMapFromGrowing() throws {
    let store = try temporary.open {
      $0.mapSize = 1 << 20
      $0.busyTimeout = .milliseconds(100)
    }
    try store.set("a", to: .int(1), in: .user)
    let snapshot = try store.snapshot()
    let large = Value.data([UInt8](repeating: 1, count: 1_000_000))
    for number in 1...8 {
      try store.set("large.\(number)", to: large, in: .user)
      #expect(try store.value("large.\(number)") == large)
      #expect(try snapshot.value("a") == .int(1))
    }
    try store.set("a", to: .int(2), in: .user)
    #expect(try snapshot.value("a") == .int(1))
    snapshot.close()
    #expect(try store.value("large.8") == large)
  }

  @Test func failuresOfTheSystemKeepTheirCodeAndNumber() {
    let expected: [(Int32, StoreError.Code)] = [
      (ENOSPC, .noSpace), (EDQUOT, .noSpace), (EFBIG, .noSpace), (EAGAIN, .busy), (EBUSY, .busy), (EACCES, .permission),
      (EPERM, .permission), (EROFS, .permission), (ENOENT, .notFound), (EIO, .io), (EMFILE, .io),
    ]
    for (number, code) in expected {
      let error = StoreError.system(number, "what")
      #expect(error.code == code)
      #expect(error.systemError == number)
      #expect(error.message.utf8.starts(with: "what: ".utf8))
    }
  }

  @Test func typesAreNamedInWhatDoesNotConvert() throws {
    let store = try temporary.open()
    try store.set("list", to: .list([]), in: .user)
    func message(_ body: () throws(StoreError) -> Void) -> String {
      do { try body() } catch { return error.message }
      return ""
    }
    #expect(contains(message { () throws(StoreError) in _ = try store.bool("list") }, "to bool"))
    #expect(contains(message { () throws(StoreError) in _ = try store[Key<Int>("list")] }, "to int"))
    #expect(contains(message { () throws(StoreError) in _ = try store.double("list") }, "to double"))
    #expect(contains(message { () throws(StoreError) in _ = try store.float("list") }, "to float"))
    #expect(contains(message { () throws(StoreError) in _ = try store.string("list") }, "to string"))
    #expect(contains(message { () throws(StoreError) in _ = try store.date("list") }, "to date"))
    #expect(contains(message { () throws(StoreError) in _ = try store.color("list") }, "to color"))
  }
}

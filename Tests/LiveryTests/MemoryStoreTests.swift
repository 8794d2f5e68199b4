import CSystem
import Testing

@testable import Livery

/// A store that is in memory alone works like any other, and leaves nothing.
@Suite struct MemoryStoreTests {
  private func open(
    _ name: String = "", _ change: (inout Store.Options) -> Void = { _ in }
  ) throws(StoreError) -> Store {
    var options = Store.Options()
    options.inMemory = true
    change(&options)
    return try Store(path: name, options: options)
  }

  /// A name that no other test has.
  private let name = "memory-store-tests-\(UInt64.random(in: 0...UInt64.max))"

  @Test func theSameNameIsTheSameStoreAndWithoutOneEachIsAnother() throws {
    let store = try open(name)
    let again = try open(name)
    try store.set("a", to: .int(1), in: .user)
    #expect(try again.int("a") == 1)
    let nameless = [try open(), try open(), try open(name + ".other")]
    for other in nameless { #expect(code { () throws(StoreError) in _ = try other.value("a") } == .notFound) }
    // Names are compared byte by byte.
    let composed = try open(name + "\u{e9}")
    try composed.set("a", to: .int(2), in: .user)
    #expect(code { () throws(StoreError) in _ = try open(name + "e\u{301}").value("a") } == .notFound)
  }

  @Test func itGoesWithItsLastHandle() throws {
    let store = try open(name)
    let again = try open(name)
    try store.set("a", to: .int(1), in: .user)
    store.close()
    #expect(try again.int("a") == 1)
    again.close()
    #expect(try open(name).revision() == 0)
  }

  @Test func readOnlyIsWhatIsOpenAndMakesNone() throws {
    #expect(code { () throws(StoreError) in _ = try open(name) { $0.readOnly = true } } == .notFound)
    #expect(code { () throws(StoreError) in _ = try open { $0.readOnly = true } } == .invalidArgument)
    let store = try open(name)
    try store.set("a", to: .int(1), in: .user)
    let reader = try open(name) { $0.readOnly = true }
    #expect(try reader.int("a") == 1)
    #expect(code { () throws(StoreError) in try reader.set("a", to: .int(2), in: .user) } == .readOnly)
  }

  @Test func itGrowsAndShrinksUnderWhatIsHeld() throws {
    let store = try open {
      $0.mapSize = 1 << 20
      $0.logEntries = 1
    }
    try store.set("mark", to: .int(1), in: .user)
    let held = try store.snapshot()
    let text = String(repeating: "x", count: 100_000)
    for number in 0..<40 { try store.set("large.\(number)", to: .string(text), in: .user) }
    for number in 0..<40 { try store.reset("large.\(number)", in: .user) }
    try store.set("mark", to: .int(2), in: .user)
    let (before, after) = try store.compact()
    #expect(after < before / 4)
    #expect(try held.value("mark") == .int(1))
    #expect(try store.int("mark") == 2)
    held.close()
    for round in 0..<5 {
      try store.compact()
      try store.set("mark", to: .int(Int64(10 + round)), in: .user)
      #expect(try store.int("mark") == Int64(10 + round))
    }
    guard case .int(let bytes)? = try store.statistics()["fileBytes"] else { throw StoreError(.io, "no figure") }
    #expect(bytes > 0 && bytes < 1 << 20)
  }

  @Test func upgradesHistoryUndoAndAssetsWorkWithoutAFolder() throws {
    let store = try open()
    #expect(store.applySchema(Array(kioskSchema.utf8)).error == nil)
    try store.set("idle", to: .int(60), in: .user)
    let higher = kioskSchema.split(separator: "\"Version\": 1").joined(separator: "\"Version\": 2")
    let outcome = store.applySchema(Array(higher.utf8))
    #expect(outcome.error == nil)
    #expect(outcome.report["applied"] == .bool(true))
    #expect(outcome.report["backup"] == nil)
    #expect(try store.int("idle") == 60)
    let revision = try store.revision()
    try store.set("idle", to: .int(61), in: .user)
    #expect(try store.history().items.count == Int(revision) + 1)
    try store.undo(revision + 1)
    #expect(try store.int("idle") == 60)
    let asset = try store.assets.put([1, 2, 3], allowsAny: true)
    #expect(try store.assets.bytes(asset.id) == [1, 2, 3])
  }

  @Test func itIsBackedUpToFilesAloneAndRestoredFromThem() throws {
    let store = try open(name)
    try store.set("a", to: .int(1), in: .user)
    let path = "/tmp/\(name).mdb"
    defer { unlink(path) }
    try store.backup(to: path)
    #expect(Store.check(path: path).error == nil)
    try store.set("a", to: .int(2), in: .user)
    try store.restore(from: path)
    #expect(try store.int("a") == 1)
    #expect(code { () throws(StoreError) in try store.backup() } == .permission)
    #expect(code { () throws(StoreError) in try store.restore() } == .notFound)
    #expect(try store.backups() == .list([]))
  }

  @Test func threadsOpenChangeAndCloseItAtOnce() throws {
    let findings = Findings()
    let kept = try open(name)
    let name = name
    inThreads(6) { thread in
      for round in 0..<20 {
        do throws(StoreError) {
          var options = Store.Options()
          options.inMemory = true
          let store = try Store(path: thread % 2 == 0 ? name : "", options: options)
          try store.set("thread.\(thread)", to: .int(Int64(round)), in: .user)
          if try store.int("thread.\(thread)") != Int64(round) { findings.add("thread \(thread) reads another value") }
          if round % 7 == 0 { try store.compact() }
        } catch { findings.add("thread \(thread): \(error.message)") }
      }
    }
    #expect(findings.all == [])
    #expect(try kept.list("thread.*").items.count == 3)
  }
}

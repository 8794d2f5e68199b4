import CSystem
import Glibc
import Livery
import Testing

@Suite struct ConcurrencyTests {
  static let group = ["group.a", "group.b", "group.c", "group.d", "group.e"]

  private static var seconds: Double {
    getenv("LIVERY_THREAD_SECONDS").flatMap { Double(String(cString: $0)) } ?? 3
  }

  /// Writers change five settings together, and set values so large that the map has to grow again and again; meanwhile
  /// others read, list, take snapshots, and open and close handles on the same store and on another one.
  @Test func threadsReadCommitSnapshotOpenCloseAndGrowTheMapAtOnce() throws {
    let temporary = TemporaryStore()
    let other = TemporaryStore()
    let store = try temporary.open { $0.mapSize = 1 << 20 }
    try store.update(.user) { for name in Self.group { $0[Key<Int>(name)] = 0 } }
    let findings = Findings()
    let path = temporary.path
    let otherPath = other.path
    let end = lvs_monotonic_ns() + UInt64(Self.seconds * 1e9)
    inThreads(12) { index in
      var round = 0
      var last = Last()
      while lvs_monotonic_ns() < end {
        round += 1
        do throws(StoreError) {
          switch index {
          case 0, 1: try Self.write(store, index, round)
          case 2: try Self.grow(store, round)
          case 3, 4, 5: try Self.checkSnapshot(store, findings, &last)
          case 6, 7: try Self.checkReads(store, findings, &last)
          case 8, 9: try Self.reopen(path, findings)
          default: try Self.openAlone(otherPath, index)
          }
        } catch {
          findings.add("thread \(index): \(error.code): \(error.message)")
        }
      }
    }
    #expect(findings.all == [])
    #expect(try store.statistics()["mapBytes"] != .int(1 << 20))
  }

  private struct Last {
    var revision: UInt64 = 0
  }

  private static func write(_ store: Store, _ index: Int, _ round: Int) throws(StoreError) {
    try store.update(.user, origin: "writer \(index)") {
      for name in group { $0[Key<Int>(name)] = round * 2 + index }
    }
  }

  private static func grow(_ store: Store, _ round: Int) throws(StoreError) {
    try store.set("large.\(round % 24)", to: .data([UInt8](repeating: UInt8(round & 255), count: 500_000)), in: .bundle)
  }

  private static func checkSnapshot(_ store: Store, _ findings: Findings, _ last: inout Last) throws(StoreError) {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    let first = try snapshot.value(group[0])
    for name in group.dropFirst() where try snapshot.value(name) != first { findings.add("a commit was seen in part") }
    if snapshot.revision < last.revision { findings.add("a snapshot went back") }
    last.revision = snapshot.revision
    if try snapshot.next(after: "group.d")?.name != "group.e" { findings.add("a walk lost a name") }
  }

  private static func checkReads(_ store: Store, _ findings: Findings, _ last: inout Last) throws(StoreError) {
    let revision = try store.revision()
    if revision < last.revision { findings.add("the revision went back") }
    last.revision = revision
    let listed = try store.list("group.*").items.map { $0["value"] }
    if listed.count != group.count || listed.contains(where: { $0 != listed[0] }) { findings.add("a torn listing") }
    if try store.inspect(group[0])["effective"] == nil { findings.add("an inspection lost the value") }
    _ = try store.int(group[1])
  }

  /// A handle that one thread closes while another uses it: the other reads or is told that it is closed.
  private static func reopen(_ path: String, _ findings: Findings) throws(StoreError) {
    var options = Store.Options()
    options.inMemory = TemporaryStore.isInMemory
    let store = try Store(path: path, options: options)
    inThreads(2) { index in
      if index == 0 { return store.close() }
      do throws(StoreError) { _ = try store.int(group[2]) } catch {
        if error.code != .closed { findings.add("a handle that is being closed: \(error.code)") }
      }
    }
  }

  /// The environment of this store is opened and closed all the time, as two threads at most hold it.
  private static func openAlone(_ path: String, _ index: Int) throws(StoreError) {
    var options = Store.Options()
    options.create = true
    options.inMemory = TemporaryStore.isInMemory
    let store = try Store(path: path, options: options)
    try store.set("own.\(index)", to: .date(.now), in: .session)
    _ = try store.date("own.\(index)")
    store.close()
  }
}

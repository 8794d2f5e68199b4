import CSystem
import Testing

@testable import Livery

/// Commits of several threads share a transaction, and nobody can tell.
@Suite struct GroupCommitTests {
  let temporary = TemporaryStore()

  @Test func commitsOfManyThreadsAtOnceEachHaveTheirRevisionEntryAndVerdict() throws {
    let store = try temporary.open(schema: kioskSchema)
    let first = try store.revision()
    let findings = Findings()
    let lock = TestLock()
    nonisolated(unsafe) var revisions: [UInt64] = []
    inThreads(8) { thread in
      for round in 0..<25 {
        do throws(StoreError) {
          switch thread {
          case 6:
            let found = code { () throws(StoreError) in try store.set("idle", to: .int(9999), in: .user) }
            if found != .invalidValue { findings.add("\(found as Any) in place of invalidValue") }
          case 7:
            // One that is refused half-way takes nothing with it, its own first edits included.
            let change = try store.change(.user)
            try change.set("welcome", to: .string("refused"))
            try change.set("fleet", to: .string("no"))
            let found = code { () throws(StoreError) in try change.commit() }
            if found != .readOnly { findings.add("\(found as Any) in place of readOnly") }
          default:
            let change = try store.change([.user, .bundle, .recommended][thread % 3])
            try change.setOrigin("thread \(thread)")
            try change.set("idle", to: .int(Int64(100 + thread * 100 + round)))
            let revision = try change.commit()
            lock.withLock { revisions.append(revision) }
          }
        } catch { findings.add("thread \(thread): \(error.message)") }
      }
    }
    #expect(findings.all == [])
    #expect(try store.string("welcome") == "Hello")
    // Every commit of a value that the layer did not hold has a revision of its own, and one entry that tells of it.
    let distinct = Set(revisions)
    #expect(try store.revision() == first + UInt64(distinct.count))
    let entries = try store.history().items
    for revision in distinct {
      let entry = entries.first { $0["revision"] == .int(Int64(revision)) }
      #expect(entry?.text("origin")?.hasPrefix("thread") == true)
    }
    #expect(entries.allSatisfy { $0.text("origin") != "thread 7" })
  }

  @Test func expectationsHoldAmongCommitsOfOneGroup() throws {
    let store = try temporary.open()
    try store.set("counter", to: .int(0), in: .user)
    let findings = Findings()
    inThreads(6) { _ in
      var done = 0
      while done < 20 {
        do throws(StoreError) {
          let snapshot = try store.snapshot()
          guard case .int(let number) = try snapshot.value("counter") else { return findings.add("no number") }
          let revision = snapshot.revision
          snapshot.close()
          let change = try store.change(.user)
          try change.expect("counter", at: revision)
          try change.set("counter", to: .int(number + 1))
          try change.commit()
          done += 1
        } catch {
          if error.code != .conflict { return findings.add(error.message) }
        }
      }
    }
    #expect(findings.all == [])
    #expect(try store.int("counter") == 120)
  }

  @Test func editsAmongCommitsOfOthersRunOnTheirOwnThreadsAndOnce() throws {
    let store = try temporary.open()
    let change = try store.change(.user)
    try change.set("counter", to: .int(0))
    try change.set("other", to: .int(0))
    try change.commit()
    let findings = Findings()
    inThreads(6) { thread in
      for round in 0..<30 {
        do throws(StoreError) {
          if thread < 3 {
            try store.set("other", to: .int(Int64(thread * 100 + round)), in: .user)
            continue
          }
          let own = pthread_self()
          var runs = 0
          try store.edit(.user) { (change) throws(StoreError) in
            runs += 1
            if pthread_equal(own, pthread_self()) == 0 { findings.add("not on its own thread") }
            guard case .int(let number)? = try change.value("counter", in: .user) else { return }
            try change.set("counter", to: .int(number + 1))
          }
          if runs != 1 { findings.add("an edit was made \(runs) times") }
        } catch { findings.add("thread \(thread): \(error.message)") }
      }
    }
    #expect(findings.all == [])
    #expect(try store.int("counter") == 90)
  }

  @Test func whatAnEditThrowsStopsNobodyWhoWaitsBehindIt() throws {
    let store = try temporary.open()
    let findings = Findings()
    inThreads(4) { thread in
      for round in 0..<20 {
        do throws(StoreError) {
          if thread == 0 {
            let found = code { () throws(StoreError) in
              try store.edit(.user) { (_) throws(StoreError) in throw StoreError(.conflict, "no") }
            }
            if found != .conflict { findings.add("\(found as Any) in place of conflict") }
          } else {
            try store.set("value.\(thread)", to: .int(Int64(round)), in: .user)
          }
        } catch { findings.add("thread \(thread): \(error.message)") }
      }
    }
    #expect(findings.all == [])
    #expect(try store.list("value.*").items.count == 3)
  }

  @Test(.onDisk) func commitsWaitingInThisProcessAreBusyInTime() throws {
    let store = try temporary.open { $0.busyTimeout = .milliseconds(200) }
    try store.set("a", to: .int(1), in: .user)
    let holder = Child.holding(byte: 0, of: temporary.path)
    #expect(holder.line() == "held")
    let findings = Findings()
    inThreads(4) { thread in
      let found = code { () throws(StoreError) in try store.set("a", to: .int(Int64(thread)), in: .user) }
      if found != .busy { findings.add("\(found as Any) in place of busy") }
    }
    #expect(findings.all == [])
    holder.finish()
    try store.set("a", to: .int(9), in: .user)
    #expect(try store.int("a") == 9)
  }

  @Test func aGroupThatOutgrowsTheMapIsMadeOnceItHasGrown() throws {
    let store = try temporary.open { $0.mapSize = 1 << 20 }
    let findings = Findings()
    let text = String(repeating: "x", count: 200_000)
    inThreads(6) { thread in
      for round in 0..<4 {
        do throws(StoreError) { try store.set("large.\(thread).\(round)", to: .string(text), in: .user) } catch {
          findings.add(error.message)
        }
      }
    }
    #expect(findings.all == [])
    #expect(try store.list("large.**").items.count == 24)
  }
}

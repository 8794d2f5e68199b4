import CSystem
import Testing

@testable import Livery

/// Who may write, among threads and processes, and what those are told who may not.
@Suite(.onDisk) struct WriterGateTests {
  let temporary = TemporaryStore()

  private func busy(_ store: Store) -> StoreError? {
    do throws(StoreError) { try store.set("a", to: .int(1), in: .user) } catch { return error }
    return nil
  }

  @Test func aWriterStuckInAnotherThreadMakesCommitsBusyAndNotHang() throws {
    let store = try temporary.open { $0.busyTimeout = .milliseconds(50) }
    try store.shared.gate.whileWriting(timeout: 50) { () throws(StoreError) in
      let findings = Findings()
      let start = lvs_monotonic_ns()
      inThreads(2) { _ in findings.add("\(busy(store)?.code.description ?? "none")") }
      #expect(findings.all == ["LIVERY_ERROR_BUSY"])
      #expect(lvs_monotonic_ns() - start >= 50_000_000)
      // Reads do not wait.
      #expect(code { () throws(StoreError) in _ = try store.revision() } == nil)
    }
    #expect(busy(store) == nil)
  }

  /// What is left of a timeout when the gate is reached is not rounded down.
  @Test func aTimeoutLastsAsLongAsItSays() throws {
    let store = try temporary.open { $0.busyTimeout = .milliseconds(2) }
    let child = Child.holding(byte: 0, of: temporary.path)
    #expect(child.line() == "held")
    for _ in 0..<10 {
      let start = lvs_monotonic_ns()
      #expect(busy(store)?.code == .busy)
      #expect(lvs_monotonic_ns() - start >= 2_000_000)
    }
    child.finish()
  }

  @Test func aWriterStuckInAnotherProcessIsNamed() throws {
    let store = try temporary.open { $0.busyTimeout = .milliseconds(50) }
    let child = Child.holding(byte: 0, of: temporary.path)
    #expect(child.line() == "held")
    let error = busy(store)
    #expect(error?.code == .busy)
    #expect(error.map { contains($0.message, "process \(child.process)") } == true)
    #expect(code { () throws(StoreError) in _ = try store.value("a") } == .notFound)
    child.finish()
    #expect(busy(store) == nil)
  }

  /// So that a process which writes all the time does not keep others out.
  @Test func whoWaitsForItsTurnIsNotOvertaken() throws {
    let store = try temporary.open { $0.busyTimeout = .milliseconds(50) }
    let child = Child.holding(byte: 3, of: temporary.path)
    #expect(child.line() == "held")
    #expect(busy(store)?.code == .busy)
    child.finish()
    #expect(busy(store) == nil)
    // The turn is given on as soon as one writes.
    try store.shared.gate.whileWriting(timeout: 50) { () throws(StoreError) in
      let next = Child.holding(byte: 3, of: temporary.path)
      #expect(next.line() == "held")
      next.finish()
    }
  }

  @Test func aStuckOpenerMakesOpeningBusy() throws {
    _ = try temporary.open()
    let child = Child.holding(byte: 1, of: temporary.path)
    #expect(child.line() == "held")
    #expect(code { () throws(StoreError) in _ = try temporary.open { $0.busyTimeout = .milliseconds(50) } } == .busy)
    child.finish()
    _ = try temporary.open { $0.busyTimeout = .milliseconds(50) }
  }

  /// Only who opens a store waits for those that open the same.
  @Test func anOpeningThatIsStuckKeepsNobodyFromSnapshotsAndHandlesOfAnotherStore() throws {
    let other = TemporaryStore()
    let store = try other.open()
    let second = try other.open()
    _ = try temporary.open()
    let child = Child.holding(byte: 1, of: temporary.path)
    #expect(child.line() == "held")
    inThreads(2) { index in
      if index == 0 {
        #expect(
          code { () throws(StoreError) in _ = try temporary.open { $0.busyTimeout = .milliseconds(2000) } } == .busy)
        return
      }
      lvs_sleep_us(300_000)
      let start = lvs_monotonic_ns()
      #expect(code { () throws(StoreError) in try store.snapshot().close() } == nil)
      second.close()
      store.close()
      #expect(lvs_monotonic_ns() - start < 1_000_000_000)
    }
    child.finish()
  }

  @Test func aCommitWaitsForAWriterThatFinishesInTime() throws {
    let store = try temporary.open()
    let child = Child.holding(byte: 0, of: temporary.path)
    #expect(child.line() == "held")
    inThreads(2) { index in
      if index == 0 {
        lvs_sleep_us(30_000)
        child.finish()
      } else {
        #expect(busy(store) == nil)
      }
    }
    #expect(try store.int("a") == 1)
  }

  /// The kernel drops all locks that a process has on a file when it closes any descriptor of that file.
  @Test func lettingGoOfAClosedHandleKeepsTheLockOfALaterOne() throws {
    var first: Store? = try temporary.open()
    first?.close()
    let second = try temporary.open()
    try second.shared.gate.whileWriting(timeout: 1000) { () throws(StoreError) in
      first = nil
      #expect(Child.holding(byte: 0, of: temporary.path).line() == "refused")
    }
    #expect(Child.holding(byte: 0, of: temporary.path).line() == "held")
    withExtendedLifetime(first) {}
  }
}

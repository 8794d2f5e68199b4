import Testing

@testable import Livery

/// What a store believes of a clock that somebody sets.
@Suite struct ClockTests {
  private let second: Int64 = 1_000_000
  private let hour: Int64 = 3_600_000_000
  private let day: Int64 = 86_400_000_000
  /// A moment of 2026, and how long the system ran then.
  private let start: Int64 = 1_780_000_000_000_000
  private let up: Int64 = 5_000_000_000

  private func judge(
    _ relation: inout ClockRelation, _ clock: Int64, _ boottime: Int64, boot: UInt64 = 7, last: Int64? = nil
  ) -> ClockRelation.Verdict {
    relation.judge(clock, boottime: boottime, boot: boot) { last }
  }

  /// The clock has been right for an hour.
  private func established() -> ClockRelation {
    var relation = ClockRelation()
    #expect(judge(&relation, start - hour, up - hour) == .trusted)
    #expect(judge(&relation, start, up) == .trusted)
    return relation
  }

  @Test func aClockThatRunsIsBelieved() {
    var relation = ClockRelation()
    for elapsed in [0, 1, 3600, 86_400, 200 * 86_400] as [Int64] {
      #expect(judge(&relation, start + elapsed * second, up + elapsed * second, last: start) == .trusted)
    }
  }

  @Test func driftIsFollowed() {
    var relation = ClockRelation()
    for day in 0..<1000 as Range<Int64> {
      let elapsed = day * self.day
      #expect(judge(&relation, start + elapsed + day * 40 * second, up + elapsed) == .trusted)
    }
  }

  @Test func aClockThatWasSetIsDoubtedForAnHour() {
    var relation = established()
    let ahead = start + 100 * day
    #expect(judge(&relation, ahead, up) == .doubtful(by: 100 * day, isNew: true))
    #expect(relation.isDoubtful(ahead, boottime: up, boot: 7))
    #expect(judge(&relation, ahead + hour - second, up + hour - second) == .doubtful(by: 100 * day, isNew: false))
    #expect(!relation.isDoubtful(ahead + hour, boottime: up + hour, boot: 7))
    #expect(judge(&relation, ahead + hour, up + hour) == .trusted)
    #expect(judge(&relation, ahead + hour, up + hour) == .trusted)
    // Back is as far as there.
    #expect(judge(&relation, start + hour, up + hour) == .doubtful(by: -100 * day, isNew: true))
  }

  @Test func aClockThatWasSetRightIsBelievedAtOnce() {
    var relation = established()
    #expect(judge(&relation, start + day, up) == .doubtful(by: day, isNew: true))
    #expect(judge(&relation, start + 2 * day, up) == .doubtful(by: 2 * day, isNew: false))
    #expect(judge(&relation, start + second, up + second) == .trusted)
    #expect(judge(&relation, start + day, up) == .doubtful(by: day, isNew: true))
  }

  @Test func nothingComesBackToWhatANewStoreFound() {
    var relation = ClockRelation()
    let ahead = start + 8000 * 365 * day
    #expect(judge(&relation, ahead, up) == .trusted)
    #expect(judge(&relation, start + second, up + second, last: ahead) != .trusted)
    #expect(judge(&relation, ahead + 2 * second, up + 2 * second, last: start) != .trusted)
    #expect(judge(&relation, start + 10 * day, up + 3 * second, last: start) != .trusted)
    #expect(judge(&relation, start, up + hour, last: start) != .trusted)
    #expect(judge(&relation, start + hour, up + 2 * hour, last: start) == .trusted)
    // This has been seen to hold.
    #expect(judge(&relation, ahead, up + 2 * hour, last: start) != .trusted)
    #expect(judge(&relation, start + hour, up + 2 * hour, last: start) == .trusted)
  }

  @Test func afterAStartTheLastCommitTells() {
    func verdict(_ clock: Int64) -> ClockRelation.Verdict {
      var relation = ClockRelation()
      _ = judge(&relation, start, up)
      return judge(&relation, clock, 5 * second, boot: 8, last: start)
    }
    #expect(verdict(start) == .trusted)
    #expect(verdict(start + 29 * day) == .trusted)
    #expect(verdict(start - 30 * second) == .trusted)
    #expect(verdict(start + 31 * day) == .doubtful(by: 31 * day, isNew: true))
    #expect(verdict(start - hour) == .doubtful(by: -hour, isNew: true))
    #expect(verdict(100 * second) == .doubtful(by: 100 * second - start, isNew: true))
  }

  @Test func aClockThatIsSetSoonAfterTheStartIsBelievedIfItFits() {
    var relation = ClockRelation()
    #expect(judge(&relation, 100 * second, 5 * second, boot: 8, last: start) != .trusted)
    #expect(judge(&relation, 101 * second, 6 * second, boot: 8, last: start) != .trusted)
    #expect(judge(&relation, start + hour, 9 * second, boot: 8, last: start) == .trusted)
  }

  @Test func whateverTheSharedPageHoldsTheDoubtEnds() {
    var generator = SeededGenerator(state: 3)
    for _ in 0..<1000 {
      func any() -> Int64 {
        let bits = Int64(bitPattern: generator.next())
        return Bool.random(using: &generator) ? bits : bits % (400 * day)
      }
      var relation = ClockRelation(boot: 7, trusted: any(), candidate: any(), since: any())
      _ = judge(&relation, start, up)
      #expect(judge(&relation, start + hour + second, up + hour + second) == .trusted)
    }
  }
}

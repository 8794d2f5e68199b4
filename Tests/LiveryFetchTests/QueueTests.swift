import CFetch
import Glibc
import Synchronization
import Testing

@testable import LiveryFetch

@Suite struct QueueTests {
  /// Whoever is telling for one store may close another: it waits for that one's own.
  @Test func waitingIsForThoseWhomOtherThreadsTell() throws {
    let (one, other) = (try Queue.make(), try Queue.make())
    let isTold = Atomic<Bool>(false)
    one.count(LVF_OUTCOME, 1)
    one.calling(LVF_OUTCOME) {
      other.count(LVF_OUTCOME, 1)
      other.run {
        other.calling(LVF_OUTCOME) {
          usleep(100_000)
          isTold.store(true, ordering: .sequentiallyConsistent)
        }
        other.count(LVF_OUTCOME, -1)
      }
      other.wait(for: LVF_OUTCOME)
      let wasTold = isTold.load(ordering: .sequentiallyConsistent)
      #expect(wasTold)
      // It does not wait for itself.
      one.wait(for: LVF_OUTCOME)
      // What is of another kind is not waited for.
      other.count(LVF_CALL, 1)
      other.wait(for: LVF_OUTCOME)
    }
    one.end()
    other.end()
  }
}

import CClient
import Glibc
import Synchronization
import Testing

@testable import LiveryClient

@Suite struct QueueTests {
  /// Whoever is telling for one store may close another: it waits for that one's own.
  @Test func waitingIsForThoseWhomOtherThreadsTell() throws {
    let (one, other) = (try Queue.make("livery-test"), try Queue.make("livery-test"))
    let isTold = Atomic<Bool>(false)
    one.count(LVC_OUTCOME, 1)
    one.calling(LVC_OUTCOME) {
      other.count(LVC_OUTCOME, 1)
      other.run {
        other.calling(LVC_OUTCOME) {
          usleep(100_000)
          isTold.store(true, ordering: .sequentiallyConsistent)
        }
        other.count(LVC_OUTCOME, -1)
      }
      other.wait(for: LVC_OUTCOME)
      let wasTold = isTold.load(ordering: .sequentiallyConsistent)
      #expect(wasTold)
      // It does not wait for itself.
      one.wait(for: LVC_OUTCOME)
      // What is of another kind is not waited for.
      other.count(LVC_CALL, 1)
      other.wait(for: LVC_OUTCOME)
    }
    one.end()
    other.end()
  }
}

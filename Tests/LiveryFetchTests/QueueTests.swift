import Glibc
import Synchronization
import Testing

@testable import LiveryFetch

@Suite struct QueueTests {
  /// Whoever is telling for one store may close another: it waits for that one's own.
  @Test func theEndWaitsForWhoIsTellingOnOtherThreads() throws {
    let (one, other) = (try Queue.make(), try Queue.make())
    let isTelling = Atomic<Bool>(false)
    let isTold = Atomic<Bool>(false)
    one.telling {
      other.run {
        other.telling {
          isTelling.store(true, ordering: .sequentiallyConsistent)
          usleep(100_000)
          isTold.store(true, ordering: .sequentiallyConsistent)
        }
      }
      while !isTelling.load(ordering: .sequentiallyConsistent) { usleep(1_000) }
      other.end()
      let wasTold = isTold.load(ordering: .sequentiallyConsistent)
      #expect(wasTold)
      // It does not wait for itself.
      one.end()
    }
  }
}

import CSystem
import Livery
import Testing

/// A map that has to grow under transactions that are held is opened anew, by whichever thread comes first.
@Suite struct GrowthTests {
  /// Small stores outgrow their maps again and again under snapshots that are held for a moment: whoever meets it goes on with
  /// what another thread has opened, and nobody is refused.
  @Test func everyThreadGoesOnWhenAnyOfThemOpensTheGrownFile() throws {
    let findings = Findings()
    let end = lvs_monotonic_ns() + 2_000_000_000
    repeat {
      let temporary = TemporaryStore()
      let store = try temporary.open { $0.mapSize = 1 << 20 }
      try store.set("small", to: .int(0), in: .user)
      inThreads(12) { index in
        for round in 0..<(index < 4 ? 8 : 200) {
          do throws(StoreError) {
            switch index {
            case 0, 1:
              try store.set("large.\(index).\(round)", to: .data([UInt8](repeating: 1, count: 1_000_000)), in: .bundle)
            case 2, 3: try store.set("small", to: .int(Int64(round)), in: .user)
            case 4..<9:
              let snapshot = try store.snapshot()
              _ = try snapshot.value("small")
              snapshot.close()
            default: _ = try store.list("small")
            }
          } catch { findings.add("thread \(index): \(error.code): \(error.message)") }
        }
      }
      store.close()
    } while lvs_monotonic_ns() < end
    #expect(findings.all == [])
  }
}

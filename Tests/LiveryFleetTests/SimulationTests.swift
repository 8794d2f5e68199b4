import FleetSimulation
import Foundation
import Testing

/// Devices in hard times: loss, caches and brokers that lie, wrong clocks, weeks without a network, full disks, power cuts, keys
/// that are exchanged. `LIVERY_FLEET_DEVICES` is how many.
@Suite struct SimulationTests {
  @Test func allAreRightOnceAllIsWellAgain() throws {
    let environment = ProcessInfo.processInfo.environment
    let devices = environment["LIVERY_FLEET_DEVICES"].flatMap { Int($0) } ?? 4
    let seed = environment["LIVERY_SEED"].flatMap { UInt64($0) } ?? 1
    let world = try World(seed: seed, days: 8)
    var total = Outcome()
    for number in 0..<devices { total += try world.live(number) }
    #expect(total.problems == [], "LIVERY_SEED=\(seed)")
    #expect(total.commits > devices && total.restarts > 0 && total.unchanged > 0 && total.reports > devices)
  }
}

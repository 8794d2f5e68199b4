import LiveryClient
import LiveryFleet
import Testing

/// When a device wants to be woken.
@Suite struct WakeTests {
  /// A tick for each millisecond would be a processor that never rests.
  @Test func aDeviceThatWaitsForAnAnswerIsLeftAlone() throws {
    let configuration = Device.Configuration(fleet: "kiosks", device: Array(0..<32))
    var device = Device(configuration, fingerprint: Crypto.hash([]), seed: 1)
    let world = Device.World(hasAsset: { _ in false }, offset: { _ in 0 }, schema: 1)
    _ = device.handle(.boot, at: Device.Moment(uptime: 0, clock: 1_780_000_000), world)
    // Both what it asks and what it has to tell are due; it has no keys, and nobody answers.
    for uptime: Int64 in [10_000, 10_001, 20_000] {
      let effects = device.handle(.tick, at: Device.Moment(uptime: uptime, clock: 1_780_000_010), world)
      let wakes = effects.compactMap { (effect) -> Int64? in if case .wake(let wake) = effect { wake } else { nil } }
      #expect(wakes.count == 1 && wakes[0] >= uptime + 60_000)
    }
  }
}

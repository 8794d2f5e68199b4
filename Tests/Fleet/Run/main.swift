import FleetSimulation
import Foundation

// fleet-simulation [DEVICES [DAYS [SEED]]]
//
// Lets devices of a fleet live through hard times in virtual time, and ends with a line of figures. A device that fares ill is
// told of, with what repeats it.

let numbers = CommandLine.arguments.dropFirst().compactMap { Int64($0) }
let devices = numbers.first ?? 1000
let days = numbers.dropFirst().first ?? 30
let seed = UInt64(numbers.dropFirst(2).first ?? 1)
let begun = Date()
var total = Outcome()
let world = try World(seed: seed, days: days)
// One device alone, as told of one that fared ill.
let only = ProcessInfo.processInfo.environment["LIVERY_FLEET_DEVICE"].flatMap { Int($0) }
for number in only.map({ $0..<$0 + 1 }) ?? 0..<Int(devices) {
  let outcome = try world.live(number)
  for problem in outcome.problems {
    print("\(problem)\n  again: LIVERY_FLEET_DEVICE=\(number) fleet-simulation \(devices) \(days) \(seed)")
  }
  total += outcome
}
let seconds = Date().timeIntervalSince(begun)
print(
  "devices \(devices), days \(days), seed \(seed): \(total.problems.count) problems; \(total.requests) requests, "
    + "\(total.unchanged) of them unchanged, \(total.commits) commits, \(total.reports) reports, "
    + "\(total.restarts) restarts; \(Int(seconds)) s")
exit(total.problems.isEmpty ? 0 : 1)

import LiverySimulator
import Testing

/// Fleets in virtual time: nothing is lost, stale for ever, half, undecided, unsigned, older or spread, and what is broken on purpose
/// is found.
@Suite struct FleetTests {
  private func summary(_ devices: Int, seed: UInt64, days: Int = 30, _ fault: Options.Fault? = nil) async throws
    -> Summary
  {
    var options = Options()
    options.devices = devices
    options.seed = seed
    options.days = days
    options.fault = fault
    return try await Fleet(options).run { _ in }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func nothingGoesWrong(_ seed: UInt64) async throws {
    let summary = try await summary(40, seed: seed)
    #expect(summary.wrongs == 0, "\(summary.lines.joined(separator: "\n"))")
    #expect(summary.devices == 40 && summary.checks >= 40 && summary.commits > 80 && summary.hostileAnswers > 40)
  }

  @Test func theSameSeedGivesTheSameFleet() async throws {
    let (one, other) = (try await summary(10, seed: 9, days: 12), try await summary(10, seed: 9, days: 12))
    #expect(one.lines == other.lines)
    let another = try await summary(10, seed: 10, days: 12)
    #expect(another.lines != one.lines)
  }

  @Test(arguments: Options.Fault.allCases) func aFaultIsFound(_ fault: Options.Fault) async throws {
    let found: [String] =
      switch fault {
      case .floors: ["older"]
      case .half, .torn: ["half"]
      case .unsigned: ["unsigned"]
      case .owned: ["lost", "half"]
      case .reports: ["undecided"]
      case .asleep: ["stale"]
      case .dropped: ["older", "half", "lost"]
      case .console: ["spread"]
      }
    // Of a small fleet some have no occasion for a fault.
    let seed: UInt64 =
      switch fault {
      case .floors, .console: 1
      case .dropped: 3
      case .unsigned: 5
      default: 2
      }
    let summary = try await summary(40, seed: seed, fault)
    #expect(!Set(summary.kinds).isDisjoint(with: found), "\(summary.lines.joined(separator: "\n"))")
  }

  @Test func optionsThatAreNoneAreRefused() {
    #expect(
      Options(["--devices", "x"]) == nil && Options(["--days", "1"]) == nil && Options(["--broken", "no"]) == nil)
    #expect(Options(["--from", "1000"]) == nil && Options(["--seed"]) == nil && Options(["--what", "1"]) == nil)
    #expect(Options(["--devices", "20", "--from", "19", "--count", "5"])?.count == 1)
  }
}

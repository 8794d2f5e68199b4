import Foundation
import LiverySimulator
import Testing

/// Fleets in virtual time: nothing is lost, stale for ever, half, undecided, unsigned, older or spread, and what is broken on purpose
/// is found.
@Suite struct FleetTests {
  private func summary(
    _ devices: Int, seed: UInt64, days: Int = 30, _ fault: Options.Fault? = nil, hasTrials: Bool = false
  ) async throws -> Summary {
    var options = Options()
    options.devices = devices
    options.seed = seed
    options.days = days
    options.fault = fault
    options.hasTrials = hasTrials
    return try await Fleet(options).run { _ in }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func nothingGoesWrong(_ seed: UInt64) async throws {
    let summary = try await summary(40, seed: seed)
    #expect(summary.wrongs == 0, "\(summary.lines.joined(separator: "\n"))")
    #expect(summary.devices == 40 && summary.checks >= 40 && summary.commits > 80 && summary.hostileAnswers > 40)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func whatIsOnTrialStaysOrGoesBack(_ seed: UInt64) async throws {
    let summary = try await summary(40, seed: seed, hasTrials: true)
    #expect(summary.wrongs == 0, "\(summary.lines.joined(separator: "\n"))")
    #expect(
      summary.trialsConfirmed > 100 && summary.trialsGoneBack > 3 && summary.trialsCut > 5,
      "\(summary.lines.joined(separator: "\n"))")
  }

  @Test func theSameSeedGivesTheSameFleet() async throws {
    let (one, other) = (try await summary(10, seed: 9, days: 12), try await summary(10, seed: 9, days: 12))
    #expect(one.lines == other.lines)
    let another = try await summary(10, seed: 10, days: 12)
    #expect(another.lines != one.lines)
  }

  private func options(_ fault: Options.Fault? = nil) -> Options {
    var options = Options()
    (options.devices, options.guides, options.batch) = (34, 10, 4)
    (options.days, options.seed, options.fault) = (14, 4, fault)
    return options
  }

  /// Runs something with a folder that is gone afterwards.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("livery-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
  }

  @Test(arguments: [nil, .half] as [Options.Fault?]) func partsOfAFleetAddUpToAllOfIt(
    _ fault: Options.Fault?
  ) async throws {
    var options = options(fault)
    let whole = try await Fleet(options).run { _ in }
    #expect((whole.wrongs > 0) == (fault != nil))
    try await withFolder { (folder) in
      options.folder = folder
      for (first, count, threads) in [(18, 16, 2), (10, 8, 1)] {
        (options.first, options.count, options.threads) = (first, count, threads)
        let part = try await Fleet(options).run { _ in }
        #expect(part.devices == count)
      }
      let parts = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(parts.count == 6)
      (options.first, options.count) = (nil, nil)
      // Nothing is done twice: one part that says something else shows.
      #expect(try await Fleet(options).run { _ in }.lines == whole.lines)
      try FileManager.default.removeItem(atPath: "\(folder)/10-14.cbor")
      #expect(try await Fleet(options).run { _ in }.lines == whole.lines)
      try FileManager.default.removeItem(atPath: "\(folder)/14-18.cbor")
      try FileManager.default.copyItem(atPath: "\(folder)/10-14.cbor", toPath: "\(folder)/14-18.cbor")
      #expect(try await Fleet(options).run { _ in }.lines != whole.lines)
    }
  }

  @Test func whatIsOfAnotherFleetIsNotAddedToIt() async throws {
    try await withFolder { (folder) in
      var options = options()
      options.folder = folder
      _ = try await Fleet(options).run { _ in }
      for change in [{ $0.seed = 5 }, { $0.days = 15 }, { $0.fault = .half }]
        as [(inout Options) -> Void]
      {
        var other = options
        change(&other)
        (other.first, other.count) = (10, 4)
        await #expect(throws: (any Error).self) { _ = try await Fleet(other).run { _ in } }
      }
      try "damaged".write(toFile: "\(folder)/10-14.cbor", atomically: true, encoding: .utf8)
      await #expect(throws: (any Error).self) { _ = try await Fleet(options).run { _ in } }
      options.folder = folder + "/none"
      await #expect(throws: (any Error).self) { _ = try await Fleet(options).run { _ in } }
    }
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
      case .trial: ["half"]
      }
    // Of a small fleet some have no occasion for a fault.
    let seed: UInt64 =
      switch fault {
      case .unsigned, .console, .trial: 1
      case .floors: 5
      case .dropped: 3
      default: 2
      }
    let summary = try await summary(40, seed: seed, fault, hasTrials: fault == .trial)
    #expect(!Set(summary.kinds).isDisjoint(with: found), "\(summary.lines.joined(separator: "\n"))")
  }

  @Test func optionsThatAreNoneAreRefused() {
    #expect(
      Options(["--devices", "x"]) == nil && Options(["--days", "1"]) == nil && Options(["--broken", "no"]) == nil)
    #expect(Options(["--from", "1000"]) == nil && Options(["--seed"]) == nil && Options(["--what", "1"]) == nil)
    #expect(Options(["--devices", "20", "--from", "19", "--count", "5"])?.count == 1)
  }
}

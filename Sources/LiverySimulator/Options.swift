/// What is simulated.
public struct Options: Sendable {
  /// A fault that is planted, which has to be found.
  public enum Fault: String, Sendable, CaseIterable {
    /// Versions that were seen are forgotten at each start.
    case floors
    /// The first half of a change is made, and said to be all of it.
    case half
    /// What the device keeps is written before the values that follow from it, and not with them.
    case torn
    /// Every signature is right.
    case unsigned
    /// What was made active once is forgotten at each start.
    case owned
    /// Reports that got lost count as arrived.
    case reports
    /// After three days without a network nobody wakes the device any more.
    case asleep
    /// What could not be kept on a full disk is not kept later either.
    case dropped
    /// The console does not stop what fails.
    case console
    /// Of what is on trial half goes back when the system starts anew; with `trials`.
    case trial
  }

  public var devices = 1000
  public var days = 30
  public var seed: UInt64 = 1
  /// The first device, and how many from there on, beside those that the console goes by; all if nil.
  public var first: Int?
  public var count: Int?
  public var fault: Fault?
  /// Whether documents are on trial, too.
  public var hasTrials = false
  /// Whether each step of the devices is told; with `first`.
  public var tells = false
  /// How many devices are simulated side by side.
  public var threads = 2
  /// By how many devices the console goes, the first ones.
  public var guides = 2000
  /// How many devices are simulated one after another before it is kept and told how far it is.
  public var batch = 500
  /// Where it is kept what came of devices, so that the same can go on later; nil for nowhere.
  public var folder: String?

  public init() {}

  /// How many devices the console goes by when it raises and stops rollouts.
  var cohort: Int { min(devices, guides) }

  /// What repeats the simulation of a device.
  func command(_ device: Int) -> String {
    "livery-simulate --devices \(devices) --days \(days) --seed \(seed) --from \(device) --count 1"
      + (hasTrials ? " --trials" : "")
      + (fault.map { " --broken " + $0.rawValue } ?? "")
  }
}

extension Options {
  public static let usage = """
    usage: livery-simulate [--devices N] [--days D] [--seed S] [--from I [--count C]] [--threads T] [--tell]
                           [--trials] [--broken FAULT] [--keep FOLDER]

    Simulates a fleet in virtual time, and ends with 0 if nothing of it went wrong, with 1 if something did.

      --devices N   how many devices the fleet has (1000)
      --days D      how many virtual days pass, at least 10 (30)
      --seed S      what chance is drawn from: the same seed gives the same fleet (1)
      --from I      looks at device I alone, after those that the console goes by
      --count C     looks at so many from there on (1)
      --threads T   how many devices are simulated side by side (2)
      --keep FOLDER keeps there what came of devices, every 500 of them: once it was ended, the same goes on there
      --trials      has documents on trial, and devices cut off meanwhile
      --tell        tells what the devices of --from do
      --broken F    plants a fault, which has to be found:
                    \(Fault.allCases.map { $0.rawValue }.joined(separator: ", "))

    """

  /// Options as the command has them; nil if they are wrong.
  public init?(_ arguments: some Sequence<String>) {
    var left = arguments.makeIterator()
    while let name = left.next() {
      switch name {
      case "--tell":
        tells = true
        continue
      case "--trials":
        hasTrials = true
        continue
      default: break
      }
      guard let text = left.next() else { return nil }
      if name == "--keep" {
        folder = text
        continue
      }
      if name == "--broken" {
        guard let fault = Fault(rawValue: text) else { return nil }
        self.fault = fault
        continue
      }
      guard let number = UInt64(text), let small = Int(exactly: number), small <= 100_000_000 || name == "--seed" else {
        return nil
      }
      switch name {
      case "--devices" where small >= 1: devices = small
      case "--days" where (10...3650).contains(small): days = small
      case "--seed": seed = number
      case "--from": first = small
      case "--count" where small >= 1: count = small
      case "--threads" where (1...64).contains(small): threads = small
      default: return nil
      }
    }
    if let first {
      guard first < devices else { return nil }
      count = min(count ?? 1, devices - first)
    }
  }
}

import LiveryFleet

/// What is decided before anything happens.
struct Plan: Sendable {
  static let fleetName = "simulated"
  static let groups = 8
  /// No manifest is ever published of the last one.
  static let unpublished = groups - 1
  /// The channel, as `History` counts them, that says what the second schema does not take, from a time on to the end.
  static let blundering = groups - 2
  static func groupName(_ number: Int) -> String { "g" + number.description }

  /// How often the console looks at reports and acts.
  static let step = 6 * Time.hour
  /// How often devices ask, in seconds.
  static let interval: Int64 = 12 * 3600
  /// How long all is well before a device is looked at: longer than any device waits for anything.
  static let calm = 48 * Time.hour
  /// What was published so long ago has to have arrived by the end of that: servers may ask devices to wait for a day.
  static let bound = 40 * Time.hour

  let seed: UInt64
  let hasTrials: Bool
  let end: Time
  /// When the signing keys are exchanged, and when the roots.
  let rotations: [Time]
  let blunder: Time
  /// As the fleet is enrolled, and after each rotation.
  let publishers: [Publisher]
  let keyFiles: [[UInt8]]

  init(_ options: Options) throws(FleetError) {
    seed = options.seed
    hasTrials = options.hasTrials
    end = Time(options.days) * .day
    blunder = Self.onStep(end * 3 / 4)
    rotations = [Self.onStep(end * 2 / 5), Self.onStep(end * 7 / 10)]
    var publisher = Publisher(
      fleet: Self.fleetName, roots: try Self.keys("root-1", seed), signers: try Self.keys("signer-1", seed),
      now: Time(0).clock)
    // A device that was away for weeks finds what holds; its own channel is published for the whole time.
    publisher.lifetime = 10 * 86_400
    var (publishers, files) = ([publisher], [try Self.file(publisher.keyFiles())])
    var changed = try publisher.rotate(signers: Self.keys("signer-2", seed), now: rotations[0].clock)
    publishers.append(publisher)
    files.append(try Self.file(changed))
    changed = try publisher.rotate(
      signers: Self.keys("signer-3", seed), roots: Self.keys("root-2", seed), now: rotations[1].clock)
    publishers.append(publisher)
    files.append(try Self.file(changed))
    self.publishers = publishers
    keyFiles = files
  }

  /// How many rotations there were.
  func rotated(at time: Time) -> Int { rotations.filter { $0 <= time }.count }

  /// The publisher of a device's channel, which holds for the whole time.
  func devicePublisher(at time: Time) -> Publisher {
    var publisher = publishers[rotated(at: time)]
    publisher.lifetime = (end + 60 * .day) / .second
    return publisher
  }

  /// The trial of a document that is one of the fleet, or of a device's own; drawn by itself, so that nothing else is drawn otherwise.
  func trial(_ number: UInt64, of device: UInt64 = .max, isRollout: Bool = false) -> Document.Trial? {
    guard hasTrials else { return nil }
    var dice = Dice(seed, 3, device, number)
    guard dice.chance(0.4) else { return nil }
    let seconds = dice.number(in: 60...7200)
    // What fails on some devices for no reason of the document's would stop each rollout.
    let check = dice.chance(0.3) ? nil : isRollout ? 0 : dice.below(Facts.Check.count)
    return Document.Trial(seconds: seconds, check: check.map { "c" + $0.description })
  }

  static func keys(_ name: String, _ seed: UInt64) throws(FleetError) -> [SigningKey] {
    guard let key = SigningKey.make(seed: Crypto.hash(Array("livery simulated \(name) \(seed)".utf8))) else {
      throw FleetError(.unavailable, "libsodium does not work")
    }
    return [key]
  }

  private static func onStep(_ time: Time) -> Time { time / step * step }

  private static func file(_ files: [Publisher.File]) throws(FleetError) -> [UInt8] {
    guard let file = files.first else { throw FleetError(.unavailable, "there are no key documents") }
    return file.bytes
  }
}

/// When a rollout rises and when it stops.
enum Rule {
  enum Decision: Sendable { case wait, raise, stop }

  /// Hundredths of a percent; the last step is all devices.
  static let shares: [Int64] = [500, 2500]
  /// How long a step takes at least.
  static let pause = Time.day

  static func decide(_ tally: Tally, since: Time) -> Decision {
    if tally.failed >= 1, tally.failed * 50 > tally.told { return .stop }
    // Half of them, or those with one schema, might all be those whom it does no harm.
    let isEnough = tally.told >= max(3, tally.expected * 9 / 10) && tally.schemasTold == tally.schemas
    return since >= pause && isEnough ? .raise : .wait
  }

  /// What draws the devices of a rollout: those of its first step have all the schemas that devices have, if that can be.
  ///
  /// - Parameters:
  ///   - first: what is tried first.
  ///   - devices: the devices that the console goes by, by the versions of their schemas.
  static func salt(_ first: [UInt8], among devices: [Int64: [String]]) -> [UInt8] {
    func covered(_ salt: [UInt8]) -> Int {
      let rollout = Rollout(share: shares[0], salt: salt)
      return devices.values.count { (ids) in ids.contains { rollout.includes($0) } }
    }
    var best = (salt: first, covered: covered(first))
    var dice = Dice(first.reduce(0) { $0 << 8 | UInt64($1) })
    for _ in 0..<1000 where best.covered < devices.count {
      let salt = dice.bytes(8)
      let covered = covered(salt)
      if covered > best.covered { best = (salt, covered) }
    }
    return best.salt
  }
}

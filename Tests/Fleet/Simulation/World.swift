import LiveryClient
import LiveryFleet

/// What a fleet goes through, the same for each seed: publications, keys that come, go and are stolen, and the world's malice.
/// Devices do not hear of each other, so each of them lives through all of it by itself, and memory does not grow with their number.
public struct World: Sendable {
  public let seed: UInt64
  /// In milliseconds: the end of the hard times, and of the quiet ones behind them.
  public let start: Int64 = 1_780_000_000_000
  public let end: Int64
  public let quietEnd: Int64
  public let timeline: Timeline
  public let fingerprint: [UInt8]
  public let groups = ["lobby", "berlin", "night"]
  /// A value that nobody may ever see: what those sign who may not.
  public static let forged: Value = .int(666)
  static let day: Int64 = 86_400_000

  /// What a hostile server answers in place of a path, signed by somebody else.
  let forgeries: [String: [UInt8]]

  public init(seed: UInt64, days: Int64) throws {
    self.seed = seed
    end = start + days * Self.day
    quietEnd = end + 4 * Self.day
    var chance = Chance(seed)
    var publisher = Self.publisher("root", "signer 0", start / 1000)
    fingerprint = publisher.fingerprint
    var timeline = Timeline()
    timeline.put(try publisher.keyFiles(), at: start)
    var serial: Int64 = 0
    for channel in [Channel.fleet] + groups.map({ Channel.group($0) }) {
      try timeline.publish(
        channel, Self.documents(channel, &chance, &serial, now: start / 1000), by: &publisher,
        interval: channel == .fleet ? 21_600 : nil, at: start)
    }
    var time = start
    var signer = 0
    while time < end {
      time += chance.number(1...20) * 3_600_000
      switch chance.number(0...19) {
      case 0...1:
        // A key is exchanged, or was stolen and is: everything is signed anew.
        signer += 1
        timeline.put(
          try publisher.rotate(signers: [Self.key("signer \(signer)")], now: time / 1000), at: time)
        timeline.hint(publisher, at: time)
      case 2:
        timeline.put(try publisher.refresh(now: time / 1000), at: time)
      default:
        let channel = chance.happens(400) ? Channel.fleet : .group(groups[Int(chance.number(0...2))])
        try timeline.publish(
          channel, Self.documents(channel, &chance, &serial, now: time / 1000), by: &publisher,
          interval: channel == .fleet ? 21_600 : nil, at: time)
      }
    }
    // Consoles publish anew before time is over.
    timeline.put(try publisher.refresh(now: end / 1000), at: end)
    self.timeline = timeline
    var thief = Self.publisher("other root", "thief", start / 1000)
    var forgeries: [String: [UInt8]] = [:]
    for channel in [Channel.fleet] + groups.map({ Channel.group($0) }) {
      let document = Document(settings: [.init("pair.a", .enforce, Self.forged)])
      for file in try thief.publish(
        channel, documents: [(.init(hash: [], size: 0, name: "forged"), document)], now: start / 1000)
      {
        forgeries[file.path] = file.bytes
      }
    }
    for file in try thief.keyFiles() { forgeries[file.path] = file.bytes }
    self.forgeries = forgeries
  }

  static func key(_ name: String) -> SigningKey {
    let seed = Crypto.hash(Array("livery simulated key \(name)".utf8))
    guard let key = SigningKey.make(seed: seed) else { fatalError("libsodium does not work") }
    return key
  }

  static func publisher(_ root: String, _ signer: String, _ now: Int64) -> Publisher {
    var publisher = Publisher(fleet: "kiosks", roots: [key(root)], signers: [key(signer)], now: now)
    publisher.lifetime = 60 * 86_400
    return publisher
  }

  /// Documents by chance. Each has a pair of settings that are never to be seen apart.
  private static func documents(
    _ channel: Channel, _ chance: inout Chance, _ serial: inout Int64, now: Int64
  ) -> [(entry: Manifest.Entry, document: Document)] {
    var made: [(entry: Manifest.Entry, document: Document)] = []
    for number in 0..<chance.number(1...3) {
      serial += 1
      let value = Value.int(serial)
      var settings: [Document.Setting] = [
        .init("pair.\(channel.name).\(number).a", .enforce, value),
        .init("pair.\(channel.name).\(number).b", .recommend, value),
      ]
      for setting in 0..<8 where chance.happens(500) {
        let name = "setting.\(setting)"
        switch chance.number(0...3) {
        case 0: settings.append(.init(name, .recommend, value))
        case 1: settings.append(.init(name, .replace, value, serial: serial))
        case 2: settings.append(.init(name, .enforce, value))
        default: settings.append(.init(name, .release))
        }
      }
      let begins = chance.happens(200) ? now + chance.number(0...200_000) : nil
      let ends = chance.happens(200) ? (begins ?? now) + chance.number(1...400_000) : nil
      let rollout = chance.happens(300) ? Rollout(share: chance.number(0...9999), salt: [UInt8(serial & 255), 1]) : nil
      made.append(
        (
          Manifest.Entry(hash: [], size: 0, name: "document-\(number)", rollout: rollout),
          Document(
            from: begins.map { .moment($0) }, until: ends.map { .moment($0) }, settings: settings)
        ))
    }
    return made
  }
}

import LiveryClient
import LiveryFleet

/// How one device fared, and what is wrong with that.
public struct Outcome: Sendable {
  public var problems: [String] = []
  public var requests = 0
  public var unchanged = 0
  public var commits = 0
  public var reports = 0
  public var restarts = 0
  public var bytes = 0

  public init() {}

  public static func += (left: inout Outcome, right: Outcome) {
    left.problems += right.problems
    left.requests += right.requests
    left.unchanged += right.unchanged
    left.commits += right.commits
    left.reports += right.reports
    left.restarts += right.restarts
    left.bytes += right.bytes
  }
}

extension World {
  /// Lets a device live through everything, and looks how it fared.
  public func live(_ number: Int) throws -> Outcome {
    var chance = Chance(seed &+ UInt64(number) &* 7919 &+ 1)
    var outcome = Outcome()
    let key = Self.key("device \(number)")
    let device = SimulatedDevice(key, fingerprint: fingerprint, at: start, seed: chance.next())
    let id = device.device.id
    // Its channel of its own: the groups that it is in.
    let mine = groups.filter { _ in chance.happens(500) }
    let own = Channel.device(id)
    let path = "/v1/channels/\(own.name)/manifest"
    var isOnline = true
    var isQuiet = false
    let origin = try Origin(Self.publisher("root", "signer 0", start / 1000))
    device.console = { bytes in
      guard isOnline, isQuiet || !chance.happens(50) else { return nil }
      outcome.reports += 1
      let answer = origin.take(report: bytes)
      // Networks deliver twice, and lose the answer.
      if !isQuiet, chance.happens(20) { _ = origin.take(report: bytes) }
      return !isQuiet && chance.happens(30) ? nil : answer
    }
    device.network = { [unowned device] request in
      outcome.requests += 1
      guard isOnline else { return .lost }
      device.latency = chance.number(20...400)
      if !isQuiet {
        if chance.happens(50) { return .lost }
        if chance.happens(10), let forged = forgeries[request.path] {
          return .answered(Device.Answer(status: 200, body: forged, entityTag: "\"forged\""))
        }
        if chance.happens(10) { return .answered(Device.Answer(status: 503, retryAfter: chance.number(1...600))) }
        if chance.happens(10) { return .answered(Device.Answer(status: 200, body: [1, 2, 3])) }
      }
      // The own channel is signed anew whenever keys are exchanged.
      let behind = !isQuiet && !request.isFresh && chance.happens(30) ? Int(chance.number(1...5)) : 0
      let file =
        request.path == path
        ? ownManifest(own, mine, at: device.now) : timeline.file(request.path, at: device.now, behind: behind)
      guard let file else { return .answered(Device.Answer(status: 404)) }
      if request.entityTag == file.tag {
        outcome.unchanged += 1
        return .answered(Device.Answer(status: 304, entityTag: file.tag))
      }
      outcome.bytes += file.bytes.count
      return .answered(Device.Answer(status: 200, body: file.bytes, entityTag: file.tag))
    }

    if chance.happens(100) {
      device.skew = -device.clock
    } else if chance.happens(200) {
      device.skew = chance.number(-200_000...200_000)
    }
    var hint = 0
    var seen = 0
    while device.now < end {
      device.run(until: min(end, device.now + chance.number(60_000...14_400_000)))
      while hint < timeline.hints.count, timeline.hints[hint].at <= device.now {
        let told = timeline.hints[hint]
        hint += 1
        if isOnline, chance.happens(800) { device.tell(.hint(told.channel, version: told.version)) }
        if chance.happens(20) { device.tell(.hint(.fleet, version: chance.number(1...(1 << 50)))) }
      }
      switch chance.number(0...99) {
      case 0...7: isOnline.toggle()
      case 8:
        // Weeks without anything.
        isOnline = false
        device.run(until: min(end, device.now + chance.number(1...20) * Self.day))
        isOnline = true
      case 9...13:
        outcome.restarts += 1
        try device.restart()
      case 14...16: device.isFull.toggle()
      case 17...30: device.set("setting.\(chance.number(0...7))", .int(-chance.number(1...1_000_000)))
      case 31: device.skew = device.skew == 0 ? chance.number(-100_000...100_000) : 0
      default: break
      }
      if device.commits > seen {
        seen = device.commits
        look(at: device, number, "on the way", &outcome)
      }
    }
    // All is well again: within some days it is right.
    (isOnline, isQuiet, device.isFull, device.skew) = (true, true, false, 0)
    device.run(until: quietEnd)
    look(at: device, number, "at the end", &outcome)
    compare(device, mine, number, &outcome)
    if let problem = device.device.problem { outcome.problems.append("device \(number): \(problem.message)") }
    let told = origin.values[id] ?? [:]
    for (layer, values) in device.layers {
      for name in values.keys where told[name]?.value != device.value(name) {
        outcome.problems.append("device \(number): the console does not know \(name) of \(layer)")
      }
    }
    outcome.commits = device.commits
    return outcome
  }

  /// The device's manifest under the key that signs at a moment.
  private func ownManifest(_ channel: Channel, _ groups: [String], at time: Int64) -> Timeline.Version? {
    guard let bytes = timeline.file("/v1/keys/latest", at: time)?.bytes,
      let keys = try? KeyDocument.decode(Envelope.decode(bytes, as: .keys).payload)
    else { return nil }
    let manifest = Manifest(
      fleet: "kiosks", channel: channel, version: keys.version, keys: keys.version, issued: keys.issued,
      expires: keys.issued + 300 * 86_400, groups: groups)
    guard let payload = try? manifest.encoded(),
      let signed = try? Envelope(.manifest, payload, signedBy: [Self.key("signer \(keys.version - 1)")]).encoded()
    else { return nil }
    return Timeline.Version(from: 0, bytes: signed, tag: "\"own \(keys.version)\"")
  }

  /// What must never be seen.
  private func look(at device: SimulatedDevice, _ number: Int, _ when: String, _ outcome: inout Outcome) {
    for (layer, values) in device.layers {
      for (name, value) in values {
        if value == Self.forged { outcome.problems.append("device \(number): what nobody has signed holds \(when)") }
        guard layer == .enforced, name.hasPrefix("pair."), name.hasSuffix(".a") else { continue }
        if device.layers[.recommended]?[name.dropLast() + "b"] != value {
          outcome.problems.append("device \(number): half of a document holds \(when): \(name)")
        }
      }
    }
  }

  /// Compares with what documents come to, worked out in another way.
  private func compare(_ device: SimulatedDevice, _ mine: [String], _ number: Int, _ outcome: inout Outcome) {
    var wanted: [String: (Document.Verb, Value)] = [:]
    let order = [Channel.fleet] + mine.map { Channel.group($0) }
    for channel in order {
      for (entry, document) in timeline.final.first(where: { $0.channel == channel })?.documents ?? [] {
        if let rollout = entry.rollout, !rollout.includes(device.device.id) { continue }
        if case .moment(let from)? = document.from, from > quietEnd / 1000 { continue }
        if case .moment(let until)? = document.until, until <= quietEnd / 1000 { continue }
        for setting in document.settings {
          wanted[setting.name] = setting.value.map { (setting.verb, $0) }
        }
      }
    }
    for (layer, verbs) in [(Layer.enforced, [Document.Verb.enforce]), (.recommended, [.recommend, .replace])] {
      let expected = wanted.filter { verbs.contains($0.value.0) }.mapValues { $0.1 }
      let found = device.layers[layer] ?? [:]
      for (name, value) in expected where found[name] != value {
        outcome.problems.append("device \(number): \(name) of \(layer) is lost or stale")
      }
      for name in found.keys where expected[name] == nil {
        outcome.problems.append("device \(number): \(name) of \(layer) stays for ever")
      }
    }
  }
}

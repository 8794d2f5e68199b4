import LiveryClient
import LiveryFleet

/// A cache between device and origin that does what it likes: it is behind, breaks what it delivers, mixes up whom it is for, and
/// delivers what an attacker made.
struct HostileCache {
  let forger: Forger

  /// What it answers in place of the origin; nil for no answer at all.
  ///
  /// - Parameters:
  ///   - now: the present.
  ///   - knows: how many exchanges of keys the device has seen.
  func answer(
    _ request: Device.Request, _ origin: Origin, at now: Time, knows: Int, _ dice: inout Dice
  ) -> Device.Answer? {
    // Asked to look anew it does so now and then.
    if request.isFresh, dice.chance(0.3) { return origin.answer(request.path, tag: request.entityTag, at: now) }
    let place = origin.place(request.path)
    switch dice.below(14) {
    case 0...3:
      // What was there before, up to all the time that there is.
      let before = dice.chance(0.5) ? now - dice.number(in: 0...2 * .day) : dice.number(in: 0...now)
      return origin.answer(request.path, tag: request.entityTag, at: before)
    case 4:
      var answer = origin.answer(request.path, tag: nil, at: now)
      answer.body = Array(answer.body.prefix(dice.below(answer.body.count + 1)))
      return answer
    case 5:
      var answer = origin.answer(request.path, tag: nil, at: now)
      for _ in 0...dice.below(3) where !answer.body.isEmpty {
        answer.body[dice.below(answer.body.count)] ^= UInt8(1 << dice.below(8))
      }
      return answer
    case 6:
      // What was asked for by somebody else.
      return another(place, origin, at: now, &dice)
    case 7: return Device.Answer(status: 304, entityTag: request.entityTag)
    case 8: return Device.Answer(status: dice.chance(0.5) ? 404 : 500)
    case 9: return Device.Answer(status: 503, retryAfter: dice.chance(0.2) ? Int64.max : dice.number(in: -5...7200))
    case 10: return nil
    default: return forger.answer(place, request.path, origin, at: now, knows: knows, &dice)
    }
  }

  private func another(_ place: Origin.Place, _ origin: Origin, at now: Time, _ dice: inout Dice) -> Device.Answer {
    switch place {
    case .blob:
      let channel = dice.below(Plan.unpublished)
      let document = origin.manifest(.shared(channel), at: now)?.entries.first?.document
      return Device.Answer(status: 200, body: document?.bytes ?? [])
    case .keys: return origin.answer("/v1/channels/fleet/manifest", tag: nil, at: now)
    default:
      guard let manifest = origin.manifest(.shared(dice.below(Plan.unpublished)), at: now) else {
        return Device.Answer(status: 200)
      }
      return Device.Answer(status: 200, body: manifest.envelope, entityTag: manifest.tag)
    }
  }
}

/// Makes what an attacker would have devices believe. All of its documents set values that are recognized.
struct Forger: Sendable {
  /// Keys of its own.
  private let keys: [SigningKey]
  /// The signing keys of before, which were stolen after they had been exchanged.
  private let stolen: [[SigningKey]]
  private let document: PlainDocument
  private let keyDocuments: [[UInt8]]

  init(_ plan: Plan) throws(FleetError) {
    keys = try Plan.keys("attacker", plan.seed)
    stolen = [try Plan.keys("signer-1", plan.seed), try Plan.keys("signer-2", plan.seed)]
    document = try PlainDocument(
      "forged",
      (0..<Settings.count).map { .init(index: $0, verb: .enforce, value: Settings.planted + Int64($0)) })
    // Roots of its own, and none that follow from the real ones.
    let publisher = Publisher(fleet: Plan.fleetName, roots: keys, signers: keys, now: Time(0).clock)
    var forged: [[UInt8]] = []
    for version: Int64 in [1, 2, 3, 50] {
      var keys = publisher.keys
      keys.version = version
      if version > 1 { keys.former = plan.publishers[0].keys.roots }
      forged.append(try Envelope(.keys, keys.encoded(), signedBy: self.keys).encoded())
    }
    keyDocuments = forged
  }

  func answer(
    _ place: Origin.Place, _ path: String, _ origin: Origin, at now: Time, knows: Int, _ dice: inout Dice
  ) -> Device.Answer {
    switch place {
    case .keys: return Device.Answer(status: 200, body: keyDocuments[dice.below(keyDocuments.count)])
    case .blob: return Device.Answer(status: 200, body: document.bytes)
    case .nothing: return Device.Answer(status: 404)
    case .own, .shared: break
    }
    guard let real = origin.manifest(place, at: now), var manifest = try? Manifest.decode(real.payload) else {
      return Device.Answer(status: 404)
    }
    manifest.version += Int64(dice.below(3))
    manifest.issued = now.clock
    manifest.documents = [PlainManifest.Entry(document: document).entry]
    guard let payload = try? manifest.encoded() else { return Device.Answer(status: 500) }
    let envelope: [UInt8]?
    switch dice.below(3) {
    case 0:
      // A key that has been exchanged, of which the device knows that.
      let usable = stolen.prefix(knows)
      let keys = usable.isEmpty ? keys : usable[dice.below(usable.count)]
      envelope = try? Envelope(.manifest, payload, signedBy: keys).encoded()
    case 1: envelope = try? Envelope(.manifest, payload, signedBy: keys).encoded()
    default:
      // The present signer's name, and a signature that is none.
      envelope = resigned(real.envelope, payload)
    }
    return Device.Answer(status: 200, body: envelope ?? [], entityTag: real.tag)
  }

  /// An envelope with another payload beneath the signatures of before.
  private func resigned(_ envelope: [UInt8], _ payload: [UInt8]) -> [UInt8]? {
    guard let value = try? CBOR.decode(envelope), case .list(var parts) = value, parts.count == 3 else { return nil }
    parts[1] = .data(payload)
    return try? CBOR.encode(.list(parts))
  }
}

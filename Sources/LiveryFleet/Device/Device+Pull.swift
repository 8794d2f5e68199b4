import LiveryClient

/// A pull that is under way.
struct Pull: Sendable {
  enum Step: Sendable, Equatable {
    /// The latest, or one of a chain.
    case keys(version: Int64?)
    case manifest(Channel)
    case document(hash: [UInt8], size: Int64)
    case asset(hash: [UInt8], size: Int64)
  }

  /// Whether a hint is why it asks.
  let isHinted: Bool
  /// The channels that it asks for; nil for all. What is known of the others has to hold on.
  var asked: [Channel]?
  /// What is asked for now.
  var step: Step?
  /// What is asked for next whatever else is missing.
  var wanted: Step?
  /// An asset that is to be stored, and whether that was said.
  var storing: (hash: [UInt8], bytes: [UInt8], isSaid: Bool)?
  /// Whether caches are to ask anew.
  var isFresh = false
  /// What came along and is right, with its tag.
  var taken: [(manifest: VerifiedManifest, entityTag: String?, isTaken: [Bool])] = []
  /// Channels that are as they were, or are not there.
  var unchanged: [Channel] = []
  /// A manifest that waits for a key document.
  var waiting: (channel: Channel, answer: Device.Answer)?
  /// Groups without a manifest.
  var absent: [Channel] = []
  /// Key documents of a chain that were read, and whether the latest one was.
  var keySteps = 0
  var hasKeys = false
  /// Documents that are none.
  var unusable: [[UInt8]] = []
  /// The versions that hints told of meanwhile, and whether somebody wanted it to ask.
  var heard: [(channel: Channel, version: Int64)] = []
  var isWantedAgain = false

  /// The longest chain of key documents that is followed in one pull.
  static let keyStepLimit = 64

  /// Notes what a hint tells of, for each channel once.
  mutating func hear(_ channel: Channel, _ version: Int64) {
    guard let index = heard.firstIndex(where: { $0.channel == channel }) else {
      return heard.append((channel, version))
    }
    heard[index].version = max(heard[index].version, version)
  }

  /// With other keys it begins anew, and with everything: who has signed what came along may not count any more.
  mutating func forgetManifests() {
    asked = nil
    taken = []
    unchanged = []
    absent = []
    waiting = nil
  }

  func manifest(_ channel: Channel) -> Manifest? {
    taken.first { $0.manifest.manifest.channel == channel }?.manifest.manifest
  }
}

extension Device {
  /// Begins a pull that is due. A hint leads to the channels that it names, unless something of the others may be missing.
  mutating func begin(_ moment: Moment) {
    guard pulling == nil, moment.uptime >= nextAttempt else { return }
    let isHinted = moment.uptime < nextPull
    let isWhole = !isHinted || pullsCompleted == 0 || problem != nil
    pulling = Pull(isHinted: isHinted, asked: isWhole ? nil : hinted)
    (nextHinted, hinted) = (nil, [])
  }

  /// Asks for what is missing next; ends the pull if nothing is.
  mutating func advance(_ moment: Moment, _ world: World, _ effects: inout [Effect]) {
    guard var pull = pulling, pull.step == nil else { return }
    defer { if pulling != nil { pulling = pull } }
    if let storing = pull.storing {
      if !storing.isSaid { effects.append(.store(hash: storing.hash, bytes: storing.bytes)) }
      pull.storing?.bytes = []
      pull.storing?.isSaid = true
      return
    }
    guard let step = next(pull, moment, world) else { return finish(pull, moment) }
    pull.wanted = nil
    pull.step = step
    switch step {
    case .keys(let version):
      let path = "/v1/keys/" + (version?.description ?? "latest")
      effects.append(
        .request(Request(path: path, entityTag: nil, isFresh: version == nil || pull.isFresh, limit: Limit.keys)))
    case .manifest(let channel):
      effects.append(
        .request(
          Request(
            path: "/v1/channels/" + channel.name + "/manifest",
            entityTag: pull.isFresh ? nil : kept.channel(channel)?.entityTag, isFresh: pull.isFresh,
            limit: Limit.manifest)))
    case .document(let hash, let size), .asset(let hash, let size):
      effects.append(
        .request(
          Request(path: "/v1/blobs/" + hash.hexadecimal, entityTag: nil, isFresh: pull.isFresh, limit: Int(size))))
    }
  }

  private func next(_ pull: Pull, _ moment: Moment, _ world: World) -> Pull.Step? {
    if let wanted = pull.wanted { return wanted }
    if !pull.hasKeys, !kept.trust.isCurrent(moment.clock) { return .keys(version: nil) }
    func isThere(_ channel: Channel) -> Bool {
      pull.manifest(channel) != nil || pull.unchanged.contains(channel) || isLeft(channel, pull, moment)
    }
    for channel in [Channel.fleet, .device(id)] where !isThere(channel) { return .manifest(channel) }
    for name in groups(pull) where !isThere(.group(name)) { return .manifest(.group(name)) }
    let entries = entries(pull)
    // Too many are not even asked for: the pull fails.
    guard entries.count <= Limit.documentsHeld else { return nil }
    for entry in entries {
      if let held = kept.document(entry.hash) {
        for asset in held.held?.document.assets ?? [] where !world.hasAsset(asset.hash) {
          return .asset(hash: asset.hash, size: asset.size)
        }
      } else if !pull.unusable.contains(where: { $0 == entry.hash }) {
        return .document(hash: entry.hash, size: entry.size)
      }
    }
    return nil
  }

  /// Whether a channel is not asked for, since nothing was said of it and what is known of it holds on.
  private func isLeft(_ channel: Channel, _ pull: Pull, _ moment: Moment) -> Bool {
    guard let asked = pull.asked, !asked.contains(channel), let known = kept.channel(channel) else { return false }
    do throws(FleetError) {
      try kept.trust.check(unchanged: known.manifest, signedBy: known.signers, clock: moment.clock)
      if let fleet = fleet(pull) { try Trust.check(fleet, allows: known.manifest) }
      return true
    } catch {
      return false
    }
  }

  /// The fleet's manifest, as far as it is known by now.
  func fleet(_ pull: Pull) -> Manifest? { pull.manifest(.fleet) ?? kept.channel(.fleet)?.manifest }

  func groups(_ pull: Pull) -> [String] {
    (pull.manifest(.device(id)) ?? kept.channel(.device(id))?.manifest)?.groups ?? []
  }

  /// The channels that will be there once the pull ends, the weakest first.
  func channels(_ pull: Pull) -> [Kept.ChannelState] {
    var states: [Kept.ChannelState] = []
    for channel in [Channel.fleet] + groups(pull).map({ .group($0) }) + [.device(id)] {
      if pull.absent.contains(channel) { continue }
      if let taken = pull.taken.first(where: { $0.manifest.manifest.channel == channel }) {
        states.append(
          Kept.ChannelState(
            manifest: taken.manifest.manifest, payload: taken.manifest.payload, signers: taken.manifest.signers,
            entityTag: taken.entityTag, isTaken: taken.isTaken))
      } else if let known = kept.channel(channel) {
        states.append(known)
      }
    }
    return states
  }

  func entries(_ pull: Pull) -> [Manifest.Entry] { channels(pull).flatMap { $0.entries } }

  /// Which documents of a manifest are for this device, app and all: that never changes.
  func takes(_ manifest: Manifest) -> [Bool] {
    manifest.documents.map { (entry) in
      if let scope = entry.scope, configuration.scope?.sameBytes(as: scope) != true { return false }
      return entry.rollout?.includes(id) ?? true
    }
  }
}

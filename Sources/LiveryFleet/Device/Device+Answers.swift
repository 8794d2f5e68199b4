import LiveryClient

// What comes back of a pull.

extension Device {
  mutating func answered(_ answer: Answer, _ moment: Moment) {
    guard var pull = pulling, let step = pull.step else { return }
    pull.step = nil
    do throws(FleetError) {
      switch step {
      case .keys(let version): try take(keys: answer, version, &pull, moment)
      case .manifest(let channel): try take(manifest: answer, channel, &pull, moment)
      case .document(let hash, let size): try take(document: answer, hash, size, &pull)
      case .asset(let hash, let size):
        pull.storing = (hash, try answer.blob("asset", hash, size), false)
      }
      pull.isFresh = false
      pulling = pull
    } catch {
      let error = error.of(step)
      // An answer of a cache that is behind is no reason to give up.
      guard !pull.isFresh, error.reason.mayBeOfCache else { return end(error, answer.retryAfter, moment) }
      pull.isFresh = true
      if case .keys = step { pull.wanted = step }
      pulling = pull
    }
  }

  private mutating func take(
    keys answer: Answer, _ version: Int64?, _ pull: inout Pull, _ moment: Moment
  ) throws(FleetError) {
    guard answer.status != 404 else {
      throw FleetError(.keysMissing, "the server has no key document \(version?.description ?? "latest")")
    }
    switch try kept.trust.take(keys: answer.content("the key document"), version: version, clock: moment.clock) {
    case .same: if version == nil { pull.hasKeys = true }
    case .taken:
      mark(Kept.trustName)
      forgetTags()
      pull.forgetManifests()
      if version == nil { pull.hasKeys = true } else { pull.wanted = .keys(version: nil) }
    case .needsVersion(let next):
      pull.keySteps += 1
      guard pull.keySteps <= Pull.keyStepLimit else {
        throw FleetError(.tooLarge, "there are more than \(Pull.keyStepLimit) key documents to be read in turn")
      }
      pull.wanted = .keys(version: next)
    }
    guard pull.hasKeys, let waiting = pull.waiting else { return }
    pull.waiting = nil
    try take(manifest: waiting.answer, waiting.channel, &pull, moment)
  }

  /// What a key has signed that may not sign any more has to be had anew: "unchanged" is no answer to that.
  private mutating func forgetTags() {
    for index in kept.channels.indices {
      guard kept.channels[index].entityTag != nil,
        kept.channels[index].signers.contains(where: { kept.trust.keys?.signer($0) == nil })
      else { continue }
      kept.channels[index].entityTag = nil
      mark(Kept.name(of: kept.channels[index].manifest.channel))
    }
  }

  private mutating func take(
    manifest answer: Answer, _ channel: Channel, _ pull: inout Pull, _ moment: Moment
  ) throws(FleetError) {
    let fleet = fleet(pull)
    switch answer.status {
    case 304:
      guard let known = kept.channel(channel), known.entityTag != nil, !pull.isFresh else {
        throw FleetError(.malformed, "the server says that what it was not asked for is unchanged")
      }
      try kept.trust.check(unchanged: known.manifest, signedBy: known.signers, clock: moment.clock)
      if let fleet { try Trust.check(fleet, allows: known.manifest) }
      pull.unchanged.append(channel)
    case 404:
      guard case .group(let name) = channel else {
        let isOwn = channel == .device(id)
        throw FleetError(
          .unavailable,
          "there is no manifest of \(channel.name): "
            + (isOwn ? "the console does not know the device" : "nothing is published at this address"))
      }
      guard fleet?.versions.contains(where: { $0.group.sameBytes(as: name) }) != true else {
        throw FleetError(.mixed, "there is no manifest of the group \(name), and the fleet has one")
      }
      pull.unchanged.append(channel)
      pull.absent.append(channel)
    default:
      do throws(FleetError) {
        let verified = try kept.trust.verified(
          manifest: answer.content("the manifest of \(channel.name)"), for: channel, clock: moment.clock)
        if let fleet { try Trust.check(fleet, allows: verified.manifest) }
        pull.taken.append((verified, answer.keptTag, takes(verified.manifest)))
      } catch {
        // The key document comes first.
        guard error.reason == .keysMissing || error.reason == .unsigned, !pull.hasKeys else { throw error }
        pull.waiting = (channel, answer)
        pull.wanted = .keys(version: nil)
      }
    }
  }

  private mutating func take(
    document answer: Answer, _ hash: [UInt8], _ size: Int64, _ pull: inout Pull
  ) throws(FleetError) {
    let bytes = try answer.blob("document", hash, size)
    // It is kept also if it is none: asking again would bring the same.
    let held = try? HeldDocument(bytes, hash: hash)
    if kept.documents.count >= 2 * Limit.documentsHeld { dropDocuments(but: pull) }
    guard kept.documents.count < 2 * Limit.documentsHeld else {
      throw FleetError(.tooLarge, "there are more documents for this device than \(Limit.documentsHeld)")
    }
    kept.documents.append(Kept.DocumentState(hash: hash, bytes: bytes, held: held))
    mark(Kept.name(ofDocument: hash))
  }

  /// What pulls have brought that came to no end goes, but for what this one names.
  private mutating func dropDocuments(but pull: Pull) {
    let named = (entries(pull) + kept.channels.flatMap { $0.entries }).map { $0.hash }
    for document in kept.documents where !named.contains(document.hash) { mark(Kept.name(ofDocument: document.hash)) }
    kept.documents.removeAll { !named.contains($0.hash) }
  }

  mutating func stored(_ isStored: Bool, _ moment: Moment) {
    guard pulling?.storing != nil else { return }
    pulling?.storing = nil
    if !isStored { end(FleetError(.unavailable, "an asset could not be stored"), nil, moment) }
  }

  mutating func failed(_ retryAfter: Int64?, _ moment: Moment) {
    guard pulling?.step != nil else { return }
    end(FleetError(.unavailable, "the server cannot be reached"), retryAfter, moment)
  }

  /// The pull has failed; what it has brought so far is kept.
  private mutating func end(_ error: FleetError, _ retryAfter: Int64?, _ moment: Moment) {
    if pulling?.isHinted == true { emptyHints += 1 }
    pulling = nil
    let wanted = retryAfter.map { min(max($0, 0), 86_400) * 1000 }
    notBefore = moment.uptime + (wanted ?? 0)
    nextPull = moment.uptime + pullBackoff.fail(&random, wanted: wanted)
    askIfReached(moment)
    if error.reason != .unavailable {
      keepProblem(error.reason.name)
      if !isTold(error) { markReportDue() }
    }
    problem = error
  }

  private mutating func keepProblem(_ name: String?) {
    guard !name.isSame(as: kept.problem) else { return }
    kept.problem = name
    mark(Kept.stateName)
  }

  /// All is there.
  mutating func finish(_ pull: Pull, _ moment: Moment) {
    let documents = entries(pull)
    guard documents.count <= Limit.documentsHeld else {
      return end(
        FleetError(.tooLarge, "there are more documents for this device than \(Limit.documentsHeld)"), nil, moment)
    }
    let hasNews = pull.taken.contains { taken in
      kept.channel(taken.manifest.manifest.channel)?.manifest != taken.manifest.manifest
    }
    let present = channels(pull)
    for taken in pull.taken {
      kept.trust.remember(taken.manifest)
      mark(Kept.name(of: taken.manifest.manifest.channel))
    }
    for state in kept.channels where !present.contains(where: { $0.manifest.channel == state.manifest.channel }) {
      mark(Kept.name(of: state.manifest.channel))
    }
    kept.channels = present
    // Those that could not be read are written anew, or go.
    for name in kept.unread { mark(name) }
    kept.unread = []
    isSubscriptionDue = true
    for document in kept.documents where !documents.contains(where: { $0.hash == document.hash }) {
      mark(Kept.name(ofDocument: document.hash))
    }
    kept.documents.removeAll { document in !documents.contains { $0.hash == document.hash } }
    kept.sort()
    if !pull.taken.isEmpty { mark(Kept.trustName) }
    if hasNews { markReportDue() }
    if pull.isHinted { emptyHints = hasNews ? 0 : emptyHints + 1 }
    needsLook = true
    // What could not be made to hold was something else.
    if hasNews { nextChange = min(nextChange, moment.uptime) }
    pulling = nil
    problem = nil
    keepProblem(nil)
    pullsCompleted += 1
    pullBackoff.succeed()
    // What the server asked for before it could answer does not hold any more.
    notBefore = moment.uptime
    if let lastReached { self.lastReached = min(lastReached, moment.uptime + Self.reachedPause) }
    // What hints lead to does not put off that it asks for everything.
    if pull.asked == nil || nextPull > moment.uptime + interval + interval / 10 {
      nextPull = moment.uptime + interval - interval / 10 + random.number(in: 0...(interval / 5))
    }
    // What this has brought may be what the hints meant, or a device that has nothing to do with them any more.
    for heard in pull.heard where heard.version > kept.trust.version(of: heard.channel) {
      if channels.contains(heard.channel) { heedHint(heard.channel, moment) }
    }
    if pull.isWantedAgain { nextPull = moment.uptime }
    askIfReached(moment)
  }
}

extension Device.Answer {
  /// A document or an asset, as its entry tells of it.
  fileprivate func blob(_ kind: String, _ hash: [UInt8], _ size: Int64) throws(FleetError) -> [UInt8] {
    let id = hash.hexadecimal
    // What is larger than its entry says is another one.
    let bytes = isTooLarge ? [] : try content("the \(kind) \(id)")
    guard Crypto.hash(bytes) == hash else {
      throw FleetError(.wrongHash, "what came is not the \(kind) \(id) that was asked for")
    }
    guard bytes.count == size else {
      throw FleetError(.malformed, "the \(kind) \(id) has \(bytes.count) bytes, and what names it says \(size)")
    }
    return bytes
  }

  fileprivate func content(_ what: String) throws(FleetError) -> [UInt8] {
    guard status == 200 else { throw FleetError(.unavailable, "the server answered \(status) for \(what)") }
    guard !isTooLarge else { throw FleetError(.tooLarge, "the server's answer is larger than may be") }
    return body
  }

  /// The entity tag, if it is one that can be kept.
  fileprivate var keptTag: String? {
    guard let entityTag, (1...Kept.tagLimit).contains(entityTag.utf8.count) else { return nil }
    return entityTag
  }
}

extension FleetError {
  /// With what it is about, where the bytes alone do not say it.
  fileprivate func of(_ step: Pull.Step) -> FleetError {
    guard reason == .malformed || reason == .unsigned else { return self }
    switch step {
    case .keys(let version): return FleetError(reason, "key document \(version?.description ?? "latest"): \(message)")
    case .manifest(let channel): return FleetError(reason, "manifest of \(channel.name): \(message)")
    case .document, .asset: return self
    }
  }
}

extension FleetError.Reason {
  /// Whether the other end may have something better.
  fileprivate var mayBeOfCache: Bool {
    switch self {
    case .malformed, .tooLarge, .unsigned, .rollback, .equivocation, .expired, .mixed, .keysMissing, .wrongHash,
      .foreign:
      true
    case .unsupported, .unavailable: false
    }
  }
}

import LiveryClient

/// Whom a device believes, and what it has seen: what every key document and manifest is held against. A value, kept with the
/// settings that follow from it.
public struct Trust: Sendable {
  /// The highest version of a channel that a key has signed, when that was made, and the hash of its payload.
  struct Floor: Sendable, Equatable {
    var channel: String
    var key: [UInt8]
    var version: Int64
    var issued: Int64
    var hash: [UInt8]
  }

  public let fleet: String
  /// The roots that the enrollment named; their successors are found by the chain of key documents.
  public let fingerprint: [UInt8]
  public internal(set) var keys: KeyDocument?
  /// In the order of channel and key.
  var floors: [Floor] = []
  /// The last moment that has come at which a document was to begin or to end.
  var passed: Int64 = 0

  static let floorLimit = 1024

  public init(fleet: String, fingerprint: [UInt8]) {
    self.fleet = fleet
    self.fingerprint = fingerprint
  }

  /// The present moment as far as it can be known: a clock that is behind what was signed is wrong.
  public func present(_ clock: Int64) -> Int64 {
    floors.reduce(max(clock, keys?.issued ?? 0)) { max($0, $1.issued) }
  }

  /// The same for documents that begin and end. Clocks begin with 1970 where a battery is empty: as long as that is so, what has
  /// begun or ended by another clock stays so.
  public func scheduled(_ clock: Int64) -> Int64 {
    let present = present(clock)
    return present > clock ? max(present, passed) : present
  }

  /// What had come by a clock that was ahead has not, by one that is right; whether there was any of that.
  mutating func forgetPassed(_ clock: Int64) -> Bool {
    guard passed > clock, present(clock) == clock else { return false }
    passed = 0
    return true
  }

  /// A moment has come; whether that is news.
  mutating func pass(_ moment: Int64, _ clock: Int64) -> Bool {
    guard moment > passed, present(clock) == clock else { return false }
    passed = moment
    return true
  }

  /// The highest version of a channel that was taken, by keys that still count; 0 for none.
  public func version(of channel: Channel) -> Int64 {
    floors.reduce(0) { $1.channel.sameBytes(as: channel.name) ? max($0, $1.version) : $0 }
  }

  /// Whether the key document is there, and its time is not over.
  public func isCurrent(_ clock: Int64) -> Bool {
    guard let keys else { return false }
    return present(clock) < keys.expires
  }
}

extension Trust {
  /// What became of a key document.
  public enum KeysOutcome: Sendable, Equatable {
    /// It is the one that was there.
    case same
    case taken
    /// It is signed by roots that follow later ones than are known, or than the enrollment named: another version is to be read
    /// first.
    case needsVersion(Int64)
  }

  /// Takes a key document.
  ///
  /// With a signer that it does not name any more goes what that one has signed: a version however high that a stolen key gave
  /// blocks nothing.
  ///
  /// - Parameters:
  ///   - version: the one that was asked for; nil for the latest.
  ///   - clock: the device's, in seconds since 1970.
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`, `.foreign`, `.unsigned`, `.rollback`, `.equivocation`, `.expired`.
  public mutating func take(
    keys bytes: [UInt8], version: Int64? = nil, clock: Int64
  ) throws(FleetError) -> KeysOutcome {
    let envelope = try Envelope.decode(bytes, as: .keys)
    let document = try KeyDocument.decode(envelope.payload)
    guard document.fleet.sameBytes(as: fleet) else {
      throw FleetError(.foreign, "the key document is of the fleet \(document.fleet)")
    }
    guard version == nil || document.version == version else {
      throw FleetError(.malformed, "it has version \(document.version), which is not the one that was asked for")
    }
    let former = document.former
    try envelope.verify { (key) in
      document.roots.keys.contains { $0 == key } || former?.keys.contains { $0 == key } == true
    }
    guard envelope.count(of: document.roots.keys) >= document.roots.threshold else {
      throw FleetError(.unsigned, "too few root keys have signed the key document")
    }
    if let former, envelope.count(of: former.keys) < former.threshold {
      throw FleetError(.unsigned, "too few of the former root keys have signed the key document")
    }
    if let keys {
      if document == keys { return .same }
      guard document.version >= keys.version else {
        throw FleetError(
          .rollback, "the key document has version \(document.version); \(keys.version) was there before")
      }
      guard document.version > keys.version else {
        throw FleetError(.equivocation, "there are two key documents of version \(document.version)")
      }
      guard document.roots == keys.roots || former == keys.roots else {
        guard document.version > keys.version + 1 else {
          throw FleetError(.unsigned, "the key document has roots that the known ones have not signed")
        }
        return .needsVersion(keys.version + 1)
      }
    } else if document.roots.fingerprint != fingerprint, former?.fingerprint != fingerprint {
      // Roots may have changed since the enrollment code was made: the chain begins where they are those that it named.
      guard document.version > 1 else {
        throw FleetError(.unsigned, "the key document has other roots than the enrollment named")
      }
      return .needsVersion(document.version - 1)
    }
    // The next of a chain may be over: what follows it is asked for.
    guard present(clock) < document.expires || keys != nil else {
      throw FleetError(.expired, "the time of the key document is over")
    }
    keys = document
    forgetFloors()
    return .taken
  }

  /// Drops what those have signed who may not sign any more.
  mutating func forgetFloors() {
    guard let keys else { return }
    floors.removeAll { keys.signer($0.key) == nil }
  }
}

extension Trust {
  /// Reads a manifest and holds it against what is known. Nothing is remembered of it yet: `remember` does.
  ///
  /// - Parameter channel: the one that it was asked for.
  /// - Throws: `.keysMissing` if it was made under a key document that is not here; `.malformed`, `.tooLarge`,
  ///   `.unsupported`, `.foreign`, `.unsigned`, `.rollback`, `.equivocation`, `.expired`.
  public func verified(
    manifest bytes: [UInt8], for channel: Channel, clock: Int64
  ) throws(FleetError) -> VerifiedManifest {
    let envelope = try Envelope.decode(bytes, as: .manifest)
    let manifest = try Manifest.decode(envelope.payload)
    guard manifest.fleet.sameBytes(as: fleet) else {
      throw FleetError(.foreign, "the manifest is of the fleet \(manifest.fleet)")
    }
    guard manifest.channel == channel else {
      throw FleetError(.mixed, "what came as the manifest of \(channel.name) is that of \(manifest.channel.name)")
    }
    guard let keys, manifest.keys <= keys.version else {
      throw FleetError(.keysMissing, "the manifest was made under key document \(manifest.keys), which is not here")
    }
    try envelope.verify { (key) in keys.signer(key) != nil }
    // What it says of the time counts from then on: one after which nothing counted any more is not taken.
    let present = max(present(clock), manifest.issued)
    guard present < keys.expires else {
      throw FleetError(.expired, "the time of the key document is over")
    }
    for signature in envelope.signatures where !keys.counts(signature.key, at: present) {
      throw FleetError(.unsigned, "it is signed by \(signature.key.fingerprint), who may not sign at this time")
    }
    guard envelope.signatures.count >= keys.threshold else {
      throw FleetError(
        .unsigned, "\(envelope.signatures.count) have signed the manifest, and it takes \(keys.threshold)")
    }
    let hash = Crypto.hash(envelope.payload)
    for floor in floors where floor.channel.sameBytes(as: channel.name) {
      guard manifest.version >= floor.version else {
        throw FleetError(
          .rollback,
          "the manifest of \(channel.name) has version \(manifest.version); \(floor.version) was there before")
      }
      guard manifest.version > floor.version || hash == floor.hash else {
        throw FleetError(
          .equivocation, "there are two manifests of \(channel.name) of version \(manifest.version)")
      }
    }
    guard present < manifest.expires else {
      throw FleetError(.expired, "the time of the manifest of \(channel.name) is over")
    }
    return VerifiedManifest(
      manifest: manifest, payload: envelope.payload, signers: envelope.signatures.map { $0.key }, hash: hash)
  }

  /// Remembers the version of a manifest: nothing older is taken from now on. What somebody has signed who may not sign any more
  /// is not remembered.
  public mutating func remember(_ verified: VerifiedManifest) {
    let channel = verified.manifest.channel.name
    for key in verified.signers where keys?.signer(key) != nil {
      let floor = Floor(
        channel: channel, key: key, version: verified.manifest.version, issued: verified.manifest.issued,
        hash: verified.hash)
      if let index = floors.firstIndex(where: { $0.key == key && $0.channel.sameBytes(as: channel) }) {
        if floors[index].version < floor.version { floors[index] = floor }
      } else if floors.count < Self.floorLimit {
        floors.append(floor)
      }
    }
    floors.sort { $0.channel.sameBytes(as: $1.channel) ? $0.key.precedes($1.key) : $0.channel.precedes($1.channel) }
  }

  /// Whether a manifest that was taken once, and is the present one still, would be taken now.
  ///
  /// - Throws: `.keysMissing`, `.expired`, `.unsigned`.
  func check(unchanged manifest: Manifest, signedBy signers: [[UInt8]], clock: Int64) throws(FleetError) {
    guard let keys else { throw FleetError(.keysMissing, "there is no key document") }
    let present = present(clock)
    guard present < keys.expires else { throw FleetError(.expired, "the time of the key document is over") }
    guard present < manifest.expires else {
      throw FleetError(.expired, "the time of the manifest of \(manifest.channel.name) is over")
    }
    guard signers.allSatisfy({ keys.counts($0, at: present) }), signers.count >= keys.threshold else {
      throw FleetError(.unsigned, "who has signed the manifest of \(manifest.channel.name) does not count any more")
    }
  }

  /// Whether a group's manifest is as new as the fleet's says that it is.
  ///
  /// - Throws: `.mixed`.
  public static func check(_ fleet: Manifest, allows group: Manifest) throws(FleetError) {
    guard case .group(let name) = group.channel,
      let wanted = fleet.versions.first(where: { $0.group.sameBytes(as: name) })
    else { return }
    guard group.version >= wanted.version else {
      throw FleetError(
        .mixed, "the manifest of the group \(name) has version \(group.version), and the fleet is at \(wanted.version)")
    }
  }
}

/// A manifest whose signatures are right, and which is not older than what was seen.
public struct VerifiedManifest: Sendable {
  public let manifest: Manifest
  /// What the manifest was read of.
  let payload: [UInt8]
  let signers: [[UInt8]]
  let hash: [UInt8]
}

import CFleet
import LiveryClient

/// What holds for a channel: its documents, by their hashes.
public struct Manifest: Sendable, Equatable {
  /// A document that devices of an app take, all of them or some.
  public struct Entry: Sendable, Equatable {
    public var hash: [UInt8]
    /// In bytes.
    public var size: Int64
    /// What reports and consoles call it.
    public var name: String
    /// The app that it is for; nil for every one.
    public var scope: String?
    /// nil for all devices.
    public var rollout: Rollout?
    /// Who has published it; a line of up to `Limit.author` bytes.
    public var author: String?
    /// What is said of it; a line of up to `Limit.comment` bytes.
    public var comment: String?

    public init(
      hash: [UInt8], size: Int64, name: String, scope: String? = nil, rollout: Rollout? = nil, author: String? = nil,
      comment: String? = nil
    ) {
      self.author = author
      self.comment = comment
      self.hash = hash
      self.size = size
      self.name = name
      self.scope = scope
      self.rollout = rollout
    }
  }

  /// What a group's manifest has to be at least.
  public struct GroupVersion: Sendable, Equatable {
    public var group: String
    public var version: Int64

    public init(group: String, version: Int64) {
      self.group = group
      self.version = version
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.version == right.version && left.group.sameBytes(as: right.group)
    }
  }

  public var fleet: String
  public var channel: Channel
  public var version: Int64
  /// The version of the key document that it was made under.
  public var keys: Int64
  public var issued: Int64
  public var expires: Int64
  /// Of a device's channel alone: its groups, the weakest first.
  public var groups: [String]
  /// Of the fleet's channel alone, in the order of the names.
  public var versions: [GroupVersion]
  /// The weakest first.
  public var documents: [Entry]
  /// How often devices ask, in seconds; nil for what they have for it. Of the fleet's channel alone.
  public var interval: Int64?

  public init(
    fleet: String, channel: Channel, version: Int64, keys: Int64, issued: Int64, expires: Int64, groups: [String] = [],
    versions: [GroupVersion] = [], documents: [Entry] = [], interval: Int64? = nil
  ) {
    self.fleet = fleet
    self.channel = channel
    self.version = version
    self.keys = keys
    self.issued = issued
    self.expires = expires
    self.groups = groups
    self.versions = versions.sorted { $0.group.precedes($1.group) }
    self.documents = documents
    self.interval = interval
  }

  /// How often devices may be asked to ask, in seconds.
  public static let intervals: ClosedRange<Int64> = 10...86_400
}

/// Which part of the devices something is for.
public struct Rollout: Sendable, Equatable {
  /// Hundredths of a percent, 0 to 9,999.
  public var share: Int64
  /// 1 to 32 bytes: another salt draws other devices.
  public var salt: [UInt8]

  public init(share: Int64, salt: [UInt8]) {
    self.share = share
    self.salt = salt
  }

  /// Where a device stands: SHA-256 of salt and id as a number, modulo 10,000. With a share above that it is in.
  public static func place(of id: String, salt: [UInt8]) -> Int64 {
    Int64(Crypto.hash(salt + Array(id.utf8)).withUnsafeBufferPointer { lvd_remainder($0.baseAddress, 10_000) })
  }

  public func includes(_ id: String) -> Bool { Self.place(of: id, salt: salt) < share }
}

extension Manifest {
  /// The payload.
  public func encoded() throws(FleetError) -> [UInt8] {
    var made = Making()
    made.add("fleet", fleet)
    made.add("channel", channel.name)
    made.add("version", version)
    made.add("keys", keys)
    made.add("issued", issued)
    made.add("expires", expires)
    made.add("groups", ifAny: groups.map { .string($0) })
    if !versions.isEmpty {
      made.add("versions", .object(versions.map { Value.Member($0.group, .int($0.version)) }))
    }
    made.add("documents", ifAny: documents.map { $0.value })
    made.add("interval", ifAny: interval)
    return try CBOR.encode(made.value)
  }

  /// Reads a payload.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`.
  public static func decode(_ payload: [UInt8]) throws(FleetError) -> Manifest {
    var members = try Members(CBOR.decode(payload), of: "the manifest")
    let fleet = try members.name("fleet")
    guard let channel = Channel(name: try members.text("channel", limit: 64)) else {
      throw FleetError(.malformed, "the manifest is for no channel")
    }
    let version = try members.int("version", 1...Limit.version)
    let keys = try members.int("keys", 1...Limit.version)
    let issued = try members.int("issued", 0...Limit.time)
    let expires = try members.int("expires", issued...Limit.time)
    var groups: [String] = []
    if case .device = channel {
      for item in try members.list("groups", limit: Limit.groups) {
        guard case .string(let name) = item, Name.isValid(name), !groups.contains(where: { $0.sameBytes(as: name) })
        else { throw FleetError(.malformed, "a group is not what it should be") }
        groups.append(name)
      }
    }
    var versions: [GroupVersion] = []
    var interval: Int64?
    if channel == .fleet {
      if let value = members.valueIfAny("versions") { versions = try GroupVersion.list(value) }
      interval = try members.intIfAny("interval", intervals)
    }
    var documents: [Entry] = []
    for item in try members.list("documents", limit: Limit.documents) {
      let entry = try Entry(item)
      guard !documents.contains(where: { $0.hash == entry.hash }) else {
        throw FleetError(.malformed, "the manifest has a document twice")
      }
      documents.append(entry)
    }
    try members.end()
    var made = Manifest(
      fleet: fleet, channel: channel, version: version, keys: keys, issued: issued, expires: expires, groups: groups,
      documents: documents, interval: interval)
    made.versions = versions
    made.versions.sort { $0.group.precedes($1.group) }
    return made
  }
}

extension Manifest.GroupVersion {
  fileprivate static func list(_ value: Value) throws(FleetError) -> [Self] {
    guard case .object(let members) = value, !members.isEmpty else {
      throw FleetError(.malformed, "the versions of groups are not what they should be")
    }
    guard members.count <= Limit.versions else { throw FleetError(.tooLarge, "there are too many groups") }
    var versions: [Self] = []
    for member in members {
      guard Name.isValid(member.key), case .int(let version) = member.value, (1...Limit.version).contains(version)
      else { throw FleetError(.malformed, "the version of a group is not what it should be") }
      versions.append(Self(group: member.key, version: version))
    }
    return versions
  }
}

extension Manifest.Entry {
  fileprivate var value: Value {
    var made = Making()
    made.add("hash", hash)
    made.add("size", size)
    made.add("name", name)
    made.add("scope", ifAny: scope)
    if let rollout {
      made.add("share", rollout.share)
      made.add("salt", rollout.salt)
    }
    made.add("author", ifAny: author)
    made.add("comment", ifAny: comment)
    return made.value
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a document's entry")
    hash = try members.data("hash", Crypto.hashSize)
    size = try members.int("size", 1...Int64(Limit.document))
    name = try members.name("name")
    scope = nil
    if let text = try members.textIfAny("scope", limit: Limit.name) {
      guard Name.isValid(text) else { throw FleetError(.malformed, "the scope of a document is no name") }
      scope = text
    }
    let share = try members.intIfAny("share", 0...9_999)
    let salt = try members.dataIfAny("salt", 1...32)
    author = try members.lineIfAny("author", limit: Limit.author)
    comment = try members.lineIfAny("comment", limit: Limit.comment)
    try members.end()
    switch (share, salt) {
    case (let share?, let salt?): rollout = Rollout(share: share, salt: salt)
    case (nil, nil): rollout = nil
    default: throw FleetError(.malformed, "a document has a share without salt, or salt without a share")
    }
  }
}

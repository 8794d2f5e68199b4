import LiveryClient

/// What a device has, signed by the device.
public struct Report: Sendable, Equatable {
  /// What became of a document.
  public enum Verdict: UInt8, Sendable, CaseIterable {
    /// It holds.
    case applied
    /// It is for another time.
    case scheduled
    /// It is for other devices, apps or versions of the schema.
    case passedOver
    /// A value of it, or of one that came with it, does not fit: nothing of that holds.
    case refused
    /// It could not be had, or is none.
    case unusable

    public var name: String {
      switch self {
      case .applied: "applied"
      case .scheduled: "scheduled"
      case .passedOver: "passed-over"
      case .refused: "refused"
      case .unusable: "unusable"
      }
    }
  }

  public struct DocumentVerdict: Sendable, Equatable {
    public var hash: [UInt8]
    public var verdict: Verdict

    public init(hash: [UInt8], verdict: Verdict) {
      self.hash = hash
      self.verdict = verdict
    }
  }

  public struct ChannelVersion: Sendable, Equatable {
    public var channel: Channel
    public var version: Int64

    public init(channel: Channel, version: Int64) {
      self.channel = channel
      self.version = version
    }
  }

  /// What was wrong with a value.
  public struct Violation: Sendable, Equatable {
    public var name: String
    public var message: String

    public init(name: String, message: String) {
      self.name = name
      self.message = message
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.name.sameBytes(as: right.name) && left.message.sameBytes(as: right.message)
    }
  }

  /// What is in effect, and which layer it is of; without a value the setting is gone.
  public struct Effective: Sendable, Equatable {
    public var name: String
    public var layer: Layer?
    public var value: Value?

    public init(_ name: String, _ layer: Layer?, _ value: Value?) {
      self.name = name
      self.layer = layer
      self.value = value
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.name.sameBytes(as: right.name) && left.layer == right.layer && left.value == right.value
    }
  }

  public var fleet: String
  /// The public half of the device's key.
  public var device: [UInt8]
  /// Rising: one that is not above the last is a replay.
  public var sequence: Int64
  /// The device's clock, in seconds since 1970.
  public var time: Int64
  public var schema: Int64?
  /// The version of the key document, and of each channel, that were taken.
  public var keys: Int64
  public var channels: [ChannelVersion]
  public var documents: [DocumentVerdict]
  public var violations: [Violation]
  /// Whether `values` is all that there is, and not only what has changed since the report of sequence `since`.
  public var since: Int64?
  public var values: [Effective]
  /// Of all that the other side knows once it has read this: a gap in what was told shows by it.
  public var digest: [UInt8]
  /// Why what is published could not be taken: the name of a `FleetError.Reason`.
  public var problem: String?
  /// What the app says of its health.
  public var health: String?

  public init(
    fleet: String, device: [UInt8], sequence: Int64, time: Int64, schema: Int64? = nil, keys: Int64,
    channels: [ChannelVersion] = [], documents: [DocumentVerdict] = [], violations: [Violation] = [],
    since: Int64? = nil, values: [Effective] = [], digest: [UInt8], problem: String? = nil, health: String? = nil
  ) {
    self.fleet = fleet
    self.device = device
    self.sequence = sequence
    self.time = time
    self.schema = schema
    self.keys = keys
    self.channels = channels
    self.documents = documents
    self.violations = violations
    self.since = since
    self.values = values
    self.digest = digest
    self.problem = problem
    self.health = health
  }
}

extension Report.Effective {
  /// What stands for it in a digest: SHA-256 of what a report has of it.
  public func digest() throws(FleetError) -> [UInt8] { Crypto.hash(try CBOR.encode(encodable)) }

  fileprivate var encodable: Value {
    // In the order in which they are encoded.
    var members = [Value.Member("name", .string(name))]
    members.reserveCapacity(3)
    if let layer { members.append(Value.Member("layer", .string(layer.description))) }
    if let value { members.append(Value.Member("value", value)) }
    return .object(members)
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a value")
    name = try members.text("name", limit: Limit.settingName)
    layer = nil
    if let text = try members.textIfAny("layer", limit: 16) {
      guard let known = Layer.allCases.first(where: { $0.description.sameBytes(as: text) }) else {
        throw FleetError(.unsupported, "the layer \(text) is not known")
      }
      layer = known
    }
    self.value = members.valueIfAny("value")
    try members.end()
    guard (layer == nil) == (self.value == nil) else {
      throw FleetError(.malformed, "\(name) has a value and no layer, or a layer and no value")
    }
  }
}

extension Report {
  /// Of digests of values in the order of their names: SHA-256 of the first 8 bytes of each.
  public static func digest(_ digests: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * digests.count)
    for digest in digests { bytes += digest.prefix(8) }
    return Crypto.hash(bytes)
  }

  /// Of verdicts, to tell whether they are others.
  static func digest(of documents: [DocumentVerdict]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(documents.count * (Crypto.hashSize + 1))
    for document in documents {
      bytes += document.hash
      bytes.append(document.verdict.rawValue)
    }
    return Crypto.hash(bytes)
  }

  /// The payload.
  public func encoded() throws(FleetError) -> [UInt8] {
    var made = Making()
    made.add("fleet", fleet)
    made.add("device", device)
    made.add("sequence", sequence)
    made.add("time", time)
    made.add("schema", ifAny: schema)
    made.add("keys", keys)
    if !channels.isEmpty {
      made.add("channels", .object(channels.map { Value.Member($0.channel.name, .int($0.version)) }))
    }
    made.add(
      "documents",
      ifAny: documents.map {
        .object([.init("hash", .data($0.hash)), .init("verdict", .string($0.verdict.name))])
      })
    made.add(
      "violations",
      ifAny: violations.map {
        .object([.init("name", .string($0.name)), .init("message", .string($0.message))])
      })
    made.add("since", ifAny: since)
    made.add("values", ifAny: values.map { $0.encodable })
    made.add("digest", digest)
    made.add("problem", ifAny: problem)
    made.add("health", ifAny: health)
    return try CBOR.encode(made.value)
  }

  /// Reads a payload.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`.
  public static func decode(_ payload: [UInt8]) throws(FleetError) -> Report {
    var members = try Members(CBOR.decode(payload), of: "the report")
    var report = Report(
      fleet: try members.name("fleet"), device: try members.data("device", Crypto.keySize),
      sequence: try members.int("sequence", 1...Limit.version), time: try members.int("time", 0...Limit.time),
      schema: try members.intIfAny("schema", 1...Int64.max), keys: try members.int("keys", 0...Limit.version),
      since: try members.intIfAny("since", 1...Limit.version), digest: try members.data("digest", Crypto.hashSize),
      problem: try members.textIfAny("problem", limit: 32), health: try members.textIfAny("health", limit: 1024))
    if let value = members.valueIfAny("channels") { report.channels = try ChannelVersion.list(value) }
    for item in try members.list("documents", limit: Limit.reported / 16) {
      report.documents.append(try DocumentVerdict(item))
    }
    let hashes = report.documents.map { $0.hash }.sorted { $0.precedes($1) }
    guard zip(hashes, hashes.dropFirst()).allSatisfy({ $0 != $1 }) else {
      throw FleetError(.malformed, "the report has two verdicts of one document")
    }
    if let problem = report.problem {
      guard FleetError.Reason.allCases.contains(where: { $0.name.sameBytes(as: problem) }) else {
        throw FleetError(.unsupported, "the report has a problem that is not known")
      }
    }
    for item in try members.list("violations", limit: Limit.reported / 16) {
      report.violations.append(try Violation(item))
    }
    for item in try members.list("values", limit: Limit.reported) {
      let value = try Effective(item)
      if let last = report.values.last, !last.name.precedes(value.name) {
        throw FleetError(.malformed, "the values are not in the order of their names")
      }
      report.values.append(value)
    }
    try members.end()
    if let since = report.since, since >= report.sequence {
      throw FleetError(.malformed, "the report tells what has changed since itself")
    }
    return report
  }
}

extension Report.ChannelVersion {
  fileprivate static func list(_ value: Value) throws(FleetError) -> [Self] {
    guard case .object(let members) = value, !members.isEmpty, members.count <= Limit.groups + 2 else {
      throw FleetError(.malformed, "the channels of the report are not what they should be")
    }
    var channels: [Self] = []
    for member in members {
      guard let channel = Channel(name: member.key), case .int(let version) = member.value,
        (1...Limit.version).contains(version)
      else { throw FleetError(.malformed, "the version of a channel is not what it should be") }
      channels.append(Self(channel: channel, version: version))
    }
    return channels
  }
}

extension Report.DocumentVerdict {
  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a verdict")
    hash = try members.data("hash", Crypto.hashSize)
    let word = try members.text("verdict", limit: 16)
    try members.end()
    guard let verdict = Report.Verdict.allCases.first(where: { $0.name.sameBytes(as: word) }) else {
      throw FleetError(.unsupported, "the verdict \(word) is not known")
    }
    self.verdict = verdict
  }
}

extension Report.Violation {
  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a violation")
    name = try members.text("name", limit: Limit.settingName)
    message = try members.text("message", limit: 1024)
    try members.end()
  }
}

import LiveryClient

/// Settings with what is to become of them, taken by a device as a whole or not at all.
public struct Document: Sendable, Equatable {
  /// What becomes of a setting.
  public enum Verb: UInt8, Sendable, CaseIterable {
    /// It holds where nobody at the device has chosen.
    case recommend
    /// It becomes active now; the operator may change it later.
    case replace
    /// It holds, and is locked.
    case enforce
    /// The console has no say in it: what weaker documents say of it does not hold.
    case release

    public var name: String {
      switch self {
      case .recommend: "recommend"
      case .replace: "replace"
      case .enforce: "enforce"
      case .release: "release"
      }
    }

    init?(name: String) {
      guard let verb = Verb.allCases.first(where: { $0.name.sameBytes(as: name) }) else { return nil }
      self = verb
    }
  }

  public struct Setting: Sendable, Equatable {
    public var name: String
    public var verb: Verb
    /// nil with `release` alone.
    public var value: Value?
    /// With `replace` alone: another number has it become active once more.
    public var serial: Int64?

    public init(_ name: String, _ verb: Verb, _ value: Value? = nil, serial: Int64? = nil) {
      self.name = name
      self.verb = verb
      self.value = value
      self.serial = serial
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.name.sameBytes(as: right.name) && left.verb == right.verb && left.serial == right.serial
        && left.value == right.value
    }
  }

  /// What images refer to: bytes by their hash.
  public struct Asset: Sendable, Equatable {
    public var hash: [UInt8]
    /// In bytes.
    public var size: Int64

    public init(hash: [UInt8], size: Int64) {
      self.hash = hash
      self.size = size
    }
  }

  /// What goes back by itself unless it proves good.
  public struct Trial: Sendable, Equatable {
    /// How long it may take, in seconds.
    public var seconds: Int64
    /// The name of the check, of those that the app has; nil for the app's word alone.
    public var check: String?

    public init(seconds: Int64, check: String? = nil) {
      self.seconds = seconds
      self.check = check
    }
  }

  /// The versions of the schema that it is for.
  public var schema: ClosedRange<Int64>?
  public var from: ScheduledTime?
  public var until: ScheduledTime?
  /// In the order of the bytes of their names.
  public var settings: [Setting]
  /// In the order of their hashes.
  public var assets: [Asset]
  public var trial: Trial?

  public init(
    schema: ClosedRange<Int64>? = nil, from: ScheduledTime? = nil, until: ScheduledTime? = nil, settings: [Setting],
    assets: [Asset] = [], trial: Trial? = nil
  ) {
    self.schema = schema
    self.from = from
    self.until = until
    self.settings = settings.sorted { $0.name.precedes($1.name) }
    self.assets = assets.sorted { $0.hash.precedes($1.hash) }
    self.trial = trial
  }

  /// Of formats there is one so far.
  static let format: Int64 = 1
}

extension Document {
  /// The document's bytes, whose SHA-256 manifests name.
  ///
  /// - Throws: `.tooLarge`, `.malformed`.
  public func encoded() throws(FleetError) -> [UInt8] {
    var made = Making()
    made.add("format", Self.format)
    if let schema { made.add("schema", .list([.int(schema.lowerBound), .int(schema.upperBound)])) }
    if let from { made.add("from", from.value) }
    if let until { made.add("until", until.value) }
    made.add("settings", ifAny: settings.map { $0.encodable })
    made.add(
      "assets", ifAny: assets.map { .object([.init("hash", .data($0.hash)), .init("size", .int($0.size))]) })
    if let trial {
      var members = Making()
      members.add("seconds", trial.seconds)
      members.add("check", ifAny: trial.check)
      made.add("trial", members.value)
    }
    let bytes = try CBOR.encode(made.value)
    guard bytes.count <= Limit.document else { throw FleetError(.tooLarge, "a document of \(bytes.count) bytes") }
    return bytes
  }

  /// Reads a document.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`.
  public static func decode(_ bytes: [UInt8]) throws(FleetError) -> Document {
    guard bytes.count <= Limit.document else { throw FleetError(.tooLarge, "a document of \(bytes.count) bytes") }
    var members = try Members(CBOR.decode(bytes), of: "the document")
    let format = try members.int("format", 1...Int64.max)
    guard format == Self.format else { throw FleetError(.unsupported, "the document is of format \(format)") }
    var schema: ClosedRange<Int64>?
    if let value = members.valueIfAny("schema") {
      guard case .list(let ends) = value, ends.count == 2, case .int(let least) = ends[0],
        case .int(let most) = ends[1],
        least >= 1, most >= least
      else { throw FleetError(.malformed, "the versions of the schema are not what they should be") }
      schema = least...most
    }
    let from = try members.valueIfAny("from").time()
    let until = try members.valueIfAny("until").time()
    var settings: [Setting] = []
    for item in try members.list("settings", limit: Limit.settings) {
      let setting = try Setting(item)
      if let last = settings.last, !last.name.precedes(setting.name) {
        throw FleetError(.malformed, "the settings are not in the order of their names")
      }
      settings.append(setting)
    }
    var assets: [Asset] = []
    for item in try members.list("assets", limit: Limit.assets) {
      let asset = try Asset(item)
      if let last = assets.last, !last.hash.precedes(asset.hash) {
        throw FleetError(.malformed, "the assets are not in the order of their hashes")
      }
      assets.append(asset)
    }
    var trial: Trial?
    if let value = members.valueIfAny("trial") { trial = try Trial(value) }
    try members.end()
    return Document(schema: schema, from: from, until: until, settings: settings, assets: assets, trial: trial)
  }
}

extension Document.Setting {
  fileprivate var encodable: Value {
    var made = Making()
    made.add("name", name)
    made.add("verb", verb.name)
    if let value { made.add("value", value) }
    made.add("serial", ifAny: serial)
    return made.value
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a setting")
    name = try members.text("name", limit: Limit.settingName)
    guard !name.utf8.contains(0) else { throw FleetError(.malformed, "the name of a setting contains a NUL") }
    guard let verb = Document.Verb(name: try members.text("verb", limit: 16)) else {
      throw FleetError(.unsupported, "what is to become of \(name) is not known")
    }
    self.verb = verb
    self.value = members.valueIfAny("value")
    serial = try members.intIfAny("serial", 1...Limit.version)
    try members.end()
    guard (self.value == nil) == (verb == .release), (serial != nil) == (verb == .replace) else {
      throw FleetError(.malformed, "\(name) has no value or serial, or one that it must not have")
    }
  }
}

extension Document.Asset {
  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "an asset")
    hash = try members.data("hash", Crypto.hashSize)
    size = try members.int("size", 1...Int64(Limit.asset))
    try members.end()
  }
}

extension Document.Trial {
  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a trial")
    seconds = try members.int("seconds", 1...30 * Calendar.secondsPerDay)
    check = try members.textIfAny("check", limit: Limit.name)
    if let check, !Name.isValid(check) { throw FleetError(.malformed, "the check of a trial is no name") }
    try members.end()
  }
}

extension Value? {
  fileprivate func time() throws(FleetError) -> ScheduledTime? {
    guard let self else { return nil }
    return try ScheduledTime(self)
  }
}

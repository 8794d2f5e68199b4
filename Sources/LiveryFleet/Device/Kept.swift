import LiveryClient

/// What a device keeps over restarts, in records that are written with the values that follow from them.
struct Kept: Sendable {
  /// A channel as it was taken last.
  struct ChannelState: Sendable {
    var manifest: Manifest
    /// What the manifest was read of.
    var payload: [UInt8]
    var signers: [[UInt8]]
    /// nil where it has to be had anew.
    var entityTag: String?
    /// Which of its documents are for this device.
    var isTaken: [Bool]

    /// The documents that are for this device.
    var entries: [Manifest.Entry] { zip(manifest.documents, isTaken).compactMap { $1 ? $0 : nil } }
  }

  struct DocumentState: Sendable {
    var hash: [UInt8]
    var bytes: [UInt8]
    /// nil for what is no document.
    var held: HeldDocument?
  }

  var trust: Trust
  /// The weakest first.
  var channels: [ChannelState] = []
  /// The names of channels' records that cannot be read.
  var unread: [String] = []
  /// In the order of their hashes.
  var documents: [DocumentState] = []
  var owned = Owned()
  /// What held when that was made; the weakest first.
  var holding: [Attribution] = []
  /// The fingerprints of what is wanted, as it was applied and refused last.
  var applied: [UInt8]?
  var refused: [UInt8]?
  /// The schema with which it was applied: with another one a value may not fit any more, or have another name.
  var appliedSchema: Int64?
  /// The schema with which it was refused.
  var refusedSchema: Int64?
  /// The trial after which it went back: with another one it is tried again.
  var refusedTrial: String?
  /// The hashes of documents that held before and are refused all the same: what does not fit is of them.
  var refusedHeld: [[UInt8]] = []
  var violations: [Report.Violation] = []
  /// The number of the last report, and of the last one that arrived.
  var sequence: Int64 = 0
  var acknowledged: Int64?
  /// What the other side knows of values, in the order of their names: 8 bytes of their digests.
  var told: [Told] = []
  /// The digest of the verdicts that the other side knows.
  var toldVerdicts: [UInt8]?
  /// What it knows of the app's health.
  var toldHealth: String?
  /// The version of the schema that it knows.
  var toldSchema: Int64?
  /// What it knows that could not be taken.
  var toldProblem: String?
  /// Why what is published could not be taken the last time: a process that has not asked yet tells it, too.
  var problem: String?
  /// Whether there is something to report.
  var isReportDue = true

  struct Told: Sendable, Equatable {
    var name: String
    var digest: [UInt8]

    static func == (left: Told, right: Told) -> Bool {
      left.digest == right.digest && left.name.sameBytes(as: right.name)
    }
  }

  init(trust: Trust) { self.trust = trust }

  func channel(_ channel: Channel) -> ChannelState? { channels.first { $0.manifest.channel == channel } }

  /// Whether it is not known what a channel says until it was had anew.
  func isUnread(_ channel: Channel) -> Bool { unread.contains { $0.sameBytes(as: Self.name(of: channel)) } }

  /// Whether what is published was refused with a version of the schema: of another one that says nothing.
  func hasRefused(with schema: Int64?) -> Bool { refused != nil && refusedSchema == schema }

  /// The hashes of documents that held before, but for those whose trial is still to come.
  var tried: [[UInt8]] { holding.filter { !$0.isUntried }.map { $0.hash } }

  /// Whether a document began to hold with the change that was made last and on trial.
  func isOnTrial(_ hash: [UInt8]) -> Bool { holding.contains { $0.hash == hash && $0.isOnTrial } }

  func document(_ hash: [UInt8]) -> DocumentState? { documents.first { $0.hash == hash } }
}

// MARK: Records

extension Kept {
  static let trustName = "trust"
  static let ownedName = "owned"
  static let stateName = "state"
  static let toldName = "told"
  static let channelPrefix = "channel."
  static let documentPrefix = "document."
  /// Bytes of an entity tag.
  static let tagLimit = 1024

  static func name(of channel: Channel) -> String { channelPrefix + channel.name }
  static func name(ofDocument hash: [UInt8]) -> String { documentPrefix + hash.hexadecimal }

  /// The value of a record; nil for one that is to go.
  func value(_ name: String) throws(FleetError) -> Value? {
    if name.sameBytes(as: Self.trustName) { return try trust.value }
    if name.sameBytes(as: Self.ownedName) { return ownership }
    if name.sameBytes(as: Self.stateName) { return state }
    if name.sameBytes(as: Self.toldName) {
      return .list(told.map { .list([.string($0.name), .data($0.digest)]) })
    }
    if name.utf8.starts(with: Self.documentPrefix.utf8) {
      for document in documents where name.sameBytes(as: Self.name(ofDocument: document.hash)) {
        return .data(document.bytes)
      }
      return nil
    }
    for channel in channels where name.sameBytes(as: Self.name(of: channel.manifest.channel)) {
      var made = Making()
      made.add("manifest", channel.payload)
      made.add("signers", ifAny: channel.signers.map { .data($0) })
      made.add("tag", ifAny: channel.entityTag)
      return made.value
    }
    return nil
  }

  /// What follows from a change and from nothing else: it goes back with one that was on trial.
  private var ownership: Value {
    var made = Making()
    if let applied { made.add("applied", applied) }
    made.add("schema", ifAny: appliedSchema)
    made.add("settings", owned.value)
    made.add("covered", ifAny: owned.coveredValue)
    made.add("documents", ifAny: holding.map { $0.value })
    return made.value
  }

  private var state: Value {
    var made = Making()
    if let refused { made.add("refused", refused) }
    made.add("schema", ifAny: refusedSchema)
    made.add("trial", ifAny: refusedTrial)
    made.add("held", ifAny: refusedHeld.map { .data($0) })
    made.add(
      "violations",
      ifAny: violations.map { .object([.init("name", .string($0.name)), .init("message", .string($0.message))]) })
    made.add("sequence", sequence)
    made.add("acknowledged", ifAny: acknowledged)
    if let toldVerdicts { made.add("verdicts", toldVerdicts) }
    made.add("health", ifAny: toldHealth)
    made.add("known", ifAny: toldSchema)
    made.add("problem", ifAny: toldProblem)
    made.add("untaken", ifAny: problem)
    made.add("due", ifSo: isReportDue)
    return made.value
  }

  /// What was kept. Records that are damaged or of others are passed over: what they held is had anew, but for what is trusted,
  /// without which there is nothing.
  ///
  /// - Throws: as `Trust.init`.
  init(trust: Value, _ records: [Device.Record]) throws(FleetError) {
    self.init(trust: try Trust(trust))
    for record in records {
      guard let value = record.value else { continue }
      if record.name.sameBytes(as: Self.ownedName) {
        read(owned: value)
      } else if record.name.sameBytes(as: Self.stateName) {
        try? read(state: value)
      } else if record.name.sameBytes(as: Self.toldName) {
        read(told: value)
      } else if record.name.utf8.starts(with: Self.channelPrefix.utf8) {
        do throws(FleetError) { try read(channel: value, record.name) } catch { unread.append(record.name) }
      } else if record.name.utf8.starts(with: Self.documentPrefix.utf8) {
        read(document: value, record.name)
      }
    }
    sort()
  }

  mutating func sort() {
    documents.sort { $0.hash.precedes($1.hash) }
    let groups = channels.first { if case .device = $0.manifest.channel { true } else { false } }?.manifest.groups ?? []
    func rank(_ channel: Channel) -> Int {
      switch channel {
      case .fleet: -1
      case .group(let name): groups.firstIndex { $0.sameBytes(as: name) } ?? groups.count
      case .device: Int.max
      }
    }
    channels.sort { rank($0.manifest.channel) < rank($1.manifest.channel) }
  }

  /// Takes what a change has left; nil for what there is before the first one.
  mutating func read(owned value: Value?) {
    owned = Owned()
    applied = nil
    appliedSchema = nil
    holding = []
    guard let value, let settings = value["settings"], let owned = try? Owned(settings) else { return }
    self.owned = owned
    if case .list(let items) = value["covered"] { self.owned.cover(items) }
    if case .data(let hash) = value["applied"], hash.count == Crypto.hashSize { applied = hash }
    if case .int(let version) = value["schema"] { appliedSchema = version }
    guard case .list(let items) = value["documents"] else { return }
    for item in items.prefix(Limit.documentsHeld) {
      if let one = try? Attribution(item) { holding.append(one) }
    }
  }

  private mutating func read(state value: Value) throws(FleetError) {
    var members = try Members(value, of: "the state")
    refused = try members.dataIfAny("refused", Crypto.hashSize...Crypto.hashSize)
    refusedSchema = try members.intIfAny("schema", 0...Int64.max)
    refusedTrial = try members.textIfAny("trial", limit: Limit.trial)
    for item in try members.list("held", limit: Limit.documentsHeld) {
      if case .data(let hash) = item { refusedHeld.append(hash) }
    }
    for item in try members.list("violations", limit: Limit.reported) {
      guard let name = item["name"]?.text, let message = item["message"]?.text else { continue }
      violations.append(Report.Violation(name: name, message: message))
    }
    sequence = try members.int("sequence", 0...Limit.version)
    acknowledged = try members.intIfAny("acknowledged", 1...Limit.version)
    toldVerdicts = try members.dataIfAny("verdicts", Crypto.hashSize...Crypto.hashSize)
    toldSchema = try members.intIfAny("known", 0...Int64.max)
    toldHealth = try members.textIfAny("health", limit: 1024)
    toldProblem = try members.textIfAny("problem", limit: 32)
    problem = try members.textIfAny("untaken", limit: 32)
    isReportDue = try members.flag("due")
  }

  private mutating func read(told value: Value) {
    guard case .list(let items) = value else { return }
    for item in items {
      guard case .list(let pair) = item, pair.count == 2, case .string(let name) = pair[0],
        case .data(let digest) = pair[1]
      else { continue }
      told.append(Told(name: name, digest: digest))
    }
  }

  private mutating func read(channel value: Value, _ name: String) throws(FleetError) {
    var members = try Members(value, of: "a channel")
    guard let payload = try members.dataIfAny("manifest", 1...Limit.manifest) else {
      throw FleetError(.malformed, "a channel has no manifest")
    }
    let manifest = try Manifest.decode(payload)
    var signers: [[UInt8]] = []
    for item in try members.list("signers", limit: Limit.signers) {
      if case .data(let key) = item { signers.append(key) }
    }
    // Without it the manifest is had anew.
    let tag = (try? members.textIfAny("tag", limit: Self.tagLimit)) ?? nil
    guard Self.name(of: manifest.channel).sameBytes(as: name) else {
      throw FleetError(.malformed, "a channel is kept in the place of another")
    }
    channels.append(ChannelState(manifest: manifest, payload: payload, signers: signers, entityTag: tag, isTaken: []))
  }

  private mutating func read(document value: Value, _ name: String) {
    guard case .data(let bytes) = value else { return }
    let hash = Crypto.hash(bytes)
    guard Self.name(ofDocument: hash).sameBytes(as: name) else { return }
    documents.append(DocumentState(hash: hash, bytes: bytes, held: try? HeldDocument(bytes, hash: hash)))
  }
}

import LiveryFleet

// What the console has published, as it knows it itself: the reference judges by this, and never by what travelled.

/// A document.
final class PlainDocument: Sendable {
  struct Setting: Sendable {
    var index: Int
    var verb: Document.Verb
    var value: Int64 = 0
    var serial: Int64 = 0
  }

  struct Schedule: Sendable {
    var seconds: Int64
    var isWall: Bool

    func moment(_ zone: Zone) -> Int64 { isWall ? zone.moment(ofWall: seconds) : seconds }
  }

  /// What is wrong with it.
  enum Badness: Sendable { case none, refused, refusedByNewSchema, unwell }

  let name: String
  let settings: [Setting]
  let schema: ClosedRange<Int64>?
  let from: Schedule?
  let until: Schedule?
  let asset: [UInt8]?
  let assetHash: [UInt8]?
  let badness: Badness
  let trial: Document.Trial?
  let document: Document
  let hash: [UInt8]
  let bytes: [UInt8]

  init(
    _ name: String, _ settings: [Setting], schema: ClosedRange<Int64>? = nil, from: Schedule? = nil,
    until: Schedule? = nil, asset: [UInt8]? = nil, badness: Badness = .none,
    trial: Document.Trial? = nil
  ) throws(FleetError) {
    self.name = name
    self.settings = settings
    self.schema = schema
    self.from = from
    self.until = until
    self.asset = asset
    assetHash = asset.map { Crypto.hash($0) }
    self.badness = badness
    self.trial = trial
    document = Document(
      schema: schema, from: from?.time, until: until?.time,
      settings: settings.map { (setting) in
        Document.Setting(
          Settings.names[setting.index], setting.verb, setting.verb == .release ? nil : .int(setting.value),
          serial: setting.verb == .replace ? setting.serial : nil)
      },
      assets: asset.map { [Document.Asset(hash: Crypto.hash($0), size: Int64($0.count))] } ?? [], trial: trial)
    bytes = try document.encoded()
    hash = Crypto.hash(bytes)
  }
}

extension PlainDocument.Schedule {
  fileprivate var time: ScheduledTime { isWall ? .local(seconds) : .moment(seconds) }
}

/// What a channel said from some time on.
struct PlainManifest: Sendable {
  struct Entry: Sendable {
    var document: PlainDocument
    /// For another app.
    var isForeign = false
    /// Hundredths of a percent; nil for all.
    var share: Int64?
    var salt: [UInt8] = []

    /// As the manifest has it.
    var entry: Manifest.Entry {
      Manifest.Entry(
        hash: document.hash, size: Int64(document.bytes.count), name: document.name,
        scope: isForeign ? "other" : nil, rollout: share.map { Rollout(share: $0, salt: salt) })
    }
  }

  var time: Time
  var version: Int64
  /// Of a device's channel: the numbers of its groups.
  var groups: [Int] = []
  var entries: [Entry]
  /// What is signed, what travels, and its tag.
  var payload: [UInt8]
  var envelope: [UInt8]
  var tag: String
}

extension PlainManifest {
  /// Has a publisher say something of a channel.
  init(
    _ channel: Channel, groups: [Int] = [], _ entries: [Entry], interval: Int64? = nil, at time: Time,
    by publisher: inout Publisher
  ) throws(FleetError) {
    let files = try publisher.publish(
      channel, documents: entries.map { ($0.entry, $0.document.document) },
      groups: groups.map { Plan.groupName($0) }, interval: interval, now: time.clock)
    // The manifest comes last.
    guard let file = files.last else { throw FleetError(.unavailable, "nothing was published") }
    try self.init(channel, groups: groups, entries, file, at: time, publisher)
  }

  /// Of what a publisher has published.
  init(
    _ channel: Channel, groups: [Int] = [], _ entries: [Entry], _ file: Publisher.File, at time: Time,
    _ publisher: Publisher
  ) throws(FleetError) {
    self.time = time
    version = publisher.channels.first { $0.channel == channel }?.version ?? 0
    self.groups = groups
    self.entries = entries
    envelope = file.bytes
    payload = try Envelope.decode(file.bytes, as: .manifest).payload
    tag = "\"" + channel.name + "-" + version.description + "\""
  }
}

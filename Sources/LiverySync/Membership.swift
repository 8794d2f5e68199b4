import LiveryClient
import LiveryFleet

/// The fleet that a device is of, as the store keeps it: settings of the namespace `sync.`, in the layer `bundle`.
struct Membership: Sendable {
  static let prefix = "sync."
  static let setting = "sync.fleet"
  static let key = "sync.key"
  static let health = "sync.health"
  static let trial = "sync.trial"
  static let requests = "sync.request."
  static let answers = "sync.answer."
  /// What the device keeps: documents, whose values may be secret, and what follows from them.
  static let records = "sync.record."
  /// The app that documents are taken for, as it was named last.
  static let scope = "sync.record.scope"
  /// A proxy, whose URL may have a password.
  static let proxy = "sync.record.proxy"

  /// Without a slash at its end.
  var url: String
  var fleet: String
  /// The public half of the device's key.
  var device: [UInt8]
  var name: String?
  var since: Timestamp
  var certificates: String?
  var proxy: String?

  var value: Value {
    var members = [
      Value.Member("url", .string(url)), .init("fleet", .string(fleet)), .init("device", .data(device)),
      .init("since", .date(since)),
    ]
    if let name { members.append(.init("name", .string(name))) }
    if let certificates { members.append(.init("caFile", .string(certificates))) }
    return .object(members)
  }

  init(
    url: String, fleet: String, device: [UInt8], name: String?, since: Timestamp, certificates: String?, proxy: String?
  ) {
    self.url = url
    self.fleet = fleet
    self.device = device
    self.name = name
    self.since = since
    self.certificates = certificates
    self.proxy = proxy
  }

  /// Tells the device's key from others.
  var number: Int64 { device.prefix(8).reduce(0) { $0 << 8 | Int64($1) } }

  /// nil for what is no membership.
  init?(_ value: Value) {
    guard let url = value["url"]?.text, let fleet = value["fleet"]?.text, case .data(let device)? = value["device"],
      case .date(let since)? = value["since"], device.count == 32
    else { return nil }
    self.init(
      url: url, fleet: fleet, device: device, name: value["name"]?.text, since: since,
      certificates: value["caFile"]?.text, proxy: value["proxy"]?.text)
  }

  /// The one that a store keeps; nil if there is none.
  ///
  /// - Throws: `.corrupt`, also for one that is damaged.
  static func of(_ store: Store) throws(StoreError) -> Membership? {
    guard let value = try store.kept(setting) else { return nil }
    guard let membership = Membership(value) else {
      throw StoreError(.corrupt, "what is kept of the fleet is damaged: leave it, and enroll anew", setting: setting)
    }
    // Who cannot read it does not ask the server either.
    if let proxy = (try? store.kept(proxy))?.flatMap({ $0.text }) {
      var reached = membership
      reached.proxy = proxy
      return reached
    }
    return membership
  }

  /// What the device keeps, by its own names.
  static func records(of store: Store) throws(StoreError) -> [Device.Record] {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    var records: [Device.Record] = []
    for name in try snapshot.names(in: .bundle, matching: recordPattern) {
      guard let value = try snapshot.value(name, in: .bundle) else { continue }
      records.append(
        Device.Record(String(decoding: name.utf8.dropFirst(Self.records.utf8.count), as: UTF8.self), value))
    }
    return records
  }

  private static let recordPattern = "sync.record.**"

  /// What a value of the namespace has to be.
  static func check(_ value: Value, _ name: String) throws(StoreError) -> Value {
    let isGood: Bool
    if name.sameBytes(as: setting) {
      isGood = Membership(value) != nil
    } else if name.sameBytes(as: key) {
      if case .data(let bytes) = value { isGood = bytes.count == SigningKey.seedSize } else { isGood = false }
    } else if name.sameBytes(as: health) {
      isGood = value.text != nil
    } else if name.sameBytes(as: trial) || [requests, answers].contains(where: { name.utf8.starts(with: $0.utf8) }) {
      isGood = value.type == .object
    } else {
      isGood = name.utf8.starts(with: records.utf8)
    }
    guard isGood else {
      throw StoreError(.invalidValue, "the namespace sync. is kept by the library that syncs", setting: name)
    }
    return value
  }

  func configuration(_ scope: String?) -> Device.Configuration {
    Device.Configuration(fleet: fleet, device: device, scope: scope)
  }
}

extension Store {
  /// What is kept of documents is secret. A store of a former version has some already: there it is from the next enrollment on.
  func claimRecords() throws(StoreError) {
    do throws(StoreError) { try claimSecret(Membership.records) } catch {
      guard error.code == .conflict else { throw error }
    }
  }

  /// Writes what this library keeps, whatever lies above it.
  func keep(_ body: (ChangeSet) throws(StoreError) -> Void) throws(StoreError) {
    try edit(.bundle) { (edit) throws(StoreError) in
      try edit.setOrigin("sync")
      try edit.ignoreLocks()
      try body(edit)
    }
  }

  /// What is kept under a name of the namespace: whatever other layers may hold of it; nil for nothing.
  func kept(_ name: String) throws(StoreError) -> Value? {
    let snapshot = try snapshot()
    defer { snapshot.close() }
    return try snapshot.value(name, in: .bundle)
  }
}

extension String {
  /// The beginning of it, of so many bytes at most, whole characters alone, and none that steers a terminal.
  func line(_ limit: Int) -> String {
    var text: [UInt8] = []
    for scalar in unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
      let bytes = isControl ? [UInt8(ascii: " ")] : Array<UInt8>(Character(scalar).utf8)
      guard text.count + bytes.count <= limit else { break }
      text += bytes
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension FleetError {
  /// What people do about it.
  var advice: String {
    switch reason {
    case .malformed, .wrongHash: "look whether something between the device and the server changes what it delivers"
    case .tooLarge: "publish less: what is published is larger than a device takes"
    case .unsupported: "update the software of the device"
    case .foreign: "look whether the server's address is that of this fleet; leave and enroll anew if the device moved"
    case .unsigned: "look whether the console signs with a key that the key document names"
    case .rollback, .equivocation: "look for an old copy of what is published, such as a restored backup or a cache"
    case .expired: "look whether the console runs and signs anew, and whether the device's clock is right"
    case .mixed: "look for a cache that delivers old files beside new ones, or one in place of another"
    case .keysMissing: "publish the key document that manifests are signed under"
    case .unavailable: "look whether the device has a network, and the right server runs; it is tried again"
    }
  }

  /// As what a pull fails with.
  var asStoreError: StoreError {
    switch reason {
    case .unavailable: StoreError(.unavailable, message)
    default: StoreError(.refused, "\(message) (\(reason.name)): \(advice)")
    }
  }
}

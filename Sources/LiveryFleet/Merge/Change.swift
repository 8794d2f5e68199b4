import LiveryClient

/// What a device does to its settings, in one commit: all of it or nothing.
public struct Change: Sendable, Equatable {
  public enum Edit: Sendable, Equatable {
    case set(String, Value, Layer)
    /// In the layer `recommended`, and what hides it goes.
    case replace(String, Value)
    case reset(String, Layer)
  }

  public var edits: [Edit] = []
  /// Who makes each of the edits, as its value keeps it.
  public var origins: [String] = []
  /// Who makes the change, as the history has it.
  public var origin = "sync"
  /// What is kept of the settings from then on.
  public var owned: Owned
  /// How long the change is on trial; nil for good.
  public var trial: Desired.Trial?
  /// Whether the schema was another when the one before was made: what that has set may have another name since.
  public var followsUpgrade = false

  /// What of it becomes active in place of what the operator has chosen: as `Owned.coveredValue`.
  public var replacing: [Value] {
    edits.compactMap { (edit) in
      guard case .replace(let name, _) = edit else { return nil }
      return owned.entry(name)?.coveredValue
    }
  }

  /// Whether the console wants something of a setting in a layer.
  public func wants(_ name: String, in layer: Layer) -> Bool { owned.entry(name)?.layer == layer }

  /// Whether a value that is kept with an origin was set by a change.
  public static func hasSet(_ origin: String) -> Bool {
    origin.utf8.elementsEqual("sync".utf8) || origin.utf8.starts(with: "sync: ".utf8)
  }
}

/// The settings that the console has set on a device: what it does not want any more is taken back.
public struct Owned: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var name: String
    public var verb: Document.Verb
    /// With `replace` what has become active, so that it does so once: the serial, and the hash of the value.
    public var serial: Int64
    public var hash: [UInt8]

    public static func == (left: Self, right: Self) -> Bool {
      left.name.sameBytes(as: right.name) && left.verb == right.verb && left.serial == right.serial
        && left.hash == right.hash
    }

    public var layer: Layer { verb == .enforce ? .enforced : .recommended }
  }

  /// In the order of the bytes of their names.
  public private(set) var entries: [Entry] = []
  /// What has become active with `replace` and is covered by stronger documents: once those end it does not replace again. In the
  /// same order; of a setting there may be several.
  public private(set) var covered: [Entry] = []

  public init() {}

  /// What has become active with `replace`, by the names that settings have now.
  fileprivate func replaced(_ canonical: (String) -> String) -> [Entry] {
    (entries.filter { $0.verb == .replace } + covered).map { (entry) in
      var entry = entry
      entry.name = canonical(entry.name)
      return entry
    }.sorted { $0.name.precedes($1.name) }
  }

  public func entry(_ name: String) -> Entry? {
    let place = entries.place(of: name)
    guard place < entries.count, entries[place].name.sameBytes(as: name) else { return nil }
    return entries[place]
  }
}

/// In the order of their names.
extension [Owned.Entry] {
  /// Where those of a name begin, or would.
  fileprivate func place(of name: String) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].name.precedes(name) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate func has(_ one: Owned.Entry) -> Bool {
    var place = place(of: one.name)
    while place < count, self[place].name.sameBytes(as: one.name) {
      if self[place] == one { return true }
      place += 1
    }
    return false
  }
}

extension Desired {
  /// What has to be done for it. All of it is named, also what should be so already: what somebody else has changed in the
  /// console's layers goes back, and what is as it should be is no change. Only `replace` is done once.
  ///
  /// - Parameters:
  ///   - holding: what is known of the documents.
  ///   - canonical: the name that a setting has now, of which another may be kept.
  public func change(
    from owned: Owned, _ holding: [Attribution] = [], canonical: (String) -> String = { $0 }
  ) throws(FleetError) -> Change {
    let replaced = owned.replaced(canonical)
    var next: [Owned.Entry] = []
    var sets: [Change.Edit] = []
    var origins: [String] = []
    for entry in entries {
      let setting = entry.setting
      guard let value = setting.value else { continue }
      let made = try Owned.Entry(setting, value)
      switch setting.verb {
      case .recommend: sets.append(.set(setting.name, value, .recommended))
      case .enforce: sets.append(.set(setting.name, value, .enforced))
      case .replace where replaced.has(made): sets.append(.set(setting.name, value, .recommended))
      case .replace: sets.append(.replace(setting.name, value))
      case .release: continue
      }
      origins.append(holding.first { $0.hash == entry.document }?.origin ?? "sync")
      next.append(made)
    }
    var covered: [Owned.Entry] = []
    for entry in self.covered {
      guard let value = entry.setting.value else { continue }
      let made = try Owned.Entry(entry.setting, value)
      if replaced.has(made) { covered.append(made) }
    }
    var change = Change(owned: Owned(ordered: next, covered: covered), trial: trial)
    // First what goes: a former name may be an alias of one that is set.
    for former in owned.entries where change.owned.entry(former.name)?.layer != former.layer {
      change.edits.append(.reset(former.name, former.layer))
      change.origins.append("sync")
    }
    change.edits += sets
    change.origins += origins
    return change
  }
}

extension Owned.Entry {
  fileprivate var coveredValue: Value { .list([.string(name), .int(serial), .data(hash)]) }

  fileprivate init(_ setting: Document.Setting, _ value: Value) throws(FleetError) {
    let hash = [UInt8](Crypto.hash(try CBOR.encode(value)).prefix(16))
    self.init(name: setting.name, verb: setting.verb, serial: setting.serial ?? 0, hash: hash)
  }
}

extension Owned {
  fileprivate init(ordered entries: [Entry], covered: [Entry]) {
    self.entries = entries
    self.covered = covered
  }

  /// To be kept where nobody else writes.
  public var value: Value {
    .list(
      entries.map {
        .list([.string($0.name), .int(Int64($0.verb.rawValue)), .int($0.serial), .data($0.hash)])
      })
  }

  /// To be kept beside it.
  public var coveredValue: [Value] { covered.map { $0.coveredValue } }

  /// Reads what was kept.
  ///
  /// - Throws: `.malformed`.
  public init(_ value: Value) throws(FleetError) {
    guard case .list(let items) = value, items.count <= Limit.settingsHeld else { throw Self.misfit }
    for item in items {
      guard case .list(let parts) = item, parts.count == 4, case .string(let name) = parts[0],
        case .int(let number) = parts[1], let raw = UInt8(exactly: number), let verb = Document.Verb(rawValue: raw),
        case .int(let serial) = parts[2], case .data(let hash) = parts[3], hash.count == 16
      else { throw Self.misfit }
      if let last = entries.last, !last.name.precedes(name) { throw Self.misfit }
      entries.append(Entry(name: name, verb: verb, serial: serial, hash: hash))
    }
  }

  /// Reads what was kept beside it. Without it what is covered replaces once more.
  public mutating func cover(_ items: [Value]) {
    for item in items.prefix(Limit.settingsHeld) {
      guard case .list(let parts) = item, parts.count == 3, case .string(let name) = parts[0],
        case .int(let serial) = parts[1], case .data(let hash) = parts[2], hash.count == 16
      else { continue }
      covered.append(Entry(name: name, verb: .replace, serial: serial, hash: hash))
    }
  }

  private static var misfit: FleetError { FleetError(.malformed, "what is kept of settings is damaged") }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// What publishing a draft would change, and on how many devices.
extension Console {
  package func difference(_ channel: String) throws(Refusal) -> Difference {
    let kind = try known(channel)
    var difference = Difference()
    let draft = try draft(channel)
    difference.revision = draft.revision
    difference.unfit = try unfit(draft.settings)
    difference.elsewhere = try elsewhere(draft.settings, kind)
    difference.settings = try shown(Console.changes(try publishedSettings(channel), draft.settings))
    difference.trial = try trial(of: channel)
    for overlay in try overlays(channel) { difference.overlays.append(try found(overlay.number).line) }
    // A fleet is large, and so are drafts: what is kept does not grow with their product.
    let devices = SortedTexts(try members(kind))
    let names = try names()
    difference.devices = devices.count
    var changes = [Bool](repeating: false, count: devices.count)
    for index in difference.settings.indices {
      let setting = difference.settings[index]
      var have = [Bool](repeating: false, count: devices.count)
      let note = { (id: [UInt8]) in
        if let place = devices.place(of: id) { have[place] = true }
      }
      var count = 0
      if let value = setting.after?.value, let content = try? CBOR.encode(value) {
        // Whoever has this value in effect sees no other one.
        var condition = "content = ?"
        // Nor does who has chosen something else, where the choice stays.
        if setting.after?.verb.sameBytes(as: "recommend") ?? false {
          condition = "(content = ? OR layer IN ('user', 'session', 'enforced'))"
        }
        try eachDevice(of: kind, where: condition, [.bytes(content)], of: names.all(of: setting.name), note)
        for place in have.indices { have[place].toggle() }
      } else {
        // What is not said any more goes from whoever has it by that; what was replaced is the device's own.
        let condition: String
        switch setting.before?.verb {
        case "enforce": condition = "layer = 'enforced'"
        case "recommend": condition = "layer = 'recommended'"
        // A release holds for what weaker channels say.
        case nil: condition = "layer IN ('enforced', 'recommended')"
        default: continue
        }
        try eachDevice(of: kind, where: condition, [], of: names.all(of: setting.name), note)
      }
      for place in have.indices where have[place] {
        count += 1
        changes[place] = true
      }
      difference.settings[index].devices = count
    }
    difference.changed = changes.reduce(0) { $0 + ($1 ? 1 : 0) }
    return difference
  }

  /// The publication that says what a channel says, if it is or was on trial.
  package func trial(of channel: String) throws(Refusal) -> Int64? {
    guard let last = try standing(channel).last, try found(last.number).line.conditions.trial != nil else { return nil }
    return last.number
  }

  /// What devices of a channel would refuse whose schema is not the one with the highest version: an app is not updated everywhere at
  /// once. They know settings by the names that are written.
  package func elsewhere(
    _ settings: [DraftSetting], _ channel: LiveryFleet.Channel
  ) throws(Refusal) -> [Difference.Elsewhere] {
    guard let present = try database.number("SELECT MAX(version) FROM schemas") else { return [] }
    var condition = "refused = 0 AND schema_version IN (SELECT version FROM schemas) AND schema_version <> ?"
    var parameters: [Database.Parameter] = [.int(present)]
    add(channel, of: "id", to: &condition, &parameters)
    let counts = try database.all(
      "SELECT schema_version, COUNT(*) FROM devices WHERE \(condition) GROUP BY schema_version ORDER BY schema_version",
      parameters
    ) { (row) throws(Refusal) in (version: row.int(0), devices: Int(row.int(1))) }
    let written = settings.map { DraftSetting(name: $0.written, verb: $0.verb, value: $0.value) }.sorted()
    var found: [Difference.Elsewhere] = []
    for one in counts {
      let schema = try database.first(
        "SELECT content FROM schemas WHERE version = ? ORDER BY number DESC LIMIT 1", [.int(one.version)]
      ) { (row) throws(Refusal) in row.bytes(0) }
      guard let schema else { continue }
      let unfit = try shown(try types.unfit(written, schema) { try? self.asset($0) }, by: one.version)
      if !unfit.isEmpty {
        found.append(Difference.Elsewhere(version: one.version, devices: one.devices, unfit: unfit))
      }
    }
    return found
  }

  /// The devices that have told of a setting for which a condition in SQL holds: at least those of them that take a channel.
  private func eachDevice(
    of channel: LiveryFleet.Channel, where condition: String, _ more: [Database.Parameter], of names: [String],
    _ body: ([UInt8]) -> Void
  ) throws(Refusal) {
    let places = names.map { _ in "?" }.joined(separator: ", ")
    var sql = "SELECT device FROM device_values WHERE name IN (\(places)) AND \(condition)"
    var parameters: [Database.Parameter] = names.map { .text($0) } + more
    add(channel, of: "device", to: &sql, &parameters)
    try database.each(sql, parameters) { (row) throws(Refusal) in body(row.bytes(0)) }
  }

  /// Has a condition hold for those devices alone that take a channel, by the column that has their ids.
  private func add(
    _ channel: LiveryFleet.Channel, of column: String, to condition: inout String,
    _ parameters: inout [Database.Parameter]
  ) {
    switch channel {
    case .fleet: break
    case .group(let group):
      condition += " AND \(column) IN (SELECT device FROM members WHERE in_group = ?)"
      parameters.append(.text(group))
    case .device(let id):
      condition += " AND \(column) = ?"
      parameters.append(.text(id))
    }
  }

  /// The devices that take a channel.
  private func members(_ channel: LiveryFleet.Channel) throws(Refusal) -> [[UInt8]] {
    switch channel {
    case .fleet:
      return try database.all("SELECT id FROM devices WHERE refused = 0") { (row) throws(Refusal) in row.bytes(0) }
    case .group(let group):
      return try database.all(
        "SELECT d.id FROM members m JOIN devices d ON d.id = m.device WHERE m.in_group = ? AND d.refused = 0",
        [.text(group)]
      ) { (row) throws(Refusal) in row.bytes(0) }
    case .device(let id): return [Array(id.utf8)]
    }
  }
}

/// Texts in the order of their bytes, which are found by the first eight of them: those of devices differ there.
private struct SortedTexts {
  private let texts: [[UInt8]]
  private let keys: [UInt64]

  init(_ unsorted: [[UInt8]]) {
    texts = unsorted.sorted { $0.lexicographicallyPrecedes($1) }
    keys = texts.map { SortedTexts.key($0) }
  }

  var count: Int { texts.count }

  private static func key(_ text: [UInt8]) -> UInt64 {
    var key: UInt64 = 0
    for index in 0..<8 { key = key << 8 | (index < text.count ? UInt64(text[index]) : 0) }
    return key
  }

  /// nil if it is not among them.
  func place(of text: [UInt8]) -> Int? {
    let key = SortedTexts.key(text)
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    while low < count, keys[low] == key {
      if texts[low] == text { return low }
      low += 1
    }
    return nil
  }
}

extension [String] {
  /// Whether a text is among those that are in the order of their bytes.
  func containsSorted(_ text: String) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].utf8.lexicographicallyPrecedes(text.utf8) { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].sameBytes(as: text)
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// What channels are to say: drafts, which many may look at and one after another saves.
extension Console {
  /// - Throws: `.notFound` for what is no channel, or one of a group or device that is not there.
  @discardableResult
  func known(_ name: String) throws(Refusal) -> LiveryFleet.Channel {
    guard let channel = LiveryFleet.Channel(name: name) else { throw Refusal(.notFound, "There is no such channel.") }
    let count: Int64?
    switch channel {
    case .fleet: count = 1
    case .group(let group):
      count = try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(group)])
    case .device(let id):
      count = try database.number("SELECT COUNT(*) FROM devices WHERE id = ? AND refused = 0", [.text(id)])
    }
    guard count == 1 else { throw Refusal(.notFound, "There is no such channel.") }
    return channel
  }

  private static let ownChannels = """
    FROM devices d WHERE d.refused = 0 AND ('device.' || d.id IN (SELECT channel FROM standing)
    OR 'device.' || d.id IN (SELECT channel FROM draft_settings)
    OR 'device.' || d.id IN (SELECT channel FROM publications WHERE stands = 1))
    """

  package func channels(from: Int, limit: Int) throws(Refusal) -> (lines: [ChannelLine], total: Int) {
    let shared = ["fleet"] + (try groups().map { "group." + $0.name })
    let devices = Int(try database.number("SELECT COUNT(*) " + Console.ownChannels) ?? 0)
    var names = Array(shared.dropFirst(from).prefix(limit))
    if names.count < limit {
      names += try database.all(
        "SELECT 'device.' || d.id " + Console.ownChannels + " ORDER BY d.name, d.id LIMIT ? OFFSET ?",
        [.int(Int64(limit - names.count)), .int(Int64(max(0, from - shared.count)))]
      ) { (row) throws(Refusal) in row.text(0) }
    }
    var lines: [ChannelLine] = []
    for name in names {
      // A group or a device may have been removed meanwhile.
      do throws(Refusal) { lines.append(try channel(name)) } catch { if error.reason != .notFound { throw error } }
    }
    return (lines, shared.count + devices)
  }

  package func channel(_ name: String) throws(Refusal) -> ChannelLine {
    try known(name)
    var line = ChannelLine()
    line.name = name
    line.version = try database.number("SELECT version FROM channels WHERE name = ?", [.text(name)])
    let draft = try draft(name)
    let published = try publishedSettings(name)
    line.settings = draft.settings.count
    line.changes = Console.changes(published, draft.settings).count
    let standing = try standing(name)
    if let last = standing.last {
      line.publication = last.number
      line.isRolling = last.share != nil
      line.published = try database.number("SELECT time FROM publications WHERE number = ?", [.int(last.number)])
    }
    line.overlays = try overlays(name).map { $0.number }
    return line
  }

  package func draft(_ channel: String) throws(Refusal) -> ChannelDraft {
    try known(channel)
    // The revision first: settings that are newer lead to a conflict, and not to something that is lost.
    let revision = try database.number("SELECT revision FROM drafts WHERE channel = ?", [.text(channel)]) ?? 0
    let settings = try database.all(
      "SELECT name, verb, content FROM draft_settings WHERE channel = ?", [.text(channel)]
    ) { (row) throws(Refusal) in
      DraftSetting(name: row.text(0), verb: row.text(1), value: row.bytesIfAny(2).flatMap { try? CBOR.decode($0) })
    }
    return ChannelDraft(revision: UInt64(clamping: revision), settings: try names().named(settings))
  }

  package func save(
    _ settings: [DraftSetting], in channel: String, at revision: UInt64, by person: Person
  ) throws(Refusal) {
    try change { (_) throws(Refusal) in
      try known(channel)
      let names = try names()
      let settings = settings.map { names.named($0) }
      let draft = try draft(channel)
      // What changes nothing is no change, whoever was second is told all the same.
      if draft.revision == revision, draft.has(settings) { return }
      let before = try take(revision, of: channel)
      for setting in settings {
        try check(setting)
        for name in names.all(of: setting.name) {
          try database.run("DELETE FROM draft_settings WHERE channel = ? AND name = ?", [.text(channel), .text(name)])
        }
        if !setting.verb.utf8.isEmpty { try put(setting, in: channel) }
      }
      guard
        try database.number("SELECT COUNT(*) FROM draft_settings WHERE channel = ?", [.text(channel)]) ?? 0
          <= Int64(Limit.settings)
      else { throw Refusal(.invalid, "A channel says at most \(Limit.settings) settings.") }
      let changes = settings.map { (setting) in
        Difference.Setting(
          name: setting.name, before: before.first { $0.name.sameBytes(as: setting.name) },
          after: setting.verb.utf8.isEmpty ? nil : setting, devices: nil)
      }
      try note(person, "changed the draft of \(channel)", words(changes))
    }
  }

  package func discard(_ channel: String, at revision: UInt64?, by person: Person) throws(Refusal) {
    try change { (_) throws(Refusal) in
      let (draft, published) = (try draft(channel), try publishedSettings(channel))
      // What changes nothing is no change, whoever was second is told all the same.
      if draft.revision == revision ?? draft.revision, draft.settings.count == published.count, draft.has(published) {
        return
      }
      try restore(published, in: channel, at: revision)
      try note(person, "discarded the draft of \(channel)", words(Console.changes(draft.settings, published)))
    }
  }

  /// Has a draft be something else as a whole; within a change.
  ///
  /// - Parameter revision: the one that was seen; nil for whichever is there.
  func restore(_ settings: [DraftSetting], in channel: String, at revision: UInt64? = nil) throws(Refusal) {
    let present = try database.number("SELECT revision FROM drafts WHERE channel = ?", [.text(channel)]) ?? 0
    _ = try take(revision ?? UInt64(clamping: present), of: channel)
    try database.run("DELETE FROM draft_settings WHERE channel = ?", [.text(channel)])
    for setting in settings { try put(setting, in: channel) }
  }

  /// Has a draft's revision rise, if it is the one that was seen; what it held is given.
  private func take(_ revision: UInt64, of channel: String) throws(Refusal) -> [DraftSetting] {
    let draft = try draft(channel)
    guard draft.revision == revision else {
      throw Refusal(.conflict, "Somebody else has changed the draft meanwhile: it is at revision \(draft.revision).")
    }
    try renewDraft(of: channel)
    return draft.settings
  }

  /// Gives a draft another revision: a difference that was seen before is none that can be published any more.
  func renewDraft(of channel: String) throws(Refusal) {
    try database.run(
      """
      INSERT INTO drafts (channel, revision) VALUES (?, 1)
      ON CONFLICT (channel) DO UPDATE SET revision = drafts.revision + 1
      """, [.text(channel)])
  }

  /// Has a draft say what is said from now on, wherever it says what was said before: what somebody is about to change stays as they
  /// have it. Its revision rises in any case, since what it is compared with is another; within a change.
  func carryDraft(of channel: String, from before: [DraftSetting], to after: [DraftSetting]) throws(Refusal) {
    func isSame(_ one: DraftSetting?, _ other: DraftSetting?) -> Bool {
      guard let one, let other else { return one == nil && other == nil }
      return one.isSame(as: other)
    }
    let draft = try draft(channel).settings
    var kept = draft
    for change in Console.changes(before, after) {
      let present = draft.first { $0.name.sameBytes(as: change.name) }
      guard isSame(change.before, present) else { continue }
      kept.removeAll { $0.name.sameBytes(as: change.name) }
      if let setting = change.after { kept.append(setting) }
    }
    if Console.changes(draft, kept).isEmpty { try renewDraft(of: channel) } else { try restore(kept, in: channel) }
  }

  private func put(_ setting: DraftSetting, in channel: String) throws(Refusal) {
    var content: [UInt8]?
    if let value = setting.value, !setting.verb.sameBytes(as: "release") {
      do throws(FleetError) { content = try CBOR.encode(value) } catch {
        throw Refusal(.invalid, "\(setting.name): \(error.message)")
      }
    }
    try database.run(
      """
      INSERT INTO draft_settings (channel, name, verb, content) VALUES (?, ?, ?, ?)
      ON CONFLICT (channel, name) DO UPDATE SET verb = excluded.verb, content = excluded.content
      """, [.text(channel), .text(setting.written), .text(setting.verb), .optional(content)])
  }

  private func check(_ setting: DraftSetting) throws(Refusal) {
    guard (1...Limit.settingName).contains(setting.written.utf8.count), !setting.written.utf8.contains(0) else {
      throw Refusal(.invalid, "A setting's name has 1 to \(Limit.settingName) bytes.")
    }
    if setting.verb.utf8.isEmpty { return }
    guard setting.written.after("sync.") == nil else {
      throw Refusal(
        .invalid, "\(setting.name): what is below `sync.` devices keep themselves, and refuse it in a document.")
    }
    guard let verb = Document.Verb.allCases.first(where: { $0.name.sameBytes(as: setting.verb) }) else {
      throw Refusal(.invalid, "\(setting.name): \(setting.verb) is none of recommend, replace, enforce and release.")
    }
    guard verb == .release || setting.value != nil else {
      throw Refusal(.invalid, "\(setting.name): \(setting.verb) needs a value.")
    }
  }

  /// What has become different, in words, for history.
  private func words(_ changes: [Difference.Setting]) throws(Refusal) -> String {
    var words = ""
    let secrets = try secrets()
    for change in changes.prefix(20) {
      let isSecret = secrets.contains { $0.sameBytes(as: change.name) }
      if !words.utf8.isEmpty { words += "; " }
      words += "\(change.name): \(Console.words(change.before, isSecret)) → \(Console.words(change.after, isSecret))"
    }
    if changes.count > 20 { words += "; and \(changes.count - 20) more" }
    return words
  }

  /// A setting in words, for history.
  static func words(_ setting: DraftSetting?, _ isSecret: Bool = false) -> String {
    guard let setting else { return "nothing" }
    if isSecret || setting.isSecret { return setting.verb + " …" }
    guard let value = setting.value else { return setting.verb }
    var text = (try? value.jsonText()) ?? "…"
    if text.utf8.count > 80 { text = text.cut(77) + "…" }
    return setting.verb + " " + text
  }

  /// What a document says, as drafts have it.
  func settings(of document: Document) throws(Refusal) -> [DraftSetting] {
    try names().named(document.settings.map { DraftSetting(name: $0.name, verb: $0.verb.name, value: $0.value) })
  }

  /// What a channel says to all of its devices, or to those that are in where something rolls out.
  func publishedSettings(_ channel: String) throws(Refusal) -> [DraftSetting] {
    guard let last = try standing(channel).last else { return [] }
    let hash = try database.first("SELECT hash FROM publications WHERE number = ?", [.int(last.number)]) {
      (row) throws(Refusal) in row.bytes(0)
    }
    return try readableSettings(hash ?? last.hash)
  }

  /// What a document says; nothing if it cannot be read.
  func readableSettings(_ hash: [UInt8]) throws(Refusal) -> [DraftSetting] { try settingsIfAny(hash) ?? [] }

  /// What a document says; nil if it is not there, or cannot be read.
  func settingsIfAny(_ hash: [UInt8]) throws(Refusal) -> [DraftSetting]? {
    guard try document(hash) != nil else { return nil }
    do throws(Refusal) { return try settings(hash) } catch {
      guard error.reason == .invalid else { throw error }
      return nil
    }
  }

  func settings(_ hash: [UInt8]) throws(Refusal) -> [DraftSetting] {
    guard try document(hash) != nil else { return [] }
    return try settings(of: try held(hash))
  }

  /// What is other after than before, in the order of the names; both are in it.
  static func changes(_ before: [DraftSetting], _ after: [DraftSetting]) -> [Difference.Setting] {
    var changes: [Difference.Setting] = []
    var (left, right) = (0, 0)
    let (old, new) = (before.sorted(), after.sorted())
    while left < old.count || right < new.count {
      let takesOld =
        right == new.count
        || left < old.count && old[left].name.utf8.lexicographicallyPrecedes(new[right].name.utf8)
      if takesOld {
        changes.append(Difference.Setting(name: old[left].name, before: old[left], after: nil, devices: nil))
        left += 1
      } else if left < old.count, old[left].name.sameBytes(as: new[right].name) {
        if !old[left].isSame(as: new[right]) {
          changes.append(
            Difference.Setting(name: new[right].name, before: old[left], after: new[right], devices: nil))
        }
        left += 1
        right += 1
      } else {
        changes.append(Difference.Setting(name: new[right].name, before: nil, after: new[right], devices: nil))
        right += 1
      }
    }
    return changes
  }
}

extension ChannelDraft {
  /// Whether it stays as it is with these settings, which go by the names that the schema has for them.
  func has(_ others: [DraftSetting]) -> Bool {
    let own = settings.sorted()
    var place = 0
    for other in others.sorted() {
      while place < own.count, own[place].name.utf8.lexicographicallyPrecedes(other.name.utf8) { place += 1 }
      guard place < own.count, own[place].name.sameBytes(as: other.name) else {
        // It is not there, and is to be taken out.
        if other.verb.utf8.isEmpty { continue }
        return false
      }
      guard own[place].isSame(as: other), own[place].written.sameBytes(as: other.written) else { return false }
    }
    return true
  }
}

extension [DraftSetting] {
  func sorted() -> [DraftSetting] { sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
}

extension DraftSetting {
  func isSame(as other: DraftSetting) -> Bool { verb.sameBytes(as: other.verb) && value == other.value }
}

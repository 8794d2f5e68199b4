import LiveryClient
import LiveryFleet
import LiveryHTTP

// Drafts become documents, and documents come to devices step by step.
extension Console {
  package func publish(
    _ channel: String, _ plan: Plan, at revision: UInt64, by person: Person
  ) throws(Refusal) -> Int64 {
    try plan.check()
    return try change { (stamp) throws(Refusal) in
      let kind = try known(channel)
      let draft = try draft(channel)
      guard draft.revision == revision else {
        throw Refusal(
          .conflict, "The draft, or what is published, has changed meanwhile: it is at revision \(draft.revision).")
      }
      if plan.conditions.schema == nil { try checkChanges(try publishedSettings(channel), draft.settings) }
      let number =
        plan.conditions.isOverlay
        ? try lay(kind, draft.settings, plan, stamp, by: person)
        : try publish(kind, draft.settings, plan, stamp, by: person)
      try note(person, "published \(channel)", "publication \(number)\(plan.words)")
      return number
    }
  }

  /// Refuses what the present schema does not take of what becomes different: what is said already may be for devices whose schema is
  /// another one.
  func checkChanges(_ before: [DraftSetting], _ after: [DraftSetting]) throws(Refusal) {
    guard let one = try unfit(Console.changes(before, after).compactMap { $0.after }).first else { return }
    throw Refusal(.invalid, "With the present schema: \(one.name): \(one.problem)")
  }

  /// Makes a publication of settings, which is what the channel says from then on; within a change.
  func publish(
    _ channel: LiveryFleet.Channel, _ settings: [DraftSetting], _ plan: Plan, _ stamp: Int64, by person: Person
  ) throws(Refusal) -> Int64 {
    let standing = try standing(channel.name)
    if let rolling = standing.first(where: { $0.share != nil }) {
      throw Refusal(
        .conflict, "Publication \(rolling.number) is rolling out: stop it, or let it come to its end, before another.")
    }
    var before = Document(settings: [])
    // Beside one that cannot be read anything is different; where nothing stands, nothing is said.
    var isKnown = standing.isEmpty
    if let last = standing.last {
      do throws(Refusal) { (before, isKnown) = (try held(last.hash), true) } catch {
        if error.reason != .invalid { throw error }
      }
    }
    let number = try next("publication")
    var document = try made(settings, before, number, plan.conditions)
    guard document != before || !isKnown else {
      throw Refusal(.invalid, "Nothing would become different: the draft is what is published.")
    }
    let isGradual = plan.steps.count > 1
    document = try distinct(document, number, in: channel.name)
    let hash = try keep(document, stamp)
    var rolling = hash
    if isGradual {
      // While some have it and others do not, both documents hold for those who do. What is not said any more is released.
      var settings = document.settings
      let names = try names()
      let said = FoundSettings(settings, names)
      for old in before.settings where said.setting(names.name(old.name)) == nil {
        settings.append(Document.Setting(old.name, .release))
      }
      if settings.count > document.settings.count {
        let both = Document(from: document.from, settings: settings, assets: document.assets, trial: document.trial)
        rolling = try keep(try distinct(both, number, in: channel.name), stamp)
      }
    }
    try record(
      Made(number: number, hash: hash, rolling: rolling, previous: standing.last?.number), of: channel, plan,
      by: person)
    try database.run(
      """
      INSERT INTO standing (channel, base, rolling) VALUES (?, ?, ?)
      ON CONFLICT (channel) DO UPDATE SET base = excluded.base, rolling = excluded.rolling
      """,
      [
        .text(channel.name), isGradual ? .optional(standing.last?.number) : .int(number),
        isGradual ? .int(number) : .null,
      ])
    try sign(channel, stamp, isChanged: true)
    return number
  }

  /// A document of settings. One that replaces keeps its number as long as its value is the same: it becomes active once.
  func made(
    _ settings: [DraftSetting], _ before: Document, _ number: Int64, _ conditions: Conditions
  ) throws(Refusal) -> Document {
    var listed: [Document.Setting] = []
    var assets: [Document.Asset] = []
    let replaced = FoundSettings(before.settings.filter { $0.verb == .replace }, try names())
    for setting in settings {
      guard let verb = Document.Verb.allCases.first(where: { $0.name.sameBytes(as: setting.verb) }) else { continue }
      var one = Document.Setting(setting.written, verb, verb == .release ? nil : setting.value)
      if verb == .replace {
        let old = replaced.setting(setting.name)
        one.serial = old?.value == one.value ? old?.serial ?? number : number
      }
      listed.append(one)
      try add(imagesOf: setting.value, to: &assets)
    }
    guard assets.count <= Limit.assets else { throw Refusal(.invalid, "There are more than \(Limit.assets) images.") }
    return Document(
      schema: conditions.schema, from: conditions.from, until: conditions.until, settings: listed, assets: assets,
      trial: conditions.trial)
  }

  func add(imagesOf value: Value?, to assets: inout [Document.Asset]) throws(Refusal) {
    switch value {
    case .image(let id)?:
      guard !id.utf8.isEmpty, let hash = Hexadecimal.bytes(id), !assets.contains(where: { $0.hash == hash }) else {
        return
      }
      guard let size = try database.number("SELECT size FROM assets WHERE hash = ?", [.bytes(hash)]) else {
        throw Refusal(.invalid, "The image \(id) is not here: upload it first.")
      }
      assets.append(Document.Asset(hash: hash, size: size))
    case .list(let items)?: for item in items { try add(imagesOf: item, to: &assets) }
    case .object(let members)?: for member in members { try add(imagesOf: member.value, to: &assets) }
    default: break
    }
  }

  /// A document that is published.
  ///
  /// - Throws: `.notFound` if it is not there: what is made without it would lose what it says.
  func held(_ hash: [UInt8]) throws(Refusal) -> Document {
    guard let bytes = try self.document(hash) else {
      throw Refusal(.notFound, "The document \(hash.hexadecimal) is published, and not in the database.")
    }
    do throws(FleetError) { return try Document.decode(bytes) } catch { throw Refusal(error) }
  }

  /// A document that is published. One that cannot be read devices have refused as well: it says nothing.
  func readable(_ hash: [UInt8]) throws(Refusal) -> Document {
    do throws(Refusal) { return try held(hash) } catch {
      guard error.reason == .invalid else { throw error }
      return Document(settings: [])
    }
  }

  func keep(_ document: Document, _ stamp: Int64) throws(Refusal) -> [UInt8] {
    // Devices take no more, and what is not said any more counts as well as long as it has to be released.
    guard document.settings.count <= Limit.settings else {
      throw Refusal(
        .invalid,
        "It would say \(document.settings.count) settings, with what it releases, and may say \(Limit.settings).")
    }
    let bytes: [UInt8]
    do throws(FleetError) { bytes = try document.encoded() } catch { throw Refusal(error) }
    let hash = Crypto.hash(bytes)
    try database.run(
      "INSERT INTO documents (hash, content, stamp) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
      [.bytes(hash), .bytes(bytes), .int(stamp)])
    return hash
  }

  /// What a publication is made of.
  struct Made {
    var number: Int64
    var hash: [UInt8]
    /// While it rolls out.
    var rolling: [UInt8]
    /// What the channel says without it.
    var previous: Int64?
  }

  /// Keeps a publication; within a change.
  func record(
    _ made: Made, of channel: LiveryFleet.Channel, _ plan: Plan, by person: Person
  ) throws(Refusal) {
    let version = (try database.number("SELECT version FROM channels WHERE name = ?", [.text(channel.name)]) ?? 0) + 1
    let conditions = plan.conditions
    try database.run(
      """
      INSERT INTO publications (number, channel, author, comment, time, version, hash, rolling_hash, salt, step, steps,
      pause, bound, state, since, previous, name, begins, ends, trial, trial_check, app, schema_least, schema_most,
      overlay, stands, ends_at, settles_at, step_version)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(made.number), .text(channel.name), .text(person.name), .text(plan.comment.nulFree), .int(Console.now),
        .int(version), .bytes(made.hash), .bytes(made.rolling), .bytes(try salt(plan, of: channel)), .text(plan.text),
        .int(Int64(plan.pause)), .int(Int64(plan.bound)), .text(plan.steps.count > 1 ? "rolling" : "complete"),
        .int(Console.now), .optional(made.previous), .optional(plan.name), .optional(conditions.from?.text),
        .optional(conditions.until?.text), .optional(conditions.trial?.seconds), .optional(conditions.trial?.check),
        .optional(conditions.app), .optional(conditions.schema?.lowerBound), .optional(conditions.schema?.upperBound),
        .int(conditions.isOverlay ? 1 : 0), .int(conditions.isOverlay ? 1 : 0), .optional(conditions.until?.latest),
        .optional(conditions.settles ? conditions.from?.latest : nil), .int(version),
      ])
  }

  /// Checks values against the schemas that a publication is for, as far as the console has them.
  func check(_ settings: [DraftSetting], for range: ClosedRange<Int64>?) throws(Refusal) {
    guard let range else { return }
    let schemas = try database.all(
      "SELECT version, content FROM schemas WHERE version >= ? AND version <= ? ORDER BY version DESC, number DESC",
      [.int(range.lowerBound), .int(range.upperBound)]
    ) { (row) throws(Refusal) in (version: row.int(0), content: row.bytes(1)) }
    var last: Int64?
    for schema in schemas where schema.version != last {
      last = schema.version
      for setting in settings {
        guard let value = setting.value else { continue }
        // Devices know it by the name that is written.
        let name = setting.written
        do throws(Refusal) { _ = try types.typed([Value.Member(name, value)], schema.content) } catch {
          guard error.reason == .invalid else { throw error }
          let said = try bared().shown(error.message, of: name, by: schema.version)
          let words = said.sameBytes(as: error.message) ? said : "\(name): \(said)"
          throw Refusal(.invalid, "With version \(schema.version) of the schema: \(words)", at: "schema")
        }
      }
    }
  }
}

extension Plan {
  /// What stands in history behind the number: a name, conditions, a comment.
  var words: String {
    var words = name.map { " " + $0 } ?? ""
    let conditions = conditions.words
    if !conditions.utf8.isEmpty { words += ", " + conditions }
    return comment.utf8.isEmpty ? words : words + ": " + comment
  }
}

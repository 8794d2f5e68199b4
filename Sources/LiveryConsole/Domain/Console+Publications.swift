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
        throw Refusal(.conflict, "Somebody else has changed the draft meanwhile: it is at revision \(draft.revision).")
      }
      let number = try publish(kind, draft.settings, plan, stamp, by: person)
      try note(person, "published \(channel)", "publication \(number): \(plan.comment)")
      return number
    }
  }

  /// Makes a publication of settings; within a change.
  private func publish(
    _ channel: LiveryFleet.Channel, _ settings: [DraftSetting], _ plan: Plan, _ stamp: Int64, by person: Person
  ) throws(Refusal) -> Int64 {
    let standing = try standing(channel.name)
    if let rolling = standing.first(where: { $0.share != nil }) {
      throw Refusal(
        .conflict, "Publication \(rolling.number) is rolling out: stop it, or let it come to its end, before another.")
    }
    let base = try standing.last.map { (one) throws(Refusal) in try self.document(one.hash) ?? [] }
    var before = Document(settings: [])
    if let base, let decoded = try? Document.decode(base) { before = decoded }
    let number = try next("publication")
    let document = try made(settings, before, number)
    guard document != before || standing.isEmpty else {
      throw Refusal(.invalid, "Nothing would become different: the draft is what is published.")
    }
    let hash = try keep(document, stamp)
    var rolling = hash
    let isGradual = plan.steps.count > 1
    if isGradual {
      // While some have it and others do not, both documents hold for those who do. What is not said any more is released.
      var settings = document.settings
      for old in before.settings where !settings.contains(where: { $0.name.sameBytes(as: old.name) }) {
        settings.append(Document.Setting(old.name, .release))
      }
      if settings.count > document.settings.count {
        rolling = try keep(Document(settings: settings, assets: document.assets), stamp)
      }
    }
    let version = (try database.number("SELECT version FROM channels WHERE name = ?", [.text(channel.name)]) ?? 0) + 1
    try database.run(
      """
      INSERT INTO publications (number, channel, author, comment, time, version, hash, rolling_hash, salt, step, steps,
      pause, bound, state, since, previous) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(number), .text(channel.name), .text(person.name), .text(plan.comment.nulFree), .int(Console.now),
        .int(version), .bytes(hash), .bytes(rolling), .bytes(Crypto.random(8)), .text(plan.text),
        .int(Int64(plan.pause)), .int(Int64(plan.bound)), .text(isGradual ? "rolling" : "complete"), .int(Console.now),
        .optional(standing.last?.number),
      ])
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
  private func made(_ settings: [DraftSetting], _ before: Document, _ number: Int64) throws(Refusal) -> Document {
    var listed: [Document.Setting] = []
    var assets: [Document.Asset] = []
    for setting in settings {
      guard let verb = Document.Verb.allCases.first(where: { $0.name.sameBytes(as: setting.verb) }) else { continue }
      var one = Document.Setting(setting.name, verb, verb == .release ? nil : setting.value)
      if verb == .replace {
        let old = before.settings.first { $0.name.sameBytes(as: setting.name) && $0.verb == .replace }
        one.serial = old?.value == one.value ? old?.serial ?? number : number
      }
      listed.append(one)
      try add(imagesOf: setting.value, to: &assets)
    }
    guard assets.count <= Limit.assets else { throw Refusal(.invalid, "There are more than \(Limit.assets) images.") }
    return Document(settings: listed, assets: assets)
  }

  private func add(imagesOf value: Value?, to assets: inout [Document.Asset]) throws(Refusal) {
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

  private func keep(_ document: Document, _ stamp: Int64) throws(Refusal) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FleetError) { bytes = try document.encoded() } catch { throw Refusal(error) }
    let hash = Crypto.hash(bytes)
    try database.run(
      "INSERT INTO documents (hash, content, stamp) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
      [.bytes(hash), .bytes(bytes), .int(stamp)])
    return hash
  }

  package func publications(_ channel: String?, before: Int64?, limit: Int) throws(Refusal) -> [PublicationLine] {
    var sql = Console.publicationColumns + " WHERE number < ?"
    var parameters = [Database.Parameter.int(before ?? .max)]
    if let channel {
      sql += " AND channel = ?"
      parameters.append(.text(channel.nulFree))
    }
    return try database.all(
      sql + " ORDER BY number DESC LIMIT ?", parameters + [.int(Int64(max(1, min(limit, 1000))))]
    ) { (row) throws(Refusal) in Console.publication(row).line }
  }

  private static let publicationColumns = """
    SELECT number, channel, author, comment, time, version, state, steps, step, pause, bound, since, reason, hash,
    rolling_hash, salt, previous FROM publications
    """

  struct Publication {
    var line: PublicationLine
    var plan: Plan
    var step: Int
    var since: Int64
    var reason: String?
    var hash: [UInt8]
    var rollingHash: [UInt8]
    var salt: [UInt8]
    var previous: Int64?
  }

  private static func publication(_ row: Database.Row) -> Publication {
    var line = PublicationLine()
    line.number = row.int(0)
    line.channel = row.text(1)
    line.author = row.text(2)
    line.comment = row.text(3)
    line.time = row.int(4)
    line.version = row.int(5)
    var plan = Plan()
    plan.comment = line.comment
    plan.steps = Plan.steps(row.text(7))
    plan.pause = Int(clamping: row.int(9))
    plan.bound = Int(clamping: row.int(10))
    let step = Int(clamping: row.int(8))
    let share = plan.steps.indices.contains(step) ? plan.steps[step] : 10_000
    switch row.text(6) {
    case "rolling": (line.state, line.share) = (.rolling, share)
    case "stopped": (line.state, line.share) = (.stopped, 0)
    case "undone": (line.state, line.share) = (.undone, 0)
    default: (line.state, line.share) = (.complete, 10_000)
    }
    return Publication(
      line: line, plan: plan, step: step, since: row.int(11), reason: row.textIfAny(12), hash: row.bytes(13),
      rollingHash: row.bytes(14), salt: row.bytes(15), previous: row.intIfAny(16))
  }

  func found(_ number: Int64) throws(Refusal) -> Publication {
    guard
      let publication = try database.first(
        Console.publicationColumns + " WHERE number = ?", [.int(number)],
        { (row) throws(Refusal) in Console.publication(row) })
    else { throw Refusal(.notFound, "There is no such publication.") }
    return publication
  }

  package func publication(_ number: Int64) throws(Refusal) -> PublicationDetail {
    let publication = try found(number)
    var detail = PublicationDetail()
    detail.line = publication.line
    detail.plan = publication.plan
    detail.reason = publication.reason
    if publication.line.state == .rolling { detail.next = publication.since + Int64(publication.plan.pause) }
    let tally = try tally(publication)
    detail.expected = tally.expected
    detail.applied = tally.applied
    detail.failed = tally.failed
    detail.failures = tally.failures
    var before: [DraftSetting] = []
    if let previous = publication.previous { before = try settings(try found(previous).hash) }
    detail.settings = Console.changes(before, try settings(publication.hash))
    let base = try database.number("SELECT base FROM standing WHERE channel = ?", [.text(publication.line.channel)])
    detail.canUndo = publication.line.state == .complete && base == number
    return detail
  }

  package func act(_ step: RolloutStep, on number: Int64, by person: Person) throws(Refusal) -> Int64 {
    try change { (stamp) throws(Refusal) in
      let publication = try found(number)
      switch step {
      case .stop: try stop(publication, "stopped by \(person.name)", stamp)
      case .raise: try raise(publication, stamp)
      case .resume: try resume(publication, stamp)
      case .undo: return try undo(publication, stamp, by: person)
      }
      try note(person, "\(step.past) publication \(number)", publication.line.channel)
      return number
    }
  }

  func stop(_ publication: Publication, _ reason: String, _ stamp: Int64) throws(Refusal) {
    guard publication.line.state == .rolling else {
      throw Refusal(.conflict, "Publication \(publication.line.number) is not rolling out.")
    }
    let channel = try known(publication.line.channel)
    try database.run(
      "UPDATE publications SET state = 'stopped', reason = ?, since = ? WHERE number = ?",
      [.text(reason), .int(Console.now), .int(publication.line.number)])
    try database.run("UPDATE standing SET rolling = NULL WHERE channel = ?", [.text(publication.line.channel)])
    try sign(channel, stamp, isChanged: true)
  }

  func raise(_ publication: Publication, _ stamp: Int64) throws(Refusal) {
    guard publication.line.state == .rolling else {
      throw Refusal(.conflict, "Publication \(publication.line.number) is not rolling out.")
    }
    let channel = try known(publication.line.channel)
    let step = publication.step + 1
    let isLast = step + 1 >= publication.plan.steps.count
    try database.run(
      "UPDATE publications SET step = ?, since = ?, state = ? WHERE number = ?",
      [
        .int(Int64(step)), .int(Console.now), .text(isLast ? "complete" : "rolling"), .int(publication.line.number),
      ])
    if isLast {
      try database.run(
        "UPDATE standing SET base = ?, rolling = NULL WHERE channel = ?",
        [.int(publication.line.number), .text(publication.line.channel)])
    }
    try sign(channel, stamp, isChanged: true)
  }

  private func resume(_ publication: Publication, _ stamp: Int64) throws(Refusal) {
    let channel = try known(publication.line.channel)
    guard publication.line.state == .stopped else {
      throw Refusal(.conflict, "Publication \(publication.line.number) was not stopped.")
    }
    let standing = try standing(publication.line.channel)
    guard standing.allSatisfy({ $0.share == nil }), standing.last?.number == publication.previous else {
      throw Refusal(.conflict, "Something else was published in \(publication.line.channel) meanwhile.")
    }
    try database.run(
      "UPDATE publications SET state = 'rolling', reason = NULL, since = ? WHERE number = ?",
      [.int(Console.now), .int(publication.line.number)])
    try database.run(
      """
      INSERT INTO standing (channel, rolling) VALUES (?, ?)
      ON CONFLICT (channel) DO UPDATE SET rolling = excluded.rolling
      """, [.text(publication.line.channel), .int(publication.line.number)])
    try sign(channel, stamp, isChanged: true)
  }

  /// Publishes what was there before.
  private func undo(_ publication: Publication, _ stamp: Int64, by person: Person) throws(Refusal) -> Int64 {
    let channel = try known(publication.line.channel)
    let standing = try standing(publication.line.channel)
    guard publication.line.state == .complete, standing.count == 1, standing[0].number == publication.line.number else {
      throw Refusal(.conflict, "Only what is published last, and for all, can be undone.")
    }
    var before: [DraftSetting] = []
    if let previous = publication.previous { before = try settings(try found(previous).hash) }
    var plan = Plan()
    plan.comment = "Undoes publication \(publication.line.number)"
    let number = try publish(channel, before, plan, stamp, by: person)
    try database.run("UPDATE publications SET state = 'undone' WHERE number = ?", [.int(publication.line.number)])
    try note(person, "undid publication \(publication.line.number)", "publication \(number)")
    return number
  }

  package func history(before: Int64?, limit: Int) throws(Refusal) -> [HistoryLine] {
    try database.all(
      "SELECT number, time, author, what, detail FROM history WHERE number < ? ORDER BY number DESC LIMIT ?",
      [.int(before ?? .max), .int(Int64(max(1, min(limit, 1000))))]
    ) { (row) throws(Refusal) in
      var line = HistoryLine()
      line.number = row.int(0)
      line.time = row.int(1)
      line.author = row.text(2)
      line.what = row.text(3)
      line.detail = row.text(4)
      return line
    }
  }
}

extension Plan {
  func check() throws(Refusal) {
    guard (1...20).contains(steps.count), steps.last == 10_000, steps.first ?? 0 >= 1,
      zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 })
    else {
      throw Refusal(
        .invalid, "The steps of a rollout are up to 20 shares that rise to 10,000, in hundredths of a percent.")
    }
    guard (0...2_592_000).contains(pause) else { throw Refusal(.invalid, "The pause is 0 to 2,592,000 seconds.") }
    guard (0...10_000).contains(bound) else {
      throw Refusal(.invalid, "The bound of failures is 0 to 10,000, in hundredths of a percent.")
    }
    guard comment.utf8.count <= 1000 else { throw Refusal(.invalid, "A comment has at most 1,000 bytes.") }
  }
}

extension RolloutStep {
  var past: String {
    switch self {
    case .stop: "stopped"
    case .raise: "raised"
    case .resume: "resumed"
    case .undo: "undid"
    }
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// Overlays: publications for a time, for an app, or for some versions of the schema. Each holds above what its channel says
// otherwise, which is there before, after, and for everybody else.
extension Console {
  /// The most of a channel: a device takes 64 documents of all its channels.
  static let mostOverlays = 16

  /// Publishes what a draft says otherwise than its channel, above that; within a change. The draft is what the channel says then.
  func lay(
    _ channel: LiveryFleet.Channel, _ settings: [DraftSetting], _ plan: Plan, _ stamp: Int64, by person: Person
  ) throws(Refusal) -> Int64 {
    guard try overlays(channel.name).count < Console.mostOverlays else {
      throw Refusal(
        .conflict, "There are \(Console.mostOverlays) publications above what is said: take one back first.")
    }
    let said = try publishedSettings(channel.name)
    let changes = Console.changes(said, settings)
    guard !changes.isEmpty else {
      throw Refusal(.invalid, "Nothing would become different: the draft is what is published.")
    }
    var laid: [DraftSetting] = []
    for change in changes {
      if let after = change.after {
        laid.append(after)
      } else if plan.conditions.settles {
        throw Refusal(
          .invalid, "\(change.name) is taken out of the draft: what begins later can release it, and not take it out.",
          at: "from")
      } else {
        var released = DraftSetting(name: change.name, verb: "release", value: nil)
        released.alias = change.before?.alias
        laid.append(released)
      }
    }
    try check(laid, for: plan.conditions.schema)
    let number = try next("publication")
    let document = try made(laid, Document(settings: []), number, plan.conditions)
    let hash = try keep(try distinct(document, number, in: channel.name), stamp)
    let previous = try standing(channel.name).last?.number
    try record(Made(number: number, hash: hash, rolling: hash, previous: previous), of: channel, plan, by: person)
    try restore(said, in: channel.name)
    try sign(channel, stamp, isChanged: true)
    return number
  }

  /// A document that a manifest has not yet: hashes stand once in it. What is added to one that it has changes nothing for devices.
  func distinct(_ document: Document, _ number: Int64, in channel: String) throws(Refusal) -> Document {
    var document = document
    let bytes: [UInt8]
    do throws(FleetError) { bytes = try document.encoded() } catch { throw Refusal(error) }
    let hash = Crypto.hash(bytes)
    // Of what rolls out also what it is going to be.
    let other = try database.number(
      """
      SELECT MIN(number) FROM publications WHERE channel = ? AND number <> ? AND (hash = ? OR rolling_hash = ?)
      AND (stands = 1 OR number IN (SELECT base FROM standing WHERE channel = ?)
      OR number IN (SELECT rolling FROM standing WHERE channel = ?))
      """, [.text(channel), .int(number), .bytes(hash), .bytes(hash), .text(channel), .text(channel)])
    guard let other else { return document }
    if document.from == nil {
      document.from = .moment(number)
    } else if document.until == nil {
      document.until = .moment(Limit.time - number)
    } else if document.schema == nil, try schema() != nil {
      document.schema = 1...(Limit.version - number)
    } else {
      throw Refusal(.conflict, "Publication \(other) says the same for the same time.")
    }
    return document
  }

  /// Has a publication that goes on be distinct from what has come to its channel meanwhile; within a change.
  func renew(_ publication: Publication, _ channel: LiveryFleet.Channel, _ stamp: Int64) throws(Refusal) {
    var hashes: [[UInt8]] = []
    for hash in [publication.hash, publication.rollingHash] {
      hashes.append(try keep(try distinct(try held(hash), publication.line.number, in: channel.name), stamp))
    }
    try database.run(
      "UPDATE publications SET hash = ?, rolling_hash = ? WHERE number = ?",
      [.bytes(hashes[0]), .bytes(hashes[1]), .int(publication.line.number)])
  }

  /// What holds in a channel above what it says otherwise, the weakest first.
  func overlays(_ channel: String) throws(Refusal) -> [Standing] {
    try database.all(
      """
      SELECT number, hash, salt, step, steps, state, app, name, author, comment FROM publications
      WHERE channel = ? AND stands = 1 ORDER BY number
      """, [.text(channel)]
    ) { (row) throws(Refusal) -> Standing in
      let steps = Plan.steps(row.text(4))
      let step = Int(clamping: row.int(3))
      let share = Int64(steps.indices.contains(step) ? steps[step] : 10_000)
      return Standing(
        number: row.int(0), author: row.text(8), comment: row.text(9), hash: row.bytes(1), salt: row.bytes(2),
        share: row.text(5).sameBytes(as: "rolling") ? share : nil, app: row.textIfAny(6), name: row.textIfAny(7))
    }
  }

  /// Refuses to resume what cannot go on, whatever it says.
  func checkResumeOverlay(_ publication: Publication) throws(Refusal) {
    let channel = publication.line.channel
    if let until = publication.line.conditions.until, until.latest <= Console.now {
      throw Refusal(.conflict, "The time of publication \(publication.line.number) is over.")
    }
    guard try overlays(channel).count < Console.mostOverlays else {
      throw Refusal(
        .conflict, "There are \(Console.mostOverlays) publications above what is said: take one back first.")
    }
    // What was above it has become what the channel says, and would be beneath it; what it said itself is still kept.
    let settled = try database.all(
      """
      SELECT number, rolling_hash FROM publications WHERE channel = ? AND number > ? AND overlay = 0
      AND begins IS NOT NULL ORDER BY number
      """, [.text(channel), .int(publication.line.number)]
    ) { (row) throws(Refusal) in (number: row.int(0), hash: row.bytes(1)) }
    for other in settled where try isAbout(other.hash, publication.hash) {
      throw Refusal(
        .conflict, "Publication \(other.number), which was above it, is what \(channel) says: publish it anew.")
    }
  }

  func resumeOverlay(_ publication: Publication, _ channel: LiveryFleet.Channel, _ stamp: Int64) throws(Refusal) {
    if publication.line.conditions.schema == nil {
      try checkChanges(try publishedSettings(channel.name), try readableSettings(publication.hash))
    }
    try renew(publication, channel, stamp)
    try database.run(
      """
      UPDATE publications SET state = 'rolling', stands = 1, reason = NULL, outcome = NULL, since = ?,
      step_version = \(Console.nextVersion) WHERE number = ?
      """, [.int(Console.now), .int(publication.line.number)])
  }

  /// Has an overlay not hold any more.
  func takeBack(_ publication: Publication, _ channel: LiveryFleet.Channel, _ stamp: Int64) throws(Refusal) {
    guard publication.stands else {
      throw Refusal(.conflict, "Publication \(publication.line.number) does not hold any more.")
    }
    try database.run(
      "UPDATE publications SET state = 'undone', stands = 0, since = ? WHERE number = ?",
      [.int(Console.now), .int(publication.line.number)])
    try sign(channel, stamp, isChanged: true)
  }

  /// Whether two documents have a setting in common.
  private func isAbout(_ one: [UInt8], _ other: [UInt8]) throws(Refusal) -> Bool {
    let settings = try settings(of: try readable(other))
    return try self.settings(of: try readable(one)).contains { (setting) in
      settings.contains { $0.name.sameBytes(as: setting.name) }
    }
  }

  /// Whether one that has begun for good can be what its channel says: nothing rolls out there, and no weaker one is about the
  /// same, which would be the stronger then.
  private func canSettle(_ publication: Publication, _ standing: [Standing]) throws(Refusal) -> Bool {
    guard publication.line.state == .complete, standing.allSatisfy({ $0.share == nil }) else { return false }
    for other in try overlays(publication.line.channel) where other.number < publication.line.number {
      if try isAbout(other.hash, publication.hash) { return false }
    }
    return true
  }

  /// Ends what is over, and lets what has begun for good be what its channel says.
  func lookAtOverlays() throws(Refusal) {
    let now = Database.Parameter.int(Console.now)
    let due = try database.all(
      """
      SELECT number FROM publications WHERE stands = 1 AND (ends_at <= ? OR settles_at <= ? AND state = 'complete')
      ORDER BY number
      """, [now, now]
    ) { (row) throws(Refusal) in row.int(0) }
    for number in due {
      do throws(Refusal) {
        let seen = try found(number)
        if seen.line.conditions.settles, try !canSettle(seen, try standing(seen.line.channel)) { continue }
        try change { (stamp) throws(Refusal) in
          let publication = try found(number)
          // Another console may have been faster.
          guard publication.stands, let channel = LiveryFleet.Channel(name: publication.line.channel) else { return }
          if publication.line.conditions.settles {
            try settle(publication, channel, stamp)
          } else {
            try end(publication, channel, stamp)
          }
        }
      } catch { if error.reason == .busy { throw error } }
    }
  }

  private func end(_ publication: Publication, _ channel: LiveryFleet.Channel, _ stamp: Int64) throws(Refusal) {
    let number = publication.line.number
    try database.run(
      "UPDATE publications SET state = 'over', stands = 0, since = ? WHERE number = ?",
      [.int(Console.now), .int(number)])
    // Devices have ended it by themselves: those that have not heard of it are no less right.
    try sign(channel, stamp, isChanged: false)
    try note(Console.itself, "ended publication \(number)", "its time is over")
  }

  /// An overlay from a moment on becomes part of what its channel says. Nothing changes for devices.
  private func settle(_ publication: Publication, _ channel: LiveryFleet.Channel, _ stamp: Int64) throws(Refusal) {
    let number = publication.line.number
    // What was so when it was looked for may be otherwise by now.
    let standing = try standing(channel.name)
    guard try canSettle(publication, standing) else { return }
    let base = standing.last
    let before = try base.map { (one) throws(Refusal) in try readable(one.hash) } ?? Document(settings: [])
    let laid = try readable(publication.hash)
    let names = try names()
    let said = FoundSettings(laid.settings, names)
    let others = before.settings.filter { said.setting(names.name($0.name)) == nil }
    var assets: [Document.Asset] = []
    for setting in others + laid.settings { try add(imagesOf: setting.value, to: &assets) }
    guard others.count + laid.settings.count <= Limit.settings, assets.count <= Limit.assets else {
      // Too much for one document: it stays above.
      return try database.run("UPDATE publications SET settles_at = NULL WHERE number = ?", [.int(number)])
    }
    let folded = try distinct(
      Document(settings: others + laid.settings, assets: assets, trial: laid.trial ?? before.trial), number,
      in: channel.name)
    try carryDraft(of: channel.name, from: try settings(of: before), to: try settings(of: folded))
    try database.run(
      """
      UPDATE publications SET hash = ?, previous = ?, overlay = 0, stands = 0, settles_at = NULL WHERE number = ?
      """,
      [.bytes(try keep(folded, stamp)), .optional(base?.number), .int(number)])
    try database.run(
      """
      INSERT INTO standing (channel, base) VALUES (?, ?) ON CONFLICT (channel) DO UPDATE SET base = excluded.base
      """, [.text(channel.name), .int(number)])
    try sign(channel, stamp, isChanged: false)
    try note(
      Console.itself, "settled publication \(number)", "it has begun everywhere, and is what \(channel.name) says")
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// What was published, and what people do with it: stop, go on, undo.
extension Console {
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
    rolling_hash, salt, previous, name, begins, ends, trial, trial_check, app, schema_least, schema_most, overlay, stands,
    (SELECT COUNT(*) FROM standing s WHERE s.channel = publications.channel AND s.base = publications.number),
    CASE WHEN channel LIKE 'group.%'
      THEN (SELECT COUNT(*) FROM device_groups g WHERE g.name = SUBSTR(publications.channel, 7))
    WHEN channel LIKE 'device.%'
      THEN (SELECT COUNT(*) FROM devices d WHERE d.id = SUBSTR(publications.channel, 8) AND d.refused = 0)
    ELSE 1 END
    FROM publications
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
    /// Whether it is an overlay that its manifest names.
    var stands: Bool
    /// Whether it is what its channel says to all devices.
    var isBase: Bool

    /// Whether something becomes different by undoing it: these settings, or that they are on trial.
    func isUndone(by changes: [Difference.Setting]) -> Bool { !changes.isEmpty || plan.conditions.trial != nil }

    /// Whether its channel names it, and devices are to have it.
    var holds: Bool { line.state == .rolling || line.state == .complete && (stands || isBase) }
  }

  private static func publication(_ row: Database.Row) -> Publication {
    var line = PublicationLine()
    line.number = row.int(0)
    line.channel = row.text(1)
    line.author = row.text(2)
    line.comment = row.text(3)
    line.time = row.int(4)
    line.version = row.int(5)
    line.isGone = row.int(28) == 0
    var plan = Plan()
    plan.comment = line.comment
    plan.steps = Plan.steps(row.text(7))
    plan.pause = Int(clamping: row.int(9))
    plan.bound = Int(clamping: row.int(10))
    plan.name = row.textIfAny(17)
    plan.conditions.from = row.textIfAny(18).flatMap { ScheduledTime(text: $0) }
    plan.conditions.until = row.textIfAny(19).flatMap { ScheduledTime(text: $0) }
    plan.conditions.trial = row.intIfAny(20).map { Document.Trial(seconds: $0, check: row.textIfAny(21)) }
    plan.conditions.app = row.textIfAny(22)
    if let least = row.intIfAny(23), let most = row.intIfAny(24), least <= most {
      plan.conditions.schema = least...most
    }
    (line.name, line.conditions, line.isOverlay) = (plan.name, plan.conditions, row.int(25) != 0)
    let step = Int(clamping: row.int(8))
    let share = plan.steps.indices.contains(step) ? plan.steps[step] : 10_000
    switch row.text(6) {
    case "rolling": (line.state, line.share) = (.rolling, share)
    case "stopped": (line.state, line.share) = (.stopped, 0)
    case "undone": (line.state, line.share) = (.undone, 0)
    case "over": (line.state, line.share) = (.over, 0)
    default: (line.state, line.share) = (.complete, 10_000)
    }
    return Publication(
      line: line, plan: plan, step: step, since: row.int(11), reason: row.textIfAny(12), hash: row.bytes(13),
      rollingHash: row.bytes(14), salt: row.bytes(15), previous: row.intIfAny(16), stands: row.int(26) != 0,
      isBase: row.int(27) != 0)
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
    let tally = try outcome(of: publication)
    detail.holds = publication.holds
    // Who has told and is silent since has it, too.
    detail.expected = tally.expected + (publication.holds ? tally.told - tally.heard : 0)
    detail.applied = tally.applied
    detail.failed = tally.failed
    detail.scheduled = tally.scheduled
    detail.passedOver = tally.passedOver
    detail.failures = tally.failures
    // What cannot be read can be stopped all the same, and undone.
    if let after = try settingsIfAny(publication.hash) {
      var before: [DraftSetting] = []
      if let previous = publication.previous { before = try readableSettings(try found(previous).hash) }
      if publication.line.isOverlay {
        // It says nothing of the others.
        before = before.filter { (old) in after.contains { $0.name.sameBytes(as: old.name) } }
      }
      detail.settings = try shown(Console.changes(before, after))
    } else {
      detail.isUnreadable = true
    }
    guard !publication.line.isGone else { return detail }
    if publication.line.isOverlay {
      detail.canUndo = publication.stands
    } else if publication.line.state == .complete, publication.isBase {
      let isAlone = try standing(publication.line.channel).count == 1
      detail.canUndo = isAlone && (detail.isUnreadable || publication.isUndone(by: detail.settings))
    }
    detail.canResume = try isPossible { () throws(Refusal) in try checkResume(publication) }
    return detail
  }

  /// Whether nothing refuses it for now.
  private func isPossible(_ check: () throws(Refusal) -> Void) throws(Refusal) -> Bool {
    do throws(Refusal) { try check() } catch {
      guard error.reason != .busy else { throw error }
      return false
    }
    return true
  }

  /// What devices tell of a publication; of one that was stopped what they had told then, since they have other things by now. Of one
  /// that others have followed nothing.
  private func outcome(of publication: Publication) throws(Refusal) -> Tally {
    if publication.line.state == .stopped {
      let kept = try database.first(
        "SELECT outcome FROM publications WHERE number = ?", [.int(publication.line.number)]
      ) { (row) throws(Refusal) in row.bytesIfAny(0) }
      if let outcome = kept.flatMap({ $0 }), var tally = Tally(encoded: outcome) {
        let bared = try bared()
        tally.failures = tally.failures.map { ($0.device, $0.name, bared.shown(failure: $0.problem)) }
        return tally
      }
    }
    // Devices have what came after it, be it in another group of the same name.
    if publication.line.state == .complete, !publication.holds { return Tally() }
    return try tally(publication)
  }

  package func act(
    _ step: RolloutStep, on number: Int64, at share: Int? = nil, by person: Person
  ) throws(Refusal) -> Int64 {
    try change { (stamp) throws(Refusal) in
      let publication = try found(number)
      if let share, publication.line.share != share {
        throw Refusal(.conflict, "Publication \(number) has gone on meanwhile: look at it again.")
      }
      switch step {
      case .stop: try stop(publication, try tally(publication), "stopped by \(person.name)", stamp)
      case .raise: try raise(publication, stamp)
      case .resume: try resume(publication, stamp)
      case .undo: return try undo(publication, stamp, by: person)
      }
      try note(person, "\(step.past) publication \(number)", publication.line.channel)
      return number
    }
  }

  func stop(_ publication: Publication, _ tally: Tally, _ reason: String, _ stamp: Int64) throws(Refusal) {
    guard publication.line.state == .rolling else {
      throw Refusal(.conflict, "Publication \(publication.line.number) is not rolling out.")
    }
    let channel = try known(publication.line.channel)
    try markStopped(publication, reason, tally)
    if !publication.line.isOverlay {
      try database.run("UPDATE standing SET rolling = NULL WHERE channel = ?", [.text(channel.name)])
      // The next publication is not to bring what was stopped.
      let said = try readableSettings(publication.hash)
      try carryDraft(of: channel.name, from: said, to: try publishedSettings(channel.name))
    }
    try sign(channel, stamp, isChanged: true)
  }

  /// Has a publication be stopped, with what came of it until then; within a change.
  private func markStopped(_ publication: Publication, _ reason: String, _ tally: Tally) throws(Refusal) {
    try database.run(
      "UPDATE publications SET state = 'stopped', stands = 0, reason = ?, since = ?, outcome = ? WHERE number = ?",
      [.text(reason), .int(Console.now), .optional(tally.encoded), .int(publication.line.number)])
  }

  /// Stops what goes with its channel; within a change, before those who are in it do.
  ///
  /// - Parameter which: those of its publications that are meant, by SQL.
  /// - Returns: whether there are any.
  @discardableResult
  func stopAll(_ which: String, in channel: LiveryFleet.Channel, _ reason: String) throws(Refusal) -> Bool {
    let all = try database.all(
      "SELECT number FROM publications WHERE channel = ? AND \(which) ORDER BY number", [.text(channel.name)]
    ) { (row) throws(Refusal) in row.int(0) }
    for number in all {
      let publication = try found(number)
      try markStopped(publication, reason, try tally(publication))
    }
    return !all.isEmpty
  }

  /// The version that the channel of a publication has once it is signed anew, by SQL.
  static let nextVersion = "COALESCE((SELECT c.version FROM channels c WHERE c.name = publications.channel), 0) + 1"

  func raise(_ publication: Publication, _ stamp: Int64) throws(Refusal) {
    guard publication.line.state == .rolling else {
      throw Refusal(.conflict, "Publication \(publication.line.number) is not rolling out.")
    }
    let channel = try known(publication.line.channel)
    let step = publication.step + 1
    let isLast = step + 1 >= publication.plan.steps.count
    try database.run(
      "UPDATE publications SET step = ?, since = ?, state = ?, step_version = \(Console.nextVersion) WHERE number = ?",
      [
        .int(Int64(step)), .int(Console.now), .text(isLast ? "complete" : "rolling"), .int(publication.line.number),
      ])
    if isLast, !publication.line.isOverlay {
      try database.run(
        "UPDATE standing SET base = ?, rolling = NULL WHERE channel = ?",
        [.int(publication.line.number), .text(publication.line.channel)])
    }
    try sign(channel, stamp, isChanged: true)
  }

  /// Refuses to resume what cannot go on, whatever it says.
  private func checkResume(_ publication: Publication) throws(Refusal) {
    guard publication.line.state == .stopped else {
      throw Refusal(.conflict, "Publication \(publication.line.number) was not stopped.")
    }
    // There may be another group of that name.
    guard publication.reason?.hasSuffix(Console.groupIsGone) != true else {
      throw Refusal(.conflict, "Publication \(publication.line.number) has ended with its group: publish it anew.")
    }
    if publication.line.isOverlay { return try checkResumeOverlay(publication) }
    let standing = try standing(publication.line.channel)
    guard standing.allSatisfy({ $0.share == nil }), standing.last?.number == publication.previous else {
      throw Refusal(.conflict, "Something else was published in \(publication.line.channel) meanwhile.")
    }
  }

  private func resume(_ publication: Publication, _ stamp: Int64) throws(Refusal) {
    let channel = try known(publication.line.channel)
    try checkResume(publication)
    if publication.line.isOverlay {
      try resumeOverlay(publication, channel, stamp)
      return try sign(channel, stamp, isChanged: true)
    }
    let (before, said) = (try publishedSettings(channel.name), try readableSettings(publication.hash))
    try checkChanges(before, said)
    try renew(publication, channel, stamp)
    try database.run(
      """
      UPDATE publications SET state = 'rolling', reason = NULL, outcome = NULL, since = ?,
      step_version = \(Console.nextVersion) WHERE number = ?
      """, [.int(Console.now), .int(publication.line.number)])
    try database.run(
      """
      INSERT INTO standing (channel, rolling) VALUES (?, ?)
      ON CONFLICT (channel) DO UPDATE SET rolling = excluded.rolling
      """, [.text(publication.line.channel), .int(publication.line.number)])
    try carryDraft(of: channel.name, from: before, to: said)
    try sign(channel, stamp, isChanged: true)
  }

  /// Publishes what was there before; an overlay is taken back.
  private func undo(_ publication: Publication, _ stamp: Int64, by person: Person) throws(Refusal) -> Int64 {
    let channel = try known(publication.line.channel)
    if publication.line.isOverlay {
      try takeBack(publication, channel, stamp)
      try note(person, "took back publication \(publication.line.number)", publication.line.channel)
      return publication.line.number
    }
    guard publication.line.state != .rolling else {
      throw Refusal(.conflict, "Publication \(publication.line.number) is rolling out: stop it.")
    }
    let standing = try standing(publication.line.channel)
    guard publication.line.state == .complete, standing.count == 1, standing[0].number == publication.line.number else {
      throw Refusal(.conflict, "Only what is published last, and for all, can be undone.")
    }
    var before: [DraftSetting] = []
    if let previous = publication.previous { before = try readableSettings(try found(previous).hash) }
    let said = try settingsIfAny(publication.hash)
    guard said.map({ publication.isUndone(by: Console.changes($0, before)) }) ?? true else {
      throw Refusal(.conflict, "Publication \(publication.line.number) has changed nothing: there is nothing to undo.")
    }
    try checkChanges(said ?? [], before)
    var plan = Plan()
    plan.comment = "Undoes publication \(publication.line.number)"
    let number = try publish(channel, before, plan, stamp, by: person)
    try carryDraft(of: channel.name, from: said ?? [], to: before)
    try database.run("UPDATE publications SET state = 'undone' WHERE number = ?", [.int(publication.line.number)])
    try note(person, "undid publication \(publication.line.number)", "publication \(number)")
    return number
  }

  package func history(before: Int64?, limit: Int) throws(Refusal) -> [HistoryLine] {
    let bared = try bared()
    return try database.all(
      "SELECT number, time, author, what, detail FROM history WHERE number < ? ORDER BY number DESC LIMIT ?",
      [.int(before ?? .max), .int(Int64(max(1, min(limit, 1000))))]
    ) { (row) throws(Refusal) in
      var line = HistoryLine()
      line.number = row.int(0)
      line.time = row.int(1)
      line.author = row.text(2)
      line.what = row.text(3)
      let isOfDraft = ["changed the draft", "discarded the draft"].contains { line.what.after($0) != nil }
      line.detail = isOfDraft ? bared.shown(history: row.text(4)) : row.text(4)
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
        .invalid, "The steps of a rollout are up to 20 shares that rise to 100 %: 10,000 hundredths of a percent.",
        at: "steps")
    }
    guard (0...2_592_000).contains(pause) else {
      throw Refusal(.invalid, "The pause is 0 to 2,592,000 seconds.", at: "pause")
    }
    guard (0...10_000).contains(bound) else {
      throw Refusal(.invalid, "The bound of failures is 0 to 100 %: 10,000 hundredths of a percent.", at: "bound")
    }
    guard comment.utf8.count <= 1000, Line.isValid(comment) else {
      throw Refusal(.invalid, "A comment has at most 1,000 bytes, and is \(Console.lineWords).", at: "comment")
    }
    if let name, !Name.isValid(name) {
      throw Refusal(.invalid, "A publication's name is \(Conditions.nameWords).", at: "name")
    }
    try conditions.check(at: Console.now)
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

import LiveryClient
import LiveryFleet
import LiveryHTTP

/// What devices tell of something that rolls out, and what follows from it.
struct Tally {
  /// Devices that are in, and were heard of lately.
  var expected = 0
  var told = 0
  /// Those of them that were heard of lately.
  var heard = 0
  /// Those that have it in effect, and are well.
  var applied = 0
  var failed = 0
  /// Those that wait for its time, have it on trial, or have not made it yet: they have not told.
  var scheduled = 0
  /// Those that it is not for, as they have told.
  var passedOver = 0
  /// The first of those where it failed.
  var failures: [(device: String, name: String, problem: String)] = []
  /// The versions of the schemas of those that are in and were heard of lately, each with whether one of them has told.
  var schemas: [Int64: Bool] = [:]

  enum Decision { case wait, raise, stop }

  /// - Parameters:
  ///   - bound: in hundredths of a percent of those who have told.
  ///   - elapsed: since the step began, in seconds.
  func decide(bound: Int, pause: Int, elapsed: Int64) -> Decision {
    if failed > 0, failed * 10_000 > bound * told { return .stop }
    let isEnough = heard * 10 >= expected * 9 && schemas.values.allSatisfy { $0 }
    return elapsed >= Int64(pause) && isEnough ? .raise : .wait
  }
}

// As it is kept with what was stopped.
extension Tally {
  /// nil for what is none.
  init?(encoded: [UInt8]) {
    guard let value = try? CBOR.decode(encoded) else { return nil }
    func count(_ name: String) -> Int {
      if case .int(let number)? = value[name] { return Int(clamping: number) }
      return 0
    }
    (expected, told, heard) = (count("expected"), count("told"), count("heard"))
    (applied, failed) = (count("applied"), count("failed"))
    (scheduled, passedOver) = (count("scheduled"), count("passedOver"))
    for one in value["failures"]?.items ?? [] {
      guard let device = one["device"]?.text, let name = one["name"]?.text, let problem = one["problem"]?.text else {
        continue
      }
      failures.append((device: device, name: name, problem: problem))
    }
  }

  /// nil if it cannot be kept.
  var encoded: [UInt8]? {
    let listed = failures.map { (one) -> Value in
      .object([
        .init("device", .string(one.device)), .init("name", .string(one.name)), .init("problem", .string(one.problem)),
      ])
    }
    let counts = [
      ("expected", expected), ("told", told), ("heard", heard), ("applied", applied), ("failed", failed),
      ("scheduled", scheduled), ("passedOver", passedOver),
    ]
    let members = counts.map { Value.Member($0.0, .int(Int64($0.1))) }
    return try? CBOR.encode(.object(members + [.init("failures", .list(listed))]))
  }
}

extension Console {
  /// Which of `devices d` are of a channel, behind others that it has to meet.
  private static func condition(_ channel: LiveryFleet.Channel, _ parameters: inout [Database.Parameter]) -> String {
    switch channel {
    case .fleet: return ""
    case .group(let group):
      parameters.append(.text(group))
      return " AND EXISTS (SELECT 1 FROM members m WHERE m.device = d.id AND m.in_group = ?)"
    case .device(let id):
      parameters.append(.text(id))
      return " AND d.id = ?"
    }
  }

  /// What draws the devices of a rollout: by chance, but so that somebody is in its first step, and somebody with each version of the
  /// schema, if that can be: what one of them refuses the others may take. In a small fleet chance alone might have nobody.
  func salt(_ plan: Plan, of channel: LiveryFleet.Channel) throws(Refusal) -> [UInt8] {
    let share = Int64(plan.steps.first ?? 10_000)
    func draw() -> Rollout { Rollout(share: share, salt: Crypto.random(8)) }
    guard share < 10_000 else { return draw().salt }
    var parameters = [Database.Parameter.int(Console.now - Console.silence)]
    let condition = Console.condition(channel, &parameters)
    var devices: [Int64: [String]] = [:]
    // Of many of a kind some are in anyway.
    try database.each(
      """
      SELECT id, schema_version FROM (
        SELECT d.id, d.schema_version, ROW_NUMBER() OVER (PARTITION BY d.schema_version ORDER BY d.id) AS place
        FROM devices d WHERE d.refused = 0 AND COALESCE(d.seen, d.enrolled) >= ?\(condition)) AS numbered
      ORDER BY place LIMIT 2000
      """, parameters
    ) { (row) throws(Refusal) in
      devices[row.intIfAny(1) ?? -1, default: []].append(row.text(0))
    }
    // Those that it is for, and that are known, if there are such.
    if devices.count > 1 { devices[-1] = nil }
    if let range = plan.conditions.schema {
      let meant = devices.filter { range.contains($0.key) }
      if !meant.isEmpty { devices = meant }
    }
    // Those of which there are few first: with them a draw fails soon.
    let kinds = devices.values.sorted { $0.count < $1.count }
    var best = (rollout: draw(), covered: -1)
    var looks = 0
    while best.covered < kinds.count, looks < 100_000 {
      let rollout = draw()
      var (covered, left) = (0, kinds.count)
      for ids in kinds where covered + left > best.covered {
        left -= 1
        let place = ids.firstIndex { rollout.includes($0) }
        looks += (place ?? ids.count - 1) + 1
        if place != nil { covered += 1 }
      }
      if covered > best.covered { best = (rollout, covered) }
    }
    return best.rollout.salt
  }

  func tally(_ publication: Publication) throws(Refusal) -> Tally {
    var tally = Tally()
    guard let channel = LiveryFleet.Channel(name: publication.line.channel) else { return tally }
    let isRolling = publication.line.state == .rolling
    let rollout = Rollout(share: Int64(publication.line.share), salt: publication.salt)
    var parameters: [Database.Parameter] = [
      .bytes(isRolling ? publication.rollingHash : publication.hash), .bytes(publication.rollingHash),
      .int(publication.line.number),
    ]
    let condition = Console.condition(channel, &parameters)
    let alive = Console.now - Console.silence
    let bared = try bared()
    try database.each(
      """
      SELECT d.id, d.name, COALESCE(d.seen, d.enrolled), d.health, v.verdict, d.violations,
        CASE WHEN h.version >= p.step_version THEN 1 ELSE 0 END, d.schema_version FROM devices d
      LEFT JOIN device_verdicts v ON v.device = d.id AND (v.hash = ? OR v.hash = ?)
      LEFT JOIN publications p ON p.number = ?
      LEFT JOIN device_channels h ON h.device = d.id AND h.channel = p.channel
      WHERE d.refused = 0
      """ + condition, parameters
    ) { (row) throws(Refusal) in
      let id = row.text(0)
      if isRolling, rollout.share < 10_000, !rollout.includes(id) { return }
      let verdict = row.textIfAny(4)
      let isAlive = row.int(2) >= alive
      let schema = isAlive ? row.intIfAny(7) : nil
      if publication.holds, isAlive { tally.expected += 1 }
      if isRolling, let schema, tally.schemas[schema] == nil { tally.schemas[schema] = false }
      // What was told before the step had begun is of another one, or of what was published before with the same words.
      guard let verdict, !isRolling || row.int(6) == 1 else { return }
      // So is that it was for others, where it is for this one by now.
      if verdict.sameBytes(as: "passed-over"), !publication.line.conditions.isForSome { return }
      if verdict.sameBytes(as: "scheduled") {
        tally.scheduled += 1
        return
      }
      var problem: String?
      switch verdict {
      case "refused", "unusable": problem = verdict
      case "applied": problem = row.textIfAny(3).map { "not well: " + $0 }
      default: break
      }
      tally.told += 1
      if isAlive { tally.heard += 1 }
      if let schema { tally.schemas[schema] = true }
      guard let problem else {
        if verdict.sameBytes(as: "applied") { tally.applied += 1 }
        if verdict.sameBytes(as: "passed-over") { tally.passedOver += 1 }
        return
      }
      tally.failed += 1
      guard tally.failures.count < 100 else { return }
      var words = problem
      if let bytes = row.bytesIfAny(5), let all = try? CBOR.decode(bytes), let first = all.items?.first,
        let name = first["name"]?.text, let message = first["message"]?.text
      {
        words += ": \(name): \(bared.shown(message, of: name, by: row.intIfAny(7)))"
      }
      tally.failures.append((device: id, name: row.text(1), problem: words))
    }
    return tally
  }

  /// Looks at everything that rolls out, which goes on or stops by itself, and at what is over.
  func look() throws(Refusal) {
    try lookAtOverlays()
    let numbers = try database.all("SELECT number FROM publications WHERE state = 'rolling' ORDER BY number") {
      (row) throws(Refusal) in row.int(0)
    }
    for number in numbers {
      // One whose group is gone stays as it is, and the others go on.
      do throws(Refusal) { try look(at: number) } catch { if error.reason == .busy { throw error } }
    }
  }

  private func look(at number: Int64) throws(Refusal) {
    let publication = try found(number)
    let tally = try tally(publication)
    let decision = tally.decide(
      bound: publication.plan.bound, pause: publication.plan.pause, elapsed: Console.now - publication.since)
    if case .wait = decision { return }
    try change { (stamp) throws(Refusal) in
      // Another console may have been faster.
      let present = try found(number)
      guard present.line.state == .rolling, present.step == publication.step else { return }
      if case .stop = decision {
        let reason = "\(tally.failed) of \(tally.told) devices failed"
        try stop(present, tally, reason, stamp)
        try note(Console.itself, "stopped publication \(number)", reason)
      } else {
        try raise(present, stamp)
        try note(
          Console.itself, "raised publication \(number)", "\(tally.told) devices have told, \(tally.failed) failed")
      }
    }
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP
import Synchronization

/// Why a device gets no, with the status of HTTP.
struct DeviceRefusal: Error {
  var status: Int
  var message: String
  /// In how many seconds it may come again.
  var wait: Int?
}

extension DeviceRefusal {
  static var unpublished: DeviceRefusal {
    DeviceRefusal(status: 503, message: "what the device needs is not published yet; ask again", wait: 10)
  }

  init(_ refusal: Refusal) {
    let status: Int
    switch refusal.reason {
    case .busy: status = 503
    case .notFound: status = 403
    case .conflict: status = 409
    case .invalid: status = 400
    }
    self.init(status: status, message: refusal.message, wait: status == 503 ? 10 : nil)
  }
}

extension Report {
  /// Why it is not taken after one with that number; nil if it is.
  fileprivate func refusal(after last: Int64) -> DeviceRefusal? {
    guard sequence <= last else { return nil }
    return DeviceRefusal(status: 409, message: "the report has the number \(sequence); \(last) was there before")
  }
}

// What devices send.
extension Console {
  /// What has become of a report: whether the next one is to tell everything, or why it was not taken.
  typealias ReportOutcome = Result<Bool, DeviceRefusal>

  /// Takes reports that came at about the same time, in one commit. When this returns those that were taken are durable.
  ///
  /// - Returns: an outcome for each, in their order.
  func take(reports: [[UInt8]]) -> [ReportOutcome] {
    var outcomes: [ReportOutcome] = []
    var verified: [(index: Int, report: Report)] = []
    for bytes in reports {
      do throws(DeviceRefusal) {
        let report = try verify(bytes)
        // What is refused anyway costs no commit. One that came together with itself, too.
        let last = verified.last { $0.report.device == report.device }?.report.sequence
        try check(report, after: last)
        verified.append((index: outcomes.count, report: report))
        // Until the commit says otherwise.
        outcomes.append(.success(false))
      } catch { outcomes.append(.failure(error)) }
    }
    if !verified.isEmpty { commit(verified, &outcomes) }
    return outcomes
  }

  private func commit(_ reports: [(index: Int, report: Report)], _ outcomes: inout [ReportOutcome]) {
    do throws(Refusal) {
      let taken = try changeQuietly { () throws(Refusal) -> [ReportOutcome] in
        var taken: [ReportOutcome] = []
        for (_, report) in reports { taken.append(try look(report)) }
        return taken
      }
      for (one, outcome) in zip(reports, taken) { outcomes[one.index] = outcome }
    } catch {
      // One that cannot be stored must not keep the others out, as long as the database is there at all.
      if reports.count > 1, (try? stored()) != nil {
        for report in reports { commit([report], &outcomes) }
        return
      }
      for report in reports { outcomes[report.index] = .failure(DeviceRefusal(error)) }
    }
  }

  private func verify(_ bytes: [UInt8]) throws(DeviceRefusal) -> Report {
    let report: Report
    do throws(FleetError) { report = try Report.verified(bytes, after: nil) } catch {
      throw DeviceRefusal(status: error.reason == .unsigned ? 403 : 400, message: error.message)
    }
    guard report.fleet.sameBytes(as: fleet) else {
      throw DeviceRefusal(status: 403, message: "it is of another fleet")
    }
    for one in report.values where one.name.utf8.contains(0) {
      throw DeviceRefusal(status: 400, message: "the name of a setting has a NUL")
    }
    return report
  }

  /// Looks whether a report can be taken, and counts it: only what is new is known to be sent by the device, and nobody else can
  /// use up what it has.
  ///
  /// - Parameter last: the number of one that came with it.
  private func check(_ report: Report, after last: Int64?) throws(DeviceRefusal) {
    let found: Result<Int64, DeviceRefusal>
    do throws(Refusal) { found = try self.last(report) } catch { throw DeviceRefusal(error) }
    let known = try found.get()
    if let refusal = report.refusal(after: max(known, last ?? known)) { throw refusal }
    let wait = rates.reports.take(Rates.key(report.device))
    guard wait == 0 else { throw DeviceRefusal(status: 429, message: "the device reports too often", wait: wait) }
  }

  /// The number of the device's report before.
  private func last(_ report: Report) throws(Refusal) -> Result<Int64, DeviceRefusal> {
    let last = try database.number(
      "SELECT sequence FROM devices WHERE id = ? AND refused = 0", [.text(DeviceID.of(report.device))])
    return last.map { .success($0) }
      ?? .failure(DeviceRefusal(status: 403, message: "the device is not of this fleet"))
  }

  /// Takes a report, unless it is refused meanwhile; within a change.
  private func look(_ report: Report) throws(Refusal) -> ReportOutcome {
    switch try last(report) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let last):
      if let refusal = report.refusal(after: last) { return .failure(refusal) }
      return .success(try take(report, of: DeviceID.of(report.device), after: last))
    }
  }

  /// A change of what is known and not of what is published.
  private func changeQuietly<R>(_ body: () throws(Refusal) -> R) throws(Refusal) -> R {
    var stamp: Int64 = 0
    let result = try database.change { () throws(Refusal) -> R in
      stamp = try next("generation")
      return try body()
    }
    latest.store(UInt64(clamping: stamp), ordering: .relaxed)
    return result
  }

  private func take(_ report: Report, of id: String, after last: Int64) throws(Refusal) -> Bool {
    let fails =
      report.problem != nil || report.health != nil
      || report.documents.contains { $0.verdict == .refused || $0.verdict == .unusable }
    var violations: [UInt8]?
    if !report.violations.isEmpty {
      let listed = report.violations.prefix(100).map {
        Value.object([.init("name", .string($0.name)), .init("message", .string($0.message))])
      }
      violations = try? CBOR.encode(.list(Array(listed)))
    }
    try database.run(
      """
      UPDATE devices SET seen = ?, reported = ?, sequence = ?, schema_version = ?, keys = ?, problem = ?, health = ?,
      violations = ?, failing = ? WHERE id = ?
      """,
      [
        .int(Console.now), .int(report.time), .int(report.sequence), .optional(report.schema), .int(report.keys),
        .optional(report.problem?.nulFree), .optional(report.health?.nulFree), .optional(violations),
        .int(fails ? 1 : 0), .text(id),
      ])
    try database.run("DELETE FROM device_channels WHERE device = ?", [.text(id)])
    for one in report.channels {
      try database.run(
        "INSERT INTO device_channels (device, channel, version) VALUES (?, ?, ?) ON CONFLICT (device, channel) DO NOTHING",
        [.text(id), .text(one.channel.name), .int(one.version)])
    }
    try database.run("DELETE FROM device_verdicts WHERE device = ?", [.text(id)])
    for one in report.documents {
      try database.run(
        "INSERT INTO device_verdicts (device, hash, verdict) VALUES (?, ?, ?) ON CONFLICT (device, hash) DO NOTHING",
        [.text(id), .bytes(one.hash), .text(one.verdict.name)])
    }
    if report.since == nil { try database.run("DELETE FROM device_values WHERE device = ?", [.text(id)]) }
    for one in report.values { try put(one, of: id) }
    try database.run(
      "UPDATE devices SET trial = ? WHERE id = ?", [.int(try isOnTrial(report, of: id) ? 1 : 0), .text(id)])
    var digests = try database.all("SELECT name, digest FROM device_values WHERE device = ?", [.text(id)]) {
      (row) throws(Refusal) in (name: row.text(0), digest: row.bytes(1))
    }
    digests.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let hasGap = report.since.map { $0 != last } ?? false
    return hasGap || Report.digest(digests.map { $0.digest }) != report.digest
  }

  /// Whether a device has something in effect that goes back by itself unless it is confirmed.
  private func isOnTrial(_ report: Report, of id: String) throws(Refusal) -> Bool {
    for one in report.documents where one.verdict == .scheduled {
      guard let bytes = try self.document(one.hash), let document = try? Document.decode(bytes), document.trial != nil
      else { continue }
      if try isInEffect(document, of: id) { return true }
    }
    return false
  }

  /// Whether a document holds on a device that has told of it as one for another time or on trial.
  func isInEffect(_ document: Document, of id: String) throws(Refusal) -> Bool {
    switch Phase(document.from, document.until, at: Console.now) {
    case .holds: return true
    case .waits, .ends: return false
    case .differs: break
    }
    // The device's zone decides, which nobody tells: what it has does.
    for setting in document.settings {
      guard let value = setting.value else { continue }
      let content = try database.first(
        "SELECT content FROM device_values WHERE device = ? AND name = ?", [.text(id), .text(setting.name)]
      ) { (row) throws(Refusal) in row.bytesIfAny(0) }
      guard let content = content ?? nil, content == (try? CBOR.encode(value)) else { return false }
    }
    return true
  }

  private func put(_ one: Report.Effective, of id: String) throws(Refusal) {
    guard let layer = one.layer, let value = one.value else {
      return try database.run("DELETE FROM device_values WHERE device = ? AND name = ?", [.text(id), .text(one.name)])
    }
    let (content, digest): ([UInt8], [UInt8])
    do throws(FleetError) { (content, digest) = (try CBOR.encode(value), try one.digest()) } catch {
      throw Refusal(error)
    }
    try database.run(
      """
      INSERT INTO device_values (device, name, layer, content, digest) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (device, name) DO UPDATE SET layer = excluded.layer, content = excluded.content,
      digest = excluded.digest
      """, [.text(id), .text(one.name), .text(layer.description), .bytes(content), .bytes(digest)])
  }

  /// Lets a device in.
  ///
  /// - Returns: the generation that has what it needs first.
  func take(enrollment bytes: [UInt8]) throws(DeviceRefusal) -> Int64 {
    let request: EnrollmentRequest
    do throws(FleetError) { request = try EnrollmentRequest.verified(bytes) } catch {
      throw DeviceRefusal(status: error.reason == .unsigned ? 403 : 400, message: error.message)
    }
    guard request.fleet.sameBytes(as: fleet) else {
      throw DeviceRefusal(status: 403, message: "foreign: the code is of another fleet")
    }
    do throws(Refusal) {
      try change { (stamp) throws(Refusal) in try enroll(request, stamp) }
    } catch {
      if error.reason == .busy { throw DeviceRefusal(status: 503, message: error.message, wait: 10) }
      throw DeviceRefusal(status: 403, message: error.message)
    }
    // What a device needs first has to be there before it is told so. Why it is not is nothing for whoever has a code.
    do throws(Refusal) {
      try publishFiles()
      return try stored()
    } catch { throw DeviceRefusal.unpublished }
  }

  private func enroll(_ request: EnrollmentRequest, _ stamp: Int64) throws(Refusal) {
    let hash = Crypto.hash(request.token)
    guard
      let token = try database.first(
        "SELECT label, in_groups, expires, public_key FROM enrollments WHERE hash = ?", [.bytes(hash)],
        { (row) throws(Refusal) in
          (label: row.text(0), groups: row.text(1), expires: row.int(2), key: row.bytesIfAny(3))
        })
    else { throw Refusal(.invalid, "foreign: there is no such code") }
    let id = DeviceID.of(request.device)
    if let key = token.key {
      guard key == request.device else { throw Refusal(.invalid, "used: another device has joined with this code") }
      guard try database.number("SELECT COUNT(*) FROM devices WHERE id = ? AND refused = 0", [.text(id)]) == 1 else {
        throw Refusal(.invalid, "used: the device was removed; make another code")
      }
      return
    }
    guard Console.now < token.expires else { throw Refusal(.invalid, "expired: the code's time is over") }
    let name =
      request.name
      ?? (token.label.utf8.isEmpty ? String(decoding: Array(id.utf8.prefix(8)), as: UTF8.self) : token.label)
    guard try database.number("SELECT refused FROM devices WHERE id = ?", [.text(id)]) ?? 0 == 0 else {
      throw Refusal(.invalid, "refused: the device's key is not taken any more; it needs another one")
    }
    try database.run(
      """
      INSERT INTO devices (id, public_key, name, enrolled) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, enrolled = excluded.enrolled
      """, [.text(id), .bytes(request.device), .text(name.nulFree), .int(Console.now)])
    var groups: [String] = []
    for part in token.groups.utf8.split(separator: UInt8(ascii: ",")) {
      let group = String(decoding: part, as: UTF8.self)
      // One that is gone meanwhile is passed over.
      if try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(group)]) == 1 {
        groups.append(group)
      }
    }
    try put(id, in: groups)
    try database.run(
      "UPDATE enrollments SET device = ?, public_key = ? WHERE hash = ?",
      [.text(id), .bytes(request.device), .bytes(hash)])
    try sign(.device(id), stamp, isChanged: true)
    try note(Console.itself, "device \(id) joined", name)
  }
}

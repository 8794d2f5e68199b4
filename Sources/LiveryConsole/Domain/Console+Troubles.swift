import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Something that keeps the console from its work, or soon will.
package struct Trouble: Sendable {
  /// "keys", "backup", "broker" or "room".
  package var part: String
  /// One line for people.
  package var message: String
}

extension Console {
  /// How long before the time of the key document is over that is told, in seconds.
  private static let notice: Int64 = 30 * 86_400

  /// What keeps this console, or those that serve the same fleet, from their work. Publishing has a state of its own.
  package func troubles() throws(Refusal) -> [Trouble] {
    var troubles: [Trouble] = []
    if let message = try keysProblem() { troubles.append(Trouble(part: "keys", message: message)) }
    if let message = try backupProblem() { troubles.append(Trouble(part: "backup", message: message)) }
    if let message = try brokerProblem() { troubles.append(Trouble(part: "broker", message: message)) }
    if let message = roomProblem() { troubles.append(Trouble(part: "room", message: message)) }
    return troubles
  }

  package func warnings() throws(Refusal) -> [String] {
    [try keysProblem(), try brokerProblem(), roomProblem()].compactMap { $0 }
  }

  /// So much room for a database in the console's folder is too little to be silent about, in bytes.
  private static let leastRoom: Int64 = 4 << 20

  /// Without room every change and every report is refused.
  private func roomProblem() -> String? {
    guard !database.isServer else { return nil }
    let room = place.folder.withCString { lvo_room($0) }
    guard (0..<Self.leastRoom).contains(room) else { return nil }
    return "the database has room for \(room >> 10) KiB more in \(place.folder): without any no change is taken"
  }

  func keysProblem() throws(Refusal) -> String? {
    if let problem = try signingProblem() { return problem }
    let document = try keyDocument()
    guard document.expires - (try signingTime()) < Self.notice else { return nil }
    return "the time of the key document is over at \(Output.time(document.expires)): "
      + "livery console keys rotate --root-key FILE"
  }

  /// Whether devices know of later things than the database: it was put back to what it was. What one of them may have made up does
  /// not count, nor what those know who get another key document first.
  private func backupProblem() throws(Refusal) -> String? {
    let document = try keyDocument()
    let keys = try database.number(
      "SELECT COUNT(*) FROM devices WHERE refused = 0 AND keys > ? AND keys < ?",
      [.int(document.version), .int(document.version + Self.leap)])
    let channels = try database.number(
      """
      SELECT COUNT(DISTINCT h.device) FROM device_channels h JOIN channels c ON c.name = h.channel
      JOIN devices d ON d.id = h.device
      WHERE d.refused = 0 AND d.keys = ? AND h.version > c.version AND h.version < c.version + ?
      """, [.int(document.version), .int(Self.leap)])
    let count = Int(max(keys ?? 0, channels ?? 0))
    guard count > 0 else { return nil }
    let devices = Piece.count(count, "device knows", "devices know")
    return "\(devices) what is later than this database, as after a backup was put back: they take nothing until "
      + "livery console keys revoke --root-key FILE"
  }

  /// Versions that are so many ahead nobody has signed. Of a fleet with groups they rise by themselves, twice a week.
  private static let leap: Int64 = 1_000_000
  /// How long what a console has noted of its broker counts, and how often it notes it, in seconds.
  private static let notesHold: Int64 = 90
  private static let notesPause: Int64 = 30

  /// What a console that serves has noted of late.
  private func brokerProblem() throws(Refusal) -> String? {
    guard place.broker != nil else { return nil }
    return try database.first(
      "SELECT problem FROM places WHERE name LIKE 'broker %' AND since > ? ORDER BY since DESC LIMIT 1",
      [.int(Console.now - Self.notesHold)]
    ) { (row) throws(Refusal) in row.text(0) }
  }

  /// Beside what is published to: a path or a bucket.
  private var brokerNote: String { "broker " + holder }

  /// Notes for others why the broker is not connected, as long as that is so; to be called every few seconds.
  func noteBroker() throws(Refusal) {
    guard let hints else { return }
    guard let problem = hints.problem else { return try forgetBroker() }
    let now = Console.now
    if let noted = brokerNoted, noted.problem.sameBytes(as: problem), now < noted.time + Self.notesPause { return }
    try database.run(
      """
      INSERT INTO places (name, written, problem, since) VALUES (?, 0, ?, ?)
      ON CONFLICT (name) DO UPDATE SET problem = excluded.problem, since = excluded.since
      """, [.text(brokerNote), .text(problem), .int(now)])
    // Who was killed takes nothing back; others' clocks may differ.
    try database.run("DELETE FROM places WHERE name LIKE 'broker %' AND since < ?", [.int(now - 86_400)])
    brokerNoted = (problem, now)
  }

  /// Takes back what it has noted; to be called before it ends, too.
  func forgetBroker() throws(Refusal) {
    guard brokerNoted != nil else { return }
    try database.run("DELETE FROM places WHERE name = ?", [.text(brokerNote)])
    brokerNoted = nil
  }
}

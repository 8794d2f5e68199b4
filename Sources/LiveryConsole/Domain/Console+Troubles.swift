import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Something that keeps the console from its work, or soon will.
package struct Trouble: Sendable {
  /// "keys", "backup" or "broker".
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
    return troubles
  }

  package func warnings() throws(Refusal) -> [String] { [try keysProblem(), try brokerProblem()].compactMap { $0 } }

  func keysProblem() throws(Refusal) -> String? {
    if let problem = try signingProblem() { return problem }
    let document = try keyDocument()
    guard document.expires - (try signingTime()) < Self.notice else { return nil }
    return "the time of the key document is over at \(Output.time(document.expires)): "
      + "livery console keys rotate --root-key FILE"
  }

  /// Whether devices know of later things than the database: it was put back to what it was.
  private func backupProblem() throws(Refusal) -> String? {
    let document = try keyDocument()
    let keys = try database.number(
      "SELECT COUNT(*) FROM devices WHERE refused = 0 AND keys > ?", [.int(document.version)])
    let channels = try database.number(
      """
      SELECT COUNT(DISTINCT h.device) FROM device_channels h JOIN channels c ON c.name = h.channel
      JOIN devices d ON d.id = h.device WHERE d.refused = 0 AND h.version > c.version
      """)
    let count = Int(max(keys ?? 0, channels ?? 0))
    guard count > 0 else { return nil }
    let devices = Piece.count(count, "device knows", "devices know")
    return "\(devices) what is later than this database, as after a backup was put back: they take nothing until "
      + "livery console keys revoke --root-key FILE"
  }

  /// What a console that serves has noted.
  private func brokerProblem() throws(Refusal) -> String? {
    guard let url = place.broker else { return nil }
    return try database.first("SELECT problem FROM places WHERE name = ?", [.text(url)]) { (row) throws(Refusal) in
      row.textIfAny(0)
    } ?? nil
  }

  /// Notes for others why the broker is not connected, if that is so; to be called every few seconds.
  func noteBroker() throws(Refusal) {
    guard let url = place.broker, let hints else { return }
    let problem = hints.problem
    let before = try brokerProblem()
    guard problem != before else { return }
    try database.run(
      """
      INSERT INTO places (name, written, problem, since) VALUES (?, 0, ?, ?)
      ON CONFLICT (name) DO UPDATE SET problem = excluded.problem, since = excluded.since
      """, [.text(url), problem.map { .text($0) } ?? .null, .int(Console.now)])
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// Codes by which devices join.
extension Console {
  private static let columns = """
    SELECT id, label, in_groups, expires, device,
    (SELECT d.refused FROM devices d WHERE d.id = enrollments.device) FROM enrollments
    """

  private static func enrollment(_ row: Database.Row) -> EnrollmentLine {
    var line = EnrollmentLine()
    line.id = row.text(0)
    line.label = row.text(1)
    line.groups = row.text(2).utf8.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    line.expires = row.int(3)
    line.device = row.textIfAny(4)
    line.isRemoved = row.intIfAny(5) == 1
    return line
  }

  /// Those that are open, and then those by which a device has joined, the latest first: so many from a place on, and how
  /// many there are in all.
  package func tokens(from: Int, limit: Int) throws(Refusal) -> (lines: [EnrollmentLine], total: Int) {
    let total = try database.number("SELECT COUNT(*) FROM enrollments") ?? 0
    let lines = try database.all(
      Console.columns + " ORDER BY CASE WHEN device IS NULL THEN 0 ELSE 1 END, created DESC, id LIMIT ? OFFSET ?",
      [.int(Int64(max(1, min(limit, 1000)))), .int(Int64(max(0, from)))]
    ) { (row) throws(Refusal) in Console.enrollment(row) }
    return (lines, Int(total))
  }

  package func token(_ id: String) throws(Refusal) -> EnrollmentLine {
    guard
      let line = try database.first(
        Console.columns + " WHERE id = ?", [.text(id.nulFree)], { (row) throws(Refusal) in Console.enrollment(row) })
    else { throw Refusal(.notFound, "There is no such enrollment.") }
    return line
  }

  package func enroll(
    _ label: String, groups: [String], hours: Int, by person: Person
  ) throws(Refusal) -> EnrollmentLine {
    guard label.utf8.count <= EnrollmentRequest.nameLimit, Line.isValid(label), !Console.isBlank(label) else {
      throw Refusal(
        .invalid, "A label has at most 64 bytes, is \(Console.lineWords), and can be seen.", at: "label")
    }
    guard let url = place.url else {
      throw Refusal(
        .invalid,
        "The console does not know the fleet's address: livery console config set url URL, which counts from its next start on."
      )
    }
    guard (1...8760).contains(hours) else { throw Refusal(.invalid, "A code is of use for 1 to 8,760 hours.") }
    guard groups.count <= Limit.groups else {
      throw Refusal(.invalid, "A device is in at most \(Limit.groups) groups.")
    }
    let token = Crypto.random(EnrollmentCode.tokenSize)
    let id = [UInt8](Crypto.hash(token).prefix(8)).hexadecimal
    var line = EnrollmentLine()
    line.id = id
    line.label = label
    line.groups = groups
    line.expires = Console.now + Int64(hours) * 3600
    let code = EnrollmentCode(
      url: url, fleet: fleet, token: token, fingerprint: try keyDocument().roots.fingerprint, expires: line.expires)
    do throws(FleetError) { line.code = try code.encoded() } catch { throw Refusal(error) }
    var joined = ""
    for group in groups { joined += joined.utf8.isEmpty ? group : "," + group }
    let expires = line.expires
    try change { (_) throws(Refusal) in
      for group in groups {
        guard
          !group.utf8.contains(0),
          try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(group)]) == 1
        else { throw Refusal(.invalid, "There is no group \(group.nulFree).") }
      }
      // The token itself is kept nowhere.
      try database.run(
        "INSERT INTO enrollments (id, hash, label, in_groups, expires, created) VALUES (?, ?, ?, ?, ?, ?)",
        [.text(id), .bytes(Crypto.hash(token)), .text(label), .text(joined), .int(expires), .int(Console.now)])
      try note(person, "made enrollment \(id)", label)
    }
    return line
  }

  package func withdraw(_ token: String, by person: Person) throws(Refusal) {
    try change { (_) throws(Refusal) in
      let line = try self.token(token)
      guard line.device == nil || line.isRemoved else {
        throw Refusal(.conflict, "A device has joined with it: remove the device.")
      }
      try database.run("DELETE FROM enrollments WHERE id = ?", [.text(token)])
      try note(person, "withdrew enrollment \(token)", line.label)
    }
  }
}

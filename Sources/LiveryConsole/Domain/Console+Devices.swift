import LiveryClient
import LiveryFleet
import LiveryHTTP

// Devices, and the groups that they are in.
extension Console {
  // By SQL, of a device `d`; the parameter is when silence begins.
  private static let isFailing = "d.failing = 1"
  private static let isSilent = "COALESCE(d.seen, d.enrolled) < ?"
  /// Its state, as a number of `states`.
  private static let state = """
    CASE WHEN \(isFailing) THEN 2 WHEN \(isSilent) THEN 3 WHEN d.seen IS NULL
      OR EXISTS (SELECT 1 FROM channels c LEFT JOIN device_channels h ON h.device = d.id AND h.channel = c.name
        WHERE c.name = 'fleet' AND \(isBehind))
      OR EXISTS (SELECT 1 FROM channels c LEFT JOIN device_channels h ON h.device = d.id AND h.channel = c.name
        WHERE c.name = 'device.' || d.id AND \(isBehind))
      OR EXISTS (SELECT 1 FROM members m JOIN channels c ON c.name = 'group.' || m.in_group
        LEFT JOIN device_channels h ON h.device = d.id AND h.channel = c.name
        WHERE m.device = d.id AND \(isBehind)) THEN 1
      WHEN d.trial = 1 THEN 4 ELSE 0 END
    """
  private static let isBehind = "c.changed > 0 AND (h.version IS NULL OR h.version < c.changed)"

  /// How many devices are in each state.
  func counts() throws(Refusal) -> [(state: DeviceState, count: Int64)] {
    var counts = DeviceState.allCases.map { (state: $0, count: Int64(0)) }
    try database.each(
      """
      SELECT s.state, COUNT(*) FROM (SELECT \(Console.state) AS state FROM devices d WHERE d.refused = 0) s
      GROUP BY s.state
      """, [.int(Console.now - Console.silence)]
    ) { (row) throws(Refusal) in
      let state = Console.state(row.int(0))
      for index in counts.indices where counts[index].state == state { counts[index].count = row.int(1) }
    }
    return counts
  }

  /// By their numbers.
  private static let states: [DeviceState] = [.right, .behind, .failing, .silent, .trial]
  private static func state(_ number: Int64) -> DeviceState { states[Int(number)] }

  /// Which devices a filter means, as the rest of a statement behind `FROM devices d`.
  private func condition(_ filter: DeviceFilter) -> (sql: String, parameters: [Database.Parameter]) {
    var sql = " WHERE d.refused = 0"
    var parameters: [Database.Parameter] = []
    if !filter.query.utf8.isEmpty {
      var pattern: [UInt8] = [UInt8(ascii: "%")]
      for byte in filter.query.utf8.prefix(128) {
        if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "\\") {
          pattern.append(UInt8(ascii: "\\"))
        }
        pattern.append(byte)
      }
      pattern.append(UInt8(ascii: "%"))
      let text = String(decoding: pattern, as: UTF8.self).nulFree
      // Which letters have small ones the database knows, and has to be asked for both sides.
      sql += " AND (LOWER(d.name) LIKE LOWER(?) ESCAPE '\\' OR d.id LIKE LOWER(?) ESCAPE '\\')"
      parameters += [.text(text), .text(text)]
    }
    if let group = filter.group {
      sql += " AND EXISTS (SELECT 1 FROM members g WHERE g.device = d.id AND g.in_group = ?)"
      parameters.append(.text(group.nulFree))
    }
    if let schema = filter.schema {
      sql += " AND d.schema_version = ?"
      parameters.append(.int(schema))
    }
    if let state = filter.state {
      let silence = Database.Parameter.int(Console.now - Console.silence)
      switch state {
      // What it has does not matter to these.
      case .failing: sql += " AND \(Console.isFailing)"
      case .silent:
        sql += " AND NOT \(Console.isFailing) AND \(Console.isSilent)"
        parameters.append(silence)
      case .right, .behind, .trial:
        sql += " AND \(Console.state) = ?"
        parameters += [silence, .int(Int64(Console.states.firstIndex(of: state) ?? 0))]
      }
    }
    return (sql, parameters)
  }

  package func devices(_ filter: DeviceFilter) throws(Refusal) -> (lines: [DeviceLine], total: Int) {
    let (sql, parameters) = condition(filter)
    let total = try database.number("SELECT COUNT(*) FROM devices d" + sql, parameters) ?? 0
    // The state of those that are shown alone.
    let lines = try database.all(
      "SELECT d.id, d.name, d.seen, d.schema_version, d.problem, \(Console.state) FROM (SELECT * FROM devices d" + sql
        + " ORDER BY d.name, d.id LIMIT ? OFFSET ?) d ORDER BY d.name, d.id",
      [.int(Console.now - Console.silence)] + parameters
        + [.int(Int64(max(1, min(filter.limit, 1000)))), .int(Int64(max(0, filter.offset)))]
    ) { (row) throws(Refusal) -> DeviceLine in Console.line(row) }
    var filled: [DeviceLine] = []
    for var line in lines {
      line.groups = try groups(of: line.id)
      filled.append(line)
    }
    return (filled, Int(total))
  }

  private static func line(_ row: Database.Row) -> DeviceLine {
    var line = DeviceLine()
    line.id = row.text(0)
    line.name = row.text(1)
    line.seen = row.intIfAny(2)
    line.schema = row.intIfAny(3)
    line.problem = row.textIfAny(4)
    line.state = state(row.int(5))
    return line
  }

  package func device(_ id: String) throws(Refusal) -> DeviceDetail {
    var detail = DeviceDetail()
    let bared = try bared()
    let found = try database.first(
      """
      SELECT d.id, d.name, d.seen, d.schema_version, d.problem, \(Console.state), d.enrolled, d.reported, d.health,
      d.violations FROM devices d WHERE d.id = ? AND d.refused = 0
      """, [.int(Console.now - Console.silence), .text(id.nulFree)]
    ) { (row) throws(Refusal) in
      detail.line = Console.line(row)
      detail.enrolled = row.int(6)
      detail.reported = row.intIfAny(7)
      detail.health = row.textIfAny(8)
      if let bytes = row.bytesIfAny(9), let all = try? CBOR.decode(bytes), case .list(let items) = all {
        detail.violations = items.compactMap { (item) in
          guard let name = item["name"]?.text, let message = item["message"]?.text else { return nil }
          return (name: name, message: bared.shown(message, of: name, by: detail.line.schema))
        }
      }
      return true
    }
    guard found == true else { throw Refusal(.notFound, "There is no such device.") }
    detail.line.groups = try groups(of: id)
    let channels = channels(of: detail.line)
    for channel in channels {
      let published = try database.number("SELECT version FROM channels WHERE name = ?", [.text(channel)])
      let has = try database.number(
        "SELECT version FROM device_channels WHERE device = ? AND channel = ?", [.text(id), .text(channel)])
      detail.channels.append(DeviceDetail.ChannelState(name: channel, has: has, published: published))
    }
    // Others may say the same: the latest in what it takes is meant.
    let places = channels.map { _ in "?" }.joined(separator: ", ")
    detail.verdicts = try database.all(
      """
      SELECT v.verdict, p.number, p.channel FROM device_verdicts v
      LEFT JOIN publications p ON p.number = (
        SELECT q.number FROM publications q WHERE q.hash = v.hash OR q.rolling_hash = v.hash
        ORDER BY CASE WHEN q.channel IN (\(places)) THEN 0 ELSE 1 END, q.number DESC LIMIT 1)
      WHERE v.device = ? ORDER BY 2
      """, channels.map { .text($0) } + [.text(id)]
    ) { (row) throws(Refusal) in
      DeviceDetail.Verdict(publication: row.intIfAny(1), channel: row.textIfAny(2) ?? "", verdict: row.text(0))
    }
    try explain(&detail)
    return detail
  }

  /// The channels that a device takes, the weakest first.
  func channels(of line: DeviceLine) -> [String] {
    ["fleet"] + line.groups.map { "group." + $0 } + ["device." + line.id]
  }

  /// What names, labels and comments are.
  static let lineWords = "one line, without control characters"

  /// Whether there is something in a text, and nothing to be seen: spaces, and U+00AD, U+200B to U+200F, U+2060, U+FEFF.
  static func isBlank(_ text: String) -> Bool {
    !text.utf8.isEmpty
      && text.unicodeScalars.allSatisfy { (scalar) in
        switch scalar.value {
        case 0x20, 0xA0, 0xAD, 0x2000...0x200F, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF: true
        default: false
        }
      }
  }

  package func name(_ device: String, _ name: String, by person: Person) throws(Refusal) {
    try set(name: name, groups: nil, of: device, by: person)
  }

  /// Names a device, or has it be in some groups, or both: as one change. What it is called and is in already is none.
  package func set(name: String?, groups: [String]?, of device: String, by person: Person) throws(Refusal) {
    try change(device, named: name, by: person) { (_) in groups }
  }

  /// - Parameter groups: makes the groups of the former ones; nil for those.
  private func change(
    _ device: String, named name: String?, by person: Person, _ groups: ([String]) throws(Refusal) -> [String]?
  ) throws(Refusal) {
    if let name, name.utf8.count > EnrollmentRequest.nameLimit || !Line.isValid(name) || Console.isBlank(name) {
      throw Refusal(.invalid, "A name has at most 64 bytes, is \(Console.lineWords), and can be seen.", at: "name")
    }
    try change { (stamp) throws(Refusal) in
      guard
        let before = try database.first(
          "SELECT name FROM devices WHERE id = ? AND refused = 0", [.text(device.nulFree)],
          { (row) throws(Refusal) in row.text(0) })
      else { throw Refusal(.notFound, "There is no such device.") }
      let former = try self.groups(of: device)
      if let groups = try groups(former) {
        try put(device, in: groups)
        let present = try self.groups(of: device)
        if !present.elementsEqual(former, by: { $0.sameBytes(as: $1) }) {
          try sign(.device(device), stamp, isChanged: true)
          try note(
            person, "set the groups of device \(device)", "\(former.joinedByCommas) → \(groups.joinedByCommas)")
        }
      }
      if let name, !name.sameBytes(as: before) {
        try database.run("UPDATE devices SET name = ? WHERE id = ?", [.text(name), .text(device)])
        try note(person, "named device \(device)", "\(before) → \(name)")
      }
    }
  }

  /// Refuses a device's key from now on: it was stolen, or the device is gone.
  package func refuse(_ device: String, by person: Person) throws(Refusal) {
    try change { (stamp) throws(Refusal) in
      guard
        try database.number(
          "SELECT COUNT(*) FROM devices WHERE id = ? AND refused = 0", [.text(device.nulFree)]) == 1
      else { throw Refusal(.notFound, "There is no such device.") }
      let channel = LiveryFleet.Channel.device(device)
      let isAny = try stopAll("(state = 'rolling' OR stands = 1)", in: channel, "the device was removed")
      try database.run("UPDATE devices SET refused = 1 WHERE id = ?", [.text(device)])
      if isAny {
        try database.run("UPDATE standing SET rolling = NULL WHERE channel = ?", [.text(channel.name)])
        // It has to go also where nothing can be signed: nobody asks for its manifest any more.
        if try signingProblem() == nil { try sign(channel, stamp, isChanged: true) }
      }
      try note(person, "removed device \(device)")
    }
  }

  package func groups() throws(Refusal) -> [GroupLine] {
    try database.all(
      """
      SELECT g.name, COUNT(d.id) FROM device_groups g LEFT JOIN members m ON m.in_group = g.name
      LEFT JOIN devices d ON d.id = m.device AND d.refused = 0 GROUP BY g.name, g.place ORDER BY g.place
      """
    ) { (row) throws(Refusal) in GroupLine(name: row.text(0), members: Int(row.int(1))) }
  }

  package func addGroup(_ name: String, by person: Person) throws(Refusal) {
    guard Name.isValid(name) else {
      throw Refusal(.invalid, "A group's name is 1 to 32 of a to z, 0 to 9, - and _, the first a letter or digit.")
    }
    try change { (_) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(name)]) == 0 else {
        throw Refusal(.conflict, "There is a group \(name) already.")
      }
      // The fleet's manifest names those that were removed, too: a group of that name goes on with its versions.
      let others = try database.number(
        """
        SELECT COUNT(*) FROM (SELECT 'group.' || name AS name FROM device_groups
        UNION SELECT name FROM channels WHERE name LIKE 'group.%') g WHERE g.name <> ?
        """, [.text("group." + name)])
      guard others ?? 0 < Int64(Limit.versions) else {
        throw Refusal(
          .invalid,
          "A fleet has at most \(Limit.versions) names of groups, those that were removed among them: take one again.")
      }
      let place = try next("rank")
      try database.run("INSERT INTO device_groups (name, place) VALUES (?, ?)", [.text(name), .int(place)])
      try note(person, "added group \(name)")
    }
  }

  @discardableResult
  package func moveGroup(_ name: String, up: Bool, by person: Person) throws(Refusal) -> Bool {
    try change { (stamp) throws(Refusal) -> Bool in
      let all = try database.all("SELECT name, place FROM device_groups ORDER BY place") { (row) throws(Refusal) in
        (name: row.text(0), place: row.int(1))
      }
      guard let index = all.firstIndex(where: { $0.name.sameBytes(as: name) }) else {
        throw Refusal(.notFound, "There is no such group.")
      }
      let other = up ? index - 1 : index + 1
      guard all.indices.contains(other) else { return false }
      for (group, place) in [(all[index].name, all[other].place), (all[other].name, all[index].place)] {
        try database.run("UPDATE device_groups SET place = ? WHERE name = ?", [.int(place), .text(group)])
      }
      for device in try database.all(
        "SELECT a.device FROM members a JOIN members b ON a.device = b.device WHERE a.in_group = ? AND b.in_group = ?",
        [.text(name), .text(all[other].name)], { (row) throws(Refusal) in row.text(0) })
      {
        try sign(.device(device), stamp, isChanged: true)
      }
      try note(
        person, "moved group \(name)", up ? "weaker than \(all[other].name)" : "stronger than \(all[other].name)")
      return true
    }
  }

  package func removeGroup(_ name: String, by person: Person) throws(Refusal) {
    try change { (stamp) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(name.nulFree)]) == 1 else {
        throw Refusal(.notFound, "There is no such group.")
      }
      let devices = try database.all(
        """
        SELECT m.device FROM members m JOIN devices d ON d.id = m.device WHERE m.in_group = ? AND d.refused = 0
        """, [.text(name)], { (row) throws(Refusal) in row.text(0) })
      // A group that gets this name later says nothing of what this one did.
      try stopAll("(state = 'rolling' OR stands = 1)", in: .group(name), Console.groupIsGone)
      try database.run("DELETE FROM device_groups WHERE name = ?", [.text(name)])
      let channel = Database.Parameter.text("group." + name)
      // Nor is one resumed in it that was stopped before.
      try database.run(
        "UPDATE publications SET reason = reason || ? WHERE channel = ? AND state = 'stopped' AND reason NOT LIKE ?",
        [.text("; " + Console.groupIsGone), channel, .text("%" + Console.groupIsGone)])
      try database.run("DELETE FROM standing WHERE channel = ?", [channel])
      // Its draft goes on with another revision: those that were seen never count again.
      try renewDraft(of: "group." + name)
      try database.run("DELETE FROM draft_settings WHERE channel = ?", [channel])
      if try database.number("SELECT version FROM channels WHERE name = ?", [channel]) != nil {
        try sign(.group(name), stamp, isChanged: true)
      }
      for device in devices { try sign(.device(device), stamp, isChanged: true) }
      try note(person, "removed group \(name)", "\(devices.count) devices")
    }
  }

  /// Why publications of a group that was removed were stopped.
  static let groupIsGone = "the group was removed"

  package func setGroups(_ groups: [String], of device: String, by person: Person) throws(Refusal) {
    try set(name: nil, groups: groups, of: device, by: person)
  }

  package func changeGroups(
    of device: String, adding: [String], removing: [String], by person: Person
  ) throws(Refusal) {
    guard !adding.isEmpty || !removing.isEmpty else { return }
    try change(device, named: nil, by: person) { (former) throws(Refusal) in
      let isNew = { (group: String) in !former.contains { $0.sameBytes(as: group) } }
      return former.filter { (group) in !removing.contains { $0.sameBytes(as: group) } } + adding.filter(isNew)
    }
  }

  /// Has a device be in some groups and no others; within a change.
  func put(_ device: String, in groups: [String]) throws(Refusal) {
    guard groups.count <= Limit.groups else {
      throw Refusal(.invalid, "A device is in at most \(Limit.groups) groups.")
    }
    try database.run("DELETE FROM members WHERE device = ?", [.text(device)])
    for group in groups {
      guard
        !group.utf8.contains(0),
        try database.number("SELECT COUNT(*) FROM device_groups WHERE name = ?", [.text(group)]) == 1
      else { throw Refusal(.invalid, "There is no group \(group.nulFree).") }
      try database.run(
        "INSERT INTO members (device, in_group) VALUES (?, ?) ON CONFLICT (device, in_group) DO NOTHING",
        [.text(device), .text(group)])
    }
  }
}

extension [String] {
  var joinedByCommas: String {
    var text = ""
    for item in self { text += text.utf8.isEmpty ? item : ", " + item }
    return text
  }
}

extension String {
  /// The text as databases take it: they know no NUL, and nothing that they hold has one.
  var nulFree: String {
    utf8.contains(0) ? String(decoding: utf8.filter { $0 != 0 }, as: UTF8.self) : self
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// One console at a time puts things into a bucket: another one could have read what is older, and put it there later. Who it is
// lies in the database, and for how long, since nobody hears of a console that dies.
extension Console {
  /// How long a lease holds, in seconds. A console that serves renews it while something is under way; of a command a manifest is
  /// there before it is over.
  private var lease: Int64 { uploads == nil ? 60 : 15 }
  /// How long another console is waited for, in seconds.
  private static let patience: Int64 = 30

  /// What time it is to all consoles: the database's, since their own clocks may differ.
  private func leaseTime() throws(Refusal) -> Int64 {
    guard database.isServer else { return Console.now }
    return try database.number("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)") ?? Console.now
  }

  func takeLease() throws(Refusal) {
    guard let name = place.published else { return }
    let end = Clock.now + Console.patience * 1000
    while true {
      let isTaken = try database.change { () throws(Refusal) -> Bool in
        let now = try leaseTime()
        try database.run(
          "INSERT INTO places (name, written, since) VALUES (?, -1, ?) ON CONFLICT (name) DO NOTHING",
          [.text(name), .int(now)])
        let held =
          try database.number(
            "SELECT COUNT(*) FROM places WHERE name = ? AND holder <> ? AND held_until > ?",
            [.text(name), .text(holder), .int(now)]) ?? 0
        guard held == 0 else { return false }
        try database.run(
          "UPDATE places SET holder = ?, held_until = ? WHERE name = ?",
          [.text(holder), .int(now + lease), .text(name)])
        return true
      }
      if isTaken { return }
      guard Clock.now < end else { throw Refusal(.busy, "\(name): another console publishes") }
      Clock.sleep(200)
    }
  }

  /// Has the lease go on; before anything is put there.
  ///
  /// - Throws: `.busy` if it has ended meanwhile.
  func keepLease() throws(Refusal) {
    guard let name = place.published else { return }
    let now = try leaseTime()
    let left =
      try database.first(
        "SELECT held_until FROM places WHERE name = ? AND holder = ?", [.text(name), .text(holder)],
        { (row) throws(Refusal) in row.int(0) - now }) ?? 0
    guard left > 0 else { throw Refusal(.busy, "\(name): another console publishes") }
    guard left < lease * 3 / 4 else { return }
    try database.change { () throws(Refusal) in
      try database.run(
        "UPDATE places SET held_until = ? WHERE name = ? AND holder = ?",
        [.int(now + lease), .text(name), .text(holder)])
    }
  }

  /// Ends the lease, and notes how far the place is: a console that starts goes on from there.
  ///
  /// - Parameters:
  ///   - since: from when on everything was put there; nil if something failed.
  /// - Throws: `.busy` if it has ended meanwhile, and it is not known what is there.
  func endLease(_ since: Int64?, _ now: Int64?) throws(Refusal) {
    guard let name = place.published else { return }
    try database.change { () throws(Refusal) in
      if let since, let now {
        // Of a lease that has ended somebody else says how far the place is.
        let isHeld = try database.number(
          "SELECT COUNT(*) FROM places WHERE name = ? AND holder = ?", [.text(name), .text(holder)])
        guard isHeld == 1 else { throw Refusal(.busy, "\(name): another console publishes") }
        // What was left out before is not there by that.
        try database.run(
          """
          UPDATE places SET written = CASE WHEN written >= ? AND written < ? THEN ? ELSE written END,
          problem = NULL WHERE name = ?
          """, [.int(since), .int(now), .int(now), .text(name)])
      }
      try database.run(
        "UPDATE places SET holder = NULL, held_until = NULL WHERE name = ? AND holder = ?",
        [.text(name), .text(holder)])
    }
  }

  /// Notes that all is in the folder.
  func noteFolder() throws(Refusal) {
    guard let name = place.published, case .folder? = published else { return }
    let failed = try database.number(
      "SELECT COUNT(*) FROM places WHERE name = ? AND problem IS NOT NULL", [.text(name)])
    guard failed != 0 else { return }
    try database.change { () throws(Refusal) in
      try database.run("UPDATE places SET problem = NULL WHERE name = ?", [.text(name)])
    }
  }

  /// Notes why something is not there.
  ///
  /// - Parameter written: until which generation everything is there, where the database does not know it; -1 for none.
  func note(problem: String, written: Int64 = -1) throws(Refusal) {
    guard let name = place.published else { return }
    let before = try database.first("SELECT problem FROM places WHERE name = ?", [.text(name)]) {
      (row) throws(Refusal) in row.textIfAny(0)
    }
    if let before = before ?? nil, before.sameBytes(as: problem) { return }
    try database.change { () throws(Refusal) in
      try database.run(
        """
        INSERT INTO places (name, written, problem, since) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
        written = CASE WHEN excluded.written > places.written THEN excluded.written ELSE places.written END,
        since = CASE WHEN places.problem IS NULL THEN excluded.since ELSE places.since END, problem = excluded.problem
        """, [.text(name), .int(written), .text(problem.nulFree), .int(Console.now)])
    }
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// Who may sign in, and who has.
extension Console {
  /// How long a session lasts without being used, in seconds.
  private static let session: Int64 = 12 * 3600

  package struct Admin: Sendable {
    package var name: String
    package var role: Person.Role
    package var created: Int64
  }

  package struct Bearer: Sendable {
    package var number: Int64
    package var admin: String
    package var label: String
    package var expires: Int64
  }

  static func role(_ text: String) -> Person.Role? {
    switch text {
    case "viewer": .viewer
    case "editor": .editor
    default: nil
    }
  }

  static func word(_ role: Person.Role) -> String { role == .viewer ? "viewer" : "editor" }

  /// Whether a password is somebody's. Whoever guesses is slowed down, by the name and the address.
  private func check(
    _ name: String, _ password: String, from address: String
  ) throws(Refusal) -> (verdict: PasswordVerdict, hash: String?) {
    guard (1...64).contains(name.utf8.count), !name.utf8.contains(0) else { return (.isWrong(wait: 0), nil) }
    let hash = try passwordHash(of: name)
    // Another password has not been guessed at yet: whoever sets it lets its owner in.
    let guessed = name + " " + (hash ?? "")
    let wait = throttles.wait(guessed)
    guard wait == 0 else { return (.isTooSoon(wait: wait), nil) }
    // Taken before any work is done, and given back if it was right.
    let address = Rates.key(of: address)
    let later = address.map { rates.passwords.take($0) } ?? 0
    guard later == 0 else { return (.isTooSoon(wait: later), nil) }
    let isRight = Password.isRight(password, hash: hash)
    let next = throttles.note(guessed, isRight: isRight)
    guard isRight else { return (.isWrong(wait: next), nil) }
    if let address { rates.passwords.giveBack(address) }
    return (.isRight, hash)
  }

  private func passwordHash(of name: String) throws(Refusal) -> String? {
    try database.first("SELECT hash FROM admins WHERE name = ?", [.text(name)]) { (row) throws(Refusal) in
      row.textIfAny(0)
    } ?? nil
  }

  package func signIn(_ name: String, _ password: String, from address: String) throws(Refusal) -> SignIn {
    let (verdict, hash) = try check(name, password, from: address)
    switch verdict {
    case .isRight:
      guard let hash, let cookie = try begin(sessionOf: name, withPassword: hash) else { return .isWrong(wait: 0) }
      return .isRight(cookie: cookie)
    case .isWrong(let wait): return .isWrong(wait: wait)
    case .isTooSoon(let wait): return .isTooSoon(wait: wait)
    }
  }

  /// - Returns: the cookie; nil if the password is another one by now.
  private func begin(sessionOf name: String, withPassword hash: String) throws(Refusal) -> String? {
    let cookie = String(decoding: Token.make(), as: UTF8.self)
    return try database.change { () throws(Refusal) -> String? in
      guard let now = try passwordHash(of: name), now.sameBytes(as: hash) else { return nil }
      try database.run("DELETE FROM sessions WHERE expires < ?", [.int(Console.now)])
      try database.run(
        "INSERT INTO sessions (hash, admin, csrf, expires) VALUES (?, ?, ?, ?)",
        [
          .bytes(Crypto.hash(Array(cookie.utf8))), .text(name), .text(String(decoding: Token.make(), as: UTF8.self)),
          .int(Console.now + Console.session),
        ])
      return cookie
    }
  }

  package func changePassword(
    of person: Person, _ present: String, to new: String, keeping cookie: String?, from address: String
  ) throws(Refusal) -> PasswordVerdict {
    try Console.checkLength(ofPassword: new, at: "new")
    let (verdict, former) = try check(person.name, present, from: address)
    guard case .isRight = verdict, let former else { return verdict }
    let hash = try Console.hash(of: new)
    return try change { (_) throws(Refusal) -> PasswordVerdict in
      // Somebody else has given another one meanwhile.
      guard let now = try passwordHash(of: person.name), now.sameBytes(as: former) else { return .isWrong(wait: 0) }
      try database.run("UPDATE admins SET hash = ? WHERE name = ?", [.text(hash), .text(person.name)])
      try database.run(
        "DELETE FROM sessions WHERE admin = ? AND hash <> ?",
        [.text(person.name), .bytes(Crypto.hash(Array((cookie ?? "").utf8)))])
      try note(person, "changed \(Console.word(person.role)) \(person.name)", "another password")
      return .isRight
    }
  }

  private static func checkLength(ofPassword password: String, at field: String) throws(Refusal) {
    guard (8...Password.longest).contains(password.utf8.count) else {
      throw Refusal(.invalid, "A password has 8 to \(Password.longest) bytes.", at: field)
    }
  }

  private static func hash(of password: String) throws(Refusal) -> String {
    guard let made = Password.hash(password) else { throw Refusal(.busy, "There is no memory.") }
    return made
  }

  package func person(_ cookie: String) -> Person? {
    let hash = Crypto.hash(Array(cookie.utf8))
    let now = Console.now
    let found = try? database.first(
      "SELECT a.name, a.role, s.csrf, s.expires FROM sessions s JOIN admins a ON a.name = s.admin WHERE s.hash = ?",
      [.bytes(hash)]
    ) { (row) throws(Refusal) in
      (
        person: Person(name: row.text(0), role: Console.role(row.text(1)) ?? .viewer, csrf: row.text(2)),
        end: row.int(3)
      )
    }
    guard let found, found.end > now else { return nil }
    // It is prolonged now and then, and not with each request.
    if found.end < now + Console.session - 600 {
      _ = try? database.change { () throws(Refusal) in
        try database.run(
          "UPDATE sessions SET expires = ? WHERE hash = ?", [.int(now + Console.session), .bytes(hash)])
      }
    }
    return found.person
  }

  /// The hashes of the cookies of all who are signed in.
  func sessions() throws(Refusal) -> [[UInt8]] {
    try database.all(
      "SELECT s.hash FROM sessions s JOIN admins a ON a.name = s.admin WHERE s.expires > ?", [.int(Console.now)]
    ) { (row) throws(Refusal) in row.bytes(0) }
  }

  package func signOut(_ cookie: String) throws(Refusal) {
    try database.change { () throws(Refusal) in
      try database.run("DELETE FROM sessions WHERE hash = ?", [.bytes(Crypto.hash(Array(cookie.utf8)))])
    }
  }

  package func admins() throws(Refusal) -> [Admin] {
    try database.all("SELECT name, role, created FROM admins ORDER BY name") { (row) throws(Refusal) in
      Admin(name: row.text(0), role: Console.role(row.text(1)) ?? .viewer, created: row.int(2))
    }
  }

  /// Refuses to add somebody who is there, and to change somebody who is not.
  func check(_ name: String, isNew: Bool) throws(Refusal) {
    let isThere = try database.number("SELECT COUNT(*) FROM admins WHERE name = ?", [.text(name.nulFree)]) == 1
    if isNew, isThere {
      throw Refusal(
        .conflict, "There is somebody of that name already: livery console admin set gives another password or role.")
    }
    if !isNew, !isThere {
      throw Refusal(.notFound, "There is nobody of that name: livery console admin add adds somebody.")
    }
  }

  /// Adds somebody, or gives somebody another role or password.
  ///
  /// - Parameter isNew: whether it has to be somebody new, or somebody who is there; nil for either.
  package func put(
    _ name: String, _ role: Person.Role, password: String?, isNew: Bool? = nil, by person: Person
  ) throws(Refusal) {
    // It stands in addresses.
    guard (1...64).contains(name.utf8.count), Line.isValid(name),
      name.utf8.allSatisfy({ $0 != .slash && $0 != .backslash }),
      // It would look like another one.
      name.utf8.first != .space, name.utf8.last != .space,
      ![".", ".."].contains(where: { $0.sameBytes(as: name) })
    else {
      throw Refusal(
        .invalid,
        "A name has 1 to 64 bytes, no control characters, no slashes, no space at either end, and is not `.` or `..`.")
    }
    var hash: String?
    if let password {
      try Console.checkLength(ofPassword: password, at: "password")
      hash = try Console.hash(of: password)
    }
    try change { (_) throws(Refusal) in
      if let isNew { try check(name, isNew: isNew) }
      let former = try database.first(
        "SELECT role FROM admins WHERE name = ?", [.text(name)], { (row) throws(Refusal) in row.text(0) })
      guard former != nil || !name.sameBytes(as: Console.itself.name) else {
        throw Refusal(.invalid, "What the console does by itself is told with this name.", at: "name")
      }
      guard former != nil || hash != nil else {
        throw Refusal(.invalid, "Somebody new needs a password.", at: "password")
      }
      // What changes nothing is no change.
      if let former, hash == nil, former.sameBytes(as: Console.word(role)) { return }
      if role == .viewer { try keepEditor(besides: name) }
      try database.run(
        """
        INSERT INTO admins (name, role, hash, created) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET role = excluded.role, hash = COALESCE(excluded.hash, admins.hash)
        """, [.text(name), .text(Console.word(role)), .optional(hash), .int(Console.now)])
      // Whoever knows an old password is out.
      if hash != nil { try database.run("DELETE FROM sessions WHERE admin = ?", [.text(name)]) }
      var detail = ""
      if let former {
        if !former.sameBytes(as: Console.word(role)) { detail = "\(former) → \(Console.word(role))" }
        if hash != nil { detail += detail.utf8.isEmpty ? "another password" : ", another password" }
      }
      try note(person, "\(former == nil ? "added" : "changed") \(Console.word(role)) \(name)", detail)
    }
  }

  package func removeAdmin(_ name: String, by person: Person) throws(Refusal) {
    try change { (_) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM admins WHERE name = ?", [.text(name.nulFree)]) == 1 else {
        throw Refusal(.notFound, "There is nobody of that name.")
      }
      try keepEditor(besides: name)
      try database.run("DELETE FROM admins WHERE name = ?", [.text(name)])
      try note(person, "removed \(name)")
    }
  }

  /// Refuses to take the last editor away, without whom nobody would change anything any more; within a change.
  private func keepEditor(besides name: String) throws(Refusal) {
    let editors = try database.all("SELECT name FROM admins WHERE role = 'editor'") { (row) throws(Refusal) in
      row.text(0)
    }
    guard editors.count != 1 || !editors[0].sameBytes(as: name) else {
      throw Refusal(.conflict, "\(name) is the only editor: make somebody else one before.")
    }
  }

  /// A token for programs, which acts as somebody.
  package func makeBearer(
    of name: String, _ label: String, days: Int, by person: Person
  ) throws(Refusal) -> (number: Int64, token: String) {
    guard (1...3650).contains(days) else { throw Refusal(.invalid, "A token is of use for 1 to 3,650 days.") }
    guard label.utf8.count <= 64, Line.isValid(label) else {
      throw Refusal(.invalid, "A label has at most 64 bytes, and is \(Console.lineWords).", at: "label")
    }
    let token = String(decoding: Token.make(), as: UTF8.self)
    var number: Int64 = 0
    try change { (_) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM admins WHERE name = ?", [.text(name.nulFree)]) == 1 else {
        throw Refusal(.notFound, "There is nobody of that name.")
      }
      number = try next("token")
      try database.run(
        "INSERT INTO bearers (number, hash, admin, label, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
        [
          .int(number), .bytes(Crypto.hash(Array(token.utf8))), .text(name), .text(label), .int(Console.now),
          .int(Console.now + Int64(days) * 86_400),
        ])
      try note(person, "made token \(number) of \(name)", label)
    }
    return (number, token)
  }

  package func bearers() throws(Refusal) -> [Bearer] {
    try database.all("SELECT number, admin, label, expires FROM bearers ORDER BY number") { (row) throws(Refusal) in
      Bearer(number: row.int(0), admin: row.text(1), label: row.text(2), expires: row.int(3))
    }
  }

  package func removeBearer(_ number: Int64, by person: Person) throws(Refusal) {
    try change { (_) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM bearers WHERE number = ?", [.int(number)]) == 1 else {
        throw Refusal(.notFound, "There is no such token.")
      }
      try database.run("DELETE FROM bearers WHERE number = ?", [.int(number)])
      try note(person, "removed token \(number)")
    }
  }

  /// Whose a token is.
  func person(bearer: String) throws(Refusal) -> Person? {
    try database.first(
      "SELECT a.name, a.role FROM bearers b JOIN admins a ON a.name = b.admin WHERE b.hash = ? AND b.expires > ?",
      [.bytes(Crypto.hash(Array(bearer.utf8))), .int(Console.now)]
    ) { (row) throws(Refusal) in
      Person(name: row.text(0), role: Console.role(row.text(1)) ?? .viewer, csrf: "")
    }
  }
}

/// Slows down who guesses, by the name that is tried.
final class Throttles: @unchecked Sendable {
  private static let most = 1024
  private let lock = Lock()
  // Guarded by `lock`, the latest last. `wait` is how long the next one had to wait after the last one.
  private var all: [(name: String, throttle: Throttle, wait: Int)] = []

  func wait(_ name: String) -> Int {
    lock.withLock { all.first { $0.name.sameBytes(as: name) }?.throttle.wait() ?? 0 }
  }

  func note(_ name: String, isRight: Bool) -> Int {
    lock.withLock {
      var throttle = Throttle()
      if let index = all.firstIndex(where: { $0.name.sameBytes(as: name) }) {
        throttle = all.remove(at: index).throttle
      }
      let wait = throttle.note(isRight: isRight)
      guard !isRight else { return wait }
      if all.count >= Throttles.most { forget() }
      all.append((name, throttle, wait))
      return wait
    }
  }

  /// Forgets whoever has the least to wait: the name that is guessed most is not forgotten for others that are made up.
  private func forget() {
    all.removeAll { $0.throttle.isOver() }
    guard all.count >= Throttles.most else { return }
    var least = all.startIndex
    for index in all.indices where all[index].wait < all[least].wait { least = index }
    all.remove(at: least)
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// What is signed: the manifests of channels, within a change. Their versions rise in the database, whose writers come one after
// another: no version is signed twice.
extension Console {
  /// Signs a channel's manifest anew; the fleet's follows a group's, whose version it names.
  ///
  /// - Parameter isChanged: whether it says something else than before.
  func sign(
    _ channel: LiveryFleet.Channel, _ stamp: Int64, isChanged: Bool, with signers: [SigningKey]? = nil
  ) throws(Refusal) {
    let document = try keyDocument()
    let now = try signingTime()
    let signers = signers ?? keys.signers
    let counting = signers.filter { document.counts($0.publicKey, at: now) }
    guard now < document.expires, counting.count >= document.threshold else {
      throw Refusal(.busy, whyUnsigned(document, signers, at: now))
    }
    let name = channel.name
    let before =
      try database.first(
        "SELECT version, changed FROM channels WHERE name = ?", [.text(name)]
      ) { (row) throws(Refusal) in (version: row.int(0), changed: row.int(1)) } ?? (version: 0, changed: 0)
    let version = before.version + 1
    let changed = isChanged ? version : before.changed
    var manifest = Manifest(
      fleet: fleet, channel: channel, version: version, keys: document.version, issued: now,
      expires: now + Console.lifetime)
    switch channel {
    case .fleet:
      manifest.interval = Console.interval
      for line in try database.all(
        "SELECT name, version FROM channels WHERE name LIKE 'group.%'", [],
        { (row) throws(Refusal) in (name: row.text(0), version: row.int(1)) })
      {
        guard case .group(let group)? = LiveryFleet.Channel(name: line.name) else { continue }
        manifest.versions.append(Manifest.GroupVersion(group: group, version: line.version))
      }
      manifest.versions.sort { $0.group.utf8.lexicographicallyPrecedes($1.group.utf8) }
    case .group: break
    case .device(let id): manifest.groups = try groups(of: id)
    }
    manifest.documents = try entries(name)
    let bytes: [UInt8]
    do throws(FleetError) {
      bytes = try Envelope(.manifest, manifest.encoded(), signedBy: Array(counting.prefix(document.threshold)))
        .encoded()
    } catch { throw Refusal(error) }
    try database.run(
      """
      INSERT INTO channels (name, version, changed, expires, manifest, stamp) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, changed = excluded.changed,
      expires = excluded.expires, manifest = excluded.manifest, stamp = excluded.stamp
      """,
      [.text(name), .int(version), .int(changed), .int(manifest.expires), .bytes(bytes), .int(stamp)])
    if case .group = channel { try sign(.fleet, stamp, isChanged: false, with: signers) }
  }

  /// The present moment for devices: they do not go back behind what was signed, by a clock that was ahead.
  func signingTime() throws(Refusal) -> Int64 {
    max(Console.now, (try database.number("SELECT MAX(expires) FROM channels") ?? 0) - Console.lifetime)
  }

  /// Why nothing can be signed for the fleet now; nil if it can.
  func signingProblem() throws(Refusal) -> String? {
    let (document, signers, now) = (try keyDocument(), keys.signers, try signingTime())
    let count = signers.count { document.counts($0.publicKey, at: now) }
    let canSign = now < document.expires && count >= document.threshold
    return canSign ? nil : whyUnsigned(document, signers, at: now)
  }

  private func whyUnsigned(_ document: KeyDocument, _ signers: [SigningKey], at now: Int64) -> String {
    let path = "\(place.folder)/signing.key"
    let renewal = "livery console keys rotate --root-key FILE"
    if now >= document.expires { return "the time of the key document is over: \(renewal)" }
    if let problem = keys.problem { return "nothing can be signed: \(problem)" }
    let known = signers.count { document.signer($0.publicKey) != nil }
    if known >= document.threshold { return "the time of the keys in \(path) to sign is over: \(renewal)" }
    return "the keys in \(path) do not sign for this fleet: is another console's key newer?"
  }

  /// What a channel's manifest names: what holds for all, what rolls out on top of it, and overlays.
  private func entries(_ channel: String) throws(Refusal) -> [Manifest.Entry] {
    var entries: [Manifest.Entry] = []
    for line in try standing(channel) + overlays(channel) {
      guard let size = try document(line.hash)?.count else { continue }
      var entry = Manifest.Entry(
        hash: line.hash, size: Int64(size), name: line.name ?? "p" + line.number.description, scope: line.app)
      entry.author = Line.of(line.author, limit: Limit.author)
      entry.comment = Line.of(line.comment, limit: Limit.comment)
      if let share = line.share, share < 10_000 { entry.rollout = Rollout(share: share, salt: line.salt) }
      // A hash stands once.
      if !entries.contains(where: { $0.hash == entry.hash }) { entries.append(entry) }
    }
    return entries
  }

  struct Standing {
    var number: Int64
    var author: String
    var comment: String
    var hash: [UInt8]
    var salt: [UInt8]
    /// nil for all devices.
    var share: Int64?
    /// nil for every app.
    var app: String?
    /// What devices call it; nil for its number.
    var name: String?
  }

  /// What a channel says to all, and what rolls out on top of it, the weakest first; without overlays.
  func standing(_ channel: String) throws(Refusal) -> [Standing] {
    let found = try database.all(
      """
      SELECT p.number, p.hash, p.rolling_hash, p.salt, p.step, p.steps, p.number = s.rolling, p.author, p.comment, p.name
      FROM standing s
      JOIN publications p ON p.number = s.base OR p.number = s.rolling WHERE s.channel = ? ORDER BY p.number
      """, [.text(channel)]
    ) { (row) throws(Refusal) -> Standing in
      let isRolling = row.int(6) != 0
      let steps = Plan.steps(row.text(5))
      let step = Int(clamping: row.int(4))
      return Standing(
        number: row.int(0), author: row.text(7), comment: row.text(8), hash: isRolling ? row.bytes(2) : row.bytes(1),
        salt: row.bytes(3), share: isRolling ? Int64(steps.indices.contains(step) ? steps[step] : 10_000) : nil,
        name: row.textIfAny(9))
    }
    return found.filter { $0.share == nil } + found.filter { $0.share != nil }
  }

  /// Signs everything anew, the fleet's last.
  func signAll(_ stamp: Int64, with signers: [SigningKey]? = nil) throws(Refusal) {
    let names = try database.all("SELECT name FROM channels", []) { (row) throws(Refusal) in row.text(0) }
    for name in names {
      guard let channel = LiveryFleet.Channel(name: name), channel != .fleet else { continue }
      if case .group = channel { continue }
      try sign(channel, stamp, isChanged: false, with: signers)
    }
    for name in names {
      guard case .group(let group)? = LiveryFleet.Channel(name: name) else { continue }
      try sign(.group(group), stamp, isChanged: false, with: signers)
    }
    try sign(.fleet, stamp, isChanged: false, with: signers)
  }

  /// Signs anew what would be over soon.
  func refresh() throws(Refusal) {
    let due = Console.now + Console.lifetime / 2
    guard try database.number("SELECT COUNT(*) FROM channels WHERE expires < ?", [.int(due)]) ?? 0 > 0 else { return }
    try change { (stamp) throws(Refusal) in
      let names = try database.all(
        "SELECT name FROM channels WHERE expires < ? ORDER BY name DESC LIMIT 2000", [.int(due)]
      ) { (row) throws(Refusal) in row.text(0) }
      for name in names {
        guard let channel = LiveryFleet.Channel(name: name) else { continue }
        try sign(channel, stamp, isChanged: false)
      }
    }
  }

  func groups(of device: String) throws(Refusal) -> [String] {
    try database.all(
      "SELECT g.name FROM members m JOIN device_groups g ON g.name = m.in_group WHERE m.device = ? ORDER BY g.place",
      [.text(device)]
    ) { (row) throws(Refusal) in row.text(0) }
  }
}

extension Plan {
  /// "500,2500,10000".
  static func steps(_ text: String) -> [Int] {
    text.utf8.split(separator: UInt8(ascii: ",")).compactMap { Array($0)[...].decimal }
  }

  var text: String {
    var text = ""
    for step in steps { text += text.utf8.isEmpty ? step.description : "," + step.description }
    return text
  }
}

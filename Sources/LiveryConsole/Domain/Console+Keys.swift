import LiveryClient
import LiveryFleet
import LiveryHTTP

// Changing who signs: asked for, signed by root keys, here or elsewhere, and then taken.
extension Console {
  /// What follows the key document that holds.
  ///
  /// - Parameter start: from when its time counts.
  private func following(from start: Int64) throws(Refusal) -> KeyDocument {
    var document = try keyDocument()
    // A database that was put back does not know of all that devices have seen. What one of them may have made up does not count.
    let seen = try database.number("SELECT MAX(keys) FROM devices WHERE refused = 0") ?? 0
    document.version = (seen - document.version < 1000 ? max(document.version, seen) : document.version) + 1
    document.issued = Console.now
    document.expires = start + Console.keyLifetime
    document.former = nil
    return document
  }

  private var keyFile: String { "\(place.folder)/signing.key" }

  /// Refuses a database whose fleet knows no key of this console's folder: nothing could be signed for it.
  func checkKey() throws(Refusal) {
    let document = try keyDocument()
    guard keys.signers.contains(where: { document.signer($0.publicKey) != nil }) else {
      throw Refusal(.invalid, "the fleet \(fleet) in that database knows no key of \(keyFile)")
    }
  }

  /// Asks for another key to sign. Its secret half is in the console's folder from now on, and does not count before the request is
  /// taken.
  ///
  /// - Parameters:
  ///   - revokes: whether what the former one has signed counts for nothing from then on: it was stolen. Otherwise it counts until
  ///     it is over.
  ///   - roots: the keys at hand, whose signatures it has.
  package func requestSigner(revokes: Bool, roots: [SigningKey]) throws(Refusal) -> KeyRequest {
    // Whoever writes the file has read what was written before.
    try Files.alone(in: place.folder) { () throws(Refusal) in try addSigner(revokes, roots) }
  }

  private func addSigner(_ revokes: Bool, _ roots: [SigningKey]) throws(Refusal) -> KeyRequest {
    let now = Console.now
    let seed = Crypto.random(SigningKey.seedSize)
    guard let signer = SigningKey.make(seed: seed) else { throw Refusal(.busy, "libsodium does not work") }
    // What a former key has signed by a clock that was ahead counts on, unless that key does not any more.
    let start = revokes ? now : try signingTime()
    let document = try following(from: start)
    var signers = revokes ? [] : document.signers.filter { $0.until > now }
    // One that is superseded ends with the manifests that it has signed.
    for index in signers.indices { signers[index].until = min(signers[index].until, start + Console.lifetime) }
    signers.append(KeyDocument.Signer(key: signer.publicKey, from: now - 86_400, until: start + Console.keyLifetime))
    var request = try KeyRequest(
      KeyDocument(
        fleet: document.fleet, version: document.version, issued: now, expires: document.expires, roots: document.roots,
        signers: signers, threshold: document.threshold))
    // Keys that are not the fleet's are told of before anything is changed.
    try request.sign(roots)
    // The file has both until the request is taken: whatever comes between, one of them signs.
    var lines = Array((seed.hexadecimal + "\n").utf8)
    var pending = 0
    for line in try Files.read(keyFile, most: 4096).split(separator: .lineFeed) {
      guard let seed = Hexadecimal.bytes(Array(line)), let key = SigningKey.make(seed: seed) else { continue }
      if document.signers.contains(where: { $0.key == key.publicKey }) {
        lines += line + [.lineFeed]
      } else if pending < Console.mostPending {
        pending += 1
        lines += line + [.lineFeed]
      }
    }
    try Files.write(keyFile, lines, mode: 0o400, replaces: true)
    try noteAsked(request)
    return request
  }

  /// Notes what root keys are asked to sign: nothing else is taken back from them.
  private func noteAsked(_ request: KeyRequest) throws(Refusal) {
    try database.change { () throws(Refusal) in
      let others = try asked().filter { !$0.sameBytes(as: request.digest) }
      try noteAsked([request.digest] + others.prefix(Self.mostPending))
    }
  }

  private func noteAsked(_ digests: [String]) throws(Refusal) {
    try database.run(
      """
      INSERT INTO facts (name, content) VALUES ('asked keys', ?)
      ON CONFLICT (name) DO UPDATE SET content = excluded.content
      """, [.text(digests.joined(separator: " "))])
  }

  private func asked() throws(Refusal) -> [String] {
    let text = try database.first("SELECT content FROM facts WHERE name = 'asked keys'", []) { (row) throws(Refusal) in
      row.text(0)
    }
    return (text ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: Array($0), as: UTF8.self) }
  }

  /// How many keys are kept that were asked for and not taken yet, the latest ones: the file has an end.
  private static let mostPending = 8

  /// Asks for other root keys: the former ones have to sign it, and the new ones too.
  package func requestRoots(
    _ keys: [[UInt8]], threshold: Int, signedBy roots: [SigningKey]
  ) throws(Refusal) -> KeyRequest {
    var listed: [[UInt8]] = []
    for key in keys where !listed.contains(where: { $0 == key }) { listed.append(key) }
    guard (1...Limit.roots).contains(listed.count), (1...listed.count).contains(threshold) else {
      throw Refusal(.invalid, "a fleet has 1 to \(Limit.roots) root keys, of which 1 to all have to sign")
    }
    let start = try signingTime()
    var document = try following(from: start)
    let former = document.roots
    document.roots = KeyDocument.Roots(keys: listed, threshold: threshold)
    if document.roots != former { document.former = former }
    // They hold for as long as the document does.
    for index in document.signers.indices where document.signers[index].until > start + Console.lifetime {
      document.signers[index].until = document.expires
    }
    var request = try KeyRequest(document)
    try request.sign(roots)
    try noteAsked(request)
    return request
  }

  /// Takes what root keys have signed: everything is signed anew under it. Consoles that run go on with it.
  package func accept(_ request: KeyRequest, by person: Person) throws(Refusal) {
    try Files.alone(in: place.folder) { () throws(Refusal) in try take(request, by: person) }
  }

  private func take(_ request: KeyRequest, by person: Person) throws(Refusal) {
    let bytes = try request.signed
    let document = request.document
    guard request.missing == 0 else {
      throw Refusal(.invalid, "\(request.missing) signatures of root keys are missing: livery console keys sign")
    }
    try follows(document)
    guard try asked().contains(where: { $0.sameBytes(as: request.digest) }) else {
      throw Refusal(
        .invalid,
        "it is not what this fleet's console asked for, or it was put back to what it was since: ask again, and have its "
          + "keys looked at (livery console keys show REQUEST) before root keys sign")
    }
    guard Console.now < document.expires else { throw Refusal(.invalid, "its time is over: ask again") }
    // The console's own keys that sign from then on.
    let own = keys.signers.filter { document.signer($0.publicKey) != nil }
    guard let first = own.first else {
      throw Refusal(.invalid, "no key in \(keyFile) is one of its signers: it was asked for by another console")
    }
    // Of many that were asked for the latest keys are kept: without the new one nobody would sign once the former is over.
    let present = try keyDocument()
    let fresh = document.signers.filter { present.signer($0.key) == nil }
    guard fresh.isEmpty || fresh.contains(where: { new in own.contains { $0.publicKey == new.key } }) else {
      throw Refusal(
        .invalid,
        "the key that is to sign is not in \(keyFile): it was asked for by another console, or others since; ask again")
    }
    let signing = document.threshold == 1 ? [first] : own
    try change { (stamp) throws(Refusal) in
      try verify(bytes, document)
      try database.run(
        "INSERT INTO signed_keys (version, content, stamp) VALUES (?, ?, ?)",
        [.int(document.version), .bytes(bytes), .int(stamp)])
      try noteAsked([])
      if !document.signers.contains(where: { present.signer($0.key) != nil }) {
        // Devices forget what the former keys have signed, and when.
        let end = Console.now + Console.lifetime
        try database.run("UPDATE channels SET expires = ? WHERE expires > ?", [.int(end), .int(end)])
      }
      try signAll(stamp, with: signing)
      try note(
        person, document.former == nil ? "changed who signs" : "changed the root keys",
        document.former == nil
          ? [UInt8](first.publicKey.prefix(6)).hexadecimal
          : "\(document.roots.threshold) of \(document.roots.keys.count)")
    }
    var lines: [UInt8] = []
    for line in try Files.read(keyFile, most: 4096).split(separator: .lineFeed) {
      guard let seed = Hexadecimal.bytes(Array(line)), let key = SigningKey.make(seed: seed),
        signing.contains(where: { $0.publicKey == key.publicKey })
      else { continue }
      lines += line + [.lineFeed]
    }
    try Files.write(keyFile, lines, mode: 0o400, replaces: true)
  }

  private func follows(_ document: KeyDocument) throws(Refusal) {
    guard document.version == (try keyDocument()).version + 1 else {
      throw Refusal(.conflict, "the keys have changed since it was asked for: ask again")
    }
  }

  /// Whether devices take it after the one that holds: they are asked in their own words.
  private func verify(_ bytes: [UInt8], _ document: KeyDocument) throws(Refusal) {
    try follows(document)
    let present = try keyDocument()
    guard
      let before = try database.first(
        "SELECT content FROM signed_keys WHERE version = ?", [.int(present.version)],
        { (row) throws(Refusal) in row.bytes(0) })
    else { throw Refusal(.notFound, "there is no key document") }
    do throws(FleetError) {
      var trust = Trust(fleet: fleet, fingerprint: (present.former ?? present.roots).fingerprint)
      // The one that holds may be over: that is what another one is for.
      _ = try trust.take(keys: before, clock: present.issued)
      guard try trust.take(keys: bytes, clock: Console.now) == .taken else {
        throw FleetError(.unsigned, "devices would not take it")
      }
    } catch { throw Refusal(error) }
  }
}

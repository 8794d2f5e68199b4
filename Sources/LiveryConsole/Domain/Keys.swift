import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

/// The keys that sign manifests: files in the console's folder, that nobody else may read.
final class Keys: @unchecked Sendable {
  private let path: String
  private let lock = Lock()
  // Guarded by `lock`.
  private var present: [SigningKey]
  private var stamp: UInt64
  private var unread: Refusal?

  /// Reads `signing.key` of a folder, where one is on each line, the present one first.
  convenience init(_ folder: String) throws(Refusal) {
    let path = "\(folder)/signing.key"
    guard Files.isThere(path) else { throw Keys.isMissing(path) }
    let stamp = path.withCString { lvo_stamp($0) }
    self.init(path, try Keys.read(path), stamp)
  }

  /// There is a fleet, and nothing that signs for it.
  static func isMissing(_ path: String) -> Refusal {
    Refusal(
      .notFound,
      "\(path): the key that signs is not there: put it back; or make another one with `livery console keys make "
        + "\(path)`, which signs after `livery console keys rotate --root-key FILE`")
  }

  private init(_ path: String, _ signers: [SigningKey], _ stamp: UInt64) {
    self.path = path
    self.stamp = stamp
    present = signers
  }

  /// Those of the file as it is now: another key signs as soon as it is there. Those of before while it cannot be read.
  var signers: [SigningKey] {
    lock.withLock {
      let found = path.withCString { lvo_stamp($0) }
      guard found != stamp else {
        unread = nil
        return present
      }
      do throws(Refusal) { (present, stamp, unread) = (try Keys.read(path), found, nil) } catch { unread = error }
      return present
    }
  }

  /// Why the file as it is now cannot be read; nil if it can.
  var problem: String? {
    _ = signers
    return lock.withLock { unread?.message }
  }

  /// The keys of a file: 64 hexadecimal digits a line.
  static func read(_ path: String) throws(Refusal) -> [SigningKey] {
    guard !path.utf8.contains(0) else { throw Refusal(.invalid, "the name of the file has a NUL") }
    var count = 0
    var error: Int32 = 0
    guard let start = path.withCString({ lvo_read($0, 4096, &count, &error) }) else {
      throw Files.unread(path, error)
    }
    defer { lvo_free(start) }
    guard !path.withCString({ lvo_is_open_to_others($0) }) else {
      throw Refusal(.invalid, "\(path): others may read the key; chmod 400")
    }
    var keys: [SigningKey] = []
    for line in [UInt8](UnsafeBufferPointer(start: start, count: count)).split(separator: UInt8(ascii: "\n")) {
      guard let seed = Hexadecimal.bytes(Array(line)), let key = SigningKey.make(seed: seed) else {
        throw Refusal(.invalid, "\(path): a line is no key, which is 64 hexadecimal digits")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else { throw Refusal(.invalid, "\(path): there is no key in it") }
    return keys
  }

  /// Makes a key, and a file of it; or takes the one that is there.
  static func make(_ path: String, unless isThere: Bool) throws(Refusal) -> SigningKey {
    guard isThere else { return try make(path) }
    guard let key = try read(path).first else { throw Refusal(.invalid, "\(path): there is no key in it") }
    return key
  }

  /// Makes a key, and a file of it.
  static func make(_ path: String, replaces: Bool = false) throws(Refusal) -> SigningKey {
    let seed = Crypto.random(SigningKey.seedSize)
    guard let key = SigningKey.make(seed: seed) else { throw Refusal(.busy, "libsodium does not work") }
    try Files.write(path, Array((seed.hexadecimal + "\n").utf8), mode: 0o400, replaces: replaces)
    return key
  }
}

enum Files {
  /// Does something while nobody else does such in a folder.
  static func alone<R>(in folder: String, _ body: () throws(Refusal) -> R) throws(Refusal) -> R {
    var error: Int32 = 0
    let lock = folder.withCString { lvo_lock($0, &error) }
    guard lock >= 0 else { throw Refusal(.busy, "\(folder): \(String(cString: lvo_reason(error)))") }
    defer { lvo_unlock(lock) }
    return try body()
  }

  static func isThere(_ path: String) -> Bool { path.withCString { lvo_stamp($0) } != 0 }

  static func write(_ path: String, _ bytes: [UInt8], mode: UInt32, replaces: Bool) throws(Refusal) {
    guard !path.utf8.contains(0) else { throw Refusal(.invalid, "the name of the file has a NUL") }
    let error = bytes.withUnsafeBufferPointer { (bytes) in
      path.withCString { lvo_write($0, bytes.baseAddress, bytes.count, mode, replaces) }
    }
    guard error == 0 else { throw Refusal(.invalid, "\(path): \(String(cString: lvo_reason(error)))") }
  }

  static func read(_ path: String, most: Int) throws(Refusal) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw Refusal(.invalid, "the name of the file has a NUL") }
    var count = 0
    var error: Int32 = 0
    guard let start = path.withCString({ lvo_read($0, most, &count, &error) }) else {
      throw Self.unread(path, error)
    }
    defer { lvo_free(start) }
    return [UInt8](UnsafeBufferPointer(start: start, count: count))
  }

  /// Why a file was not read: one that is there counts, and says something else than none.
  static func unread(_ path: String, _ error: Int32) -> Refusal {
    let isMissing = error == ENOENT || error == ENOTDIR
    return Refusal(isMissing ? .notFound : .invalid, "\(path): \(String(cString: lvo_reason(error)))")
  }

  static func makeFolder(_ path: String, mode: UInt32) throws(Refusal) {
    guard !path.utf8.contains(0) else { throw Refusal(.invalid, "the name of the folder has a NUL") }
    let error = path.withCString { lvo_make_folder($0, mode) }
    guard error == 0 else { throw Refusal(.invalid, "\(path): \(String(cString: lvo_reason(error)))") }
  }
}

enum Hexadecimal {
  /// nil for what is not hexadecimal digits in pairs.
  static func bytes(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = text[index].hexadecimal, let low = text[index + 1].hexadecimal else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  static func bytes(_ text: String) -> [UInt8]? { bytes(Array(text.utf8)) }
}

// Making a fleet.
extension Console {
  /// Makes a fleet: the tables, a signing key in the folder, and a root key in a file that belongs somewhere else.
  ///
  /// Where it was ended half-way, it goes on.
  ///
  /// - Parameter note: called before there is a fleet, with nothing in the way of one: what has to be known to whoever opens it.
  package static func initialize(
    _ place: Place, fleet: String, rootKey: String, by person: Person, note: () throws(Refusal) -> Void = {}
  ) throws(Refusal) {
    guard Crypto.isReady else { throw Refusal(.busy, "libsodium does not work") }
    guard Name.isValid(fleet) else {
      throw Refusal(.invalid, "a fleet's name is 1 to 32 of a to z, 0 to 9, - and _, the first a letter or digit")
    }
    if let url = place.url { try check(url: url, of: fleet) }
    try Files.makeFolder(place.folder, mode: 0o700)
    if let published = place.published, !Bucket.isBucket(published) { try Files.makeFolder(published, mode: 0o755) }
    // What is wrong with a bucket's options is told before anything is made.
    let published = try PublishedPlace.make(place)
    let database = try Database(place.database ?? "\(place.folder)/console.db")
    try Tables.migrate(database)
    guard try database.number("SELECT number FROM facts WHERE name = 'fleet'") == nil else {
      throw Refusal(.conflict, "there is a fleet already")
    }
    try note()
    // Where the key that signs is there without a fleet, both are of one that was not made to its end.
    let signingKey = "\(place.folder)/signing.key"
    let hasBegun = Files.isThere(signingKey)
    guard hasBegun || !Files.isThere(rootKey) else { throw Refusal(.invalid, "\(rootKey): the file exists already") }
    let signer = try Keys.make(signingKey, unless: hasBegun)
    let root = try Keys.make(rootKey, unless: Files.isThere(rootKey))
    let now = Console.now
    let document = KeyDocument(
      fleet: fleet, version: 1, issued: now, expires: now + keyLifetime,
      roots: KeyDocument.Roots(keys: [root.publicKey]),
      signers: [KeyDocument.Signer(key: signer.publicKey, from: now - 86_400, until: now + keyLifetime)])
    let bytes = try signed(document, [root])
    let console = Console(
      place, fleet, database, try Keys(place.folder), published, generation: 0)
    try console.change { (stamp) throws(Refusal) in
      try database.run("INSERT INTO facts (name, content) VALUES ('fleet', ?)", [.text(fleet)])
      try database.run(
        "INSERT INTO signed_keys (version, content, stamp) VALUES (1, ?, ?)", [.bytes(bytes), .int(stamp)])
      try console.note(person, "made the fleet", fleet)
      try console.sign(.fleet, stamp, isChanged: true)
    }
  }

  /// Whether codes can name an address of a fleet.
  static func check(url: String, of fleet: String) throws(Refusal) {
    let code = EnrollmentCode(
      url: url, fleet: fleet, token: [UInt8](repeating: 0, count: 16), fingerprint: [UInt8](repeating: 0, count: 32),
      expires: 0)
    do throws(FleetError) { _ = try code.encoded() } catch { throw Refusal(error) }
    // A console answers at it.
    _ = try Service.name(of: url)
  }

  /// How long a key document and its signers hold, in seconds.
  static let keyLifetime: Int64 = 365 * 86_400

  private static func signed(_ document: KeyDocument, _ roots: [SigningKey]) throws(Refusal) -> [UInt8] {
    do throws(FleetError) {
      return try Envelope(.keys, document.encoded(), signedBy: roots).encoded()
    } catch { throw Refusal(error) }
  }

  /// The key document that holds.
  func keyDocument() throws(Refusal) -> KeyDocument {
    guard
      let bytes = try database.first(
        "SELECT content FROM signed_keys ORDER BY version DESC LIMIT 1", [], { (row) throws(Refusal) in row.bytes(0) })
    else { throw Refusal(.notFound, "there is no key document") }
    do throws(FleetError) {
      return try KeyDocument.decode(try Envelope.decode(bytes, as: .keys).payload)
    } catch { throw Refusal(error) }
  }
}

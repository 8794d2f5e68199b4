import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP
import Synchronization

/// The console of a fleet: everything that it knows lies in its database, and what devices take is made of that.
///
/// Any thread may call it. Several may be at work on one database at the same time, in one process or in several.
package final class Console: @unchecked Sendable {
  /// Where it lies, and what it is told when it starts.
  package struct Place: Sendable {
    /// The console's own folder.
    package var folder = ""
    /// A file beneath it if nil.
    package var database: String?
    /// The folder that a web server delivers, or `s3://bucket/prefix`; nil for none.
    package var published: String?
    /// How a bucket is reached.
    var bucket = Bucket.Options()
    /// Where hints go to, `mqtt://…`; nil for none.
    package var broker: String?
    /// Who the console is there: a user, the file with the password in its first line, whom it trusts (PEM), and the identifier of
    /// its connection; nil for none.
    package var brokerUser: String?
    package var brokerPasswordFile: String?
    package var brokerCAFile: String?
    package var brokerClientID: String?
    /// The fleet's address, as devices know it.
    package var url: String?

    package init() {}
  }

  package let place: Place
  package let fleet: String
  let database: Database
  let keys: Keys
  let published: PublishedPlace?
  let types = SchemaStores()
  let throttles = Throttles()
  let rates = Rates()
  let latest = Atomic<UInt64>(0)
  private let writing = Lock()
  /// Why a folder could not be written, and since when; guarded by `failing`.
  private let failing = Lock()
  private var failure: (problem: String, since: Int64)?
  /// What has been written to the published folder: guarded by `writing`.
  private var written: Int64 = -1
  /// Since when everything was put into a bucket by this console: guarded by `writing`. What has nothing to say does not raise it.
  private var reached: Int64 = -1
  var hints: Hints?
  /// What a console that serves has noted of its broker, and when.
  var brokerNoted: (problem: String, time: Int64)?
  /// Who this one is to others that publish to the same place.
  let holder = Crypto.random(8).hexadecimal
  /// Of a console that serves, if what is published goes far.
  var uploads: Uploads?
  /// Told of what could not be published yet.
  var complain: @Sendable (String) -> Void = { _ in }

  /// How long manifests hold, in seconds; they are made anew when half of that is over.
  static let lifetime: Int64 = 7 * 86_400
  /// How often devices ask, in seconds.
  static let interval: Int64 = 300
  /// Who is not heard of for so long is silent, in seconds.
  static let silence: Int64 = 86_400

  /// Opens a console that `initialize` has made.
  package convenience init(_ place: Place) throws(Refusal) {
    guard Crypto.isReady else { throw Refusal(.busy, "libsodium does not work") }
    // Nothing is made where there is none.
    guard place.database != nil || Files.isThere("\(place.folder)/console.db") else {
      throw Refusal(.notFound, "there is no fleet yet in \(place.folder): livery console init")
    }
    let database = try Database(place.database ?? "\(place.folder)/console.db")
    try Tables.migrate(database)
    guard
      let fleet = try database.first(
        "SELECT content FROM facts WHERE name = 'fleet'", [], { (row) throws(Refusal) in row.text(0) })
    else { throw Console.isMissing }
    let keys = try Keys(place.folder)
    let published = try PublishedPlace.make(place, waits: true)
    self.init(place, fleet, database, keys, published, generation: try Self.generation(of: database))
  }

  /// The folder to publish to, if it was not there: what is published waits for it.
  package var missingFolder: String? { published?.missing }

  static var isMissing: Refusal { Refusal(.notFound, "there is no fleet yet: livery console init") }

  /// Whether there is a fleet in a database. Nothing is made where there is none.
  package static func checkDatabase(of place: Place) throws(Refusal) {
    let path = place.database ?? "\(place.folder)/console.db"
    let isServer = (path.after("postgresql://") ?? path.after("postgres://")) != nil
    let isMissing = Refusal(.notFound, "there is no fleet in that database")
    guard isServer || Files.isThere(path) else { throw isMissing }
    let database = try Database(path)
    // Without tables the question itself is wrong.
    let found = try? database.number("SELECT COUNT(*) FROM facts WHERE name = 'fleet'")
    guard found == 1 else { throw isMissing }
  }

  init(
    _ place: Place, _ fleet: String, _ database: Database, _ keys: Keys, _ published: PublishedPlace?,
    generation: Int64
  ) {
    self.place = place
    self.fleet = fleet
    self.database = database
    self.keys = keys
    self.published = published
    latest.store(UInt64(clamping: generation), ordering: .relaxed)
  }

  static var now: Int64 { Timestamp.now.microseconds / 1_000_000 }

  /// The generation of the database.
  func stored() throws(Refusal) -> Int64 { try Self.generation(of: database) }

  private static func generation(of database: Database) throws(Refusal) -> Int64 {
    try database.number("SELECT number FROM facts WHERE name = 'generation'") ?? 0
  }

  /// A number that no other one has.
  func next(_ counter: String) throws(Refusal) -> Int64 {
    try database.run("UPDATE facts SET number = number + 1 WHERE name = ?", [.text(counter)])
    return try database.number("SELECT number FROM facts WHERE name = ?", [.text(counter)]) ?? 1
  }

  /// One change: all of it or nothing, with what history tells of it, and published afterwards.
  ///
  /// - Parameter body: is given the generation in which the change is; nothing of it is kept if it throws.
  func change<R>(_ body: (_ stamp: Int64) throws(Refusal) -> R) throws(Refusal) -> R {
    var stamp: Int64 = 0
    let result = try database.change { () throws(Refusal) -> R in
      stamp = try next("generation")
      return try body(stamp)
    }
    latest.store(UInt64(clamping: stamp), ordering: .relaxed)
    // What could not be written is written later: the database is what counts.
    do throws(Refusal) { try publishFiles() } catch { complain("it is kept, and not published yet: \(error.whole)") }
    return result
  }

  /// Goes on where the last one has ended who has published to the same place: one that was killed may have left something out, to
  /// which what comes now refers.
  func publishChangesOnly() throws(Refusal) {
    if isFar { return try publishFromThere() }
    let now = try stored()
    let known = published == nil ? now : progress()
    // A database that was restored begins anew.
    writing.withLock { written = known <= now ? known : -1 }
  }

  /// The file beside the keys that says until which generation everything was written into a folder, and into which.
  private var progressFile: String { "\(place.folder)/published.generation" }

  /// The generation of which everything is in the folder, or a lower one; -1 if that is not known.
  private func progress() -> Int64 {
    guard let bytes = try? Files.read(progressFile, most: 8192) else { return -1 }
    let parts = bytes.split(separator: .lineFeed)
    guard parts.count == 3, Array(parts[1]) == Array((place.published ?? "").utf8), let number = parts[0].decimal,
      parts[2].elementsEqual(folderIdentity.utf8)
    else { return -1 }
    return Int64(number)
  }

  private var folderIdentity: String {
    if case .folder(let folder, _)? = published { folder.identity.description } else { "" }
  }

  private func noteProgress(_ generation: Int64) {
    let text = "\(generation)\n\(place.published ?? "")\n\(folderIdentity)\n"
    // If it cannot be kept more is looked at the next time.
    try? Files.write(progressFile, Array(text.utf8), mode: 0o644, replaces: true)
  }

  /// Notes who has done what; within a change.
  func note(_ person: Person, _ what: String, _ detail: String = "") throws(Refusal) {
    let number = try next("history")
    try database.run(
      "INSERT INTO history (number, time, author, what, detail) VALUES (?, ?, ?, ?, ?)",
      // Names and comments may have any byte.
      [.int(number), .int(Console.now), .text(person.name.nulFree), .text(what.nulFree), .text(detail.nulFree)])
  }

  /// The person that the console itself is.
  static var itself: Person { Person(name: "console", role: .editor, csrf: "") }

  /// Goes on where a console was that has published to the same place before.
  func publishFromThere() throws(Refusal) {
    guard let name = place.published, published?.isFar == true else { return }
    let there = try database.number("SELECT written FROM places WHERE name = ?", [.text(name)]) ?? -1
    writing.withLock { (written, reached) = (there, there) }
  }

  /// Writes what has been published since it was written the last time; or has it put there soon, where that may take long.
  func publishFiles() throws(Refusal) {
    if let uploads { return uploads.poke() }
    do throws(Refusal) {
      _ = try publishNow()
      failing.withLock { failure = nil }
      try? noteFolder()
    } catch {
      failing.withLock { failure = (error.message, failure?.since ?? Console.now) }
      // For commands, which look at the database; where that is as full this console knows it all the same.
      try? note(problem: error.message, written: writing.withLock { written })
      throw error
    }
  }

  /// Why what is published is not in its folder yet, and since when, as far as this console has tried; and until which generation
  /// it knows everything to be there, -1 for none.
  var folderFailure: (problem: String, since: Int64, written: Int64)? {
    guard let failure = failing.withLock({ failure }) else { return nil }
    return (failure.problem, failure.since, writing.withLock { written })
  }

  /// Writes what has been published since it was written the last time: all of it the first time. What refers to others comes
  /// after them, the fleet's manifest last.
  ///
  /// - Returns: the generation of which everything is there.
  func publishNow() throws(Refusal) -> Int64 {
    try writing.withLock { () throws(Refusal) in
      try followFolder()
      let first = try stored()
      guard first != written else { return first }
      // What has nothing to say keeps nobody else from publishing.
      guard try hasNews() else {
        written = first
        return first
      }
      // What another console or a command writes meanwhile is newer than what is read now.
      try lockPlace()
      do throws(Refusal) {
        let now = try writeAll()
        if case .folder? = published { noteProgress(now) }
        try unlockPlace(reached, now)
        (written, reached) = (now, now)
        return now
      } catch {
        try? unlockPlace(nil, nil)
        throw error
      }
    }
  }

  private var isFar: Bool { published?.isFar == true }

  /// Has everything written anew into a folder that has taken the place of another one, or was emptied.
  private func followFolder() throws(Refusal) {
    guard case .folder(let folder, _)? = published else { return }
    let place: PublishedFolder.Place
    do throws(StoreError) { place = try folder.follow() } catch { throw Refusal(.busy, error.message) }
    switch place {
    case .same: return
    case .lacking:
      guard try database.number("SELECT COUNT(*) FROM channels WHERE name = 'fleet'") == 1 else { return }
    case .other: break
    }
    // Whoever is killed meanwhile leaves behind that it is not known what is there.
    written = -1
    noteProgress(-1)
  }

  private func lockPlace() throws(Refusal) {
    switch published {
    case .folder(let folder, _)?:
      do throws(StoreError) { try folder.lock() } catch { throw Refusal(.busy, error.message) }
    case .bucket?: try takeLease()
    case nil: break
    }
  }

  private func unlockPlace(_ since: Int64?, _ now: Int64?) throws(Refusal) {
    switch published {
    case .folder(let folder, _)?: folder.unlock()
    case .bucket?: try endLease(since, now)
    case nil: break
    }
  }

  private func hasNews() throws(Refusal) -> Bool {
    for table in ["channels", "documents", "assets", "signed_keys"] {
      if try database.number("SELECT MAX(stamp) FROM \(table)") ?? -1 > written { return true }
    }
    return false
  }

  private func writeAll() throws(Refusal) -> Int64 {
    let now = try stored()
    let since = Database.Parameter.int(written)
    // Read before what they refer to: what is committed meanwhile is another round's.
    let manifests = try database.all(
      "SELECT name, version, manifest FROM channels WHERE stamp > ?", [since]
    ) { (row) throws(Refusal) in (name: row.text(0), version: row.int(1), bytes: row.bytes(2)) }
    try writeBlobs(since)
    try writeKeys(since)
    for isFleet in [false, true] {
      var round: [(name: String, version: Int64, bytes: [UInt8])] = []
      for manifest in manifests where manifest.name.sameBytes(as: "fleet") == isFleet {
        round.append(manifest)
        if round.count == Bucket.most { try write(manifests: &round) }
      }
      try write(manifests: &round)
    }
    published?.endRound()
    return now
  }

  private func writeBlobs(_ since: Database.Parameter) throws(Refusal) {
    guard published != nil else { return }
    let blobs = try database.all(
      """
      SELECT 0, hash FROM documents WHERE stamp > ? UNION ALL SELECT 1, hash FROM assets WHERE stamp > ?
      """, [since, since]
    ) { (row) throws(Refusal) in (isAsset: row.int(0) == 1, hash: row.bytes(1)) }
    // They may be large: only so many are in memory at the same time.
    var round: [Publisher.File] = []
    var size = 0
    for blob in blobs {
      guard let bytes = try blob.isAsset ? asset(hash: blob.hash) : document(blob.hash) else { continue }
      if round.count == Bucket.most || !round.isEmpty && size + bytes.count > Bucket.mostBytes {
        try write(round)
        (round, size) = ([], 0)
      }
      round.append(Publisher.File(path: "/v1/blobs/" + blob.hash.hexadecimal, bytes: bytes, isImmutable: true))
      size += bytes.count
    }
    try write(round)
  }

  private func writeKeys(_ since: Database.Parameter) throws(Refusal) {
    let keys = try database.all(
      "SELECT version, content FROM signed_keys WHERE stamp > ? ORDER BY version", [since]
    ) { (row) throws(Refusal) in (version: row.int(0), bytes: row.bytes(1)) }
    for key in keys {
      try write([Publisher.File(path: "/v1/keys/" + key.version.description, bytes: key.bytes, isImmutable: true)])
    }
    if let last = keys.last {
      try write([Publisher.File(path: "/v1/keys/latest", bytes: last.bytes, isImmutable: false)])
    }
  }

  private func write(manifests round: inout [(name: String, version: Int64, bytes: [UInt8])]) throws(Refusal) {
    try write(
      round.map {
        Publisher.File(path: "/v1/channels/" + $0.name + "/manifest", bytes: $0.bytes, isImmutable: false)
      })
    for manifest in round { hints?.tell(fleet, manifest.name, manifest.version) }
    round = []
  }

  private func write(_ files: [Publisher.File]) throws(Refusal) {
    guard let published, !files.isEmpty else { return }
    if isFar { try keepLease() }
    try published.put(files, isFirst: written < 0)
  }

  func document(_ hash: [UInt8]) throws(Refusal) -> [UInt8]? {
    try database.first("SELECT content FROM documents WHERE hash = ?", [.bytes(hash)]) { (row) throws(Refusal) in
      row.bytes(0)
    }
  }

  func asset(hash: [UInt8]) throws(Refusal) -> [UInt8]? {
    try database.first("SELECT content FROM assets WHERE hash = ?", [.bytes(hash)]) { (row) throws(Refusal) in
      row.bytes(0)
    }
  }
}

extension Refusal {
  /// What a fleet's rules say of what was asked for.
  init(_ error: FleetError) { self.init(.invalid, error.message) }
}

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
    /// The folder that a web server delivers; nil for none.
    package var published: String?
    /// Where hints go to, `mqtt://…`; nil for none.
    package var broker: String?
    /// The fleet's address, as devices know it.
    package var url: String?

    package init() {}
  }

  package let place: Place
  package let fleet: String
  let database: Database
  let keys: Keys
  let published: PublishedFolder?
  let types = SchemaStores()
  let throttles = Throttles()
  let latest = Atomic<UInt64>(0)
  private let publishing = Lock()
  /// What has been written to the published folder: guarded by `publishing`.
  private var written: Int64 = -1
  var hints: Hints?
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
    let database = try Database(place.database ?? "\(place.folder)/console.db")
    try Tables.migrate(database)
    guard
      let fleet = try database.first(
        "SELECT content FROM facts WHERE name = 'fleet'", [], { (row) throws(Refusal) in row.text(0) })
    else { throw Refusal(.notFound, "there is no fleet yet: livery console init") }
    let keys = try Keys(place.folder)
    var published: PublishedFolder?
    if let folder = place.published {
      do throws(StoreError) { published = try PublishedFolder(path: folder) } catch {
        throw Refusal(.notFound, error.message)
      }
    }
    self.init(place, fleet, database, keys, published, generation: try Self.generation(of: database))
  }

  private init(
    _ place: Place, _ fleet: String, _ database: Database, _ keys: Keys, _ published: PublishedFolder?,
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
    do throws(Refusal) { try publishFiles() } catch { complain("it is kept, and not published yet: \(error.message)") }
    return result
  }

  /// Leaves all that was there before to whoever serves: what changes from now on is published.
  func publishChangesOnly() throws(Refusal) {
    let now = try stored()
    publishing.withLock { written = now }
  }

  /// Notes who has done what; within a change.
  func note(_ person: Person, _ what: String, _ detail: String = "") throws(Refusal) {
    let number = try next("history")
    try database.run(
      "INSERT INTO history (number, time, author, what, detail) VALUES (?, ?, ?, ?, ?)",
      [.int(number), .int(Console.now), .text(person.name), .text(what), .text(detail)])
  }

  /// The person that the console itself is.
  static var itself: Person { Person(name: "console", role: .editor, csrf: "") }

  /// Writes what has been published since it was written the last time: all of it the first time. What refers to others comes
  /// after them, the fleet's manifest last.
  func publishFiles() throws(Refusal) {
    try publishing.withLock { () throws(Refusal) in
      guard try stored() != written else { return }
      // What another console or a command writes meanwhile is newer than what is read now.
      do throws(StoreError) { try published?.lock() } catch { throw Refusal(.busy, error.message) }
      defer { published?.unlock() }
      let now = try stored()
      let since = Database.Parameter.int(written)
      // Read before what they refer to: what is committed meanwhile is another round's.
      let manifests = try database.all(
        "SELECT name, version, manifest FROM channels WHERE stamp > ?", [since]
      ) { (row) throws(Refusal) in (name: row.text(0), version: row.int(1), bytes: row.bytes(2)) }
      // One blob after another: they may be large.
      let blobs = try database.all(
        """
        SELECT 0, hash FROM documents WHERE stamp > ? UNION ALL SELECT 1, hash FROM assets WHERE stamp > ?
        """, [since, since]
      ) { (row) throws(Refusal) in (isAsset: row.int(0) == 1, hash: row.bytes(1)) }
      for blob in blobs where published != nil {
        if let bytes = try blob.isAsset ? asset(hash: blob.hash) : document(blob.hash) {
          try write(Publisher.File(path: "/v1/blobs/" + blob.hash.hexadecimal, bytes: bytes, isImmutable: true))
        }
      }
      let keys = try database.all(
        "SELECT version, content FROM signed_keys WHERE stamp > ? ORDER BY version", [since]
      ) { (row) throws(Refusal) in (version: row.int(0), bytes: row.bytes(1)) }
      for key in keys {
        try write(Publisher.File(path: "/v1/keys/" + key.version.description, bytes: key.bytes, isImmutable: true))
      }
      if let last = keys.last {
        try write(Publisher.File(path: "/v1/keys/latest", bytes: last.bytes, isImmutable: false))
      }
      for isFleet in [false, true] {
        for manifest in manifests where manifest.name.sameBytes(as: "fleet") == isFleet {
          try write(
            Publisher.File(
              path: "/v1/channels/" + manifest.name + "/manifest", bytes: manifest.bytes, isImmutable: false))
          hints?.tell(fleet, manifest.name, manifest.version)
        }
      }
      written = now
    }
  }

  private func write(_ file: Publisher.File) throws(Refusal) {
    guard let published else { return }
    // At first most of it is there already.
    if written < 0, !file.isImmutable, let folder = place.published,
      let there = try? Files.read(folder + file.path, most: Limit.manifest), there == file.bytes
    {
      return
    }
    do throws(StoreError) { try published.write([file]) } catch { throw Refusal(.busy, error.message) }
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

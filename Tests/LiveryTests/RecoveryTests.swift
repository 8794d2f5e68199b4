import CSystem
import LMDB
import Testing

@testable import Livery

/// Damaged files: never a wrong value, never the end of the process, and the last good copy in their place.
@Suite(.onDisk) struct RecoveryTests {
  let temporary = TemporaryStore()

  private let openSchema = """
    {"Version": 1, "Open": true, "Groups": [{"Settings": [
      {"Type": "Number", "Key": "idle", "Format": "integer", "Value": 120}, {"Type": "TextField", "Key": "note"}]}]}
    """
  private var dataFile: String { temporary.path + "/data.mdb" }

  private func fill(_ count: Int = 60) throws {
    let store = try temporary.open(schema: openSchema)
    for round in 0..<3 {
      try store.update(.user) {
        for number in 0..<count {
          $0[Key<String>("item.\(number)")] = "\(round) " + String(repeating: "v", count: number)
        }
        $0[Key<Int>("idle")] = 60 + round
      }
    }
    try store.set("large", to: .string(String(repeating: "large", count: 4000)), in: .user)
    try store.set("item.3", to: .string("in session"), in: .session)
    store.close()
  }

  private func read(_ path: String) throws -> [UInt8] {
    var count = 0
    let bytes = try #require(lvs_read_file(path, -1, 1 << 26, &count))
    defer { free(bytes) }
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }

  private func write(_ bytes: [UInt8]) throws {
    let descriptor = lvs_open(dataFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    #expect(descriptor >= 0)
    #expect(bytes.withUnsafeBytes { lvs_write_all(descriptor, $0.baseAddress, $0.count) } >= 0)
    close(descriptor)
  }

  /// Every value as the effective export has it, or the status of reading it.
  private func values(_ store: Store, _ names: [String]) -> [String: String] {
    var found: [String: String] = [:]
    for name in names {
      do throws(StoreError) { found[name] = try store.value(name).json() } catch {
        found[name] = "! \(error.code.description)"
      }
    }
    return found
  }

  @Test func noFlippedBitGivesAWrongValueOrEndsTheProcess() throws {
    try fill()
    let sound = try read(dataFile)
    let store = try temporary.open()
    let names = try store.list().items.compactMap { $0.text("name") }
    let wanted = values(store, names)
    store.close()
    var generator = SeededGenerator(state: 11)
    let rounds = getenv("LIVERY_FLIPS").flatMap { Int(String(cString: $0)) } ?? 400
    var recovered = 0
    var corrupt = 0
    for _ in 0..<rounds {
      let place = Int.random(in: 0..<sound.count, using: &generator)
      let bit = UInt8.random(in: 0...7, using: &generator)
      var damaged = sound
      damaged[place] ^= 1 << bit
      try write(damaged)
      do throws(StoreError) {
        let store = try temporary.open()
        let found = values(store, names)
        for name in names where found[name] != wanted[name] {
          #expect(found[name] == "! LIVERY_ERROR_CORRUPT", "byte \(place) bit \(bit): \(name) is \(found[name] ?? "")")
          corrupt += 1
        }
        if try store.statistics()["recovery"] != nil { recovered += 1 }
        do throws(StoreError) {
          try store.set("idle", to: .int(77), in: .user)
          let read = try store.int("idle")
          #expect(read == 77)
        } catch { #expect(error.code == .corrupt) }
        store.close()
      } catch {
        Issue.record("byte \(place) bit \(bit): \(error.message)")
      }
    }
    print("\(rounds) flips: \(recovered) recovered, \(corrupt) values corrupt")
    #expect(recovered > 0)
  }

  @Test func aDamagedFileIsKeptAndReplacedByTheLastGoodCopyWithAReport() throws {
    try fill()
    let said = Findings()
    var bytes = try read(dataFile)
    let store = try temporary.open()
    let before = try store.exportJSON(layers: true)
    let revision = try store.revision()
    store.close()
    // The root of the main database, on both of the first pages.
    for page in 0..<2 { bytes[page * 4096 + 16 + 24 + 48 + 40] ^= 0x04 }
    try write(bytes)
    Log.setHandler { _, message in said.add(message) }
    defer { Log.setHandler(nil) }
    let again = try temporary.open()
    #expect(try again.exportJSON(layers: true) == before)
    #expect(try again.revision() == revision + 1)
    let report = try #require(try again.statistics()["recovery"])
    #expect(report["copyRevision"] == .int(Int64(revision)))
    #expect(try read(try #require(report.text("damagedFile"))) == bytes)
    #expect(said.all.contains { $0.contains("brought back") })
    #expect(try again.history().items.first?.text("origin") == "recovery")
  }

  @Test func aRecordDamagedSinceTheLastCopyIsCorruptForItselfAlone() throws {
    try fill()
    let store = try temporary.open {
      $0.automaticBackup = .never
    }
    let text = "a text to be found"
    try store.set("item.9", to: .string(text), in: .user)
    store.close()
    var bytes = try read(dataFile)
    var hits = 0
    for place in 0..<(bytes.count - text.utf8.count)
    where bytes[place] == UInt8(ascii: "a") && Array(bytes[place..<place + text.utf8.count]) == Array(text.utf8) {
      bytes[place] ^= 1
      hits += 1
    }
    #expect(hits >= 2)
    try write(bytes)
    let again = try temporary.open()
    #expect(code { () throws(StoreError) in _ = try again.value("item.9") } == .corrupt)
    #expect(try again.int("idle") == 62)
    #expect(try again.statistics()["recovery"] == nil)
  }

  @Test func anOptionRefusesADamagedStore() throws {
    try fill()
    var bytes = try read(dataFile)
    for page in 0..<2 { bytes[page * 4096 + 16 + 24 + 48 + 40] ^= 0x04 }
    try write(bytes)
    #expect(code { () throws(StoreError) in _ = try temporary.open { $0.noRecovery = true } } == .corrupt)
    #expect(try read(dataFile) == bytes)
  }

  @Test func aFileThatIsGoneCutShortOrOverwrittenComesBack() throws {
    try fill()
    let store = try temporary.open()
    let before = try store.exportJSON()
    store.close()
    let sound = try read(dataFile)
    for bytes in [[], Array(sound.prefix(1000)), Array(sound.prefix(8192)), Array(repeating: 7, count: 20000)] {
      try write(bytes)
      let again = try temporary.open { $0.create = false }
      #expect(try again.exportJSON() == before)
      again.close()
    }
    unlink(dataFile)
    let again = try temporary.open { $0.create = false }
    #expect(try again.exportJSON() == before)
  }

  /// Copies are made beside those who commit.
  private func awaitCopies(_ count: Int, of store: Store) throws {
    for _ in 0..<5000 where try store.backups().items.count < count { lvs_sleep_us(1000) }
  }

  @Test func noRevisionIsGivenTwiceWhateverIsLeftOfTheFile() throws {
    let store = try temporary.open()
    try store.set("note", to: .string("1"), in: .user)
    _ = try store.backup()
    for number in 2...8 { try store.set("note", to: .string("\(number)"), in: .user) }
    let last = try store.revision()
    store.close()
    for size: Int? in [nil, 0, 4096] {
      if let size { truncate(dataFile, size) } else { unlink(dataFile) }
      let store = try temporary.open()
      let recovery = try #require(try store.statistics()["recovery"])
      #expect(try store.string("note") == "1")
      #expect(try store.revision() > last && recovery["lastRevision"] != recovery["copyRevision"])
      #expect((recovery["damagedFile"] == nil) == (size == nil))
      store.close()
    }
  }

  @Test func anotherFileIsNotNotedToBeSoundByWhoHadTheFormerOneOpen() throws {
    try fill(10)
    let store = try temporary.open()
    _ = try store.backup()
    var other = try read(dataFile)
    other[8192] ^= 0xff
    unlink(dataFile)
    try write(other)
    store.close()
    let next = try temporary.open()
    #expect(try next.statistics()["recovery"] != nil)
  }

  @Test func copiesAreMadeAfterSoManyCommitsAndWhenTheLastIsOld() throws {
    let store = try temporary.open {
      $0.automaticBackup = .init(commits: 10, age: nil)
    }
    for number in 0..<10 { try store.set("n", to: .int(Int64(number)), in: .user) }
    try awaitCopies(1, of: store)
    for number in 10..<20 { try store.set("n", to: .int(Int64(number)), in: .user) }
    try awaitCopies(2, of: store)
    for number in 20..<25 { try store.set("n", to: .int(Int64(number)), in: .user) }
    #expect(try store.backups().items.map { $0["revision"] } == [.int(20), .int(10)])
    store.close()
    let again = try temporary.open()
    #expect(try again.backups().items.count == 2)
    try again.set("n", to: .int(99), in: .user)
    again.close()
    // The last copy is young.
    #expect(try temporary.open().backups().items.count == 2)
  }

  @Test func theAgeCountsFromTheFirstCommitThatNoCopyHas() throws {
    let store = try temporary.open {
      $0.automaticBackup = .init(commits: nil, age: .seconds(1))
    }
    func commit(_ number: Int64, copies: Int) throws {
      try store.set("n", to: .int(number), in: .user)
      try awaitCopies(copies, of: store)
      #expect(try store.backups().items.count == copies)
      lvs_sleep_us(1_100_000)
    }
    try commit(1, copies: 0)
    try commit(2, copies: 1)
    // The copy is old, but this is the first commit that it lacks.
    try commit(3, copies: 1)
    #expect(try store.backups().items.map { $0["revision"] } == [.int(2)])
    try commit(4, copies: 2)
    #expect(try store.backups().items.map { $0["revision"] } == [.int(4), .int(2)])
  }

  @Test func aStoreIsItsOwnersAloneUnlessItIsSharedWithItsGroup() throws {
    func modes(_ path: String) -> [UInt32] {
      ["", "/data.mdb", "/lock.mdb", "/livery.lock", "/livery.wake", "/backups"].map { name in
        var facts = lvs_file_facts()
        return lvs_file_facts_of(path + name, &facts) == 0 ? facts.mode & 0o777 : 0
      }
    }
    let store = try temporary.open()
    try store.backup()
    #expect(modes(temporary.path) == [0o700, 0o600, 0o600, 0o600, 0o600, 0o700])
    let other = TemporaryStore()
    let shared = try other.open { $0.sharesWithGroup = true }
    try shared.backup()
    #expect(modes(other.path) == [0o770, 0o660, 0o660, 0o660, 0o660, 0o770])
    shared.close()
    let again = try other.open()
    try again.compact()
    #expect(modes(other.path) == [0o770, 0o660, 0o660, 0o660, 0o660, 0o770])
    #expect(try again.revision() == 0)
  }

  @Test func filesThatAreLinksAreRefused() throws {
    for name in ["data.mdb", "lock.mdb", "livery.lock", "livery.wake"] {
      let temporary = TemporaryStore()
      try temporary.open().close()
      let file = temporary.path + "/" + name
      let elsewhere = temporary.path + "/elsewhere"
      #expect(moved(file, elsewhere) == 0 && symlink(elsewhere, file) == 0)
      #expect(code { () throws(StoreError) in _ = try temporary.open() } == .notAStore)
    }
  }

  @Test func theFileIsSoundAfterEveryKindOfWork() throws {
    let store = try temporary.open()
    var generator = SeededGenerator(state: 5)
    for round in 0..<40 {
      for _ in 0..<20 {
        let name = "n.\(Int.random(in: 0..<300, using: &generator))"
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: try store.reset(name, in: .user)
        case 1: try store.set(name, to: .string(String(repeating: "x", count: 9000)), in: .user)
        default: try store.set(name, to: .int(Int64(round)), in: .user)
        }
      }
      if round == 20 {
        let change = try store.change(.user)
        try change.resetAll()
        try change.commit()
      }
      let outcome = Store.check(path: temporary.path)
      #expect(outcome.error == nil, "\(outcome.error?.message ?? "")")
    }
    let outcome = Store.check(path: temporary.path)
    #expect(outcome.report["sound"] == .bool(true))
    #expect(outcome.report["revision"] == .int(Int64(try store.revision())))
  }

  @Test func aCheckTellsWhatIsDamaged() throws {
    try fill()
    let sound = try read(dataFile)
    var generator = SeededGenerator(state: 3)
    var found = 0
    for _ in 0..<200 {
      var damaged = sound
      damaged[Int.random(in: 0..<sound.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      try write(damaged)
      let outcome = Store.check(path: temporary.path)
      #expect(outcome.error == nil || outcome.error?.code == .corrupt)
      if outcome.error != nil {
        found += 1
        #expect(outcome.report["damage"]?.items.isEmpty == false)
      }
    }
    #expect(found > 0)
    #expect(Store.check(path: "/nowhere/at/all").error?.code == .notFound)
    #expect(Store.check(path: "/etc/hostname").error?.code == .notAStore)
  }

  /// A store whose latest commit has been given the number that its root page had before: what a damaged bit does, and
  /// LMDB itself when it fails to finish a commit.
  private func hideLatestCommit() throws -> (bytes: [UInt8], hidden: Int, revision: UInt64) {
    try fill()
    let store = try temporary.open()
    try store.set("note", to: .string("before"), in: .user)
    try store.set("note", to: .string("latest"), in: .user)
    let revision = try store.revision()
    store.close()
    var bytes = try read(dataFile)
    let numbers = [0, 1].map { bytes[$0 * 4096 + 144] }
    let latest = numbers[0] == numbers[1] &+ 1 ? 0 : 1
    bytes[latest * 4096 + 144] &-= 2
    return (bytes, latest, revision)
  }

  @Test(arguments: [false, true])
  func theCommitThatAFileHidesIsBroughtBackFromItself(isOverridden: Bool) throws {
    var (bytes, latest, revision) = try hideLatestCommit()
    if isOverridden {
      // The latest has its own number, and the one before it a higher one.
      bytes[latest * 4096 + 144] &+= 2
      bytes[(1 - latest) * 4096 + 144] &+= 2
    }
    try write(bytes)
    #expect(try temporary.valueInMemory("note") == .string("latest"))
    let store = try temporary.open()
    #expect(try store.string("note") == "latest")
    #expect(try store.revision() == revision + 1)
    #expect(try store.statistics()["recovery"] != nil)
  }

  @Test func aCommitThatFailedAndWasWrittenOverIsNotMissed() throws {
    var (bytes, hidden, revision) = try hideLatestCommit()
    // The root of its main database.
    let page = Int(bytes[hidden * 4096 + 128]) | Int(bytes[hidden * 4096 + 129]) << 8
    for index in 16..<4096 { bytes[page * 4096 + index] = 0 }
    try write(bytes)
    #expect(try temporary.valueInMemory("note") == .string("before"))
    let store = try temporary.open()
    #expect(try store.string("note") == "before")
    #expect(try store.revision() == revision - 1)
    #expect(try store.statistics()["recovery"] == nil)
  }

  @Test func aStoreWhoseSchemaHasLostItsNameIsNotOpenedAsOneWithoutASchema() throws {
    try fill()
    var bytes = try read(dataFile)
    // The keys of records are behind their length; there are those of former commits as well.
    let node = [6, 0] + Array("schema".utf8)
    for place in 0..<(bytes.count - node.count) where bytes[place] == 6 && Array(bytes[place..<place + 8]) == node {
      bytes[place + 3] ^= 2
    }
    try write(bytes)
    #expect(moved(temporary.path + "/backups", temporary.path + "/elsewhere") == 0)
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .corrupt)
  }

  @Test(arguments: ["assets", "expiries", "log", "schema", "settings"])
  func aDatabaseThatIsNoLongerDescribedAsOneIsDamage(_ name: String) throws {
    try fill()
    var bytes = try read(dataFile)
    // Flags, length of the key, key: the flag says that the value describes a database.
    let node = [2, 0, UInt8(name.utf8.count), 0] + Array(name.utf8)
    for place in 0..<(bytes.count - node.count) where bytes[place] == 2 {
      if Array(bytes[place..<place + node.count]) == node { bytes[place] = 0 }
    }
    try write(bytes)
    #expect(moved(temporary.path + "/backups", temporary.path + "/elsewhere") == 0)
    #expect(code { () throws(StoreError) in _ = try temporary.open() } == .corrupt)
  }

  @Test(arguments: ["assets", "expiries", "log", "schema", "settings"])
  func aDatabaseThatHasLostItsNameIsDamageAndNotMadeAnew(_ name: String) throws {
    try fill()
    let store = try temporary.open()
    let asset = try store.assets.put([1, 2, 3], allowsAny: true)
    _ = try store.backup()
    store.close()
    var bytes = try read(dataFile)
    let found = Array(name.utf8)
    for place in 0..<(bytes.count - found.count) where bytes[place] == found[0] {
      // Another last letter keeps the order of the names.
      if Array(bytes[place..<place + found.count]) == found { bytes[place + found.count - 1] ^= 1 }
    }
    try write(bytes)
    let check = Store.check(path: temporary.path)
    #expect(check.error?.code == .corrupt)
    #expect(check.error?.message.contains("lacks the database \(name)") == true)
    let opened = try temporary.open()
    #expect(try opened.statistics()["recovery"] != nil)
    #expect(try opened.assets.bytes(asset.id) == [1, 2, 3])
  }

  @Test func aStoreFromBeforeThereWereAssetsIsSound() {
    let older = ["expiries", "log", "schema", "settings"]
    #expect(Databases.lost(from: older) == nil)
    #expect(Databases.lost(from: older + ["tags"]) == "assets")
    #expect(Databases.lost(from: older + ["assets", "tags"]) == nil)
    // Somebody else's.
    #expect(Databases.lost(from: ["log"]) == nil)
    #expect(Databases.lost(from: []) == nil)
  }
}

import CSystem
import Glibc
import LMDB
import Testing

@testable import Livery

/// What was read before is read from memory, and that is never seen: a read gives what is stored, whoever changed it.
@Suite struct CacheTests {
  let temporary = TemporaryStore()

  private static let schemas = [1, 2].map { version in
    """
    {"Version": \(version), "Open": true, "Groups": [{"Title": "G", "Settings": [
      {"Type": "Number", "Title": "A", "Key": "a.number", "Format": "integer", "Value": \(version)},
      {"Type": "TextField", "Title": "B", "Key": "a.text", "Value": "text of version \(version)", "Aliases": ["old.text"]}
    ]}]}
    """
  }

  /// A snapshot does not read from the cache.
  private func differences(_ store: Store, _ names: [String], _ keys: [BoundKey<Value>]) throws -> [String] {
    var found: [String] = []
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    for (index, name) in names.enumerated() {
      let stored = outcome { () throws(StoreError) in try snapshot.value(name) }
      // Twice: the first one may be what fills the cache.
      for _ in 0..<2 {
        let read = outcome { () throws(StoreError) in try store.value(name) }
        if read != stored { found.append("\(name): \(read) in place of \(stored)") }
      }
      let bound = outcome { () throws(StoreError) in try keys[index].value }
      if bound != stored { found.append("key \(name): \(bound) in place of \(stored)") }
    }
    return found
  }

  private func outcome(_ body: () throws(StoreError) -> Value) -> String {
    do { return try body().brief } catch { return error.code.description }
  }

  @Test(arguments: 1...6) func aReadGivesWhatIsStoredAfterAnySequenceOfChanges(_ seed: UInt64) throws {
    var random = SplitMix(seed)
    let store = try temporary.open {
      $0.durability = .deferred
      $0.allowOverride = true
      if seed % 2 == 0 { $0.cacheSize = 1 << 16 }
      if seed % 3 == 0 { $0.logEntries = 4 }
    }
    let long = String(repeating: "a-long-name.", count: 15)
    var names = ["a.number", "a.text", "old.text", long, "never"]
    for index in 0..<(seed % 2 == 0 ? 400 : 20) { names.append("s\(index)") }
    let keys = try names.map { (name) throws in try store.bound(Key<Value>(name)) }
    var schema = 0
    for _ in 0..<150 {
      for _ in 0..<Int(random.next() % 12) {
        let name = names[Int(random.next() % UInt64(names.count - 1))]
        let layer: Layer = [.user, .recommended, .enforced, .session][Int(random.next() % 4)]
        let number = Int64(random.next() % 1000)
        _ = code { () throws(StoreError) in
          switch random.next() % 12 {
          case 0: try store.reset(name, in: layer)
          case 1: try store.set(name, to: .string(String(repeating: "text \(number) ", count: Int(number))), in: layer)
          case 2: try store.set(name, to: .string("\(number)"), in: layer)
          case 3: try store.set(name, to: .list([.int(number), .bool(true)]), in: layer)
          case 4: try store.undo(store.revision())
          case 5:
            let change = try store.change(.session)
            try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + Int64(random.next() % 20_000)))
            for other in names.prefix(8) { try change.set(other, to: .int(number)) }
            try change.commit()
          case 6:
            let change = try store.change(layer)
            try change.resetAll()
            try change.commit()
          default: try store.set(name, to: .int(number), in: layer)
          }
        }
      }
      if random.next() % 40 == 0, schema < 2 {
        _ = store.applySchema(Array(Self.schemas[schema].utf8))
        schema += 1
      }
      // Values expire meanwhile, so that a difference has to be seen twice.
      let few = Int(random.next() % 30)
      var found = try differences(store, Array(names.prefix(few)), keys)
      if !found.isEmpty { found = try differences(store, Array(names.prefix(few)), keys) }
      #expect(found == [])
      if !found.isEmpty { return }
    }
    #expect(try differences(store, names, keys) == [])
  }

  @Test(.onDisk) func theNextReadSeesWhatAnotherProcessHasCommitted() throws {
    let store = try temporary.open()
    for index in 0..<20 { try store.set("s\(index)", to: .int(0), in: .user) }
    let key = try store.bound(Key<Int>("s3"))
    for round in 1...12 {
      // Some rounds look at many settings, so that the commits are gone through.
      for index in 0..<(round % 2 == 0 ? 20 : 2) { _ = try store.int("s\(index)") }
      let child = try Child.command(["set", "s3", "\(round)"], store: temporary.path)
      #expect(child.finish() == 0)
      #expect(try store.int("s3") == Int64(round))
      #expect(try key.value == round)
      #expect(try store.int("s4") == 0)
    }
  }

  /// Stores words in the part of `livery.wake` that tells of commits.
  private func tell(_ words: (Int) -> UInt64) throws {
    let file = lvs_open(temporary.path + "/livery.wake", O_RDWR, 0)
    defer { close(file) }
    for index in 0..<256 {
      var word = words(index)
      #expect(pwrite(file, &word, 8, 2048 + index * 8) == 8)
    }
  }

  @Test(.onDisk) func aCommitThatItsWriterDidNotTellOfIsSeen() throws {
    let store = try temporary.open()
    for index in 0..<20 { try store.set("s\(index)", to: .int(0), in: .user) }
    let key = try store.bound(Key<Int>("s3"))
    for round in 1...6 {
      for index in 0..<20 { _ = try store.int("s\(index)") }
      let child = try Child.command(["set", "s3", "\(round)"], store: temporary.path)
      #expect(child.finish() == 0)
      // As if it had died before, or were of an older version.
      try tell { _ in 0 }
      #expect(try store.int(round % 2 == 0 ? "s3" : "s4") == (round % 2 == 0 ? Int64(round) : 0))
      #expect(try key.value == round)
      #expect(try store.int("s3") == Int64(round))
    }
  }

  @Test func aCommitIsSeenHoweverManySettingsItChanges() throws {
    let store = try temporary.open()
    for count in [30, 1, 10, 11, 12, 30, 11] {
      let change = try store.change(.user)
      for index in 0..<count { try change.set("s\(index)", to: .int(Int64(count))) }
      for index in count..<30 { try change.reset("s\(index)") }
      try change.commit()
      for index in 0..<30 {
        let read = try? store.int("s\(index)")
        #expect(read == (index < count ? Int64(count) : nil))
      }
    }
  }

  @Test(.onDisk) func whatWasToldBeforeAPowerFailureIsNotBelieved() throws {
    do {
      let store = try temporary.open()
      try store.set("a", to: .int(1), in: .user)
      store.close()
    }
    // Commits that have been lost, of which none changed anything, have all numbers to come.
    let last = try temporary.open()
    let number = try last.shared.environment.read { (transaction) throws(StoreError) in transaction.id }
    last.close()
    try tell { index in
      guard index % 8 == 0 else { return 0 }
      let place = UInt64(index / 8)
      return number &+ 1 &+ (place &- (number &+ 1)) % 32
    }
    let store = try temporary.open()
    #expect(try store.int("a") == 1)
    // A writer that tells nothing.
    try store.shared.environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      let view = View(transaction: transaction, databases: store.shared.databases)
      guard let former = try view.setting("a"), var record = former.effective else { return .abort(()) }
      record.value = .int(2)
      var setting = former
      setting.set(record)
      setting.decide(at: .now) { _ in nil }
      try view.put(setting, "a", inPlaceOf: [])
      return .commit(())
    }
    #expect(try store.int("a") == 2)
  }

  @Test func aValueIsNotReadBeyondItsTime() throws {
    let store = try temporary.open()
    try store.set("greeting", to: .string("stays"), in: .user)
    let change = try store.change(.session)
    let end = Timestamp.now.microseconds + 200_000
    try change.expires(Timestamp(microseconds: end))
    try change.set("greeting", to: .string("goes"))
    try change.commit()
    let key = try store.bound(Key<String>("greeting"))
    while true {
      let before = Timestamp.now.microseconds
      let read = (try store.string("greeting"), try key.value)
      let after = Timestamp.now.microseconds
      if after < end { #expect(read == ("goes", "goes")) }
      if before >= end {
        #expect(read == ("stays", "stays"))
        break
      }
    }
  }

  @Test func keysOfManySettingsReadTheirOwnWhenTheCacheIsTooSmallForAll() throws {
    let store = try temporary.open { $0.cacheSize = 1 << 16 }
    let change = try store.change(.user)
    for index in 0..<2000 { try change.set("s\(index)", to: .int(Int64(index))) }
    try change.commit()
    var keys: [BoundKey<Int>] = []
    for index in 0..<2000 { keys.append(try store.bound(Key<Int>("s\(index)"))) }
    for _ in 0..<2 {
      for index in 0..<2000 {
        #expect(try keys[index].value == index)
        #expect(try store.int("s\(1999 - index)") == Int64(1999 - index))
      }
    }
  }

  @Test func aClosedStoreIsClosedToItsKeys() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    let key = try store.bound(Key<Int>("a"))
    #expect(try key.value == 1)
    store.close()
    #expect(code { () throws(StoreError) in _ = try key.value } == .closed)
    // Another store takes over the memory, and the key of the first one knows nothing of it.
    let other = TemporaryStore()
    let second = try other.open()
    try second.set("a", to: .int(2), in: .user)
    #expect(try second.int("a") == 2)
    #expect(code { () throws(StoreError) in _ = try key.value } == .closed)
  }

  @Test func aKeyDoesNotKeepItsStoreOpen() throws {
    var store: Store? = try temporary.open()
    try store?.set("a", to: .int(1), in: .user)
    guard let key = try store?.bound(Key<Int>("a")), let text = try store?.bound(Key<String>("a")) else { return }
    #expect(try key.value == 1)
    #expect(key.name == "a")
    store = nil
    #expect(code { () throws(StoreError) in _ = try key.value } == .closed)
    #expect(code { () throws(StoreError) in _ = try text.value } == .closed)
    #expect(key.name == "")
    // Its place belongs to another key by now.
    let elsewhere = TemporaryStore()
    let next = try elsewhere.open()
    try next.set("b", to: .int(2), in: .user)
    let other = try next.bound(Key<Int>("b"))
    #expect(try other.value == 2)
    #expect(code { () throws(StoreError) in _ = try key.value } == .closed)
    withExtendedLifetime(elsewhere) {}
  }

  @Test func keysOfOneNameReadTheTypesThatTheyWereBoundWith() throws {
    let store = try temporary.open()
    try store.set("number", to: .double(2.5), in: .user)
    try store.set("moment", to: .date(Timestamp(microseconds: 7)), in: .user)
    let (double, float) = (try store.bound(Key<Double>("number")), try store.bound(Key<Float>("number")))
    let (int, date) = (try store.bound(Key<Int>("number")), try store.bound(Key<Timestamp>("moment")))
    for _ in 0..<2 {
      #expect(try double.value == 2.5)
      #expect(try float.value == 2.5)
      #expect(code { () throws(StoreError) in _ = try int.value } == .typeMismatch)
      #expect(try date.value.microseconds == 7)
      try store.set("number", to: .double(1e300), in: .session)
      #expect(try double.value == 1e300)
      #expect(code { () throws(StoreError) in _ = try float.value } == .typeMismatch)
      try store.reset("number", in: .session)
    }
  }

  @Test func keysReadTheirValueOrSayClosedWhileTheirStoreCloses() throws {
    let findings = Findings()
    for round in 0..<30 {
      let store = try temporary.open()
      try store.set("n", to: .int(5), in: .user)
      try store.set("t", to: .string("text"), in: .user)
      let (number, text) = (try store.bound(Key<Int>("n")), try store.bound(Key<String>("t")))
      inThreads(4) { thread in
        if thread == 0 {
          lvs_sleep_us(UInt64(round * 20))
          return store.close()
        }
        while true {
          do throws(StoreError) {
            let read = (try number.value, try text.value)
            if read != (5, "text") { findings.add("read \(read)") }
          } catch {
            if error.code != .closed { findings.add(error.message) }
            return
          }
        }
      }
    }
    #expect(findings.all == [])
  }

  @Test func storesOpenedAndClosedWhileOthersReadNeverMixTheirValues() throws {
    let findings = Findings()
    let places = (0..<4).map { _ in TemporaryStore() }
    for (index, place) in places.enumerated() {
      let store = try place.open()
      for name in 0..<50 { try store.set("s\(name)", to: .int(Int64(index)), in: .user) }
    }
    let end = lvs_monotonic_ns() + 700_000_000
    inThreads(4) { thread in
      var round = thread
      while lvs_monotonic_ns() < end {
        round += 1
        let number = round % 4
        do throws(StoreError) {
          let store = try places[number].open()
          let key = try store.bound(Key<Int>("s7"))
          for name in 0..<50 {
            let read = (try store.int("s\(name)"), try key.value)
            if read != (Int64(number), number) { findings.add("store \(number) read \(read)") }
          }
          store.close()
        } catch { findings.add(error.message) }
      }
    }
    #expect(findings.all == [])
  }
}

struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

import Testing

@testable import Livery

/// What the cache answers by name is what the ordinary way does, of every type and under every name.
@Suite struct WarmReadTests {
  let temporary = TemporaryStore()

  @Test func everyTypeReadsAsItselfAgainAndAgain() throws {
    let store = try temporary.open()
    let values: [(String, Value)] = [
      ("flag", .bool(true)), ("number", .int(.min)), ("real", .double(-0.0)), ("empty", .string("")),
      ("nul", .string("a\0b")), ("text", .string(String(repeating: "t", count: 256))),
      ("longer", .string(String(repeating: "ä", count: 200))), ("long", .string(String(repeating: "l", count: 5000))),
      ("nothing", .data([])), ("data", .data([0, 255])), ("more", .data([UInt8](repeating: 7, count: 300))),
      ("url", .url("https://a.example/")), ("image", .image("logo")), ("date", .date(.latest)),
      ("color", .color(Color(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4))),
      ("list", .list([.int(1), .object([.init("a", .bool(false))])])), ("object", .object([.init("b", .double(1))])),
      ("a name of 255 bytes " + String(repeating: "n", count: 235), .int(255)), ("é", .int(1)), ("e\u{301}", .int(2)),
    ]
    let change = try store.change(.user)
    for (name, value) in values { try change.set(name, to: value) }
    try change.commit()
    for _ in 0..<3 {
      for (name, value) in values {
        #expect(try store.value(name) == value, "\(name)")
        #expect(try store[Key<Value>(name)] == value, "\(name)")
      }
    }
  }

  @Test func typedReadsConvertAndFollowWhatIsSet() throws {
    let store = try temporary.open()
    let number = Key<Int>("n")
    for round in 0..<5 {
      try store.set("n", to: .int(Int64(round)), in: .user)
      for _ in 0..<2 {
        #expect(try store[number] == round && store.int("n") == Int64(round) && store.double("n") == Double(round))
      }
      try store.set("n", to: .string("\(round + 100)"), in: .user)
      for _ in 0..<2 { #expect(try store[number] == round + 100 && store.string("n") == "\(round + 100)") }
      try store.set("n", to: .double(1e300), in: .user)
      for _ in 0..<2 {
        #expect(try store.double("n") == 1e300)
        #expect(code { () throws(StoreError) in _ = try store.float("n") } == .typeMismatch)
        #expect(code { () throws(StoreError) in _ = try store[number] } == .typeMismatch)
      }
      try store.reset("n", in: .user)
      #expect(code { () throws(StoreError) in _ = try store[number] } == .notFound)
    }
  }

  @Test func namesThatAreNoneAreRefusedAlsoBesideOnesThatAre() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    #expect(try store.int("a") == 1)
    for name in ["", "a\0", "a\0b", "\0", String(repeating: "a", count: 256), "a\n"] {
      #expect(code { () throws(StoreError) in _ = try store.int(name) } == .invalidArgument, "\(name)")
      #expect(code { () throws(StoreError) in _ = try store.value(name) } == .invalidArgument, "\(name)")
    }
  }

  @Test func aClosedStoreReadsNothingThoughAnotherHandleDoes() throws {
    let other = try temporary.open()
    try other.set("a", to: .int(1), in: .user)
    for _ in 0..<100 {
      let store = try temporary.open()
      #expect(try store.int("a") == 1 && store.value("a") == .int(1))
      store.close()
      store.close()
      #expect(code { () throws(StoreError) in _ = try store.int("a") } == .closed)
      #expect(code { () throws(StoreError) in _ = try store.value("a") } == .closed)
      #expect(try other.int("a") == 1)
    }
  }
}

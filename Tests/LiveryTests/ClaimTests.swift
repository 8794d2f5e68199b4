import Livery
import Testing

@Suite struct ClaimTests {
  let temporary = TemporaryStore()

  /// Takes integers, as positive ones.
  private func claim(_ prefix: String = "kept.", in store: Store) throws(StoreError) {
    try store.claim(prefix) { (value, name) throws(StoreError) in
      guard case .int(let number) = value else { throw StoreError(.typeMismatch, "counts only", setting: name) }
      return .int(abs(number))
    }
  }

  @Test func aNamespaceIsSetWhateverTheSchemaDeclaresAndItsOwnerChecksIt() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(code { () throws(StoreError) in try store.set("kept.a", to: .int(1), in: .user) } == .notFound)
    let before = try store.revision()
    try claim(in: store)
    #expect(try store.revision() == before)
    try store.set("kept.a", to: .int(-7), in: .user)
    #expect(try store.int("kept.a") == 7)
    let change = try store.change(.user)
    try change.set("kept.a", to: .int(-8))
    #expect(try change.value("kept.a") == .int(8))
    try change.set("kept.a", to: .bool(true))
    #expect(code { () throws(StoreError) in _ = try change.value("kept.a") } == .typeMismatch)
    #expect(code { () throws(StoreError) in try change.commit() } == .typeMismatch)
    #expect(code { () throws(StoreError) in try store.set("kept", to: .int(1), in: .user) } == .notFound)
  }

  @Test func theStoreRemembersAClaimAndItsOwnerGoesWithItsHandle() throws {
    do {
      let store = try temporary.open(schema: kioskSchema)
      try claim(in: store)
      try store.set("kept.a", to: .int(7), in: .user)
      store.close()
    }
    let store = try temporary.open()
    #expect(try store.int("kept.a") == 7)
    #expect(code { () throws(StoreError) in try store.set("kept.a", to: .int(8), in: .user) } == .readOnly)
    try store.reset("kept.a", in: .user)
    try claim(in: store)
    try store.set("kept.a", to: .int(9), in: .user)
    let reader = try temporary.open { $0.readOnly = true }
    try claim(in: reader)
    #expect(code { () throws(StoreError) in try claim("other.", in: reader) } == .readOnly)
    // A backup from before the claim brings values back, and not that nothing is claimed.
    let path = temporary.path + ".backup"
    let plain = TemporaryStore()
    try plain.open().backup(to: path)
    try store.restore(from: path)
    try store.set("kept.a", to: .int(10), in: .user)
    #expect(try store.int("kept.a") == 10)
  }

  @Test func whatASchemaHasSetAsideCountsAgain() throws {
    let store = try temporary.open()
    try store.set("kept.a", to: .int(7), in: .user)
    #expect(store.applySchema(Array(kioskSchema.utf8)).error == nil)
    #expect(code { () throws(StoreError) in _ = try store.int("kept.a") } == .notFound)
    let before = try store.revision()
    try claim(in: store)
    #expect(try store.int("kept.a") == 7)
    #expect(try store.revision() == before + 1)
    #expect(try store.history().items.first?.text("origin") == "claim")
  }

  @Test func aFormerSecretIsNotShownByAClaim() throws {
    let pin = #"{"Type": "TextField", "Title": "T", "Key": "kept.pin", "Class": ["Password"]}"#
    let store = try temporary.open(
      schema: "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(pin)]}]}")
    try store.set("kept.pin", to: .string("4711"), in: .user)
    #expect(store.applySchema(Array(#"{"Version": 2, "Groups": []}"#.utf8)).error == nil)
    #expect(code { () throws(StoreError) in try claim(in: store) } == .conflict)
    let change = try store.change(.user)
    try change.resetAll()
    try change.commit()
    try claim(in: store)
  }

  @Test(arguments: [
    ("", StoreError.Code.invalidArgument), ("kept", .invalidArgument), (".", .invalidArgument),
    ("branding.", .conflict), ("branding.color.", .conflict), ("kept.more.", .conflict),
  ])
  func aClaimThatCannotBeIsRefused(_ prefix: String, _ expected: StoreError.Code) throws {
    let store = try temporary.open()
    try claim(in: store)
    #expect(code { () throws(StoreError) in try claim(prefix, in: store) } == expected)
  }

  @Test func aStoreHasSoManyClaims() throws {
    let store = try temporary.open { $0.durability = .deferred }
    for number in 0..<64 { try claim("kept\(number).", in: store) }
    #expect(code { () throws(StoreError) in try claim("last.", in: store) } == .invalidArgument)
  }
}

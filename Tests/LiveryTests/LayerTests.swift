import Livery
import Testing

@Suite struct LayerTests {
  let temporary = TemporaryStore()

  @Test func theStrongestLayerWinsAndRemovingItUncoversTheOneBeneath() throws {
    let store = try temporary.open(schema: kioskSchema)
    let order: [Layer] = [.bundle, .recommended, .user, .session, .enforced]
    for (index, layer) in order.enumerated() {
      try store.set("idle", to: .int(Int64(200 + index)), in: layer)
      #expect(try store.int("idle") == Int64(200 + index))
    }
    try store.reset("idle", in: .enforced)
    for (index, layer) in order.enumerated().dropLast().reversed() {
      #expect(try store.int("idle") == Int64(200 + index))
      try store.reset("idle", in: layer)
    }
    #expect(try store.int("idle") == 120)
  }

  @Test func weakerLayersAreLockedUnderAnEnforcedValue() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("idle", to: .int(30), in: .user)
    try store.set("idle", to: .int(60), in: .enforced)
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(31), in: .user) } == .locked)
    #expect(code { () throws(StoreError) in try store.reset("idle", in: .session) } == .locked)
    #expect(try store.inspect("idle")["locked"] == .bool(true))
    try store.reset("idle", in: .enforced)
    #expect(try store.int("idle") == 30)
  }

  @Test func onlyTheConsoleSetsWhatIsReadOnly() throws {
    let store = try temporary.open(schema: kioskSchema)
    for layer in [Layer.bundle, .user, .session] {
      #expect(code { () throws(StoreError) in try store.set("fleet", to: .string("x"), in: layer) } == .readOnly)
    }
    try store.set("fleet", to: .string("north"), in: .recommended)
    #expect(try store.string("fleet") == "north")
  }

  @Test func defaultsAreWrittenBySchemasAlone() throws {
    let store = try temporary.open(schema: kioskSchema)
    #expect(code { () throws(StoreError) in _ = try store.change(.defaults) } == .readOnly)
  }

  @Test func overridesNeedPermissionAndAnExpiryAndStopCountingWithoutACommit() throws {
    let plain = try temporary.open(schema: kioskSchema)
    #expect(code { () throws(StoreError) in _ = try plain.change(.override) } == .readOnly)
    let store = try temporary.open { $0.allowOverride = true }
    #expect(code { () throws(StoreError) in try store.set("idle", to: .int(20), in: .override) } == .invalidValue)
    let change = try store.change(.override)
    let end = Timestamp(microseconds: Timestamp.now.microseconds + 150_000)
    try change.expires(end)
    try change.set("idle", to: .int(20))
    let revision = try change.commit()
    #expect(try plain.int("idle") == 20)
    while Timestamp.now < end {}
    #expect(try plain.int("idle") == 120)
    #expect(try store.revision() == revision)
    #expect(try store.list("idle").items.first?.text("layer") == "defaults")
    let layers = try store.inspect("idle")["layers"]?.items ?? []
    #expect(layers.first?.text("state") == "expired")
    #expect(try store.inspect("idle").text("reason")?.utf8.isEmpty == false)
    // The next commit clears it away.
    try store.set("sound", to: .bool(false), in: .user)
    #expect(try store.inspect("idle")["layers"]?.items.count == 1)
  }

  @Test func anExpiryThatHasPassedIsInvalid() throws {
    let store = try temporary.open { $0.allowOverride = true }
    let change = try store.change(.override)
    try change.expires(Timestamp(microseconds: 1))
    try change.set("a", to: .int(1))
    #expect(code { () throws(StoreError) in try change.commit() } == .invalidValue)
    #expect(code { () throws(StoreError) in try store.change(.user).expires(.now) } == .invalidArgument)
  }

  @Test(arguments: [Int64.max, .min]) func anExpiryThatIsNoDateIsInvalid(_ microseconds: Int64) throws {
    let store = try temporary.open()
    let change = try store.change(.session)
    try change.expires(Timestamp(microseconds: microseconds))
    try change.set("a", to: .int(1))
    #expect(code { () throws(StoreError) in try change.commit() } == .invalidValue)
  }

  @Test func discardingTheSessionUncoversTheUser() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.set("language", to: .string("de"), in: .session)
    try store.set("idle", to: .int(15), in: .session)
    try store.set("idle", to: .int(90), in: .enforced)
    let logout = try store.change(.session)
    try logout.resetAll()
    try logout.commit()
    #expect(try store.string("language") == "en")
    #expect(try store.inspect("idle")["layers"]?.items.count == 2)
  }

  @Test func inspectTellsEveryLayerStrongestFirst() throws {
    let store = try temporary.open(schema: kioskSchema)
    try store.update(.recommended, origin: "console") { $0[Key<Int>("idle")] = 60 }
    try store.update(.user, origin: "settings-view") { $0[Key<Int>("idle")] = 30 }
    let told = try store.inspect("idle")
    #expect(told.text("reason") == "`user` wins: it is stronger than `recommended`, `defaults`.")
    #expect(told["effective"]?["value"] == .int(30))
    #expect(told["effective"]?.text("layer") == "user")
    let layers = try #require(told["layers"]?.items)
    #expect(layers.map { $0.text("layer") } == ["user", "recommended", "defaults"])
    #expect(layers.map { $0.text("state") } == ["wins", "shadowed", "shadowed"])
    #expect(layers.map { $0.text("origin") } == ["settings-view", "console", "schema"])
    #expect(told["constraints"]?["Minimum"] == .int(15))
    try store.set("idle", to: .int(45), in: .enforced)
    #expect(try store.inspect("idle").text("reason")?.utf8.starts(with: "`enforced` wins".utf8) == true)
    #expect(try store.inspect("branding.color.Text").text("reason") == "No layer has a value.")
    #expect(try store.inspect("sound").text("reason") == "`defaults` wins: no stronger layer has a value.")
  }
}

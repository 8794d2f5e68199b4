import CSystem
import Testing

@testable import Livery

/// What brands keep while they do not count, and checks while brands are switched.
@Suite struct BrandKeepingTests {
  private let temporary = TemporaryStore()

  private func send(_ store: Store, _ json: String) throws {
    let outcome = store.branding.applyConsole(try Value(json: JSON.parse(Array(json.utf8))))
    if let error = outcome.error { throw error }
  }

  private func apply(_ store: Store, _ brand: String, _ parts: [(String, String)], keep: Bool = false) throws {
    var list = "<plist version=\"1.0\"><dict>"
    for (key, value) in parts { list += "<key>\(key)</key><string>\(value)</string>" }
    var options = StoreBranding.PropertyListOptions()
    options.brand = brand
    options.keepsForLater = keep
    let outcome = store.branding.applyPropertyList(Array((list + "</dict></plist>").utf8), options: options)
    if let error = outcome.error { throw error }
  }

  private func layer(_ store: Store, _ name: String, _ layer: String) throws -> Value? {
    try store.inspect(name)["layers"]?.items.first { $0.text("layer") == layer }
  }

  // MARK: Where values come from

  @Test func movingABrandKeepsItsTimeAndItsOrigin() throws {
    let store = try temporary.open()
    let outcome = store.branding.applyPropertyList(try fixture("branding/skin.plist"))
    #expect(outcome.error == nil)
    let name = "branding.color.PrimaryText"
    let before = try #require(try layer(store, name, "bundle"))
    #expect(before["origin"] == .string("bundle"))
    lvs_sleep_us(2_000)
    func expectSame(_ what: String) throws {
      let after = try #require(try layer(store, name, "bundle"))
      #expect(after["origin"] == before["origin"] && after["time"] == before["time"], "\(what)")
    }
    let skin = try #require(try store.branding.active())
    try send(store, #"{"whole": true, "name": "Console"}"#)
    let kept = try #require(try layer(store, "brands.kept." + skin, "bundle"))
    #expect(kept["origin"] == before["origin"] && kept["time"] == before["time"])
    try store.branding.wipe()
    try expectSame("wipe")
    for isEnabled in [false, true] { try store.branding.setEnabled(isEnabled, .bundle) }
    try expectSame("setEnabled")
    try apply(store, "other", [("PrimaryHighlight", "#123456")], keep: true)
    try store.branding.use("other")
    try store.branding.use(skin)
    try expectSame("use")
    try send(store, #"{"name": "Console"}"#)
    for isEnabled in [false, true] { try store.branding.setEnabled(isEnabled, .console) }
    #expect(try layer(store, "branding.name", "recommended")?["origin"] == .string("console"))
  }

  @Test func whatReplacesDoesSoOnceItCounts() throws {
    let store = try temporary.open()
    try store.set("branding.color.Toolbar", to: .color(.black), in: .user)
    try send(store, ##"{"enabled": false, "replace": true, "colors": {"Toolbar": "#FFFFFF"}}"##)
    #expect(try store.color("branding.color.Toolbar") == .black)
    try store.branding.setEnabled(true, .console)
    #expect(try store.color("branding.color.Toolbar") == .white)
    // Once, and not again.
    try store.set("branding.color.Toolbar", to: .color(.black), in: .user)
    for isEnabled in [false, true] { try store.branding.setEnabled(isEnabled, .console) }
    #expect(try store.color("branding.color.Toolbar") == .black)
  }

  @Test func aBrandThatIsUsedOnTrialGoesBackWhole() throws {
    let store = try temporary.open()
    try apply(store, "one", [("PrimaryHighlight", "#112233")])
    try apply(store, "two", [("PrimaryText", "#445566")], keep: true)
    let names = ["branding.color.PrimaryHighlight", "branding.color.PrimaryText", "brands.kept.one", "brands.kept.two"]
    func held() -> [Value?] { names.map { (try? layer(store, $0, "bundle"))?["value"] } }
    let before = held()
    try store.branding.use("two", trial: .seconds(600))
    #expect(try store.branding.active() == "two")
    #expect(held() != before)
    try store.revertTrial()
    #expect(try store.branding.active() == "one")
    #expect(held() == before)
    try store.branding.use("two")
    #expect(try store.branding.active() == "two")
  }

  // MARK: Checks

  @Test func anOptionInAnySpellingSwitchesAnImageOffInEveryCheck() throws {
    var brand = Brand()
    brand.set("option.UsePrimaryImage", .string("NO"))
    let id = String(repeating: "ab", count: 32)
    brand.set("image.background", .image(id))
    let report = BrandCheck(brand, images: [StoredImage(id: id, width: 640, height: 480)]).report
    #expect(report["notes"] == .list([]))
  }

  @Test func brandsThatAreAlikeTellAllOfThem() throws {
    let store = try temporary.open()
    for id in ["a", "b", "c"] {
      let kept = Value.object([.init("values", .object([.init("name", .string("Same"))]))])
      try store.set("brands.kept." + id, to: kept, in: .bundle)
    }
    for brand in try store.branding.list().items {
      let others = (brand["twins"]?.items ?? []).map { $0.text("brand") ?? "" }
      #expect(others == ["a", "b", "c"].filter { $0 != brand.text("id") })
    }
    #expect(try store.branding.check()["findings"]?.items.filter { $0.text("code") == "same-name" }.count == 2)
  }

  @Test func manyBrandsThatAreAlikeAreToldSoon() throws {
    let store = try temporary.open()
    let change = try store.change(.bundle)
    let kept = Value.object([.init("values", .object([.init("name", .string("Same"))]))])
    for number in 0..<2000 { try change.set("brands.kept.\(number)", to: kept) }
    try change.commit()
    let brands = try store.branding.list().items
    #expect(brands.count == 2000 && brands.allSatisfy { $0["twins"]?.items.count == 100 })
  }

  /// Two brands that differ in two colors each: no check has one of each.
  @Test func aCheckIsOfOneMoment() throws {
    let store = try temporary.open()
    for (id, color) in [("dark", Color.black), ("light", Color.white)] {
      let values: [Value.Member] = [.init("color.Toolbar", .color(color)), .init("color.PrimaryText", .color(color))]
      try store.set("brands.kept." + id, to: .object([.init("values", .object(values))]), in: .bundle)
    }
    try store.branding.use("dark")
    let found = Findings()
    inThreads(2) { number in
      do {
        for round in 0..<400 {
          if number == 0 {
            try store.branding.use(round % 2 == 0 ? "light" : "dark")
          } else {
            let pair = try store.branding.check()["pairs"]?.items.first { $0.text("background") == "Toolbar" }
            if pair?["ratio"] != .double(1) { found.add("a pair of two brands") }
          }
        }
      } catch { found.add("\(error)") }
    }
    #expect(found.all == [])
  }
}

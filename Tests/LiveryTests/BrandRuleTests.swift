import CSystem
import Livery
import Testing

/// Which brand counts, what waits, what is told of brands that are alike, and where they are found.
@Suite struct BrandRuleTests {
  private let temporary = TemporaryStore()

  private func console(_ store: Store, _ json: String) throws -> Value {
    let outcome = store.branding.applyConsole(try Value(json: JSON.parse(Array(json.utf8))))
    if let error = outcome.error { throw error }
    return outcome.report
  }

  private func applied(_ store: Store, _ file: String, brand: String? = nil, keep: Bool = false) throws -> Value {
    var options = StoreBranding.PropertyListOptions()
    options.brand = brand
    options.keepsForLater = keep
    let outcome = store.branding.applyPropertyList(try fixture(file), options: options)
    if let error = outcome.error { throw error }
    return outcome.report
  }

  private func hex(_ store: Store, _ role: ColorRole) throws -> String { try store.branding.color(role).formatted() }

  private func message(_ body: () throws(StoreError) -> Void) -> String {
    do throws(StoreError) {
      try body()
      return ""
    } catch { return error.message }
  }

  private func codes(_ report: Value) -> [String] { report.items("findings").map { $0.word("code") } }

  // MARK: Truth values

  @Test func optionsAreTruthValues() throws {
    let store = try temporary.open()
    let name = "branding.option.UsePrimaryImage"
    for (value, expected) in [
      (Value.string("false"), false), (.string("0"), false), (.string("NO"), false), (.string("yes"), true),
      (.int(1), true), (.int(0), false), (.bool(true), true),
    ] {
      try store.set(name, to: value, in: .user)
      #expect(try store.value(name) == .bool(expected), "\(value.brief)")
    }
    for value in [Value.string("maybe"), .int(2), .list([])] {
      #expect(code { () throws(StoreError) in try store.set(name, to: value, in: .user) } == .typeMismatch)
    }
    #expect(
      message { () throws(StoreError) in try store.set(name, to: .string("maybe"), in: .user) }.contains(
        "true and false"))
    for (text, value) in [("name", Value.list([])), ("file.x", .list([])), ("identifier", .object([]))] {
      #expect(
        code { () throws(StoreError) in try store.set("branding." + text, to: value, in: .user) } == .typeMismatch)
    }
    // As a store has it that took any text: what is kept is not looked at until it counts.
    let kept = Value.object([
      .init(
        "values",
        .object([
          .init("option.UseSecondaryImage", .string("0")), .init("option.UsePrimaryImage", .string("NO")),
          .init("image.logo", .url("https://a.example/l.png")),
        ]))
    ])
    try store.set("brands.kept.old", to: kept, in: .bundle)
    #expect(codes(try store.branding.check("old")).filter { $0 == "missing-image" }.isEmpty)
    try store.reset(name, in: .user)
    try store.branding.use("old")
    #expect(code { () throws(StoreError) in _ = try store.branding.image("logo", for: Traits()) } == .noValue)
    #expect(try store.value("branding.option.UseSecondaryImage") == .bool(false))
  }

  // MARK: What waits

  @Test func whatWaitsIsToldByReadsAndExplained() throws {
    let store = try temporary.open()
    let name = "branding.color.Toolbar"
    _ = try console(store, ##"{"colors": {"Toolbar": "#222222"}}"##)
    try store.branding.setEnabled(false, .console)
    let told = message { () throws(StoreError) in _ = try store.value(name) }
    #expect(told.contains("the console's value waits: the console's branding is switched off"))
    #expect(message { () throws(StoreError) in _ = try store.branding.color(.toolbar) }.contains("is switched off"))
    let explained = try store.inspect(name)
    #expect(explained["effective"] == nil)
    #expect(
      explained.word("reason")
        == "Nothing counts. The console's #222222FF waits: the console's branding is switched off.")
    #expect(explained.items("waits").map { $0["value"] } == [.color(Color(red8: 0x22, green8: 0x22, blue8: 0x22))])
    #expect(explained.items("waits").first?.word("layer") == "recommended")
    // Beside what counts, and of the brand.
    try store.branding.setColor("Toolbar", to: .white, in: .user)
    #expect(try store.inspect(name).word("reason").hasSuffix("switched off."))
    #expect(try store.inspect(name)["effective"] != nil)
    _ = try applied(store, "branding/skin.plist")
    try store.branding.setEnabled(false, .bundle)
    #expect(
      message { () throws(StoreError) in _ = try store.branding.color(.primaryText) }.contains(
        "the active brand is switched off"))
    try store.branding.setEnabled(true, .console)
    try store.branding.setEnabled(true, .bundle)
    #expect(try store.inspect(name)["waits"] == nil)
    #expect(message { () throws(StoreError) in _ = try store.value("branding.color.None") }.contains("waits") == false)
  }

  // MARK: One source at a time

  @Test func aWholePayloadLetsTheBundleWait() throws {
    let store = try temporary.open()
    _ = try applied(store, "branding/skin.plist")
    _ = try console(store, ##"{"colors": {"Toolbar": "#222222"}}"##)
    #expect(try hex(store, .primaryText) == "#FFFFFF")
    let before = try store.revision()
    _ = try console(store, ##"{"whole": true, "colors": {"Toolbar": "#333333"}}"##)
    #expect(try store.revision() == before + 1)
    #expect(try hex(store, .toolbar) == "#333333")
    #expect(code { () throws(StoreError) in _ = try store.branding.color(.primaryText) } == .noValue)
    #expect(
      try store.inspect("branding.color.PrimaryText").word("reason").contains("the console's brand counts as a whole"))
    #expect(try store.branding.isEnabled(.bundle))
    #expect(try store.branding.isWaiting())
    #expect(try store.branding.show("default")["enabled"] == .bool(true))
    // What happens to the bundle meanwhile waits as well.
    try store.branding.setColor("PrimaryText", to: .black, in: .bundle)
    _ = try applied(store, "variants/Wire-Info.plist")
    #expect(code { () throws(StoreError) in _ = try store.branding.color("font") } == .noValue)
    try store.branding.use("default")
    try store.branding.setEnabled(false, .bundle)
    try store.branding.setEnabled(true, .bundle)
    #expect(code { () throws(StoreError) in _ = try store.branding.color(.primaryText) } == .noValue)
    // The switch, another payload, wiping and undoing bring it back.
    try store.branding.setEnabled(false, .console)
    #expect(try hex(store, .primaryText) == "#000000")
    #expect(try hex(store, .toolbar) == "#0D2640")
    try store.branding.setEnabled(true, .console)
    #expect(code { () throws(StoreError) in _ = try store.branding.color(.primaryText) } == .noValue)
    _ = try store.undo(try store.revision())
    #expect(try hex(store, .primaryText) == "#000000")
    try store.branding.setEnabled(true, .console)
    _ = try console(store, ##"{"colors": {"Toolbar": "#444444"}}"##)
    #expect(try hex(store, .primaryText) == "#000000")
    #expect(try hex(store, .toolbar) == "#444444")
    let payload = try Value(json: JSON.parse(Array(##"{"colors": {"Toolbar": "#555555"}}"##.utf8)))
    #expect(store.branding.applyConsole(payload, isWhole: true).error == nil)
    #expect(try store.branding.isWaiting())
    try store.branding.wipe()
    #expect(try hex(store, .primaryText) == "#000000")
    #expect(try hex(store, .toolbar) == "#0D2640")
    #expect(try !store.branding.isWaiting())
    #expect(try store.list("brands.**").items.map { $0.word("name") }.filter { $0.contains("console") }.isEmpty)
  }

  // MARK: Replacing

  @Test func aPayloadMayTakeThePlaceOfWhatPeopleHaveSet() throws {
    let store = try temporary.open()
    try store.branding.setColor("Toolbar", to: .white, in: .user)
    try store.branding.setColor("Accent", to: .white, in: .user)
    _ = try console(store, ##"{"colors": {"Toolbar": "#222222"}}"##)
    #expect(try hex(store, .toolbar) == "#FFFFFF")
    let before = try store.revision()
    _ = try console(store, ##"{"replace": true, "colors": {"Toolbar": "#222222"}}"##)
    #expect(try store.revision() == before + 1)
    #expect(try hex(store, .toolbar) == "#222222")
    #expect(try store.branding.color("Accent") == .white)
    #expect(try store.inspect("branding.color.Toolbar").word("reason").contains("replaced the operator's"))
    guard let change = try store.history().items.first?.items("changes").first else {
      throw StoreError(.notFound, "no change")
    }
    #expect(change["replaced"] == .list([.string("user")]))
    _ = try store.undo(before + 1)
    #expect(try hex(store, .toolbar) == "#FFFFFF")
    let payload = try Value(json: JSON.parse(Array(##"{"colors": {"Toolbar": "#333"}}"##.utf8)))
    #expect(store.branding.applyConsole(payload, replaces: true).error == nil)
    #expect(try hex(store, .toolbar) == "#333333")
  }

  // MARK: Brands that are alike

  @Test func brandsThatAreAlikeAreTold() throws {
    let store = try temporary.open()
    _ = try applied(store, "variants/Wire-Info.plist")
    let again = try applied(store, "variants/Wire-Info.plist")
    #expect(again["former"] == nil && again.items("problems").isEmpty)
    let twin = try applied(store, "variants/Wire-Info.plist", brand: "twin", keep: true)
    #expect(
      twin.items("problems").map { $0.word("code") }.sorted()
        == ["same-identifier", "same-name"] + Array(repeating: "same-url", count: 3))
    let listed = try store.branding.list().items
    #expect(listed.map { $0.items("twins").count } == [5, 5])
    #expect(listed[0].items("twins").first?.word("brand") == "twin")
    let all = codes(try store.branding.check())
    #expect(all.filter { $0.hasPrefix("same-") }.count == 5)
    #expect(codes(try store.branding.check("twin")).filter { $0.hasPrefix("same-") }.count == 5)
    // Another brand under an identifier that is there.
    let other = try applied(store, "variants/Simpsons-Info.plist", brand: "com.sample.wireviewer")
    #expect(other["former"]?.word("name") == "The Wire Character Viewer")
    #expect(other["former"]?.number("differing") ?? 0 > 5)
    #expect(other.items("problems").isEmpty)
    #expect(try store.branding.list().items.allSatisfy { $0["twins"] == nil })
  }

  // MARK: Documents and directories

  @Test func theDialectOfTheBrandIsCheckedAlsoWhenItIsActive() throws {
    let store = try temporary.open()
    _ = try applied(store, "variants/Wire-Info.plist")
    #expect(codes(try store.branding.check()).isEmpty)
    #expect(codes(try store.branding.check("com.sample.wireviewer")).isEmpty)
    #expect(try store.branding.show("com.sample.wireviewer").word("dialect") == "CharacterVariantsConfiguration")
    try store.reset("branding.url.logoImage", in: .bundle)
    #expect(try store.branding.check().items("findings").map { $0.word("key") } == ["logoImage"])
    try store.branding.setEnabled(false, .bundle)
    #expect(try store.branding.check("com.sample.wireviewer").items("findings").map { $0.word("key") } == ["logoImage"])
    #expect(codes(try store.branding.check()).contains("missing-role"))
  }

  @Test func aVariantsImagesAreThoseOfTheBundleElseRemote() throws {
    let folder = try Bundle()
    let store = try temporary.open()
    _ = try applied(store, "variants/Wire-Info.plist")
    #expect(try store.branding.image("logo", for: Traits())["image"] == .url("https://assets.example/wire/logo.png"))
    #expect(
      try store.branding.image("loading", for: Traits())["image"] == .url("https://assets.example/wire/loading.png"))
    folder.write("logoWire.png", try fixture("images/rgb.png"))
    folder.write("logoWire@2x.png", try fixture("images/rgb.png"))
    var options = StoreBranding.PropertyListOptions()
    options.bundle = folder.path
    let report = store.branding.applyPropertyList(try fixture("variants/Wire-Info.plist"), options: options).report
    #expect(report["images"] == .int(2))
    #expect(try store.value("branding.image.logo").items.map { $0["scale"] } == [nil, .int(2)])
    #expect(try store.branding.image("logo", for: Traits()).word("type") == "image/png")
    #expect(try store.url("branding.url.logoImage") == "https://assets.example/wire/logo.png")
    // What the bundle lacks is taken from where it is.
    let other = store.branding.applyPropertyList(try fixture("variants/Simpsons-Info.plist"), options: options).report
    #expect(other.items("ignored").first?.word("message").contains("its URL is taken") == true)
    #expect(
      try store.branding.image("logo", for: Traits())["image"] == .url("https://assets.example/simpsons/logo.png"))
  }

  @Test func aDirectoryIsLookedThroughForABrand() throws {
    let store = try temporary.open()
    func apply(_ folder: Bundle) -> BrandOutcome { store.branding.applyDirectory(folder.path) }
    let folder = try Bundle()
    let none = apply(folder)
    #expect(none.error?.code == .notFound)
    for name in ["skin.plist", "AWSDKDefaultSettings.plist", "Info.plist"] {
      #expect(none.error?.message.contains(name) == true)
    }
    // A list of another kind is passed over.
    folder.write(
      "Info.plist", Array("<plist version=\"1.0\"><dict><key>CFBundleName</key><string>x</string></dict></plist>".utf8))
    #expect(apply(folder).error?.code == .notFound)
    folder.write("Wire-Info.plist", try fixture("variants/Wire-Info.plist"))
    folder.write("logoWire.png", try fixture("images/rgb.png"))
    let wire = apply(folder)
    #expect(wire.error == nil && wire.report.word("file") == "Wire-Info.plist" && wire.report["images"] == .int(1))
    // So is what is no list, or no file.
    folder.write("Aardvark-Info.plist", Array("no list".utf8))
    folder.write("Zoo-Info.plist/x", [])
    folder.write("Resources/Info.plist", Array("no list".utf8))
    #expect(apply(folder).report.word("file") == "Wire-Info.plist")
    folder.write("Simpsons-Info.plist", try fixture("variants/Simpsons-Info.plist"))
    #expect(apply(folder).error?.code == .invalidValue)
    #expect(apply(folder).error?.message.contains("several variants") == true)
    folder.write("Contents/Resources/AWSDKDefaultSettings.plist", try fixture("branding/AWSDKDefaultSettings.plist"))
    folder.write("Contents/Resources/logo.png", try fixture("images/rgba.png"))
    let defaults = apply(folder)
    #expect(defaults.report.word("file") == "Contents/Resources/AWSDKDefaultSettings.plist")
    #expect(defaults.report["images"] == .int(1))
    folder.write("skin.plist", try fixture("branding/skin.plist"))
    #expect(apply(folder).report.word("file") == "skin.plist")
    folder.write("bad/skin.plist", Array("no list".utf8))
    let bad = store.branding.applyDirectory(folder.path + "/bad")
    #expect(bad.error?.code == .parse && bad.error?.message.hasPrefix("skin.plist: ") == true)
    #expect(store.branding.applyDirectory(folder.path + "/nowhere").error?.code == .notFound)
    // Where nothing else is found, the first that is wrong is told.
    folder.write("wrong/Info.plist", Array("no list".utf8))
    let wrong = store.branding.applyDirectory(folder.path + "/wrong")
    #expect(wrong.error?.code == .parse && wrong.error?.message.hasPrefix("Info.plist: ") == true)
  }

  /// A complete skin with all of its images passes, and the screen's height counts.
  @Test func aCompleteSkinWithItsImagesPasses() throws {
    let folder = try Bundle()
    let image = Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"1136\"/>".utf8)
    for name in ["background-ipad", "background-iphone", "logo-ipad", "logo-iphone"] {
      for scale in ["", "@2x"] { folder.write("\(name)\(scale).png", image) }
    }
    folder.write("background-iphone-568h@2x.png", image)
    folder.write("skin.plist", try fixture("branding/skin.plist"))
    let store = try temporary.open()
    let outcome = store.branding.applyDirectory(folder.path)
    #expect(outcome.error == nil && outcome.report["images"] == .int(9))
    let findings = try store.branding.check().items("findings")
    #expect(findings.isEmpty, "\(Value.list(findings).json())")
    folder.remove("logo-ipad@2x.png")
    _ = store.branding.applyDirectory(folder.path)
    #expect(
      try store.branding.check().items("findings").map { $0.word("message") } == ["skin.plist has no SecondaryiPad2X"])
  }

  @Test func whereNobodyHasSetARoleItIsBuiltIn() throws {
    let store = try temporary.open()
    for role in ColorRole.allCases { #expect(try store.branding.shownColor(role).isBuiltIn) }
    // As it is shown nothing is to be found.
    var built = Brand()
    for role in ColorRole.allCases {
      built.set("color." + role.rawValue, .color(try store.branding.shownColor(role).color))
    }
    for name in ["background", "logo"] { built.set("image." + name, .url("https://a.example/i.png")) }
    #expect(codes(BrandCheck(built, images: []).report) == [])
    try store.branding.setColor("PrimaryHighlight", to: .white, in: .bundle)
    #expect(try store.branding.shownColor(.primaryText).color == .black)
    #expect(try store.branding.shownColor("PrimaryHighlight").isBuiltIn == false)
    #expect(try store.list("branding.**").items.count == 1)
    #expect(code { () throws(StoreError) in _ = try store.branding.shownColor("Accent") } == .noValue)
  }

  @Test func aGradientIsReadWithBothEnds() throws {
    let store = try temporary.open()
    _ = try applied(store, "variants/Wire-Info.plist")
    let gradient = try store.branding.gradient("listBackground")
    #expect(gradient.dark.formatted() == "#0A0A0A" && gradient.light.formatted() == "#3C3C3C")
    #expect(code { () throws(StoreError) in _ = try store.branding.gradient("none") } == .noValue)
    try store.reset("branding.color.listBackgroundLight", in: .bundle)
    #expect(
      message { () throws(StoreError) in _ = try store.branding.gradient("listBackground") }
        .contains("`branding.color.listBackgroundLight`"))
  }
}

extension Value {
  fileprivate func word(_ key: String) -> String {
    guard case .string(let text)? = self[key] else { return "" }
    return text
  }

  fileprivate func number(_ key: String) -> Int64 {
    guard case .int(let number)? = self[key] else { return 0 }
    return number
  }

  fileprivate func items(_ key: String) -> [Value] {
    guard case .list(let items)? = self[key] else { return [] }
    return items
  }
}

/// A directory with files and directories, removed afterwards.
private final class Bundle {
  let path: String
  private var files: [String] = []
  private var folders: [String] = []

  init() throws {
    var generator = SystemRandomNumberGenerator()
    path = "/tmp/livery-bundle-\(UInt64.random(in: 0 ... .max, using: &generator))"
    try #require(mkdir(path, 0o755) == 0)
  }

  func write(_ name: String, _ bytes: [UInt8]) {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      if mkdir(folder, 0o755) == 0 { folders.append(folder) }
    }
    let file = lvs_open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = bytes.withUnsafeBytes { lvs_write_all(file, $0.baseAddress, $0.count) }
    CSystem.close(file)
    files.append(path + "/" + name)
  }

  func remove(_ name: String) { unlink(path + "/" + name) }

  deinit {
    for file in files { unlink(file) }
    for folder in folders.reversed() { rmdir(folder) }
    rmdir(path)
  }
}

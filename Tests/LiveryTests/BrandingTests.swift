import CSystem
import Livery
import Testing

@Suite struct BrandingTests {
  let temporary = TemporaryStore()

  /// A closed schema with a built-in default of one color.
  private let schema = """
    {"Version": 1, "Groups": [{"Title": "G", "Settings": [
      {"Type": "Color", "Title": "Toolbar", "Key": "branding.color.Toolbar", "Value": "#111111"},
      {"Type": "TextField", "Title": "T", "Key": "title", "Value": "x"}]}]}
    """

  private func applied(
    _ store: Store, _ file: String, _ change: (inout StoreBranding.PropertyListOptions) -> Void = { _ in }
  )
    throws -> Value
  {
    var options = StoreBranding.PropertyListOptions()
    change(&options)
    let outcome = store.branding.applyPropertyList(try fixture(file), options: options)
    if let error = outcome.error { throw error }
    return outcome.report
  }

  private func console(_ json: String) throws -> Value { try Value(json: JSON.parse(Array(json.utf8))) }

  private func hex(_ store: Store, _ role: String) throws -> String { try store.branding.color(role).formatted() }

  @Test func aPropertyListSetsTheBrandInAStoreWithAndWithoutASchema() throws {
    for declared in [true, false] {
      let temporary = TemporaryStore()
      let store = declared ? try temporary.open(schema: schema) : try temporary.open()
      let before = try store.revision()
      let report = try applied(store, "branding/skin.plist")
      #expect(report["applied"] == .bool(true))
      #expect(report.text("brand") == "default")
      #expect(try store.revision() == before + 1)
      #expect(try hex(store, "PrimaryHighlight") == "#0064A0")
      #expect(try store.color("branding.color.Toolbar").formatted() == "#0D2640")
      #expect(try store.value("branding.option.UsePrimaryImage") == .bool(true))
      // Reads, listings and explanations know it as any setting.
      #expect(try store.list("branding.color.*").items.count == 6)
      #expect(try store.inspect("branding.color.PrimaryText")["effective"]?["layer"] == .string("bundle"))
      // Nothing else may be set without being declared.
      if declared {
        #expect(code { () throws(StoreError) in try store.set("brand", to: .int(1), in: .user) } == .notFound)
      }
    }
  }

  @Test func consoleIsOverBundleIsOverTheDefault() throws {
    let store = try temporary.open(schema: schema)
    #expect(try hex(store, "Toolbar") == "#111111")
    _ = try applied(store, "branding/skin.plist")
    #expect(try hex(store, "Toolbar") == "#0D2640")
    let outcome = store.branding.applyConsole(
      try console(##"{"colors": {"Toolbar": "#222222"}, "images": {"logo": {"phone": "https://a.example/p.png"}}}"##))
    #expect(outcome.error == nil)
    #expect(try hex(store, "Toolbar") == "#222222")
    #expect(try hex(store, "PrimaryHighlight") == "#0064A0")
    // The switches act at once, each as one commit, and nothing is lost.
    try store.branding.setEnabled(false, .console)
    #expect(try !store.branding.isEnabled(.console))
    #expect(try hex(store, "Toolbar") == "#0D2640")
    try store.branding.setEnabled(false, .bundle)
    #expect(try hex(store, "Toolbar") == "#111111")
    #expect(code { () throws(StoreError) in _ = try store.branding.color("PrimaryText") } == .noValue)
    try store.branding.setEnabled(true, .console)
    #expect(try hex(store, "Toolbar") == "#222222")
    try store.branding.setEnabled(true, .bundle)
    try store.branding.setEnabled(true, .bundle)
    #expect(try hex(store, "PrimaryText") == "#FFFFFF")
    try store.branding.wipe()
    #expect(try hex(store, "Toolbar") == "#0D2640")
    #expect(try store.list("brands.console**").items.isEmpty)
  }

  @Test func aPayloadReplacesAllThatTheConsoleSentBefore() throws {
    let store = try temporary.open()
    _ = store.branding.applyConsole(try console(##"{"colors": {"Toolbar": "#222", "ToolbarText": "#eee"}}"##))
    let before = try store.revision()
    _ = store.branding.applyConsole(try console(##"{"enabled": false, "colors": {"ToolbarText": "#ddd"}}"##))
    #expect(try store.revision() == before + 1)
    #expect(code { () throws(StoreError) in _ = try store.branding.color("ToolbarText") } == .noValue)
    // What is set while it is off waits.
    try store.branding.setColor("Toolbar", to: Color(red8: 1, green8: 2, blue8: 3), in: .recommended)
    #expect(code { () throws(StoreError) in _ = try store.branding.color("Toolbar") } == .noValue)
    try store.branding.setEnabled(true, .console)
    #expect(try hex(store, "Toolbar") == "#010203")
    #expect(try hex(store, "ToolbarText") == "#DDDDDD")
    try store.branding.setColor("Toolbar", to: .white, in: .enforced)
    try store.branding.wipe()
    #expect(code { () throws(StoreError) in _ = try store.branding.color("Toolbar") } == .noValue)
  }

  @Test func aPropertyListMaySayThatItDoesNotCount() throws {
    let store = try temporary.open()
    let plist = """
      <plist version="1.0"><dict><key>Branding</key><dict><key>EnableBranding</key><string>NO</string><key>Colors</key>
      <dict><key>Toolbar</key><dict><key>Red</key><string>1</string><key>Green</key><integer>2</integer>
      <key>Blue</key><real>3</real></dict></dict></dict></dict></plist>
      """
    let outcome = store.branding.applyPropertyList(Array(plist.utf8))
    #expect(outcome.error == nil)
    #expect(outcome.report["enabled"] == .bool(false))
    #expect(code { () throws(StoreError) in _ = try store.branding.color("Toolbar") } == .noValue)
    #expect(try store.branding.show("default")["colors"]?["Toolbar"] == .color(Color(red8: 1, green8: 2, blue8: 3)))
    try store.branding.setEnabled(true, .bundle)
    #expect(try hex(store, "Toolbar") == "#010203")
  }

  @Test func lockedColorsDoNotStandInTheWayOfABrand() throws {
    let store = try temporary.open(schema: schema)
    try store.set("branding.color.Toolbar", to: .color(.black), in: .enforced)
    _ = try applied(store, "branding/skin.plist")
    #expect(try hex(store, "Toolbar") == "#000000")
    #expect(try hex(store, "ToolbarText") == "#FFFFFF")
    #expect(
      code { () throws(StoreError) in try store.branding.setColor("Toolbar", to: .white, in: .bundle) } == .locked)
    try store.reset("branding.color.Toolbar", in: .enforced)
    #expect(try hex(store, "Toolbar") == "#0D2640")
  }

  @Test func brandsAreSwitchedAsOneCommitAndOneBatchOfEvents() throws {
    let store = try temporary.open()
    let wire = try applied(store, "variants/Wire-Info.plist")
    #expect(wire.text("brand") == "com.sample.wireviewer")
    let simpsons = try applied(store, "variants/Simpsons-Info.plist") { $0.keepsForLater = true }
    #expect(simpsons["active"] == .bool(false))
    #expect(try store.branding.active() == "com.sample.wireviewer")
    #expect(try hex(store, "font") == "#F0F0F0")
    #expect(
      try store.branding.show("com.sample.simpsonsviewer")["colors"]?["font"]
        == .color(Color(red8: 0, green8: 100, blue8: 160)))
    let batches = Batches()
    let observation = try store.observe("branding.**") { batches.add($0) }
    let before = try store.revision()
    try store.branding.use("com.sample.simpsonsviewer")
    #expect(try store.revision() == before + 1)
    #expect(try hex(store, "font") == "#0064A0")
    #expect(try store.string("branding.name") == "Simpsons Character Viewer")
    #expect(try store.string("branding.file.logoImageName") == "logoSimpsons")
    #expect(try store.url("branding.url.logoImage") == "https://assets.example/simpsons/logo.png")
    #expect(try store.bool("branding.option.AnimateLoadingImage"))
    #expect(batches.waitForOne() == [before + 1])
    observation.cancel()
    // The other way, and by undoing.
    try store.branding.use("com.sample.wireviewer")
    #expect(try hex(store, "font") == "#F0F0F0")
    _ = try store.undo(try store.revision())
    #expect(try hex(store, "font") == "#0064A0")
    #expect(try store.branding.active() == "com.sample.simpsonsviewer")
    let listed = try store.branding.list().items
    #expect(listed.map { $0.text("id") } == ["com.sample.simpsonsviewer", "com.sample.wireviewer"])
    #expect(listed.map { $0["active"] } == [.bool(true), .bool(false)])
    do throws(StoreError) { try store.branding.use("com.sample.wireviewers") } catch {
      #expect(error.code == .notFound)
      #expect(error.message.hasSuffix("did you mean `com.sample.wireviewer`?"))
    }
    try store.branding.remove("com.sample.wireviewer")
    try store.branding.remove("com.sample.simpsonsviewer")
    #expect(try store.list("brand**").items.isEmpty)
    #expect(try store.branding.active() == nil)
  }

  @Test func aBrandThatIsSwitchedOffStaysSoWhenItIsUsedAgain() throws {
    let store = try temporary.open()
    _ = try applied(store, "variants/Wire-Info.plist")
    try store.branding.setEnabled(false, .bundle)
    _ = try applied(store, "variants/Simpsons-Info.plist")
    #expect(try store.branding.isEnabled(.bundle))
    try store.branding.use("com.sample.wireviewer")
    #expect(try !store.branding.isEnabled(.bundle))
    #expect(code { () throws(StoreError) in _ = try store.branding.color("font") } == .noValue)
    try store.branding.setEnabled(true, .bundle)
    #expect(try hex(store, "font") == "#F0F0F0")
  }

  @Test func imagesOfTheBundleAreStoredWithTheBrandAndChosenByTheDevice() throws {
    let folder = try ImageFolder()
    let png = try fixture("images/rgba.png")
    for name in ["background-ipad.png", "background-ipad@2x.png", "background-iphone.png", "logo-iphone@2x.png"] {
      folder.write(name, png)
    }
    let store = try temporary.open()
    let report = try applied(store, "branding/skin.plist") { $0.bundle = folder.path }
    #expect(report["images"] == .int(4))
    #expect(report["ignored"]?.items.count == 5)
    #expect(try store.assets.list().items.count == 1)
    var tablet = Traits()
    tablet.idiom = .tablet
    tablet.scale = 2
    let image = try store.branding.image("background", for: tablet)
    #expect(image["scale"] == .int(2))
    guard case .image(let id)? = image["image"] else { throw StoreError(.notFound, "no image") }
    #expect(try store.assets.bytes(id) == png)
    #expect(image["pixelWidth"] == .int(Int64(try store.assets.info(id).facts.width)))
    #expect(image.text("type") == "image/png")
    // The collector finds the images of a brand also while it is kept.
    try store.branding.setEnabled(false, .bundle)
    #expect(try store.assets.collect()["removed"]?.items.count == 0)
    try store.branding.setEnabled(true, .bundle)
    // No logo for tablets, and the switch.
    #expect(code { () throws(StoreError) in _ = try store.branding.image("logo", for: tablet) } == .noValue)
    let explained = try store.branding.explain("logo", for: tablet)
    #expect(explained["index"] == nil)
    #expect(explained["steps"]?.items.first?.text("stage") == "contradiction")
    try store.set("branding.option.UsePrimaryImage", to: .bool(false), in: .user)
    #expect(code { () throws(StoreError) in _ = try store.branding.image("background", for: tablet) } == .noValue)
    #expect(
      try store.branding.explain("background", for: tablet).text("reason")
        == "The brand switches the image `background` off.")
    #expect(code { () throws(StoreError) in _ = try store.branding.image("none", for: tablet) } == .noValue)
  }

  private func apply(_ store: Store, _ members: [(String, String)], in folder: ImageFolder) -> BrandOutcome {
    var options = StoreBranding.PropertyListOptions()
    options.bundle = folder.path
    var plist = "<plist version=\"1.0\"><dict>"
    for (key, value) in members { plist += "<key>\(key)</key><string>\(value)</string>" }
    return store.branding.applyPropertyList(Array((plist + "</dict></plist>").utf8), options: options)
  }

  @Test func aBadImageIsToldAndLeftOut() throws {
    let folder = try ImageFolder()
    folder.write("good.png", try fixture("images/rgb.png"))
    folder.write("bad.png", Array("text".utf8))
    let store = try temporary.open()
    let outcome = apply(store, [("PrimaryiPad", "bad.png"), ("SecondaryiPad", "good.png")], in: folder)
    #expect(outcome.error == nil)
    #expect(outcome.report["applied"] == .bool(true))
    #expect(outcome.report["problems"]?.items.map { $0.text("code") } == ["bad-image"])
    #expect(outcome.report["problems"]?.items.first?.text("message")?.contains("`bad.png` is left out") == true)
    #expect(code { () throws(StoreError) in _ = try store.value("branding.image.background") } == .notFound)
    #expect(try store.value("branding.image.logo").items.count == 1)
  }

  @Test func aNameWithoutExtensionFindsTheFilesOfTheBundle() throws {
    let folder = try ImageFolder()
    let image = try fixture("images/rgb.png")
    for name in ["Splash.png", "Splash@2x.png", "Splash~ipad.png", "Logo@2x~iphone.png", "Plain"] {
      folder.write(name, image)
    }
    let store = try temporary.open()
    let outcome = apply(
      store,
      [
        ("BackgroundImage_4_3", "Splash"), ("SecondaryiPhone", "Logo"), ("SplashLogo_1x", "Plain"),
        ("SplashLogo_2x", "None"),
      ], in: folder)
    #expect(outcome.error == nil)
    let background = try store.value("branding.image.background").items
    #expect(background.map { $0["scale"] } == [nil, .int(2), nil])
    #expect(background.map { $0["idiom"] } == [nil, nil, .string("tablet")])
    #expect(background.allSatisfy { $0["aspect"] == .string("4:3") })
    let logo = try store.value("branding.image.logo").items
    #expect(logo.count == 1 && logo[0]["scale"] == .int(1) && logo[0]["idiom"] == .string("phone"))
    #expect(try store.value("branding.image.splash").items.count == 1)
    #expect(
      outcome.report["converted"]?.items.map { $0.text("message") }
        == ["`Splash` is `Splash.png`, `Splash@2x.png`, `Splash~ipad.png`", "`Logo` is `Logo@2x~iphone.png`"])
    #expect(outcome.report["ignored"]?.items.map { $0.text("path") } == ["/SplashLogo_2x"])
  }

  @Test func nothingOutsideOfTheBundleIsRead() throws {
    let folder = try ImageFolder()
    folder.write("evil.png", Array("text".utf8))
    symlink("/etc/passwd", folder.path + "/link.png")
    symlink("/etc", folder.path + "/dir")
    mkdir(folder.path + "/folder.png", 0o755)
    let store = try temporary.open()
    let before = try store.revision()
    for (name, expected) in [
      ("../x.png", "outside-bundle"), ("link.png", "unreadable-image"), ("dir/passwd", "unreadable-image"),
      ("folder.png", "unreadable-image"),
    ] {
      let plist = "<plist version=\"1.0\"><dict><key>PrimaryiPad</key><string>\(name)</string></dict></plist>"
      var options = StoreBranding.PropertyListOptions()
      options.bundle = folder.path
      let outcome = store.branding.applyPropertyList(Array(plist.utf8), options: options)
      #expect(outcome.error?.code == .invalidValue, "\(name)")
      let problem = outcome.report["problems"]?.items.first
      #expect(problem?.text("code") == expected, "\(name)")
      #expect(problem?.text("path") == "/PrimaryiPad")
      #expect(outcome.report["applied"] == .bool(false))
    }
    #expect(try store.revision() == before)
    #expect(try store.assets.list().items.isEmpty)
    for name in ["link.png", "dir", "folder.png", "evil.png"] {
      unlink(folder.path + "/" + name)
      rmdir(folder.path + "/" + name)
    }
  }

  @Test func badDocumentsChangeNothing() throws {
    let store = try temporary.open()
    let bombs: [(String, StoreError.Code)] = [
      ("", .parse), ("not a plist", .parse), ("bplist00", .parse), ("<plist><array/></plist>", .invalidValue),
      ("<plist version=\"1.0\"><dict/></plist>", .parse),
      (
        "<!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><plist><dict><key>&b;</key><true/></dict></plist>",
        .parse
      ),
      ("<plist version=\"1.0\"><dict><key>Toolbar</key><string>x</string></dict></plist>", .invalidValue),
    ]
    for (text, expected) in bombs {
      let outcome = store.branding.applyPropertyList(Array(text.utf8))
      #expect(outcome.error?.code == expected, "\(text)")
    }
    #expect(store.branding.applyConsole(.int(5)).error?.code == .invalidValue)
    #expect(try store.revision() == 0)
  }

  @Test func settingsOfBrandingHoldWhatTheirNamesSay() throws {
    let store = try temporary.open()
    for (name, value, expected) in [
      ("branding.color.X", Value.int(5), StoreError.Code.typeMismatch),
      ("branding.color.X", .string("reddish"), .typeMismatch),
      ("branding.url.X", .string("no url"), .typeMismatch), ("branding.image.X", .int(5), .invalidValue),
    ] {
      #expect(code { () throws(StoreError) in try store.set(name, to: value, in: .user) } == expected)
    }
    try store.set("branding.color.X", to: .string("#123"), in: .user)
    #expect(try store.value("branding.color.X") == .color(Color(red8: 0x11, green8: 0x22, blue8: 0x33)))
    // An export brings a brand with all its shelves back.
    _ = try applied(store, "variants/Wire-Info.plist")
    _ = try applied(store, "variants/Simpsons-Info.plist")
    let other = TemporaryStore()
    let copy = try other.open(schema: schema)
    let imported = copy.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user)
    #expect(imported.error == nil)
    #expect(try copy.exportJSON() != "")
    try copy.branding.use("com.sample.wireviewer")
    #expect(try hex(copy, "font") == "#F0F0F0")
  }

  @Test func aCheckFindsWhatIsWrongWithABrand() throws {
    let store = try temporary.open()
    _ = try applied(store, "branding/skin.plist")
    let report = try store.branding.check()
    let codes = Set((report["findings"]?.items ?? []).map { $0.text("code") ?? "" })
    #expect(codes == ["missing-asset"])
    _ = store.branding.applyConsole(try console(##"{"colors": {"PrimaryHighlight": "whitesmoke"}}"##))
    let found = try store.branding.check()["findings"]?.items.map { $0.text("code") ?? "" } ?? []
    #expect(found.contains("whitish-background") && found.contains("low-contrast"))
    #expect(try store.branding.check("default")["errors"] == .int(0))
  }
}

/// A directory with files, removed afterwards.
private final class ImageFolder {
  let path: String
  private var names: [String] = []

  init() throws {
    var generator = SystemRandomNumberGenerator()
    path = "/tmp/livery-bundle-\(UInt64.random(in: 0 ... .max, using: &generator))"
    try #require(mkdir(path, 0o755) == 0)
  }

  func write(_ name: String, _ bytes: [UInt8]) {
    let file = lvs_open(path + "/" + name, O_WRONLY | O_CREAT, 0o644)
    _ = bytes.withUnsafeBytes { lvs_write_all(file, $0.baseAddress, $0.count) }
    CSystem.close(file)
    names.append(name)
  }

  deinit {
    for name in names { unlink(path + "/" + name) }
    rmdir(path)
  }
}

/// The revisions of the batches that a watch was called with.
private final class Batches: @unchecked Sendable {
  private let lock = TestLock()
  private var revisions: [UInt64] = []

  func add(_ events: [Event]) {
    lock.withLock {
      for event in events where revisions.last != event.revision { revisions.append(event.revision) }
    }
  }

  func waitForOne() -> [UInt64] {
    for _ in 0..<500 {
      let found = lock.withLock { revisions }
      if !found.isEmpty { return found }
      lvs_sleep_us(10_000)
    }
    return []
  }
}

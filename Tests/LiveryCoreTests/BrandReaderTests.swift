import LiveryCore
import Testing

@Suite struct BrandReaderTests {
  private func read(_ file: String) throws -> BrandReader {
    BrandReader(propertyList: try PropertyList.parse(fixture(file)))
  }

  private func color(_ components: String) -> BrandReader {
    BrandReader(propertyList: (try? Value(json: JSON.parse("{\"Toolbar\": \(components)}".bytes))) ?? .list([]))
  }

  private func items(_ reader: BrandReader, _ list: String) -> [Value] {
    guard case .list(let items)? = Value.object(reader.report.members)[list] else { return [] }
    return items
  }

  private func codes(_ reader: BrandReader) -> [String] {
    items(reader, "problems").map { item in
      guard case .string(let code)? = item["code"], case .string(let path)? = item["path"] else { return "" }
      return "\(path) \(code)"
    }
  }

  @Test func aSkinInXMLAndInBinaryIsTheSameBrand() throws {
    for file in ["branding/skin.plist", "branding/skin.binary.plist"] {
      let reader = try read(file)
      #expect(reader.dialect == .skin)
      #expect(reader.report.failure == nil)
      #expect(reader.brand.isEnabled)
      #expect(reader.brand.parts("color.").map { $0.key } == Branding.roles.sorted())
      #expect(reader.brand.color("PrimaryHighlight")?.formatted() == "#0064A0")
      #expect(reader.brand.color("PrimaryText") == .white)
      #expect(reader.brand["option.UsePrimaryImage"] == .bool(true))
      #expect(reader.brand["option.UseSecondaryImage"] == .bool(true))
      #expect(
        reader.images.map { $0.name }.sorted() == Array(repeating: "background", count: 5)
          + Array(repeating: "logo", count: 4))
      let five = try #require(reader.images.first { $0.reference == "background-iphone-568h@2x.png" })
      #expect(
        five.variant(.image("x"))
          == .object([
            .init("image", .image("x")), .init("idiom", .string("phone")), .init("longest", .int(568)),
            .init("scale", .int(2)),
          ]))
    }
  }

  @Test func theDefaultsOfTheSDKAreOn255() throws {
    let reader = try read("branding/AWSDKDefaultSettings.plist")
    #expect(reader.dialect == .sdkDefaults)
    #expect(reader.report.failure == nil)
    #expect(reader.brand.color("PrimaryHighlight") == Color(red8: 0, green8: 100, blue8: 160))
    #expect(reader.brand.color("Toolbar") == Color(red8: 12, green8: 38, blue8: 64))
    #expect(reader.images.count == 8)
    let shapes = reader.images.filter { $0.name == "background" }.map { $0.variant(.image("x"))["aspect"] }
    #expect(Set(shapes.map { $0?.brief ?? "" }) == ["\"3:2\"", "\"4:3\"", "\"3:4\"", "\"16:9\""])
    // A component of 1 is one of 255 here, since the dialect says so.
    let dark = BrandReader(
      propertyList: try Value(
        json: JSON.parse(
          "{\"Branding\": {\"EnableBranding\": false, \"Colors\": {\"Toolbar\": {\"Red\": 1, \"Green\": 1, \"Blue\": 0}}}}"
            .bytes)))
    #expect(dark.brand.color("Toolbar") == Color(red8: 1, green8: 1, blue8: 0))
    #expect(!dark.brand.isEnabled)
  }

  @Test func variantsTellTheirColorsURLsAndNames() throws {
    let wire = try read("variants/Wire-Info.plist")
    #expect(wire.dialect == .characterVariants)
    #expect(wire.report.failure == nil)
    #expect(wire.brand["name"] == .string("The Wire Character Viewer"))
    #expect(wire.brand["identifier"] == .string("com.sample.wireviewer"))
    #expect(wire.brand["option.AnimateLoadingImage"] == .bool(false))
    #expect(wire.brand["file.logoImageName"] == .string("logoWire"))
    #expect(wire.brand["url.logoImage"] == .url("https://assets.example/wire/logo.png"))
    #expect(wire.brand.color("font") == Color(red8: 240, green8: 240, blue8: 240))
    #expect(wire.brand.parts("color.").count == 5)
    let simpsons = try read("variants/Simpsons-Info.plist")
    #expect(simpsons.brand["option.AnimateLoadingImage"] == .bool(true))
    #expect(simpsons.brand.color("detailBackgroundDark") == Color(red8: 0, green8: 100, blue8: 160))
    // What was told in another way is said.
    #expect(items(simpsons, "converted").count == 6)
  }

  @Test func componentsComeInAnyLetterCaseTypeAndScale() {
    let same = Color(red8: 12, green8: 38, blue8: 64)
    for components in [
      #"{"red": 12, "green": 38, "blue": 64}"#, #"{"RED": 12.0, "Green": "38", "bLuE": " 64 ", "Alpha": 255}"#,
      #"{"red": "12", "green": "38.0", "blue": "6.4e1", "alpha": "255"}"#, "\"rgb(12 38 64)\"", "\"#0c2640\"",
    ] {
      #expect(color(components).brand.color("Toolbar") == same, "\(components)")
    }
    let small = color(#"{"red": 1, "green": "0.5", "blue": 0, "alpha": 0.25}"#).brand.color("Toolbar")
    #expect(small == Color(red: 1, green: 0.5, blue: 0, alpha: 0.25))
    #expect(color(#"{"red": 1, "green": 1, "blue": 1}"#).brand.color("Toolbar") == .white)
    #expect(color(#"{"red": 1.5, "green": 0, "blue": 0}"#).brand.color("Toolbar")?.red == 1.5 / 255)
  }

  @Test func alphaBesideComponentsOf255IsAShareUpTo1() throws {
    for (alpha, expected) in [
      ("1.0", Float(1)), ("1", 1), ("\"1\"", 1), ("0.5", 0.5), ("0", 0), ("255", 1), ("51", 0.2),
    ] {
      let reader = color("{\"red\": 12, \"green\": 38, \"blue\": 64, \"alpha\": \(alpha)}")
      #expect(reader.brand.color("Toolbar")?.alpha == expected, "\(alpha)")
      #expect(reader.brand.color("Toolbar")?.green == Float(38) / 255)
    }
    #expect(color("{\"red\": 0, \"green\": 0, \"blue\": 0, \"alpha\": 255}").brand.color("Toolbar") == .black)
    let reader = BrandReader(
      propertyList: try Value(
        json: JSON.parse(
          "{\"Branding\": {\"Colors\": {\"Toolbar\": {\"Red\": 1, \"Green\": 0, \"Blue\": 0, \"Alpha\": 1}}}}".bytes)))
    #expect(reader.brand.color("Toolbar") == Color(red8: 1, green8: 0, blue8: 0))
  }

  @Test func theInnermostSwitchCountsWhereverItStands() throws {
    let colors = "\"Toolbar\": {\"Red\": 1, \"Green\": 2, \"Blue\": 3}"
    for (text, isEnabled, ignored) in [
      ("{\"Branding\": {\"Colors\": {\(colors), \"EnableBranding\": false}}}", false, 0),
      ("{\"EnableBranding\": false, \"Branding\": {\"Colors\": {\(colors)}}}", false, 0),
      ("{\"Branding\": {\"Colors\": {\"EnableBranding\": true, \(colors)}, \"EnableBranding\": false}}", true, 1),
      ("{\"Branding\": {\"EnableBranding\": false, \"Colors\": {\(colors)}}, \"EnableBranding\": true}", false, 1),
      ("{\"EnableBranding\": \"NO\", \"Colors\": {\(colors)}}", false, 0),
    ] {
      let reader = BrandReader(propertyList: try Value(json: JSON.parse(text.bytes)))
      #expect(reader.report.failure == nil, "\(text)")
      #expect(reader.brand.isEnabled == isEnabled, "\(text)")
      #expect(reader.brand.color("Toolbar") != nil)
      #expect(items(reader, "ignored").count == ignored, "\(text)")
    }
    let reader = try read("branding/EnableInColors.plist")
    #expect(reader.report.failure == nil)
    #expect(!reader.brand.isEnabled)
    #expect(reader.brand.color("Toolbar") == Color(red8: 12, green8: 38, blue8: 64))
  }

  @Test func variablesOfTheBuildAreNoNames() throws {
    let reader = BrandReader(
      propertyList: try Value(
        json: JSON.parse(
          #"""
          {"CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)", "CFBundleDisplayName": "${PRODUCT_NAME}", "CFBundleName": "Cost $5",
           "CharacterVariantsConfiguration": {"ColorSRGB255": {"font": {"red": "1", "green": "2", "blue": "3"}}}}
          """#.bytes)))
    #expect(reader.report.failure == nil)
    #expect(reader.brand["identifier"] == nil)
    #expect(reader.brand["name"] == .string("Cost $5"))
    #expect(
      items(reader, "ignored").map { $0["path"] } == [.string("/CFBundleIdentifier"), .string("/CFBundleDisplayName")])
  }

  @Test func aColorBeyondSRGBIsCutAndTold() {
    let beyond = color("\"color(display-p3 0 1 0)\"")
    #expect(beyond.brand.color("Toolbar")?.formatted() == "#00FF00")
    func told(_ reader: BrandReader) -> String { items(reader, "converted").first?["message"]?.json() ?? "" }
    #expect(told(beyond).contains("is cut by up to 51.2 % of a component"), "\(told(beyond))")
    #expect(told(color("\"lab(50% 0 0)\"")) == "\"\\\"lab(50% 0 0)\\\" is read as #777777\"")
  }

  @Test func aNameWithoutExtensionStandsForFilesOfScalesAndDevices() {
    func files(_ name: String, _ key: String = "BackgroundImage_4_3") -> [[String]] {
      BrandReader(propertyList: .object([.init(key, .string(name))])).images.flatMap { $0.alternatives }.map { part in
        part.map { option in
          guard case .object(let members) = option.variant(.image("x")) else { return "" }
          let qualities = members.filter { $0.key != "image" && $0.key != "aspect" }.map { "\($0.value.brief)" }
          return ([option.reference] + qualities).joined(separator: " ")
        }
      }
    }
    #expect(files("a.png").isEmpty && files("b/").isEmpty)
    #expect(files("x.y/Logo@2x") == [["x.y/Logo@2x.png"]])
    #expect(
      files("Logo") == [
        ["Logo.png"], ["Logo@2x.png 2"], ["Logo@3x.png 3"], ["Logo~ipad.png \"tablet\""],
        ["Logo@2x~ipad.png \"tablet\" 2"], ["Logo@3x~ipad.png \"tablet\" 3"], ["Logo~iphone.png \"phone\""],
        ["Logo@2x~iphone.png \"phone\" 2"], ["Logo@3x~iphone.png \"phone\" 3"],
      ])
    let options = files("Logo", "SecondaryiPad2X")
    #expect(
      options.map { $0.prefix(4).map { String($0.prefix { $0 != " " }) } } == [
        ["Logo@2x~ipad.png", "Logo@2x.png", "Logo~ipad.png", "Logo.png"]
      ])
  }

  @Test func badColorsAreRefusedWithTheirPath() {
    for (components, expected) in [
      (#"{"red": 1, "green": 1}"#, "/Toolbar missing-component"),
      (#"{"red": 256, "green": 1, "blue": 1}"#, "/Toolbar out-of-range"),
      (#"{"red": -0.1, "green": 1, "blue": 1}"#, "/Toolbar out-of-range"),
      (#"{"red": 1e300, "green": 1, "blue": 1}"#, "/Toolbar out-of-range"),
      (#"{"red": true, "green": 1, "blue": 1}"#, "/Toolbar/red wrong-type"),
      (#"{"red": "much", "green": 1, "blue": 1}"#, "/Toolbar/red wrong-type"),
      (#"{"red": [1], "green": 1, "blue": 1}"#, "/Toolbar/red wrong-type"),
      (#"{"red": 1, "Red": 1, "green": 1, "blue": 1}"#, "/Toolbar/Red twice"),
      (#"[1, 2, 3]"#, "/Toolbar wrong-type"), (#"5"#, "/Toolbar wrong-type"), (#""reddish""#, "/Toolbar wrong-type"),
      (#"{}"#, "/Toolbar missing-component"),
    ] {
      let reader = color(components)
      #expect(codes(reader).first == expected, "\(components)")
      #expect(reader.report.failure?.code == .invalidValue)
      #expect(reader.brand.values.isEmpty)
    }
  }

  @Test func namesThatLeadOutOfTheBundleAreRefused() throws {
    for bad in [
      "../x.png", "/etc/passwd", "a/../../x.png", "a/..", "..", "..\\x.png", "~/x.png", "~root/x", "file:///etc/passwd",
      "C:\\x.png", "a\u{1}b",
    ] {
      let reader = BrandReader(propertyList: .object([.init("PrimaryiPad", .string(bad))]))
      #expect(reader.report.failure?.code == .invalidValue, "\(bad)")
      #expect(reader.images.isEmpty)
    }
    for good in ["x.png", "images/x.png", "..x.png", "a..b/x.png", "https://a.example/../x.png"] {
      let reader = BrandReader(propertyList: .object([.init("PrimaryiPad", .string(good))]))
      #expect(reader.report.failure == nil, "\(good)")
      #expect(reader.images.map { $0.reference } == [good])
    }
  }

  @Test func whatSaysNothingAboutBrandingIsRefused() throws {
    for bad in [Value.object([]), .object([.init("CFBundleName", .string("x"))]), .list([]), .string("x")] {
      let reader = BrandReader(propertyList: bad)
      #expect(reader.report.failure != nil)
      #expect(reader.brand.values.isEmpty)
    }
    let wrong = BrandReader(propertyList: .object([.init("Branding", .string("x"))]))
    #expect(codes(wrong) == ["/Branding wrong-type"])
    let unknown = BrandReader(
      propertyList: .object([
        .init("branding", .object([.init("Kolors", .int(1)), .init("EnableBranding", .string("NO"))]))
      ]))
    #expect(unknown.report.failure == nil)
    #expect(!unknown.brand.isEnabled)
    #expect(items(unknown, "ignored").count == 1)
  }

  @Test func aConsolePayloadSetsColorsAndURLsPerDeviceClass() throws {
    let payload = try Value(
      json: JSON.parse(
        ##"""
        {"enabled": "1", "colors": {"toolbar": "#123456", "PrimaryText": {"red": 255, "green": 255, "blue": 255}, "Accent": "hsl(120 100% 25%)"},
         "images": {"logo": {"phone": "https://a.example/p.png", "Tablet@2x": "https://a.example/t2.png", "any": "https://a.example/a.png"},
                    "background": "https://a.example/bg.png"},
         "urls": {"help": "https://a.example/help"}, "options": {"UsePrimaryImage": false}, "else": 1}
        """##.bytes))
    let reader = BrandReader(console: payload)
    #expect(reader.report.failure == nil)
    #expect(reader.brand.color("Toolbar")?.formatted() == "#123456")
    #expect(reader.brand.color("Accent")?.formatted() == "#008000")
    #expect(reader.images.count == 4)
    #expect(reader.brand["option.UsePrimaryImage"] == .bool(false))
    #expect(items(reader, "ignored").count == 1)
    for (bad, code) in [
      (#"{"images": {"logo": {"fridge": "https://a.example"}}}"#, "/images/logo/fridge wrong-type"),
      (#"{"images": {"logo": {"phone": "logo.png"}}}"#, "/images/logo/phone invalid-url"),
      (#"{"urls": {"help": "help"}}"#, "/urls/help invalid-url"), (#"{"colors": 5}"#, "/colors wrong-type"),
      (#"{"enabled": "perhaps"}"#, "/enabled wrong-type"), (#"[]"#, " wrong-type"),
    ] {
      let reader = BrandReader(console: try Value(json: JSON.parse(bad.bytes)))
      #expect(codes(reader) == [code], "\(bad)")
    }
  }

  @Test func hugeDocumentsAreReportedInBounds() throws {
    var members: [Value.Member] = []
    for number in 0..<5_000 {
      members.append(
        .init("color\(number)", .object([.init("red", .int(1)), .init("green", .int(2)), .init("blue", .int(3))])))
    }
    let reader = BrandReader(propertyList: .object(members))
    #expect(reader.brand.values.count == 1000)
    #expect(reader.report.failure?.code == .invalidValue)
    #expect(items(reader, "read").count == 1000)
    #expect(items(reader, "problems").count == 1000)
  }
}

import LiveryCore
import Testing

/// What a brand has to have, as its own document calls it, and names that are not quite those of roles.
@Suite struct BrandPartTests {
  private func read(_ file: String) throws -> BrandReader {
    BrandReader(propertyList: try PropertyList.parse(fixture(file)))
  }

  /// The brand of a list whose images all are URLs, which no store has to hold.
  private func whole(_ file: String, without keys: [String] = []) throws -> Brand {
    var reader = BrandReader(propertyList: Self.without(keys, try PropertyList.parse(fixture(file))))
    for name in ["background", "logo", "splash", "loading"] {
      let variants = reader.images.filter { $0.name == name }.map { $0.variant(.url("https://a.example/i.png")) }
      if !variants.isEmpty { reader.keepImage(name, .list(variants), at: "") }
    }
    return reader.brand
  }

  private static func without(_ keys: [String], _ value: Value) -> Value {
    guard case .object(let members) = value else { return value }
    return .object(members.filter { !keys.contains($0.key) }.map { .init($0.key, without(keys, $0.value)) })
  }

  private func findings(_ brand: Brand) -> [Value] {
    guard case .list(let found)? = BrandCheck(brand, images: []).report["findings"] else { return [] }
    return found
  }

  private func messages(_ brand: Brand) -> [String] {
    findings(brand).map { item in
      guard case .string(let text)? = item["message"] else { return "" }
      return text
    }
  }

  @Test func aCompleteDocumentOfEachDialectPasses() throws {
    for file in ["branding/skin.plist", "branding/AWSDKDefaultSettings.plist", "variants/Wire-Info.plist"] {
      #expect(messages(try whole(file)) == [], "\(file)")
    }
  }

  @Test func whatADocumentLacksIsToldByItsOwnKeys() throws {
    for (file, key, message) in [
      ("branding/skin.plist", "SecondaryiPad2X", "skin.plist has no SecondaryiPad2X"),
      ("branding/skin.plist", "PrimaryiPhone5", "skin.plist has no PrimaryiPhone5"),
      ("branding/skin.plist", "UseSecondaryImage", "skin.plist has no UseSecondaryImage"),
      ("branding/skin.plist", "SecondaryText", "skin.plist has no SecondaryText"),
      (
        "branding/AWSDKDefaultSettings.plist", "BackgroundImage_3_4",
        "AWSDKDefaultSettings.plist has no BackgroundImage_3_4"
      ),
      ("branding/AWSDKDefaultSettings.plist", "AppLogo_2x", "AWSDKDefaultSettings.plist has no AppLogo_2x"),
      ("branding/AWSDKDefaultSettings.plist", "Toolbar", "AWSDKDefaultSettings.plist has no Toolbar"),
      ("variants/Wire-Info.plist", "logoImage", "the variant has no logoImage in URL"),
      ("variants/Wire-Info.plist", "font", "the variant has no font in ColorSRGB255"),
      ("variants/Wire-Info.plist", "databaseName", "the variant has no databaseName in FileSystem"),
      ("variants/Wire-Info.plist", "AnimateLoadingImage", "the variant has no AnimateLoadingImage"),
      ("variants/Wire-Info.plist", "CFBundleDisplayName", "the variant has no CFBundleDisplayName"),
    ] {
      #expect(messages(try whole(file, without: [key])) == [message], "\(key)")
    }
    // What is switched off is not missed.
    let skin = try whole("branding/skin.plist", without: ["SecondaryiPad", "SecondaryiPad2X"])
    #expect(findings(skin).map { $0["key"] } == [.string("SecondaryiPad"), .string("SecondaryiPad2X")])
    var plain = skin
    plain.set("option.UseSecondaryImage", .string("NO"))
    #expect(findings(plain).isEmpty)
    // One image for all devices is one for each.
    var covered = skin
    covered.set("image.logo", .url("https://a.example/l.png"))
    #expect(findings(covered).isEmpty)
  }

  @Test func theDialectIsKeptWithABrand() throws {
    for file in ["branding/skin.plist", "branding/AWSDKDefaultSettings.plist", "variants/Wire-Info.plist"] {
      let brand = try read(file).brand
      #expect(brand.dialect != nil)
      #expect(Brand(stored: brand.stored)?.dialect == brand.dialect)
    }
    #expect(Brand(stored: Brand().stored)?.dialect == nil)
  }

  @Test func theToolbarStandsOutFromTheTexts() throws {
    func codes(_ toolbar: String, _ primary: String, _ secondary: String) throws -> [String] {
      var brand = try whole("branding/skin.plist")
      for (name, text) in [("Toolbar", toolbar), ("PrimaryText", primary), ("SecondaryText", secondary)] {
        brand.set("color." + name, .color(try #require(Color(css: text))))
      }
      return findings(brand).map { item in
        guard case .string(let code)? = item["code"], case .string(let text)? = item["text"] else { return "" }
        return "\(code) \(text)"
      }
    }
    #expect(try codes("#0C2640", "#fff", "#333") == [])
    #expect(try codes("#333", "#fff", "#333") == ["same-as-toolbar SecondaryText"])
    #expect(try codes("#323334", "#fff", "#333") == ["same-as-toolbar SecondaryText"])
    // White on a light toolbar is no text; white on white is the toolbar itself.
    #expect(try codes("#ccc", "#fff", "#333").contains("low-contrast PrimaryText"))
    #expect(try codes("#fff", "#fff", "#333").contains("same-as-toolbar PrimaryText"))
    #expect(try !codes("#fff", "#fff", "#333").contains("low-contrast PrimaryText"))
  }

  @Test func namesThatReadLikeARoleAreKnown() {
    for (name, role) in [
      ("PrimaryColor", ColorRole.primaryHighlight), ("primaryColor", .primaryHighlight), ("Primary", .primaryHighlight),
      ("SecondaryColor", .secondaryHighlight), ("ToolbarColor", .toolbar), ("toolbar", .toolbar),
      ("ToolbarTextColor", .toolbarText), ("Primary_Text", .primaryText), ("PrimryText", .primaryText),
      ("SecondaryTetx", .secondaryText), ("PrimaryHighlightColor", .primaryHighlight),
      ("SecondaryBackground", .secondaryHighlight),
    ] {
      #expect(ColorRole.meant(by: name) == role, "\(name)")
    }
    for name in Branding.roles + ["Accent", "font", "text", "ToolbarDark", "PrimaryBorder", "listBackgroundDark", ""] {
      #expect(ColorRole.meant(by: name) == nil, "\(name)")
    }
    #expect(ColorRole.allCases.map { $0.rawValue } == Branding.roles)
  }

  @Test func aNameLikeARoleIsNotedByReaderAndCheck() throws {
    let reader = BrandReader(
      console: .object([.init("colors", .object([.init("PrimaryColor", .string("#123456"))]))]))
    #expect(reader.report.failure == nil)
    #expect(reader.brand.color("PrimaryColor") != nil)
    guard case .list(let problems)? = Value.object(reader.report.members)["problems"], let first = problems.first else {
      throw StoreError(.parse, "no problem")
    }
    #expect(first["code"] == .string("misspelled-role") && first["path"] == .string("/colors/PrimaryColor"))
    guard case .string(let text)? = first["message"] else { throw StoreError(.parse, "no message") }
    #expect(text.contains("`PrimaryHighlight`"))
    #expect(messages(reader.brand).contains { $0.contains("PrimaryColor") && $0.contains("PrimaryHighlight") })
  }

  @Test func consolesMaySpellTheirPayloadAsTheyAreUsedTo() throws {
    let payload = try Value(
      json: JSON.parse(
        ##"""
        {"EnableBranding": "NO", "Whole": 1, "replace": "yes", "PrimaryHighlight": "#0064A0", "UsePrimaryImage": "1",
         "CompanyLogo": {"iPhone": "https://a.example/1", "iPad2X": "https://a.example/2", "iPhone5": "https://a.example/3"},
         "BackgroundURL": "https://a.example/4", "SecondaryiPad2X": "https://a.example/5", "Backgrund": "x",
         "CompanyLogo_iPhone2X": "https://a.example/6", "Branding": {"BackgroundImage_16_9": "https://a.example/7"}}
        """##.bytes))
    let reader = BrandReader(console: payload)
    #expect(reader.report.failure == nil)
    #expect(!reader.brand.isEnabled && reader.isWhole && reader.replaces)
    #expect(reader.brand.color("PrimaryHighlight")?.formatted() == "#0064A0")
    #expect(reader.brand["option.UsePrimaryImage"] == .bool(true))
    #expect(
      reader.images.map { "\($0.name) \($0.reference.suffix(1)) \($0.qualifiers.map { "\($0.value.brief)" })" } == [
        #"logo 1 ["\"phone\"", "1"]"#, #"logo 2 ["\"tablet\"", "2"]"#, #"logo 3 ["\"phone\"", "568", "2"]"#,
        "background 4 []", #"logo 5 ["\"tablet\"", "2"]"#, #"logo 6 ["\"phone\"", "2"]"#, #"background 7 ["\"16:9\""]"#,
      ])
    guard case .list(let ignored)? = Value.object(reader.report.members)["ignored"], ignored.count == 1,
      case .string(let text)? = ignored[0]["message"]
    else { throw StoreError(.parse, "nothing is ignored") }
    #expect(text.contains("did you mean `Background`"))
  }

  @Test func aVariantHasItsImagesByNameAndByURL() throws {
    let wire = try read("variants/Wire-Info.plist")
    #expect(wire.images.map { $0.name } == ["logo", "loading"])
    #expect(wire.images.map { $0.reference } == ["logoWire", "https://assets.example/wire/loading.png"])
    #expect(wire.images[0].fallback == "https://assets.example/wire/logo.png")
    #expect(wire.images[0].path == "/CharacterVariantsConfiguration/FileSystem/logoImageName")
    let bad = BrandReader(
      propertyList: .object([
        .init(
          "CharacterVariantsConfiguration",
          .object([.init("FileSystem", .object([.init("logoImageName", .string("../x"))]))]))
      ]))
    #expect(bad.report.failure?.code == .invalidValue && bad.images.isEmpty)
  }

  @Test func colorsInPairsAreGradients() throws {
    var brand = try read("variants/Wire-Info.plist").brand
    #expect(brand.gradients == ["detailBackground", "listBackground"])
    guard case .object(let all) = Value.object(brand.description(withSwitch: false))["gradients"] else {
      throw StoreError(.parse, "no gradients")
    }
    #expect(all[1].value["light"] == .color(Color(red8: 60, green8: 60, blue8: 60)))
    brand.set("color.listBackgroundLight", nil)
    #expect(brand.gradients == ["detailBackground"])
    // Text is checked on both ends.
    var pair = Brand()
    for (name, text) in [("barText", "#fff"), ("barDark", "#000"), ("barLight", "#fff")] {
      pair.set("color." + name, .color(try #require(Color(css: text))))
    }
    #expect(messages(pair).contains { $0.hasPrefix("barText #FFFFFF on barLight") })
    #expect(!messages(pair).contains { $0.hasPrefix("barText #FFFFFF on barDark") })
  }
}

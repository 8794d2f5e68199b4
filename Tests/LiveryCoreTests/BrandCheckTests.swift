import LiveryCore
import Testing

@Suite struct BrandCheckTests {
  private func brand(_ colors: [(String, String)], images: [(String, Value)] = []) throws -> Brand {
    var brand = Brand()
    for (name, text) in colors { brand.set("color." + name, .color(try #require(Color(css: text)))) }
    for (name, value) in images { brand.set("image." + name, value) }
    return brand
  }

  private func findings(_ check: BrandCheck) -> [Value] {
    guard case .list(let findings)? = check.report["findings"] else { return [] }
    return findings
  }

  private func codes(_ check: BrandCheck) -> [String] {
    findings(check).map { item in
      guard case .string(let code)? = item["code"] else { return "" }
      return code
    }
  }

  private let whole = [
    ("Toolbar", "#0C2640"), ("ToolbarText", "#fff"), ("PrimaryHighlight", "#0064A0"), ("PrimaryText", "#fff"),
    ("SecondaryHighlight", "#46AFD2"), ("SecondaryText", "#333"),
  ]
  private let images: [(String, Value)] = [
    ("background", .url("https://a.example/b.png")), ("logo", .url("https://a.example/l.png")),
  ]

  @Test func aSoundBrandPasses() throws {
    let check = BrandCheck(try brand(whole, images: images), images: [])
    #expect(check.report["passes"] == .bool(true), "\(check.report.json())")
    guard case .list(let pairs)? = check.report["pairs"] else { throw StoreError(.parse, "no pairs") }
    #expect(pairs.count == 4)
  }

  @Test func lowContrastIsFoundWithARatioAndTheNearestPassingColor() throws {
    var colors = whole
    colors[5] = ("SecondaryText", "#5b5b5b")
    let check = BrandCheck(try brand(colors, images: images), images: [])
    let finding = try #require(findings(check).first)
    #expect(codes(check) == ["low-contrast"])
    #expect(finding["text"] == .string("SecondaryText"))
    #expect(finding["background"] == .string("SecondaryHighlight"))
    guard case .double(let ratio)? = finding["ratio"], case .color(let nearest)? = finding["nearest"] else {
      throw StoreError(.parse, "no ratio")
    }
    #expect(ratio < 4.5)
    let back = try #require(Color(css: "#46AFD2"))
    #expect(nearest.contrast(on: back) >= 4.5)
  }

  @Test func whiteLoginTextOnAWhitishBackgroundIsFound() throws {
    var colors = whole
    colors[2] = ("PrimaryHighlight", "#eee")
    colors[3] = ("PrimaryText", "#000")
    colors[0] = ("Toolbar", "#46AFD2")
    colors[1] = ("ToolbarText", "#000")
    let check = BrandCheck(try brand(colors, images: images), images: [])
    #expect(codes(check) == ["whitish-background"])
    #expect(findings(check).first?["severity"] == .string("error"))
  }

  @Test func colorsOfVariantsAreCheckedInPairs() throws {
    let colors = [("font", "#fff"), ("listBackgroundDark", "#000"), ("listBackgroundLight", "#eee")]
    let check = BrandCheck(try brand(colors, images: images), images: [])
    #expect(codes(check) == Array(repeating: "missing-role", count: 6) + ["low-contrast"])
  }

  @Test func missingImagesScalesAndSmallImagesAreFound() throws {
    let hash = String(repeating: "ab", count: 32)
    func variant(_ image: String, _ rest: [Value.Member]) -> Value { .object([.init("image", .image(image))] + rest) }
    let list = Value.list([
      variant(hash, [.init("idiom", .string("phone")), .init("scale", .int(1))]),
      variant("named.png", [.init("idiom", .string("tablet")), .init("scale", .int(2))]),
    ])
    let subject = try brand(whole, images: [("background", list)])
    let check = BrandCheck(subject, images: [])
    #expect(codes(check) == ["missing-image", "missing-asset", "missing-asset", "missing-scale"])
    #expect(findings(check)[1]["severity"] == .string("error"))
    var phone = Traits()
    phone.idiom = .phone
    phone.scale = 2
    phone.width = 320
    phone.height = 480
    let small = BrandCheck(
      subject, for: phone, images: BrandCheck.references(subject).map { StoredImage(id: $0, width: 320, height: 480) })
    #expect(codes(small) == ["missing-image", "missing-scale", "missing-scale", "image-too-small"])
    phone.idiom = .tv
    #expect(codes(BrandCheck(subject, for: phone, images: [])).last == "missing-image")
    // An image that is switched off is not missed.
    var without = try brand(whole)
    without.set("option.UsePrimaryImage", .bool(false))
    without.set("option.UseSecondaryImage", .bool(false))
    #expect(BrandCheck(without, images: []).report["passes"] == .bool(true))
  }

  /// What is kept of an image that has one luminance everywhere.
  private func legibility(ofGray luminance: Int) throws -> Legibility {
    var bytes = [UInt8](repeating: 0, count: 1988)
    bytes[0] = 1
    bytes[1] = 1
    for (place, byte) in [0x00, 0xCA, 0x9A, 0x3B].enumerated() { bytes[12 + place] = UInt8(byte) }
    for level in 0..<384 {
      bytes[20 + 2 * level] = UInt8(luminance & 0xFF)
      bytes[21 + 2 * level] = UInt8(luminance >> 8)
    }
    return try #require(Legibility(bytes))
  }

  private func check(_ legibility: Legibility?) throws -> BrandCheck {
    let id = String(repeating: "ab", count: 32)
    let subject = try brand(whole, images: [("background", .image(id)), images[1]])
    return BrandCheck(subject, images: [StoredImage(id: id, width: 4, height: 4, legibility: legibility)])
  }

  @Test func textThatIsIllegibleOnTheBackgroundImageIsFound() throws {
    let bright = try check(legibility(ofGray: 65_535))
    #expect(codes(bright) == ["illegible-image", "illegible-image"])
    let finding = try #require(findings(bright).first)
    #expect(finding["text"] == .string("PrimaryText") && finding["share"] == .double(1))
    #expect(finding["severity"] == .string("error") && finding["image"] == .string("background"))
    // White on black is legible, #333 is not.
    let dark = try check(legibility(ofGray: 0))
    #expect(findings(dark).map { $0["text"] } == [.string("SecondaryText")])
  }

  @Test func anImageThatWasNeverJudgedIsNoFault() throws {
    let unjudged = try check(nil)
    #expect(unjudged.report["passes"] == .bool(true))
    guard case .list(let notes)? = unjudged.report["notes"] else { throw StoreError(.parse, "no notes") }
    #expect(notes.count == 1 && notes[0]["code"] == .string("unjudged-image"))
    let refused = try check(Legibility([1, 0] + Array("it is damaged".utf8)))
    guard case .list(let reasons)? = refused.report["notes"], case .string(let text)? = reasons.first?["message"] else {
      throw StoreError(.parse, "no notes")
    }
    #expect(text.hasSuffix("cannot be known: it is damaged"))
    #expect(Legibility([2, 1]) == nil && Legibility([1, 1, 0]) == nil && Legibility([]) == nil)
  }
}

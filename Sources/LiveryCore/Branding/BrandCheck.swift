/// An image that the store holds.
public struct StoredImage: Sendable {
  /// Its reference.
  public var id: String
  /// In pixels; 0 if not known.
  public var width, height: Int
  /// What is kept with it for judging text on it; nil if it was never judged.
  public var legibility: Legibility?

  public init(id: String, width: Int = 0, height: Int = 0, legibility: Legibility? = nil) {
    self.id = id
    self.width = width
    self.height = height
    self.legibility = legibility
  }
}

/// Looks for what makes a brand hard to read or incomplete.
///
/// Corresponds to `livery_branding_check` in C, where the members of the report are described.
public struct BrandCheck {
  /// More colors and images than these are not looked at.
  private static let limit = 1_000

  let brand: Brand
  /// The list that the brand was read from, or that it is in effect of, if any: what it has to have is known.
  let shipped: Brand?
  let device: Traits?
  private let images: [StoredImage]
  private var findings: [Value] = []
  private var pairs: [Value] = []
  /// What could not be looked at: no fault of the brand.
  var notes: [Value] = []
  private var errors = 0

  /// - Parameters:
  ///   - shipped: the brand of the bundle that counts, with its dialect; the same brand unless several sources count.
  ///   - device: a device that images have to be large enough for; nil to look at the brand alone.
  ///   - images: those of `references` that the store holds.
  ///   - twins: what several brands have in common that tells them apart.
  public init(
    _ brand: Brand, shipped: Brand? = nil, for device: Traits? = nil, images: [StoredImage], twins: [BrandTwin] = []
  ) {
    self.brand = brand
    self.shipped = (shipped ?? brand).dialect == nil ? nil : shipped ?? brand
    self.device = device
    self.images = images
    checkRoles()
    checkContrast()
    checkLoginText()
    checkParts()
    for (name, option) in [("background", "UsePrimaryImage"), ("logo", "UseSecondaryImage")] where dialect == nil {
      if !brand.isOff(option), brand[Branding.image + name] == nil {
        report(
          "missing-image", false, "there is no image `\(name)`: the background color alone is shown",
          [.init("image", .string(name))])
      }
    }
    for image in brand.parts(Branding.image).prefix(Self.limit) { checkImage(image.key, image.value) }
    for twin in twins.prefix(Self.limit) { checkTwin(twin) }
    checkLegibility()
  }

  public var report: Value {
    .object([
      .init("passes", .bool(findings.isEmpty)), .init("errors", .int(Int64(errors))),
      .init("warnings", .int(Int64(findings.count - errors))), .init("findings", .list(findings)),
      .init("pairs", .list(pairs)), .init("notes", .list(notes)),
    ])
  }

  @inline(never)
  mutating func report(_ code: String, _ isError: Bool, _ message: String, _ rest: [Value.Member]) {
    if isError { errors += 1 }
    findings.append(
      .object(
        [
          .init("code", .string(code)), .init("severity", .string(isError ? "error" : "warning")),
          .init("message", .string(message)),
        ] + rest))
  }

  // MARK: Colors

  private mutating func checkRoles() {
    for part in brand.parts(Branding.color).prefix(Self.limit) {
      guard let role = ColorRole.meant(by: part.key) else { continue }
      report(
        "misspelled-role", false, "the color \(part.key) is none of the six roles; did you mean \(role)?",
        [.init("color", .string(part.key)), .init("role", .string(role.rawValue))])
    }
    if let dialect, !dialect.hasRoles { return }
    for role in Branding.roles where brand.color(role) == nil {
      let message = dialect.map { "\($0.document) has no \(role)" } ?? "the color \(role) is missing"
      report("missing-role", false, message, [.init("color", .string(role))])
    }
  }

  /// The colors that text in a color is shown on.
  private func backgrounds(of text: String, among names: [String]) -> [String] {
    let folded = DeviceNames.folded(text)
    var found: [String] = []
    if folded == "font".bytes || folded == "text".bytes {
      for name in names where Self.contains(DeviceNames.folded(name), "background") { found.append(name) }
    } else if folded.count > 4, folded.suffix(4).elementsEqual("text".utf8) {
      let base = folded.dropLast(4)
      for name in names {
        let other = DeviceNames.folded(name)
        guard other.starts(with: base) else { continue }
        let rest = other.dropFirst(base.count)
        if Self.isBackground(rest) || Self.isBackground(rest.dropLast(Self.gradientEnding(rest))) { found.append(name) }
      }
    }
    return found
  }

  private static func isBackground(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.isEmpty || rest.elementsEqual("highlight".utf8) || rest.elementsEqual("background".utf8)
  }

  /// How many letters say which end of a gradient a color is.
  private static func gradientEnding(_ rest: ArraySlice<UInt8>) -> Int {
    for word in ["dark", "light"]
    where rest.count >= word.utf8.count && rest.suffix(word.utf8.count).elementsEqual(word.utf8) {
      return word.utf8.count
    }
    return 0
  }

  private static func contains(_ text: [UInt8], _ word: String) -> Bool {
    for start in text.indices where text[start...].starts(with: word.utf8) { return true }
    return false
  }

  private mutating func checkContrast() {
    var names: [String] = []
    for part in brand.parts(Branding.color).prefix(Self.limit) { names.append(part.key) }
    for text in names {
      for background in backgrounds(of: text, among: names) {
        guard let front = brand.color(text), let back = brand.color(background) else { continue }
        checkPair(text, front, background, back)
      }
    }
    checkToolbar()
  }

  mutating func checkPair(_ text: String, _ front: Color, _ background: String, _ back: Color) {
    let ratio = front.contrast(on: back)
    var facts: [Value.Member] = [
      .init("text", .string(text)), .init("background", .string(background)), .init("ratio", .double(ratio)),
    ]
    let passesLarge = ratio >= Contrast.largeText
    pairs.append(
      .object(
        facts + [
          .init("textColor", .color(front)), .init("backgroundColor", .color(back)),
          .init("passes", .bool(ratio >= Contrast.text)), .init("passesLarge", .bool(passesLarge)),
        ]))
    guard ratio < Contrast.text, !coincides(text, background, ratio) else { return }
    facts.append(.init("required", .double(Contrast.text)))
    var advice = ""
    if let nearest = front.nearest(withContrast: Contrast.text, to: back) {
      facts.append(.init("nearest", .color(nearest)))
      advice = "; the nearest color that is enough is \(nearest.formatted())"
    }
    report(
      "low-contrast", !passesLarge,
      "\(text) \(front.formatted()) on \(background) \(back.formatted()) has a contrast of \(Self.shown(ratio)), "
        + (passesLarge ? "enough for large text alone" : "less than the 3 of large text") + advice, facts)
  }

  /// A contrast for people: cut rather than rounded, so that 4.499 does not read as enough.
  static func shown(_ ratio: Double) -> String {
    Color.decimal((ratio * 100).rounded(.down) / 100)
  }

  /// The login screen writes in white on the background of all screens, whatever the brand says.
  private mutating func checkLoginText() {
    guard let back = brand.color("PrimaryHighlight") else { return }
    let ratio = Color.white.contrast(on: back)
    guard ratio < Contrast.text else { return }
    var facts: [Value.Member] = [
      .init("text", .string("white")), .init("background", .string("PrimaryHighlight")),
      .init("ratio", .double(ratio)), .init("required", .double(Contrast.text)),
    ]
    var advice = ""
    if let nearest = back.nearest(withContrast: Contrast.text, to: .white) {
      facts.append(.init("nearest", .color(nearest)))
      advice = "; the nearest background that is enough is \(nearest.formatted())"
    }
    report(
      "whitish-background", ratio < Contrast.largeText,
      "login text is always white, and on PrimaryHighlight \(back.formatted()) it has a contrast of "
        + "\(Self.shown(ratio))\(advice)", facts)
  }

  // MARK: Images

  /// What the images of a brand refer to, as far as they are well-formed.
  public static func references(_ brand: Brand) -> [String] {
    var found: [String] = []
    for image in brand.parts(Branding.image).prefix(limit) {
      for variant in (try? ImageVariant.all(image.value)) ?? [] { found.append(variant.reference) }
    }
    return found
  }

  func stored(_ reference: String) -> StoredImage? {
    for image in images where image.id.sameBytes(as: reference) { return image }
    return nil
  }

  private mutating func checkImage(_ name: String, _ value: Value) {
    let variants: [ImageVariant]
    do throws(StoreError) { variants = try ImageVariant.all(value) } catch {
      return report(
        "bad-image", true, "the image `\(name)` is malformed: \(error.message)", [.init("image", .string(name))])
    }
    for variant in variants {
      let isRemote = isAbsoluteURL(variant.reference)
      if !isRemote, stored(variant.reference) == nil {
        report(
          "missing-asset", Self.isAsset(variant.reference),
          "the image `\(name)` refers to \(Value.image(variant.reference).brief), which the store does not hold",
          [.init("image", .string(name)), .init("variant", variant.value)])
      }
    }
    // What scales a list has is told by its keys.
    if dialect?.names(name) != true { checkScales(name, variants) }
    checkSize(name, variants)
  }

  public static func isAsset(_ reference: String) -> Bool {
    reference.utf8.count == 64 && Hexadecimal.holds(reference)
  }

  /// Of variants that come in scales there should be one for sharp screens.
  private mutating func checkScales(_ name: String, _ variants: [ImageVariant]) {
    var groups = ByteIndex()
    var largest: [Double] = []
    var first: [Int] = []
    for (place, variant) in variants.enumerated() where variant.has(.scale) {
      let (group, isNew) = groups.insert(variant.group)
      if isNew {
        largest.append(0)
        first.append(place)
      }
      largest[group] = max(largest[group], variant[.scale])
    }
    for (group, scale) in largest.enumerated() where scale < 2 {
      report(
        "missing-scale", false, "the image `\(name)` has a variant of scale \(Color.decimal(scale)) and none of 2",
        [.init("image", .string(name)), .init("variant", variants[first[group]].value)])
    }
  }

  /// A background has as many pixels as the screen: the device's, or the one that the variant names.
  private mutating func checkSize(_ name: String, _ variants: [ImageVariant]) {
    guard name.sameBytes(as: "background") || name.sameBytes(as: "splash") else { return }
    if let device {
      guard let winner = VariantMatch(variants, device).winner else {
        return report(
          "missing-image", false, "the image `\(name)` has no variant for the device", [.init("image", .string(name))])
      }
      let variant = variants[winner]
      let wanted = device.scale > 0 ? device.scale : 1
      if variant.has(.scale), variant[.scale] < wanted {
        report(
          "missing-scale", false,
          "the image `\(name)` has no variant of scale \(Color.decimal(wanted)) for the device",
          [.init("image", .string(name)), .init("variant", variant.value)])
      }
      guard let found = stored(variant.reference), device.hasSize, found.width > 0, found.height > 0,
        name.sameBytes(as: "background")
      else { return }
      let width = device.width * wanted
      let height = device.height * wanted
      guard Double(found.width) < width, Double(found.height) < height else { return }
      tooSmall(name, variant, found, "the device has \(Color.decimal(width)) × \(Color.decimal(height))")
    } else {
      for variant in variants where variant.has(.longest) {
        let wanted = variant[.longest] * (variant.has(.scale) ? variant[.scale] : 1)
        guard let found = stored(variant.reference), found.width > 0, Double(max(found.width, found.height)) < wanted
        else { continue }
        tooSmall(name, variant, found, "the longer side has to have \(Color.decimal(wanted))")
      }
    }
  }

  private mutating func tooSmall(_ name: String, _ variant: ImageVariant, _ found: StoredImage, _ wanted: String) {
    report(
      "image-too-small", false,
      "the image `\(name)` has \(found.width) × \(found.height) pixels, and \(wanted)",
      [
        .init("image", .string(name)), .init("variant", variant.value), .init("pixelWidth", .int(Int64(found.width))),
        .init("pixelHeight", .int(Int64(found.height))),
      ])
  }
}

extension ImageVariant {
  /// What the variants that differ in scale alone have in common.
  fileprivate var group: [UInt8] {
    var qualifiers: [Value.Member] = []
    for qualifier in Qualifier.allCases where qualifier != .scale {
      if let found = value[qualifier.description] { qualifiers.append(.init(qualifier.description, found)) }
    }
    return CBOR.encode(.object(qualifiers))
  }
}

/// Something that tells brands apart and that two of them have in common.
public struct BrandTwin: Sendable {
  public var brand: String
  public var other: String
  /// `name`, `identifier` or `url.NAME`.
  public var part: String
  public var value: String

  public init(brand: String, other: String, part: String, value: String) {
    self.brand = brand
    self.other = other
    self.part = part
    self.value = value
  }

  /// `same-name`, `same-identifier` or `same-url`.
  public var code: String { Branding.has(Branding.url, part) ? "same-url" : "same-" + part }

  public var message: String {
    let url = String(decoding: part.utf8.dropFirst(Branding.url.utf8.count), as: UTF8.self)
    let what = Branding.has(Branding.url, part) ? "URL `\(truncated(url, to: 80))`" : part
    return "the brands `\(truncated(brand, to: 80))` and `\(truncated(other, to: 80))` have the same \(what), "
      + Value.string(value).brief
  }
}

// What a document of the brand's dialect has to have, and what brands have in common.

extension BrandCheck {
  var dialect: BrandReader.Dialect? { shipped?.dialect }

  /// What the brand's own document lacks, by the document's keys.
  mutating func checkParts() {
    guard let shipped, let dialect else { return }
    for key in dialect.images {
      guard let (image, qualifiers) = DeviceNames.image(key) else { continue }
      if let option = Branding.switchOf(image), brand.isOff(option) { continue }
      if shipped.covers(image, qualifiers) { continue }
      report(
        "missing-part", false, "\(dialect.document) has no \(key)",
        [.init("key", .string(key)), .init("image", .string(image))])
    }
    for (section, key, kept) in dialect.parts where !shipped.hasAny(kept) {
      let place = section.isEmpty ? "" : " in \(section)"
      report(
        "missing-part", false, "\(dialect.document) has no \(key)\(place)",
        [.init("key", .string(key)), .init("setting", .string(Branding.prefix + kept))])
    }
  }

  /// Whether a text and the toolbar cannot be told apart, which is a finding of its own.
  func coincides(_ text: String, _ background: String, _ ratio: Double) -> Bool {
    guard ratio < Contrast.visible, background.sameBytes(as: ColorRole.toolbar.rawValue) else { return false }
    return !text.sameBytes(as: ColorRole.toolbarText.rawValue)
  }

  /// The toolbar stands out from text: that of the primary screens is seen on it, and that of the others beside it.
  mutating func checkToolbar() {
    let toolbar = ColorRole.toolbar.rawValue
    guard let back = brand.color(toolbar) else { return }
    for role in [ColorRole.primaryText, .secondaryText] {
      guard let front = brand.color(role.rawValue) else { continue }
      if role == .primaryText { checkPair(role.rawValue, front, toolbar, back) }
      let ratio = front.contrast(on: back)
      guard coincides(role.rawValue, toolbar, ratio) else { continue }
      var facts: [Value.Member] = [
        .init("text", .string(role.rawValue)), .init("background", .string(toolbar)), .init("ratio", .double(ratio)),
        .init("required", .double(Contrast.text)),
      ]
      var advice = ""
      if let nearest = back.nearest(withContrast: Contrast.text, to: front) {
        facts.append(.init("nearest", .color(nearest)))
        advice = "; the nearest toolbar that is enough is \(nearest.formatted())"
      }
      report(
        "same-as-toolbar", true,
        "\(role) \(front.formatted()) and Toolbar \(back.formatted()) cannot be told apart: a contrast of "
          + "\(Self.shown(ratio))\(advice)", facts)
    }
  }

  mutating func checkTwin(_ twin: BrandTwin) {
    report(
      twin.code, false, twin.message,
      [
        .init("brand", .string(twin.brand)), .init("other", .string(twin.other)),
        .init("setting", .string(Branding.prefix + twin.part)),
      ])
  }
}

import Livery

/// The images of a brand for a page, each of them embedded once however often it is shown.
struct BrandGallery {
  struct Image {
    let name: String
    /// The class that shows it; "" if there is nothing to show.
    let style: String
    let isRemote: Bool
    let qualifiers: [String]
    let facts: String
  }

  /// All variants of all images.
  private(set) var images: [Image] = []
  /// The classes that the images' bytes are in.
  private(set) var styles = ""
  private var variants: [(name: String, all: [ImageVariant])] = []
  private var known = ByteIndex()
  private var facts: [String] = []
  private var isEmbedded: [Bool] = []

  init(_ value: Value?, load: (String) -> (asset: Asset, bytes: [UInt8])?) {
    guard case .object(let members)? = value else { return }
    for member in members {
      guard let all = try? ImageVariant.all(member.value) else { continue }
      variants.append((member.key, all))
      for variant in all {
        embed(variant.reference, load)
        images.append(image(member.key, variant))
      }
    }
  }

  /// The class of what an image looks like on a device; nil if there is nothing to show.
  func shown(_ name: String, on device: BrandDevice) -> String? {
    for (key, all) in variants where key.sameBytes(as: name) {
      guard let winner = VariantMatch(all, device.traits).winner else { return nil }
      let style = style(all[winner].reference)
      return style.isEmpty ? nil : style
    }
    return nil
  }

  func looksAlike(on one: BrandDevice, and other: BrandDevice) -> Bool {
    for (name, _) in variants where shown(name, on: one) != shown(name, on: other) { return false }
    return true
  }

  private mutating func embed(_ reference: String, _ load: (String) -> (asset: Asset, bytes: [UInt8])?) {
    let (number, isNew) = known.insert(reference)
    guard isNew else { return }
    isEmbedded.append(false)
    facts.append("")
    guard let (asset, bytes) = load(reference) else { return }
    let type = asset.facts.type.description
    var told = asset.facts.width > 0 ? "\(asset.facts.width) × \(asset.facts.height) · " : ""
    told += "\(type) · \(bytes.count < 2048 ? "\(bytes.count) bytes" : "\((bytes.count + 512) / 1024) KiB")"
    facts[number] = told
    guard asset.facts.type != .data else { return }
    isEmbedded[number] = true
    styles += ".a\(number){background-image:url(\"data:\(type);base64,\(Base64.encode(bytes))\")}\n"
  }

  private func style(_ reference: String) -> String {
    guard let number = known.number(of: reference), isEmbedded[number] else { return "" }
    return "a\(number)"
  }

  private func image(_ name: String, _ variant: ImageVariant) -> Image {
    var qualifiers: [String] = []
    for qualifier in Qualifier.allCases {
      guard let value = variant.value[qualifier.description] else { continue }
      switch qualifier {
      case .scale: qualifiers.append("\(value.plain)×")
      case .width, .height, .longest: qualifiers.append("\(qualifier) ≥ \(value.plain)")
      default: qualifiers.append(value.plain)
      }
    }
    let told = known.number(of: variant.reference).map { facts[$0] } ?? ""
    return Image(
      name: name, style: style(variant.reference), isRemote: isAbsoluteURL(variant.reference), qualifiers: qualifiers,
      facts: told.isEmpty ? truncated(variant.reference, to: 120) : told)
  }
}

/// A device that a brand is shown on.
struct BrandDevice: Sendable {
  let title: String
  let style: String
  let traits: Traits
  /// Index in `all` of the same device in the light.
  private let light: Int?

  private init(
    _ title: String, _ style: String, _ idiom: Traits.Idiom, _ width: Double, _ height: Double, scale: Double,
    isDark: Bool = false, light: Int? = nil
  ) {
    self.title = title
    self.style = style
    self.light = light
    var traits = Traits()
    traits.idiom = idiom
    traits.width = width
    traits.height = height
    traits.scale = scale
    traits.appearance = isDark ? .dark : .light
    self.traits = traits
  }

  static let phone = BrandDevice("Phone", "phone", .phone, 390, 844, scale: 3)
  static let all = [
    phone, BrandDevice("Phone, dark", "phone", .phone, 390, 844, scale: 3, isDark: true, light: 0),
    BrandDevice("Tablet", "tablet", .tablet, 1080, 810, scale: 2),
    BrandDevice("Tablet, dark", "tablet", .tablet, 1080, 810, scale: 2, isDark: true, light: 2),
    BrandDevice("TV", "tv", .tv, 1920, 1080, scale: 1),
  ]

  var counterpart: BrandDevice? { light.map { Self.all[$0] } }

  /// The device with a screen of the brand.
  ///
  /// - Parameter css: a color of the brand by its role, else another one.
  func outline(background: String?, logo: String?, css: (String, String) -> String) -> String {
    let paper = css("PrimaryHighlight", "#ffffff")
    let ink = css("PrimaryText", "#1a1a1a")
    var html = "<figure class=\"device \(style)\"><div class=\"shell\"><div class=\"screen\" "
    html += "style=\"background-color:\(paper);color:\(ink)\">\n"
    if let background { html += "<div class=\"fit fill \(background)\"></div>\n" }
    html +=
      "<div class=\"bar\" style=\"background:\(css("Toolbar", "#f2f2f2"));color:\(css("ToolbarText", "#1a1a1a"))\">"
    html += "<span>‹ Back</span><b>Title</b><span>Done</span></div>\n<div class=\"content\">\n"
    if let logo { html += "<div class=\"fit logo \(logo)\"></div>\n" }
    html += "<b class=\"heading\">Welcome</b><span>Text in PrimaryText</span>\n"
    let card = "background:\(css("SecondaryHighlight", "transparent"));color:\(css("SecondaryText", "inherit"))"
    html += "<div class=\"card\" style=\"\(card)\"><b>Continue</b><span>SecondaryText</span></div>\n"
    return html + "</div></div></div>\n<figcaption>\(title)</figcaption></figure>\n"
  }
}

import LiveryClient
import LiveryHTTP

/// A device that a brand is shown on, and its outline with a screen of the brand.
struct BrandDevice: Sendable {
  let title: Word
  let traits: Traits

  private init(_ title: Word, _ idiom: Traits.Idiom, isDark: Bool, scale: Double? = nil) {
    self.title = title
    var traits = Traits()
    traits.idiom = idiom
    traits.isDark = isDark
    switch idiom {
    case .phone: (traits.width, traits.height, traits.scale) = (390, 844, 3)
    case .tablet: (traits.width, traits.height, traits.scale) = (1080, 810, 2)
    case .tv: (traits.width, traits.height, traits.scale) = (1920, 1080, 1)
    case .desktop: (traits.width, traits.height, traits.scale) = (1440, 900, 1)
    case .watch: (traits.width, traits.height, traits.scale) = (198, 242, 2)
    }
    if let scale { traits.scale = scale }
    self.traits = traits
  }

  /// In the dark only where the brand then looks otherwise: each comes after the same device in the light.
  static let all = [
    BrandDevice(.phone, .phone, isDark: false), BrandDevice(.phone, .phone, isDark: true),
    BrandDevice(.tablet, .tablet, isDark: false), BrandDevice(.tablet, .tablet, isDark: true),
    BrandDevice(.tv, .tv, isDark: false),
  ]

  static let phone = all[0]

  /// The kinds as they are asked for.
  static let kinds: [(text: String, title: Word, idiom: Traits.Idiom)] = [
    ("phone", .phone, .phone), ("tablet", .tablet, .tablet), ("tv", .tv, .tv), ("desktop", .desktop, .desktop),
    ("watch", .watch, .watch),
  ]

  /// The one that a request asks for; nil if it asks for none.
  static func asked(_ query: Fields) -> BrandDevice? {
    guard let text = query["idiom"], let kind = kinds.first(where: { $0.text.sameBytes(as: text) }) else { return nil }
    let scale = query["scale"].flatMap { Int($0) }.flatMap { (1...4).contains($0) ? Double($0) : nil }
    return BrandDevice(
      kind.title, kind.idiom, isDark: query["appearance"]?.sameBytes(as: "dark") ?? false, scale: scale)
  }

  /// The screen as it is drawn, and the size of its text.
  private var screen: (width: Int, height: Int, text: Int) {
    switch traits.idiom {
    case .tablet?: (360, 270, 12)
    case .tv?: (480, 270, 13)
    case .desktop?: (432, 270, 12)
    case .watch?: (120, 146, 8)
    default: (195, 422, 11)
    }
  }

  /// - Parameters:
  ///   - colors: those of the brand.
  ///   - background, logo: the numbers of the symbols that are shown.
  func outline(_ words: Words, _ colors: Value, background: Int?, logo: Int?) -> HTML {
    func color(_ role: String, _ other: String) -> String { colors[role]?.plain ?? other }
    let (width, height, text) = screen
    let middle = width / 2
    let bar = 3 * text
    let name = words[title] + (traits.isDark == true ? ", " + words[.dark] : "")
    let (toolbar, toolbarText) = (color("Toolbar", "#f2f2f2"), color("ToolbarText", "#1a1a1a"))
    let (paper, ink) = (color("PrimaryHighlight", "#ffffff"), color("PrimaryText", "#1a1a1a"))
    var html: HTML = """
      <figure class="device"><svg width="\(width + 20)" viewBox="0 0 \(width + 20) \(height + 20)" role="img" aria-label="\(name)">\
      <rect class="shell" width="\(width + 20)" height="\(height + 20)" rx="16"/>\
      <svg x="10" y="10" width="\(width)" height="\(height)" font-size="\(text)" text-anchor="middle">\
      <rect width="\(width)" height="\(height)" fill="\(paper)"/>
      """
    if let background { html += BrandImages.use(background, 0, 0, width, height) }
    html += """
      <rect width="\(width)" height="\(bar)" fill="\(toolbar)"/>\
      <g fill="\(toolbarText)"><text x="\(text)" y="\(2 * text)" text-anchor="start">‹</text>\
      <text x="\(middle)" y="\(2 * text)" font-weight="700">\(words[.screenTitle])</text></g>
      """
    var y = (height + bar) / 2 - (logo == nil ? 3 : 1) * text
    if let logo {
      let size = width * 2 / 5
      html += BrandImages.use(logo, middle - size / 2, y - size * 2 / 5 - 2 * text, size, size * 2 / 5)
    }
    html += """
      <g fill="\(ink)"><text x="\(middle)" y="\(y)" font-size="\(2 * text)" font-weight="700">\(words[.welcome])</text>\
      <text x="\(middle)" y="\(y + 3 * text / 2)">PrimaryText</text></g>
      """
    y += 3 * text
    let card = color("SecondaryHighlight", "none")
    let cardText = color("SecondaryText", ink)
    html += """
      <rect x="\(width / 8)" y="\(y)" width="\(width * 3 / 4)" height="\(4 * text)" rx="8" fill="\(card)"/>\
      <g fill="\(cardText)"><text x="\(middle)" y="\(y + 3 * text / 2)" font-weight="700">\(words[.goOn])</text>\
      <text x="\(middle)" y="\(y + 3 * text)">SecondaryText</text></g></svg></svg><figcaption>\(name)</figcaption></figure>

      """
    return html
  }
}

import LiveryClient
import LiveryHTTP

/// The brand's colors as the page wears them: moved, where they have to be, until text on them can be read.
struct BrandColors {
  private let bar: Color?
  private let barText: Color?
  private let accent: Color?

  /// Those in effect.
  init(_ store: Store) {
    bar = try? store.branding.color("Toolbar")
    barText = try? store.branding.color("ToolbarText")
    accent = try? store.branding.color("PrimaryHighlight")
  }

  /// - Parameter brand: as `livery_branding_get` in C tells it.
  init(_ brand: Value) {
    func color(_ role: String) -> Color? {
      guard case .color(let color)? = brand["colors"]?[role] else { return nil }
      return color
    }
    bar = color("Toolbar")
    barText = color("ToolbarText")
    accent = color("PrimaryHighlight")
  }

  var isAny: Bool { bar != nil || accent != nil }

  private static let text = 4.5
  private static let paper = Color(red: 1, green: 1, blue: 1)
  private static let night = Color(red: 0x14 / 255, green: 0x16 / 255, blue: 0x19 / 255)

  /// The custom properties that style.css uses.
  var sheet: HTML {
    var sheet: HTML = ":root{"
    if let bar = bar?.opaque {
      sheet += "--bar:\(bar.hex);--bar-text:\(BrandColors.text(barText, on: bar).hex);"
    }
    if let accent = accent?.opaque {
      sheet += "--accent:\(accent.hex);--accent-text:\(BrandColors.text(nil, on: accent).hex);"
      sheet += "--link:\(BrandColors.text(accent, on: BrandColors.paper).hex)"
    }
    sheet += "}"
    if let accent = accent?.opaque {
      sheet += "@media(prefers-color-scheme:dark){:root{--link:\(BrandColors.text(accent, on: BrandColors.night).hex)}}"
    }
    return sheet
  }

  var style: Response {
    let bytes = sheet.bytes
    return Response(type: "text/css; charset=utf-8", body: bytes, version: fingerprint(bytes))
  }

  /// A color that can be read on another: itself, or the nearest that can, or black or white.
  private static func text(_ color: Color?, on background: Color) -> Color {
    guard let color = color?.opaque else { return background.legibleText }
    if color.contrast(on: background) >= text { return color }
    return color.nearest(withContrast: text, to: background) ?? background.legibleText
  }
}

extension Color {
  var opaque: Color { Color(red: red, green: green, blue: blue) }

  var hex: String {
    var text = "#"
    for part in [red, green, blue] {
      let number = Int((min(max(part, 0), 1) * 255).rounded())
      text += (number < 16 ? "0" : "") + String(number, radix: 16)
    }
    return text
  }
}

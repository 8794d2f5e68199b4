import Livery

/// A brand as one HTML page that needs nothing else: no script, no font, no network.
struct BrandPage {
  /// As `StoreBranding.show` tells it.
  private let brand: Value
  /// As `StoreBranding.check` tells it.
  private let report: Value
  private let gallery: BrandGallery
  private var html = ""

  /// - Parameter load: an asset by its id, with its bytes; nil if there is none that can be shown.
  init(_ brand: Value, _ report: Value, load: (String) -> (asset: Asset, bytes: [UInt8])?) {
    self.brand = brand
    self.report = report
    gallery = BrandGallery(brand["images"], load: load)
  }

  mutating func make() -> String {
    html = ""
    let name = brand.text("name").isEmpty ? "Brand" : brand.text("name")
    html += "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    // Whatever a brand holds, the page loads nothing and runs nothing.
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    html += "style-src 'unsafe-inline'\">\n"
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    html += "<title>\(escaped(name))</title>\n<style>\n\(BrandStyle.sheet)\(gallery.styles)</style>\n</head>\n<body>\n"
    header(name)
    html += "<main>\n"
    findings()
    colors()
    pairs()
    devices()
    images()
    addresses()
    html += "</main>\n<footer>Made by <code>livery brand show --html</code></footer>\n</body>\n</html>\n"
    return html
  }

  // MARK: Parts

  private mutating func header(_ name: String) {
    html += "<header>\n<div class=\"strip\">"
    for color in members("colors") { html += "<i style=\"background:\(css(color.value))\"></i>" }
    html += "</div>\n<div class=\"title\">\n"
    if let logo = gallery.shown("logo", on: BrandDevice.phone) {
      html += "<div class=\"mark\" style=\"background-color:\(css("PrimaryHighlight", else: "transparent"))\">"
      html += "<div class=\"fit \(logo)\"></div></div>\n"
    }
    html += "<div><h1>\(escaped(name))</h1>\n<p>"
    var facts: [String] = []
    for key in ["identifier", "id"] where !brand.text(key).isEmpty {
      facts.append("<code>\(escaped(brand.text(key)))</code>")
      break
    }
    facts.append(counted(members("colors").count, "color"))
    facts.append(counted(gallery.images.count, "image"))
    if brand["enabled"] == .bool(false) { facts.append("<span class=\"chip warning\">switched off</span>") }
    let count = report.items("findings").count
    facts.append(
      count == 0
        ? "<span class=\"chip pass\">nothing to mend</span>"
        : "<a href=\"#findings\" class=\"chip \(report.number("errors") > 0 ? "fail" : "warning")\">"
          + "\(counted(count, "finding"))</a>")
    html += facts.joined(separator: " <span class=\"dot\">·</span> ") + "</p></div>\n</div>\n</header>\n"
  }

  private mutating func colors() {
    let colors = members("colors")
    guard begin("Colors", isEmpty: colors.isEmpty, "The brand has no colors.") else { return }
    html += "<div class=\"swatches\">\n"
    for member in colors {
      guard let color = color(member.value) else { continue }
      let ink = color.over(.white).legibleText.formatted()
      html +=
        "<figure class=\"swatch\"><div class=\"checks\"><div style=\"background:\(color.formatted(.rgb));color:\(ink)\">"
      html += "<span>Aa</span></div></div>\n<figcaption><b>\(breakable(member.key))</b>"
      html += "<code>\(color.formatted())</code><code>\(color.formatted(.rgb))</code></figcaption></figure>\n"
    }
    html += "</div>\n</section>\n"
  }

  private mutating func pairs() {
    let pairs = report.items("pairs")
    guard begin("Legibility", isEmpty: pairs.isEmpty, "The brand has no pairs of text and background.") else { return }
    html +=
      "<p class=\"note\">Contrast as of WCAG 2: text needs 4.5 for AA and 7 for AAA; large text, from 24 pixels or 19 in "
    html += "bold, needs 3 and 4.5.</p>\n<table class=\"pairs\">\n<thead><tr><th>Sample</th><th>Text on background</th>"
    html += "<th>Contrast</th><th>Text</th><th>Large text</th></tr></thead>\n<tbody>\n"
    for pair in pairs {
      let ratio = pair.double("ratio")
      let style = "color:\(css(pair["textColor"]));background:\(css(pair["backgroundColor"]))"
      html += "<tr><td><span class=\"sample\" style=\"\(style)\">Sample</span></td>\n"
      html += "<td><b>\(breakable(pair.text("text")))</b> on <b>\(breakable(pair.text("background")))</b>"
      if let nearest = nearest(pair) {
        html += "<span class=\"advice\">try <i style=\"background:\(nearest.formatted(.rgb))\"></i>"
        html += "<code>\(nearest.formatted())</code></span>"
      }
      html +=
        "</td>\n<td class=\"ratio\">\(hundredths(ratio))</td>\n<td>\(level("AA", ratio >= 4.5))\(level("AAA", ratio >= 7))"
      html += "</td>\n<td>\(level("AA", ratio >= 3))\(level("AAA", ratio >= 4.5))</td></tr>\n"
    }
    html += "</tbody>\n</table>\n</section>\n"
  }

  private mutating func devices() {
    guard begin("On devices", isEmpty: members("colors").isEmpty && gallery.images.isEmpty, "There is nothing to show.")
    else { return }
    html += "<div class=\"devices\">\n"
    for device in BrandDevice.all {
      // In the dark only where the brand then looks otherwise.
      if let light = device.counterpart, gallery.looksAlike(on: device, and: light) { continue }
      html += device.outline(
        background: gallery.shown("background", on: device), logo: gallery.shown("logo", on: device), css: css)
    }
    html += "</div>\n</section>\n"
  }

  private mutating func images() {
    guard begin("Images", isEmpty: gallery.images.isEmpty, "The brand has no images.") else { return }
    // On what they are shown on, else on squares that tell transparency.
    let paper =
      brand["colors"]?["PrimaryHighlight"] == nil ? "" : " style=\"background:\(css("PrimaryHighlight", else: ""))\""
    html += "<div class=\"gallery\">\n"
    for image in gallery.images {
      html += "<figure><div class=\"checks frame\"\(paper)>"
      html +=
        image.style.isEmpty
        ? "<span class=\"none\">\(image.isRemote ? "elsewhere" : "missing")</span>"
        : "<div class=\"fit \(image.style)\"></div>"
      html += "</div>\n<figcaption><b>\(escaped(image.name))</b>"
      for qualifier in image.qualifiers { html += "<span class=\"chip\">\(escaped(qualifier))</span>" }
      html += "<small>\(escaped(image.facts))</small></figcaption></figure>\n"
    }
    html += "</div>\n</section>\n"
  }

  private mutating func addresses() {
    let rows = members("urls") + members("files") + members("options")
    guard !rows.isEmpty else { return }
    _ = begin("Also part of it", isEmpty: false, "")
    html += "<table class=\"plain\">\n"
    for row in rows { html += "<tr><th>\(escaped(row.key))</th><td>\(escaped(row.value.plain))</td></tr>\n" }
    html += "</table>\n</section>\n"
  }

  private mutating func findings() {
    let findings = report.items("findings")
    guard !findings.isEmpty else { return }
    html += "<section id=\"findings\">\n<h2>Findings</h2>\n<ul class=\"findings\">\n"
    for severity in ["error", "warning"] {
      for finding in findings where finding.text("severity").sameBytes(as: severity) {
        html += "<li><span class=\"chip \(severity == "error" ? "fail" : "warning")\">\(severity)</span>"
        html += "<span>\(escaped(finding.text("message")))</span></li>\n"
      }
    }
    html += "</ul>\n</section>\n"
  }

  /// Begins a section; false if there is nothing to put into it, which is then said.
  private mutating func begin(_ title: String, isEmpty: Bool, _ otherwise: String) -> Bool {
    html += "<section>\n<h2>\(title)</h2>\n"
    if isEmpty { html += "<p class=\"note\">\(otherwise)</p>\n</section>\n" }
    return !isEmpty
  }

  // MARK: Values

  private func members(_ key: String) -> [Value.Member] {
    guard case .object(let members)? = brand[key] else { return [] }
    // The roles first, in the order of the screen; then the rest by name.
    var sorted: [Value.Member] = []
    for role in Branding.roles { for member in members where member.key.sameBytes(as: role) { sorted.append(member) } }
    for member in members where !Branding.roles.contains(where: { $0.sameBytes(as: member.key) }) {
      sorted.append(member)
    }
    return sorted
  }

  private func color(_ value: Value?) -> Color? {
    guard case .color(let color)? = value?.coerced(to: .color) else { return nil }
    return color
  }

  private func css(_ value: Value?) -> String {
    color(value)?.formatted(.rgb) ?? "transparent"
  }

  private func css(_ name: String, else fallback: String) -> String {
    color(brand["colors"]?[name])?.formatted(.rgb) ?? fallback
  }

  /// The color that the report advises for a pair that does not pass.
  private func nearest(_ pair: Value) -> Color? {
    for finding in report.items("findings") where finding.text("code").sameBytes(as: "low-contrast") {
      if finding.text("text").sameBytes(as: pair.text("text")),
        finding.text("background").sameBytes(as: pair.text("background"))
      {
        return color(finding["nearest"])
      }
    }
    return nil
  }

  private func level(_ name: String, _ passes: Bool) -> String {
    "<span class=\"level \(passes ? "pass" : "fail")\">\(passes ? "✓" : "✗") \(name)</span>"
  }

  /// Cut and not rounded, so that 4.499 does not read as enough.
  private func hundredths(_ ratio: Double) -> String {
    let number = Int(max(0, min(ratio, 21)) * 100)
    let rest = number % 100
    return "\(number / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }
}

/// Text for HTML, in elements and attributes.
func escaped(_ text: String) -> String {
  var out: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "&"): out += "&amp;".utf8
    case UInt8(ascii: "<"): out += "&lt;".utf8
    case UInt8(ascii: ">"): out += "&gt;".utf8
    case UInt8(ascii: "\""): out += "&quot;".utf8
    case UInt8(ascii: "'"): out += "&#39;".utf8
    default: out.append(byte)
    }
  }
  return String(decoding: out, as: UTF8.self)
}

/// A name for HTML that may be broken before a capital letter.
private func breakable(_ name: String) -> String {
  var out: [UInt8] = []
  for byte in escaped(name).utf8 {
    if byte >= 0x41, byte <= 0x5A, let last = out.last, last >= 0x61, last <= 0x7A { out += "<wbr>".utf8 }
    out.append(byte)
  }
  return String(decoding: out, as: UTF8.self)
}

extension Value {
  fileprivate func double(_ key: String) -> Double {
    guard case .double(let number)? = self[key]?.coerced(to: .double) else { return 0 }
    return number
  }
}

/// Writes the page of a brand; `-` is standard output.
///
/// - Parameters:
///   - shown: as `StoreBranding.show` tells it.
///   - brand: its identifier; nil for what is in effect.
func writeBrandPage(
  _ shown: Value, _ brand: String?, _ store: Store, to path: String, _ output: Output
) throws(StoreError) {
  var page = BrandPage(shown, try store.branding.check(brand)) { id in
    guard let asset = try? store.assets.info(id), let bytes = try? store.assets.bytes(id) else { return nil }
    return (asset, bytes)
  }
  let html = page.make()
  guard !path.sameBytes(as: "-") else { return output.verbatim(html) }
  try Files.write(html.bytes, to: path, isPrivate: false)
  output.result(.object([.init("written", .string(path))]))
}

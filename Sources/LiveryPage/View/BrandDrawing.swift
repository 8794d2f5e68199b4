import LiveryClient
import LiveryHTTP

/// A brand as it is drawn, in a page and as a document by itself: its colors and what reads on what, its images, how it looks on
/// devices, and what `livery brand check` finds.
///
/// Colors are attributes of SVG, so that no style has to be allowed within the document.
struct BrandDrawing {
  /// As `livery_branding_get` in C tells it, and `livery_branding_check`.
  private let brand: Value
  private let report: Value
  private let words: Words
  private let images: BrandImages
  private let devices: [BrandDevice]

  /// - Parameter devices: those that it is shown on; nil for the usual ones.
  init(
    _ brand: Value, _ report: Value, _ words: Words, _ source: BrandSource, devices: [BrandDevice]? = nil
  ) {
    self.brand = brand
    self.report = report
    self.words = words
    let images = BrandImages(brand, source)
    self.images = images
    self.devices =
      devices
      ?? BrandDevice.all.indices.filter { (place) in
        let device = BrandDevice.all[place]
        return device.traits.isDark != true || !images.looksAlike(on: device, and: BrandDevice.all[place - 1])
      }.map { BrandDevice.all[$0] }
  }

  var name: String? { brand["name"]?.text }
  var colors: BrandColors { BrandColors(brand) }

  /// Everything below the title.
  var html: HTML {
    var html = images.symbols
    html += facts
    html += findings
    html += swatches
    html += pairs
    html += outlines
    html += gallery
    html += rest
    return html
  }

  /// Whether `livery brand check` passes.
  var verdict: HTML {
    let errors = report["errors"]?.whole ?? 0
    return """
      <p class="notice \(errors == 0 ? "good" : "bad")" role="status" id="verdict">\
      \(words[errors == 0 ? .checkPasses : .checkFails]): \(errors) \(words[.errors]), \
      \(report["warnings"]?.whole ?? 0) \(words[.warns])</p>

      """
  }

  // MARK: Parts

  private var facts: HTML {
    var html: HTML = "<p class=\"about\">"
    if let identifier = (brand["identifier"] ?? brand["id"])?.text, !identifier.isEmpty {
      html += "<code>\(identifier)</code> · "
    }
    html += "\(brand.members("colors").count) \(words[.colors]) · \(images.variants.count) \(words[.images])"
    if brand["enabled"] == .bool(false) { html += " · <span class=\"chip bad\">\(words[.switchedOff])</span>" }
    html += "</p>\n"
    return html
  }

  private var findings: HTML {
    var html = verdict
    let findings = report["findings"]?.items ?? []
    guard !findings.isEmpty else { return html }
    html += "<section id=\"findings\"><h2>\(words[.findings])</h2>\n<ul class=\"findings\">\n"
    for isError in [true, false] {
      for finding in findings where (finding["severity"]?.text?.sameBytes(as: "error") ?? false) == isError {
        html += """
          <li><span class="chip \(isError ? "bad" : "")">\(words[isError ? .error : .warning])</span> \
          \(finding["message"]?.text ?? "")</li>

          """
      }
    }
    html += "</ul></section>\n"
    return html
  }

  /// The roles first, in the order of the screen; then the rest by name.
  private var sortedColors: [Value.Member] {
    let all = brand.members("colors")
    func isRole(_ name: String) -> Bool { BrandDrawing.roles.contains { $0.sameBytes(as: name) } }
    return BrandDrawing.roles.flatMap { role in all.filter { $0.key.sameBytes(as: role) } }
      + all.filter { !isRole($0.key) }
  }

  static let roles = [
    "Toolbar", "ToolbarText", "PrimaryHighlight", "PrimaryText", "SecondaryHighlight", "SecondaryText",
  ]

  private var swatches: HTML {
    var html = begin(.colors, isEmpty: brand.members("colors").isEmpty, .noColors)
    html += "<div class=\"cards\">\n"
    for member in sortedColors {
      guard case .color(let color) = member.value else { continue }
      html += """
        <figure><svg class="checks" viewBox="0 0 16 9" aria-hidden="true"><rect width="16" height="9" fill="\(member.value.plain)"/>\
        <text x="1" y="7.6" font-size="3" fill="\(color.legibleText.hex)">Aa</text></svg>\
        <figcaption><b>\(BrandDrawing.breakable(member.key))</b><code>\(color.alpha < 1 ? member.value.plain : color.hex)</code> \
        <code>\(color.rgb)</code></figcaption></figure>

        """
    }
    html += "</div>\n"
    let gradients = brand.members("gradients")
    if !gradients.isEmpty {
      html += "<h3>\(words[.gradients])</h3>\n<div class=\"cards\">\n"
      for (number, gradient) in gradients.enumerated() {
        let dark = gradient.value["dark"]?.plain ?? ""
        let light = gradient.value["light"]?.plain ?? ""
        html += """
          <figure><svg class="checks" viewBox="0 0 16 9" aria-hidden="true"><linearGradient id="g\(number)">\
          <stop stop-color="\(dark)"/><stop offset="1" stop-color="\(light)"/></linearGradient>\
          <rect width="16" height="9" fill="url(#g\(number))"/></svg>\
          <figcaption><b>\(BrandDrawing.breakable(gradient.key))</b><code>\(dark)</code> <code>\(light)</code></figcaption></figure>

          """
      }
      html += "</div>\n"
    }
    html += "</section>\n"
    return html
  }

  private var pairs: HTML {
    let pairs = report["pairs"]?.items ?? []
    var html = begin(.legibility, isEmpty: pairs.isEmpty, .noPairs)
    if pairs.isEmpty {
      html += "</section>\n"
      return html
    }
    html += """
      <p class="about">\(words[.legibilityHint])</p>
      <table class="contrasts"><thead><tr><th scope="col">\(words[.sample])</th><th scope="col">\(words[.textOnBackground])</th>\
      <th scope="col">\(words[.contrast])</th><th scope="col">\(words[.text])</th><th scope="col">\(words[.largeText])</th>\
      </tr></thead><tbody>

      """
    for pair in pairs {
      var ratio = 0.0
      if case .double(let number)? = pair["ratio"] { ratio = number }
      html += """
        <tr><td><svg class="sample" viewBox="0 0 90 32" aria-hidden="true"><rect width="90" height="32" rx="6" \
        fill="\(pair["backgroundColor"]?.plain ?? "")"/><text x="45" y="21" font-size="14" font-weight="600" text-anchor="middle" \
        fill="\(pair["textColor"]?.plain ?? "")">\(words[.sample])</text></svg></td>\
        <td><b>\(BrandDrawing.breakable(pair["text"]?.text ?? ""))</b> / <b>\(BrandDrawing.breakable(pair["background"]?.text ?? ""))</b>
        """
      if let nearest = nearest(pair) {
        html += " <span class=\"advice\">\(words[.better]) \(Control.swatch(nearest)) <code>\(nearest)</code></span>"
      }
      html += """
        </td><td class="ratio">\(BrandDrawing.short(ratio))</td>\
        <td data-of="\(words[.text])">\(level("AA", ratio >= 4.5))\(level("AAA", ratio >= 7))</td>\
        <td data-of="\(words[.largeText])">\(level("AA", ratio >= 3))\(level("AAA", ratio >= 4.5))</td></tr>

        """
    }
    html += "</tbody></table></section>\n"
    return html
  }

  private var outlines: HTML {
    var html = begin(.onDevices, isEmpty: false, .noColors)
    html += "<div class=\"devices\">\n"
    for device in devices {
      html += device.outline(
        words, brand["colors"] ?? .object([]), background: images.shown("background", on: device),
        logo: images.shown("logo", on: device))
    }
    html += "</div></section>\n"
    return html
  }

  private var gallery: HTML {
    var html = begin(.images, isEmpty: images.variants.isEmpty, .noImages)
    html += "<div class=\"cards\">\n"
    // On what they are shown on, else on squares that tell transparency.
    let paper = brand["colors"]?["PrimaryHighlight"]?.plain
    for image in images.variants {
      html += "<figure>"
      if let number = image.number {
        html += "<svg class=\"checks\" viewBox=\"0 0 160 110\" role=\"img\" aria-label=\"\(image.name)\">"
        if let paper { html += "<rect width=\"160\" height=\"110\" fill=\"\(paper)\"/>" }
        html += "\(BrandImages.use(number, 6, 6, 148, 98))</svg>"
      } else {
        html += "<p class=\"frame\"><span class=\"none\">\(words[image.isElsewhere ? .elsewhere : .missing])</span></p>"
      }
      html += "<figcaption><b>\(image.name)</b>"
      if let state = image.state { html += "<span class=\"chip state\">\(words[state])</span> " }
      for qualifier in image.qualifiers { html += "<span class=\"chip\">\(qualifier)</span> " }
      html += "<small>\(image.facts)</small></figcaption></figure>\n"
    }
    html += "</div></section>\n"
    return html
  }

  private var rest: HTML {
    let rows = ["urls", "files", "options"].flatMap { brand.members($0) }
    guard !rows.isEmpty else { return "" }
    var html = begin(.alsoPart, isEmpty: false, .alsoPart)
    html += "<table>\n"
    for row in rows { html += "<tr><th scope=\"row\">\(row.key)</th><td>\(row.value.plain)</td></tr>\n" }
    html += "</table></section>\n"
    return html
  }

  private func begin(_ title: Word, isEmpty: Bool, _ otherwise: Word) -> HTML {
    var html: HTML = "<section><h2>\(words[title])</h2>\n"
    if isEmpty { html += "<p class=\"about\">\(words[otherwise])</p>\n" }
    return html
  }

  // MARK: Values

  /// The color that the report advises for a pair that does not pass.
  private func nearest(_ pair: Value) -> String? {
    for finding in report["findings"]?.items ?? [] {
      guard finding["code"]?.text?.sameBytes(as: "low-contrast") ?? false,
        finding["text"]?.text?.sameBytes(as: pair["text"]?.text ?? "") ?? false,
        finding["background"]?.text?.sameBytes(as: pair["background"]?.text ?? "") ?? false,
        case .color(let color)? = finding["nearest"]
      else { continue }
      return color.hex
    }
    return nil
  }

  private func level(_ name: HTML, _ passes: Bool) -> HTML {
    "<span class=\"chip \(passes ? "good" : "bad")\">\(passes ? "✓" : "✗") \(name)</span> "
  }

  /// Two digits after the point, cut rather than rounded, so that 4.499 does not read as enough.
  private static func short(_ ratio: Double) -> String {
    let number = Int(max(0, min(ratio, 21)) * 100)
    return "\(number / 100).\(number % 100 < 10 ? "0" : "")\(number % 100)"
  }

  /// A name that may be broken before a capital letter.
  private static func breakable(_ name: String) -> HTML {
    var html: HTML = ""
    var start = 0
    let bytes = Array(name.utf8)
    for place in bytes.indices.dropFirst()
    where (65...90).contains(bytes[place]) && (97...122).contains(bytes[place - 1]) {
      html += "\(String(decoding: bytes[start..<place], as: UTF8.self))<wbr>"
      start = place
    }
    html += "\(String(decoding: bytes[start...], as: UTF8.self))"
    return html
  }
}

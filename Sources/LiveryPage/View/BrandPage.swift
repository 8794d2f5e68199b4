import LiveryClient

extension Parts {
  /// The brand as the app sees it: its colors with what reads on what, its images, and what is wrong with it.
  func brand(_ report: Value, _ brand: Value, _ brands: Value, canChange: Bool) -> HTML {
    var html: HTML = "<h1>\(words[.brand])\(brand["name"]?.text.map { ": \($0)" } ?? "")</h1>\n"
    html += self.brands(brands, canChange)
    html += "<h2>\(words[.colors])</h2>\n<ul class=\"swatches\">\n"
    for color in members(brand["colors"]) {
      html += "<li>\(Control.swatch(color.value.plain)) \(color.key) <code>\(color.value.plain)</code></li>\n"
    }
    html += "</ul>\n<h2>\(words[.contrast])</h2>\n<ul class=\"pairs\">\n"
    for pair in report["pairs"]?.items ?? [] {
      let ratio = pair["ratio"]?.plain ?? ""
      html += """
        <li>\(Parts.sample(pair)) \(pair["text"]?.text ?? "") / \(pair["background"]?.text ?? ""): \(Parts.short(ratio)) \
        \(pair["passes"]?.isTrue ?? false ? words[.passes] : "< 4.5")</li>

        """
    }
    html += "</ul>\n<h2>\(words[.images])</h2>\n<ul class=\"images\">\n"
    for image in members(brand["images"]) {
      html += "<li><b>\(image.key)</b>"
      for variant in image.value.items ?? [image.value] {
        guard let reference = (variant["image"] ?? variant).text else { continue }
        if Assets.isID(reference) {
          html += " <img class=\"preview\" src=\"/asset?id=\(reference)\" alt=\"\(image.key)\">"
        } else {
          html += " <code>\(reference)</code>"
        }
      }
      html += "</li>\n"
    }
    html += "</ul>\n"
    let findings = report["findings"]?.items ?? []
    html +=
      "<h2>\(report["errors"]?.plain ?? "0") \(words[.errors]), \(report["warnings"]?.plain ?? "0") \(words[.warns])</h2>\n<ul>\n"
    for finding in findings {
      let isError = finding["severity"]?.text?.sameBytes(as: "error") ?? false
      html += "<li class=\"\(isError ? "error" : "about")\">\(finding["message"]?.text ?? "")</li>\n"
    }
    html += "</ul>\n"
    return html
  }

  private func members(_ value: Value?) -> [Value.Member] {
    guard case .object(let members)? = value else { return [] }
    return members
  }

  private func brands(_ brands: Value, _ canChange: Bool) -> HTML {
    guard canChange, brands.count > 1 else { return "" }
    var html: HTML = "<form method=\"post\" action=\"/brand\" class=\"brands\">\(token)"
    for brand in brands.items ?? [] {
      let id = brand["id"]?.text ?? ""
      let isActive = brand["active"]?.isTrue ?? false
      html += """
        <button name="use" value="\(id)"\(" aria-pressed=\"true\"", if: isActive)\(" aria-pressed=\"false\"", if: !isActive)>\
        \(brand["name"]?.text ?? id)</button> 
        """
    }
    html += "</form>\n"
    return html
  }

  /// Two colors, one within the other.
  private static func sample(_ pair: Value) -> HTML {
    let text = pair["textColor"]?.plain ?? ""
    let background = pair["backgroundColor"]?.plain ?? ""
    guard Control.isColor(text), Control.isColor(background) else { return "" }
    return """
      <svg class="swatch" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" fill="\(background)"/>\
      <text x="10" y="15" text-anchor="middle" fill="\(text)">A</text></svg>
      """
  }

  /// Two digits after the point, cut rather than rounded.
  private static func short(_ number: String) -> String {
    let bytes = Array(number.utf8)
    guard let point = bytes.firstIndex(of: UInt8(ascii: ".")) else { return number }
    return String(decoding: bytes.prefix(point + 3), as: UTF8.self)
  }
}

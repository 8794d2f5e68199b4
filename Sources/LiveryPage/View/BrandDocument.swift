import LiveryClient
import LiveryHTTP

/// A brand as one HTML document that needs nothing else: no script, no font, no network.
struct BrandDocument {
  let html: HTML

  /// - Parameter brand: its identifier; nil for what is in effect.
  /// - Throws: `.notFound`, `.corrupt`.
  init(_ store: Store, _ brand: String?, _ words: Words) throws(StoreError) {
    let shown = try store.shownBrand(brand)
    let drawing = BrandDrawing(
      shown, try store.branding.check(brand), words, BrandSource(store: store, isEmbedding: true))
    let style = String(decoding: Page.style.body, as: UTF8.self)
    let name = drawing.name ?? words[.brand]
    // Whatever a brand holds, the document loads nothing and runs nothing.
    html = """
      <!DOCTYPE html>
      <html lang="\(words.tag)"\(" dir=\"rtl\"", if: words.isRightToLeft)>
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(name)</title>
      <style>
      \(HTML(stringLiteral: style))\(drawing.colors.sheet)
      </style>
      </head>
      <body>
      <header class="bar"><span class="name">\(name)</span></header>
      <main class="alone"><h1>\(name)</h1>
      \(drawing.html)</main>
      </body>
      </html>

      """
  }
}

extension Store {
  /// A brand without what the schema declares as secret.
  func shownBrand(_ brand: String? = nil) throws(StoreError) -> Value {
    try branding.get(brand).hiding(try hiddenOfBrands())
  }

  /// The settings of brands that the schema declares as secret, as they are named behind `branding.`.
  func hiddenOfBrands() throws(StoreError) -> [String] {
    var hidden: [String] = []
    for item in try list("branding.**").items ?? [] where item["secret"]?.isTrue ?? false {
      if let name = item["name"]?.text?.after("branding.") { hidden.append(name) }
    }
    return hidden
  }

  /// What the store knows of an image that it holds.
  func image(_ reference: String) -> Value? { Assets.isID(reference) ? try? assets.info(reference) : nil }
}

extension Value {
  /// A brand without some of its settings, which are named as behind `branding.`.
  func hiding(_ names: [String]) -> Value {
    guard !names.isEmpty, case .object(let members) = self else { return self }
    func isHidden(_ name: String) -> Bool { names.contains { $0.sameBytes(as: name) } }
    let mask = Value.string("••••••")
    return .object(
      members.map { member in
        guard case .object(let parts) = member.value else {
          return isHidden(member.key) ? Member(member.key, mask) : member
        }
        // `colors` holds what is named `color.…`.
        let kind = String(decoding: member.key.utf8.dropLast(), as: UTF8.self)
        return Member(
          member.key,
          .object(parts.map { isHidden("\(kind).\($0.key)") ? Member($0.key, mask) : $0 }))
      })
  }
}

import CSystem
import Livery

/// `livery brand show`
func showBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  if let path = context.arguments.value("html") { try drawBrand(words.first, to: path, context) }
  let store = try context.open(readOnly: true)
  let output = context.output
  let shown = try masked(store.branding.show(words.first), store, context)
  var members: [Value.Member] = []
  var layers: [Value.Member] = []
  if words.isEmpty {
    let active = try store.branding.active()
    if let active { members.append(.init("active", .string(active))) }
    let isBundleOn = try store.branding.isEnabled(.bundle)
    let isConsoleOn = try store.branding.isEnabled(.console)
    members.append(.init("bundle", .bool(isBundleOn)))
    members.append(.init("console", .bool(isConsoleOn)))
    let waits = try store.branding.isWaiting()
    if waits { members.append(.init("waits", .bool(true))) }
    output.line(
      "\(output.style.bold(truncated(active ?? "no brand", to: 200)))  bundle \(isBundleOn ? waits ? "waits" : "on" : "off"), "
        + "console \(isConsoleOn ? "on" : "off")")
    if case .list(let items) = try store.list(Branding.prefix + "**") {
      for item in items {
        let name = String(item.text("name").utf8.dropFirst(Branding.prefix.utf8.count)) ?? ""
        layers.append(.init(name, .string(item.text("layer"))))
      }
    }
    members.append(.init("layers", .object(layers)))
    var builtIn: [Value.Member] = []
    for role in ColorRole.allCases where shown["colors"]?[role.rawValue] == nil {
      builtIn.append(.init(role.rawValue, .color(try store.branding.shownColor(role).color)))
    }
    members.append(.init("builtIn", .object(builtIn)))
  } else {
    output.line(
      "\(output.style.bold(truncated(words[0], to: 200)))  \(shown.flag("active") ? "active" : "kept")"
        + (shown.flag("enabled") ? "" : ", switched off"))
  }
  if case .object(let found) = shown { output.result(.object(members + found)) }
  if shown["name"] != nil { output.line(truncated(shown.text("name"), to: 200)) }
  showColors(shown, Value.object(layers), context)
  if words.isEmpty { try showBuiltIn(shown, store, context) }
  showGradients(shown, context)
  showImages(shown, Value.object(layers), output)
  for (title, key, prefix) in [
    ("urls", "urls", Branding.url), ("files", "files", Branding.file), ("options", "options", Branding.option),
  ] {
    guard case .object(let found)? = shown[key], !found.isEmpty else { continue }
    var rows: [[String]] = []
    for member in found {
      rows.append([
        "  " + truncated(member.key, to: 60), truncated(member.value.plain, to: 80),
        Value.object(layers).text(prefix + member.key),
      ])
    }
    output.line("\n\(output.style.bold(title))\n" + String(table(rows, style: output.style).dropLast()))
  }
}

/// Goes on as the program of the extension `page`, which draws brands.
///
/// - Throws: `.unavailable` if it is not installed.
private func drawBrand(_ brand: String?, to path: String, _ context: Context) throws(StoreError) {
  var words = ["brand", "--html", path]
  for option in ["store", "timeout"] {
    if let value = context.arguments.value(option) { words += ["--" + option, value] }
  }
  if context.output.isJSON { words.append("--json") }
  if let brand { words += ["--", brand] }
  var bytes: [UInt8] = []
  for word in words { bytes += word.bytes + [0] }
  bytes.withUnsafeBufferPointer { lvs_become_with("page", $0.baseAddress, $0.count) }
  throw StoreError(
    .unavailable,
    "pages of brands are drawn by the extension `page`, which is not installed: there is no program livery-page")
}

/// Colors with swatches on a terminal, and how legible black or white is on each.
private func showColors(_ shown: Value, _ layers: Value, _ context: Context) {
  guard case .object(let colors)? = shown["colors"], !colors.isEmpty else { return }
  let output = context.output
  let paints = context.arguments.has("color") || output.style.isOn
  var rows: [[String]] = []
  var swatches: [String] = []
  for member in colors {
    guard case .color(let color)? = member.value.coerced(to: .color) else { continue }
    let text = color.legibleText
    let isWhite = text == .white
    rows.append([
      truncated(member.key, to: 60), color.formatted(), layers.text(Branding.color + member.key),
      "\(isWhite ? "white" : "black") on it \(ratio(.double(text.contrast(on: color))))",
    ])
    swatches.append(paints ? swatch(color) : "")
  }
  output.line("\n\(output.style.bold("colors"))")
  for (line, swatch) in zip(table(rows, style: output.style).utf8.split(separator: UInt8(ascii: "\n")), swatches) {
    output.line("  \(swatch)\(String(decoding: line, as: UTF8.self))")
  }
}

/// The roles that nobody has set, with what they are shown in.
private func showBuiltIn(_ shown: Value, _ store: Store, _ context: Context) throws(StoreError) {
  let output = context.output
  let paints = context.arguments.has("color") || output.style.isOn
  var lines: [String] = []
  for role in ColorRole.allCases where shown["colors"]?[role.rawValue] == nil {
    let color = try store.branding.shownColor(role).color
    lines.append("  \(paints ? swatch(color) : "")\(role)  \(color.formatted())")
  }
  guard !lines.isEmpty else { return }
  output.line("\n\(output.style.bold("built-in colors"))")
  for line in lines { output.line(line) }
}

/// The pairs of colors that are gradients.
private func showGradients(_ shown: Value, _ context: Context) {
  guard case .object(let gradients)? = shown["gradients"], !gradients.isEmpty else { return }
  let output = context.output
  let paints = context.arguments.has("color") || output.style.isOn
  output.line("\n\(output.style.bold("gradients"))")
  for gradient in gradients {
    guard case .color(let dark)? = gradient.value["dark"], case .color(let light)? = gradient.value["light"] else {
      continue
    }
    let swatches = paints ? swatch(dark) + swatch(light) : ""
    output.line("  \(swatches)\(truncated(gradient.key, to: 60))  \(dark.formatted()) to \(light.formatted())")
  }
}

/// A patch of the color, as it is seen over white, in 24 bits.
private func swatch(_ color: Color) -> String {
  let (red, green, blue, _) = color.over(.white).bytes
  return "\u{1B}[48;2;\(red);\(green);\(blue)m    \u{1B}[0m "
}

private func showImages(_ shown: Value, _ layers: Value, _ output: Output) {
  guard case .object(let images)? = shown["images"], !images.isEmpty else { return }
  output.line("\n\(output.style.bold("images"))")
  var rows: [[String]] = []
  for image in images {
    let variants: [Value]
    if case .list(let items) = image.value { variants = items } else { variants = [image.value] }
    for (number, variant) in variants.enumerated() {
      rows.append([
        "  " + (number == 0 ? truncated(image.key, to: 60) : ""), qualifiers(of: variant), reference(of: variant),
        number == 0 ? layers.text(Branding.image + image.key) : "",
      ])
    }
  }
  output.line(String(table(rows, style: output.style).dropLast()))
}

/// The devices that a variant is for: "phone, scale 2".
func qualifiers(of variant: Value) -> String {
  var parts: [String] = []
  for qualifier in Qualifier.allCases {
    let name = qualifier.description
    guard let value = variant[name] else { continue }
    switch qualifier {
    case .idiom, .appearance, .orientation, .locale: parts.append(truncated(value.plain, to: 63))
    default: parts.append("\(name) \(truncated(value.plain, to: 20))")
    }
  }
  return parts.isEmpty ? "any" : parts.joined(separator: ", ")
}

/// What a variant shows; an asset by the first digits of its SHA-256.
func reference(of variant: Value) -> String {
  let text = (variant["image"] ?? variant).plain
  return BrandCheck.isAsset(text) ? String(text.prefix(12)) : truncated(text, to: 60)
}

/// The brand without what a schema declares as secret.
private func masked(_ shown: Value, _ store: Store, _ context: Context) throws(StoreError) -> Value {
  guard !context.reveals, case .object(var members) = shown,
    case .list(let items) = try store.list(Branding.prefix + "**")
  else { return shown }
  for item in items where Masking.isSecret(item) {
    for (key, prefix) in [
      ("urls", Branding.url), ("files", Branding.file), ("options", Branding.option), ("images", Branding.image),
      ("colors", Branding.color), ("name", ""), ("identifier", ""),
    ] {
      for index in members.indices where members[index].key.sameBytes(as: key) {
        if prefix.isEmpty {
          if item.text("name").sameBytes(as: Branding.prefix + key) { members[index].value = .string(mask) }
        } else if case .object(let parts) = members[index].value {
          members[index].value = .object(
            parts.map { part in
              item.text("name").sameBytes(as: Branding.prefix + prefix + part.key)
                ? Value.Member(part.key, .string(mask)) : part
            })
        }
      }
    }
  }
  return .object(members)
}

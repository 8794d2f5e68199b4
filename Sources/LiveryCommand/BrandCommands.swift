import Livery

/// `livery brand`: the first word says what to do.
func brand(_ context: Context) throws(StoreError) {
  let rest = Array(context.words.dropFirst())
  let action = context.words.first ?? ""
  for one in brandActions where one.name.sameBytes(as: action) {
    try requireWords(rest, one.words, "livery brand \(one.name)", one.usage)
    try requireOptions(of: one, context)
    return try one.run(context, rest)
  }
  let near = nearestNames(to: action, among: brandActions.map { $0.name })
  throw StoreError(.usage, "there is no `livery brand \(truncated(action, to: 40))`\(didYouMean(near))")
}

private struct BrandAction: Sendable {
  let name: String
  let words: ClosedRange<Int>
  let usage: String
  let options: [String]
  let run: @Sendable (Context, [String]) throws(StoreError) -> Void

  init(
    _ name: String, _ words: ClosedRange<Int>, _ usage: String, _ options: [String],
    _ run: @escaping @Sendable (Context, [String]) throws(StoreError) -> Void
  ) {
    (self.name, self.words, self.usage, self.options, self.run) = (name, words, usage, options, run)
  }
}

/// Options that describe a device.
private let traitOptions = ["idiom", "scale", "width", "height", "appearance", "orientation", "contrast", "locale"]

private let brandActions: [BrandAction] = [
  BrandAction("show", 0...1, "[BRAND]", ["html", "color"], showBrand),
  BrandAction(
    "apply", 1...1, "FILE|DIR", ["brand", "bundle", "keep", "console", "whole", "replace", "origin"], applyBrand),
  BrandAction("check", 0...1, "[BRAND]", traitOptions, checkBrand),
  BrandAction("explain", 1...1, "NAME", traitOptions, explainBrand),
  BrandAction("use", 1...1, "BRAND", ["trial"], useBrand), BrandAction("list", 0...0, "", [], listBrands),
  BrandAction("set", 2...2, "ROLE COLOR", ["layer"], setBrandColor),
  BrandAction("enable", 1...1, "bundle|console", [], enableSource),
  BrandAction("disable", 1...1, "bundle|console", [], disableSource),
  BrandAction("rm", 1...1, "BRAND", [], removeBrand), BrandAction("wipe", 0...0, "", [], wipeBrand),
]

/// An option of another action would be passed over without a word.
private func requireOptions(of action: BrandAction, _ context: Context) throws(StoreError) {
  for other in brandActions {
    for option in other.options where context.arguments.has(option) {
      guard !action.options.contains(where: { $0.sameBytes(as: option) }) else { continue }
      throw StoreError(
        .usage, "--\(option) is for `livery brand \(other.name)`, not for `livery brand \(action.name)`")
    }
  }
}

private func applyBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let path = words[0]
  let isDirectory = Files.isDirectory(path) && !context.arguments.has("console")
  let bytes = isDirectory ? [] : try Files.read(path)
  let store = try context.open()
  let outcome: BrandOutcome
  if context.arguments.has("console") {
    for option in ["brand", "bundle", "keep"] where context.arguments.has(option) {
      throw StoreError(.usage, "--\(option) is for property lists, not for what the console sends")
    }
    let payload: Value
    do throws(StoreError) { payload = try Value(json: JSON.parse(bytes)) } catch { throw error.within(path) }
    outcome = store.branding.applyConsole(
      payload, origin: context.arguments.value("origin") ?? "console",
      isWhole: context.arguments.has("whole") ? true : nil, replaces: context.arguments.has("replace") ? true : nil)
  } else {
    for option in ["whole", "replace"] where context.arguments.has(option) {
      throw StoreError(.usage, "--\(option) is for what the console sends, with --console")
    }
    var options = StoreBranding.PropertyListOptions()
    options.brand = context.arguments.value("brand")
    options.bundle = context.arguments.value("bundle")
    options.keepsForLater = context.arguments.has("keep")
    options.origin = context.arguments.value("origin")
    outcome =
      isDirectory
      ? store.branding.applyDirectory(path, options: options)
      : store.branding.applyPropertyList(bytes, options: options)
  }
  let report = outcome.report
  if outcome.hasReport { context.output.result(report) }
  for problem in report.items("problems") {
    let place = truncated(problem.text("path"), to: 200)
    let message = truncated(problem.text("message"), to: 1000)
    context.output.warn(
      "\(Files.shown(path)): \(place.isEmpty ? "" : place + ": ")\(message) [\(problem.text("code"))]")
  }
  if let error = outcome.error { throw error.within(path) }
  context.output.hasCommitted = true
  let isKept = report["active"] == .bool(false)
  var line = context.arguments.has("console") ? "saved the console's brand" : "applied \(report.text("dialect"))"
  if report["file"] != nil { line += " of \(truncated(report.text("file"), to: 200))" }
  if report["brand"] != nil { line += " as \(truncated(report.text("brand"), to: 200))" }
  if isKept { line += ", kept for later" }
  if report["enabled"] == .bool(false) { line += "; it is switched off" }
  context.output.line(line)
  context.output.line(
    "  \(report.items("read").count) read, \(report.items("converted").count) converted, "
      + "\(report.items("ignored").count) ignored, \(report.number("images")) images stored")
  if let former = report["former"] {
    let count = former.number("differing")
    let name = former.text("name")
    context.output.line(
      "  in the place of \(name.isEmpty ? "another brand" : "`\(truncated(name, to: 100))`") of this identifier: "
        + "\(count) \(count == 1 ? "value differs" : "values differ")")
  }
  for (sign, key) in [("~", "converted"), ("-", "ignored")] {
    for item in report.items(key) {
      context.output.line(
        "  \(sign) \(truncated(item.text("path"), to: 200)): \(truncated(item.text("message"), to: 500))")
    }
  }
}

private func useBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let store = try context.open()
  try store.branding.use(words[0], trial: context.trial())
  try tellRevision(store, context)
}

private func removeBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let store = try context.open()
  try store.branding.remove(words[0])
  try tellRevision(store, context)
}

private func wipeBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let store = try context.open()
  try store.branding.wipe()
  try tellRevision(store, context)
}

private func enableSource(_ context: Context, _ words: [String]) throws(StoreError) {
  try enable(words[0], true, context)
}

private func disableSource(_ context: Context, _ words: [String]) throws(StoreError) {
  try enable(words[0], false, context)
}

private func enable(_ word: String, _ isEnabled: Bool, _ context: Context) throws(StoreError) {
  let source: BrandSource
  if word.sameBytes(as: "bundle") {
    source = .bundle
  } else if word.sameBytes(as: "console") {
    source = .console
  } else {
    throw StoreError(.usage, "a source is bundle or console, not `\(truncated(word, to: 40))`")
  }
  let store = try context.open()
  try store.branding.setEnabled(isEnabled, source)
  try tellRevision(store, context)
}

private func setBrandColor(_ context: Context, _ words: [String]) throws(StoreError) {
  guard let (color, loss) = Color.read(css: words[1]) else {
    throw StoreError(.invalidValue, "`\(truncated(words[1], to: 40))` is not a color as CSS writes it")
  }
  let layer = try context.layer()
  let store = try context.open()
  // The setting's own name is as good.
  let prefix = "branding.color."
  let name = words[0].utf8.starts(with: prefix.utf8) ? String(words[0].dropFirst(prefix.utf8.count)) : words[0]
  if loss > 0 {
    context.output.warn(
      "livery: warning: `\(truncated(words[1], to: 80))` is read as \(color.formatted())\(Color.note(ofLoss: loss))")
  }
  if let role = ColorRole.meant(by: name) {
    context.output.warn(
      "livery: warning: `\(truncated(name, to: 80))` is none of the six roles, and set as a color of its own; "
        + "did you mean `\(role)`?")
  }
  try store.branding.setColor(name, to: color, in: layer)
  try tellRevision(store, context)
}

private func tellRevision(_ store: Store, _ context: Context) throws(StoreError) {
  context.output.hasCommitted = true
  let revision = try store.revision()
  context.output.write("revision \(revision)", json: .object([.init("revision", .int(Int64(clamping: revision)))]))
}

private func listBrands(_ context: Context, _ words: [String]) throws(StoreError) {
  let store = try context.open(readOnly: true)
  let brands = try store.branding.list()
  context.output.result(brands)
  guard case .list(let items) = brands, !items.isEmpty else { return context.output.line("there are no brands") }
  var rows: [[String]] = []
  for item in items {
    rows.append([
      item.flag("active") ? "*" : " ", truncated(item.text("id"), to: 200), truncated(item.text("name"), to: 100),
      item.flag("enabled") ? "" : "off",
    ])
  }
  context.output.line(String(table(rows, style: context.output.style).dropLast()))
  for item in items {
    for twin in item.items("twins") {
      context.output.line(
        "`\(truncated(item.text("id"), to: 80))` has the same \(truncated(twin.text("part"), to: 80)) as "
          + "`\(truncated(twin.text("brand"), to: 80))`")
    }
  }
}

private func checkBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let traits = try context.traits()
  let store = try context.open(readOnly: true)
  let report = try store.branding.check(words.first, for: traits)
  context.output.result(report)
  for pair in report.items("pairs") where pair.flag("passes") {
    context.output.line("ok       \(pair.text("text")) on \(pair.text("background")): \(ratio(pair["ratio"]))")
  }
  for finding in report.items("findings") {
    let severity = finding.text("severity").sameBytes(as: "error") ? "error  " : "warning"
    context.output.line("\(severity)  \(truncated(finding.text("message"), to: 1000)) [\(finding.text("code"))]")
  }
  for note in report.items("notes") { context.output.line("note     \(truncated(note.text("message"), to: 1000))") }
  let errors = report.number("errors")
  context.output.line("\(errors) \(errors == 1 ? "error" : "errors"), \(report.number("warnings")) warnings")
  guard errors == 0 else {
    throw StoreError(.invalidValue, "the brand has \(errors) \(errors == 1 ? "error" : "errors")")
  }
}

private func explainBrand(_ context: Context, _ words: [String]) throws(StoreError) {
  let name = words[0]
  let traits = try context.traits() ?? Traits()
  let store = try context.open(readOnly: true)
  let found: Value
  do throws(StoreError) { found = try store.branding.explain(name, for: traits) } catch {
    guard error.code == .noValue else { throw error }
    // Colors are explained as settings.
    do throws(StoreError) { return try explainSetting(Branding.prefix + Branding.color + name, store, context) } catch {
      guard error.code == .notFound else { throw error }
    }
    throw StoreError(.noValue, "no source has an image or a color `\(truncated(name, to: 80))`")
  }
  context.output.result(found)
  let variants = found.items("variants")
  context.output.line("\(context.output.style.bold(name))  from \(found.text("layer"))")
  var fates = [String](repeating: "", count: variants.count)
  if case .int(let index)? = found["index"], index < fates.count { fates[Int(index)] = "fits best" }
  for step in found.items("steps") {
    for place in step.items("dropped") {
      guard case .int(let index) = place, index < fates.count else { continue }
      fates[Int(index)] = fate(step)
    }
  }
  var rows: [[String]] = []
  for (index, variant) in variants.enumerated() {
    rows.append(["  \(index)", qualifiers(of: variant), reference(of: variant), fates[index]])
  }
  if !rows.isEmpty { context.output.line(String(table(rows, style: context.output.style).dropLast())) }
  context.output.line(found.text("reason"))
  if case .int(let width)? = found["image"]?["pixelWidth"], case .int(let height)? = found["image"]?["pixelHeight"] {
    context.output.line("\(width) × \(height) pixels, \(found["image"]?.text("type") ?? "")")
  }
}

private func fate(_ step: Value) -> String {
  let qualifier = step.text("qualifier")
  if step.text("stage").sameBytes(as: "contradiction") { return "contradicts the device: \(qualifier)" }
  return qualifier.isEmpty ? "alike, and its bytes come later" : "another fits better: \(qualifier)"
}

/// A contrast for people, cut rather than rounded.
func ratio(_ value: Value?) -> String {
  guard case .double(let number)? = value else { return "" }
  let hundredths = Int((number * 100).rounded(.down))
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

extension Context {
  /// The device that the options describe; nil if none is given.
  func traits() throws(StoreError) -> Traits? {
    var traits = Traits()
    var isGiven = false
    func word(_ name: String, _ qualifier: Qualifier) throws(StoreError) -> Int32? {
      guard let text = arguments.value(name) else { return nil }
      isGiven = true
      guard let number = qualifier.number(of: text) else {
        throw StoreError(.usage, "--\(name) cannot be `\(truncated(text, to: 40))`; see `livery help brand`")
      }
      return number
    }
    func size(_ name: String) throws(StoreError) -> Double {
      guard let text = arguments.value(name) else { return 0 }
      isGiven = true
      guard case .double(let number)? = Value.string(text).coerced(to: .double), number > 0 else {
        throw StoreError(.usage, "--\(name) takes a number, not `\(truncated(text, to: 40))`")
      }
      return number
    }
    traits.idiom = try word("idiom", .idiom).flatMap { Traits.Idiom(rawValue: $0) }
    traits.appearance = try word("appearance", .appearance).flatMap { Traits.Appearance(rawValue: $0) }
    traits.orientation = try word("orientation", .orientation).flatMap { Traits.Orientation(rawValue: $0) }
    traits.contrast = try word("contrast", .contrast).flatMap { Traits.Contrast(rawValue: $0) }
    traits.scale = try size("scale")
    traits.width = try size("width")
    traits.height = try size("height")
    if let locale = arguments.value("locale") {
      isGiven = true
      traits.locale = locale
    }
    try traits.check()
    return isGiven ? traits : nil
  }
}

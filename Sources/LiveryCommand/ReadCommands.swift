import Livery

/// `livery get`
func get(_ context: Context) throws(StoreError) {
  var type: ValueType?
  if let name = context.arguments.value("type") {
    guard let known = ValueType(name: name) else {
      let near = nearestNames(to: name, among: ValueType.allCases.map { $0.description })
      throw StoreError(.usage, "there is no type `\(truncated(name, to: 40))`\(didYouMean(near))")
    }
    type = known
  }
  let store = try context.open(readOnly: true)
  var members: [Value.Member] = []
  for name in context.words {
    var value: Value
    if let type { value = try store.value(name, as: type) } else { value = try store.value(name) }
    if !context.reveals {
      let item = try store.inspect(name)
      if Masking.isSecret(item) { value = .string(mask) }
    }
    context.output.line(context.output.isTerminal ? visible(value.plain) : value.plain)
    members.append(.init(name, value))
  }
  context.output.result(members.count == 1 ? members[0].value : .object(distinct(members)))
}

/// Text for a terminal: lines stay, and what could steer the terminal goes.
private func visible(_ text: String) -> String {
  var lines: [String] = []
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    lines.append(truncated(String(line), to: Int.max))
  }
  return lines.joined(separator: "\n")
}

/// An object's keys are distinct; a name that was given twice counts once.
private func distinct(_ members: [Value.Member]) -> [Value.Member] {
  var kept: [Value.Member] = []
  for member in members where !kept.contains(where: { $0.key.sameBytes(as: member.key) }) { kept.append(member) }
  return kept
}

/// `livery list`
func list(_ context: Context) throws(StoreError) {
  let limit = Int(clamping: try context.number("limit") ?? 0)
  let found = try context.open(readOnly: true).list(
    context.words.first, after: context.arguments.value("after"), limit: limit)
  guard case .list(let all) = found else { return }
  if context.arguments.has("names") {
    for item in all {
      let name = item.text("name")
      context.output.line(context.output.isTerminal ? visible(name) : name)
    }
    return context.output.result(.list(all.map { .string($0.text("name")) }))
  }
  let items = context.reveals ? all : all.map { Masking.masked($0) }
  context.output.result(.list(items))

  var rows = [["NAME", "VALUE", "LAYER", ""]]
  for item in items {
    let value = Masking.isSecret(item) && !context.reveals ? mask : item["value"]?.brief ?? "–"
    rows.append([
      item.text("name"), item.flag("unavailable") ? "sealed" : item["value"] == nil ? "–" : truncated(value, to: 60),
      item.text("layer"),
      item.flag("locked") ? "locked" : "",
    ])
  }
  if rows.count > 1 {
    context.output.line(String(table(rows, style: context.output.style, header: true).dropLast()))
  }
}

/// `livery explain`
func explain(_ context: Context) throws(StoreError) {
  try explainSetting(context.words[0], context.open(readOnly: true), context)
}

func explainSetting(_ name: String, _ store: Store, _ context: Context) throws(StoreError) {
  let found = try store.inspect(name)
  let item = context.reveals ? found : Masking.masked(found)
  context.output.result(item)
  let style = context.output.style

  var heading = style.bold(item.text("name"))
  if item["title"] != nil { heading += " – " + truncated(item.text("title"), to: 120) }
  context.output.line(heading)
  context.output.line("  " + facts(of: item).joined(separator: " · "))
  if item["description"] != nil { context.output.line("  " + truncated(item.text("description"), to: 500)) }
  if item["deprecated"] != nil { context.output.line("  deprecated: " + truncated(item.text("deprecated"), to: 500)) }
  if case .object(let constraints)? = item["constraints"] {
    for constraint in constraints {
      context.output.line("  \(constraint.key): \(shown(constraint))")
    }
  }

  context.output.line("")
  let layers = item.items("layers")
  if !layers.isEmpty {
    let isHidden = Masking.isSecret(item) && !context.reveals
    var rows = [["  LAYER", "VALUE", "STATE", "SET BY", "WHEN", "REVISION"]]
    for layer in layers {
      let value = isHidden ? mask : layer["value"]?.brief ?? "–"
      let origin = layer.text("origin")
      rows.append([
        "  " + layer.text("layer"), truncated(value, to: 60), layer.text("state"),
        origin.isEmpty ? "–" : truncated(origin, to: 63), layer.time("time"), "\(layer.number("revision"))",
      ])
    }
    context.output.line(String(table(rows, style: style, header: true).dropLast()))
    for layer in layers {
      if layer["expires"] != nil {
        context.output.line("  \(layer.text("layer")) expires at \(layer.time("expires"))")
      }
      if layer["problem"] != nil {
        context.output.line("  \(layer.text("layer")): \(truncated(layer.text("problem"), to: 500))")
      }
    }
    context.output.line("")
  }
  context.output.line(item.text("reason"))
}

private func facts(of item: Value) -> [String] {
  var facts = [item["type"] == nil ? "no type" : item.text("type")]
  if item["group"] != nil { facts.append("in " + truncated(item.text("group"), to: 200)) }
  if item["readOnly"] == nil { facts.append("not declared by a schema") }
  if item.flag("secret") { facts.append("secret") }
  if item.flag("readOnly") { facts.append("set by the console alone") }
  if item.flag("locked") { facts.append("locked") }
  var aliases: [String] = []
  for alias in item.items("aliases") { aliases.append(alias.plain) }
  if !aliases.isEmpty { facts.append("also known as " + aliases.joined(separator: ", ")) }
  return facts
}

private func shown(_ constraint: Value.Member) -> String {
  guard constraint.key.sameBytes(as: "Options"), case .list(let options) = constraint.value else {
    return constraint.value.brief
  }
  var texts: [String] = []
  for option in options {
    let title = option.text("Title")
    let value = option["Value"]?.brief ?? ""
    texts.append(title.isEmpty ? value : "\(value) (\(truncated(title, to: 60)))")
  }
  return truncated(texts.joined(separator: ", "), to: 500)
}

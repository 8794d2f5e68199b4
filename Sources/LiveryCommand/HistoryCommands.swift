import Livery

/// `livery history`
func history(_ context: Context) throws(StoreError) {
  var filter = HistoryFilter()
  filter.pattern = context.words.first
  if context.arguments.has("layer") { filter.layer = try context.layer() }
  filter.origin = context.arguments.value("origin")
  filter.limit = Int(clamping: try context.number("limit") ?? 0)
  if let text = context.arguments.value("since") {
    guard let time = Timestamp(rfc3339: text) else {
      throw StoreError(
        .usage, "--since takes a time such as 2030-01-31T12:00:00Z, not `\(truncated(text, to: 40))`")
    }
    filter.since = time
  }
  guard case .list(let all) = try context.open(readOnly: true).history(filter) else { return }
  let commits = context.reveals ? all : all.map { masked($0) }
  context.output.result(.list(commits))
  guard !commits.isEmpty else { return }

  var rows = [["REVISION", "TIME", "LAYER", "ORIGIN", "NAME", "CHANGE"]]
  for commit in commits {
    let origin = commit.text("origin")
    var heading = [
      "\(commit.number("revision"))", commit.time("time"), commit.text("layer"),
      origin.isEmpty ? "–" : truncated(origin, to: 63),
    ]
    var layer = commit.text("layer")
    func add(_ name: String, _ change: String) {
      rows.append(heading + [name, change])
      heading = ["", "", "", ""]
    }
    if commit.text("kind").sameBytes(as: "schema") { add("–", "a schema was applied") }
    let kind = commit.text("kind")
    if kind.sameBytes(as: "trial") { add("–", "on trial for \(commit.number("length") / 1_000_000) seconds") }
    if kind.sameBytes(as: "confirmed") { add("–", "revision \(commit.number("trial")) was confirmed") }
    if kind.sameBytes(as: "reverted") { add("–", "revision \(commit.number("trial")) went back") }
    for change in commit.items("changes") {
      // One commit may be of several layers.
      let own = change.text("layer")
      if !own.sameBytes(as: layer) { (layer, heading[2]) = (own, own) }
      add(truncated(change.text("name"), to: 255), description(of: change))
    }
    if commit.flag("tooLarge") { add("–", "more changes than the log keeps") }
    // A commit that changed only what stronger layers cover.
    if heading[0].isEmpty == false { add("–", "no effective value") }
  }
  context.output.line(String(table(rows, style: context.output.style, header: true).dropLast()))
}

private func masked(_ commit: Value) -> Value {
  guard case .object(let members) = commit else { return commit }
  return .object(
    members.map { member in
      guard member.key.sameBytes(as: "changes"), case .list(let changes) = member.value else { return member }
      return Value.Member(member.key, .list(changes.map { Masking.maskedChange($0) }))
    })
}

private func description(of change: Value) -> String {
  var parts: [String] = []
  let old = shown(change["old"], change)
  let new = shown(change["new"], change)
  if change.flag("forgotten") {
    parts.append(change["new"] == nil ? "forgotten" : "forgotten → \(new)")
  } else if change.flag("unavailable") {
    parts.append("sealed")
  } else if change["writable"] == nil || change["old"] != change["new"] {
    parts.append("\(old) → \(new)")
  }
  if case .list(let layers)? = change["replaced"] { parts.append(replacement(by: change.text("layer"), of: layers)) }
  if change.flag("expired") { parts.append("\(change.text("layer")) expired") }
  if case .bool(let isWritable)? = change["writable"] { parts.append(isWritable ? "unlocked" : "locked") }
  return parts.joined(separator: ", ")
}

private func replacement(by layer: String, of layers: [Value]) -> String {
  let isConsole = Layer(name: layer)?.isConsole == true
  let whose = layers.map { $0 == .string("user") ? "the operator's" : "the session's" }
  return "\(isConsole ? "the console" : layer) replaced \(whose.joined(separator: " and "))"
}

private func shown(_ value: Value?, _ change: Value) -> String {
  guard let value else { return "–" }
  // A mask is text, and needs no quotes.
  if Masking.isSecret(change), value == .string(mask) { return mask }
  return truncated(value.brief, to: 60)
}

/// `livery undo`
func undo(_ context: Context) throws(StoreError) {
  guard case .int(let number)? = Value.string(context.words[0]).coerced(to: .int), number > 0 else {
    throw StoreError(
      .usage, "`\(truncated(context.words[0], to: 40))` is no revision; `livery history` lists them")
  }
  // Whoever could make the change can take it back, in `override` too.
  let store = try context.open(allowOverride: true)
  let revision = try store.undo(UInt64(number), force: context.arguments.has("force"))
  context.output.hasCommitted = true
  context.output.write("revision \(revision)", json: .object([.init("revision", .int(Int64(clamping: revision)))]))
}

import Livery

/// `livery migrate`
func migrate(_ context: Context) throws(StoreError) {
  let (path, schema) = try Files.schema(context.words[0])
  let isPlan = context.arguments.has("plan")
  let store = try context.open(readOnly: isPlan)
  let consents = context.arguments.values("declassify")
  let outcome =
    isPlan
    ? store.checkSchema(schema, declassifying: consents)
    : store.applySchema(
      schema, origin: context.arguments.value("origin") ?? "schema", declassifying: consents)
  try deliver(outcome, of: path, context)
  if !isPlan { context.output.hasCommitted = true }
  tell(outcome.report, of: path, context, isTrial: isPlan)
  if !isPlan { try requireNoDrift(outcome.report, of: path) }
}

/// Prints what the steps of migrations did to each value, or would do.
func tellSteps(_ report: Value, _ context: Context) {
  let steps = report.items("steps")
  guard !steps.isEmpty else { return }
  var rows = [["  STEP", "LAYER", "SETTING", "VALUE", ""]]
  for step in steps {
    let entry = context.reveals ? step : Masking.maskedStep(step)
    rows.append([
      "  \(entry.number("version")).\(entry.number("step")) \(entry.text("op"))", entry.text("layer"), path(of: entry),
      values(of: entry), note(on: entry),
    ])
  }
  context.output.line(String(table(rows, style: context.output.style, header: true).dropLast()))
  if report["moreSteps"] != nil { context.output.line("  … and \(report.number("moreSteps")) more") }
}

/// Prints which values an upgrade orphans and which orphaned ones it drops, or would.
func tellOrphans(_ report: Value, _ context: Context) {
  for (list, mark) in [("orphaned", "!"), ("dropped", "x")] {
    for item in report.items(list) {
      let entry = context.reveals ? item : Masking.masked(item)
      let value = shown(entry["value"], entry)
      let text = (list == "dropped" ? "dropped: " : "") + entry.text("message")
      context.output.line("  \(mark) \(entry.text("name")) in \(entry.text("layer")): \(value) is \(text)")
    }
  }
}

/// "a → b", with the items that the path leads through.
private func path(of entry: Value) -> String {
  var text = ""
  for (index, part) in entry.items("from").enumerated() { text += (index > 0 ? ", " : "") + part.plain }
  text += (text.isEmpty ? "" : " → ") + entry.text("name")
  for (index, part) in entry.items("into").enumerated() { text += (index > 0 ? ", " : " → ") + part.plain }
  for item in entry.items("items") { text += ", item \(item.plain)" }
  return truncated(text, to: 500)
}

private func values(of entry: Value) -> String {
  let before = shown(entry["before"], entry)
  let outcome = entry.text("outcome")
  if outcome.sameBytes(as: "failed") || outcome.sameBytes(as: "skipped") { return before }
  let after = shown(entry["after"], entry)
  return before.sameBytes(as: after) && entry["after"] != nil ? before : "\(before) → \(after)"
}

private func shown(_ value: Value?, _ entry: Value) -> String {
  guard let value else { return "–" }
  // A mask is text, and needs no quotes.
  return Masking.isSecret(entry) && value == .string(mask) ? mask : truncated(value.brief, to: 60)
}

private func note(on entry: Value) -> String {
  let outcome = entry.text("outcome")
  let reason = truncated(entry.text("reason"), to: 500)
  for plain in ["moved", "copied", "converted", "set"] where plain.sameBytes(as: outcome) { return reason }
  return reason.isEmpty ? outcome : "\(outcome): \(reason)"
}

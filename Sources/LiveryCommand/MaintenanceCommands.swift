import CSystem
import Livery

/// `livery backup`
func backup(_ context: Context) throws(StoreError) {
  if context.arguments.has("list") { return try listBackups(context) }
  let store = try context.open(readOnly: true)
  let path: String
  if let file = context.words.first {
    try store.backup(to: file)
    path = file
  } else {
    path = try store.backup()
  }
  context.output.hasCommitted = true
  context.output.write(truncated(path, to: 1000), json: .object([.init("path", .string(path))]))
}

private func listBackups(_ context: Context) throws(StoreError) {
  guard context.words.isEmpty else {
    throw StoreError(.usage, "`livery backup --list` takes no file; usage: livery backup --list")
  }
  let backups = try context.open(readOnly: true).backups()
  context.output.result(backups)
  guard case .list(let items) = backups, !items.isEmpty else { return }
  var rows = [["REVISION", "SCHEMA", "TIME", "REASON", "BYTES", "NAME"]]
  for item in items {
    rows.append([
      "\(item.number("revision"))", "\(item.number("schemaVersion"))", item.time("time"), item.text("reason"),
      "\(item.number("bytes"))", item.text("name"),
    ])
  }
  context.output.line(String(table(rows, style: context.output.style, header: true).dropLast()))
}

/// `livery restore`
func restore(_ context: Context) throws(StoreError) {
  var source = context.words.first
  if let word = source, word.sameBytes(as: "latest") { source = nil }
  let store = try context.open()
  if context.words.isEmpty, !context.arguments.has("yes") { try confirmRestore(of: store, context) }
  let revision = try store.restore(from: source, origin: context.arguments.value("origin") ?? "restore")
  context.output.hasCommitted = true
  context.output.write("revision \(revision)", json: .object([.init("revision", .int(Int64(clamping: revision)))]))
}

/// Asks whoever names no backup, since all settings become others.
private func confirmRestore(of store: Store, _ context: Context) throws(StoreError) {
  guard case .list(let backups) = try store.backups(), let latest = backups.first else { return }
  let name = latest.text("name")
  guard isatty(0) == 1, isatty(2) == 1, !context.output.isJSON else {
    throw StoreError(
      .usage,
      "`livery restore` would bring back \(name): say so with `livery restore latest` or --yes")
  }
  let revision = try store.revision()
  let question =
    "The store is at revision \(revision). Bring back all settings as of revision \(latest.number("revision")), "
    + "\(latest.time("time")) (\(latest.text("reason")))? [y/N] "
  _ = Files.write(question.bytes, to: 2)
  let answer = Files.line(from: 0)
  guard answer.sameBytes(as: "y") || answer.sameBytes(as: "Y") || answer.sameBytes(as: "yes") else {
    throw StoreError(.usage, "nothing was restored")
  }
}

/// `livery forget`
func forget(_ context: Context) throws(StoreError) {
  let report = try context.open().forget(context.words[0], inBackups: context.arguments.has("backups"))
  context.output.hasCommitted = true
  context.output.result(report)
  let commits = report.number("commits")
  context.output.line(
    "\(truncated(report.text("name"), to: 255)): forgotten in \(commits) commit\(commits == 1 ? "" : "s") of the log")
  for backup in report.items("backups") { context.output.line("  \(backup.text("outcome"))  \(backup.text("name"))") }
  for name in report.items("damaged") { context.output.line("  removed  \(name.plain) (damaged)") }
}

/// `livery compact`
func compact(_ context: Context) throws(StoreError) {
  let sizes = try context.open().compact()
  context.output.hasCommitted = true
  context.output.write(
    "\(sizes.before) bytes, now \(sizes.after)",
    json: .object([
      .init("before", .int(Int64(clamping: sizes.before))), .init("after", .int(Int64(clamping: sizes.after))),
    ]))
}

/// `livery check` without a schema
func checkStore(_ context: Context) throws(StoreError) {
  guard let path = context.storePath else {
    throw StoreError(.usage, "no store given: use --store PATH or set LIVERY_STORE")
  }
  let outcome = Store.check(path: path, timeout: try context.timeout() ?? 5000)
  if outcome.hasReport { context.output.result(outcome.report) }
  for damage in outcome.report.items("damage") {
    let page = damage["page"] == nil ? "" : "page \(damage.number("page")) "
    context.output.line(page + truncated(damage.text("message"), to: 1000))
  }
  if let error = outcome.error { throw error }
  let report = outcome.report
  context.output.line(
    "\(truncated(path, to: 500)): sound, \(report.number("records")) records on \(report.number("pages")) pages, "
      + "revision \(report.number("revision"))")
}

import Livery

/// `livery init`
func initialize(_ context: Context) throws(StoreError) {
  var schema: (path: String, text: [UInt8])?
  if let word = context.words.first, context.arguments.has("schema") {
    throw StoreError(.usage, "`\(Files.shown(word))` and --schema both name a schema")
  }
  if let word = context.arguments.value("schema") ?? context.words.first {
    let found = try Files.schema(word)
    // A broken schema leaves no empty store behind.
    try deliver(Store.checkSchema(found.text), of: found.path, context)
    schema = found
  }
  let isNew: Bool
  do throws(StoreError) {
    try context.open(readOnly: true).close()
    isNew = false
  } catch {
    guard error.code == .notFound || error.code == .notAStore else { throw error }
    isNew = true
  }
  let store = try context.open(create: true, sharesWithGroup: context.arguments.has("group"))
  context.output.hasCommitted = isNew
  context.output.line("\(isNew ? "made the store" : "there is a store in") \(truncated(store.path, to: 500))")
  var members: [Value.Member] = [.init("path", .string(store.path)), .init("created", .bool(isNew))]
  if let (path, text) = schema {
    let outcome = store.applySchema(text, declassifying: context.arguments.values("declassify"))
    if outcome.hasReport {
      tell(outcome.report, of: path, context)
      members.append(.init("report", context.reveals ? outcome.report : Masking.maskedReport(outcome.report)))
    }
    context.output.result(.object(members))
    if let error = outcome.error { throw failure(error, outcome.report, of: path) }
    context.output.hasCommitted = true
    try requireNoDrift(outcome.report, of: path)
  }
  context.output.result(.object(members))
}

/// `livery apply`
func apply(_ context: Context) throws(StoreError) {
  let (path, schema) = try Files.schema(context.words.first ?? ".")
  let store = try context.open()
  let outcome = store.applySchema(
    schema, origin: context.arguments.value("origin") ?? "schema",
    declassifying: context.arguments.values("declassify"))
  try deliver(outcome, of: path, context)
  context.output.hasCommitted = true
  tell(outcome.report, of: path, context)
  try requireNoDrift(outcome.report, of: path)
}

/// A schema that is ignored is nothing that a script may pass over.
func requireNoDrift(_ report: Value, of path: String) throws(StoreError) {
  guard report.flag("drift") else { return }
  throw StoreError(
    .lossy,
    "\(Files.shown(path)) was ignored: the store has version \(report.number("version")) with other content; raise `Version`"
  )
}

/// `livery check`
func check(_ context: Context) throws(StoreError) {
  guard !context.words.isEmpty else { return try checkStore(context) }
  var store: Store?
  // Versions are compared with each other, and not with a store that is only in the environment.
  if context.storePath != nil, context.words.count == 1 || context.arguments.has("store") {
    do throws(StoreError) {
      store = try context.open(readOnly: true)
    } catch {
      // A store that is only in the environment need not be there yet.
      guard error.code == .notFound, !context.arguments.has("store") else { throw error }
    }
  }
  var reports: [Value] = []
  var first: StoreError?
  var comparisons: [Value] = []
  var before: (path: String, schema: [UInt8])?
  for path in context.words {
    let (path, schema) = try Files.schema(path)
    let consents = context.arguments.values("declassify")
    let outcome = store?.checkSchema(schema, declassifying: consents) ?? Store.checkSchema(schema)
    do throws(StoreError) {
      try deliver(outcome, of: path, context)
      let warnings = outcome.report.items("diagnostics").count
      let found = warnings == 0 ? "no problems" : warnings == 1 ? "1 warning" : "\(warnings) warnings"
      context.output.line("\(Files.shown(path)): version \(outcome.report.number("version")), \(found)")
      if store != nil { tell(outcome.report, of: path, context, isTrial: true) }
      if let before { try compare(before, (path, schema), context, &comparisons) }
    } catch {
      if first == nil { first = error }
    }
    before = (path, schema)
    reports.append(context.reveals ? outcome.report : Masking.maskedReport(outcome.report))
  }
  context.output.result(
    reports.count == 1
      ? reports[0] : .object([.init("reports", .list(reports)), .init("comparisons", .list(comparisons))]))
  if let first { throw first }
}

/// Tells what stands between two versions of a schema; throws `.lossy` if values are lost.
private func compare(
  _ old: (path: String, schema: [UInt8]), _ new: (path: String, schema: [UInt8]), _ context: Context,
  _ comparisons: inout [Value]
) throws(StoreError) {
  let outcome = Store.compareSchemas(old.schema, new.schema)
  // What is wrong with one alone was told with it.
  guard outcome.error == nil else { return }
  comparisons.append(outcome.report)
  var allowed: Int64 = 0
  for finding in outcome.report.items("findings") {
    if isAllowed(finding, context) { allowed += 1 }
    warn(finding, in: finding.text("document").sameBytes(as: "old") ? old.path : new.path, context)
  }
  let errors = outcome.report.number("errors") - allowed, warnings = outcome.report.number("warnings")
  guard errors == 0 else {
    let count = errors == 1 ? "1 error" : "\(errors) errors"
    throw StoreError(.lossy, "\(Files.shown(new.path)): \(count) against \(Files.shown(old.path))")
  }
  let found = warnings == 0 ? "no problems" : warnings == 1 ? "1 warning" : "\(warnings) warnings"
  context.output.line("\(Files.shown(old.path)) → \(Files.shown(new.path)): \(found)")
}

/// Whether a finding is of a secret that may be none any more.
private func isAllowed(_ finding: Value, _ context: Context) -> Bool {
  guard finding.text("code").sameBytes(as: "declassified") else { return false }
  let name = finding.text("setting")
  return context.arguments.values("declassify").contains { $0.sameBytes(as: name) }
}

/// An error of applying a schema or of its plan. That secrets would be none any more is a finding, and no failure.
private func failure(_ error: StoreError, _ report: Value, of path: String) -> StoreError {
  let error = error.within(path)
  guard error.code == .migration else { return error }
  for step in report.items("steps") where step.text("outcome").sameBytes(as: "failed") { return error }
  guard report.items("declassified").contains(where: { !$0.flag("allowed") }) else { return error }
  return StoreError(
    .lossy, error.message + "; --declassify \(error.setting ?? "NAME") gives it", setting: error.setting)
}

/// Prints the diagnostics of a schema as compilers do, then throws what went wrong.
func deliver(_ outcome: SchemaOutcome, of path: String, _ context: Context) throws(StoreError) {
  if outcome.hasReport {
    context.output.result(context.reveals ? outcome.report : Masking.maskedReport(outcome.report))
    for diagnostic in outcome.report.items("diagnostics") { warn(diagnostic, in: path, context) }
  }
  guard let error = outcome.error else { return }
  if error.code == .migration {
    tellSteps(outcome.report, context)
    tellDeclassified(outcome.report, context)
  }
  throw failure(error, outcome.report, of: path)
}

/// Prints which secrets an upgrade shows, or would.
func tellDeclassified(_ report: Value, _ context: Context) {
  for item in report.items("declassified") {
    context.output.line("  ! \(truncated(item.text("message"), to: 500))\(item.flag("allowed") ? " (allowed)" : "")")
  }
}

private func warn(_ diagnostic: Value, in path: String, _ context: Context) {
  var place = Files.shown(path)
  if diagnostic["line"] != nil { place += ":\(diagnostic.number("line")):\(diagnostic.number("column"))" }
  let message = truncated(diagnostic.text("message"), to: 1000)
  context.output.warn("\(place): \(diagnostic.text("severity")): \(message) [\(diagnostic.text("code"))]")
  if diagnostic["hint"] != nil { context.output.warn("  hint: \(truncated(diagnostic.text("hint"), to: 1000))") }
}

/// Tells what applying a schema did, or would do.
func tell(_ report: Value, of path: String, _ context: Context, isTrial: Bool = false) {
  let output = context.output
  let version = report.number("version")
  if report.flag("drift") {
    // What was applied ends with an error that says so.
    if isTrial {
      output.warn(
        "\(Files.shown(path)): warning: the store has version \(version) with other content; "
          + "this one is ignored until its version is raised [drift]")
    }
    return
  }
  guard report.flag("applied") || (isTrial && version > report.number("previousVersion")) else {
    output.line("version \(version) is applied already")
    return
  }
  let before = report.number("previousVersion")
  output.line((isTrial ? "would apply" : "applied") + " version \(version)" + (before == 0 ? "" : " over \(before)"))
  for (sign, key) in [("+", "added"), ("-", "removed"), ("~", "changed")] {
    for name in report.items(key) { output.line("  \(sign) \(name.plain)") }
  }
  tellSteps(report, context)
  for item in report.items("rejected") {
    output.line("  ! \(item.text("name")) in \(item.text("layer")): \(truncated(item.text("message"), to: 500))")
  }
  tellOrphans(report, context)
  tellDeclassified(report, context)
  if report["backup"] != nil { output.line("before, a backup: \(truncated(report.text("backup"), to: 500))") }
}

extension StoreError {
  /// The error with the file that it is about.
  func within(_ path: String) -> StoreError {
    guard code == .parse || code == .schemaInvalid || code == .schemaNewer || code == .migration else { return self }
    var place = Files.shown(path)
    if code == .parse, let location { place += ":\(location.line):\(location.column)" }
    return prefixed("\(place): ")
  }
}

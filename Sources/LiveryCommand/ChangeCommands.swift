import Livery

/// `livery set`
func set(_ context: Context) throws(StoreError) {
  guard context.words.count % 2 == 0 else {
    throw StoreError(
      .usage, "`\(truncated(context.words.last ?? "", to: 80))` has no value; usage: livery set NAME VALUE")
  }
  let replaces = context.arguments.has("replace")
  let layer = try context.layer(replaces ? .recommended : .user)
  let expiry = try expiry(context)
  let store = try context.open(allowOverride: layer == .override)
  let change = try begin(layer, store, context)
  if let expiry { try change.expires(expiry) }
  try change.setTrial(context.trial())
  var position = 0
  while position + 1 < context.words.count {
    let name = context.words[position]
    let text = context.words[position + 1]
    var value = Value.string(text)
    var isJSON = context.arguments.has("value-json")
    if !isJSON { isJSON = try holdsParts(name, store) }
    if isJSON { value = try json(text, name) }
    if replaces { try change.replace(name, with: value) } else { try change.set(name, to: value) }
    position += 2
  }
  try commit(change, store, context)
}

/// `livery reset`
func reset(_ context: Context) throws(StoreError) {
  let isAll = context.arguments.has("all")
  guard isAll == context.words.isEmpty else {
    throw StoreError(
      .usage,
      isAll
        ? "give names or --all, not both"
        : "`livery reset` lacks the names of settings, or --all; usage: livery reset NAME… | --all")
  }
  let layer = try context.layer()
  let store = try context.open(allowOverride: layer == .override)
  let change = try begin(layer, store, context)
  try change.setTrial(context.trial())
  if isAll { try change.resetAll() }
  for name in context.words { try change.reset(name) }
  try commit(change, store, context)
}

private func begin(_ layer: Layer, _ store: Store, _ context: Context) throws(StoreError) -> ChangeSet {
  let change = try store.change(layer)
  try change.setOrigin(context.arguments.value("origin") ?? "cli")
  return change
}

private func commit(_ change: ChangeSet, _ store: Store, _ context: Context) throws(StoreError) {
  do throws(StoreError) {
    let revision = try change.commit()
    context.output.hasCommitted = true
    var line = "revision \(revision)"
    var members = [Value.Member("revision", .int(Int64(clamping: revision)))]
    if try context.trial() != nil {
      let told = try store.trialStatus()
      let isPending = told.text("state").sameBytes(as: "pending")
      let isOnTrial = isPending && told.number("revision") == Int64(clamping: revision)
      members.append(.init("trial", .bool(isOnTrial)))
      if !isOnTrial { line += "  nothing changed: nothing is on trial" }
    }
    context.output.write(line, json: .object(members))
  } catch {
    if case .list(let violations) = change.violations(), !violations.isEmpty {
      context.output.result(.object([.init("violations", .list(violations))]))
      if violations.count > 1 {
        for violation in violations { context.output.warn("  \(truncated(violation.text("message"), to: 1000))") }
      }
    }
    throw error
  }
}

/// Whether a setting is declared as a list or object, which text cannot say.
private func holdsParts(_ name: String, _ store: Store) throws(StoreError) -> Bool {
  do throws(StoreError) {
    let item = try store.inspect(name)
    let type = item.text("type")
    return item["readOnly"] != nil && (type.sameBytes(as: "list") || type.sameBytes(as: "object"))
  } catch {
    // The commit says better what is wrong, and takes the place of what is damaged.
    guard error.code == .notFound || error.code == .corrupt else { throw error }
    return false
  }
}

private func json(_ text: String, _ name: String) throws(StoreError) -> Value {
  do throws(StoreError) {
    return try Value(json: JSON.parse(text.bytes))
  } catch {
    throw StoreError(
      error.code, "the value of `\(truncated(name, to: 80))` is taken as JSON: \(error.message)", setting: name,
      location: error.location)
  }
}

/// When `--expires` says: a time, or so many seconds from now.
private func expiry(_ context: Context) throws(StoreError) -> Timestamp? {
  guard let text = context.arguments.value("expires") else { return nil }
  if text.hasPrefix("+"), case .int(let seconds)? = Value.string(String(text.dropFirst())).coerced(to: .int),
    seconds > 0
  {
    let (microseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (time, isTooLate) = Timestamp.now.microseconds.addingReportingOverflow(microseconds)
    if !isTooLong, !isTooLate, time <= Timestamp.latest.microseconds { return Timestamp(microseconds: time) }
  } else if let time = Timestamp(rfc3339: text) {
    return time
  }
  throw StoreError(
    .usage, "--expires takes a time such as 2030-01-31T12:00:00Z or +3600, not `\(truncated(text, to: 40))`")
}

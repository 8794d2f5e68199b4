import CSystem
import Livery

/// `livery asset`: images that settings refer to.
func asset(_ context: Context) throws(StoreError) {
  let word = context.words[0]
  for action in actions where action.name.sameBytes(as: word) {
    try requireWords(
      Array(context.words.dropFirst()), action.words, "livery asset \(action.name)", action.usage)
    for option in context.command.options where context.arguments.has(option) {
      guard action.options.contains(where: { $0.sameBytes(as: option) }) else {
        throw StoreError(.usage, "`livery asset \(action.name)` takes no --\(option)")
      }
    }
    return try action.run(context, Array(context.words.dropFirst()))
  }
  let near = nearestNames(to: word, among: actions.map { $0.name })
  throw StoreError(.usage, "there is no `livery asset \(truncated(word, to: 40))`\(didYouMean(near))")
}

private struct Action: Sendable {
  let name, usage: String
  let words: ClosedRange<Int>
  let options: [String]
  let run: @Sendable (Context, [String]) throws(StoreError) -> Void
}

private let actions: [Action] = [
  Action(name: "put", usage: "FILE… [--any]", words: 1...1000, options: ["any"], run: put),
  Action(name: "get", usage: "ID [--output FILE]", words: 1...1, options: ["output"], run: get),
  Action(name: "info", usage: "ID…", words: 1...1000, options: [], run: info),
  Action(name: "list", usage: "", words: 0...0, options: [], run: list),
  Action(name: "rm", usage: "ID… [--force]", words: 1...1000, options: ["force"], run: remove),
  Action(
    name: "gc", usage: "[--dry-run] [--ignore-log] [--min-age SECONDS]", words: 0...0,
    options: ["dry-run", "ignore-log", "min-age"], run: collect),
]

/// Stores files, all of them or none.
private func put(_ context: Context, _ files: [String]) throws(StoreError) {
  let change = try context.open().change(.user)
  var stored: [Asset] = []
  for file in files {
    let bytes = try Files.read(file)
    do throws(StoreError) { stored.append(try change.put(bytes, allowsAny: context.arguments.has("any"))) } catch {
      throw error.within(file)
    }
  }
  try change.commit()
  context.output.hasCommitted = true
  context.output.result(.list(stored.map { $0.value }))
  for (asset, file) in zip(stored, files) {
    context.output.line("\(asset.id)  \(facts(asset.value))  \(Files.shown(file))")
  }
}

private func get(_ context: Context, _ ids: [String]) throws(StoreError) {
  let assets = try context.open(readOnly: true).assets
  let bytes = try assets.bytes(ids[0])
  if let path = context.arguments.value("output"), !path.sameBytes(as: "-") {
    try Files.write(bytes, to: path, isPrivate: false)
    return context.output.result(.object([.init("written", .string(path))]))
  }
  if context.output.isJSON {
    guard case .object(let members) = try assets.info(ids[0]).value else { return }
    return context.output.result(.object(members + [.init("data", .data(bytes))]))
  }
  guard !context.output.isTerminal else {
    throw StoreError(.usage, "the bytes of an asset are not for a terminal: use --output FILE")
  }
  guard Files.write(bytes, to: 1) else { throw StoreError(.io, "cannot write to standard output") }
}

private func info(_ context: Context, _ ids: [String]) throws(StoreError) {
  let assets = try context.open(readOnly: true).assets
  var found: [Value] = []
  for id in ids { found.append(try assets.info(id).value) }
  context.output.result(.list(found))
  for asset in found { context.output.line("\(asset.text("id"))  \(facts(asset))") }
}

private func list(_ context: Context, _: [String]) throws(StoreError) {
  let found = try context.open(readOnly: true).assets.list()
  context.output.result(found)
  guard case .list(let items) = found, !items.isEmpty else { return }
  var rows = [["ID", "TYPE", "SIZE", "BYTES", "USED BY"]]
  for item in items {
    var names: [String] = []
    for name in item.items("uses") { names.append(truncated(name.plain, to: 255)) }
    rows.append([
      item.text("id"), item.flag("damaged") ? "damaged" : item.text("type"), size(item), "\(item.number("bytes"))",
      names.isEmpty ? "–" : names.joined(separator: ", "),
    ])
  }
  context.output.line(String(table(rows, style: context.output.style, header: true).dropLast()))
}

private func remove(_ context: Context, _ ids: [String]) throws(StoreError) {
  let assets = try context.open().assets
  var removed: [Value] = []
  for id in ids {
    try assets.remove(id, force: context.arguments.has("force"))
    context.output.hasCommitted = true
    context.output.line("removed \(id)")
    removed.append(.string(id))
    // What has been removed is told also if the next one fails.
    context.output.result(.object([.init("removed", .list(removed))]))
  }
}

private func collect(_ context: Context, _: [String]) throws(StoreError) {
  var options = Assets.CollectOptions()
  options.dryRun = context.arguments.has("dry-run")
  options.ignoresLog = context.arguments.has("ignore-log")
  options.minimumAge = UInt32(clamping: try context.number("min-age") ?? 0)
  let report = try context.open(readOnly: options.dryRun).assets.collect(options)
  if !options.dryRun { context.output.hasCommitted = true }
  context.output.result(report)
  for id in report.items("removed") { context.output.line(id.plain) }
  let verb = options.dryRun ? "would remove" : "removed"
  context.output.line(
    "\(verb) \(report.items("removed").count) of \(report.items("removed").count + Int(report.number("kept"))) assets, "
      + "\(report.number("bytes")) bytes")
}

/// The type and size of an asset.
private func facts(_ asset: Value) -> String {
  var parts = [asset.text("type")]
  if asset["width"] != nil { parts.append(size(asset)) }
  parts.append("\(asset.number("bytes")) bytes")
  return parts.joined(separator: "  ")
}

private func size(_ asset: Value) -> String {
  asset["width"] == nil ? "–" : "\(asset.number("width"))×\(asset.number("height"))"
}

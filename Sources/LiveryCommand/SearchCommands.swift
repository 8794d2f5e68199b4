import Livery

/// `livery search`
func search(_ context: Context) throws(StoreError) {
  let options = SearchOptions(
    limit: Int(clamping: try context.number("limit") ?? 0), locale: context.arguments.value("locale"),
    includesHidden: context.arguments.has("hidden"))
  let found = try context.open(readOnly: true).search(context.words.joined(separator: " "), options)
  context.output.result(found)
  if context.output.isJSON { return }
  let results = found.items("results")
  for result in results { show(result, context.output) }
  let total = found.number("total")
  if total > Int64(results.count) { context.output.line("and \(total - Int64(results.count)) more") }
  if total == 0 { context.output.line("nothing is found") }
}

/// The most texts that are shown of a setting, beside its title, name and value.
private let mostMatches = 10

/// One line for a setting, and one for each other text that it was found by.
private func show(_ result: Value, _ output: Output) {
  var line = Excerpt(result.text("name"), of: "name", in: result).shown(output.style)
  if result["title"] != nil {
    line += " – " + Excerpt(result.text("title"), of: "title", in: result).shown(output.style)
  }
  if result.flag("secret") {
    line += " = " + mask
  } else if let value = result["value"] {
    let text = value.plain
    line += " = " + (text.utf8.count > 60 ? value.brief : Excerpt(text, of: "value", in: result).shown(output.style))
  }
  output.line(line)
  var groups: [String] = []
  for group in result.items("group") {
    guard case .string(let title) = group else { continue }
    groups.append(Excerpt(title, of: "group", in: result).shown(output.style))
  }
  if !groups.isEmpty { output.line("  " + groups.joined(separator: " › ")) }
  var known = ByteIndex()
  for match in result.items("matches") {
    let field = match.text("field")
    let text = match.text("text")
    let isTold = ["name", "title", "group"].contains { field.sameBytes(as: $0) }
    let isInLine = field.sameBytes(as: "value") && match["pointer"] == nil && text.utf8.count <= 60
    guard !isTold, !isInLine, known.insert(text).isNew, known.count <= mostMatches else { continue }
    let place = match["pointer"] == nil ? field : "\(field) \(truncated(match.text("pointer"), to: 60))"
    output.line("  \(place): " + Excerpt(text, of: field, in: result).shown(output.style))
  }
  if known.count > mostMatches { output.line("  and \(known.count - mostMatches) more") }
}

/// A text with what was found in it; of a long one the part around the first.
private struct Excerpt {
  private static let longest = 120
  private static let before = 40

  private var bytes: [UInt8]
  private var isFound: [Bool]

  init(_ text: String, of field: String, in result: Value) {
    bytes = text.bytes
    isFound = [Bool](repeating: false, count: bytes.count)
    for match in result.items("matches") where match.text("field").sameBytes(as: field) {
      guard match.text("text").sameBytes(as: text) else { continue }
      let start = Int(match.number("offset"))
      for place in start..<min(start + Int(match.number("length")), bytes.count) { isFound[place] = true }
    }
  }

  func shown(_ style: Style) -> String {
    var from = 0
    var to = bytes.count
    if to > Self.longest {
      from = boundary(max(0, (isFound.firstIndex(of: true) ?? 0) - Self.before))
      to = boundary(min(to, from + Self.longest))
    }
    var text = from > 0 ? "…" : ""
    while from < to {
      let end = isFound[from..<to].firstIndex { $0 != isFound[from] } ?? to
      let part = truncated(String(decoding: bytes[from..<end], as: UTF8.self), to: Int.max)
      text += isFound[from] ? style.bold(part) : part
      from = end
    }
    return to < bytes.count ? text + "…" : text
  }

  /// The beginning of the character that a place is in.
  private func boundary(_ place: Int) -> Int {
    var place = place
    while place > 0, place < bytes.count, bytes[place] & 0xC0 == 0x80 { place -= 1 }
    return place
  }
}

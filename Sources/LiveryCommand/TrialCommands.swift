import Livery

/// `livery trial`: what goes back by itself unless it is confirmed.
func trial(_ context: Context) throws(StoreError) {
  let word = context.words[0]
  let rest = Array(context.words.dropFirst())
  for action in actions where action.name.sameBytes(as: word) {
    try requireWords(rest, action.words, "livery trial \(action.name)", action.usage)
    return try action.run(context, rest)
  }
  let near = nearestNames(to: word, among: actions.map { $0.name })
  throw StoreError(.usage, "there is no `livery trial \(truncated(word, to: 40))`\(didYouMean(near))")
}

private struct Action: Sendable {
  let name, usage: String
  let words: ClosedRange<Int>
  let run: @Sendable (Context, [String]) throws(StoreError) -> Void
}

private let actions: [Action] = [
  Action(name: "status", usage: "", words: 0...0, run: status),
  Action(name: "confirm", usage: "REVISION [--origin TEXT]", words: 1...1, run: confirm),
  Action(name: "revert", usage: "[REVISION] [--origin TEXT]", words: 0...1, run: revert),
]

private func status(_ context: Context, _ words: [String]) throws(StoreError) {
  let told = try context.open(readOnly: true).trialStatus()
  context.output.result(told)
  let revision = "revision \(told.number("revision"))"
  let state = told.text("state")
  if state.sameBytes(as: "none") { return context.output.line("nothing is or was on trial") }
  guard state.sameBytes(as: "pending") else {
    let what = state.sameBytes(as: "confirmed") ? "was confirmed" : "went back"
    let time = told.time("ended")
    return context.output.line("\(revision) \(what)" + (time.isEmpty ? "" : "  \(time)") + by(told.text("endOrigin")))
  }
  guard !told.items("settings").isEmpty else {
    return context.output.line("nothing is on trial any more: what \(revision) had changed was set since")
  }
  context.output.line("\(revision) is on trial until \(told.time("until"))" + by(told.text("origin")))
  for item in told.items("settings") {
    context.output.line("  \(item.text("layer"))  \(truncated(item.text("name"), to: 255))")
  }
}

private func by(_ origin: String) -> String { origin.isEmpty ? "" : "  \(truncated(origin, to: 63))" }

private func confirm(_ context: Context, _ words: [String]) throws(StoreError) {
  let begun = try revision(words[0])
  try tell(context, "confirmed", try context.open().confirmTrial(begun, origin: origin(context)))
}

private func revert(_ context: Context, _ words: [String]) throws(StoreError) {
  let begun = try words.first.map { (word) throws(StoreError) in try revision(word) } ?? 0
  try tell(context, "went back", try context.open().revertTrial(begun, origin: origin(context)))
}

private func tell(_ context: Context, _ what: String, _ made: UInt64) throws(StoreError) {
  context.output.hasCommitted = true
  context.output.write("\(what)  revision \(made)", json: .object([.init("revision", .int(Int64(clamping: made)))]))
}

private func origin(_ context: Context) -> String { context.arguments.value("origin") ?? "cli" }

private func revision(_ text: String) throws(StoreError) -> UInt64 {
  guard case .int(let number)? = Value.string(text).coerced(to: .int), number > 0 else {
    throw StoreError(.usage, "a revision is a whole number above 0, not `\(truncated(text, to: 40))`")
  }
  return UInt64(number)
}

extension Context {
  /// How long `--trial` says: so many seconds, or with a letter minutes, hours or days; nil if it is not given.
  func trial() throws(StoreError) -> Duration? {
    guard let text = arguments.value("trial") else { return nil }
    var number = text
    var unit: Int64 = 1
    for (letter, seconds) in [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)] as [(String, Int64)]
    where text.hasSuffix(letter) {
      number = String(text.dropLast())
      unit = seconds
    }
    if case .int(let count)? = Value.string(number).coerced(to: .int), count > 0 {
      let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
      if !isTooLong, seconds <= 366 * 86_400 { return .seconds(seconds) }
    }
    throw StoreError(.usage, "--trial takes a time such as 90s, 10m, 2h or 1d, not `\(truncated(text, to: 40))`")
  }
}

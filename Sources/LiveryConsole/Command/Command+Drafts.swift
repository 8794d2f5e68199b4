import LiveryClient
import LiveryFleet
import LiveryHTTP

extension Command {
  func draft(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "set":
      guard rest.count == 5 || rest[2].sameBytes(as: "release") else {
        throw Command.usage("\(rest[2]) needs a value: write `draft set CHANNEL VERB NAME VALUE`")
      }
      guard rest.count == 4 || !rest[2].sameBytes(as: "release") else {
        throw Command.usage("release takes no value: write `draft set CHANNEL release NAME`")
      }
      let name = rest[3]
      var value: Value?
      if rest.count == 5 {
        // JSON, or a text as it is, which may look like a number.
        let text = Value.string(rest[4])
        let given = (try? Value(json: rest[4])) ?? text
        do throws(Refusal) { value = try console.typed(name, given) } catch {
          guard given.type != .string, let typed = try? console.typed(name, text) else { throw error }
          value = typed
        }
      }
      try save([DraftSetting(name: name, verb: rest[2], value: value)], in: rest[1], console)
      done("\(name) is in the draft of \(rest[1])")
    case "unset":
      try save([DraftSetting(name: rest[2], verb: "", value: nil)], in: rest[1], console)
      done("\(rest[2]) is not in the draft of \(rest[1])")
    case "discard":
      try console.discard(rest[1], at: try seenRevision(), by: person)
      done("the draft of \(rest[1]) is what is published")
    default:
      let draft = try console.shown(console.draft(rest.count == 2 ? rest[1] : "fleet"))
      show(
        draft.json,
        ["revision \(draft.revision)"] + draft.settings.map { "\($0.name)\t\(Console.words($0))" })
    }
  }

  /// At the revision that is given; else at the present one, again while others are faster. What changes nothing is not
  /// saved.
  private func save(_ settings: [DraftSetting], in channel: String, _ console: Console) throws(Refusal) {
    let seen = try seenRevision()
    for attempt in 1...20 {
      do throws(Refusal) {
        let draft = try console.draft(channel)
        return try console.save(settings, in: channel, at: seen ?? draft.revision, by: person)
      } catch {
        guard error.reason == .conflict, seen == nil, attempt < 20 else { throw error }
      }
    }
  }

  /// The revision that is given; nil if none is.
  private func seenRevision() throws(Refusal) -> UInt64? {
    guard arguments["revision"] != nil else { return nil }
    return UInt64(clamping: try arguments.number("revision", 0, 0...1 << 50))
  }

  func difference(_ channel: String) throws(Refusal) {
    let plan = try plan()
    try plan.check()
    let console = try open()
    var difference = try console.difference(channel)
    difference.elsewhere.removeAll { !plan.conditions.isFor($0.version) }
    var lines = difference.settings.map { (one) in
      let written = one.after?.alias.map { " (written \($0))" } ?? ""
      return "\(one.name)\(written): \(Console.words(one.before)) → \(Console.words(one.after))"
    }
    if !plan.conditions.words.utf8.isEmpty { lines.append(plan.conditions.words) }
    for overlay in difference.overlays {
      lines.append(
        "above: publication \(overlay.number)\(overlay.name.map { " " + $0 } ?? ""), \(overlay.conditions.words)")
    }
    lines += difference.unfit.map { "\($0.name) does not fit the present schema: \($0.problem)" }
    lines += difference.elsewhere.map { $0.words }
    if let number = difference.trial, plan.conditions.trial == nil { lines.append(Difference.words(onTrial: number)) }
    lines.append("\(difference.devices) devices take \(channel)")
    var json = difference.json
    plan.conditions.add(to: &json)
    show(json, lines)
  }

  /// What the options say of how, when and for whom something is published.
  private func plan() throws(Refusal) -> Plan {
    var plan = Plan()
    plan.comment = arguments["comment"] ?? ""
    if let steps = arguments["steps"] {
      guard let shares = Hundredths.list(steps, 1...10_000) else {
        throw Command.usage("--steps takes percentages such as 2.5,10,100, not `\(steps)`")
      }
      plan.steps = shares
    }
    plan.pause = try arguments.number("pause", 0, 0...2_592_000)
    if let bound = arguments["bound"] {
      guard let share = Hundredths.parse(Array(bound.utf8)[...]), share <= 10_000 else {
        throw Command.usage("--bound takes a percentage such as 2.5, not `\(bound)`")
      }
      plan.bound = share
    }
    plan.name = arguments["name"]
    plan.conditions.from = try time("from")
    plan.conditions.until = try time("until")
    plan.conditions.app = arguments["app"]
    if let text = arguments["trial"] {
      guard let seconds = Conditions.seconds(text) else {
        throw Command.usage("--trial takes a time such as 90s, 10m, 2h or 1d, not `\(text)`")
      }
      plan.conditions.trial = Document.Trial(seconds: seconds, check: arguments["check"])
    } else if arguments["check"] != nil {
      throw Command.usage("--check is of something on trial: --trial says how long")
    }
    if let text = arguments["schema"] {
      guard let range = Conditions.versions(text) else {
        throw Command.usage("--schema takes versions such as 3 or 3..5, not `\(text)`")
      }
      plan.conditions.schema = range
    }
    return plan
  }

  private func time(_ option: String) throws(Refusal) -> ScheduledTime? {
    guard let text = arguments[option] else { return nil }
    if let seconds = Array(text.utf8)[...].decimal, seconds <= Int(Limit.time) { return .moment(Int64(seconds)) }
    guard let time = ScheduledTime(text: text) else {
      throw Command.usage(
        "--\(option) takes a date and time such as 2026-12-24T18:00, with Z for UTC; there is no `\(text)`")
    }
    return time
  }

  func publish(_ channel: String) throws(Refusal) {
    let console = try open()
    let plan = try plan()
    let seen = try arguments.number("revision", -1, 0...1 << 50)
    let revision = seen < 0 ? try console.draft(channel).revision : UInt64(clamping: seen)
    let settings = try console.draft(channel).settings
    for one in try console.elsewhere(settings, try console.known(channel)) where plan.conditions.isFor(one.version) {
      Output.complain(one.words)
    }
    if plan.conditions.trial == nil, !plan.conditions.isOverlay, let number = try console.trial(of: channel) {
      Output.complain(Difference.words(onTrial: number))
    }
    let number = try console.publish(channel, plan, at: revision, by: person)
    waitForHints(console)
    let detail = try console.publication(number)
    show(detail.json, [Command.summary(detail.line)])
  }

  /// A publication in a line.
  private static func summary(_ line: PublicationLine) -> String {
    let words = line.conditions.words
    return "publication \(line.number)\(line.name.map { " " + $0 } ?? ""): \(line.word)"
      + (words.utf8.isEmpty ? "" : ", " + words)
  }

  func rollout(_ rest: [String]) throws(Refusal) {
    switch rest.first {
    case "list", nil:
      let all = try open().publications(
        arguments["channel"], before: nil, limit: try arguments.number("limit", 100, 1...1000))
      show(
        list: all.map { $0.json },
        all.map {
          "\($0.number.description)\t\($0.channel)\t\($0.word)\t\($0.author)\t\(Output.plain($0.comment))"
            + ($0.name.map { "\t" + $0 } ?? "") + ($0.conditions.words.utf8.isEmpty ? "" : "\t" + $0.conditions.words)
        })
    case "show":
      let detail = try open().publication(try number(rest[1]))
      let hasEnded = detail.line.state == .complete && !detail.holds
      show(
        detail.json,
        [
          "publication \(detail.line.number.description) of \(detail.line.channel): \(detail.line.word)",
          hasEnded
            ? "it does not hold any more"
            : "\(detail.applied) of \(detail.expected) devices have it, \(detail.failed) failed, \(detail.scheduled) wait for "
              + "its time or have it on trial, and it is not for \(detail.passedOver)",
        ] + (detail.line.conditions.words.utf8.isEmpty ? [] : [detail.line.conditions.words]) + []
          + (detail.reason.map { [$0] } ?? []) + detail.failures.map { "\($0.device) \($0.name): \($0.problem)" })
    default: if let step = RolloutStep(rest[0]) { try act(step, rest[1]) }
    }
  }

  private func number(_ word: String) throws(Refusal) -> Int64 {
    guard let number = Array(word.utf8)[...].decimal else { throw Command.usage("a publication has a number") }
    return Int64(number)
  }

  /// Devices that were not told ask all the same, somewhat later.
  private func waitForHints(_ console: Console) {
    guard let problem = console.hints?.flush(2000) else { return }
    Output.complain("devices are not told at once, and ask by themselves: \(problem)")
  }

  func act(_ step: RolloutStep, _ word: String) throws(Refusal) {
    let console = try open()
    let number = try console.act(step, on: try number(word), by: person)
    waitForHints(console)
    let detail = try console.publication(number)
    show(detail.json, [Command.summary(detail.line)])
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Objects of JSON, as the API and `--json` have them.
struct JSON {
  private(set) var members: [Value.Member] = []

  mutating func add(_ key: String, _ text: String?) { if let text { members.append(.init(key, .string(text))) } }
  mutating func add(_ key: String, _ number: Int64?) { if let number { members.append(.init(key, .int(number))) } }
  mutating func add(_ key: String, _ number: Int) { members.append(.init(key, .int(Int64(number)))) }
  mutating func add(_ key: String, _ truth: Bool) { members.append(.init(key, .bool(truth))) }
  mutating func add(_ key: String, value: Value?) { if let value { members.append(.init(key, value)) } }
  mutating func add(_ key: String, texts: [String]) { members.append(.init(key, .list(texts.map { .string($0) }))) }

  var value: Value { .object(members) }
}

extension Value {
  /// The value as JSON. What is within an answer may be nested as deep as a value may be by itself, and the answer is deeper.
  var jsonBytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(.comma) }
        item.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(.comma) }
        Value.string(member.key).append(to: &bytes)
        bytes.append(.colon)
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    default:
      // Every scalar that was read is one that can be written.
      bytes += ((try? jsonText()) ?? "null").utf8
    }
  }
}

// What the domain tells, as JSON.

extension DeviceLine {
  var json: JSON {
    var json = JSON()
    json.add("id", id)
    json.add("name", name)
    json.add("groups", texts: groups)
    json.add("state", state.name)
    json.add("seen", seen)
    json.add("schema", schema)
    json.add("problem", problem)
    return json
  }
}

extension DeviceDetail {
  var json: JSON {
    var json = line.json
    json.add("enrolled", enrolled)
    json.add("reported", reported)
    json.add("health", health)
    json.add(
      "channels",
      value: .list(
        channels.map {
          var one = JSON()
          one.add("name", $0.name)
          one.add("has", $0.has)
          one.add("published", $0.published)
          return one.value
        }))
    json.add(
      "verdicts",
      value: .list(
        verdicts.map {
          var one = JSON()
          one.add("publication", $0.publication)
          one.add("channel", $0.channel)
          one.add("verdict", $0.verdict)
          return one.value
        }))
    json.add(
      "publications",
      value: .list(
        holdings.map {
          var one = JSON()
          one.add("publication", $0.publication)
          one.add("channel", $0.channel)
          one.add("name", $0.name)
          one.add("state", $0.state.word)
          one.add("about", $0.about)
          return one.value
        }))
    json.add(
      "violations",
      value: .list(
        violations.map {
          var one = JSON()
          one.add("name", $0.name)
          one.add("message", $0.message)
          return one.value
        }))
    json.add("settings", value: .list(settings.map { $0.json.value }))
    return json
  }
}

extension DeviceDetail.Setting {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    if isSecret { json.add("secret", true) } else { json.add("value", value: value) }
    json.add("layer", layer)
    json.add("decidedBy", decidedBy)
    json.add("publication", publication)
    json.add("time", time)
    json.add("author", author)
    if !later.isEmpty {
      json.add(
        "later",
        value: .list(
          later.map {
            var one = JSON()
            one.add("publication", $0.publication)
            one.add("verb", $0.setting.verb)
            if $0.setting.isSecret { one.add("secret", true) } else { one.add("value", value: $0.setting.value) }
            one.add("about", $0.about)
            return one.value
          }))
    }
    return json
  }
}

extension DraftSetting {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    json.add("written", alias)
    json.add("verb", verb)
    if isSecret, value != nil { json.add("secret", true) } else { json.add("value", value: value) }
    return json
  }
}

extension ChannelLine {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    json.add("changes", changes)
    json.add("settings", settings)
    json.add("version", version)
    json.add("publication", publication)
    json.add("published", published)
    json.add("rolling", isRolling)
    if !overlays.isEmpty { json.add("overlays", value: .list(overlays.map { .int($0) })) }
    return json
  }
}

extension ChannelDraft {
  var json: JSON {
    var json = JSON()
    json.add("revision", Int64(clamping: revision))
    json.add("settings", value: .list(settings.map { $0.json.value }))
    return json
  }
}

extension Difference.Setting {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    json.add("before", value: before?.json.value)
    json.add("after", value: after?.json.value)
    json.add("devices", devices.map { Int64($0) })
    return json
  }
}

extension Difference {
  var json: JSON {
    var json = JSON()
    json.add("revision", Int64(clamping: revision))
    json.add("settings", value: .list(settings.map { $0.json.value }))
    json.add("devices", devices)
    json.add("changed", changed.map { Int64($0) })
    if !overlays.isEmpty { json.add("overlays", value: .list(overlays.map { $0.json.value })) }
    if !unfit.isEmpty {
      json.add(
        "unfit",
        value: .list(
          unfit.map { .object([.init("name", .string($0.name)), .init("problem", .string($0.problem))]) }))
    }
    json.add("trial", trial)
    if !elsewhere.isEmpty { json.add("elsewhere", value: .list(elsewhere.map { $0.json.value })) }
    return json
  }
}

extension Difference.Elsewhere {
  fileprivate var json: JSON {
    var json = JSON()
    json.add("schema", version)
    json.add("devices", devices)
    json.add(
      "unfit",
      value: .list(unfit.map { .object([.init("name", .string($0.name)), .init("problem", .string($0.problem))]) }))
    return json
  }

  /// In words.
  package var words: String {
    let first = unfit.first.map { "\($0.name): \($0.problem)" } ?? ""
    let more = unfit.count > 1 ? ", and \(unfit.count - 1) more" : ""
    let who = Piece.count(devices, "device has", "devices have")
    return "\(who) version \(version) of the schema, and would refuse all of it: \(first)\(more)"
  }
}

extension PublicationLine {
  var word: String {
    switch state {
    case .rolling: "rolling"
    case .complete: "complete"
    case .stopped: "stopped"
    case .undone: "undone"
    case .over: "over"
    }
  }

  var json: JSON {
    var json = JSON()
    json.add("number", number)
    json.add("channel", channel)
    json.add("author", author)
    json.add("comment", comment)
    json.add("time", time)
    json.add("version", version)
    json.add("state", word)
    json.add("share", share)
    json.add("name", name)
    json.add("overlay", isOverlay)
    conditions.add(to: &json)
    return json
  }
}

extension Conditions {
  func add(to json: inout JSON) {
    json.add("from", value: from?.json)
    json.add("until", value: until?.json)
    if let trial {
      var one = JSON()
      one.add("seconds", trial.seconds)
      one.add("check", trial.check)
      json.add("trial", value: one.value)
    }
    json.add("app", app)
    if let schema { json.add("schema", value: .list([.int(schema.lowerBound), .int(schema.upperBound)])) }
    if !words.utf8.isEmpty { json.add("conditions", words) }
  }
}

extension ScheduledTime {
  fileprivate var json: Value {
    switch self {
    case .moment(let seconds): .int(seconds)
    case .local: .string(text)
    }
  }
}

extension PublicationDetail {
  var json: JSON {
    var json = line.json
    json.add("steps", value: .list(plan.steps.map { .int(Int64($0)) }))
    json.add("pause", plan.pause)
    json.add("bound", plan.bound)
    json.add("holds", holds)
    json.add("expected", expected)
    json.add("applied", applied)
    json.add("failed", failed)
    json.add("scheduled", scheduled)
    json.add("passedOver", passedOver)
    json.add("reason", reason)
    json.add("next", next)
    json.add("canUndo", canUndo)
    json.add("canResume", canResume)
    if isUnreadable { json.add("unreadable", true) }
    json.add(
      "failures",
      value: .list(
        failures.map {
          var one = JSON()
          one.add("device", $0.device)
          one.add("name", $0.name)
          one.add("problem", $0.problem)
          return one.value
        }))
    json.add("settings", value: .list(settings.map { $0.json.value }))
    return json
  }
}

extension HistoryLine {
  var json: JSON {
    var json = JSON()
    json.add("number", number)
    json.add("time", time)
    json.add("author", author)
    json.add("what", what)
    json.add("detail", detail)
    return json
  }
}

extension EnrollmentLine {
  var json: JSON {
    var json = JSON()
    json.add("id", id)
    json.add("label", label)
    json.add("groups", texts: groups)
    json.add("expires", expires)
    json.add("device", device)
    json.add("code", code)
    return json
  }
}

extension SchemaLine {
  var json: JSON {
    var json = JSON()
    json.add("version", version)
    json.add("digest", digest)
    json.add("title", title)
    json.add("known", isKnown)
    json.add("current", isCurrent)
    json.add("devices", devices)
    return json
  }
}

extension GroupLine {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    json.add("members", members)
    return json
  }
}

extension Console.Admin {
  var json: JSON {
    var json = JSON()
    json.add("name", name)
    json.add("role", Console.word(role))
    json.add("created", created)
    return json
  }
}

extension Console.Bearer {
  var json: JSON {
    var json = JSON()
    json.add("number", number)
    json.add("admin", admin)
    json.add("label", label)
    json.add("expires", expires)
    return json
  }
}

extension Console {
  /// How the fleet is, in short.
  func status() throws(Refusal) -> JSON {
    var json = JSON()
    json.add("fleet", fleet)
    json.add("generation", Int64(clamping: try stored()))
    let counts = try counts()
    json.add("devices", counts.reduce(0) { $0 + $1.count })
    for one in counts { json.add(one.state.name, one.count) }
    json.add("rolling", try database.number("SELECT COUNT(*) FROM publications WHERE state = 'rolling'") ?? 0)
    let document = try keyDocument()
    json.add("keys", document.version)
    json.add("keysExpire", document.expires)
    json.add("manifestsExpire", try database.number("SELECT MIN(expires) FROM channels"))
    if let publishing = try publishing() { json.add("publishing", value: publishing.json.value) }
    let troubles = try troubles()
    if !troubles.isEmpty {
      json.add(
        "problems",
        value: .list(
          troubles.map { .object([.init("part", .string($0.part)), .init("message", .string($0.message))]) }))
    }
    return json
  }
}

extension PublishingState {
  var json: JSON {
    var json = JSON()
    json.add("place", place)
    json.add("waiting", waiting)
    json.add("problem", problem)
    json.add("since", since)
    return json
  }
}

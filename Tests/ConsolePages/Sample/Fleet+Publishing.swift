import LiveryClient

@testable import LiveryConsole

extension Fleet {
  func channels(from: Int, limit: Int) throws(Refusal) -> (lines: [ChannelLine], total: Int) {
    lock.withLock {
      let names = ["fleet"] + groupNames.map { "group.\($0)" }
      return (names.dropFirst(from).prefix(limit).map { line($0) }, names.count)
    }
  }

  func channel(_ name: String) throws(Refusal) -> ChannelLine {
    try lock.withLock { () throws(Refusal) in
      try check(name)
      return line(name)
    }
  }

  private func check(_ channel: String) throws(Refusal) {
    guard
      channel == "fleet" || groupNames.contains(where: { channel == "group.\($0)" })
        || devices.contains(where: { channel == "device.\($0.id)" })
    else { throw Refusal(.notFound, "There is no channel \(channel).") }
  }

  /// What was published last, whether all have it or not.
  private func latest(_ channel: String) -> Publication? {
    publications.last { $0.line.channel == channel && ($0.line.state == .complete || $0.line.state == .rolling) }
  }

  private func line(_ name: String) -> ChannelLine {
    var line = ChannelLine()
    let channel = channel(at: name)
    let latest = latest(name)
    line.name = name
    line.settings = channel.draft.count
    line.changes = compare(latest?.settings ?? [], channel.draft).count
    if channel.version > 0 { line.version = channel.version }
    line.publication = latest?.line.number
    line.published = latest?.line.time
    line.isRolling = latest?.line.state == .rolling
    return line
  }

  private func compare(_ before: [DraftSetting], _ after: [DraftSetting]) -> [Difference.Setting] {
    var found: [Difference.Setting] = []
    for name in Set(before.map { $0.name } + after.map { $0.name }).sorted() {
      let old = before.first { $0.name == name }
      let new = after.first { $0.name == name }
      if old?.verb == new?.verb, old?.value == new?.value { continue }
      found.append(.init(name: name, before: old, after: new))
    }
    return found
  }

  func draft(_ channel: String) throws(Refusal) -> ChannelDraft {
    try lock.withLock { () throws(Refusal) in
      try check(channel)
      let held = self.channel(at: channel)
      return ChannelDraft(revision: held.revision, settings: held.draft)
    }
  }

  func save(_ settings: [DraftSetting], in channel: String, at revision: UInt64, by person: Person) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      try check(channel)
      var held = self.channel(at: channel)
      guard held.revision == revision else { throw Refusal(.conflict, "Somebody else has changed it meanwhile.") }
      for setting in settings {
        held.draft.removeAll { $0.name == setting.name }
        if !setting.verb.isEmpty { held.draft.append(setting) }
      }
      held.revision += 1
      keep(held, at: channel)
      note("Draft of \(channel)", settings.map { "\($0.name): \($0.verb)" }.joined(separator: ", "), person)
    }
  }

  func discard(_ channel: String, at revision: UInt64?, by person: Person) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      var held = self.channel(at: channel)
      guard revision ?? held.revision == held.revision else {
        throw Refusal(.conflict, "Somebody else has changed it meanwhile.")
      }
      held.draft = latest(channel)?.settings ?? []
      held.revision += 1
      keep(held, at: channel)
      note("Draft discarded", channel, person)
    }
  }

  func difference(_ channel: String) throws(Refusal) -> Difference {
    try lock.withLock { () throws(Refusal) in
      try check(channel)
      var difference = Difference()
      let held = self.channel(at: channel)
      difference.revision = held.revision
      difference.devices = devices.indices.filter { hears($0, channel) }.count
      difference.settings = compare(latest(channel)?.settings ?? [], held.draft).map { setting in
        var setting = setting
        setting.devices = difference.devices
        return setting
      }
      difference.changed = difference.settings.isEmpty ? 0 : difference.devices
      return difference
    }
  }

  func schema() throws(Refusal) -> [UInt8]? { lock.withLock { schemaTexts.last } }

  func asset(_ id: String) throws(Refusal) -> [UInt8]? { lock.withLock { assets.first { $0.id == id }?.bytes } }

  func keep(_ asset: [UInt8], by person: Person) throws(Refusal) {
    guard let id = (try? Assets.describe(asset))?["id"]?.text else { throw Refusal(.invalid, "That is no image.") }
    lock.withLock {
      if !assets.contains(where: { $0.id == id }) { assets.append((id, asset)) }
    }
  }

  func publish(_ channel: String, _ plan: Plan, at revision: UInt64, by person: Person) throws(Refusal) -> Int64 {
    try lock.withLock { () throws(Refusal) in
      try check(channel)
      let held = self.channel(at: channel)
      guard held.revision == revision else {
        throw Refusal(.conflict, "Somebody else has changed the draft meanwhile: please look at the difference again.")
      }
      return put(held.draft, channel, plan, person, plan.comment)
    }
  }

  private func put(
    _ settings: [DraftSetting], _ channel: String, _ plan: Plan, _ person: Person, _ comment: String
  ) -> Int64 {
    var held = self.channel(at: channel)
    held.version += 1
    keep(held, at: channel)
    var line = PublicationLine()
    line.number = Int64(publications.count + 1)
    (line.channel, line.author, line.comment, line.time) = (channel, person.name, comment, Fleet.now)
    line.version = held.version
    line.share = plan.steps.first ?? 10_000
    line.state = line.share == 10_000 ? .complete : .rolling
    publications.append(
      Publication(line: line, plan: plan, settings: settings, before: latest(channel)?.settings ?? []))
    note("Published", "\(channel) version \(line.version)", person)
    return line.number
  }

  func publications(_ channel: String?, before: Int64?, limit: Int) throws(Refusal) -> [PublicationLine] {
    lock.withLock {
      let found = publications.map { shown($0.line) }.reversed().filter { line in
        channel.map { line.channel == $0 } ?? true && before.map { line.number < $0 } ?? true
      }
      return Array(found.prefix(limit))
    }
  }

  private func shown(_ line: PublicationLine) -> PublicationLine {
    var line = line
    line.isGone = line.channel.hasPrefix("group.") && !groupNames.contains(String(line.channel.dropFirst(6)))
    return line
  }

  private func index(_ number: Int64) throws(Refusal) -> Int {
    guard number > 0, number <= publications.count else {
      throw Refusal(.notFound, "There is no publication \(number).")
    }
    return Int(number) - 1
  }

  func publication(_ number: Int64) throws(Refusal) -> PublicationDetail {
    try lock.withLock { () throws(Refusal) in
      let publication = publications[try index(number)]
      var detail = PublicationDetail()
      (detail.line, detail.plan, detail.reason) = (shown(publication.line), publication.plan, publication.reason)
      // What follows it holds in its place.
      detail.holds =
        publication.line.state == .rolling || published(publication.line.channel, for: nil)?.line.number == number
      let hasEnded = publication.line.state == .complete && !detail.holds
      let reporters = devices.indices.filter { place in
        !hasEnded && devices[place].verdicts.contains { $0.publication == number }
      }
      let expected = Set((hasEnded ? [] : expected(publication)) + reporters).sorted()
      detail.expected = expected.count
      detail.failed = reporters.filter { failed($0, publication) }.count
      detail.applied = reporters.count - detail.failed
      detail.failures = reporters.filter { failed($0, publication) }.prefix(20).map {
        (devices[$0].id, devices[$0].name, "refused: volume is above the maximum of 100")
      }
      detail.settings = compare(publication.before, publication.settings)
      detail.canUndo = !detail.line.isGone && latest(publication.line.channel)?.line.number == number
      detail.canResume = !detail.line.isGone && publication.line.state == .stopped
      if publication.line.state == .rolling { detail.next = publication.line.time + Int64(publication.plan.pause) }
      return detail
    }
  }

  func act(_ step: RolloutStep, on number: Int64, at share: Int?, by person: Person) throws(Refusal) -> Int64 {
    try lock.withLock { () throws(Refusal) in
      let index = try index(number)
      let publication = publications[index]
      guard share == nil || share == publication.line.share else { throw Refusal(.conflict, "It has gone on.") }
      switch step {
      case .stop:
        guard publication.line.state == .rolling else { throw Refusal(.conflict, "It is not rolling out.") }
        publications[index].line.state = .stopped
        publications[index].reason = "By \(person.name)."
        note("Rollout stopped", "publication \(number)", person)
      case .raise:
        guard publication.line.state == .rolling else { throw Refusal(.conflict, "It is not rolling out.") }
        let next = publication.plan.steps.first { $0 > publication.line.share } ?? 10_000
        publications[index].line.share = next
        if next == 10_000 { publications[index].line.state = .complete }
        note("Rollout raised", "publication \(number)", person)
      case .resume:
        guard publication.line.state == .stopped else { throw Refusal(.conflict, "It was not stopped.") }
        publications[index].line.state = .rolling
        publications[index].reason = nil
        note("Rollout resumed", "publication \(number)", person)
      case .undo:
        guard latest(publication.line.channel)?.line.number == number else {
          throw Refusal(.conflict, "Something else was published since.")
        }
        publications[index].line.state = .undone
        return put(publication.before, publication.line.channel, Plan(), person, "Undo of publication \(number)")
      }
      return number
    }
  }

  func history(before: Int64?, limit: Int) throws(Refusal) -> [HistoryLine] {
    lock.withLock {
      Array(log.reversed().filter { line in before.map { line.number < $0 } ?? true }.prefix(limit))
    }
  }

  // MARK: Joining, and schemas

  func tokens(from: Int, limit: Int) throws(Refusal) -> (lines: [EnrollmentLine], total: Int) {
    lock.withLock {
      let shown = codes.dropFirst(from).prefix(limit).map { line in
        var line = line
        (line.code, line.picture) = (nil, nil)
        return line
      }
      return (Array(shown), codes.count)
    }
  }

  func token(_ id: String) throws(Refusal) -> EnrollmentLine {
    guard let line = try tokens(from: 0, limit: Int.max).lines.first(where: { $0.id == id }) else {
      throw Refusal(.notFound, "There is no such code.")
    }
    return line
  }

  func enroll(_ label: String, groups: [String], hours: Int, by person: Person) throws(Refusal) -> EnrollmentLine {
    lock.withLock {
      var line = EnrollmentLine()
      line.id = "\(codes.count + 1)"
      (line.label, line.groups, line.expires) = (label, groups, Fleet.now + Int64(hours) * 3600)
      line.code = "livery:1?u=https%3A%2F%2Ffleet.example&f=signage&t=AAECAwQFBgcICQoLDA0ODw"
      codes.append(line)
      note("Code made", label, person)
      return line
    }
  }

  func withdraw(_ token: String, by person: Person) throws(Refusal) {
    lock.withLock {
      codes.removeAll { $0.id == token }
      note("Code withdrawn", token, person)
    }
  }

  func schemas() throws(Refusal) -> [SchemaLine] {
    lock.withLock {
      (1...max(1, schemaTexts.count)).map { version in
        var line = SchemaLine()
        line.version = Int64(version)
        line.title = "Signage"
        line.isKnown = version <= schemaTexts.count
        line.isCurrent = version == schemaTexts.count
        line.devices = devices.filter { $0.schema == version }.count
        return line
      }
    }
  }

  func addSchema(_ json: [UInt8], by person: Person) throws(Refusal) {
    if let error = Store.checkSchema(json).error { throw Refusal(.invalid, error.message) }
    lock.withLock {
      schemaTexts.append(json)
      note("Schema added", "", person)
    }
  }
}

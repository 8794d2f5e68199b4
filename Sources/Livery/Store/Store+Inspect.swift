extension Store {
  /// Everything about a setting: what it is, every layer's value, which one wins and why.
  ///
  /// Corresponds to `livery_inspect` in C, where the members of the result are described.
  ///
  /// - Throws: `.notFound` if there is no such setting, `.corrupt`.
  public func inspect(_ name: String) throws(StoreError) -> Value {
    try checkName(name)
    return try read { (view) throws(StoreError) in
      let now = Timestamp.now
      let target = try view.resolveAlias(name)
      let declaration = try view.declaration(target)
      let descriptor = declaration?.descriptor
      guard let effective = try view.effective(target) else {
        guard let facts = try view.orphan(target, among: view.orphans()) else {
          if let waiting = try waiting(target, view) { return waiting }
          throw view.unknown(name)
        }
        return orphan(target, facts, try view.records(of: target))
      }
      let records = try view.records(of: target)
      let resolution = resolve(records, at: now)
      let isOnTrial = try view.setting(target)?.trial != nil
      guard descriptor != nil || resolution.winner != nil || !records.isEmpty || isOnTrial else {
        // What is in effect has come from somewhere.
        if try view.current(effective, target, at: now).value != nil {
          throw .damaged("the layers' value of `\(target)`", setting: target)
        }
        if let waiting = try waiting(target, view) { return waiting }
        throw view.unknown(name)
      }

      var isSecret = try view.isSecret(target, descriptor, nil)
      for record in records where !isSecret { isSecret = try view.isSecret(target, descriptor, record.value) }
      var members = description(target, descriptor, resolution, isSecret: isSecret)
      members.append(.init("locked", .bool(resolution.isLocked)))
      var text = reason(records, resolution)
      if let winner = resolution.winner { text += replacement(by: winner, target, descriptor, view) }
      if !target.sameBytes(as: name) {
        members.append(.init("alias", .string(name)))
        text += " `\(name)` is an old name of it: use `\(target)`."
        text += try left(under: name, view)
      }
      let waits = try view.waiting(target)
      for value in waits { text += " " + value.sentence(hidesValue: isSecret) }
      text += try addTrial(of: target, isSecret: isSecret, view, to: &members)
      members.append(.init("reason", .string(text)))
      if !waits.isEmpty { members.append(.init("waits", .list(waits.map { $0.item }))) }
      let decision = (resolution.winner, resolution.isLocked)
      let winner = view.inEffect(decision, declaration, revision: effective.revision, at: now)
      if let value = winner.value {
        members.append(
          .init(
            "effective",
            .object([
              value.shownMember, .init("layer", .string(winner.layer.description)),
              .init("revision", .int(Int64(clamping: effective.revision))),
            ])))
      }
      var layers: [Value] = []
      for index in records.indices.reversed() {
        layers.append(layerItem(records[index], resolution.states[index], descriptor))
      }
      members.append(.init("layers", .list(layers)))
      return .object(members)
    }
  }

  /// Of values that have been left under an old name, when a schema made it an alias without moving them.
  @inline(never)
  private func left(under alias: String, _ view: View) throws(StoreError) -> String {
    guard let facts = try view.orphan(alias, among: view.orphans()) else { return "" }
    return " What layers hold under the old name does not count: orphaned since version \(facts.since)."
  }

  /// A setting of which nothing counts; nil if nothing waits either.
  private func waiting(_ name: String, _ view: View) throws(StoreError) -> Value? {
    let waits = try view.waiting(name)
    guard let first = waits.first else { return nil }
    var reason = "Nothing counts."
    for value in waits { reason += " " + value.sentence() }
    return .object([
      .init("name", .string(name)), .init("type", .string(first.value.type.description)), .init("locked", .bool(false)),
      .init("reason", .string(reason)), .init("waits", .list(waits.map { $0.item })), .init("layers", .list([])),
    ])
  }

  /// What is left of a setting that is no longer declared.
  private func orphan(_ name: String, _ facts: Orphans.Facts, _ records: [Record]) -> Value {
    var orphaned: [Value.Member] = [.init("since", .int(Int64(clamping: facts.since)))]
    var reason = "No schema declares it: orphaned since version \(facts.since). Its values do not count; they come back"
    reason += " if a later version declares it again"
    if let last = facts.until(options.orphanVersions) {
      orphaned.append(.init("until", .int(Int64(clamping: last))))
      reason += ", and are kept up to version \(last): an upgrade to a higher one drops them."
    } else {
      reason += ", and are kept until then."
    }
    var members: [Value.Member] = [.init("name", .string(name))]
    if let type = records.last?.value?.type { members.append(.init("type", .string(type.description))) }
    members.append(.init("secret", .bool(facts.isSecret)))
    members.append(.init("locked", .bool(false)))
    members.append(.init("orphaned", .object(orphaned)))
    members.append(.init("reason", .string(reason)))
    var layers: [Value] = []
    for record in records.reversed() { layers.append(layerItem(record, .orphaned, nil)) }
    members.append(.init("layers", .list(layers)))
    return .object(members)
  }

  private func description(
    _ name: String, _ descriptor: SettingDescriptor?, _ resolution: Resolution, isSecret: Bool
  ) -> [Value.Member] {
    var members: [Value.Member] = [.init("name", .string(name))]
    if let type = descriptor?.kind.description ?? resolution.winner?.value?.type.description {
      members.append(.init("type", .string(type)))
    }
    guard let descriptor else {
      if isSecret { members.append(.init("secret", .bool(true))) }
      return members
    }
    if let title = descriptor.title { members.append(.init("title", .string(title))) }
    if let text = descriptor.description { members.append(.init("description", .string(text))) }
    if !descriptor.group.isEmpty { members.append(.init("group", .string(descriptor.group))) }
    if descriptor.constraints.count > 0 { members.append(.init("constraints", descriptor.constraints)) }
    if let text = descriptor.deprecated { members.append(.init("deprecated", .string(text))) }
    if !descriptor.aliases.isEmpty { members.append(.init("aliases", .list(descriptor.aliases.map { .string($0) }))) }
    members.append(.init("secret", .bool(isSecret)))
    members.append(.init("readOnly", .bool(descriptor.isReadOnly)))
    if descriptor.isVolatile { members.append(.init("volatile", .bool(true))) }
    if let survived = descriptor.survived { members.append(.init("survives", survived)) }
    return members
  }

  private func layerItem(_ record: Record, _ state: LayerState, _ descriptor: SettingDescriptor?) -> Value {
    var members: [Value.Member] = [.init("layer", .string(record.layer.description))]
    if let value = record.value { members.append(value.shownMember) }
    members.append(.init("state", .string(state.description)))
    members.append(.init("revision", .int(Int64(clamping: record.revision))))
    members.append(.init("time", .date(record.time)))
    members.append(.init("origin", .string(record.origin)))
    if let expires = record.expires { members.append(.init("expires", .date(expires))) }
    if state == .rejected, let value = record.value, case .invalid(let violations)? = descriptor?.validated(value),
      let problem = violations.first
    {
      members.append(.init("problem", .string(problem.message)))
    }
    return .object(members)
  }

  /// One sentence, or a few, on which layer wins and why.
  private func reason(_ records: [Record], _ resolution: Resolution) -> String {
    guard let winner = resolution.winner else {
      return records.isEmpty
        ? "No layer has a value." : "No layer has a value that counts." + setAside(records, resolution)
    }
    var shadowed: [String] = []
    for index in records.indices.reversed() where resolution.states[index] == .shadowed {
      shadowed.append("`\(records[index].layer)`")
    }
    let text: String
    switch (winner.layer, shadowed.isEmpty) {
    case (.enforced, _):
      text =
        "`enforced` wins: the console enforces this value"
        + (shadowed.isEmpty ? "" : " over " + shadowed.joined(separator: ", ")) + ", and weaker layers are locked."
    case (.defaults, _): text = "`defaults` wins: no stronger layer has a value."
    case (_, true): text = "`\(winner.layer)` wins: it is the only layer with a value."
    case (_, false):
      text = "`\(winner.layer)` wins: it is stronger than \(shadowed.joined(separator: ", "))."
    }
    let locked = resolution.isLocked && winner.layer != .enforced
    return text + (locked ? " `enforced` locks the layers beneath it." : "") + setAside(records, resolution)
  }

  /// What people had set that the winner took the place of, as far as the log still tells: a damaged entry tells nothing.
  private func replacement(
    by winner: Record, _ name: String, _ descriptor: SettingDescriptor?, _ view: View
  ) -> String {
    guard winner.layer < .user, winner.layer != .defaults, let entry = try? view.logEntry(winner.revision),
      let former = Replacements(entry).edits(of: name, by: winner.layer).last
    else { return "" }
    let who = winner.layer.isConsole ? "The console" : "`\(winner.layer)`"
    let whose = former.layer == .user ? "the operator's" : "the session's"
    let wasSecret = entry.changes.contains { $0.isSecret && $0.name.sameBytes(as: name) }
    guard descriptor?.holdsSecret != true, !wasSecret, winner.value?.isSealed == false, let old = former.old,
      let new = winner.value
    else {
      return " \(who) replaced \(whose) value at revision \(winner.revision)."
    }
    return " \(who) replaced \(whose) \(old.brief) by \(new.brief) at revision \(winner.revision)."
  }

  private func setAside(_ records: [Record], _ resolution: Resolution) -> String {
    var text = ""
    for index in records.indices.reversed() {
      let record = records[index]
      switch resolution.states[index] {
      case .expired where record.hasEndedWithBoot: text += " `\(record.layer)` ended with a boot of the system."
      case .expired: text += " `\(record.layer)` expired at \(record.expires?.rfc3339 ?? "") and no longer counts."
      case .rejected: text += " `\(record.layer)` no longer satisfies the schema and does not count."
      case .wins, .shadowed, .orphaned: break
      }
    }
    return text
  }
}

extension Value {
  /// A member of a report that tells a value, or that it cannot be opened.
  var shownMember: Member { isSealed ? Member("unavailable", .bool(true)) : Member("value", self) }
}

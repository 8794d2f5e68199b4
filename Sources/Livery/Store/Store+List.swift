extension Store {
  /// Settings by pattern, in the order of their names: a list of objects `name`, `type`, `title`, `locked`, `secret`,
  /// `value`, `layer`, `revision`, of which those that do not apply are missing.
  ///
  /// Corresponds to `livery_list` in C.
  ///
  /// - Parameters:
  ///   - pattern: see `NamePattern`; nil for all.
  ///   - after: list only names that come after this one.
  ///   - limit: the most items; 0 for no limit.
  public func list(_ pattern: String? = nil, after: String? = nil, limit: Int = 0) throws(StoreError) -> Value {
    let pattern = try pattern.map { (text) throws(StoreError) in try NamePattern(text) }
    return try read { (view) throws(StoreError) in
      let now = Timestamp.now
      var items: [Value] = []
      try view.walkEffective(
        after: after, prefix: pattern?.literalPrefix ?? ""
      ) { (name, record) throws(StoreError) in
        if let pattern, !pattern.matches(name) { return true }
        let record = try view.current(record, name, at: now)
        let admission = try view.admission(name)
        guard admission.isKnown(with: record) else { return true }
        let descriptor = admission.declared?.descriptor
        let isSecret = try view.isSecret(name, descriptor, record.value)
        items.append(item(name, record, descriptor, isSecret: isSecret))
        return limit <= 0 || items.count < limit
      }
      return .list(items)
    }
  }

  private func item(_ name: String, _ record: Record, _ descriptor: SettingDescriptor?, isSecret: Bool) -> Value {
    var members: [Value.Member] = [.init("name", .string(name))]
    if let type = descriptor?.kind.description ?? record.value?.type.description {
      members.append(.init("type", .string(type)))
    }
    if let title = descriptor?.title { members.append(.init("title", .string(title))) }
    if let value = record.value {
      members.append(value.shownMember)
      members.append(.init("layer", .string(record.layer.description)))
      members.append(.init("revision", .int(Int64(clamping: record.revision))))
    }
    members.append(.init("locked", .bool(record.isLocked)))
    if isSecret { members.append(.init("secret", .bool(true))) }
    return .object(members)
  }
}

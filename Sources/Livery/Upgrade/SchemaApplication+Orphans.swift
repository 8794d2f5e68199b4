extension SchemaApplication {
  /// Decides what becomes of a value that the layers will hold and that does not count, since its setting is not declared:
  /// it is orphaned, or dropped if it was for long enough.
  ///
  /// - Parameter isNew: a step has made it or brought it there, of a secret or not.
  mutating func drops(
    _ value: Value, _ place: LayerKey, _ known: Orphans, isNew: Bool, _ isOfSecret: Bool
  ) throws(StoreError) -> Bool {
    var facts = known.facts(place.name)
    if facts == nil, !isNew { facts = try view.orphan(place.name, among: known) }
    let wasSecret: Bool
    if let facts {
      wasSecret = facts.isSecret
    } else {
      wasSecret = try view.descriptor(place.name)?.holdsSecret == true
    }
    let found = Orphans.Facts(
      since: isNew ? report.version : facts?.since ?? report.version, isSecret: wasSecret || isOfSecret)
    let last = found.until(orphanVersions)
    let isOver = last.map { report.version > $0 } ?? false
    if !isOver { orphans.insert(place.name, found) }
    guard isOver || found.since == report.version else { return false }
    var members: [Value.Member] = [
      .init("name", .string(place.name)), .init("layer", .string(place.layer.description)), value.shownMember,
      .init("since", .int(Int64(clamping: found.since))),
    ]
    var message = "orphaned since version \(found.since), kept "
    if let last {
      members.append(.init("until", .int(Int64(clamping: last))))
      message += "up to version \(last)"
    } else {
      message += "for ever"
    }
    members.append(.init("secret", .bool(found.isSecret)))
    members.append(.init("message", .string(message)))
    if isOver { report.dropped.append(.object(members)) } else { report.orphaned.append(.object(members)) }
    return isOver
  }
}

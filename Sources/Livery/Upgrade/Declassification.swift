// Secrets that an upgrade would show: none is without consent.
extension SchemaApplication {
  /// Finds what the new schema would show, by what both schemas say: the same for each store of a version, whatever it holds.
  mutating func findDeclassified() throws(StoreError) {
    guard report.previousVersion > 0 else { return }
    do throws(StoreError) {
      guard let before = try view.appliedSchema() else { return }
      report.declassified = try SchemaComparison(before, schema).declassified
    } catch {
      // Values that were secrets are found still.
      guard error.code == .corrupt || error.code == .parse else { throw error }
    }
  }

  /// Whether a value that the layers will hold is a secret that readers would see; it is noted then.
  mutating func declassifies(
    _ name: String, _ slot: MigrationLayer.Slot?, _ known: Orphans, _ claims: Claims
  ) throws(StoreError) -> Bool {
    for found in report.declassified where found.setting.sameBytes(as: name) { return true }
    let declared = validator.declared(name)
    let isClaimed = claims.isSecret(name)
    guard declared?.holdsSecret != true, declared != nil || !isClaimed && (schema.isOpen || claims.covers(name)) else {
      return false
    }
    let wasSecret: Bool
    if let slot, slot.isChanged {
      wasSecret = slot.isSecret
    } else if isClaimed {
      wasSecret = try view.descriptor(name) == nil
    } else {
      // The schema before may have declared it.
      let wasDeclared = try view.descriptor(name)?.holdsSecret == true
      wasSecret = wasDeclared || known.facts(name)?.isSecret == true
    }
    guard wasSecret else { return false }
    report.declassified.append(
      Declassification(
        setting: name, path: name, step: nil, message: "`\(name)` is no secret, and gets what was one"))
    return true
  }

  /// As a secret's, so that no message has the value.
  func masked(_ name: String, _ value: Value) -> Validation? {
    guard var descriptor = validator.declared(name) else { return nil }
    descriptor.hide()
    return SettingValidator(descriptor).validated(value)
  }

  mutating func refuseDeclassification() {
    guard report.refusal == nil else { return }
    var count = 0
    var first: Declassification?
    for found in report.declassified where !report.consents.contains(found.setting) {
      if first == nil { first = found }
      count += 1
    }
    guard let first else { return }
    let more = count > 1 ? " (and \(count - 1) more)" : ""
    report.refusal = StoreError(
      .migration, "\(first.message): that needs consent for `\(first.setting)`\(more)", setting: first.setting)
  }
}

extension SettingDescriptor {
  fileprivate mutating func hide() {
    isSecret = true
    for index in template.indices { template[index].hide() }
  }
}

extension Declassification {
  /// As an object for reports.
  func value(isAllowed: Bool) -> Value {
    var members: [Value.Member] = [.init("name", .string(setting)), .init("path", .string(path))]
    if let step { members.append(.init("step", .string(step))) }
    members.append(.init("allowed", .bool(isAllowed)))
    members.append(.init("message", .string(message)))
    return .object(members)
  }
}

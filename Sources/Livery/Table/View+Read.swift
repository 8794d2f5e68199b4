/// An effective record with the name of its setting.
struct FoundRecord {
  let name: String
  let record: Record
  /// It was asked for by another name.
  let isAlias: Bool
}

extension View {
  /// The effective record of the setting that a name or alias stands for, as it is stored.
  ///
  /// - Throws: `.notFound`, with the nearest names, if there is no such setting.
  func found(_ name: String) throws(StoreError) -> FoundRecord {
    if let record = try effective(name) { return FoundRecord(name: name, record: record, isAlias: false) }
    let target = try resolveAlias(name)
    guard !target.sameBytes(as: name), let record = try effective(target) else { throw unknown(name) }
    return FoundRecord(name: target, record: record, isAlias: true)
  }

  /// The record that is in effect at a moment.
  func effectiveRecord(_ found: FoundRecord, at now: Timestamp) throws(StoreError) -> Record {
    let current = try current(found.record, found.name, at: now)
    if current.value == nil, try !admission(found.name).isKnown(with: current) { throw unknown(found.name) }
    return current
  }

  /// The record that is in effect at a moment, of the setting that a name or alias stands for.
  func effectiveRecord(_ name: String, at now: Timestamp) throws(StoreError) -> Record {
    try effectiveRecord(found(name), at: now)
  }

  /// An effective record as it is at a moment: when its value has expired since, the one beneath.
  func current(_ record: Record, _ name: String, at now: Timestamp) throws(StoreError) -> Record {
    guard record.hasExpired(at: now) else { return record }
    return inEffect(
      decide(try records(of: name), at: now), try declaration(name), revision: record.revision, at: now)
  }

  /// What a resolution puts in effect: the winner's value in the type that the schema declares, while the layer keeps the
  /// value as it was set.
  func inEffect(
    _ decision: (winner: Record?, isLocked: Bool), _ declared: SettingValidator?, revision: UInt64, at now: Timestamp
  ) -> Record {
    var record = decision.winner ?? Record(nil, layer: .defaults, revision: revision, time: now)
    if let declared, let value = record.value, value.type != declared.descriptor.kind.valueType || value.count > 0,
      case .valid(let converted) = declared.validated(value)
    {
      record.value = declared.completed(converted)
    }
    record.isLocked = decision.isLocked
    record.revision = revision
    return record
  }

  /// Whether a setting that there is has no record of what is in effect, as when the record's name is damaged.
  private func lacksRecord(_ name: String) throws(StoreError) -> Bool {
    if try effective(name) != nil { return false }
    if try descriptor(name) != nil { return true }
    guard try admission(name).counts else { return false }
    return try !records(of: name).isEmpty
  }

  func unknown(_ name: String) -> StoreError {
    do throws(StoreError) {
      if try lacksRecord(name) { return .damaged("the record of `\(name)`", setting: name) }
    } catch {
      // A layer's record is damaged as well.
      if error.code == .corrupt { return error }
    }
    var names: [String] = []
    try? walkNames { known in
      // A setting that was removed leaves its name behind.
      if !known.sameBytes(as: name) { names.append(known) }
      return names.count < 10_000
    }
    return StoreError(
      .notFound, "there is no setting `\(name)`\(didYouMean(nearestNames(to: name, among: names)))", setting: name)
  }
}

extension StoreError {
  /// The value itself is shown unless it is secret.
  init(mismatch value: Value, of name: String, _ declared: SettingDescriptor??, _ type: String) {
    let shown = declared??.holdsSecret == true ? "••••••" : value.brief
    self.init(
      .typeMismatch, "`\(name)` is the \(value.type) \(shown), which does not convert to \(type) without loss",
      setting: name)
  }

  static func noValue(_ name: String) -> StoreError {
    StoreError(.noValue, "`\(name)` has no value: no layer sets it and the schema has no default", setting: name)
  }
}

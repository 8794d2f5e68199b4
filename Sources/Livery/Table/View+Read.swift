import LMDB

extension View {
  /// The value in effect of the setting that a name or alias stands for.
  ///
  /// - Parameters:
  ///   - moment: the present one if nil.
  ///   - keep: is handed the value with where it lies, and whether the name is an alias, if it is the one until the next
  ///     commit or until it expires.
  /// - Throws: `.notFound`, with the nearest names, if there is no such setting, `.noValue` if it has no value,
  ///   `.invalidArgument` if the name is malformed.
  @inline(__always)
  func value(
    of name: RawSpan, at moment: Timestamp? = nil,
    keep: (Value, RecordPlace, RawSpan, _ isAlias: Bool) -> Void = { _, _, _, _ in }
  ) throws(StoreError) -> Value {
    // No key is empty.
    let found = name.isEmpty ? .missing : try stored(name, at: moment) { keep($0, $1, $2, false) }
    if case .value(let value) = found { return value }
    if case .sealed(let sealed) = found { return try open(sealed, name.text ?? "") }
    let asked = try checkedName(name)
    var target = asked
    if case .missing = found {
      target = try resolveAlias(asked)
      let atTarget = try target.withSpan { (name) throws(StoreError) in
        try stored(name, at: moment) { keep($0, $1, $2, true) }
      }
      if case .value(let value) = atTarget { return value }
      if case .sealed(let sealed) = atTarget { return try open(sealed, target) }
      if case .missing = atTarget { throw unknown(asked) }
    }
    guard let value = try effectiveRecord(target, at: moment ?? .now).value else {
      throw .noValue(asked, whatWaits(target))
    }
    return try requireOpen(value, target)
  }

  /// What is stored under a name.
  private enum Stored {
    case missing
    case value(Value)
    /// No process keeps what it opens.
    case sealed(Sealed)
    /// No value, or one that has expired.
    case nothing
  }

  @inline(__always)
  private func stored(
    _ name: RawSpan, at moment: Timestamp?, keep: (Value, RecordPlace, RawSpan) -> Void
  ) throws(StoreError) -> Stored {
    let found: Stored?
    do throws(LMDBError) {
      found = try transaction.withValue(for: name, in: databases.settings) { (bytes) -> Stored? in
        guard let bytes else { return .missing }
        guard let place = RecordPlace(bytes, key: name, tag: Tag.settings) else { return nil }
        guard !place.isUnknown else { return .missing }
        guard place.type != nil else { return .nothing }
        guard place.counts(at: (moment ?? .now).microseconds, trialMoment) else { return .nothing }
        guard let value = place.value(in: bytes) else { return nil }
        if case .sealed(let sealed) = value { return .sealed(sealed) }
        keep(value, place, bytes)
        return .value(value)
      }
    } catch { throw StoreError(error) }
    guard let found else {
      let shown = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      throw StoreError.damaged("the record of `\(shown)`", setting: shown)
    }
    return found
  }

  private func checkedName(_ bytes: RawSpan) throws(StoreError) -> String {
    guard let name = bytes.text else {
      throw StoreError(.invalidArgument, "name is not UTF-8")
    }
    try checkName(name)
    return name
  }

  /// The effective record of the setting that a name or alias stands for, as it is stored, with the setting's own name.
  ///
  /// - Throws: `.notFound`, with the nearest names, if there is no such setting.
  func found(_ name: String) throws(StoreError) -> (name: String, record: Record) {
    if let record = try effective(name) { return (name, record) }
    let target = try resolveAlias(name)
    guard !target.sameBytes(as: name), let record = try effective(target) else { throw unknown(name) }
    return (target, record)
  }

  /// The record that is in effect at a moment, of the setting that a name or alias stands for.
  func effectiveRecord(_ name: String, at now: Timestamp) throws(StoreError) -> Record {
    let (name, stored) = try found(name)
    let current = try current(stored, name, at: now)
    if current.value == nil, try !admission(name).isKnown(with: current) { throw unknown(name) }
    return current
  }

  /// An effective record as it is at a moment: when its value has expired since, the one beneath.
  func current(_ record: Record, _ name: String, at now: Timestamp) throws(StoreError) -> Record {
    guard record.hasExpired(at: now) else { return record }
    return inEffect(
      decide(try records(of: name), at: now), try declaration(name), revision: record.revision, at: now)
  }

  /// What a resolution puts in effect: the winner's value in the type that the schema declares, while the layer keeps the
  /// value as it was set.
  @_optimize(speed)
  func inEffect(
    _ decision: (winner: Record?, isLocked: Bool), _ declared: SettingValidator?, revision: UInt64, at now: Timestamp
  ) -> Record {
    var record = decision.winner ?? Record(nil, layer: .defaults, revision: revision, time: now)
    if let declared, let value = record.value, let converted = declared.inEffect(value) { record.value = converted }
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

  /// - Parameter isBrief: whether all of the store's names are left alone, which it takes to tell whether one that is damaged may
  ///   be meant, or one that is like it.
  func unknown(_ name: String, isBrief: Bool = false) -> StoreError {
    if isBrief { return StoreError(.notFound, "there is no setting `\(name)`", setting: name) }
    do throws(StoreError) {
      if try lacksRecord(name) { return .damaged("the record of `\(name)`", setting: name) }
    } catch {
      // A layer's record is damaged as well.
      if error.code == .corrupt { return error }
    }
    var names: [String] = []
    do throws(StoreError) {
      guard let known = try self.names(beside: name, most: 10_000) else {
        return .damaged("the record of `\(name)`", setting: name)
      }
      names = known.filter { !$0.sameBytes(as: name) }
    } catch { if error.code == .noMemory { return error } }
    let hint = whatWaits(name)
    let end = hint.isEmpty ? didYouMean(near(name, among: names)) : hint
    return StoreError(.notFound, "there is no setting `\(name)`\(end)", setting: name)
  }

  /// The nearest names of settings that there are: one that was removed leaves its name behind.
  private func near(_ name: String, among names: [String]) -> [String] {
    let near = nearestNames(to: name, among: names, limit: 8).filter { (name) in
      if (try? descriptor(name)) != nil { return true }
      return (try? records(of: name).isEmpty) == false
    }
    return Array(near.prefix(3))
  }
}

extension StoreError {
  /// - Parameter isSecret: whether the value is not to be shown; nil if nobody can tell.
  init(mismatch value: Value, of name: String, isSecret: Bool?, _ type: String) {
    let shown = isSecret == false ? value.brief : "••••••"
    self.init(
      .typeMismatch, "`\(name)` is the \(value.type) \(shown), which does not convert to \(type) without loss",
      setting: name)
  }

  /// - Parameter rest: what else to say.
  static func noValue(_ name: String, _ rest: String = "") -> StoreError {
    StoreError(.noValue, "`\(name)` has no value: no layer sets it and the schema has no default\(rest)", setting: name)
  }
}

import LMDB

// The records of settings.
extension View {
  private static func damaged(_ name: String) -> StoreError { .damaged("the record of `\(name)`", setting: name) }

  /// What the layers hold for a setting and what is in effect, with values opened where that can be done; nil if nothing is
  /// stored of it.
  func setting(_ name: String) throws(StoreError) -> SettingRecord? {
    try storedSetting(name).map { opened($0, name) }
  }

  /// The same as it is stored.
  func storedSetting(_ name: String) throws(StoreError) -> SettingRecord? {
    try wholeSetting(name).map { current($0) }
  }

  /// A setting's record as it counts: where a trial is over with what was there before. Here alone that is decided.
  @inline(__always)
  func current(_ setting: SettingRecord) -> SettingRecord {
    guard let trial = setting.trial, trial.term.isOver(at: trialMoment) else { return setting }
    return setting.reverted
  }

  func opened(_ setting: SettingRecord, _ name: String) -> SettingRecord {
    var setting = setting
    setting.transform { (record, _) in opened(record, name) }
    return setting
  }

  /// All that is stored of a setting, be its trial over or not.
  func wholeSetting(_ name: String) throws(StoreError) -> SettingRecord? {
    let key = name.bytes
    return try read(key, databases.settings, orDamaged: "the record of `\(name)`", setting: name) {
      SettingRecord($0, key: key, tag: Tag.settings)
    }
  }

  /// What is left of a setting whose record is damaged: the default that the schema's text tells.
  @inline(never)
  func remains(of name: String) throws(StoreError) -> SettingRecord {
    var remains = SettingRecord()
    guard let schema = try appliedSchema() else { return remains }
    for setting in schema.settings where setting.key.sameBytes(as: name) {
      guard let value = setting.defaultValue else { continue }
      remains.set(Record(value, layer: .defaults, revision: try revision(), time: .now, origin: ""))
    }
    return remains
  }

  /// Stores what there is to be of a setting: sealed if it is a secret, and with what says when its values end.
  ///
  /// - Parameter former: what `expiries` says of what was stored of it before.
  @_optimize(speed)
  func put(_ setting: SettingRecord, _ name: String, inPlaceOf former: [ExpiryKey]) throws(StoreError) {
    var setting = setting
    if mayBeSealed { setting = try sealed(setting, name) }
    let endings = setting.endings(name)
    for ending in former where !endings.contains(where: { $0.isSame(as: ending) }) { try deleteExpiry(ending) }
    for ending in endings where !former.contains(where: { $0.isSame(as: ending) }) {
      try put([], ending.bytes, databases.expiries)
    }
    if setting.isUnknown, setting.values.isEmpty, setting.trial == nil {
      return try delete(name.bytes, databases.settings)
    }
    try name.withSpan { (key) throws(StoreError) in
      try setting.encode(key: key, tag: Tag.settings).withSpan { (bytes) throws(StoreError) in
        try put(bytes, key, databases.settings)
      }
    }
  }

  /// What is in effect; nil if reads know nothing of the setting.
  func effective(_ name: String) throws(StoreError) -> Record? { try setting(name)?.effective }

  /// What a layer holds.
  func record(_ place: LayerKey) throws(StoreError) -> Record? {
    try storedSetting(place.name)?.value(of: place.layer).map { opened($0, place.name) }
  }

  /// What the layers hold for a setting, weakest first.
  func records(of name: String) throws(StoreError) -> [Record] { try setting(name)?.values ?? [] }

  /// The revision of what a layer holds, which tells it from anything else that it has held; 0 if it holds nothing, nil if
  /// that is damaged.
  func revision(of place: LayerKey) throws(StoreError) -> UInt64? {
    do throws(StoreError) {
      return try storedSetting(place.name)?.value(of: place.layer)?.revision ?? 0
    } catch {
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }

  // MARK: walks

  /// Walks what is in effect in the order of names, after `after` and from `prefix` on while names begin with it.
  func walkEffective(
    after: String? = nil, prefix: String = "", _ body: (String, Record) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var start = prefix.bytes
    if let after, prefix.precedesInBytes(after) || prefix.sameBytes(as: after) {
      start = after.bytes
      start.append(0)
    }
    try walkSettings(from: start) { (name, setting) throws(StoreError) in
      guard name.utf8.starts(with: prefix.utf8) else { return false }
      guard let setting else { throw Self.damaged(name) }
      guard let record = setting.effective else { return true }
      return try body(name, opened(record, name))
    }
  }

  /// Walks the records of settings as they are stored, in the order of names; one for which there is nil is damaged.
  private func walkSettings(
    from start: [UInt8] = [], _ body: (String, SettingRecord?) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try walk(databases.settings, from: start) { (key, value) throws(StoreError) in
      guard let name = key.text else { throw StoreError.damaged("a name") }
      return try body(name, SettingRecord(value, key: key.array, tag: Tag.settings).map { current($0) })
    }
  }

  /// Walks what is in effect as it is stored, in the order of names; one for which there is nil is damaged.
  func walkStored(_ body: (RawSpan, RecordPlace?, RawSpan) throws(StoreError) -> Void) throws(StoreError) {
    try walk(databases.settings) { (key, value) throws(StoreError) in
      let place = RecordPlace(value, key: key, tag: Tag.settings)
      if place?.isUnknown != true { try body(key, place, value) }
      return true
    }
  }

  /// Some of the names that reads know, for whoever has asked for another one.
  ///
  /// - Returns: nil if a record is damaged that may be the one asked for: it verifies under that name, or its own may be damaged
  ///   as well.
  func names(beside asked: String, most: Int) throws(StoreError) -> [String]? {
    var names: [String] = []
    var isDamaged = false
    try walk(databases.settings) { (key, value) throws(StoreError) in
      guard let place = RecordPlace(value, key: key, tag: Tag.settings) else {
        isDamaged = asked.withSpan { RecordPlace(value, key: $0, tag: Tag.settings) != nil }
        if !isDamaged { isDamaged = mayBeDamaged(key, asked) }
        return !isDamaged
      }
      if names.count < most, !place.isUnknown, let name = key.text { names.append(name) }
      return true
    }
    return isDamaged ? nil : names
  }

  /// Whether the key of a damaged record may have been a name: damage changes bytes, or where the key ends. What the schema
  /// declares is a name of its own.
  private func mayBeDamaged(_ key: RawSpan, _ name: String) -> Bool {
    let (found, asked) = (key.array, name.bytes)
    guard found.count == asked.count || found.starts(with: asked) || asked.starts(with: found) else { return false }
    guard let known = key.text else { return true }
    do throws(StoreError) { return try descriptor(known) == nil } catch { return true }
  }

  /// Walks what a layer holds, or all layers from one on, in the order of names, and of each name the weakest first.
  func walkLayers(
    _ layer: Layer? = nil, from first: Layer = .defaults, _ body: (LayerKey, Record) throws(StoreError) -> Void
  ) throws(StoreError) {
    try walk(databases.settings) { (key, value) throws(StoreError) in
      guard let name = key.text else { throw StoreError.damaged("a name") }
      var holds = false
      let isWhole = EntryPlace.all(in: value, key: key, tag: Tag.settings, at: trialMoment) { entry in
        if layer.map({ $0 == entry.layer }) ?? (entry.layer >= first) { holds = true }
      }
      guard isWhole else { throw Self.damaged(name) }
      guard holds else { return true }
      guard let setting = SettingRecord(value, key: key.array, tag: Tag.settings) else { throw Self.damaged(name) }
      for record in current(setting).values where layer.map({ $0 == record.layer }) ?? (record.layer >= first) {
        try body(LayerKey(record.layer, name), opened(record, name))
      }
      return true
    }
  }

  /// The names that begin with a prefix and have a value in a layer, in order; also one that has ended, until it is removed.
  private func names(_ layer: Layer, prefix: String) throws(StoreError) -> [String] {
    var found: [String] = []
    try walk(databases.settings, from: prefix.bytes) { (key, value) throws(StoreError) in
      guard let name = key.text else { throw StoreError.damaged("a name") }
      guard name.utf8.starts(with: prefix.utf8) else { return false }
      var holds = false
      let isWhole = EntryPlace.all(in: value, key: key, tag: Tag.settings, at: trialMoment) {
        if $0.layer == layer { holds = true }
      }
      guard isWhole else { throw Self.damaged(name) }
      if holds { found.append(name) }
      return true
    }
    return found
  }

  /// The names that match a pattern and have a value in a layer, in order.
  func names(_ layer: Layer, matching pattern: NamePattern?) throws(StoreError) -> [String] {
    let found = try names(layer, prefix: pattern?.literalPrefix ?? "")
    guard let pattern else { return found }
    return found.filter { pattern.matches($0) }
  }

  /// Walks which layers hold values, of all settings whose records are sound, in the order of names.
  ///
  /// - Returns: how many settings reads know, the damaged ones too.
  @discardableResult
  func walkPlaces(_ body: (LayerKey) -> Void) throws(StoreError) -> Int {
    var count = 0
    try walk(databases.settings) { (key, value) throws(StoreError) in
      guard let name = key.text else { return true }
      _ = EntryPlace.all(in: value, key: key, tag: Tag.settings, at: trialMoment) { body(LayerKey($0.layer, name)) }
      if RecordPlace(value, key: key, tag: Tag.settings)?.isUnknown != true { count += 1 }
      return true
    }
    return count
  }

  /// Whether any layer but the defaults holds a value.
  func hasOwnValues() throws(StoreError) -> Bool {
    var found = false
    try walk(databases.settings) { (key, value) throws(StoreError) in
      let isWhole = EntryPlace.all(in: value, key: key, tag: Tag.settings, at: nil) {
        if $0.layer != .defaults { found = true }
      }
      if !isWhole { found = true }
      return !found
    }
    return found
  }
}

extension SettingRecord {
  /// What `expiries` says of what layers hold.
  func endings(_ name: String) -> [ExpiryKey] {
    var all: [ExpiryKey] = []
    for index in values.indices where values[index].expires != nil || values[index].boot != 0 {
      let record = values[index]
      let place = LayerKey(record.layer, name)
      if record.layer.canExpire, let expires = record.expires { all.append(ExpiryKey(expires, place)) }
      if record.boot != 0 { all.append(ExpiryKey(ExpiryKey.atBoot, place)) }
    }
    if let trial {
      for layer in Layer.allCases where trial.layers.contains(layer) {
        all.append(ExpiryKey(ExpiryKey.onTrial, LayerKey(layer, name)))
      }
    }
    return all
  }
}

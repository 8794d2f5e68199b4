import Livery

/// What the store promises about layers, locks, schemas and revisions, written down once more and without a database.
struct Oracle {
  struct Declaration: Equatable {
    var isInteger: Bool
    /// The largest integer, or the longest text.
    var maximum: Int64
    var defaultValue: Value?
    var isReadOnly = false
    var alias: String?
  }

  struct Entry: Equatable {
    var value: Value
    var expires: Timestamp?
    /// It does not satisfy the declaration of its setting.
    var isRejected = false
    var revision: UInt64 = 0

    func says(_ other: Entry) -> Bool {
      value == other.value && expires == other.expires && isRejected == other.isRejected
    }
  }

  struct Effective: Equatable {
    var value: Value?
    var layer: Layer?
    var expires: Timestamp?
    var isLocked = false
  }

  enum Edit {
    case set(String, Value)
    case reset(String)

    var name: String {
      switch self {
      case .set(let name, _), .reset(let name): name
      }
    }
  }

  struct Change {
    var layer: Layer
    var clears = false
    var expires: Timestamp?
    var edits: [Edit] = []
    var expected: [(name: String, revision: UInt64)] = []
    /// An import of plain values: passes over what may not be changed but is so already.
    var isImport = false
    var isPartial = false
  }

  var version: UInt64 = 0
  var isOpen = true
  var declared: [String: Declaration] = [:]
  var layers: [Layer: [String: Entry]] = [:]
  var revision: UInt64 = 0
  /// What is in effect as of the last commit that looked at a setting, and the revision at which that came about.
  private var effective: [String: (state: Effective, revision: UInt64)] = [:]
  /// The commit that removed what a layer held last.
  private var removed: [Layer: [String: UInt64]] = [:]

  // MARK: What reads tell

  func target(_ name: String) -> String {
    for (key, declaration) in declared where declaration.alias == name { return key }
    return name
  }

  /// Whether a name is one of a setting, declared or not, of which reads know.
  func exists(_ name: String) -> Bool {
    declared[name] != nil || isOpen && target(name) == name
  }

  func entries(_ name: String) -> [(layer: Layer, entry: Entry)] {
    Layer.allCases.compactMap { layer in layers[layer]?[name].map { (layer, $0) } }
  }

  private func counts(_ entry: Entry, _ now: Timestamp) -> Bool {
    if entry.isRejected { return false }
    guard let expires = entry.expires else { return true }
    return expires > now
  }

  func state(_ name: String, at now: Timestamp) -> Effective {
    guard exists(name) else { return Effective() }
    let counting = entries(name).filter { counts($0.entry, now) }
    guard let winner = counting.last else { return Effective() }
    return Effective(
      value: (try? fitting(winner.entry.value, name).get()) ?? winner.entry.value, layer: winner.layer,
      expires: winner.entry.expires,
      isLocked: counting.contains { $0.layer == .enforced })
  }

  /// The revision at which what is in effect last changed through a commit.
  func changed(_ name: String) -> UInt64 { effective[name]?.revision ?? 0 }

  /// The value that a read gives, or the code that it throws.
  func read(_ name: String, at now: Timestamp) -> Result<Value, StoreError> {
    let name = target(name)
    if let value = state(name, at: now).value { return .success(value) }
    return .failure(StoreError(declared[name] == nil ? .notFound : .noValue, ""))
  }

  /// The states that `inspect` tells, strongest first.
  func inspected(_ name: String, at now: Timestamp) -> [String] {
    let entries = entries(name)
    let winner = entries.last { counts($0.entry, now) }?.layer
    return entries.reversed().map { layer, entry in
      let isOver = entry.expires.map { $0 <= now } ?? false
      let state = entry.isRejected ? "rejected" : isOver ? "expired" : layer == winner ? "wins" : "shadowed"
      return "\(layer) \(entry.value.json()) \(state) \(entry.revision)"
    }
  }

  // MARK: Commits

  static func fits(_ value: Value, _ declaration: Declaration) -> Result<Value, StoreError> {
    switch value {
    case .int(let number) where declaration.isInteger:
      return number <= declaration.maximum ? .success(value) : .failure(StoreError(.invalidValue, ""))
    case .string(let text) where declaration.isInteger:
      guard let number = Int64(text) else { return .failure(StoreError(.typeMismatch, "")) }
      return fits(.int(number), declaration)
    case .string(let text):
      return text.utf8.count <= declaration.maximum ? .success(value) : .failure(StoreError(.invalidValue, ""))
    default: return .failure(StoreError(.typeMismatch, ""))
    }
  }

  private mutating func remove(_ name: String, _ layer: Layer) {
    layers[layer]?[name] = nil
    removed[layer, default: [:]][name] = revision + 1
  }

  /// Commits a change; the code of its first refusal if it is refused.
  mutating func commit(_ change: Change, at now: Timestamp) -> StoreError.Code? {
    var next = self
    var touched: Set<String> = []
    for expected in change.expected {
      let name = target(expected.name)
      let own = layers[change.layer]?[name]?.revision ?? removed[change.layer]?[name] ?? 0
      if max(changed(name), own) > expected.revision { return .conflict }
    }
    for (layer, entries) in layers {
      for (name, entry) in entries where entry.expires.map({ $0 <= now }) ?? false {
        next.remove(name, layer)
        touched.insert(name)
      }
    }
    if change.clears {
      let setAgain = change.edits.compactMap { edit -> String? in
        if case .set(let name, _) = edit { target(name) } else { nil }
      }
      for name in (next.layers[change.layer] ?? [:]).keys where !setAgain.contains(name) {
        next.remove(name, change.layer)
        touched.insert(name)
      }
    }
    // Of edits by the names of one setting the last counts.
    for (place, edit) in change.edits.enumerated() {
      let name = target(edit.name)
      if change.edits[(place + 1)...].contains(where: { target($0.name) == name }) { continue }
      let old = next.layers[change.layer]?[name]
      if let code = next.refusal(edit, name, change, at: now) {
        let isBarred = (code == .locked || code == .readOnly) && (change.layer != .override || change.expires != nil)
        if change.isPartial || change.isImport && isBarred && holds(edit, name, at: now) { continue }
        return code
      }
      switch edit {
      case .reset(let asked):
        // What has been left under the alias goes as well.
        if asked != name, next.layers[change.layer]?[asked] != nil {
          next.remove(asked, change.layer)
          touched.insert(asked)
        }
        guard old != nil else { continue }
        next.remove(name, change.layer)
        touched.insert(name)
      case .set(_, let given):
        guard case .success(let value) = next.fitting(given, name) else { continue }
        let fresh = Entry(value: value, expires: change.expires, revision: revision + 1)
        if let old, old.says(fresh) { continue }
        next.layers[change.layer, default: [:]][name] = fresh
        touched.insert(name)
      }
    }
    guard !touched.isEmpty else { return nil }
    next.revision += 1
    next.settle(touched, at: now)
    self = next
    return nil
  }

  private func fitting(_ value: Value, _ name: String) -> Result<Value, StoreError> {
    declared[name].map { Self.fits(value, $0) } ?? .success(value)
  }

  private func refusal(_ edit: Edit, _ name: String, _ change: Change, at now: Timestamp) -> StoreError.Code? {
    guard isOpen || declared[name] != nil || removesOrphan(edit, name, change.layer) else { return .notFound }
    let isConsole = change.layer == .recommended || change.layer == .enforced
    if declared[name]?.isReadOnly == true, !isConsole { return .readOnly }
    if change.layer < .enforced, exists(name), let enforced = layers[.enforced]?[name], counts(enforced, now) {
      return .locked
    }
    guard case .set(_, let given) = edit else { return nil }
    if change.layer == .override, change.expires == nil { return .invalidValue }
    if case .failure(let error) = fitting(given, name) { return error.code }
    return nil
  }

  private func removesOrphan(_ edit: Edit, _ name: String, _ layer: Layer) -> Bool {
    guard case .reset = edit else { return false }
    return layers[layer]?[name] != nil
  }

  private func holds(_ edit: Edit, _ name: String, at now: Timestamp) -> Bool {
    guard case .set(_, let given) = edit, case .success(let value) = fitting(given, name) else { return false }
    return state(name, at: now).value == value
  }

  /// Works out what is in effect anew, as the present revision.
  private mutating func settle(_ names: Set<String>, at now: Timestamp) {
    for name in names {
      guard exists(name) else {
        effective[name] = nil
        continue
      }
      let state = state(name, at: now)
      guard let old = effective[name] else {
        effective[name] = (state, state.value == nil ? 0 : revision)
        continue
      }
      if old.state != state { effective[name] = (state, revision) }
    }
  }

  // MARK: Schemas

  /// Applies a schema; false if it is refused.
  mutating func apply(_ version: UInt64, isOpen: Bool, _ fresh: [String: Declaration], at now: Timestamp) -> Bool {
    guard version >= self.version else { return false }
    guard version > self.version else { return true }
    var touched = Set(declared.keys).union(fresh.keys)
    for entries in layers.values { touched.formUnion(entries.keys) }
    touched.formUnion(fresh.values.compactMap { $0.alias })
    self.version = version
    self.isOpen = isOpen
    declared = fresh
    revision += 1
    var defaults: [String: Entry] = [:]
    for (name, declaration) in fresh {
      guard let value = declaration.defaultValue else { continue }
      let old = layers[.defaults]?[name]
      defaults[name] = old?.value == value ? old : Entry(value: value, revision: revision)
    }
    layers[.defaults] = defaults
    for layer in Layer.allCases where layer != .defaults {
      for (name, entry) in layers[layer] ?? [:] {
        guard let declaration = fresh[name] else {
          layers[layer]?[name]?.isRejected = false
          continue
        }
        switch Self.fits(entry.value, declaration) {
        // It stays as it was set; what is in effect is converted.
        case .success: layers[layer]?[name]?.isRejected = false
        case .failure: layers[layer]?[name]?.isRejected = true
        }
      }
    }
    settle(touched, at: now)
    return true
  }
}

// What each operation does in one place: a layer, or an item of a list.
extension MigrationStep {
  /// Carries out the step, and notes it. False if there was nothing to do; throws what makes the upgrade fail.
  func apply(
    in scope: MigrationScope, _ entry: inout MigrationEntry, defaultValue: (MigrationPath) -> Value?
  ) throws(StoreError) -> Bool {
    switch action {
    case .rename(let name, let into):
      guard try copy(name, into, in: scope, &entry) else { return false }
      try scope.put(nil, name, madeOf: [])
      entry.outcome = .moved
      return true
    case .copy(let name, let into): return try copy(name, into, in: scope, &entry)
    case .remove(let name):
      guard let old = try source(name, in: scope, &entry) else { return false }
      try scope.put(nil, name, madeOf: [])
      entry.note(.removed, old, nil)
      return true
    case .convert(let name, let conversion, let invalid):
      guard let old = try source(name, in: scope, &entry) else { return false }
      let (value, reason) = conversion.converted(old, isSecret: entry.isSecret)
      guard let value else {
        entry.before = old
        let replacement = invalid == .useDefault && !lists.isEmpty ? defaultValue(path(name)) : nil
        return try drop([name], invalid, because: reason, in: scope, &entry, replacement)
      }
      if value == old { return false }
      try scope.put(value, name, madeOf: [name])
      entry.note(.converted, old, value)
      return true
    case .set(let name, let value, let condition):
      // A member of an item; settings are set over all layers at once.
      let old = try source(name, in: scope, &entry)
      guard condition.isMet(by: old), old != value else { return false }
      try scope.put(value, name, madeOf: [])
      entry.note(.set, old, value)
      return true
    case .split(let name, let separator, let into, let invalid):
      return try split(name, by: separator, into, invalid, in: scope, &entry)
    case .join(let names, let separator, let into, let invalid):
      return try join(names, by: separator, into, invalid, in: scope, &entry)
    case .gather(let names, let into): return try gather(names, into, in: scope, &entry)
    case .spread(let name, let members): return try spread(name, members, in: scope, &entry)
    // It concerns a whole layer.
    case .call: return false
    }
  }

  /// The value of the one name that the step reads.
  private func source(
    _ name: String, in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Value? {
    entry.name = path(name).text
    return try scope.value(name)
  }

  /// Refuses to overwrite a value that the step does not read itself.
  private func checkFree(_ name: String, in scope: MigrationScope, _ entry: MigrationEntry) throws(StoreError) {
    for source in sources where source.sameBytes(as: name) { return }
    guard try scope.value(name) == nil else {
      throw StoreError(
        .migration,
        "`\(path(name).text)` has a value already, which \(entry.shownBefore) of "
          + "\(sources.map { path($0).text }.quoted) would replace")
    }
  }

  private func copy(
    _ name: String, _ into: String, in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let old = try source(name, in: scope, &entry) else { return false }
    entry.before = old
    entry.into = [path(into).text]
    try checkFree(into, in: scope, entry)
    try scope.put(old, into, madeOf: [name])
    entry.note(.copied, old, old)
    return true
  }

  /// Does as `Invalid` says with values of which nothing can be made.
  private func drop(
    _ names: [String], _ invalid: Invalid, because reason: String, in scope: MigrationScope,
    _ entry: inout MigrationEntry, _ replacement: Value? = nil
  ) throws(StoreError) -> Bool {
    if invalid == .fail { throw StoreError(.migration, reason) }
    for name in names { try scope.put(nil, name, madeOf: []) }
    if let replacement, let name = names.first { try scope.put(replacement, name, madeOf: [name]) }
    entry.note(invalid == .useDefault ? .defaulted : .removed, entry.before, replacement)
    entry.reason = reason
    return true
  }
}

// MARK: Texts

extension MigrationStep {
  private func split(
    _ name: String, by separator: String, _ targets: [String], _ invalid: Invalid, in scope: MigrationScope,
    _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let old = try source(name, in: scope, &entry) else { return false }
    entry.before = old
    for target in targets { entry.into.append(path(target).text) }
    let shown = entry.shownBefore
    guard case .string(let text)? = old.coerced(to: .string) else {
      return try drop([name], invalid, because: "\(shown) is not text but of type \(old.type)", in: scope, &entry)
    }
    let parts = Self.parts(of: text, by: separator, atMost: targets.count + 1)
    guard parts.count == targets.count else {
      let found = parts.count > targets.count ? "more" : "\(parts.count)"
      return try drop(
        [name], invalid, because: "\(shown) has \(found) parts for \(targets.count) paths", in: scope, &entry)
    }
    for target in targets { try checkFree(target, in: scope, entry) }
    var staysThere = false
    for (index, target) in targets.enumerated() where !target.sameBytes(as: name) {
      try scope.put(.string(parts[index]), target, madeOf: [name])
    }
    for (index, target) in targets.enumerated() where target.sameBytes(as: name) {
      staysThere = true
      try scope.put(.string(parts[index]), target, madeOf: [name])
    }
    if !staysThere { try scope.put(nil, name, madeOf: []) }
    entry.note(.moved, old, .list(parts.map { .string($0) }))
    return true
  }

  /// The parts of a text between separators; no more than asked for.
  private static func parts(of text: String, by separator: String, atMost limit: Int) -> [String] {
    let bytes = text.bytes
    let mark = separator.bytes
    var parts: [String] = []
    var start = 0
    var index = 0
    while !mark.isEmpty, index + mark.count <= bytes.count, parts.count + 1 < limit {
      var length = 0
      while length < mark.count, bytes[index + length] == mark[length] { length += 1 }
      if length == mark.count {
        parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
        index += mark.count
        start = index
      } else {
        index += 1
      }
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }

  private func join(
    _ names: [String], by separator: String, _ into: String, _ invalid: Invalid, in scope: MigrationScope,
    _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let found = try read(names, into, in: scope, &entry) else { return false }
    var text = ""
    var problem: String?
    for (index, name) in names.enumerated() {
      if index > 0 { text += separator }
      guard let value = found[index] else {
        problem = "`\(path(name).text)` has no value to join"
        break
      }
      guard let part = value.exactText else {
        problem = "`\(path(name).text)` is of type \(value.type), which is no text"
        break
      }
      text += part
      if text.utf8.count > Value.maximumSize {
        problem = "the text is longer than \(Value.maximumSize) bytes"
        break
      }
    }
    if let problem { return try drop(names, invalid, because: problem, in: scope, &entry) }
    return try replace(names, with: .string(text), into, in: scope, &entry)
  }
}

// MARK: Objects

extension MigrationStep {
  private func gather(
    _ names: [String], _ into: String, in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard try read(names, into, in: scope, &entry) != nil, let object = entry.before else { return false }
    return try replace(names, with: object, into, in: scope, &entry)
  }

  /// The values of several names; nil if there are none at all.
  private func read(
    _ names: [String], _ into: String, in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> [Value?]? {
    var found: [Value?] = []
    var object: [Value.Member] = []
    for name in names {
      let value = try scope.value(name)
      found.append(value)
      if let value { object.append(.init(name, value)) }
      entry.from.append(path(name).text)
    }
    if object.isEmpty { return nil }
    entry.name = path(into).text
    entry.before = .object(object)
    return found
  }

  /// Puts what was made of several values in their place.
  private func replace(
    _ names: [String], with value: Value, _ into: String, in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    try checkFree(into, in: scope, entry)
    try scope.put(value, into, madeOf: names)
    for name in names where !name.sameBytes(as: into) { try scope.put(nil, name, madeOf: []) }
    entry.note(.moved, entry.before, value)
    return true
  }

  /// Members that the step does not name stay where they are.
  private func spread(
    _ name: String, _ members: [(member: String, name: String)], in scope: MigrationScope,
    _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let old = try source(name, in: scope, &entry) else { return false }
    entry.before = old
    guard case .object(let object) = old else {
      throw StoreError(.migration, "\(entry.shownBefore) is not an object but of type \(old.type)")
    }
    var wanted = ByteIndex()
    for item in members { _ = wanted.insert(item.member) }
    var rest: [Value.Member] = []
    var moved: [(String, Value)] = []
    var after: [Value.Member] = []
    var own: Value?
    for member in object {
      guard let number = wanted.number(of: member.key) else {
        rest.append(member)
        continue
      }
      let target = members[number].name
      try checkFree(target, in: scope, entry)
      entry.into.append(path(target).text)
      after.append(.init(path(target).text, member.value))
      if target.sameBytes(as: name) { own = member.value } else { moved.append((target, member.value)) }
    }
    if after.isEmpty { return false }
    if own != nil, !rest.isEmpty {
      throw StoreError(.migration, "the member `\(truncated(rest[0].key, to: 80))` has no place to go")
    }
    for (target, value) in moved { try scope.put(value, target, madeOf: [name]) }
    try scope.put(own ?? (rest.isEmpty ? nil : .object(rest)), name, madeOf: [name])
    entry.note(.moved, old, .object(after))
    return true
  }
}

extension MigrationEntry {
  /// What the step read, for messages.
  fileprivate var shownBefore: String { isSecret ? "••••••" : before?.brief ?? "" }

  fileprivate mutating func note(_ outcome: Outcome, _ before: Value?, _ after: Value?) {
    self.outcome = outcome
    self.before = before
    self.after = after
  }
}

// What each operation does in one place: a layer, or an item of a list.
extension MigrationStep {
  /// Carries out the step, and notes it. False if there was nothing to do; throws what makes the upgrade fail.
  func apply(
    in scope: MigrationScope, isItem: Bool, _ defaultValue: () -> Value?, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    switch operation {
    case .rename, .copy: return try move(in: scope, &entry)
    case .remove:
      guard let (name, old) = try source(in: scope, &entry) else { return false }
      try scope.put(nil, name, madeOf: [])
      entry.before = old
      entry.outcome = .removed
      return true
    case .convert:
      guard let (name, old) = try source(in: scope, &entry) else { return false }
      let (value, reason) = converted(old, isSecret: entry.isSecret)
      guard let value else {
        entry.before = old
        return try replaceInvalid([name], because: reason, in: scope, isItem: isItem, defaultValue, &entry)
      }
      if value == old { return false }
      try scope.put(value, name, madeOf: [name])
      entry.note(.converted, old, value)
      return true
    case .set: return try assign(in: scope, &entry)
    case .split: return try split(in: scope, isItem: isItem, &entry)
    case .join: return try join(in: scope, isItem: isItem, &entry)
    case .gather: return try gather(in: scope, &entry)
    case .spread: return try spread(in: scope, &entry)
    case .call: return false
    }
  }

  /// The one value that the step reads.
  private func source(
    in scope: MigrationScope, _ entry: inout MigrationEntry
  ) throws(StoreError) -> (String, Value)? {
    guard let name = sources.first else { return nil }
    entry.name = path(name).text
    return try scope.value(name).map { (name, $0) }
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

  private func move(in scope: MigrationScope, _ entry: inout MigrationEntry) throws(StoreError) -> Bool {
    guard let (name, old) = try source(in: scope, &entry), let into = targets.first else { return false }
    entry.before = old
    entry.into = [path(into).text]
    try checkFree(into, in: scope, entry)
    try scope.put(old, into, madeOf: [name])
    if operation == .rename { try scope.put(nil, name, madeOf: []) }
    entry.note(operation == .rename ? .moved : .copied, old, old)
    return true
  }

  /// A member of an item; settings are set over all layers at once.
  private func assign(in scope: MigrationScope, _ entry: inout MigrationEntry) throws(StoreError) -> Bool {
    guard let name = sources.first else { return false }
    let old = try scope.value(name)
    switch condition {
    case .absent: guard old == nil else { return false }
    case .equals(let value): guard let old, old.isAlike(value) else { return false }
    case .always: break
    }
    if old == value { return false }
    entry.name = path(name).text
    try scope.put(value, name, madeOf: [])
    entry.note(.set, old, value)
    return true
  }

  /// What becomes of values of which nothing can be made.
  private func replaceInvalid(
    _ names: [String], because reason: String, in scope: MigrationScope, isItem: Bool, _ defaultValue: () -> Value?,
    _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    if invalid == .fail { throw StoreError(.migration, reason) }
    let value = invalid == .useDefault && isItem ? defaultValue() : nil
    for name in names { try scope.put(nil, name, madeOf: []) }
    if let value, let name = names.first { try scope.put(value, name, madeOf: [name]) }
    entry.note(invalid == .useDefault ? .defaulted : .removed, entry.before, value)
    entry.reason = reason
    return true
  }
}

// MARK: Texts

extension MigrationStep {
  private func split(
    in scope: MigrationScope, isItem: Bool, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let (name, old) = try source(in: scope, &entry) else { return false }
    entry.before = old
    for target in targets { entry.into.append(path(target).text) }
    let shown = entry.shownBefore
    guard case .string(let text)? = old.coerced(to: .string) else {
      return try replaceInvalid(
        [name], because: "\(shown) is not text but of type \(old.type)", in: scope, isItem: isItem, { nil }, &entry)
    }
    let parts = Self.parts(of: text, by: separator, atMost: targets.count + 1)
    guard parts.count == targets.count else {
      let found = parts.count > targets.count ? "more" : "\(parts.count)"
      return try replaceInvalid(
        [name], because: "\(shown) has \(found) parts for \(targets.count) paths", in: scope, isItem: isItem, { nil },
        &entry)
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
    in scope: MigrationScope, isItem: Bool, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    guard let into = targets.first, let found = try read(in: scope, &entry) else { return false }
    var text = ""
    var problem: String?
    for (index, source) in sources.enumerated() {
      if index > 0 { text += separator }
      guard let value = found[index] else {
        problem = "`\(path(source).text)` has no value to join"
        break
      }
      guard let part = value.spelling else {
        problem = "`\(path(source).text)` is of type \(value.type), which is no text"
        break
      }
      text += part
      if text.utf8.count > Value.maximumSize {
        problem = "the text is longer than \(Value.maximumSize) bytes"
        break
      }
    }
    if let problem {
      return try replaceInvalid(sources, because: problem, in: scope, isItem: isItem, { nil }, &entry)
    }
    return try replace(with: .string(text), in: scope, into, &entry)
  }
}

// MARK: Objects

extension MigrationStep {
  private func gather(in scope: MigrationScope, _ entry: inout MigrationEntry) throws(StoreError) -> Bool {
    guard let into = targets.first, let found = try read(in: scope, &entry) else { return false }
    var object: [Value.Member] = []
    for (index, member) in members.enumerated() {
      if let value = found[index] { object.append(.init(member, value)) }
    }
    return try replace(with: .object(object), in: scope, into, &entry)
  }

  /// The values that the step reads; nil if there are none at all.
  private func read(in scope: MigrationScope, _ entry: inout MigrationEntry) throws(StoreError) -> [Value?]? {
    var found: [Value?] = []
    var object: [Value.Member] = []
    for source in sources {
      let value = try scope.value(source)
      found.append(value)
      if let value { object.append(.init(source, value)) }
      entry.from.append(path(source).text)
    }
    if object.isEmpty { return nil }
    if let into = targets.first { entry.name = path(into).text }
    entry.before = .object(object)
    return found
  }

  /// Puts what was made of all sources in their place.
  private func replace(
    with value: Value, in scope: MigrationScope, _ into: String, _ entry: inout MigrationEntry
  ) throws(StoreError) -> Bool {
    try checkFree(into, in: scope, entry)
    try scope.put(value, into, madeOf: sources)
    for source in sources where !source.sameBytes(as: into) { try scope.put(nil, source, madeOf: []) }
    entry.note(.moved, entry.before, value)
    return true
  }

  /// Members that the step does not name stay where they are.
  private func spread(in scope: MigrationScope, _ entry: inout MigrationEntry) throws(StoreError) -> Bool {
    guard let (name, old) = try source(in: scope, &entry) else { return false }
    entry.before = old
    guard case .object(let object) = old else {
      throw StoreError(.migration, "\(entry.shownBefore) is not an object but of type \(old.type)")
    }
    var wanted = ByteIndex()
    for member in members { _ = wanted.insert(member) }
    var rest: [Value.Member] = []
    var moved: [(String, Value)] = []
    var after: [Value.Member] = []
    var own: Value?
    for member in object {
      guard let number = wanted.number(of: member.key), number < targets.count else {
        rest.append(member)
        continue
      }
      let target = targets[number]
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

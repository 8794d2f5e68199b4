// The migrations: every step is read whole, so that none can fail later for its form.
extension SchemaCompiler {
  mutating func migrations(_ json: JSON, of version: Int64?) -> [Migration] {
    guard let items = array(json) else { return [] }
    var migrations: [Migration] = []
    var last: Int64 = 0
    for (index, item) in items.enumerated() {
      at(.index(index)) { compiler in
        guard let migration = compiler.migration(item, after: last, upTo: version) else { return }
        last = migration.version
        migrations.append(migration)
      }
    }
    return migrations
  }

  private mutating func migration(_ json: JSON, after last: Int64, upTo version: Int64?) -> Migration? {
    guard case .object(let members) = json else {
      error("wrong-type", "a migration is an object with `To` and `Steps`, found \(json.typeName)")
      return nil
    }
    reportUnknown(members, known: ["To", "Steps", "Description"], in: "a migration")
    if let text = json["Description"] { at(.description) { _ = $0.text(text) } }
    let to = required("To", json, in: "the migration") { $0.version(of: $1, after: last, upTo: version) }
    let steps = required("Steps", json, in: "the migration") { (compiler, json) -> [MigrationStep]? in
      guard let items = compiler.array(json) else { return nil }
      var steps: [MigrationStep] = []
      for (index, item) in items.enumerated() {
        let step = compiler.at(.index(index)) { $0.migrationStep(item, of: to ?? 0, number: index + 1) }
        if let step { steps.append(step) }
      }
      return steps
    }
    guard let to, let steps else { return nil }
    return Migration(version: to, steps: steps)
  }

  private mutating func version(of json: JSON, after last: Int64, upTo version: Int64?) -> Int64? {
    guard let to = json.wholeNumber, to >= 1 else {
      wrongType(json, "a version: a whole number from 1 up")
      return nil
    }
    if let version, to > version {
      error("beyond-version", "`To` is \(to), which is higher than `Version` \(version)", hint: "raise `Version`")
    } else if to <= last {
      error("wrong-order", "`To` is \(to), which is not higher than \(last) of the migration before")
    }
    return to
  }

  /// Reads a member that must be there.
  private mutating func required<R>(
    _ name: String, _ json: JSON, in place: String, _ read: (inout SchemaCompiler, JSON) -> R?
  ) -> R? {
    guard let member = json[name] else {
      error("missing-member", "\(place) has no `\(name)`")
      return nil
    }
    return at(.member(name)) { read(&$0, member) }
  }
}

// MARK: Steps

extension SchemaCompiler {
  private mutating func migrationStep(_ json: JSON, of version: Int64, number: Int) -> MigrationStep? {
    guard case .object(let members) = json else {
      error("wrong-type", "a step is an object with `Op`, found \(json.typeName)")
      return nil
    }
    guard let operation = required("Op", json, in: "the step", { $0.operation($1) }) else { return nil }
    reportUnknown(members, known: operation.members, in: "a \(operation) step")
    if let text = json["Description"] { at(.description) { _ = $0.text(text) } }
    var reader = StepReader(json: json, place: "the \(operation) step")
    let action = action(operation, &reader)
    for fault in reader.faults { error(fault.code, fault.message) }
    // Of a schema with an error nothing is made.
    guard let action, !findings.hasErrors else { return nil }
    return MigrationStep(version: version, number: number, pointer: path.pointer, lists: reader.lists, action: action)
  }

  /// What a step does. All of its members are read, so that everything that is wrong with them is reported.
  private mutating func action(
    _ operation: MigrationStep.Operation, _ reader: inout StepReader
  ) -> MigrationStep.Action? {
    switch operation {
    case .rename, .copy:
      let name = single("From", &reader), into = single("Into", &reader)
      guard let name, let into else { return nil }
      if name.sameBytes(as: into) { error("same-path", "`From` and `Into` are the same path") }
      return operation == .rename ? .rename(name, into: into) : .copy(name, into: into)
    case .remove: return single("Key", &reader).map { .remove($0) }
    case .convert:
      let name = single("Key", &reader), conversion = conversion(reader), invalid = invalid(reader)
      guard let name, let conversion else { return nil }
      return .convert(name, conversion, invalid: invalid)
    case .set:
      let name = single("Key", &reader), value = required("Value", reader) { $0.value($1) }
      let condition = condition(reader)
      guard let name, let value else { return nil }
      return .set(name, to: value, when: condition)
    case .split:
      let name = single("Key", &reader), into = several("Into", &reader)
      let separator = separator(reader, mayBeEmpty: false), invalid = invalid(reader)
      guard let name, let into, let separator else { return nil }
      return .split(name, by: separator, into: into, invalid: invalid)
    case .join:
      let names = several("Keys", &reader), into = single("Into", &reader)
      let separator = separator(reader, mayBeEmpty: true), invalid = invalid(reader)
      guard let names, let into, let separator else { return nil }
      return .join(names, by: separator, into: into, invalid: invalid)
    case .gather:
      let names = several("Keys", &reader), into = single("Into", &reader)
      guard let names, let into else { return nil }
      return .gather(names, into: into)
    case .spread:
      let name = single("Key", &reader), members = members("Into", &reader)
      guard let name, let members else { return nil }
      return .spread(name, into: members)
    case .call: return required("Name", reader) { $0.key($1) }.map { .call($0) }
    }
  }

  private mutating func operation(_ json: JSON) -> MigrationStep.Operation? {
    guard let name = text(json) else { return nil }
    for operation in MigrationStep.Operation.allCases where operation.description.sameBytes(as: name) {
      return operation
    }
    error(
      "unknown-operation", "\(Value.string(name).brief) is not an operation",
      hint: MemberNames.meant(by: name, among: MigrationStep.Operation.allCases.map { $0.description })
        .map { "did you mean `\($0)`?" })
    return nil
  }

  private mutating func required<R>(
    _ name: String, _ reader: StepReader, _ read: (inout SchemaCompiler, JSON) -> R?
  ) -> R? {
    required(name, reader.json, in: reader.place, read)
  }

  private mutating func single(_ member: String, _ reader: inout StepReader) -> String? {
    required(member, reader) { $0.migrationPath($1) }.flatMap { reader.names(of: [$0], in: member).first }
  }

  private mutating func several(_ member: String, _ reader: inout StepReader) -> [String]? {
    let paths = required(member, reader) { (compiler, json) -> [MigrationPath]? in
      guard let items = compiler.array(json) else { return nil }
      if items.isEmpty { compiler.error("missing-member", "`\(member)` is empty") }
      var paths: [MigrationPath] = []
      for (index, item) in items.enumerated() {
        if let path = compiler.at(.index(index), { $0.migrationPath(item) }) { paths.append(path) }
      }
      return paths
    }
    return paths.map { reader.names(of: $0, in: member) }
  }

  /// The members of an object, and where each goes.
  private mutating func members(
    _ member: String, _ reader: inout StepReader
  ) -> [(member: String, name: String)]? {
    var members: [String] = []
    let paths = required(member, reader) { (compiler, json) -> [MigrationPath]? in
      guard case .object(let items) = json else {
        compiler.wrongType(json, "an object that maps members to paths")
        return nil
      }
      if items.isEmpty { compiler.error("missing-member", "`\(member)` is empty") }
      var paths: [MigrationPath] = []
      for item in items {
        guard let path = compiler.at(.member(item.key), { $0.migrationPath(item.value) }) else { continue }
        members.append(item.key)
        paths.append(path)
      }
      return paths
    }
    guard let paths else { return nil }
    var moves: [(member: String, name: String)] = []
    for (member, name) in zip(members, reader.names(of: paths, in: member)) { moves.append((member, name)) }
    return moves
  }

  private mutating func migrationPath(_ json: JSON) -> MigrationPath? {
    guard let text = text(json) else { return nil }
    do {
      return try MigrationPath(text)
    } catch {
      report(.error, "invalid-path", "\(Value.string(text).brief) is no path: \(error.message)")
      return nil
    }
  }

  private mutating func separator(_ reader: StepReader, mayBeEmpty: Bool) -> String? {
    required("By", reader) { (compiler, json) -> String? in
      guard let text = compiler.text(json) else { return nil }
      if text.utf8.isEmpty, !mayBeEmpty {
        compiler.error("invalid-value", "`By` is empty: there is nothing to split at")
      }
      return text
    }
  }

  private mutating func conversion(_ reader: StepReader) -> Conversion? {
    let type = required("Type", reader) { $0.conversionType($1) }
    let scale = reader.json["Scale"].flatMap { json in at(.member("Scale")) { $0.scale(json, to: type) } }
    guard let type else { return nil }
    let map = reader.json["Map"].map { json in at(.member("Map")) { $0.conversionMap(json, to: type) } }
    return Conversion(type: type, scale: scale, map: map ?? ConversionMap())
  }

  private mutating func scale(_ json: JSON, to type: ValueType?) -> Value? {
    guard let number = number(json) else { return nil }
    if number == .int(0) || number == .double(0) { error("invalid-value", "`Scale` is 0") }
    if let type, type != .int, type != .double {
      error("conflicting-members", "`Scale` makes a number, and `Type` is \(type)")
    }
    return number
  }

  private mutating func conversionType(_ json: JSON) -> ValueType? {
    guard let name = text(json) else { return nil }
    // The names of values' types, and those by which schemas call the same.
    let names: [(String, ValueType)] = [
      ("bool", .bool), ("integer", .int), ("number", .double), ("string", .string), ("data", .data), ("url", .url),
      ("date", .date), ("color", .color), ("image", .image), ("int", .int), ("double", .double), ("boolean", .bool),
      ("ToggleSwitch", .bool), ("TextField", .string), ("Number", .double), ("Data", .data), ("URL", .url),
      ("Date", .date), ("Color", .color), ("Image", .image),
    ]
    for (known, type) in names where known.sameBytes(as: name) { return type }
    error(
      "unknown-type", "\(Value.string(name).brief) is not a type that values convert to",
      hint: MemberNames.meant(by: name, among: names.map { $0.0 }).map { "did you mean `\($0)`?" })
    return nil
  }

  private mutating func conversionMap(_ json: JSON, to type: ValueType) -> ConversionMap {
    var map = ConversionMap()
    guard case .object(let members) = json else {
      wrongType(json, "an object that maps old values to new ones")
      return map
    }
    for member in members {
      at(.member(member.key)) { compiler in
        guard let value = compiler.value(member.value) else { return }
        guard let converted = value.converted(to: type) else {
          compiler.error("invalid-value", "\(value.brief) does not convert to \(type) without loss")
          return
        }
        map.add(member.key, converted)
      }
    }
    return map
  }

  private mutating func invalid(_ reader: StepReader) -> MigrationStep.Invalid {
    guard let json = reader.json["Invalid"] else { return .fail }
    let names = ["fail", "default", "remove"], choices = [MigrationStep.Invalid.fail, .useDefault, .remove]
    return at(.member("Invalid")) { compiler in
      guard let name = compiler.text(json) else { return .fail }
      for (index, known) in names.enumerated() where known.sameBytes(as: name) { return choices[index] }
      compiler.error(
        "invalid-value", "`Invalid` is \"fail\", \"default\" or \"remove\", found \(Value.string(name).brief)",
        hint: MemberNames.meant(by: name, among: names).map { "did you mean `\($0)`?" })
      return .fail
    }
  }

  private mutating func condition(_ reader: StepReader) -> MigrationStep.Condition {
    guard let json = reader.json["When"] else { return .always }
    return at(.member("When")) { compiler in
      if case .string(let name) = json, name.sameBytes(as: "absent") { return .absent }
      if case .object(let members) = json, members.count == 1 {
        let member = members[0]
        if member.key.sameBytes(as: "equals") {
          return compiler.at(.member(member.key)) { $0.value(member.value) }.map { .equals($0) } ?? .always
        }
        if member.key.sameBytes(as: "absent"), member.value == .bool(true) { return .absent }
      }
      compiler.wrongType(json, "\"absent\" or {\"equals\": value}")
      return .always
    }
  }
}

extension MigrationStep.Operation {
  /// The members of its step in a schema.
  fileprivate var members: [String] {
    let own: [String] =
      switch self {
      case .rename, .copy: ["From", "Into"]
      case .remove: ["Key"]
      case .convert: ["Key", "Type", "Scale", "Map", "Invalid"]
      case .set: ["Key", "Value", "When"]
      case .split: ["Key", "By", "Into", "Invalid"]
      case .join: ["Keys", "By", "Into", "Invalid"]
      case .gather: ["Keys", "Into"]
      case .spread: ["Key", "Into"]
      case .call: ["Name"]
      }
    return own + ["Op", "Description"]
  }
}

/// A step while it is read, and which of its paths do not go together.
private struct StepReader {
  let json: JSON
  let place: String
  private(set) var faults: [(code: String, message: String)] = []
  private var first: MigrationPath?

  init(json: JSON, place: String) {
    self.json = json
    self.place = place
  }

  /// The lists in whose items the paths are.
  var lists: [String] { first?.lists ?? [] }

  /// The names that the paths of a member lead to.
  ///
  /// All paths of a step are in one place: settings, or members of the same list's items.
  mutating func names(of paths: [MigrationPath], in member: String) -> [String] {
    var seen = ByteIndex()
    var names: [String] = []
    for path in paths {
      if !seen.insert(path.name).isNew {
        faults.append((code: "same-path", message: "`\(member)` names `\(path.text)` twice"))
      }
      if let first, !first.lists.isSame(as: path.lists) {
        faults.append(
          (
            code: "different-lists",
            message: "`\(first.text)` and `\(path.text)` are not in the same place: a step stays in one list"
          ))
        continue
      }
      if first == nil { first = path }
      names.append(path.name)
    }
    return names
  }
}

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
    var reader = StepReader(
      json: json, place: "the \(operation) step",
      step: MigrationStep(operation, version: version, number: number, pointer: path.pointer))
    switch operation {
    case .rename, .copy:
      reader.sources([("From", single("From", &reader))])
      reader.targets([("Into", single("Into", &reader))])
    case .remove: reader.sources([("Key", single("Key", &reader))])
    case .convert:
      reader.sources([("Key", single("Key", &reader))])
      conversion(&reader)
    case .set:
      reader.sources([("Key", single("Key", &reader))])
      assignment(&reader)
    case .split:
      reader.sources([("Key", single("Key", &reader))])
      reader.targets(several("Into", &reader))
      separator(&reader)
    case .join:
      reader.sources(several("Keys", &reader))
      reader.targets([("Into", single("Into", &reader))])
      separator(&reader)
    case .gather:
      reader.sources(several("Keys", &reader))
      reader.targets([("Into", single("Into", &reader))])
      reader.step.members = reader.step.sources
    case .spread:
      reader.sources([("Key", single("Key", &reader))])
      reader.targets(spreadMembers(&reader))
    case .call: reader.step.function = required("Name", json, in: reader.place) { $0.key($1) } ?? ""
    }
    for fault in reader.faults { error(fault.code, fault.message) }
    return reader.step
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

  private mutating func single(_ name: String, _ reader: inout StepReader) -> MigrationPath? {
    required(name, reader.json, in: reader.place) { $0.migrationPath($1) }
  }

  private mutating func several(_ name: String, _ reader: inout StepReader) -> [(String, MigrationPath?)] {
    let paths = required(name, reader.json, in: reader.place) { (compiler, json) -> [(String, MigrationPath?)]? in
      guard let items = compiler.array(json) else { return nil }
      if items.isEmpty { compiler.error("missing-member", "`\(name)` is empty") }
      var paths: [(String, MigrationPath?)] = []
      for (index, item) in items.enumerated() {
        paths.append((name, compiler.at(.index(index)) { $0.migrationPath(item) }))
      }
      return paths
    }
    return paths ?? []
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

  private mutating func spreadMembers(_ reader: inout StepReader) -> [(String, MigrationPath?)] {
    var names: [String] = []
    let paths = required("Into", reader.json, in: reader.place) { (compiler, json) -> [(String, MigrationPath?)]? in
      guard case .object(let members) = json else {
        compiler.wrongType(json, "an object that maps members to paths")
        return nil
      }
      if members.isEmpty { compiler.error("missing-member", "`Into` is empty") }
      var paths: [(String, MigrationPath?)] = []
      for member in members {
        names.append(member.key)
        paths.append(("Into", compiler.at(.member(member.key)) { $0.migrationPath(member.value) }))
      }
      return paths
    }
    reader.step.members = names
    return paths ?? []
  }

  private mutating func separator(_ reader: inout StepReader) {
    let isSplit = reader.step.operation == .split
    let text = required("By", reader.json, in: reader.place) { (compiler, json) -> String? in
      guard let text = compiler.text(json) else { return nil }
      if isSplit, text.utf8.isEmpty { compiler.error("invalid-value", "`By` is empty: there is nothing to split at") }
      return text
    }
    reader.step.separator = text ?? ""
    invalid(&reader)
  }

  private mutating func conversion(_ reader: inout StepReader) {
    let json = reader.json
    let type = required("Type", json, in: reader.place) { $0.conversionType($1) }
    reader.step.type = type ?? .string
    if let scale = json["Scale"] {
      reader.step.scale = at(.member("Scale")) { compiler in
        guard let number = compiler.number(scale) else { return nil }
        if number == .int(0) || number == .double(0) { compiler.error("invalid-value", "`Scale` is 0") }
        if let type, type != .int, type != .double {
          compiler.error("conflicting-members", "`Scale` makes a number, and `Type` is \(type)")
        }
        return number
      }
    }
    if let map = json["Map"], let type {
      reader.step.map = at(.member("Map")) { $0.conversionMap(map, to: type) }
    }
    invalid(&reader)
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

  private mutating func conversionMap(_ json: JSON, to type: ValueType) -> MigrationMap {
    var map = MigrationMap()
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

  private mutating func invalid(_ reader: inout StepReader) {
    guard let json = reader.json["Invalid"] else { return }
    let names = ["fail", "default", "remove"]
    reader.step.invalid = at(.member("Invalid")) { compiler in
      guard let name = compiler.text(json) else { return .fail }
      for (index, known) in names.enumerated() where known.sameBytes(as: name) {
        return MigrationStep.Invalid(rawValue: UInt8(index)) ?? .fail
      }
      compiler.error(
        "invalid-value", "`Invalid` is \"fail\", \"default\" or \"remove\", found \(Value.string(name).brief)",
        hint: MemberNames.meant(by: name, among: names).map { "did you mean `\($0)`?" })
      return .fail
    }
  }

  private mutating func assignment(_ reader: inout StepReader) {
    if let value = required("Value", reader.json, in: reader.place, { $0.value($1) }) { reader.step.value = value }
    guard let json = reader.json["When"] else { return }
    reader.step.condition = at(.member("When")) { compiler in
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

/// A step while it is read, and what does not go together in it.
private struct StepReader {
  let json: JSON
  let place: String
  var step: MigrationStep
  var faults: [(code: String, message: String)] = []
  private var first: MigrationPath?
  private var read = ByteIndex()

  init(json: JSON, place: String, step: MigrationStep) {
    self.json = json
    self.place = place
    self.step = step
  }

  mutating func sources(_ paths: [(String, MigrationPath?)]) {
    var seen = ByteIndex()
    for (member, path) in paths {
      guard let path = checked(path, member, &seen) else { continue }
      step.sources.append(path.name)
      _ = read.insert(path.name)
    }
  }

  mutating func targets(_ paths: [(String, MigrationPath?)]) {
    var seen = ByteIndex()
    for (member, path) in paths {
      guard let path = checked(path, member, &seen) else { continue }
      step.targets.append(path.name)
      let movesOne = step.operation == .rename || step.operation == .copy
      if movesOne, read.number(of: path.name) != nil {
        faults.append((code: "same-path", message: "`From` and `Into` are the same path"))
      }
    }
  }

  /// All paths of a step are in one place: settings, or members of the same list's items.
  private mutating func checked(_ path: MigrationPath?, _ member: String, _ seen: inout ByteIndex) -> MigrationPath? {
    guard let path else { return nil }
    if !seen.insert(path.name).isNew {
      faults.append((code: "same-path", message: "`\(member)` names `\(path.text)` twice"))
    }
    guard let first else {
      first = path
      step.lists = path.lists
      return path
    }
    guard first.lists.isSame(as: path.lists) else {
      faults.append(
        (
          code: "different-lists",
          message: "`\(first.text)` and `\(path.text)` are not in the same place: a step stays in one list"
        ))
      return nil
    }
    return path
  }
}

/// The members of one setting in the document, by what they are.
struct SettingFields {
  private var values = [JSON?](repeating: nil, count: SchemaMember.allCases.count)

  subscript(member: SchemaMember) -> JSON? {
    get { values[member.rawValue] }
    set { values[member.rawValue] = newValue }
  }
}

extension SchemaCompiler {
  /// Compiles one element of `Settings` or `ItemTemplate`.
  mutating func element(
    _ json: JSON, group: String, depth: Int, scope: SchemaScope, into settings: inout [SettingDescriptor]
  ) {
    guard case .object(let members) = json else {
      error("wrong-type", "a setting is an object, found \(json.typeName)")
      return
    }
    if case .string(let key)? = json["Key"] { setting = key } else { setting = nil }
    guard let type = type(json) else { return }
    let fields = fields(members, of: type)
    let title = fields[.title].flatMap { json in at(.title) { $0.text(json) } }
    if fields[.title] == nil { warning("missing-title", "the \(type.name) has no `Title`") }
    switch type {
    case .header:
      presentation(fields)
    case .pane:
      presentation(fields)
      pane(fields, title: title, group: group, depth: depth, scope: scope, into: &settings)
    default:
      keyed(fields, type: type, title: title, group: group, depth: depth, scope: scope, into: &settings)
    }
  }

  private mutating func type(_ json: JSON) -> SchemaType? {
    guard let member = json["Type"] else {
      error(
        "missing-type", "the setting has no `Type`",
        hint: "one of \(SchemaType.allCases.map { $0.name }.joined(separator: ", "))")
      return nil
    }
    return at(.type) { compiler in
      guard let name = compiler.text(member) else { return nil }
      if let type = SchemaType(name: name) { return type }
      compiler.error(
        "unknown-type", "\(Value.string(name).brief) is not a type of setting",
        hint: SchemaCompiler.typeMeant(by: name).map { "did you mean `\($0)`?" })
      return nil
    }
  }

  private static func typeMeant(by name: String) -> String? {
    let foreign = [
      ("Toggle", "ToggleSwitch"), ("Switch", "ToggleSwitch"), ("Bool", "ToggleSwitch"), ("Boolean", "ToggleSwitch"),
      ("Text", "TextField"), ("String", "TextField"), ("Password", "TextField"), ("Integer", "Number"),
      ("Int", "Number"), ("Select", "ComboBox"), ("Dropdown", "ComboBox"), ("Choice", "ComboBox"), ("Array", "List"),
      ("Group", "Pane"), ("Page", "Pane"), ("Link", "URL"), ("DateTime", "Date"),
    ]
    let names = SchemaType.allCases.map { $0.name }
    guard let near = MemberNames.meant(by: name, among: names + foreign.map { $0.0 }) else { return nil }
    return foreign.first { $0.0.sameBytes(as: near) }?.1 ?? near
  }

  /// Sorts the members, and warns of those that are unknown or do not apply.
  private mutating func fields(_ members: [JSON.Member], of type: SchemaType) -> SettingFields {
    var fields = SettingFields()
    for member in members {
      guard let known = SchemaMember(name: member.key) else {
        at(.member(member.key)) { $0.reportUnknown(member.key, known: type.memberNames, in: withArticle(type.name)) }
        continue
      }
      guard type.takes(known) else {
        at(known) { compiler in
          compiler.report(
            .warning, "does-not-apply", "`\(known.name)` does not apply to \(withArticle(type.name))", isKey: true)
        }
        continue
      }
      fields[known] = member.value
    }
    return fields
  }

  /// Checks the members that only show something.
  private mutating func presentation(_ fields: SettingFields) {
    if let json = fields[.description] { at(.description) { _ = $0.text(json) } }
    if let json = fields[.hidden] { at(.hidden) { _ = $0.flag(json) } }
  }

  private mutating func pane(
    _ fields: SettingFields, title: String?, group: String, depth: Int, scope: SchemaScope,
    into settings: inout [SettingDescriptor]
  ) {
    guard depth < SchemaCompiler.maximumDepth else {
      error("too-deep", "panes and lists nest deeper than \(SchemaCompiler.maximumDepth)")
      return
    }
    guard let list = fields[.settings] else {
      error("missing-member", "the Pane has no `Settings`", hint: "add \"Settings\": []")
      return
    }
    var name = group
    if let title, !title.isEmpty { name = group.isEmpty ? title : "\(group) › \(title)" }
    at(.settings) { $0.settings(list, group: name, depth: depth + 1, scope: scope, into: &settings) }
  }
}

// MARK: Settings with a key

extension SchemaCompiler {
  private mutating func keyed(
    _ fields: SettingFields, type: SchemaType, title: String?, group: String, depth: Int, scope: SchemaScope,
    into settings: inout [SettingDescriptor]
  ) {
    let key = scope.isPlain ? "" : fields[.key].flatMap { json in at(.key) { $0.key(json) } }
    if fields[.key] == nil, !scope.isPlain {
      error("missing-key", "the \(type.name) has no `Key`", hint: "add \"Key\" with the setting's name")
    }
    var descriptor = SettingDescriptor(key: key ?? "", kind: kind(fields, of: type))
    descriptor.title = title
    descriptor.group = group
    general(fields, of: &descriptor)
    constraints(fields, of: &descriptor)
    if type == .list { template(fields, depth: depth, scope: scope, of: &descriptor) }
    uniqueBy(fields, of: &descriptor)
    if type == .comboBox { options(fields, of: &descriptor) }
    defaultValue(fields, type: type, of: &descriptor)
    guard let key else { return }
    let index = settings.count
    if scope.isItem {
      for member in [SchemaMember.survives, .volatile] where fields[member] != nil {
        at(member) {
          $0.report(
            .warning, "does-not-apply", "`\(member.name)` does not apply to what a list's items hold", isKey: true)
        }
      }
      descriptor.survivesLogout = false
      descriptor.isVolatile = false
    }
    guard !scope.isPlain else {
      for member in [SchemaMember.aliases, .enabledBy] where fields[member] != nil {
        at(member) {
          $0.report(
            .warning, "does-not-apply", "`\(member.name)` does not apply to plain values of a list", isKey: true)
        }
      }
      return settings.append(descriptor)
    }
    at(.key) { $0.declare(key, index: index, scope: scope) }
    aliases(fields, index: index, scope: scope, of: &descriptor)
    condition(fields, index: index, scope: scope)
    settings.append(descriptor)
  }

  mutating func key(_ json: JSON) -> String? {
    guard let key = text(json) else { return nil }
    do {
      try checkName(key)
      return key
    } catch {
      report(.error, "invalid-key", error.message)
      return nil
    }
  }

  mutating func declare(_ key: String, index: Int, scope: SchemaScope) {
    guard let earlier = scope.declare(key, .init(path: path, index: index)) else { return }
    report(
      .error, "duplicate-key", "`\(key)` is declared twice, first at \(earlier.path.pointer)", related: earlier.path)
  }

  /// What the setting holds; also reads `Class` and `Format`.
  private mutating func kind(_ fields: SettingFields, of type: SchemaType) -> SettingKind {
    switch type {
    case .toggleSwitch: return .bool
    case .comboBox: return classes(fields, known: ["Single", "Multiple"])[1] ? .choices : .choice
    case .list: return .list
    case .number: return number(fields)
    case .url: return .url
    case .color: return .color
    case .date: return .date
    case .image: return .image
    case .data: return .data
    case .textField, .header, .pane: return .string
    }
  }

  /// Which of the known classes the setting has.
  private mutating func classes(_ fields: SettingFields, known: [String]) -> [Bool] {
    var present = [Bool](repeating: false, count: known.count)
    guard let json = fields[.kindClass] else { return present }
    at(.kindClass) { compiler in
      guard let items = compiler.array(json) else { return }
      for (index, item) in items.enumerated() {
        compiler.at(.index(index)) { compiler in
          guard let name = compiler.text(item) else { return }
          if let found = known.firstIndex(where: { $0.sameBytes(as: name) }) {
            present[found] = true
          } else {
            compiler.warning(
              "unknown-class", "\(Value.string(name).brief) is not a class of this type",
              hint: MemberNames.meant(by: name, among: known).map { "did you mean `\($0)`?" })
          }
        }
      }
      if present.allSatisfy({ $0 }), present.count > 1 {
        compiler.error("conflicting-classes", "`Class` is \(known.joined(separator: " or ")), not both")
      }
    }
    return present
  }

  private mutating func number(_ fields: SettingFields) -> SettingKind {
    guard let json = fields[.format] else { return .double }
    return at(.format) { compiler in
      guard let name = compiler.text(json) else { return .double }
      if name.sameBytes(as: "integer") { return .int }
      if !name.sameBytes(as: "number") {
        compiler.error(
          "unknown-format", "`Format` is \"integer\" or \"number\", found \(Value.string(name).brief)",
          hint: MemberNames.meant(by: name, among: ["integer", "number"]).map { "did you mean `\($0)`?" })
      }
      return .double
    }
  }

  private mutating func general(_ fields: SettingFields, of descriptor: inout SettingDescriptor) {
    func read<R>(
      _ member: SchemaMember, _ reader: (inout SchemaCompiler, JSON) -> R?, in compiler: inout SchemaCompiler
    ) -> R? {
      guard let json = fields[member] else { return nil }
      return compiler.at(member) { reader(&$0, json) }
    }
    let text = { (compiler: inout SchemaCompiler, json: JSON) in compiler.text(json) }
    let flag = { (compiler: inout SchemaCompiler, json: JSON) in compiler.flag(json) }
    descriptor.placeholder = read(.placeholder, text, in: &self)
    descriptor.description = read(.description, text, in: &self)
    descriptor.unit = read(.unit, text, in: &self)
    descriptor.deprecated = read(.deprecated, text, in: &self)
    descriptor.isRequired = read(.required, flag, in: &self) ?? false
    descriptor.isReadOnly = read(.readOnly, flag, in: &self) ?? false
    descriptor.isHidden = read(.hidden, flag, in: &self) ?? false
    descriptor.needsRestart = read(.restart, flag, in: &self) ?? false
    if let json = fields[.since] {
      descriptor.since = at(.since) { compiler in
        if let number = json.wholeNumber { return "\(number)" }
        if case .string(let text) = json { return text }
        compiler.wrongType(json, "a version: a whole number or text")
        return nil
      }
    }
    descriptor.isVolatile = read(.volatile, flag, in: &self) ?? false
    if let json = fields[.survives] { descriptor.survivesLogout = at(.survives) { $0.survives(json) } }
    if descriptor.kind == .string { descriptor.isSecret = classes(fields, known: ["Password"])[0] }
  }

  /// What a value of the session survives: words, of which there is one.
  private mutating func survives(_ json: JSON) -> Bool {
    guard let items = array(json) else { return false }
    var survivesLogout = false
    for (index, item) in items.enumerated() {
      at(.index(index)) { compiler in
        guard let word = compiler.text(item) else { return }
        if word.sameBytes(as: SettingDescriptor.logout) { return survivesLogout = true }
        compiler.error(
          "unknown-word", "`Survives` lists \"logout\", found \(Value.string(word).brief)",
          hint: MemberNames.meant(by: word, among: [SettingDescriptor.logout]).map { "did you mean `\($0)`?" })
      }
    }
    return survivesLogout
  }
}

/// The members of one setting in the document, by what they are.
private struct Fields {
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
  private mutating func fields(_ members: [JSON.Member], of type: SchemaType) -> Fields {
    var fields = Fields()
    for member in members {
      guard let known = SchemaMember(name: member.key) else {
        at(.member(member.key)) { $0.reportUnknown(member.key, known: type.memberNames, in: "a \(type.name)") }
        continue
      }
      guard type.takes(known) else {
        at(known) { compiler in
          compiler.report(
            .warning, "does-not-apply", "`\(known.name)` does not apply to a \(type.name)", isKey: true)
        }
        continue
      }
      fields[known] = member.value
    }
    return fields
  }

  /// Checks the members that only show something.
  private mutating func presentation(_ fields: Fields) {
    if let json = fields[.description] { at(.description) { _ = $0.text(json) } }
    if let json = fields[.hidden] { at(.hidden) { _ = $0.flag(json) } }
  }

  private mutating func pane(
    _ fields: Fields, title: String?, group: String, depth: Int, scope: SchemaScope,
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
    _ fields: Fields, type: SchemaType, title: String?, group: String, depth: Int, scope: SchemaScope,
    into settings: inout [SettingDescriptor]
  ) {
    let key = fields[.key].flatMap { json in at(.key) { $0.key(json) } }
    if fields[.key] == nil {
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
    at(.key) { $0.declare(key, index: index, scope: scope) }
    aliases(fields, index: index, scope: scope, of: &descriptor)
    condition(fields, index: index, scope: scope)
    settings.append(descriptor)
  }

  private mutating func key(_ json: JSON) -> String? {
    guard let key = text(json) else { return nil }
    do {
      try checkName(key)
      return key
    } catch {
      report(.error, "invalid-key", error.message)
      return nil
    }
  }

  private mutating func declare(_ key: String, index: Int, scope: SchemaScope) {
    guard let earlier = scope.declare(key, .init(path: path, index: index)) else { return }
    report(
      .error, "duplicate-key", "`\(key)` is declared twice, first at \(earlier.path.pointer)", related: earlier.path)
  }

  /// What the setting holds; also reads `Class` and `Format`.
  private mutating func kind(_ fields: Fields, of type: SchemaType) -> SettingKind {
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
  private mutating func classes(_ fields: Fields, known: [String]) -> [Bool] {
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

  private mutating func number(_ fields: Fields) -> SettingKind {
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

  private mutating func general(_ fields: Fields, of descriptor: inout SettingDescriptor) {
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
    if descriptor.kind == .string { descriptor.isSecret = classes(fields, known: ["Password"])[0] }
  }
}

// MARK: Constraints

extension SchemaCompiler {
  private mutating func constraints(_ fields: Fields, of descriptor: inout SettingDescriptor) {
    let isDate = descriptor.kind == .date
    descriptor.minimum = fields[.minimum].flatMap { json in
      at(.minimum) { isDate ? $0.date(json) : $0.number(json) }
    }
    descriptor.maximum = fields[.maximum].flatMap { json in
      at(.maximum) { isDate ? $0.date(json) : $0.number(json) }
    }
    descriptor.minLength = fields[.minLength].flatMap { json in at(.minLength) { $0.count(json) } }
    descriptor.maxLength = fields[.maxLength].flatMap { json in at(.maxLength) { $0.count(json) } }
    descriptor.maxItems = fields[.maxItems].flatMap { json in at(.maxItems) { $0.count(json) } }
    if let minimum = descriptor.minimum, let maximum = descriptor.maximum,
      Bounds.order(minimum, maximum) == .greater
    {
      at(.maximum) {
        $0.error("empty-range", "Minimum \(minimum.brief) is greater than Maximum \(maximum.brief)")
      }
    }
    if let minimum = descriptor.minLength, let maximum = descriptor.maxLength, minimum > maximum {
      at(.maxLength) { $0.error("empty-range", "MinLength \(minimum) is greater than MaxLength \(maximum)") }
    }
    if let json = fields[.step] { descriptor.step = at(.step) { $0.step(json) } }
    if let json = fields[.pattern] { descriptor.pattern = at(.pattern) { $0.pattern(json) } }
  }

  private mutating func date(_ json: JSON) -> Value? {
    guard let text = text(json) else { return nil }
    guard let date = Value.string(text).coerced(to: .date) else {
      wrongType(json, "an RFC 3339 date-time, such as \"2026-01-31T12:00:00Z\"")
      return nil
    }
    return date
  }

  private mutating func step(_ json: JSON) -> Value? {
    guard let step = number(json) else { return nil }
    guard Bounds.order(step, .int(0)) == .greater else {
      error("invalid-step", "`Step` is greater than 0, found \(step.brief)")
      return nil
    }
    return step
  }

  private mutating func pattern(_ json: JSON) -> String? {
    guard let text = text(json) else { return nil }
    do {
      _ = try Pattern(text)
      return text
    } catch {
      report(.error, "invalid-pattern", error.message)
      return nil
    }
  }
}

// MARK: Options and templates

extension SchemaCompiler {
  private mutating func options(_ fields: Fields, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.options] else {
      error("missing-options", "the ComboBox has no `Options`", hint: "add \"Options\": [{\"Title\", \"Value\"}, …]")
      return
    }
    var options: [SettingDescriptor.Option] = []
    at(.options) { compiler in
      guard let items = compiler.array(json) else { return }
      if items.isEmpty { compiler.error("missing-options", "`Options` is empty") }
      var seen: [[UInt8]: [PathStep]] = [:]
      for (index, item) in items.enumerated() {
        compiler.at(.index(index)) { compiler in
          if let option = compiler.option(item, seen: &seen) { options.append(option) }
        }
      }
    }
    descriptor.options = options
  }

  private mutating func option(_ json: JSON, seen: inout [[UInt8]: [PathStep]]) -> SettingDescriptor.Option? {
    guard case .object(let members) = json else {
      error("wrong-type", "an option is an object with `Title` and `Value`, found \(json.shown)")
      return nil
    }
    reportUnknown(members, known: ["Title", "Value"], in: "an option")
    let title = json["Title"].flatMap { json in at(.title) { $0.text(json) } }
    if json["Title"] == nil { warning("missing-title", "the option has no `Title`") }
    guard let member = json["Value"] else {
      error("missing-member", "the option has no `Value`")
      return nil
    }
    return at(.value) { compiler in
      guard let value = compiler.scalar(member) else { return nil }
      // The numbers 1 and 1.0 are one option to whoever reads the setting.
      var mark = CBOR.encode(value)
      if case .double = value, let whole = value.coerced(to: .int) { mark = CBOR.encode(whole) }
      if let earlier = seen[mark] {
        compiler.report(
          .error, "duplicate-option", "the option \(value.brief) is there twice, first at \(earlier.pointer)",
          related: earlier)
        return nil
      }
      seen[mark] = compiler.path
      return .init(title: title ?? value.brief, value: value)
    }
  }

  private mutating func scalar(_ json: JSON) -> Value? {
    switch json {
    case .null, .array, .object:
      wrongType(json, "text, a number or a truth value")
      return nil
    default:
      return value(json)
    }
  }

  private mutating func value(_ json: JSON) -> Value? {
    do {
      let value = try Value(json: json)
      try value.check()
      return value
    } catch {
      report(.error, "invalid-value", error.message)
      return nil
    }
  }

  private mutating func template(
    _ fields: Fields, depth: Int, scope: SchemaScope, of descriptor: inout SettingDescriptor
  ) {
    guard depth < SchemaCompiler.maximumDepth else {
      error("too-deep", "panes and lists nest deeper than \(SchemaCompiler.maximumDepth)")
      return
    }
    guard let json = fields[.itemTemplate] else {
      error("missing-member", "the List has no `ItemTemplate`", hint: "add \"ItemTemplate\" with the items' settings")
      return
    }
    let inner = SchemaScope(isItem: true)
    var members: [SettingDescriptor] = []
    let outer = setting
    at(.itemTemplate) { $0.settings(json, group: "", depth: depth + 1, scope: inner, into: &members) }
    setting = outer
    resolveConditions(of: inner, in: &members)
    descriptor.template = members
  }

  private mutating func uniqueBy(_ fields: Fields, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.uniqueBy] else { return }
    let names = descriptor.template.map { $0.key }
    descriptor.uniqueBy = at(.uniqueBy) { compiler in
      guard let name = compiler.text(json) else { return nil }
      guard names.contains(where: { $0.sameBytes(as: name) }) else {
        compiler.error(
          "unknown-key", "`UniqueBy` names \(Value.string(name).brief), which is not in the template",
          hint: MemberNames.meant(by: name, among: names).map { "did you mean `\($0)`?" })
        return nil
      }
      return name
    }
  }
}

// MARK: Default, aliases, condition

extension SchemaCompiler {
  private mutating func defaultValue(_ fields: Fields, type: SchemaType, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.value] else { return }
    if case .string("") = json, [.color, .date, .image, .number].contains(type) { return }
    // Without its options or template a default cannot be judged.
    if type == .comboBox, descriptor.options.isEmpty { return }
    let checked = descriptor
    descriptor.defaultValue = at(.value) { compiler in
      if case .null = json {
        compiler.wrongType(json, "the default")
        return nil
      }
      guard let value = compiler.value(json) else { return nil }
      switch checked.validated(value) {
      case .valid(let value): return value
      case .invalid(let violations):
        for violation in violations {
          compiler.error(
            SchemaCompiler.code(of: violation), "default of \(violation.message)",
            hint: "leave `Value` out for no default")
        }
        return nil
      }
    }
  }

  private static func code(of violation: Violation) -> String {
    func isOne(of names: [String]) -> Bool {
      names.contains { name in violation.constraint?.sameBytes(as: name) ?? false }
    }
    if isOne(of: ["Type"]) { return "default-wrong-type" }
    if isOne(of: ["Options"]) { return "default-not-an-option" }
    if isOne(of: ["Minimum", "Maximum", "Step", "MinLength", "MaxLength", "MaxItems"]) {
      return "default-out-of-range"
    }
    return "default-invalid"
  }

  private mutating func aliases(
    _ fields: Fields, index: Int, scope: SchemaScope, of descriptor: inout SettingDescriptor
  ) {
    guard let json = fields[.aliases] else { return }
    if scope.isItem {
      at(.aliases) {
        $0.report(.warning, "does-not-apply", "`Aliases` does not apply to members of a list's items", isKey: true)
      }
      return
    }
    var aliases: [String] = []
    at(.aliases) { compiler in
      guard let items = compiler.array(json) else { return }
      for (position, item) in items.enumerated() {
        compiler.at(.index(position)) { compiler in
          guard let alias = compiler.key(item) else { return }
          compiler.declare(alias, index: index, scope: scope)
          aliases.append(alias)
        }
      }
    }
    descriptor.aliases = aliases
  }

  private mutating func condition(_ fields: Fields, index: Int, scope: SchemaScope) {
    guard let json = fields[.enabledBy] else { return }
    at(.enabledBy) { compiler in
      guard case .object(let members) = json else {
        compiler.wrongType(json, "an object with `Key` and `Equals`")
        return
      }
      compiler.reportUnknown(members, known: ["Key", "Equals"], in: "EnabledBy")
      guard let keyMember = json["Key"], let equalsMember = json["Equals"] else {
        compiler.error("missing-member", "`EnabledBy` has `Key` and `Equals`")
        return
      }
      guard let key = compiler.at(.key, { $0.text(keyMember) }),
        let equals = compiler.at(.member("Equals"), { $0.value(equalsMember) })
      else { return }
      scope.conditions.append(
        .init(path: compiler.path, key: key, equals: equals, index: index, setting: compiler.setting ?? ""))
    }
  }

  /// Checks the conditions of a scope whose keys are all known, and converts what they compare with.
  mutating func resolveConditions(of scope: SchemaScope, in settings: inout [SettingDescriptor]) {
    let outerPath = path
    let outerSetting = setting
    for condition in scope.conditions {
      path = condition.path
      setting = condition.setting
      guard let target = scope.declaration(of: condition.key), settings.indices.contains(target.index) else {
        at(.key) { compiler in
          compiler.error(
            "unknown-key", "`EnabledBy` names \(Value.string(condition.key).brief), which is not declared here",
            hint: MemberNames.meant(by: condition.key, among: settings.prefix(2_000).map { $0.key })
              .map { "did you mean `\($0)`?" })
        }
        continue
      }
      let equals = at(.member("Equals")) { $0.compared(condition.equals, with: settings[target.index]) }
      guard let equals, settings.indices.contains(condition.index) else { continue }
      settings[condition.index].enabledBy = .init(key: settings[target.index].key, equals: equals)
    }
    path = outerPath
    setting = outerSetting
  }

  private mutating func compared(_ value: Value, with target: SettingDescriptor) -> Value? {
    switch target.validated(value) {
    case .valid(let value): return value
    case .invalid(let violations):
      error("invalid-condition", "`Equals` is no value of \(violations.first?.message ?? "it")")
      return nil
    }
  }
}

/// The options met so far, and where.
struct SeenOptions {
  private var numbers = ByteIndex()
  private var paths: [[PathStep]] = []

  /// Where an equal one was met before.
  mutating func insert(_ mark: [UInt8], at path: [PathStep]) -> [PathStep]? {
    let (number, isNew) = numbers.insert(mark)
    guard isNew else { return paths[number] }
    paths.append(path)
    return nil
  }
}

// The options of a ComboBox, and the template of a list.
extension SchemaCompiler {
  mutating func options(_ fields: SettingFields, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.options] else {
      error("missing-options", "the ComboBox has no `Options`", hint: "add \"Options\": [{\"Title\", \"Value\"}, …]")
      return
    }
    var options: [SettingDescriptor.Option] = []
    at(.options) { compiler in
      guard let items = compiler.array(json) else { return }
      if items.isEmpty { compiler.error("missing-options", "`Options` is empty") }
      var seen = SeenOptions()
      for (index, item) in items.enumerated() {
        compiler.at(.index(index)) { compiler in
          if let option = compiler.option(item, seen: &seen) { options.append(option) }
        }
      }
    }
    descriptor.options = options
  }

  private mutating func option(_ json: JSON, seen: inout SeenOptions) -> SettingDescriptor.Option? {
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
      if let earlier = seen.insert(mark, at: compiler.path) {
        compiler.report(
          .error, "duplicate-option", "the option \(value.brief) is there twice, first at \(earlier.pointer)",
          related: earlier)
        return nil
      }
      return .init(title: title ?? Self.title(of: value), value: value)
    }
  }

  /// What an option shows that has no title of its own.
  private static func title(of value: Value) -> String {
    if case .string(let text) = value, !text.isEmpty { return text }
    return value.brief
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

  mutating func value(_ json: JSON) -> Value? {
    do {
      let value = try Value(json: json)
      try value.check()
      return value
    } catch {
      report(.error, "invalid-value", error.message)
      return nil
    }
  }

  mutating func template(
    _ fields: SettingFields, depth: Int, scope: SchemaScope, of descriptor: inout SettingDescriptor
  ) {
    guard depth < SchemaCompiler.maximumDepth else {
      error("too-deep", "panes and lists nest deeper than \(SchemaCompiler.maximumDepth)")
      return
    }
    guard let json = fields[.itemTemplate] else {
      error("missing-member", "the List has no `ItemTemplate`", hint: "add \"ItemTemplate\" with the items' settings")
      return
    }
    let inner = SchemaScope(isItem: true, isPlain: Self.isPlain(json))
    var members: [SettingDescriptor] = []
    let outer = setting
    at(.itemTemplate) { $0.settings(json, group: "", depth: depth + 1, scope: inner, into: &members) }
    setting = outer
    resolveConditions(of: inner, in: &members)
    descriptor.template = members
  }

  /// Whether a template is one setting without a key, headers aside: the items are plain values of it.
  private static func isPlain(_ template: JSON) -> Bool {
    guard case .array(let elements) = template else { return false }
    var settings: [JSON] = []
    for element in elements where element["Type"] != .string(SchemaType.header.name) { settings.append(element) }
    guard settings.count == 1, settings[0]["Key"] == nil, let type = settings[0]["Type"] else { return false }
    return type != .string(SchemaType.pane.name)
  }

  mutating func uniqueBy(_ fields: SettingFields, of descriptor: inout SettingDescriptor) {
    guard let json = fields[.uniqueBy] else { return }
    guard descriptor.plainItem == nil else {
      at(.uniqueBy) {
        $0.report(.warning, "does-not-apply", "`UniqueBy` does not apply to a list of plain values", isKey: true)
      }
      return
    }
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

extension SettingDescriptor {
  /// The descriptor as CBOR of an object, for storage; without the setting's own default, which is a value of the
  /// `defaults` layer, but with those of a template's members.
  public func encode() -> [UInt8] {
    CBOR.encode(object(withDefault: false))
  }

  /// Reads what `encode()` wrote. Members it does not know are passed over.
  ///
  /// Throws `.corrupt` if it is anything else.
  public static func decode(_ bytes: [UInt8]) throws(StoreError) -> SettingDescriptor {
    let value: Value
    do {
      value = try CBOR.decode(bytes)
    } catch {
      throw StoreError(.corrupt, "the description of a setting is damaged: \(error.message)")
    }
    return try DescriptorReader.descriptor(value, depth: 0)
  }

  func object(withDefault: Bool) -> Value {
    var members: [Value.Member] = [.init("key", .string(key)), .init("kind", .int(Int64(kind.rawValue)))]
    func add(_ key: String, _ value: Value?) {
      if let value { members.append(.init(key, value)) }
    }
    func add(_ key: String, text: String?) {
      add(key, text.map { .string($0) })
    }
    func add(_ key: String, number: Int?) {
      add(key, number.map { .int(Int64($0)) })
    }
    func add(_ key: String, flag: Bool) {
      add(key, flag ? .bool(true) : nil)
    }
    add("title", text: title)
    add("placeholder", text: placeholder)
    add("description", text: description)
    add("group", text: group.isEmpty ? nil : group)
    add("secret", flag: isSecret)
    add("readOnly", flag: isReadOnly)
    add("hidden", flag: isHidden)
    add("restart", flag: needsRestart)
    add("required", flag: isRequired)
    add("minimum", minimum)
    add("maximum", maximum)
    add("step", step)
    add("unit", text: unit)
    add("minLength", number: minLength)
    add("maxLength", number: maxLength)
    add("pattern", text: pattern)
    add("maxItems", number: maxItems)
    add("uniqueBy", text: uniqueBy)
    if !options.isEmpty {
      add("options", .list(options.flatMap { [.string($0.title), $0.value] }))
    }
    add("since", text: since)
    add("deprecated", text: deprecated)
    if !aliases.isEmpty { add("aliases", .list(aliases.map { .string($0) })) }
    if let enabledBy { add("enabledBy", .list([.string(enabledBy.key), enabledBy.equals])) }
    if !template.isEmpty { add("template", .list(template.map { $0.object(withDefault: true) })) }
    if withDefault { add("default", defaultValue) }
    return .object(members)
  }
}

/// Reads descriptors back from stored objects.
private enum DescriptorReader {
  static func descriptor(_ value: Value, depth: Int) throws(StoreError) -> SettingDescriptor {
    guard case .object(let members) = value, depth <= Value.maximumDepth,
      case .string(let key)? = value["key"],
      case .int(let code)? = value["kind"], let raw = UInt8(exactly: code), let kind = SettingKind(rawValue: raw)
    else { throw damaged("object") }
    var result = SettingDescriptor(key: key, kind: kind)
    for member in members {
      try read(member, into: &result, depth: depth)
    }
    return result
  }

  private static func read(
    _ member: Value.Member, into result: inout SettingDescriptor, depth: Int
  ) throws(StoreError) {
    let value = member.value
    // Names are compared as bytes; each of these is ASCII and short.
    func named(_ name: String) -> Bool { member.key.sameBytes(as: name) }
    if named("title") { result.title = try text(value) }
    if named("placeholder") { result.placeholder = try text(value) }
    if named("description") { result.description = try text(value) }
    if named("group") { result.group = try text(value) }
    if named("secret") { result.isSecret = try flag(value) }
    if named("readOnly") { result.isReadOnly = try flag(value) }
    if named("hidden") { result.isHidden = try flag(value) }
    if named("restart") { result.needsRestart = try flag(value) }
    if named("required") { result.isRequired = try flag(value) }
    if named("minimum") { result.minimum = value }
    if named("maximum") { result.maximum = value }
    if named("step") { result.step = value }
    if named("unit") { result.unit = try text(value) }
    if named("minLength") { result.minLength = try number(value) }
    if named("maxLength") { result.maxLength = try number(value) }
    if named("pattern") { result.pattern = try text(value) }
    if named("maxItems") { result.maxItems = try number(value) }
    if named("uniqueBy") { result.uniqueBy = try text(value) }
    if named("options") { result.options = try options(value) }
    if named("since") { result.since = try text(value) }
    if named("deprecated") { result.deprecated = try text(value) }
    if named("aliases") {
      for item in try list(value) { result.aliases.append(try text(item)) }
    }
    if named("enabledBy") {
      let pair = try list(value)
      guard pair.count == 2 else { throw damaged("condition") }
      result.enabledBy = .init(key: try text(pair[0]), equals: pair[1])
    }
    if named("template") {
      for item in try list(value) { result.template.append(try descriptor(item, depth: depth + 1)) }
    }
    if named("default") { result.defaultValue = value }
  }

  private static func options(_ value: Value) throws(StoreError) -> [SettingDescriptor.Option] {
    let items = try list(value)
    guard items.count.isMultiple(of: 2) else { throw damaged("options") }
    var result: [SettingDescriptor.Option] = []
    result.reserveCapacity(items.count / 2)
    for index in stride(from: 0, to: items.count, by: 2) {
      result.append(.init(title: try text(items[index]), value: items[index + 1]))
    }
    return result
  }

  private static func text(_ value: Value) throws(StoreError) -> String {
    guard case .string(let text) = value else { throw damaged("text") }
    return text
  }

  private static func flag(_ value: Value) throws(StoreError) -> Bool {
    guard case .bool(let flag) = value else { throw damaged("flag") }
    return flag
  }

  private static func number(_ value: Value) throws(StoreError) -> Int {
    guard case .int(let number) = value, let result = Int(exactly: number) else { throw damaged("number") }
    return result
  }

  private static func list(_ value: Value) throws(StoreError) -> [Value] {
    guard case .list(let items) = value else { throw damaged("list") }
    return items
  }

  private static func damaged(_ expected: String) -> StoreError {
    StoreError(.corrupt, "the description of a setting is damaged: expected \(expected)")
  }
}

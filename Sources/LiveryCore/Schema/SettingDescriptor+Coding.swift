import CSystem

extension SettingDescriptor {
  /// What a value of the session may survive.
  static let logout = "logout"

  /// The descriptor as CBOR of an object, for storage; without the setting's own default, which is a value of the
  /// `defaults` layer, but with those of a template's members.
  public func encode() -> [UInt8] {
    CBOR.encode(object(isItem: false))
  }

  /// Reads what `encode()` wrote. Members it does not know are passed over.
  ///
  /// Throws `.corrupt` if it is anything else.
  ///
  /// - Parameters:
  ///   - key: the setting's name, which the stored form does not repeat.
  ///   - start: where the descriptor begins.
  public static func decode(
    _ bytes: [UInt8], key: String, from start: Int = 0
  ) throws(StoreError) -> SettingDescriptor {
    var reader = CBOR.Reader(bytes, from: start)
    var descriptor = try DescriptorReader.descriptor(&reader, depth: 0)
    descriptor.key = key
    guard reader.isAtEnd else { throw DescriptorReader.damaged("the end") }
    return descriptor
  }

  /// - Parameter isItem: of a member of a template, which has a key and a default of its own.
  func object(isItem: Bool) -> Value {
    var members: [Value.Member] = isItem ? [.init("key", .string(key))] : []
    members.append(.init("kind", .int(Int64(kind.rawValue))))
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
    add("survives", survived)
    add("volatile", flag: isVolatile)
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
    if !template.isEmpty { add("template", .list(template.map { $0.object(isItem: true) })) }
    if isItem { add("default", defaultValue) }
    return .object(members)
  }
}

/// Reads descriptors back from what is stored, in one pass.
private enum DescriptorReader {
  static func descriptor(_ reader: inout CBOR.Reader, depth: Int) throws(StoreError) -> SettingDescriptor {
    guard depth <= Value.maximumDepth, let count = reader.object() else { throw damaged("object") }
    var result = SettingDescriptor(key: "", kind: .bool)
    var hasKey = false
    var hasKind = false
    for _ in 0..<count {
      let name = try text(&reader)
      if name.sameBytes(as: "key") {
        result.key = try text(&reader)
        hasKey = true
      } else if name.sameBytes(as: "kind") {
        guard let kind = UInt8(exactly: try number(&reader)).flatMap({ SettingKind(rawValue: $0) }) else {
          throw damaged("kind")
        }
        result.kind = kind
        hasKind = true
      } else {
        try member(name, &reader, into: &result, depth: depth)
      }
    }
    guard hasKey || depth == 0, hasKind else { throw damaged("key and kind") }
    return result
  }

  private static func member(
    _ name: String, _ reader: inout CBOR.Reader, into result: inout SettingDescriptor, depth: Int
  ) throws(StoreError) {
    // Names are compared as bytes; each of these is ASCII and short, and few have the same length.
    func named(_ other: String) -> Bool { name.sameBytes(as: other) }
    switch name.utf8.count {
    case 4:
      if named("step") { return result.step = try value(&reader) }
      if named("unit") { return result.unit = try text(&reader) }
    case 5:
      if named("title") { return result.title = try text(&reader) }
      if named("group") { return result.group = try text(&reader) }
      if named("since") { return result.since = try text(&reader) }
    case 6:
      if named("secret") {
        result.isSecret = try flag(&reader)
        if result.isSecret { lvs_memory_wipe() }
        return
      }
      if named("hidden") { return result.isHidden = try flag(&reader) }
    case 7:
      if named("restart") { return result.needsRestart = try flag(&reader) }
      if named("minimum") { return result.minimum = try value(&reader) }
      if named("maximum") { return result.maximum = try value(&reader) }
      if named("pattern") { return result.pattern = try text(&reader) }
      if named("options") { return result.options = try options(&reader) }
      if named("default") { return result.defaultValue = try value(&reader) }
      if named("aliases") {
        for _ in 0..<(try list(&reader)) { result.aliases.append(try text(&reader)) }
        return
      }
    case 8:
      if named("readOnly") { return result.isReadOnly = try flag(&reader) }
      if named("required") { return result.isRequired = try flag(&reader) }
      if named("maxItems") { return result.maxItems = try number(&reader) }
      if named("uniqueBy") { return result.uniqueBy = try text(&reader) }
      if named("volatile") { return result.isVolatile = try flag(&reader) }
      if named("survives") {
        for _ in 0..<(try list(&reader)) where try text(&reader).sameBytes(as: SettingDescriptor.logout) {
          result.survivesLogout = true
        }
        return
      }
      if named("template") {
        for _ in 0..<(try list(&reader)) { result.template.append(try descriptor(&reader, depth: depth + 1)) }
        return
      }
    case 9:
      if named("minLength") { return result.minLength = try number(&reader) }
      if named("maxLength") { return result.maxLength = try number(&reader) }
      if named("enabledBy") {
        guard try list(&reader) == 2 else { throw damaged("condition") }
        result.enabledBy = .init(key: try text(&reader), equals: try value(&reader))
        return
      }
    default:
      if named("deprecated") { return result.deprecated = try text(&reader) }
      if named("placeholder") { return result.placeholder = try text(&reader) }
      if named("description") { return result.description = try text(&reader) }
    }
    guard reader.skip() else { throw damaged("member") }
  }

  private static func options(_ reader: inout CBOR.Reader) throws(StoreError) -> [SettingDescriptor.Option] {
    let count = try list(&reader)
    guard count.isMultiple(of: 2) else { throw damaged("options") }
    var result: [SettingDescriptor.Option] = []
    for _ in 0..<(count / 2) { result.append(.init(title: try text(&reader), value: try value(&reader))) }
    return result
  }

  private static func value(_ reader: inout CBOR.Reader) throws(StoreError) -> Value {
    guard let value = reader.value() else { throw damaged("value") }
    return value
  }

  private static func text(_ reader: inout CBOR.Reader) throws(StoreError) -> String {
    guard let text = reader.text() else { throw damaged("text") }
    return text
  }

  private static func flag(_ reader: inout CBOR.Reader) throws(StoreError) -> Bool {
    guard let flag = reader.bool() else { throw damaged("flag") }
    return flag
  }

  private static func number(_ reader: inout CBOR.Reader) throws(StoreError) -> Int {
    guard let number = reader.int().flatMap({ Int(exactly: $0) }) else { throw damaged("number") }
    return number
  }

  private static func list(_ reader: inout CBOR.Reader) throws(StoreError) -> Int {
    guard let count = reader.list() else { throw damaged("list") }
    return count
  }

  static func damaged(_ expected: String) -> StoreError {
    StoreError(.corrupt, "the description of a setting is damaged: expected \(expected)")
  }
}

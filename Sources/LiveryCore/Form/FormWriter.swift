/// Writes a form as a value, as it is described at `livery_form` in C.
public struct FormWriter {
  private let translation: Translation
  private let includesHidden: Bool
  private let state: (SettingDescriptor) throws(StoreError) -> FormState

  public init(
    _ translation: Translation, includesHidden: Bool,
    state: @escaping (SettingDescriptor) throws(StoreError) -> FormState
  ) {
    self.translation = translation
    self.includesHidden = includesHidden
    self.state = state
  }

  public func members(_ outline: FormOutline) throws(StoreError) -> [Value.Member] {
    var form = MemberList()
    form.add("title", text: outline.title.map { translation($0) })
    form.add("version", .int(outline.version))
    form.add("languages", .list(outline.texts.names.map { .string($0) }))
    form.add("locale", text: translation.name)
    var groups: [Value] = []
    for group in outline.groups {
      var members = heading(group.heading)
      members.add("elements", .list(try elements(group.elements)))
      groups.append(.object(members.all))
    }
    form.add("groups", .list(groups))
    return form.all
  }

  private func heading(_ heading: FormOutline.Heading) -> MemberList {
    var members = MemberList()
    members.add("title", text: heading.title.map { translation($0) })
    members.add("description", text: heading.description.map { translation($0) })
    members.add("hidden", flag: heading.isHidden)
    return members
  }

  private func elements(_ elements: [FormOutline.Element], inTemplate: Bool = false) throws(StoreError) -> [Value] {
    var found: [Value] = []
    for element in elements {
      var members = MemberList()
      switch element {
      case .header(let heading), .pane(let heading, _):
        if heading.isHidden, !includesHidden { continue }
        if case .pane(_, let inner) = element {
          members.add("kind", text: "pane")
          members.all += self.heading(heading).all
          members.add("elements", .list(try self.elements(inner, inTemplate: inTemplate)))
        } else {
          members.add("kind", text: "header")
          members.all += self.heading(heading).all
        }
      case .setting(let setting):
        // What is hidden of an item is set with the item all the same.
        if setting.descriptor.isHidden, !includesHidden, !inTemplate { continue }
        try declare(setting, in: &members)
        if !inTemplate { tell(try state(setting.descriptor), of: setting.descriptor, in: &members) }
      }
      found.append(.object(members.all))
    }
    return found
  }

  // MARK: What the schema says

  private func declare(_ setting: FormOutline.Setting, in members: inout MemberList) throws(StoreError) {
    let descriptor = setting.descriptor
    members.add("kind", text: descriptor.formKind)
    if !descriptor.key.isEmpty { members.add("name", text: descriptor.key) }
    if !descriptor.aliases.isEmpty { members.add("aliases", .list(descriptor.aliases.map { .string($0) })) }
    members.add("title", text: descriptor.title.map { translation($0) })
    members.add("description", text: descriptor.description.map { translation($0) })
    members.add("placeholder", text: descriptor.placeholder.map { translation($0) })
    members.add("unit", text: descriptor.unit.map { translation($0) })
    if !descriptor.options.isEmpty {
      members.add(
        "options",
        .list(
          descriptor.options.map {
            .object([.init("title", .string(translation($0.title))), .init("value", $0.value)])
          }))
    }
    members.add("minimum", descriptor.minimum)
    members.add("maximum", descriptor.maximum)
    members.add("step", descriptor.step)
    members.add("minLength", number: descriptor.minLength)
    members.add("maxLength", number: descriptor.maxLength)
    members.add("pattern", text: descriptor.pattern)
    members.add("maxItems", number: descriptor.maxItems)
    members.add("uniqueBy", text: descriptor.uniqueBy)
    members.add("required", flag: descriptor.isRequired)
    members.add("readOnly", flag: descriptor.isReadOnly)
    members.add("restart", flag: descriptor.needsRestart)
    members.add("volatile", flag: descriptor.isVolatile)
    members.add("survives", descriptor.survived)
    members.add("hidden", flag: descriptor.isHidden)
    members.add("since", text: descriptor.since)
    members.add("deprecated", text: descriptor.deprecated.map { translation($0) })
    if let condition = descriptor.enabledBy {
      members.add("enabledBy", .object([.init("name", .string(condition.key)), .init("equals", condition.equals)]))
    }
    if !descriptor.isSecret { members.add("default", descriptor.defaultValue.map { descriptor.withoutSecrets($0) }) }
    if !setting.template.isEmpty {
      members.add("template", .list(try elements(setting.template, inTemplate: true)))
    }
  }

  // MARK: How it is

  private func tell(_ state: FormState, of descriptor: SettingDescriptor, in members: inout MemberList) {
    let record = state.record
    if let value = record.value, !descriptor.isSecret {
      members.add(descriptor.kind == .list ? "items" : "value", descriptor.withoutSecrets(value))
    }
    members.add("unavailable", flag: record.value?.isSealed == true)
    members.add("isSet", .bool(isSet(record.value, descriptor)))
    if record.value != nil {
      members.add("layer", text: record.layer.description)
      if !record.origin.isEmpty { members.add("origin", text: record.origin) }
      members.add("time", .date(record.time))
    }
    members.add("revision", .int(Int64(clamping: record.revision)))
    members.add("isDefault", .bool(record.value == nil || record.layer == .defaults))
    members.add("hasOwnValue", .bool(state.hasOwnValue))
    members.add("writable", .bool(state.obstacle == nil))
    switch state.obstacle {
    case nil: break
    case .locked(let layer):
      members.add("reason", text: "locked")
      members.add("lockedBy", text: layer.description)
    case .readOnly: members.add("reason", text: "read-only")
    case .disabled(let other):
      members.add("reason", text: "disabled")
      var by = MemberList()
      by.add("name", text: other.key)
      by.add("title", text: other.title.map { translation($0) })
      by.add("equals", descriptor.enabledBy?.equals)
      members.add("disabledBy", .object(by.all))
    }
  }

  /// An empty secret is none.
  private func isSet(_ value: Value?, _ descriptor: SettingDescriptor) -> Bool {
    guard let value else { return false }
    return !descriptor.isSecret || descriptor.withoutSecrets(value) == .bool(true)
  }
}

/// Members of an object, of which those that do not apply are left out.
struct MemberList {
  var all: [Value.Member] = []

  mutating func add(_ key: String, _ value: Value?) {
    if let value { all.append(.init(key, value)) }
  }

  mutating func add(_ key: String, text: String?) {
    if let text { all.append(.init(key, .string(text))) }
  }

  mutating func add(_ key: String, number: Int?) {
    if let number { all.append(.init(key, .int(Int64(number)))) }
  }

  mutating func add(_ key: String, flag: Bool) {
    if flag { all.append(.init(key, .bool(true))) }
  }
}

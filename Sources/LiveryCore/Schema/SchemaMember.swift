/// The members that a schema's settings may have.
enum SchemaMember: Int, CaseIterable {
  case type, title, key, value, placeholder, kindClass, options, settings, itemTemplate
  case format, description, minimum, maximum, step, unit, minLength, maxLength, pattern, required, maxItems, uniqueBy
  case readOnly, hidden, restart, since, deprecated, aliases, enabledBy, survives, volatile

  var name: String {
    switch self {
    case .type: "Type"
    case .title: "Title"
    case .key: "Key"
    case .value: "Value"
    case .placeholder: "Placeholder"
    case .kindClass: "Class"
    case .options: "Options"
    case .settings: "Settings"
    case .itemTemplate: "ItemTemplate"
    case .format: "Format"
    case .description: "Description"
    case .minimum: "Minimum"
    case .maximum: "Maximum"
    case .step: "Step"
    case .unit: "Unit"
    case .minLength: "MinLength"
    case .maxLength: "MaxLength"
    case .pattern: "Pattern"
    case .required: "Required"
    case .maxItems: "MaxItems"
    case .uniqueBy: "UniqueBy"
    case .readOnly: "ReadOnly"
    case .hidden: "Hidden"
    case .restart: "Restart"
    case .since: "Since"
    case .deprecated: "Deprecated"
    case .aliases: "Aliases"
    case .enabledBy: "EnabledBy"
    case .survives: "Survives"
    case .volatile: "Volatile"
    }
  }

  /// The members by the length of their names.
  private static let byLength: [[(name: String, member: SchemaMember)]] = {
    var table = [[(name: String, member: SchemaMember)]](repeating: [], count: 16)
    for member in allCases {
      let name = member.name
      table[min(15, name.utf8.count)].append((name, member))
    }
    return table
  }()

  init?(name: String) {
    let length = name.utf8.count
    guard length < 16, let found = SchemaMember.byLength[length].first(where: { $0.name.sameBytes(as: name) }) else {
      return nil
    }
    self = found.member
  }
}

/// The types of settings in a schema, and what members each takes.
enum SchemaType: Int, CaseIterable {
  case header, textField, toggleSwitch, comboBox, pane, list, number, url, color, date, image, data

  var name: String {
    switch self {
    case .header: "Header"
    case .textField: "TextField"
    case .toggleSwitch: "ToggleSwitch"
    case .comboBox: "ComboBox"
    case .pane: "Pane"
    case .list: "List"
    case .number: "Number"
    case .url: "URL"
    case .color: "Color"
    case .date: "Date"
    case .image: "Image"
    case .data: "Data"
    }
  }

  init?(name: String) {
    guard let found = SchemaType.allCases.first(where: { $0.name.sameBytes(as: name) }) else { return nil }
    self = found
  }

  func takes(_ member: SchemaMember) -> Bool {
    SchemaType.applicable[rawValue][member.rawValue]
  }

  /// The names of the members it takes.
  var memberNames: [String] {
    SchemaMember.allCases.filter { takes($0) }.map { $0.name }
  }

  private static let applicable: [[Bool]] = allCases.map { type in
    let members = type.members
    return SchemaMember.allCases.map { members.contains($0) }
  }

  private var members: [SchemaMember] {
    let keyed: [SchemaMember] = [
      .type, .title, .key, .value, .description, .required, .readOnly, .hidden, .restart, .since, .deprecated, .aliases,
      .enabledBy, .survives, .volatile,
    ]
    switch self {
    case .header: return [.type, .title, .description, .hidden]
    case .pane: return [.type, .title, .description, .hidden, .settings]
    case .toggleSwitch: return keyed
    case .textField: return keyed + [.placeholder, .kindClass, .unit, .minLength, .maxLength, .pattern]
    case .comboBox: return keyed + [.placeholder, .kindClass, .options, .maxItems, .unit]
    case .list: return keyed + [.itemTemplate, .maxItems, .uniqueBy]
    case .number: return keyed + [.placeholder, .format, .minimum, .maximum, .step, .unit]
    case .url: return keyed + [.placeholder, .minLength, .maxLength, .pattern]
    case .date: return keyed + [.placeholder, .minimum, .maximum]
    case .color, .image: return keyed + [.placeholder]
    case .data: return keyed + [.minLength, .maxLength]
    }
  }
}

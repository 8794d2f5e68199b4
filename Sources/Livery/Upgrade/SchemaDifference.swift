/// How the declarations of a schema differ from those that are stored.
struct SchemaDifference {
  /// The settings' stored forms, in the order of the schema, with what is new of each.
  private(set) var forms: [[UInt8]] = []
  private(set) var differs: [Bool] = []
  private(set) var defaultDiffers: [Bool] = []
  private(set) var added: [String] = []
  private(set) var removed: [String] = []
  private(set) var changed: [String] = []
  /// Aliases that are stored.
  private(set) var oldAliases: [String] = []

  static let none = SchemaDifference()

  private init() {}

  init(of schema: Schema, in view: View) throws(StoreError) {
    var old = ByteIndex()
    var oldForms: [[UInt8]] = []
    var oldNames: [String] = []
    var aliases: [String] = []
    try view.walkDeclarations { name, form in
      guard let form else { return aliases.append(name) }
      _ = old.insert(name)
      oldForms.append(form)
      oldNames.append(name)
    }
    oldAliases = aliases
    var declared = ByteIndex()
    for setting in schema.settings {
      _ = declared.insert(setting.key)
      let form = setting.encode()
      let number = old.number(of: setting.key)
      let isSame = number.map { oldForms[$0] == form } ?? false
      let isSameDefault = try view.record(LayerKey(.defaults, setting.key))?.value == setting.defaultValue
      forms.append(form)
      differs.append(!isSame)
      defaultDiffers.append(!isSameDefault)
      if number == nil {
        added.append(setting.key)
      } else if !isSame || !isSameDefault {
        changed.append(setting.key)
      }
    }
    for name in oldNames where declared.number(of: name) == nil { removed.append(name) }
  }

  /// Stores the declarations; rows that stay are not written again.
  func store(_ schema: Schema, in view: View) throws(StoreError) {
    for name in oldAliases { try view.deleteDeclaration(name) }
    for name in removed { try view.deleteDeclaration(name) }
    // In the order of names pages are filled one after the other.
    let order = sortedOrder(of: forms.count) {
      schema.settings[$0].key.precedesInBytes(schema.settings[$1].key)
    }
    for index in order where differs[index] { try view.putDeclaration(forms[index], schema.settings[index].key) }
    for setting in schema.settings {
      for alias in setting.aliases { try view.putAlias(alias, of: setting.key) }
    }
  }

  /// The defaults that are to be stored, or go; those that stay keep who set them, and when.
  func newDefaults(of schema: Schema) -> NewDefaults {
    var fresh = NewDefaults()
    for (index, setting) in schema.settings.enumerated() where defaultDiffers[index] {
      fresh.put(setting.defaultValue, setting.key)
    }
    for name in removed { fresh.put(nil, name) }
    return fresh
  }
}

/// Defaults by the names of their settings.
struct NewDefaults {
  private var names = ByteIndex()
  private var values: [Value?] = []

  /// - Parameter value: nil for none any more.
  mutating func put(_ value: Value?, _ name: String) {
    let (number, isNew) = names.insert(name)
    if isNew { values.append(value) } else { values[number] = value }
  }

  /// nil if the setting's default stays.
  func value(_ name: String) -> Value?? { names.number(of: name).map { values[$0] } }
}

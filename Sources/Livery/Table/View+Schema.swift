/// A row of the compiled schema.
enum SchemaRow {
  case setting(SettingValidator)
  /// An old name of the setting named.
  case alias(String)
}

/// What the schema makes of a name.
struct Admission {
  /// Whether values that layers hold under the name count.
  let counts: Bool
  /// nil if it is not declared.
  let declared: SettingValidator?

  /// Whether reads know the setting. What is left of an undeclared one without a value only remembers when it went.
  func isKnown(with record: Record) -> Bool {
    counts && (declared != nil || record.value != nil)
  }
}

extension View {
  private static let settingRow: UInt8 = 0
  private static let aliasRow: UInt8 = 1

  func schemaRow(_ name: String) throws(StoreError) -> SchemaRow? { try sizedRow(name).row }

  /// With the bytes that it takes as it is stored.
  func sizedRow(_ name: String) throws(StoreError) -> (row: SchemaRow?, size: Int) {
    let key = name.bytes
    guard
      let content = try read(
        key, databases.schema, orDamaged: "the declaration of `\(name)`", setting: name,
        { Checksum.content(of: $0, key: key, tag: Tag.schema) })
    else { return (nil, 0) }
    return (try Self.row(content, name), content.count)
  }

  func admission(_ name: String) throws(StoreError) -> Admission {
    let row = try schemaRow(name)
    let isAdmitted = row == nil ? try admits(name) : false
    return admission(name, row, isAdmitted: isAdmitted)
  }

  /// Whether a setting may be set that is not declared.
  private func admits(_ name: String) throws(StoreError) -> Bool {
    if Claim.builtIn(of: name) != nil { return true }
    if try schemaFacts().isOpen { return true }
    return try claims().covers(name)
  }

  /// - Parameter isAdmitted: whether it may be set if it is not declared.
  func admission(_ name: String, _ row: SchemaRow?, isAdmitted: @autoclosure () -> Bool) -> Admission {
    switch row {
    case .setting(let declaration): return Admission(counts: true, declared: declaration)
    // An alias stands for its setting, whatever an undeclared one of the same name holds.
    case .alias: return Admission(counts: false, declared: nil)
    case nil: return Admission(counts: isAdmitted(), declared: nil)
    }
  }

  /// What a setting is declared as, or nil if it is not.
  func declaration(_ name: String) throws(StoreError) -> SettingValidator? {
    guard case .setting(let declaration) = try schemaRow(name) else { return nil }
    return declaration
  }

  func descriptor(_ name: String) throws(StoreError) -> SettingDescriptor? {
    try declaration(name)?.descriptor
  }

  /// Whether a setting's value is not for everyone's eyes: it is declared a secret, by the schema or by the owner of its
  /// namespace, or keeps the value of one that is.
  ///
  /// - Parameters:
  ///   - declared: how the setting is declared.
  ///   - claims: those of the store, if they are known.
  func isSecret(
    _ name: String, _ declared: SettingDescriptor?, _ value: Value?, _ claims: Claims? = nil
  ) throws(StoreError) -> Bool {
    if let declared { return declared.holdsSecret }
    if Claim.builtIn(of: name) != nil { return try keepsSecret(name, value) }
    if let claims { return claims.isSecret(name) }
    return try self.claims().isSecret(name)
  }

  /// The same by what a setting is declared as now.
  @inline(never)
  func isSecret(asDeclared name: String, _ value: Value?, _ claims: Claims? = nil) throws(StoreError) -> Bool {
    try isSecret(name, descriptor(name), value, claims)
  }

  /// The same of a setting whatever is known of it: of one that is not declared any more what it was.
  @inline(never)
  func isSecret(_ name: String, _ value: Value?) throws(StoreError) -> Bool {
    let admission = try admission(name)
    if try isSecret(name, admission.declared?.descriptor, value) { return true }
    guard !admission.counts else { return false }
    // It may have been one if nobody took note.
    return try orphans().facts(name)?.isSecret ?? true
  }

  /// Whether a setting that is not declared keeps the value of a secret for another time.
  private func keepsSecret(_ name: String, _ value: Value?) throws(StoreError) -> Bool {
    guard let kept = Claim.builtIn(of: name)?.kept, let value else { return false }
    for part in kept(value) where try descriptor(part)?.holdsSecret == true { return true }
    return false
  }

  /// The setting that a name stands for: the one an alias names, otherwise itself.
  func resolveAlias(_ name: String) throws(StoreError) -> String {
    guard case .alias(let target) = try schemaRow(name) else { return name }
    return target
  }

  /// Walks the declared settings in the order of names, with their stored form; for an alias there is none.
  func walkDeclarations(_ body: (String, [UInt8]?) -> Void) throws(StoreError) {
    try walk(databases.schema) { (key, value) throws(StoreError) in
      guard let name = key.text,
        let content = Checksum.content(of: value, key: key.array, tag: Tag.schema), let kind = content.first
      else { throw StoreError.damaged("a declaration") }
      body(name, kind == Self.settingRow ? Array(content.dropFirst()) : nil)
      return true
    }
  }

  /// Declares a setting, in its stored form.
  func putDeclaration(_ form: [UInt8], _ name: String) throws(StoreError) {
    try putRow(Self.settingRow, form, name)
  }

  func putAlias(_ alias: String, of name: String) throws(StoreError) {
    try putRow(Self.aliasRow, name.bytes, alias)
  }

  func deleteDeclaration(_ name: String) throws(StoreError) {
    try delete(name.bytes, databases.schema)
  }

  private func putRow(_ kind: UInt8, _ content: [UInt8], _ name: String) throws(StoreError) {
    let key = name.bytes
    try put(Checksum.sealed([kind] + content, key: key, tag: Tag.schema), key, databases.schema)
  }

  private static func row(_ content: [UInt8], _ name: String) throws(StoreError) -> SchemaRow {
    switch content.first {
    case settingRow: return .setting(SettingValidator(try SettingDescriptor.decode(content, key: name, from: 1)))
    case aliasRow:
      guard let target = String(validating: content.dropFirst(), as: UTF8.self) else { break }
      return .alias(target)
    default: break
    }
    throw StoreError.damaged("the declaration of `\(name)`", setting: name)
  }
}

/// What stands between two versions of a schema: every change by which values that the old one allows would be lost, and
/// what else their author should know.
///
/// Steps are followed by the names and the kinds of values that they work on, without any values.
public struct SchemaComparison: Sendable {
  public var oldVersion: Int64
  public var newVersion: Int64
  /// Findings at places of the old schema: what is gone.
  public var old: [Diagnostic] = []
  /// Findings at places of the new schema.
  public var new: [Diagnostic] = []
  /// Secrets that would be none any more; each is a finding, too.
  public var declassified: [Declassification] = []

  /// Compares two versions, the second of which is to follow the first. Corresponds to `livery_schema_compare` in C.
  ///
  /// Throws `.parse` for the text of a schema that is not JSON, which no compiled one has.
  public init(_ old: Schema, _ new: Schema) throws(StoreError) {
    oldVersion = old.version
    newVersion = new.version
    guard old.digest != new.digest else { return }
    var run = ComparisonRun(old, new, try JSON.parse(old.text), try JSON.parse(new.text))
    run.run()
    self.old = run.oldFindings.located(in: old.text)
    self.new = run.newFindings.located(in: new.text)
    declassified = run.declassified
  }

  public func count(_ severity: Diagnostic.Severity) -> Int {
    var count = 0
    for finding in old where finding.severity == severity { count += 1 }
    for finding in new where finding.severity == severity { count += 1 }
    return count
  }

  /// As an object for reports.
  public var value: Value {
    var findings: [Value] = []
    func add(_ diagnostics: [Diagnostic], of document: String) {
      for diagnostic in diagnostics {
        guard case .object(let members) = diagnostic.value else { continue }
        findings.append(.object([.init("document", .string(document))] + members))
      }
    }
    add(old, of: "old")
    add(new, of: "new")
    return .object([
      .init("oldVersion", .int(oldVersion)), .init("version", .int(newVersion)),
      .init("errors", .int(Int64(count(.error)))), .init("warnings", .int(Int64(count(.warning)))),
      .init("findings", .list(findings)),
    ])
  }
}

/// The state of one comparison.
struct ComparisonRun {
  let old: Schema
  let new: Schema
  let oldDocument: JSON
  let newDocument: JSON
  let oldPlaces: SchemaPlaces
  let newPlaces: SchemaPlaces
  let patterns = PatternCache()
  var oldFindings = SchemaFindings()
  var newFindings = SchemaFindings()
  /// What the values of the old schema have become, as far as the steps are followed.
  var slots: [ComparisonSlot] = []
  var declassified: [Declassification] = []
  /// A host function that was called: what it did is not known.
  var function: String?
  /// Whether the step that is followed may take items of a list away.
  var dropsItems = false
  /// The settings of the new schema by key, and whether anything leads into them.
  var newNumbers = ByteIndex()
  var isReached: [Bool] = []
  /// The keys of those that nothing leads into: what may be meant by one that is gone.
  var unreached: [String] = []
  /// How many names may still be compared for hints, which must stay cheap for any two schemas.
  var namesToCompare = 200_000

  init(_ old: Schema, _ new: Schema, _ oldDocument: JSON, _ newDocument: JSON) {
    self.old = old
    self.new = new
    self.oldDocument = oldDocument
    self.newDocument = newDocument
    oldPlaces = SchemaPlaces(oldDocument)
    newPlaces = SchemaPlaces(newDocument)
    for setting in new.settings { _ = newNumbers.insert(setting.key) }
    isReached = [Bool](repeating: false, count: new.settings.count)
  }

  mutating func run() {
    checkVersions()
    checkMigrations()
    for setting in old.settings { slots.append(ComparisonSlot(setting, within: [])) }
    for migration in new.migrations where migration.version > old.version {
      for step in migration.steps { follow(step) }
    }
    for slot in slots {
      if let number = newNumbers.number(of: slot.name) { isReached[number] = true }
    }
    for (number, setting) in new.settings.enumerated() where !isReached[number] { unreached.append(setting.key) }
    checkOpen()
    for slot in slots { check(slot) }
    checkAliases()
  }

  /// Where a finding is told.
  enum Place {
    case old([String], SchemaMember)
    case new([String], SchemaMember)
    case pointer(String)
  }

  mutating func report(
    _ severity: Diagnostic.Severity, _ code: String, _ message: String, at place: Place, hint: String? = nil
  ) {
    var finding = SchemaFinding(severity: severity, code: code, message: message, pointer: "", hint: hint)
    var isOld = false
    switch place {
    case .old(let names, let member):
      isOld = true
      finding.pointer = oldPlaces.pointer(names, member) ?? ""
      finding.setting = names.first
    case .new(let names, let member):
      finding.pointer = newPlaces.pointer(names, member) ?? ""
      finding.setting = names.first
    case .pointer(let pointer): finding.pointer = pointer
    }
    if isOld { oldFindings.add(severity) { finding } } else { newFindings.add(severity) { finding } }
  }

  /// A finding of lost values. After a host function they are only supposed to be lost.
  mutating func reportLoss(_ code: String, _ message: String, at place: Place, hint: String? = nil) {
    guard let function else { return report(.error, code, message, at: place, hint: hint) }
    report(.warning, code, message + ", unless `\(function)` sees to it", at: place, hint: hint)
  }
}

// MARK: Versions

extension ComparisonRun {
  private mutating func checkVersions() {
    if new.version < old.version {
      report(
        .error, "version-lowered",
        "`Version` is \(new.version), and was \(old.version): stores of that version refuse the schema",
        at: .pointer("/Version"), hint: "raise `Version` to \(old.version &+ 1)")
    } else if new.version == old.version {
      report(
        .error, "version-not-raised",
        "the schema has changed, and `Version` is still \(new.version): stores of that version ignore it",
        at: .pointer("/Version"), hint: "raise `Version` to \(old.version &+ 1)")
    }
  }

  /// Whether the migrations lead from the old version to the new one, and those that stores went through stay as they were.
  private mutating func checkMigrations() {
    var past = [(version: Int64, digest: [UInt8])]()
    if case .array(let items)? = oldDocument["Migrations"] {
      for (index, migration) in old.migrations.enumerated() where index < items.count {
        past.append((migration.version, SchemaDigest.of(items[index]["Steps"] ?? .null)))
        guard migration.version <= old.version else { continue }
        var isThere = false
        for other in new.migrations where other.version == migration.version { isThere = true }
        guard !isThere, !migration.steps.isEmpty else { continue }
        oldFindings.add(.warning) {
          SchemaFinding(
            severity: .warning, code: "past-steps-gone",
            message: "the steps to version \(migration.version) are gone: stores of a version before skip them",
            pointer: "/Migrations/\(index)/To", hint: "keep the migrations of all versions that stores may have")
        }
      }
    }
    guard let last = new.migrations.last, case .array(let items)? = newDocument["Migrations"] else { return }
    var expected = old.version
    for (index, migration) in new.migrations.enumerated() where index < items.count {
      let place = Place.pointer("/Migrations/\(index)/To")
      guard migration.version > old.version else {
        let digest = SchemaDigest.of(items[index]["Steps"] ?? .null)
        var isSame = false
        for other in past where other.version == migration.version && other.digest == digest { isSame = true }
        if !isSame {
          report(
            .warning, "past-steps-changed",
            "the steps to version \(migration.version) are not those of the old schema: stores of version "
              + "\(old.version) do not go through them again",
            at: place, hint: "put new steps into a migration to version \(new.version)")
        }
        continue
      }
      if migration.version > expected &+ 1 {
        report(
          .warning, "migrations-skip",
          "no steps lead from version \(expected) to \(migration.version &- 1): these are the next", at: place,
          hint: "make a migration for each version, if only with no steps")
      }
      expected = migration.version
    }
    if last.version < new.version, new.version > old.version {
      report(
        .warning, "migrations-stop-short",
        "the last steps lead to version \(last.version), and `Version` is \(new.version)",
        at: .pointer("/Migrations/\(new.migrations.count - 1)/To"),
        hint: "make a migration for each version, if only with no steps")
    }
  }

  private mutating func checkOpen() {
    guard old.isOpen else { return }
    guard new.isOpen else {
      return reportLoss(
        "no-longer-open", "settings that are not declared could be set, and what is set of them no longer counts",
        at: .pointer(newDocument["Open"] == nil ? "" : "/Open"), hint: "declare those that are in use")
    }
    for (number, setting) in new.settings.enumerated() where !isReached[number] {
      report(
        .warning, "undeclared-before",
        "`\(setting.key)` could be set before without a declaration: values that do not satisfy it are set aside",
        at: .new([setting.key], .key))
    }
  }

  private mutating func checkAliases() {
    var names = ByteIndex()
    for setting in new.settings {
      _ = names.insert(setting.key)
      for alias in setting.aliases { _ = names.insert(alias) }
    }
    for setting in old.settings {
      for alias in setting.aliases where names.number(of: alias) == nil {
        report(
          .warning, "removed-alias", "`\(alias)` no longer reads: it was an alias of `\(setting.key)`",
          at: .old([setting.key], .aliases))
      }
    }
  }
}

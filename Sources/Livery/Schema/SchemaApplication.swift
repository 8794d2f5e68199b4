import LMDB

/// What applying or checking a schema came to.
public struct SchemaOutcome: Sendable {
  /// The report, as described at `livery_schema_apply` in C.
  public var report: Value
  /// nil on success.
  public var error: StoreError?

  /// Whether there is something to report: false when the failure came before the schema was looked at.
  public var hasReport: Bool { report.count > 0 }

  fileprivate static func failed(_ error: StoreError) -> SchemaOutcome {
    SchemaOutcome(report: .object([]), error: error)
  }
}

extension Store {
  /// Applies a schema: declares settings, with defaults and constraints. Corresponds to `livery_schema_apply` in C.
  public func applySchema(_ json: [UInt8], origin: String = "schema") -> SchemaOutcome {
    do throws(StoreError) {
      try checkOrigin(origin)
      try whileOpen { () throws(StoreError) in
        guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      }
    } catch { return .failed(error) }
    return outcome(json) { (schema, report) throws(StoreError) in
      try write { (view) throws(StoreError) in
        var application = SchemaApplication(view, schema, origin, report)
        application.logLimits = options.logLimits
        return try application.apply()
      }
    }
  }

  /// Says what applying a schema would do. Corresponds to `livery_schema_check` in C.
  public func checkSchema(_ json: [UInt8]) -> SchemaOutcome {
    do throws(StoreError) { try whileOpen { () throws(StoreError) in } } catch { return .failed(error) }
    return outcome(json) { (schema, report) throws(StoreError) in
      try read { (view) throws(StoreError) in
        let application = SchemaApplication(view, schema, "", report)
        return try application.compare()
      }
    }
  }

  /// Checks a schema by itself. Corresponds to `livery_schema_check` without a store in C.
  public static func checkSchema(_ json: [UInt8]) -> SchemaOutcome {
    Livery.outcome(json) { (_, report) throws(StoreError) in report }
  }

  private func outcome(
    _ json: [UInt8], _ body: (Schema, SchemaReport) throws(StoreError) -> SchemaReport
  ) -> SchemaOutcome {
    let outcome = Livery.outcome(json, body)
    if outcome.report["drift"] == .bool(true) {
      let version = outcome.report["version"]?.brief ?? ""
      Log.write(
        .warning, "\(path): a schema of version \(version) with other content than the stored one was ignored (drift)")
    }
    return outcome
  }

  /// The stored schema's version, 0 if none has been applied. Corresponds to `livery_schema_version` in C.
  public func schemaVersion() throws(StoreError) -> UInt64 {
    try read { (view) throws(StoreError) in try view.schemaFacts().version }
  }

  /// The stored schema's text, as it was applied. Corresponds to `livery_schema_copy_json` in C.
  ///
  /// - Throws: `.noValue` if no schema has been applied.
  public func schemaText() throws(StoreError) -> [UInt8] {
    let text = try read { (view) throws(StoreError) in try view.schemaText() }
    guard let text else { throw StoreError(.noValue, "no schema has been applied to the store") }
    return text
  }
}

/// Compiles a schema, hands it on if it is sound, and puts together what is to be reported.
private func outcome(
  _ json: [UInt8], _ body: (Schema, SchemaReport) throws(StoreError) -> SchemaReport
) -> SchemaOutcome {
  var report = SchemaReport()
  do throws(StoreError) {
    let compilation = try compileSchema(json)
    report.diagnostics = compilation.diagnostics
    guard let schema = compilation.schema else {
      return SchemaOutcome(report: report.value, error: .schemaInvalid(compilation.diagnostics))
    }
    report.version = UInt64(clamping: schema.version)
    let finished = try body(schema, report)
    return SchemaOutcome(report: finished.value, error: finished.refusal)
  } catch {
    guard error.code == .parse else { return .failed(error) }
    report.diagnostics = [
      Diagnostic(
        severity: .error, code: "not-json", message: error.message, pointer: "", location: error.location, hint: nil,
        setting: nil)
    ]
    return SchemaOutcome(report: report.value, error: error)
  }
}

extension StoreError {
  fileprivate static func schemaInvalid(_ diagnostics: [Diagnostic]) -> StoreError {
    var first: Diagnostic?
    var count = 0
    for diagnostic in diagnostics where diagnostic.severity == .error {
      count += 1
      if first == nil { first = diagnostic }
    }
    guard let first else { return StoreError(.schemaInvalid, "the schema is invalid") }
    let place = first.location.map { " (line \($0.line), column \($0.column))" } ?? ""
    let more = count > 1 ? "; and \(count - 1) more" : ""
    return StoreError(
      .schemaInvalid, first.message + place + more, setting: first.setting, location: first.location)
  }
}

/// What is told of applying or checking a schema.
struct SchemaReport {
  var isApplied = false
  var isDrift = false
  var version: UInt64 = 0
  var previousVersion: UInt64 = 0
  var added: [String] = []
  var removed: [String] = []
  var changed: [String] = []
  var rejected: [Value] = []
  var diagnostics: [Diagnostic] = []
  /// Why the schema is not applied, though it is sound.
  var refusal: StoreError?

  var value: Value {
    func names(_ names: [String]) -> Value { .list(names.map { .string($0) }) }
    return .object([
      .init("applied", .bool(isApplied)), .init("drift", .bool(isDrift)),
      .init("version", .int(Int64(clamping: version))),
      .init("previousVersion", .int(Int64(clamping: previousVersion))), .init("added", names(added)),
      .init("removed", names(removed)), .init("changed", names(changed)), .init("rejected", .list(rejected)),
      .init("diagnostics", .list(diagnostics.map { $0.value })),
    ])
  }
}

/// One schema against one store, inside a transaction.
private struct SchemaApplication {
  let view: View
  let schema: Schema
  let origin: String
  var report: SchemaReport
  var logLimits = LogLimits(entries: 0, age: 0)
  let now = Timestamp.now

  init(_ view: View, _ schema: Schema, _ origin: String, _ report: SchemaReport) {
    self.view = view
    self.schema = schema
    self.origin = origin
    self.report = report
  }

  /// What the version rules say, and which declarations differ.
  func compare() throws(StoreError) -> SchemaReport {
    var report = self.report
    let facts = try view.schemaFacts()
    report.previousVersion = facts.version
    if report.version < facts.version {
      report.refusal = StoreError(
        .schemaNewer,
        "the store's schema has version \(facts.version), which is newer than version \(report.version) given")
      return report
    }
    guard report.version > facts.version else {
      report.isDrift = facts.digest != schema.digest
      return report
    }
    var old = ByteIndex()
    var oldForms: [[UInt8]] = []
    var oldNames: [String] = []
    try view.walkDeclarations { name, form in
      _ = old.insert(name)
      oldForms.append(form)
      oldNames.append(name)
    }
    var declared = ByteIndex()
    for setting in schema.settings {
      _ = declared.insert(setting.key)
      guard let number = old.number(of: setting.key) else {
        report.added.append(setting.key)
        continue
      }
      let oldDefault = try view.record(LayerKey(.defaults, setting.key))?.value
      if oldForms[number] != setting.encode() || oldDefault != setting.defaultValue {
        report.changed.append(setting.key)
      }
    }
    for name in oldNames where declared.number(of: name) == nil { report.removed.append(name) }
    return report
  }

  mutating func apply() throws(StoreError) -> Environment.Outcome<SchemaReport> {
    report = try compare()
    guard report.refusal == nil, report.version > report.previousVersion else { return .abort(report) }
    let revision = try view.revision() + 1
    let secretsBefore = try secrets(among: report.changed + report.removed)
    try view.putDeclarations(schema)
    try view.putSchema(
      SchemaFacts(version: report.version, isOpen: schema.isOpen, digest: schema.digest), text: schema.text)
    var touched = NameSet()
    for name in report.removed { touched.insert(name) }
    for setting in schema.settings {
      for alias in setting.aliases { touched.insert(alias) }
    }
    try replaceDefaults(revision, &touched)
    try revalidate(&touched)
    var entry = LogEntry(revision: revision, time: now, layer: .defaults, origin: origin)
    entry.isSchema = true
    for name in touched.names {
      let change = try view.recomputeEffective(name, revision: revision, now: now)
      guard var change else { continue }
      change.isSecret = secretsBefore.contains(name)
      if !change.isSecret { change.isSecret = try view.descriptor(name)?.holdsSecret == true }
      entry.changes.append(change)
    }
    try view.putLog(entry, logLimits)
    try view.putRevision(revision)
    report.isApplied = true
    return .commit(report)
  }

  private func secrets(among names: [String]) throws(StoreError) -> NameSet {
    var secrets = NameSet()
    for name in names where try view.descriptor(name)?.holdsSecret == true { secrets.insert(name) }
    return secrets
  }

  private func replaceDefaults(_ revision: UInt64, _ touched: inout NameSet) throws(StoreError) {
    for setting in schema.settings {
      touched.insert(setting.key)
      let place = LayerKey(.defaults, setting.key)
      let old = try view.record(place)?.value
      guard old != setting.defaultValue else { continue }
      if let value = setting.defaultValue {
        try view.put(Record(value, layer: .defaults, revision: revision, time: now, origin: origin), place)
      } else {
        try view.delete(place)
      }
    }
    for name in report.removed { try view.delete(LayerKey(.defaults, name)) }
  }

  /// Looks at every value that stronger layers hold: those that no longer satisfy their declaration are set aside, those
  /// that do again come back. A value of a type that changed stays as it was set; it is in effect converted, if nothing is
  /// lost by that.
  private mutating func revalidate(_ touched: inout NameSet) throws(StoreError) {
    var revised: [(LayerKey, Record)] = []
    var found = NameSet()
    var rejected: [Value] = []
    try view.walkLayers { (place, record) throws(StoreError) in
      found.insert(place.name)
      guard place.layer != .defaults, let value = record.value else { return }
      var fresh = record
      switch try view.descriptor(place.name)?.validated(value) {
      case nil: fresh.isRejected = false
      case .valid: fresh.isRejected = false
      case .invalid(let violations):
        fresh.isRejected = true
        rejected.append(
          .object([
            .init("name", .string(place.name)), .init("layer", .string(place.layer.description)),
            .init("message", .string(violations.first?.message ?? "")),
          ]))
      }
      if !fresh.saysTheSame(as: record) { revised.append((place, fresh)) }
    }
    for (place, record) in revised { try view.put(record, place) }
    for name in found.names { touched.insert(name) }
    report.rejected = rejected
  }
}

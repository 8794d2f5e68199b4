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
  /// Applies a schema: declares settings, with defaults and constraints, and brings the values from the stored version to
  /// the new one by the steps of its migrations, all in one transaction and after a backup into the store's own folder, which
  /// a store in memory does not have.
  /// If a step fails the store is as it was, and the error is `.migration`. Corresponds to `livery_schema_apply` in C.
  ///
  /// - Parameter declassifying: the settings that may show what was a secret; without them the upgrade fails as by a step.
  public func applySchema(
    _ json: [UInt8], origin: String = "schema", declassifying: [String] = []
  ) -> SchemaOutcome {
    do throws(StoreError) {
      try checkOrigin(origin)
      try whileOpen { () throws(StoreError) in
        guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      }
    } catch { return .failed(error) }
    return outcome(json) { (schema, report) throws(StoreError) in
      let applied = try write { (view) throws(StoreError) in
        var application = application(view, schema, origin, report, declassifying)
        return try application.apply { () throws(StoreError) in try backupBeforeUpgrade() }
      }
      if applied.hasSealed { overwriteFormerSecrets() }
      return applied
    }
  }

  /// Says what applying a schema would do: the plan of an upgrade. Host functions run, on values of
  /// their own. Corresponds to `livery_schema_check` in C.
  ///
  /// - Parameter declassifying: as of `applySchema`.
  public func checkSchema(_ json: [UInt8], declassifying: [String] = []) -> SchemaOutcome {
    do throws(StoreError) { try whileOpen { () throws(StoreError) in } } catch { return .failed(error) }
    return outcome(json) { (schema, report) throws(StoreError) in
      try read { (view) throws(StoreError) in
        var application = application(view.reverted, schema, "", report, declassifying)
        return try application.plan()
      }
    }
  }

  private func application(
    _ view: View, _ schema: Schema, _ origin: String, _ report: SchemaReport, _ consents: [String]
  ) -> SchemaApplication {
    var application = SchemaApplication(view, schema, origin, report, migrations.named)
    application.logLimits = logLimits
    for name in consents { application.report.consents.insert(name) }
    application.orphanVersions = options.orphanVersions
    return application
  }

  /// Checks a schema by itself. Corresponds to `livery_schema_check` without a store in C.
  public static func checkSchema(_ json: [UInt8]) -> SchemaOutcome {
    Livery.outcome(json) { (_, report) throws(StoreError) in report }
  }

  /// Compares a schema with the one that it is to follow: finds every change by which values would be lost, taking the steps
  /// of its migrations into account, and whether its version was raised. Corresponds to `livery_schema_compare` in C.
  public static func compareSchemas(_ old: [UInt8], _ new: [UInt8]) -> SchemaOutcome {
    var schemas: [Schema] = []
    for (text, document) in [(old, "old"), (new, "new")] {
      do throws(StoreError) {
        let compilation = try compileSchema(text)
        guard let schema = compilation.schema else { throw .schemaInvalid(compilation.diagnostics) }
        schemas.append(schema)
      } catch { return .failed(error.prefixed("the \(document) schema: ")) }
    }
    do throws(StoreError) {
      return SchemaOutcome(report: try SchemaComparison(schemas[0], schemas[1]).value, error: nil)
    } catch { return .failed(error) }
  }

  private func backupBeforeUpgrade() throws(StoreError) -> String? {
    guard shared.memory == nil else { return nil }
    do throws(StoreError) { return try keepBackup(BackupFolder.Reason.upgrade) } catch {
      guard error.code != .corrupt, error.code != .noSpace else { throw error }
      throw StoreError(
        .io, "no backup can be made before the upgrade: \(error.message)", systemError: error.systemError)
    }
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

  /// What tells the stored schema from others, also of the same version: 32 hexadecimal digits. Corresponds to
  /// `livery_schema_copy_digest` in C.
  ///
  /// - Throws: `.noValue` if no schema has been applied.
  public func schemaDigest() throws(StoreError) -> String {
    let facts = try read { (view) throws(StoreError) in try view.schemaFacts() }
    guard facts.version > 0 else { throw StoreError(.noValue, "no schema has been applied to the store") }
    return Hexadecimal.encode(facts.digest)
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

/// What an import came to.
public struct ImportOutcome: Sendable {
  /// `imported` (the number of values), `revision`, `diagnostics`: a list of objects `name`, `status`, `message`,
  /// `constraint`; and `ignored`, the names of members of an export that are none of it, if there are any.
  public var report: Value
  /// nil on success.
  public var error: StoreError?

  /// Whether there is something to report: false when the failure came before any value was looked at.
  public var hasReport: Bool { report.count > 0 }

  static func failed(_ error: StoreError) -> ImportOutcome {
    ImportOutcome(report: .object([]), error: error)
  }
}

extension Store {
  /// Imports settings from JSON as one commit: an export, or a plain object of names and values.
  ///
  /// Corresponds to `livery_import_json` in C.
  ///
  /// - Parameters:
  ///   - partial: skip what is unknown or invalid and report it, in place of refusing the whole.
  ///   - replacing: let each value count, as `ChangeSet.replace` does: what people have set above the layer goes.
  ///   - trial: how long it is on trial: see `ChangeSet.setTrial(_:)`. An export of all layers cannot be.
  public func importJSON(
    _ json: [UInt8], into layer: Layer, partial: Bool = false, replacing: Bool = false, trial: Duration? = nil
  ) -> ImportOutcome {
    importDocument(into: layer, partial, replacing, trial) { () throws(StoreError) in
      try .init(json: JSON.parse(json))
    }
  }

  /// Imports settings from a property list, XML or binary, as one commit. Corresponds to `livery_import_plist` in C.
  public func importPropertyList(
    _ bytes: [UInt8], into layer: Layer, partial: Bool = false, replacing: Bool = false, trial: Duration? = nil
  ) -> ImportOutcome {
    importDocument(into: layer, partial, replacing, trial) { () throws(StoreError) in
      try .init(propertyList: bytes, skipsUnfit: partial)
    }
  }

  private func importDocument(
    into layer: Layer, _ partial: Bool, _ replacing: Bool, _ trial: Duration?,
    _ parse: () throws(StoreError) -> ImportDocument
  ) -> ImportOutcome {
    do throws(StoreError) {
      try whileOpen { () throws(StoreError) in
        guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      }
      let document = try parse()
      var request = try document.request(into: layer, replacing: replacing)
      request.isPartial = partial
      request.isDocument = true
      if let trial {
        // It brings back when and by whom everything was set, also what the schema has for defaults.
        guard !document.isLayered else {
          throw StoreError(.invalidArgument, "an export with layers is imported for good, and not on trial")
        }
        request.trial = try Trial.microseconds(trial)
      }
      request.allowsOverride = options.allowOverride
      let version = try document.version()
      let stored = try schemaVersion()
      guard stored == 0 || version <= stored else {
        throw StoreError(
          .schemaNewer,
          "the settings are of schema version \(version), and the store's schema has the older version \(stored)")
      }
      guard partial || document.refusals.isEmpty else {
        return document.refused(document.refusals, revision: try revision())
      }
      let claimed = document.isExport ? try leaveOutClaimed(&request) : []
      let result = try commit(request)
      if result.isRefused { return document.refused(result.refusals, revision: result.revision) }
      return ImportOutcome(
        report: document.report(result.count, result.revision, document.refusals + claimed + result.refusals),
        error: nil)
    } catch { return .failed(error) }
  }

  /// Takes out of what an export brings what belongs to libraries that are not in this process: they keep there what is of the
  /// store, such as of which fleet it is, and an export has more than that.
  private func leaveOutClaimed(_ request: inout CommitRequest) throws(StoreError) -> [Refusal] {
    try read { (view) throws(StoreError) in
      let claims = try view.claims()
      var refusals: [Refusal] = []
      var rest: [Edit] = []
      for edit in request.edits {
        if let prefix = claims.prefixes.first(where: { Claim.covers($0, edit.name) }),
          shared.claims.claim(of: edit.name) == nil, try view.descriptor(edit.name) == nil
        {
          refusals.append(
            Refusal(
              name: edit.name, code: .readOnly,
              message: "`\(edit.name)` is left out: only who has claimed `\(prefix)` may set it"))
        } else {
          rest.append(edit)
        }
      }
      request.edits = rest
      return refusals
    }
  }
}

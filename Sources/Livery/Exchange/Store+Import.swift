/// What an import came to.
public struct ImportOutcome: Sendable {
  /// `imported` (the number of values), `revision`, and `diagnostics`: a list of objects `name`, `status`, `message`,
  /// `constraint`.
  public var report: Value
  /// nil on success.
  public var error: StoreError?

  /// Whether there is something to report: false when the failure came before any value was looked at.
  public var hasReport: Bool { report.count > 0 }

  fileprivate static func failed(_ error: StoreError) -> ImportOutcome {
    ImportOutcome(report: .object([]), error: error)
  }
}

extension Store {
  /// Imports settings from JSON as one commit: an export, or a plain object of names and values.
  ///
  /// Corresponds to `livery_import_json` in C.
  ///
  /// - Parameter partial: skip what is unknown or invalid and report it, in place of refusing the whole.
  public func importJSON(_ json: [UInt8], into layer: Layer, partial: Bool = false) -> ImportOutcome {
    importDocument(into: layer, partial) { () throws(StoreError) in try .init(json: JSON.parse(json)) }
  }

  /// Imports settings from a property list, XML or binary, as one commit. Corresponds to `livery_import_plist` in C.
  public func importPropertyList(_ bytes: [UInt8], into layer: Layer, partial: Bool = false) -> ImportOutcome {
    importDocument(into: layer, partial) { () throws(StoreError) in
      ImportDocument(content: try PropertyList.parse(bytes), refusals: [])
    }
  }

  private func importDocument(
    into layer: Layer, _ partial: Bool, _ parse: () throws(StoreError) -> ImportDocument
  ) -> ImportOutcome {
    do throws(StoreError) {
      try whileOpen { () throws(StoreError) in
        guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      }
      let document = try parse()
      var request = try document.request(into: layer)
      request.isPartial = partial
      request.allowsOverride = options.allowOverride
      let version = try document.version()
      let stored = try schemaVersion()
      guard stored == 0 || version <= stored else {
        throw StoreError(
          .schemaNewer,
          "the settings are of schema version \(version), and the store's schema has the older version \(stored)")
      }
      guard partial || document.refusals.isEmpty else {
        return refused(document.refusals, revision: try revision())
      }
      let result = try commit(request)
      if result.isRefused { return refused(result.refusals, revision: result.revision) }
      return ImportOutcome(
        report: report(result.count, result.revision, document.refusals + result.refusals), error: nil)
    } catch { return .failed(error) }
  }

  private func refused(_ refusals: [Refusal], revision: UInt64) -> ImportOutcome {
    ImportOutcome(report: report(0, revision, refusals), error: StoreError(refusing: refusals))
  }

  private func report(_ count: Int, _ revision: UInt64, _ refusals: [Refusal]) -> Value {
    .object([
      .init("imported", .int(Int64(count))), .init("revision", .int(Int64(clamping: revision))),
      .init("diagnostics", .list(refusals.map { $0.value })),
    ])
  }
}

/// An export that was read, in any of its forms.
private struct ImportDocument {
  /// Always an object.
  let content: Value
  /// Values that could not even be read.
  let refusals: [Refusal]

  init(content: Value, refusals: [Refusal]) {
    self.content = content
    self.refusals = refusals
  }

  init(json: JSON) throws(StoreError) {
    // A layered export wraps each value in four levels.
    let limit = Value.maximumDepth + 4
    do {
      self.init(content: try Value(json: json, depthLimit: limit), refusals: [])
    } catch {
      var refusals: [Refusal] = []
      let rest = Self.readable(json, &refusals)
      guard !refusals.isEmpty else { throw error }
      self.init(content: try Value(json: rest, depthLimit: limit), refusals: refusals)
    }
  }

  /// A document without the settings that are no values, such as null.
  private static func readable(_ json: JSON, _ refusals: inout [Refusal]) -> JSON {
    if case .object(let layers)? = json["Layers"] {
      var rest: [JSON.Member] = []
      for layer in layers { rest.append(.init(key: layer.key, value: readableValues(layer.value, &refusals))) }
      return json.replacing("Layers", by: .object(rest))
    }
    if case .object? = json["Values"], let values = json["Values"] {
      return json.replacing("Values", by: readableValues(values, &refusals))
    }
    return readableValues(json, &refusals)
  }

  private static func readableValues(_ json: JSON, _ refusals: inout [Refusal]) -> JSON {
    guard case .object(let members) = json else { return json }
    var rest: [JSON.Member] = []
    for member in members {
      do throws(StoreError) {
        _ = try Value(json: member.value, depthLimit: Value.maximumDepth + 1)
        rest.append(member)
      } catch {
        refusals.append(Refusal(name: member.key, code: error.code, message: "`\(member.key)`: \(error.message)"))
      }
    }
    return .object(rest)
  }

  func version() throws(StoreError) -> UInt64 {
    guard let version = content["Version"], isExport else { return 0 }
    guard case .int(let number) = version, number >= 0 else {
      throw StoreError(.parse, "`Version` is \(version.brief), not a whole number")
    }
    return UInt64(number)
  }

  /// Whether it is an export rather than a plain dictionary of settings.
  private var isExport: Bool {
    content["Values"]?.type == .object || content["Layers"]?.type == .object
  }

  func request(into layer: Layer) throws(StoreError) -> CommitRequest {
    guard case .object(let members) = content else {
      throw StoreError(.parse, "the settings are no dictionary but a \(content.type)")
    }
    if case .object(let layers)? = content["Layers"] { return try layeredRequest(layers) }
    guard layer != .defaults else {
      throw StoreError(.readOnly, "the layer defaults is written by applying a schema alone")
    }
    var request = CommitRequest()
    request.origin = "import"
    request.toleratesHeld = true
    let types = content["Types"]
    if case .object(let values)? = content["Values"] {
      for member in values {
        let value = try typed(member.value, types?[member.key], member.key)
        request.edits.append(Edit(name: member.key, layer: layer, action: .set(value)))
      }
    } else {
      for member in members { request.edits.append(Edit(name: member.key, layer: layer, action: .set(member.value))) }
    }
    return request
  }

  private func layeredRequest(_ layers: [Value.Member]) throws(StoreError) -> CommitRequest {
    var request = CommitRequest()
    request.origin = "import"
    request.ignoresLocks = true
    request.restoresRevisions = true
    if let revision = content["Revision"] { request.exportedRevision = try Self.revision(revision, "the export") }
    let now = Timestamp.now
    for member in layers {
      guard let layer = Layer(name: member.key) else {
        throw StoreError(.parse, "`\(member.key)` in `Layers` is no layer")
      }
      guard case .object(let items) = member.value else {
        throw StoreError(.parse, "the layer `\(member.key)` is no dictionary but a \(member.value.type)")
      }
      for item in items {
        if let edit = try layeredEdit(item, layer), edit.expires.map({ $0 > now }) ?? true {
          request.edits.append(edit)
        }
      }
    }
    return request
  }

  private func layeredEdit(_ item: Value.Member, _ layer: Layer) throws(StoreError) -> Edit? {
    guard item.value.type == .object, let value = item.value["value"] else {
      throw StoreError(.parse, "`\(item.key)` in the layer \(layer) has no `value`", setting: item.key)
    }
    var edit = Edit(name: item.key, layer: layer, action: .set(try typed(value, item.value["type"], item.key)))
    if let expires = item.value["expires"] {
      guard case .date(let time)? = expires.coerced(to: .date) else { throw malformed("expires", item.key) }
      edit.expires = time
    }
    var past = Edit.Provenance(revision: 0, time: .now, origin: "import")
    if let revision = item.value["revision"] {
      past.revision = try Self.revision(revision, "`\(item.key)`")
    }
    if let time = item.value["time"] {
      guard case .date(let time)? = time.coerced(to: .date) else { throw malformed("time", item.key) }
      past.time = time
    }
    if case .string(let origin)? = item.value["origin"] {
      try checkOrigin(origin)
      past.origin = origin
    } else {
      past.origin = ""
    }
    past.isSetAside = item.value["setAside"] == .bool(true)
    past.isAsSet = item.value["asSet"] == .bool(true)
    edit.provenance = past
    return edit
  }

  private static func revision(_ value: Value, _ of: String) throws(StoreError) -> UInt64 {
    // Far below the end of the numbers, so that the store can count on from it.
    guard case .int(let number) = value, number >= 0, number < 1 << 62 else {
      throw StoreError(.parse, "the revision of \(of) is malformed")
    }
    return UInt64(number)
  }

  private func typed(_ value: Value, _ hint: Value?, _ name: String) throws(StoreError) -> Value {
    guard let hint else { return value }
    guard let typed = TypeHints.apply(hint, to: value) else { throw malformed("type", name) }
    return typed
  }

  private func malformed(_ member: String, _ name: String) -> StoreError {
    StoreError(.parse, "the `\(member)` of `\(name)` is malformed", setting: name)
  }
}

extension JSON {
  /// The same object with another value of a member.
  fileprivate func replacing(_ key: String, by value: JSON) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.map { $0.key.sameBytes(as: key) ? Member(key: key, value: value) : $0 })
  }
}

/// An export that was read, in any of its forms.
struct ImportDocument {
  /// Always an object.
  let content: Value
  /// Values that could not even be read.
  let refusals: [Refusal]

  private static let ownMembers = ["Version", "Revision", "Values", "Types", "Layers"]
  /// A layered export wraps each value in four levels.
  private static let depthLimit = Value.maximumDepth + 4

  private init(content: Value, refusals: [Refusal]) {
    self.content = content
    self.refusals = refusals
  }

  init(json: JSON) throws(StoreError) {
    do {
      self.init(content: try Value(json: json, depthLimit: Self.depthLimit), refusals: [])
    } catch {
      var refusals: [Refusal] = []
      let rest = Self.readable(json, &refusals)
      self.init(content: try Value(json: rest, depthLimit: Self.depthLimit), refusals: refusals)
    }
  }

  /// A document without the settings that are no values, such as null.
  private static func readable(_ json: JSON, _ refusals: inout [Refusal]) -> JSON {
    guard json["Layers"]?.isObject == true || json["Values"]?.isObject == true, case .object(let members) = json else {
      return readableValues(json, &refusals)
    }
    let hasLayers = json["Layers"]?.isObject == true
    var rest: [JSON.Member] = []
    for member in members {
      var value = member.value
      if hasLayers, member.key.sameBytes(as: "Layers"), case .object(let layers) = value {
        var kept: [JSON.Member] = []
        for layer in layers { kept.append(.init(key: layer.key, value: readableValues(layer.value, &refusals))) }
        value = .object(kept)
      } else if !hasLayers, member.key.sameBytes(as: "Values") {
        value = readableValues(value, &refusals)
      } else if !isOwn(member.key) {
        value = .bool(false)
      }
      rest.append(.init(key: member.key, value: value))
    }
    return .object(rest)
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

  /// - Parameter skipsUnfit: whether settings of which a part is no value are refused each for itself.
  init(propertyList bytes: [UInt8], skipsUnfit: Bool) throws(StoreError) {
    let list = try PropertyList.read(bytes, skipsUnfit: skipsUnfit, depthLimit: Self.depthLimit)
    let content = list.value
    var refusals: [Refusal] = []
    let isLayered = content["Layers"]?.type == .object
    let outer = isLayered ? 2 : content["Values"]?.type == .object ? 1 : 0
    var unreadable = NameSet()
    for part in list.unfit {
      if outer > 0, let first = part.path.first, !Self.isOwn(first) { continue }
      guard part.path.count > outer, outer == 0 || part.path[0].sameBytes(as: isLayered ? "Layers" : "Values") else {
        let place = part.path.isEmpty ? "" : "at \(truncated(jsonPointer(part.path), to: 200)): "
        throw StoreError(.parse, "property list: \(place)\(part.reason)")
      }
      let name = part.path[outer]
      let setting = Array(part.path[...outer])
      guard unreadable.insert(jsonPointer(setting)).isNew else { continue }
      let inside = Array(part.path[(outer + 1)...])
      let place = inside.isEmpty ? "" : "at \(truncated(jsonPointer(inside), to: 200)): "
      refusals.append(Refusal(name: name, code: .invalidValue, message: "`\(name)`: \(place)\(part.reason)"))
    }
    self.init(
      content: unreadable.isEmpty ? content : content.removing(unreadable, depth: outer), refusals: refusals)
  }

  private static func isOwn(_ name: String) -> Bool {
    for own in ownMembers where own.sameBytes(as: name) { return true }
    return false
  }

  /// The names of an export's members that are none of it.
  private var ignored: [Value] {
    guard isExport, case .object(let members) = content else { return [] }
    var names: [Value] = []
    // An export has values of its own or those of its layers.
    for member in members {
      let isOfOther = isLayered && (member.key.sameBytes(as: "Values") || member.key.sameBytes(as: "Types"))
      if isOfOther || !Self.isOwn(member.key) { names.append(.string(member.key)) }
    }
    return names
  }

  func refused(_ refusals: [Refusal], revision: UInt64) -> ImportOutcome {
    ImportOutcome(report: report(0, revision, refusals), error: StoreError(refusing: refusals))
  }

  func report(_ count: Int, _ revision: UInt64, _ refusals: [Refusal]) -> Value {
    var members: [Value.Member] = [
      .init("imported", .int(Int64(count))), .init("revision", .int(Int64(clamping: revision))),
      .init("diagnostics", .list(refusals.map { $0.value })),
    ]
    let ignored = ignored
    if !ignored.isEmpty { members.append(.init("ignored", .list(ignored))) }
    return .object(members)
  }

  func version() throws(StoreError) -> UInt64 {
    guard let version = content["Version"], isExport else { return 0 }
    guard case .int(let number) = version, number >= 0 else {
      throw StoreError(.parse, "`Version` is \(version.brief), not a whole number")
    }
    return UInt64(number)
  }

  /// Whether it is an export rather than a plain dictionary of settings.
  var isExport: Bool {
    content["Values"]?.type == .object || content["Layers"]?.type == .object
  }

  /// Whether it is an export of all layers.
  var isLayered: Bool { content["Layers"]?.type == .object }

  func request(into layer: Layer, replacing: Bool) throws(StoreError) -> CommitRequest {
    guard case .object(let members) = content else {
      throw StoreError(.parse, "the settings are no dictionary but \(withArticle(content.type.description))")
    }
    if case .object(let layers)? = content["Layers"] {
      guard !replacing else {
        throw StoreError(
          .invalidArgument, "an export with layers brings each layer's own values: it replaces none of another")
      }
      return try layeredRequest(layers)
    }
    guard layer != .defaults else {
      throw StoreError(.readOnly, "the layer defaults is written by applying a schema alone")
    }
    var request = CommitRequest()
    request.origin = "import"
    request.toleratesHeld = true
    // There may be as many as there are values.
    var types = ByteIndex()
    var hints: [Value] = []
    if case .object(let members)? = content["Types"] {
      for member in members where types.insert(member.key).isNew { hints.append(member.value) }
    }
    func add(_ name: String, _ value: Value) {
      request.edits.append(Edit(name: name, layer: layer, action: replacing ? .replace(value) : .set(value)))
    }
    if case .object(let values)? = content["Values"] {
      for member in values {
        let hint = types.number(of: member.key).map { hints[$0] }
        if let value = try typed(member.value, hint, member.key, &request.refusals) { add(member.key, value) }
      }
    } else {
      for member in members { add(member.key, member.value) }
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
        throw StoreError(
          .parse, "the layer `\(member.key)` is no dictionary but \(withArticle(member.value.type.description))")
      }
      for item in items {
        if let edit = try layeredEdit(item, layer, &request.refusals), edit.expires.map({ $0 > now }) ?? true {
          request.edits.append(edit)
        }
      }
    }
    return request
  }

  private func layeredEdit(
    _ item: Value.Member, _ layer: Layer, _ refusals: inout [Refusal]
  ) throws(StoreError) -> Edit? {
    guard item.value.type == .object, let value = item.value["value"] else {
      throw StoreError(.parse, "`\(item.key)` in the layer \(layer) has no `value`", setting: item.key)
    }
    guard let value = try typed(value, item.value["type"], item.key, &refusals) else { return nil }
    var edit = Edit(name: item.key, layer: layer, action: .set(value))
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
    past.origin = ""
    if let origin = item.value["origin"] {
      guard case .string(let text) = origin else { throw malformed("origin", item.key) }
      do throws(StoreError) { try checkOrigin(text) } catch { throw malformed("origin", item.key) }
      past.origin = text
    }
    past.isSetAside = try flag("setAside", of: item)
    past.isAsSet = try flag("asSet", of: item)
    edit.provenance = past
    return edit
  }

  private func flag(_ member: String, of item: Value.Member) throws(StoreError) -> Bool {
    guard let value = item.value[member] else { return false }
    guard case .bool(let flag) = value else { throw malformed(member, item.key) }
    return flag
  }

  private static func revision(_ value: Value, _ of: String) throws(StoreError) -> UInt64 {
    // Far below the end of the numbers, so that the store can count on from it.
    guard case .int(let number) = value, number >= 0, number < 1 << 62 else {
      throw StoreError(.parse, "the revision of \(of) is malformed")
    }
    return UInt64(number)
  }

  /// A value in the type that is said of it; nil if it is none of that, which is refused as what a schema does not take is.
  private func typed(
    _ value: Value, _ hint: Value?, _ name: String, _ refusals: inout [Refusal]
  ) throws(StoreError) -> Value? {
    guard let hint else { return value }
    if let typed = TypeHints.apply(hint, to: value) { return typed }
    guard TypeHints.isKnown(hint) else { throw malformed("type", name) }
    var message = "`\(name)`: a value is not of the type that is said of it"
    if case .string(let type) = hint {
      message = "`\(name)`: expected \(type), found \(withArticle(value.type.description)) that is none"
    }
    refusals.append(Refusal(name: name, code: .typeMismatch, message: message))
    return nil
  }

  private func malformed(_ member: String, _ name: String) -> StoreError {
    StoreError(.parse, "the `\(member)` of `\(name)` is malformed", setting: name)
  }
}

extension JSON {
  fileprivate var isObject: Bool {
    if case .object = self { return true }
    return false
  }
}

extension Value {
  /// The same without the members, so many levels deep, whose JSON pointers are given.
  fileprivate func removing(_ pointers: NameSet, depth: Int, path: [String] = []) -> Value {
    guard case .object(let members) = self else { return self }
    var rest: [Member] = []
    for member in members {
      let place = path + [member.key]
      if depth > 0 {
        rest.append(.init(member.key, member.value.removing(pointers, depth: depth - 1, path: place)))
      } else if !pointers.contains(jsonPointer(place)) {
        rest.append(member)
      }
    }
    return .object(rest)
  }
}

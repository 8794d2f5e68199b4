extension Store {
  /// Settings as JSON: `{"Version", "Values"}` of the effective values, or one object for each layer.
  ///
  /// Secrets of a store that seals them are exported sealed, unless they are to be revealed and can be opened. Items of
  /// lists have the members that were set. All of it is of one moment; the same content gives the same bytes. Corresponds to `livery_export_json` in C.
  public func exportJSON(layers: Bool = false, pretty: Bool = false, reveal: Bool = false) throws(StoreError) -> String
  {
    let document = try read { (view) throws(StoreError) in
      layers ? try exportLayers(view, reveal) : try exportEffective(view, reveal)
    }
    return try document.jsonText(pretty: pretty)
  }

  private func exportEffective(_ view: View, _ reveal: Bool) throws(StoreError) -> Value {
    let now = Timestamp.now
    let claims = try view.claims()
    var values: [Value.Member] = []
    var types: [Value.Member] = []
    try view.walkEffective { (name, record) throws(StoreError) in
      let current = try view.current(record, name, at: now)
      guard let value = current.value, try !claims.hides(name, view) else { return true }
      if let sealed = current.exported(reveal) {
        values.append(.init(name, .string(Base64.encode(sealed.bytes))))
        types.append(.init(name, TypeHints.sealed))
        return true
      }
      let declared = try view.declaration(name)
      values.append(.init(name, (try asSet(current, name, declared, view) ?? value).inCanonicalOrder))
      if declared == nil, let hint = TypeHints.hint(for: value) { types.append(.init(name, hint)) }
      return true
    }
    var document: [Value.Member] = [
      .init("Version", .int(Int64(clamping: try view.schemaFacts().version))), .init("Values", .object(values)),
    ]
    if !types.isEmpty { document.append(.init("Types", .object(types))) }
    return .object(document)
  }

  /// A list without the defaults that reads fill in; nil for what is no list.
  private func asSet(
    _ current: Record, _ name: String, _ declared: SettingValidator?, _ view: View
  ) throws(StoreError) -> Value? {
    guard let declared, declared.descriptor.kind == .list,
      let value = try view.record(LayerKey(current.layer, name))?.value,
      case .valid(let converted) = declared.validated(value)
    else { return nil }
    return converted
  }

  private func exportLayers(_ view: View, _ reveal: Bool) throws(StoreError) -> Value {
    let claims = try view.claims()
    var layers: [Value.Member] = []
    for layer in Layer.allCases {
      var items: [Value.Member] = []
      try view.walkLayers(layer) { (place, record) throws(StoreError) in
        if try !claims.hides(place.name, view) {
          items.append(.init(place.name, try exported(record, place.name, view, reveal)))
        }
      }
      if !items.isEmpty { layers.append(.init(layer.description, .object(items))) }
    }
    return .object([
      .init("Version", .int(Int64(clamping: try view.schemaFacts().version))),
      .init("Revision", .int(Int64(clamping: try view.contentRevision()))), .init("Layers", .object(layers)),
    ])
  }

  private func exported(
    _ record: Record, _ name: String, _ view: View, _ reveal: Bool
  ) throws(StoreError) -> Value {
    var members: [Value.Member] = []
    let sealed = record.exported(reveal)
    let admission = try view.admission(name)
    // The setting has had another type since: its value stays as it was set, and counts converted.
    var isAsSet = false
    if let value = record.value, !value.isSealed, case .valid(let converted)? = admission.declared?.validated(value) {
      isAsSet = converted != value
    }
    let isSetAside = record.isRejected || !admission.counts
    if let sealed {
      members.append(.init("value", .string(Base64.encode(sealed.bytes))))
      members.append(.init("type", TypeHints.sealed))
    } else if let value = record.value {
      members.append(.init("value", value.inCanonicalOrder))
      if admission.declared == nil || isSetAside || isAsSet, let hint = TypeHints.hint(for: value) {
        members.append(.init("type", hint))
      }
    }
    if isAsSet { members.append(.init("asSet", .bool(true))) }
    if isSetAside { members.append(.init("setAside", .bool(true))) }
    members.append(.init("revision", .int(Int64(clamping: record.revision))))
    members.append(.init("time", .date(record.time)))
    if !record.origin.isEmpty { members.append(.init("origin", .string(record.origin))) }
    if let expires = record.expires { members.append(.init("expires", .date(expires))) }
    return .object(members)
  }
}

extension Record {
  /// What stands for a secret in an export; nil for what is exported plainly.
  fileprivate func exported(_ reveal: Bool) -> Sealed? {
    reveal && value?.isSealed == false ? nil : sealed
  }
}

extension Value {
  /// The same value with the members of every object in the order of their keys.
  var inCanonicalOrder: Value {
    switch self {
    case .list(let items): return .list(items.map { $0.inCanonicalOrder })
    case .object(let members):
      return .object(members.sortedByKey().map { Member($0.key, $0.value.inCanonicalOrder) })
    default: return self
    }
  }
}

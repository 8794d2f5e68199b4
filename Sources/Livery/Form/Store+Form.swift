/// Of which form `Store.form` tells. Corresponds to `livery_form_options` in C.
public struct FormOptions: Sendable {
  /// The layer that the form is to change.
  public var layer = Layer.user
  /// The language of texts, as a tag of BCP 47 such as `de-AT`; nil for them as the schema has them.
  public var locale: String?
  /// Whether to tell of what the schema hides, too.
  public var includesHidden = false

  public init(layer: Layer = .user, locale: String? = nil, includesHidden: Bool = false) {
    self.layer = layer
    self.locale = locale
    self.includesHidden = includesHidden
  }
}

extension Store {
  /// What a person may set, in the schema's order, ready to be drawn: an object, described at `livery_form` in C.
  ///
  /// - Throws: `.invalidArgument` if the locale is no tag of a language, `.corrupt`.
  public func form(_ options: FormOptions = FormOptions()) throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      let outline = try shared.schemaMemory.outline(view)
      let translation = try outline.texts.translation(options.locale)
      let moment = try FormMoment(view, options.layer, canChange: canChange(options.layer))
      let writer = FormWriter(translation, includesHidden: options.includesHidden) {
        (descriptor) throws(StoreError) in try moment.state(descriptor)
      }
      var members = try writer.members(outline)
      members.append(.init("revision", .int(Int64(clamping: try view.revision()))))
      members.append(.init("layer", .string(options.layer.description)))
      return .object(members)
    }
  }

  private func canChange(_ layer: Layer) -> Bool {
    !options.readOnly && layer != .defaults && (layer != .override || options.allowOverride)
  }
}

/// The settings of a store at one moment, as a form for one layer sees them.
private struct FormMoment {
  private let view: View
  private let layer: Layer
  private let canChange: Bool
  private let now = Timestamp.now
  /// Which settings the layer has values for.
  private var own = NameSet()

  init(_ view: View, _ layer: Layer, canChange: Bool) throws(StoreError) {
    self.view = view
    self.layer = layer
    self.canChange = canChange
    var own = NameSet()
    try view.walkLayers(layer) { [now] (place, record) throws(StoreError) in
      if !record.hasExpired(at: now) { own.insert(place.name) }
    }
    self.own = own
  }

  func state(_ descriptor: SettingDescriptor) throws(StoreError) -> FormState {
    let record = try record(descriptor.key)
    return FormState(
      record: record, hasOwnValue: own.contains(descriptor.key), obstacle: try obstacle(descriptor, record))
  }

  private func record(_ name: String) throws(StoreError) -> Record {
    guard let stored = try view.effective(name) else { throw .damaged("the record of `\(name)`", setting: name) }
    return try view.current(stored, name, at: now)
  }

  private func obstacle(_ descriptor: SettingDescriptor, _ record: Record) throws(StoreError) -> FormState.Obstacle? {
    if record.isLocked, layer < .enforced { return .locked(by: .enforced) }
    if !canChange || descriptor.isReadOnly && !layer.isConsole { return .readOnly }
    guard let condition = descriptor.enabledBy, try self.record(condition.key).value != condition.equals else {
      return nil
    }
    return .disabled(by: try view.descriptor(condition.key) ?? SettingDescriptor(key: condition.key, kind: .string))
  }
}

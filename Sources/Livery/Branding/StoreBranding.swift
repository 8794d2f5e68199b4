/// The brands of a store: colors and images that are in effect, where they come from, and brands that wait.
///
/// All that is in effect are settings named `branding.…`, in the layers that they come from: they are read, watched,
/// explained and undone like any other, and a schema need not declare them.
public struct StoreBranding: Sendable {
  let store: Store
}

extension Store {
  public var branding: StoreBranding { StoreBranding(store: self) }
}

// MARK: Colors

extension StoreBranding {
  /// The color of a role that is in effect.
  ///
  /// - Throws: as the function that takes any name.
  public func color(_ role: ColorRole) throws(StoreError) -> Color { try color(role.rawValue) }

  /// The color of a role, or of any name, that is in effect.
  ///
  /// Corresponds to `livery_branding_color` in C.
  ///
  /// - Throws: `.noValue` if no source has it, `.typeMismatch`, `.corrupt`; `.invalidArgument` for a malformed name.
  public func color(_ role: String) throws(StoreError) -> Color {
    let name = Branding.prefix + Branding.color + role
    do throws(StoreError) {
      return try store.color(name)
    } catch {
      guard error.code == .notFound else { throw error }
      var message = "no source has the color `\(role)`"
      let hint = waits(name)
      if !hint.isEmpty {
        message += hint
      } else if let meant = ColorRole.meant(by: role) {
        message += didYouMean([meant.rawValue])
      } else if !Branding.isRole(role) {
        message += didYouMean(nearestNames(to: role, among: Branding.roles))
      }
      throw StoreError(.noValue, message, setting: name)
    }
  }

  /// What of a setting waits, as the end of a message; "" if nothing does.
  func waits(_ setting: String) -> String {
    (try? store.read { (view) throws(StoreError) in view.whatWaits(setting) }) ?? ""
  }

  /// The two ends of a gradient: of the colors `NAMEDark` and `NAMELight`, as of one moment.
  ///
  /// Corresponds to `livery_branding_gradient` in C.
  ///
  /// - Throws: `.noValue` if no source has one of the two; and as `color(_:)`.
  public func gradient(_ name: String) throws(StoreError) -> (dark: Color, light: Color) {
    let names = [name + "Dark", name + "Light"].map { Branding.prefix + Branding.color + $0 }
    for name in names { try checkName(name) }
    let ends = try store.reading { (snapshot) throws(StoreError) -> [Value?] in
      var ends: [Value?] = []
      for name in names { ends.append(try snapshot.valueIfAny(name)) }
      return ends
    }
    var colors: [Color] = []
    for (setting, end) in zip(names, ends) {
      guard let end else {
        throw StoreError(
          .noValue, "no source has the gradient `\(name)`: there is no `\(setting)`\(waits(setting))", setting: setting)
      }
      colors.append(try color(end, of: setting))
    }
    return (colors[0], colors[1])
  }

  /// Sets a color in a layer, and commits. Of a source that is switched off it is kept until it is switched on.
  ///
  /// Corresponds to `livery_branding_set_color` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func setColor(_ role: String, to color: Color, in layer: Layer) throws(StoreError) {
    try set(Branding.color + role, to: .color(color), in: layer)
  }

  /// Sets an image in a layer, and commits: a list of variants, or one alone; see `ImageVariant`.
  ///
  /// Corresponds to `livery_branding_set_image` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func setImage(_ name: String, to variants: Value, in layer: Layer) throws(StoreError) {
    try set(Branding.image + name, to: variants, in: layer)
  }

  private func set(_ name: String, to value: Value, in layer: Layer) throws(StoreError) {
    let setting = Branding.prefix + name
    try checkName(setting)
    guard let source = BrandSource(layer) else { return try store.set(setting, to: value, in: layer) }
    try store.edit(source.layer) { (change) throws(StoreError) in
      let editor = try SourceEditor(change, source, origin: "branding", ignoresLocks: false)
      if editor.state.now.counts { return try editor.set(setting, value) }
      var brand = try editor.state.current()
      try value.check()
      brand.set(name, try Branding.checked(value, for: setting))
      try change.ignoreLocks()
      try editor.keep(brand, as: editor.state.now.brand)
    }
  }
}

// MARK: Images

extension StoreBranding {
  /// The variant of an image that fits a device best: an object of its members, with `pixelWidth`, `pixelHeight` and `type`
  /// of an image that the store holds, and with `state` of one that it holds or that a URL leads to.
  ///
  /// Corresponds to `livery_branding_image` in C.
  ///
  /// - Throws: `.noValue` if no source has the image, the brand switches it off, or no variant fits the device;
  ///   `.invalidValue` if the setting is malformed, `.corrupt`.
  public func image(_ name: String, for traits: Traits) throws(StoreError) -> Value {
    let choice: ImageChoice
    do throws(StoreError) { choice = try ImageChoice(store, name, traits) } catch {
      guard error.code == .noValue, let placeholder = Placeholder(store, in: name, traits) else { throw error }
      return placeholder.image
    }
    if let image = choice.result(store, name, traits) { return image }
    guard choice.isOn, let placeholder = Placeholder(store, in: name, traits) else {
      throw StoreError(.noValue, choice.reason, setting: Branding.prefix + Branding.image + name)
    }
    return placeholder.image
  }

  /// How the variant of an image was chosen: an object `name`, `layer`, `variants` (all of them), `steps` (a list of objects
  /// `stage`, `qualifier`, `dropped`, the places of the variants that dropped out), `reason` and, if one fits, `index` and
  /// `image`, as of `image(_:for:)`.
  ///
  /// Corresponds to `livery_branding_explain` in C.
  ///
  /// - Throws: as `image(_:for:)`, save that an image that is switched off or does not fit is explained.
  public func explain(_ name: String, for traits: Traits) throws(StoreError) -> Value {
    let choice = try ImageChoice(store, name, traits)
    var members: [Value.Member] = [.init("name", .string(name)), .init("layer", .string(choice.layer))]
    var variants: [Value] = []
    for variant in choice.variants { variants.append(variant.value) }
    members.append(.init("variants", .list(variants)))
    members += choice.match.members
    members.append(.init("reason", .string(choice.reason)))
    if let image = choice.result(store, name, traits) { members.append(.init("image", image)) }
    return .object(members)
  }
}

/// The choice of one image for a device.
private struct ImageChoice {
  let variants: [ImageVariant]
  let match: VariantMatch
  let layer: String
  /// One sentence on what was chosen and why.
  let reason: String
  /// Whether the brand does not switch it off.
  let isOn: Bool

  init(_ store: Store, _ name: String, _ traits: Traits) throws(StoreError) {
    try traits.check()
    let setting = Branding.prefix + Branding.image + name
    try checkName(setting)
    let option = try Branding.switchOf(name).map { (option) throws(StoreError) in
      try NamePattern(Branding.prefix + Branding.option + option)
    }
    let found: (image: (value: Value, layer: Layer), option: Value?)
    do throws(StoreError) {
      found = try store.reading { (snapshot) throws(StoreError) in
        (
          try snapshot.valueAndLayer(setting),
          try option.flatMap { (option) throws(StoreError) in try snapshot.next(after: "", matching: option)?.value }
        )
      }
    } catch {
      guard error.code == .notFound else { throw error }
      throw StoreError(.noValue, "no source has the image `\(name)`\(store.branding.waits(setting))", setting: setting)
    }
    layer = found.image.layer.description
    do throws(StoreError) { variants = try ImageVariant.all(found.image.value) } catch {
      throw StoreError(.invalidValue, "`\(setting)`: \(error.message)", setting: setting)
    }
    match = VariantMatch(variants, traits)
    isOn = found.option.flatMap { Branding.truth($0) } != false
    if !isOn {
      reason = "The brand switches the image `\(name)` off."
    } else if let winner = match.winner {
      reason = "Variant \(winner) of \(variants.count) fits the device best."
    } else if variants.isEmpty {
      reason = "The image `\(name)` has no variants."
    } else {
      reason = "No variant of the image `\(name)` fits the device: all ask for something else."
    }
  }

  func result(_ store: Store, _ name: String, _ traits: Traits) -> Value? {
    guard isOn, let winner = match.winner else { return nil }
    let variant = variants[winner]
    var asset = store.branding.asset(variant.reference)
    let state = variant.state(isHeld: asset != nil)
    var left = ["pixelWidth", "pixelHeight", "type", "state", "data", FormerImages.member]
    var shown: [Value.Member] = []
    if asset == nil, state != nil {
      if case .object(let facts)? = variant.value[FormerImages.member], case .image(let id)? = facts.image,
        let held = store.branding.asset(id)
      {
        (shown, asset) = (facts, held)
        left += FormerImages.facts
      } else if let placeholder = Placeholder(store, in: name, traits) {
        (shown, asset) = ([.init("image", .image(placeholder.id))], placeholder.asset)
        left.append("image")
        if variant.value["source"] == nil, !BrandCheck.isAsset(variant.reference), !variant.reference.isEmpty {
          shown.append(.init("source", .url(variant.reference)))
        }
      }
    }
    var members = shown + variant.value.variant(without: left)
    if let state { members.append(.init("state", .string(state))) }
    if let asset {
      asset.facts.add(to: &members)
    } else if state != nil {
      store.branding.addPlainImage(to: &members)
    }
    return .object(members)
  }
}

/// The image that stands in for those that are not there: `placeholder`, if the brand has it and the store holds it.
private struct Placeholder {
  let id: String
  let asset: Asset

  @inline(never)
  init?(_ store: Store, in name: String, _ traits: Traits) {
    guard !name.sameBytes(as: "placeholder"), let choice = try? ImageChoice(store, "placeholder", traits),
      case .object(let members)? = choice.result(store, "placeholder", traits), case .image(let id)? = members.image,
      let asset = store.branding.asset(id)
    else { return nil }
    self.id = id
    self.asset = asset
  }

  /// As it is shown for an image that no source has.
  var image: Value {
    var members: [Value.Member] = [.init("image", .image(id)), .init("state", .string("placeholder"))]
    asset.facts.add(to: &members)
    return .object(members)
  }
}

extension [Value.Member] {
  /// The member `image`, as one.
  fileprivate var image: Value? { Value.object(self)["image"]?.coerced(to: .image) }
}

extension ImageFacts {
  /// Adds what is told of an image that can be shown.
  @inline(never)
  fileprivate func add(to members: inout [Value.Member]) {
    members.append(.init("type", .string(type.description)))
    guard width > 0 else { return }
    members.append(.init("pixelWidth", .int(Int64(width))))
    members.append(.init("pixelHeight", .int(Int64(height))))
  }
}

extension StoreBranding {
  /// For want of anything else to show: one pixel in the color of the screen's background.
  fileprivate func addPlainImage(to members: inout [Value.Member]) {
    let color = (try? shownColor(.primaryHighlight).color) ?? ColorRole.primaryHighlight.builtIn
    ImageFacts(.png, width: 1, height: 1).add(to: &members)
    members.append(.init("data", .data(color.plainImage)))
  }

  /// What the store knows of an image, if it holds it.
  func asset(_ reference: String) -> Asset? {
    guard BrandCheck.isAsset(reference) else { return nil }
    return try? store.assets.info(reference)
  }
}

extension VariantMatch {
  /// `index`, if one matches, and `steps`.
  public var members: [Value.Member] {
    var stages: [Value] = []
    for step in steps {
      var dropped: [Value] = []
      for place in step.dropped { dropped.append(.int(Int64(place))) }
      var members: [Value.Member] = [
        .init("stage", .string(step.isContradiction ? "contradiction" : step.qualifier == nil ? "tie" : "preference"))
      ]
      if let qualifier = step.qualifier { members.append(.init("qualifier", .string(qualifier.description))) }
      members.append(.init("dropped", .list(dropped)))
      stages.append(.object(members))
    }
    var members: [Value.Member] = []
    if let winner { members.append(.init("index", .int(Int64(winner)))) }
    members.append(.init("steps", .list(stages)))
    return members
  }
}

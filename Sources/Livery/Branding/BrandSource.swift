/// What layers are read from: a snapshot, or a change set with its edits, also as of one moment.
protocol LayerReader: AnyObject {
  func record(_ name: String, in layer: Layer) throws(StoreError) -> Record?
  func names(in layer: Layer, matching pattern: NamePattern?) throws(StoreError) -> [String]
}

extension LayerReader {
  func value(_ name: String, in layer: Layer) throws(StoreError) -> Value? { try record(name, in: layer)?.value }
}

extension Snapshot: LayerReader {}
extension ChangeSet: LayerReader {}
extension ChangeSet.Preview: LayerReader {}

/// One source as it is.
struct SourceState {
  let reader: any LayerReader
  let source: BrandSource
  let now: BrandState
  /// The brand that is active; nil if none is.
  var active: String? { now.active }

  @inline(never)
  init(_ reader: any LayerReader, _ source: BrandSource) throws(StoreError) {
    self.reader = reader
    self.source = source
    now = try BrandState(source) { (layer, name) throws(StoreError) in try reader.value(name, in: layer) }
  }

  func isActive(_ brand: String) -> Bool { active?.sameBytes(as: brand) == true }

  /// The names of the source's layer that begin with a prefix.
  func names(_ prefix: String) throws(StoreError) -> [String] {
    try reader.names(in: source.layer, matching: NamePattern(prefix + "**"))
  }

  /// A brand that is kept.
  @inline(never)
  func kept(_ brand: String) throws(StoreError) -> Brand? {
    try reader.value(BrandNames.place(source, brand), in: source.layer).flatMap { Brand(stored: $0) }
  }

  /// The active brand, wherever its values are.
  @inline(never)
  func current() throws(StoreError) -> Brand {
    if !now.counts {
      var brand = try kept(now.brand) ?? Brand()
      brand.isEnabled = now.isEnabled
      return brand
    }
    var brand = Brand()
    if source == .bundle, case .string(let name)? = try reader.value(BrandNames.dialect, in: .bundle) {
      brand.dialect = BrandReader.Dialect(named: name)
    }
    let skipped = Branding.prefix.utf8.count
    for name in try names(Branding.prefix) {
      guard let value = try reader.value(name, in: source.layer) else { continue }
      brand.values.append(.init(String(decoding: name.utf8.dropFirst(skipped), as: UTF8.self), value))
    }
    return brand
  }

  /// When a brand was last changed, and by whom, wherever its values are; nil if it has none. That stays when they are moved.
  func past(_ brand: String) throws(StoreError) -> Edit.Provenance? {
    var places = [BrandNames.place(source, brand)]
    if now.counts, now.brand.sameBytes(as: brand) { places = try names(Branding.prefix) }
    var past: Edit.Provenance?
    for name in places {
      guard let record = try reader.record(name, in: source.layer), past.map({ $0.time < record.time }) != false else {
        continue
      }
      past = Edit.Provenance(revision: 0, time: record.time, origin: record.origin)
    }
    return past
  }

  /// A brand of the bundle, whether it is active or not.
  ///
  /// - Throws: `.notFound` with the nearest names if there is none.
  func found(_ brand: String) throws(StoreError) -> Brand {
    if let found = isActive(brand) ? try current() : try kept(brand) { return found }
    throw StoreError(.notFound, "there is no brand `\(brand)`\(didYouMean(nearestNames(to: brand, among: try ids())))")
  }

  /// All brands of the bundle, in the order of their identifiers.
  func ids() throws(StoreError) -> [String] {
    var ids: [String] = []
    var hasActive = active == nil
    let skipped = BrandNames.kept.utf8.count
    for name in try names(BrandNames.kept) {
      let id = String(decoding: name.utf8.dropFirst(skipped), as: UTF8.self)
      if !hasActive, let active, !id.precedesInBytes(active) {
        if !id.sameBytes(as: active) { ids.append(active) }
        hasActive = true
      }
      ids.append(id)
    }
    if !hasActive, let active { ids.append(active) }
    return ids
  }
}

/// Edits of one source, in view of what it was when they began.
struct SourceEditor {
  let state: SourceState
  private let change: ChangeSet
  /// Whether what people have set above the source's layer goes.
  var replaces = false
  private var source: BrandSource { state.source }

  /// - Parameter ignoresLocks: for whole brands: what lies beneath an enforced value may change, since that one still wins.
  init(
    _ change: ChangeSet, _ source: BrandSource, origin: String, ignoresLocks: Bool = true
  ) throws(StoreError) {
    self.change = change
    try change.use(source.layer)
    state = try SourceState(change, source)
    try change.setOrigin(origin)
    if ignoresLocks { try change.ignoreLocks() }
  }

  @inline(never)
  func set(_ name: String, _ value: Value) throws(StoreError) { try change.set(name, to: value) }

  @inline(never)
  func replace(_ name: String, _ value: Value) throws(StoreError) { try change.replace(name, with: value) }

  @inline(never)
  func reset(_ name: String) throws(StoreError) { try change.reset(name) }

  /// Puts a brand where brands are kept that do not count. What was shown in the place of its images is not kept for that.
  func keep(_ brand: Brand, as id: String) throws(StoreError) {
    var kept = brand
    for (place, member) in brand.values.enumerated() where Branding.has(Branding.image, member.key) {
      guard FormerImages.concern(member.value) else { continue }
      kept.values[place] = .init(member.key, FormerImages.kept(in: member.value, after: nil) { _ in true })
    }
    try set(BrandNames.place(source, id), kept.stored)
  }

  /// Makes edits of what was there before, at its time and with its origin.
  private func moving(_ past: Edit.Provenance?, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    change.setPast(past)
    defer { change.setPast(nil) }
    try body()
  }

  /// Keeps the active brand, to make room for another.
  func setAside() throws(StoreError) {
    guard state.now.counts else { return }
    let brand = try state.current()
    guard state.active != nil || !brand.values.isEmpty else { return }
    try moving(state.past(state.now.brand)) { () throws(StoreError) in try keep(brand, as: state.now.brand) }
  }

  /// Makes a brand the active one, in the place of what the layer holds.
  ///
  /// - Parameters:
  ///   - waits: whether it is to wait for the console's; as it is if nil.
  ///   - past: where the brand comes from if it was there before.
  @inline(never)
  func install(_ brand: Brand, as id: String, waits: Bool? = nil, past: Edit.Provenance? = nil) throws(StoreError) {
    let former = try state.names(Branding.prefix)
    var names = NameSet()
    let counts = brand.isEnabled && !(waits ?? state.now.waits)
    change.setOfAnotherBrand(!state.now.brand.sameBytes(as: id))
    defer { change.setOfAnotherBrand(false) }
    try moving(past) { () throws(StoreError) in
      guard counts else {
        var brand = brand
        brand.replaces = replaces
        return try keep(brand, as: id)
      }
      for member in brand.values {
        let name = Branding.prefix + member.key
        names.insert(name)
        if replaces { try replace(name, member.value) } else { try set(name, member.value) }
      }
    }
    if counts, try state.kept(id) != nil { try reset(BrandNames.place(source, id)) }
    for name in former where !names.contains(name) { try reset(name) }
    if source == .bundle {
      try set(BrandNames.active, .string(id))
      if let dialect = brand.dialect {
        try set(BrandNames.dialect, .string(dialect.description))
      } else {
        try reset(BrandNames.dialect)
      }
    }
    try set(BrandNames.enabled(source), .bool(brand.isEnabled))
  }

  /// Makes the bundle's brand wait, or count again, as the console's has it by now. The last edit of a change set.
  func settle(origin: String) throws(StoreError) {
    let console = try SourceState(change, .console)
    try Self.hold(change, console.now.isEnabled && console.now.isWhole, origin: origin)
  }

  /// - Parameter waits: whether the bundle's brand is to wait.
  static func hold(_ change: ChangeSet, _ waits: Bool, origin: String) throws(StoreError) {
    let bundle = try SourceEditor(change, .bundle, origin: origin)
    let state = bundle.state
    guard state.now.waits != waits else { return }
    let brand = try state.current()
    if state.active != nil || !brand.values.isEmpty {
      try bundle.install(brand, as: state.now.brand, waits: waits, past: state.past(state.now.brand))
    }
    if waits { try bundle.set(BrandNames.waits, .bool(true)) } else { try bundle.reset(BrandNames.waits) }
  }
}

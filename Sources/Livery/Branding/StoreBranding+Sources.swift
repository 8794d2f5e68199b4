/// What reading a branding document came to.
public struct BrandOutcome: Sendable {
  /// `applied` (bool), `file` (the one that was found in a directory), `dialect` (text), `brand` (its identifier), `active`
  /// and `enabled` (bool), `revision`, `images` (the number stored), `former` (of a brand of the same identifier that was
  /// other: an object of its `name` and of `differing`, the number of values), and the lists `read` (objects `path`,
  /// `setting`), `converted` and `ignored` (`path`, `message`) and `problems` (`path`, `code`, `message`). Paths are JSON
  /// pointers into the document. What does not apply is missing.
  public var report: Value
  /// nil on success.
  public var error: StoreError?

  /// Whether there is something to report: false when the failure came before the document was looked at.
  public var hasReport: Bool { report.count > 0 }
}

extension StoreBranding {
  /// How to apply a property list. Corresponds to `livery_branding_options` in C.
  public struct PropertyListOptions: Sendable {
    /// The identifier of the brand; nil for the bundle's own, else "default".
    public var brand: String?
    /// The directory that images are in; nil to keep their names alone.
    public var bundle: String?
    /// Keep the brand for `use`, unless it is the active one.
    public var keepsForLater = false
    /// Kept with each value; nil for "bundle".
    public var origin: String?

    public init() {}
  }

  /// Reads a branding property list, XML or binary, of any dialect, and makes it the brand of the layer `bundle`, as one
  /// commit with its images.
  ///
  /// Corresponds to `livery_branding_apply_plist` in C.
  public func applyPropertyList(
    _ bytes: [UInt8], options: PropertyListOptions = PropertyListOptions()
  ) -> BrandOutcome {
    document(origin: options.origin ?? "bundle") { () throws(StoreError) in
      if let brand = options.brand { try checkBrand(brand) }
      return try pending(bytes, options)
    }
  }

  /// Finds the branding property list of a directory, and applies it as `applyPropertyList` does: `skin.plist`,
  /// `AWSDKDefaultSettings.plist`, `Info.plist` or the one whose name ends with `-Info.plist`, the first that is there, in the
  /// directory itself or where a bundle has its resources. The images are those beside it, unless `bundle` is given.
  ///
  /// Corresponds to `livery_branding_apply_directory` in C.
  public func applyDirectory(
    _ directory: String, options: PropertyListOptions = PropertyListOptions()
  ) -> BrandOutcome {
    document(origin: options.origin ?? "bundle") { () throws(StoreError) in
      if let brand = options.brand { try checkBrand(brand) }
      let found = try BrandDirectory(directory)
      var options = options
      if options.bundle == nil { options.bundle = found.images }
      do throws(StoreError) {
        var pending = try pending(found.bytes, options)
        pending.file = found.file
        return pending
      } catch { throw error.prefixed("\(truncated(found.file, to: 200)): ") }
    }
  }

  private func pending(_ bytes: [UInt8], _ options: PropertyListOptions) throws(StoreError) -> PendingBrand {
    var pending = PendingBrand(BrandReader(propertyList: try PropertyList.parse(bytes)))
    try pending.resolve(in: options.bundle)
    var own = BrandNames.defaultBrand
    if case .string(let text)? = pending.reader.brand["identifier"], (try? checkBrand(text)) != nil { own = text }
    pending.id = options.brand ?? own
    pending.keepsForLater = options.keepsForLater
    return pending
  }

  /// Saves what the console sends, in the layer `recommended`, as one commit: everything that it sent before is replaced.
  ///
  /// Corresponds to `livery_branding_apply_console` in C, where the members of the payload are described.
  ///
  /// - Parameters:
  ///   - isWhole: whether the bundle's brand waits while this counts; nil for what the payload says.
  ///   - replaces: whether what people have set goes, so that this becomes active; nil for what the payload says.
  public func applyConsole(
    _ payload: Value, origin: String = "console", isWhole: Bool? = nil, replaces: Bool? = nil
  ) -> BrandOutcome {
    document(origin: origin) { () throws(StoreError) in
      var pending = PendingBrand(BrandReader(console: payload))
      pending.source = .console
      pending.isWhole = isWhole ?? pending.reader.isWhole
      pending.replaces = replaces ?? pending.reader.replaces
      try pending.resolve(in: nil)
      return pending
    }
  }

  private func document(origin: String, _ read: () throws(StoreError) -> PendingBrand) -> BrandOutcome {
    var report: [Value.Member] = []
    do throws(StoreError) {
      // Whoever may not write is told so before the document is looked at.
      try store.change(.bundle).discard()
      try checkOrigin(origin)
      var pending = try read()
      report = pending.report
      if let failure = pending.reader.report.failure { throw failure }
      return try commit(&pending, origin)
    } catch {
      if !report.isEmpty { report.insert(.init("applied", .bool(false)), at: 0) }
      return BrandOutcome(report: .object(report), error: error)
    }
  }

  private func commit(_ pending: inout PendingBrand, _ origin: String) throws(StoreError) -> BrandOutcome {
    var isActive = true
    var former: Brand?
    var twins: [BrandTwin] = []
    let given = pending
    try endTrial(in: given.source == .bundle ? [.bundle] : [.bundle, .recommended, .enforced])
    let revision = try store.edit(pending.source.layer) { (change) throws(StoreError) in
      var editor = try SourceEditor(change, given.source, origin: origin)
      editor.replaces = given.replaces
      let id = given.source == .console ? BrandNames.defaultBrand : given.id
      isActive = !given.keepsForLater || editor.state.isActive(id)
      if given.source == .bundle {
        former = editor.state.isActive(id) ? try editor.state.current() : try editor.state.kept(id)
      }
      if isActive {
        if !editor.state.now.brand.sameBytes(as: id) { try editor.setAside() }
        try editor.install(given.reader.brand, as: id)
      } else {
        try editor.keep(given.reader.brand, as: id)
      }
      for asset in given.assets { try change.put(asset) }
      if given.source == .bundle {
        twins = try BrandTwins(SourceState(change, .bundle)).all(of: id)
      } else {
        if given.isWhole { try editor.set(BrandNames.whole, .bool(true)) } else { try editor.reset(BrandNames.whole) }
        try editor.settle(origin: origin)
      }
    }
    for twin in twins { pending.reader.report.problem("", twin.code, twin.message, isFatal: false) }
    var members: [Value.Member] = [.init("applied", .bool(true))]
    if pending.source == .bundle { members.append(.init("brand", .string(pending.id))) }
    if let former, let facts = former.differences(from: pending.reader.brand) {
      members.append(.init("former", .object(facts)))
    }
    members += [
      .init("active", .bool(isActive)), .init("enabled", .bool(pending.reader.brand.isEnabled)),
      .init("revision", .int(Int64(clamping: revision))), .init("images", .int(Int64(pending.assets.count))),
    ]
    return BrandOutcome(report: .object(members + pending.report), error: nil)
  }

  // MARK: Switches

  /// Whether the values of a source count.
  ///
  /// Corresponds to `livery_branding_enabled` in C.
  public func isEnabled(_ source: BrandSource) throws(StoreError) -> Bool {
    try store.reading { (snapshot) throws(StoreError) in try SourceState(snapshot, source).now.isEnabled }
  }

  /// Whether the brand of the bundle waits, since what the console sends counts as a whole.
  public func isWaiting() throws(StoreError) -> Bool {
    try store.reading { (snapshot) throws(StoreError) in try SourceState(snapshot, .bundle).now.waits }
  }

  /// Switches a source on or off, and commits: all its values count, or stop counting, at once.
  ///
  /// For the bundle this is the switch of the active brand. Corresponds to `livery_branding_set_enabled` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func setEnabled(_ isEnabled: Bool, _ source: BrandSource) throws(StoreError) {
    try edit(source) { (editor) throws(StoreError) in
      let state = editor.state
      guard state.now.isEnabled != isEnabled else { return }
      var brand = try state.current()
      brand.isEnabled = isEnabled
      var editor = editor
      editor.replaces = brand.replaces
      try editor.install(brand, as: state.now.brand, past: state.past(state.now.brand))
      if source == .console { try editor.settle(origin: "branding") }
    }
  }

  /// Removes everything that the console has set of branding, its switch included, and commits.
  ///
  /// Corresponds to `livery_branding_wipe` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func wipe() throws(StoreError) {
    try endTrial(in: [.bundle, .recommended, .enforced])
    try store.edit(.enforced) { (change) throws(StoreError) in
      try change.setOrigin("console")
      try change.ignoreLocks()
      // By name alone: what is damaged goes like the rest.
      for layer in [Layer.enforced, .recommended] {
        try change.use(layer)
        for prefix in [Branding.prefix, Branding.keptPrefix] {
          for name in try change.names(in: layer, matching: NamePattern(prefix + "**")) { try change.reset(name) }
        }
      }
      try SourceEditor.hold(change, false, origin: "console")
    }
  }

  func edit(
    _ source: BrandSource, _ trial: Duration? = nil, _ body: (SourceEditor) throws(StoreError) -> Void
  ) throws(StoreError) {
    if trial == nil { try endTrial(in: source == .bundle ? [.bundle] : [.bundle, .recommended, .enforced]) }
    try store.edit(source.layer) { (change) throws(StoreError) in
      try change.setTrial(trial)
      try body(SourceEditor(change, source, origin: "branding"))
    }
  }

  /// Takes a brand back that is on trial in one of the layers: what is done to a brand as a whole begins with what was there
  /// before, as parts of two would be mixed otherwise.
  private func endTrial(in layers: [Layer]) throws(StoreError) {
    let isOnTrial = try store.read { (view) throws(StoreError) in
      guard let trial = try view.pendingTrial(), !view.isOver(trial) else { return false }
      return try view.placesOnTrial().contains { (place) in
        layers.contains(place.layer)
          && (Branding.has(Branding.prefix, place.name) || Branding.has(Branding.keptPrefix, place.name))
      }
    }
    guard isOnTrial else { return }
    do throws(StoreError) { try store.revertTrial(origin: "branding") } catch {
      // It has ended meanwhile.
      guard error.code == .notFound else { throw error }
    }
  }
}

extension Brand {
  /// What is to be told when another brand takes the place of this one under its identifier: nothing if they are the same.
  fileprivate func differences(from other: Brand) -> [Value.Member]? {
    var count = 0
    for member in values where other[member.key] != member.value { count += 1 }
    for member in other.values where self[member.key] == nil { count += 1 }
    guard count > 0 else { return nil }
    var facts: [Value.Member] = []
    if let name = self["name"] { facts.append(.init("name", name)) }
    return facts + [.init("differing", .int(Int64(count)))]
  }
}

/// A brand that was read, and waits for its transaction.
private struct PendingBrand {
  var reader: BrandReader
  var source = BrandSource.bundle
  var id = BrandNames.defaultBrand
  var keepsForLater = false
  var isWhole = false
  var replaces = false
  /// The file that it was found in.
  var file: String?
  var assets: [NewAsset] = []
  private var size = 0

  private static let maximumSize = 1 << 28

  init(_ reader: BrandReader) {
    self.reader = reader
  }

  /// What is told of the document.
  var report: [Value.Member] {
    var members = reader.report.members
    if let dialect = reader.dialect { members.insert(.init("dialect", .string(dialect.description)), at: 0) }
    if let file { members.insert(.init("file", .string(file)), at: 0) }
    return members
  }

  /// Reads the images that the document names, and adds them to the brand.
  mutating func resolve(in bundle: String?) throws(StoreError) {
    var names = ByteIndex()
    var lists: [(name: String, path: String, variants: [Value])] = []
    for image in reader.images {
      let variants = try variants(of: image, in: bundle)
      guard !variants.isEmpty else { continue }
      let (number, isNew) = names.insert(image.name)
      if isNew { lists.append((image.name, image.path, [])) }
      lists[number].variants += variants
    }
    for list in lists { reader.keepImage(list.name, .list(list.variants), at: list.path) }
  }

  /// What an image is for, with its file or its URL: none if the bundle lacks it, several if its name stands for several.
  private mutating func variants(of image: BrandReader.Image, in bundle: String?) throws(StoreError) -> [Value] {
    if image.reference.isEmpty || isAbsoluteURL(image.reference) { return [image.variant(.url(image.reference))] }
    let remote = image.fallback.map { [image.variant(.url($0))] }
    guard let bundle, !BrandCheck.isAsset(image.reference) else {
      return remote ?? [image.variant(.image(image.reference))]
    }
    switch try file(image, in: bundle) {
    case .stored(let reference): return [image.variant(reference)]
    case .refused: return remote ?? []
    case .missing: break
    }
    var variants: [Value] = []
    var files = ""
    var isMissing = true
    for alternatives in image.alternatives {
      search: for option in alternatives {
        switch try file(option, in: bundle) {
        case .stored(let reference):
          variants.append(option.variant(reference))
          files += "\(files.isEmpty ? "" : ", ")`\(truncated(option.reference, to: 80))`"
          isMissing = false
        case .refused: isMissing = false
        case .missing: continue search
        }
        break search
      }
    }
    let name = truncated(image.reference, to: 80)
    if !variants.isEmpty {
      reader.report.converted(image.path, "`\(name)` is \(files)")
    } else if isMissing {
      var ending = image.alternatives.isEmpty ? "" : ", with or without `.png`"
      if remote != nil { ending += ": its URL is taken" }
      reader.report.ignored(image.path, "the bundle has no file `\(name)`\(ending)")
    }
    return variants.isEmpty ? remote ?? [] : variants
  }

  private enum FoundFile {
    case stored(Value)
    case missing
    /// The report tells why.
    case refused
  }

  private mutating func file(_ image: BrandReader.Image, in bundle: String) throws(StoreError) -> FoundFile {
    let bytes: [UInt8]
    do throws(StoreError) {
      guard let found = try BundleFolder.read(image.reference, in: bundle) else { return .missing }
      bytes = found
    } catch {
      reader.report.problem(image.path, "unreadable-image", error.message, status: error.code)
      return .refused
    }
    size += bytes.count
    guard size <= Self.maximumSize else {
      reader.report.problem(image.path, "too-many", "the images of a brand have at most \(Self.maximumSize) bytes")
      return .refused
    }
    do throws(StoreError) {
      let asset = try NewAsset(bytes, allowsAny: false)
      assets.append(asset)
      return .stored(asset.reference)
    } catch {
      let name = truncated(image.reference, to: 80)
      reader.report.problem(
        image.path, "bad-image", "`\(name)` is left out: \(error.message)", isFatal: error.code == .noMemory)
      return .refused
    }
  }
}

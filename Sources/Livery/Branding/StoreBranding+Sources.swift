/// What reading a branding document came to.
public struct BrandOutcome: Sendable {
  /// `applied` (bool), `dialect` (text), `brand` (its identifier), `active` and `enabled` (bool), `revision`, `images` (the
  /// number stored), and the lists `read` (objects `path`, `setting`), `converted` and `ignored` (`path`, `message`) and
  /// `problems` (`path`, `code`, `message`). Paths are JSON pointers into the document. What does not apply is missing.
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
    /// Put the brand on the shelf, for `use`, unless it is the active one.
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
      var pending = PendingBrand(BrandReader(propertyList: try PropertyList.parse(bytes)))
      try pending.resolve(in: options.bundle)
      var own = Shelf.defaultBrand
      if case .string(let text)? = pending.reader.brand["identifier"], (try? checkBrand(text)) != nil { own = text }
      pending.id = options.brand ?? own
      pending.keepsForLater = options.keepsForLater
      return pending
    }
  }

  /// Saves what the console sends, in the layer `recommended`, as one commit: everything that it sent before is replaced.
  ///
  /// Corresponds to `livery_branding_apply_console` in C, where the members of the payload are described.
  public func applyConsole(_ payload: Value, origin: String = "console") -> BrandOutcome {
    document(origin: origin) { () throws(StoreError) in
      var pending = PendingBrand(BrandReader(console: payload))
      pending.source = .console
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
      let pending = try read()
      report = pending.reader.report.members
      if let dialect = pending.reader.dialect {
        report.insert(.init("dialect", .string(dialect.description)), at: 0)
      }
      if let failure = pending.reader.report.failure { throw failure }
      return try commit(pending, origin, report)
    } catch {
      if !report.isEmpty { report.insert(.init("applied", .bool(false)), at: 0) }
      return BrandOutcome(report: .object(report), error: error)
    }
  }

  private func commit(
    _ pending: PendingBrand, _ origin: String, _ report: [Value.Member]
  ) throws(StoreError) -> BrandOutcome {
    var isActive = true
    let revision = try store.edit(pending.source.layer) { (change) throws(StoreError) in
      let editor = try SourceEditor(change, pending.source, origin: origin)
      let id = pending.source == .console ? Shelf.defaultBrand : pending.id
      isActive = !pending.keepsForLater || editor.state.isActive(id)
      if isActive {
        if !(editor.state.active ?? Shelf.defaultBrand).sameBytes(as: id) { try editor.shelve() }
        try editor.install(pending.reader.brand, as: id)
      } else {
        try editor.keep(pending.reader.brand, as: id)
      }
      for asset in pending.assets { try change.put(asset) }
    }
    var members: [Value.Member] = [.init("applied", .bool(true))]
    if pending.source == .bundle { members.append(.init("brand", .string(pending.id))) }
    members += [
      .init("active", .bool(isActive)), .init("enabled", .bool(pending.reader.brand.isEnabled)),
      .init("revision", .int(Int64(clamping: revision))), .init("images", .int(Int64(pending.assets.count))),
    ]
    return BrandOutcome(report: .object(members + report), error: nil)
  }

  // MARK: Switches

  /// Whether the values of a source count.
  ///
  /// Corresponds to `livery_branding_enabled` in C.
  public func isEnabled(_ source: BrandSource) throws(StoreError) -> Bool {
    try store.reading { (snapshot) throws(StoreError) in try SourceState(snapshot, source).isEnabled }
  }

  /// Switches a source on or off, and commits: all its values count, or stop counting, at once.
  ///
  /// For the bundle this is the switch of the active brand. Corresponds to `livery_branding_set_enabled` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func setEnabled(_ isEnabled: Bool, _ source: BrandSource) throws(StoreError) {
    try edit(source) { (editor) throws(StoreError) in
      guard editor.state.isEnabled != isEnabled else { return }
      var brand = try editor.state.current()
      brand.isEnabled = isEnabled
      try editor.install(brand, as: editor.state.active ?? Shelf.defaultBrand)
    }
  }

  /// Removes everything that the console has set of branding, its switch included, and commits.
  ///
  /// Corresponds to `livery_branding_wipe` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func wipe() throws(StoreError) {
    try store.edit(.enforced) { (change) throws(StoreError) in
      try change.setOrigin("console")
      try change.ignoreLocks()
      // By name alone: what is damaged goes like the rest.
      for layer in [Layer.enforced, .recommended] {
        try change.use(layer)
        for prefix in [Branding.prefix, Branding.shelf] {
          for name in try change.names(in: layer, matching: NamePattern(prefix + "**")) { try change.reset(name) }
        }
      }
    }
  }

  func edit(_ source: BrandSource, _ body: (SourceEditor) throws(StoreError) -> Void) throws(StoreError) {
    try store.edit(source.layer) { (change) throws(StoreError) in
      try body(SourceEditor(change, source, origin: "branding"))
    }
  }
}

/// A brand that was read, and waits for its transaction.
private struct PendingBrand {
  var reader: BrandReader
  var source = BrandSource.bundle
  var id = Shelf.defaultBrand
  var keepsForLater = false
  var assets: [NewAsset] = []
  private var size = 0

  private static let maximumSize = 1 << 28

  init(_ reader: BrandReader) {
    self.reader = reader
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
    if isAbsoluteURL(image.reference) { return [image.variant(.url(image.reference))] }
    guard let bundle, !BrandCheck.isAsset(image.reference) else { return [image.variant(.image(image.reference))] }
    switch try file(image, in: bundle) {
    case .stored(let reference): return [image.variant(reference)]
    case .refused: return []
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
      let ending = image.alternatives.isEmpty ? "" : ", with or without `.png`"
      reader.report.ignored(image.path, "the bundle has no file `\(name)`\(ending)")
    }
    return variants
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

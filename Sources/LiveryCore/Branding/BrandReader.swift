/// What a branding document says: a brand, the images that it names, and a report.
///
/// Reads the property lists `skin.plist`, `AWSDKDefaultSettings.plist` and an Info.plist with `CharacterVariantsConfiguration`,
/// told apart by what is in them.
public struct BrandReader {
  /// The dialects of branding property lists.
  public enum Dialect: Sendable {
    case skin, sdkDefaults, characterVariants
  }

  /// An image that a document names.
  public struct Image: Sendable {
    public var name: String
    public var qualifiers: [Value.Member]
    /// A file of the bundle, or an absolute URL; empty for a placeholder.
    public var reference: String
    /// Where in the document.
    public var path: String
    /// A URL for where the bundle has no such file.
    public var fallback: String?

    /// The variant that the image is, once its file is known.
    public func variant(_ image: Value) -> Value {
      .object([.init("image", image)] + qualifiers)
    }
  }

  public internal(set) var dialect: Dialect? {
    get { brand.dialect }
    set { brand.dialect = newValue }
  }
  public internal(set) var brand = Brand()
  public internal(set) var images: [Image] = []
  public var report = BrandReport()
  var path: [String] = []
  /// The switches of the document; the innermost counts.
  var switches: [(path: [String], isOn: Bool)] = []
  /// The image whose device classes are read.
  var imageName = ""
  /// The images that a variant has by a file's name and by a URL.
  var variantImages = VariantImages()
  /// Whether what the console sends counts alone, and whether it takes the place of what people have set.
  public internal(set) var isWhole = false
  public internal(set) var replaces = false

  /// Reads a property list that was parsed.
  public init(propertyList root: Value) {
    readPropertyList(root)
    settleSwitches()
    settleVariantImages()
  }

  // MARK: Plumbing

  var pointer: String { jsonPointer(path) }

  /// A part of a document: what its members mean.
  enum Section {
    case skin, sdkDefaults, characterVariants, bundle, colors, colorsOf255, files, urls, console, consoleImages, options
    case deviceClasses
  }

  /// Reads the members of a dictionary, each as a part of the section.
  @inline(never)
  mutating func walk(_ value: Value, _ section: Section) {
    guard case .object(let members) = value else { return expect(value, "a dictionary") }
    for member in members {
      path.append(member.key)
      read(member, section)
      path.removeLast()
    }
  }

  /// The place of a name in a list of names in lower case that are written in any letter case; nil if it is not there.
  @inline(never)
  static func place(of key: String, in names: StaticString) -> Int? {
    let folded = DeviceNames.folded(key)
    return names.withUTF8Buffer { text in
      var place = 0
      var start = 0
      while start < text.count {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: " ") { end += 1 }
        if text[start..<end].elementsEqual(folded) { return place }
        place += 1
        start = end + 1
      }
      return nil
    }
  }

  private mutating func read(_ member: Value.Member, _ section: Section) {
    switch section {
    case .skin: readSkinMember(member)
    case .sdkDefaults: readDefaultsMember(member)
    case .characterVariants: readVariantMember(member)
    case .bundle: readBundleMember(member)
    case .colors: keepColor(Branding.role(member.key) ?? member.key, member.value, .found)
    case .colorsOf255:
      if !isSwitch(member) { keepColor(Branding.role(member.key) ?? member.key, member.value, .bytes) }
    case .files:
      keepText(Branding.file, member.key, member.value)
      noteVariantImage(member)
    case .urls:
      keepURL(member.key, member.value)
      noteVariantImage(member)
    case .console: readConsoleMember(member)
    case .consoleImages: readConsoleImage(member)
    case .options:
      if let truth = truth(member.value) { keep(Branding.option, member.key, .bool(truth)) }
    case .deviceClasses: readDeviceClass(member)
    }
  }

  @inline(never)
  mutating func problem(_ code: String, _ message: String) {
    report.problem(pointer, code, message)
  }

  /// Keeps a value under a name; names that no setting can have, and those there already, are problems.
  @inline(never)
  mutating func keep(_ kind: String, _ name: String, _ value: Value) {
    let whole = kind + name
    let setting = Branding.prefix + whole
    do throws(StoreError) { try checkName(setting) } catch { return problem("bad-name", error.message) }
    guard !name.isEmpty || kind.isEmpty else { return problem("bad-name", "the name is empty") }
    guard brand[whole] == nil else { return problem("twice", "`\(truncated(name, to: 80))` is there twice") }
    guard brand.values.count < 1000 else { return problem("too-many", "a brand has at most 1000 values") }
    brand.values.append(.init(whole, value))
    report.read(pointer, setting)
  }

  /// Keeps the variants of an image, once their files are known.
  public mutating func keepImage(_ name: String, _ variants: Value, at pointer: String) {
    let whole = Branding.image + name
    guard brand[whole] == nil else {
      return report.problem(pointer, "twice", "the image `\(truncated(name, to: 80))` is there twice")
    }
    brand.values.append(.init(whole, variants))
    report.read(pointer, Branding.prefix + whole)
  }

  @inline(never)
  mutating func expect(_ value: Value, _ wanted: String) {
    problem("wrong-type", "expected \(wanted), found the \(value.type) \(value.brief)")
  }

  /// A truth value in any of its spellings: true, 1, "1", "YES".
  mutating func truth(_ value: Value) -> Bool? {
    if case .bool(let truth) = value { return truth }
    guard let truth = Branding.truth(value) else {
      expect(value, "a truth value")
      return nil
    }
    report.converted(pointer, "\(value.brief) is read as \(truth)")
    return truth
  }
}

extension BrandReader.Dialect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .skin: "skin"
    case .sdkDefaults: "AWSDKDefaultSettings"
    case .characterVariants: "CharacterVariantsConfiguration"
    }
  }
}

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
    /// A file of the bundle, or an absolute URL.
    public var reference: String
    /// Where in the document.
    public var path: String

    /// The variant that the image is, once its file is known.
    public func variant(_ image: Value) -> Value {
      .object([.init("image", image)] + qualifiers)
    }
  }

  public internal(set) var dialect: Dialect?
  public internal(set) var brand = Brand()
  public internal(set) var images: [Image] = []
  public var report = BrandReport()
  var path: [String] = []

  init() {}

  /// Reads a property list that was parsed.
  public init(propertyList root: Value) {
    guard case .object(let members) = root else {
      report.problem("", "wrong-type", "the property list is no dictionary but a \(root.type)")
      return
    }
    readPropertyList(members)
  }

  // MARK: Plumbing

  var pointer: String { jsonPointer(path) }

  mutating func within(_ key: String, _ body: (inout BrandReader) -> Void) {
    path.append(key)
    body(&self)
    path.removeLast()
  }

  mutating func problem(_ code: String, _ message: String) {
    report.problem(pointer, code, message)
  }

  /// Keeps a value under a name; names that no setting can have, and those there already, are problems.
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

  mutating func expect(_ value: Value, _ wanted: String) {
    problem("wrong-type", "expected \(wanted), found the \(value.type) \(value.brief)")
  }

  /// A truth value in any of its spellings: true, 1, "1", "YES".
  mutating func truth(_ value: Value) -> Bool? {
    if case .bool(let truth) = value { return truth }
    var found: Value?
    switch value {
    case .int(let number): found = Value.string("\(number)").coerced(to: .bool)
    case .double(let number): found = number == 0 ? .bool(false) : number == 1 ? .bool(true) : nil
    case .string: found = value.coerced(to: .bool)
    default: break
    }
    guard case .bool(let truth)? = found else {
      expect(value, "a truth value")
      return nil
    }
    report.converted(pointer, "\(value.brief) is read as \(truth)")
    return truth
  }

  mutating func object(_ value: Value) -> [Value.Member] {
    guard case .object(let members) = value else {
      expect(value, "a dictionary")
      return []
    }
    return members
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

/// One of the forms that an image comes in, and the devices that it is for.
///
/// As a value it is an object: `image` (an image reference or a URL) and the qualifiers `locale` (text), `idiom`
/// (`phone` `tablet` `tv` `desktop` `watch`), `appearance` (`light` `dark`), `contrast` (`normal` `high`), `orientation`
/// (`portrait` `landscape`), `width`, `height` and `longest` (points that the screen, or its longer side, has at least),
/// `aspect` (`16:9`) and `scale`, of which those that do not matter are missing. Other members are kept and mean nothing.
public struct ImageVariant: Sendable {
  /// The whole, as it was given.
  public let value: Value
  /// The text of the image reference or URL.
  public let reference: String
  /// By raw value of `Qualifier`; 0 for what is missing. The number of the word for one of words.
  private var numbers = [Double](repeating: 0, count: Qualifier.allCases.count)
  private(set) var locale = ""
  /// Whether the aspect is given upright.
  private(set) var aspectIsPortrait = false

  subscript(qualifier: Qualifier) -> Double { numbers[qualifier.rawValue] }

  /// Whether another variant is for the same devices.
  func isForTheSame(as other: ImageVariant) -> Bool {
    numbers == other.numbers && locale.sameBytes(as: other.locale) && aspectIsPortrait == other.aspectIsPortrait
  }

  /// Whether the variant asks for something.
  func has(_ qualifier: Qualifier) -> Bool {
    qualifier == .locale ? !locale.isEmpty : numbers[qualifier.rawValue] > 0
  }

  /// Errors: `.invalidValue`, naming the member.
  public init(_ value: Value) throws(StoreError) {
    self.value = value
    guard case .object(let members) = value else {
      reference = try Self.reference(value)
      return
    }
    guard let image = value["image"] else { throw StoreError(.invalidValue, "a variant has no member `image`") }
    reference = try Self.reference(image)
    for member in members {
      guard let qualifier = Qualifier(member: member.key) else { continue }
      guard read(qualifier, member.value) else {
        throw StoreError(.invalidValue, "`\(member.key)` cannot be \(member.value.brief)")
      }
    }
  }

  private static func reference(_ value: Value) throws(StoreError) -> String {
    switch value {
    case .image(let text): return text
    case .url(let text), .string(let text):
      // A blank one leads to nothing, and is told as that.
      if text.isEmpty || isImageReference(text) { return text }
      throw StoreError(.invalidValue, "an image reference has 1 to 1024 bytes and no control characters")
    default: throw StoreError(.invalidValue, "an image is a reference or a URL, not \(value.brief)")
    }
  }

  private mutating func read(_ qualifier: Qualifier, _ value: Value) -> Bool {
    switch qualifier {
    case .locale:
      guard case .string(let text) = value, !text.isEmpty, text.utf8.count <= 63 else { return false }
      locale = text
    case .idiom, .appearance, .contrast, .orientation:
      guard case .string(let text) = value, let number = qualifier.number(of: text) else { return false }
      numbers[qualifier.rawValue] = Double(number)
    case .width, .height, .longest, .scale:
      guard case .double(let number)? = value.coerced(to: .double), number > 0, number <= 1_000_000 else {
        return false
      }
      numbers[qualifier.rawValue] = number
    case .aspect:
      guard case .string(let text) = value else { return false }
      return readAspect(text)
    }
    return true
  }

  /// `16:9`
  private mutating func readAspect(_ text: String) -> Bool {
    let bytes = text.bytes
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      let width = Numbers.parseDouble(String(decoding: bytes[..<colon], as: UTF8.self)),
      let height = Numbers.parseDouble(String(decoding: bytes[(colon + 1)...], as: UTF8.self)),
      width > 0, height > 0, width <= 1_000_000, height <= 1_000_000
    else { return false }
    numbers[Qualifier.aspect.rawValue] = max(width, height) / min(width, height)
    aspectIsPortrait = height > width
    return true
  }

  /// All variants of an image, from a setting's value: a list of them, or one alone.
  ///
  /// Errors: `.invalidValue`, naming the variant and the member.
  public static func all(_ value: Value) throws(StoreError) -> [ImageVariant] {
    guard case .list(let items) = value else { return [try ImageVariant(value)] }
    guard items.count <= 1000 else { throw StoreError(.invalidValue, "an image has at most 1000 variants") }
    var variants: [ImageVariant] = []
    for (index, item) in items.enumerated() {
      do throws(StoreError) {
        variants.append(try ImageVariant(item))
      } catch { throw error.prefixed("variant \(index): ") }
    }
    return variants
  }

  /// Whether there is something to show; nil for a name that the app gives a meaning to.
  ///
  /// - Parameter isHeld: whether the store holds the asset.
  public func state(isHeld: Bool) -> String? {
    func tells(_ word: String) -> Bool { value["state"] == .string(word) }
    if isHeld { return tells("placeholder") ? "placeholder" : "ready" }
    if BrandCheck.isAsset(reference) { return "failed" }
    if reference.isEmpty { return "placeholder" }
    guard isRemote(.string(reference)) else { return nil }
    return tells("failed") ? "failed" : "loading"
  }
}

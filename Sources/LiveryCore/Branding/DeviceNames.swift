/// The names that branding property lists give to images of devices: `PrimaryiPad2X`, `AppLogo_2x`, `BackgroundImage_16_9`.
enum DeviceNames {
  /// The image and the devices that a key stands for, in any letter case; nil if it is no such key.
  static func image(_ key: String) -> (name: String, qualifiers: [Value.Member])? {
    var rest = folded(key)[...]
    if take("primaryi", from: &rest) { return device("background", rest) }
    if take("secondaryi", from: &rest) { return device("logo", rest) }
    if take("applogo_", from: &rest) { return scaled("logo", rest) }
    if take("splashlogo_", from: &rest) { return scaled("splash", rest) }
    if take("backgroundimage_", from: &rest) { return shaped("background", rest) }
    return nil
  }

  /// The image and the devices that a member of a console's payload stands for: `CompanyLogo`, `BackgroundURL`,
  /// `CompanyLogo_iPhone2X`; nil if it is no such name.
  static func consoleImage(_ key: String) -> (name: String, qualifiers: [Value.Member])? {
    if let image = image(key) { return image }
    var bytes = folded(key).filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    if bytes.ends(with: "url") { bytes.removeLast(3) }
    for (word, name) in [
      ("companylogo", "logo"), ("logo", "logo"), ("backgroundimage", "background"), ("background", "background"),
      ("splashlogo", "splash"), ("splash", "splash"), ("loadingimage", "loading"),
    ] where bytes.starts(with: word.utf8) {
      var rest = bytes[...].dropFirst(word.utf8.count)
      if rest.isEmpty { return (name, []) }
      if rest.last == UInt8(ascii: "x"), let scaled = scaled(name, rest) { return scaled }
      return take("i", from: &rest) ? device(name, rest) : nil
    }
    return nil
  }

  /// The devices of `iPhone`, `iPad2X`, `iPhone@2x` and `iPhone5`; nil if it is no such name.
  static func deviceClass(_ key: String) -> [Value.Member]? {
    let bytes = folded(key).filter { $0 != UInt8(ascii: "@") }
    var rest = bytes[...]
    return take("i", from: &rest) ? device("", rest)?.1 : nil
  }

  /// A key's letters in lower case, as far as they are ASCII.
  static func folded(_ key: String) -> [UInt8] { lowercased(key).bytes }

  private static func take(_ word: StaticString, from text: inout ArraySlice<UInt8>) -> Bool {
    let fits = word.withUTF8Buffer { text.starts(with: $0) }
    if fits { text = text.dropFirst(word.utf8CodeUnitCount) }
    return fits
  }

  /// `Pad` and `Phone`, `2X` for the scale, `Phone5` for phones that are 568 points high.
  private static func device(_ name: String, _ key: ArraySlice<UInt8>) -> (String, [Value.Member])? {
    var rest = key
    let idiom: Traits.Idiom
    if take("pad", from: &rest) {
      idiom = .tablet
    } else if take("phone", from: &rest) {
      idiom = .phone
    } else {
      return nil
    }
    var qualifiers = [Value.Member("idiom", .string(idiom.description))]
    if idiom == .phone, rest.count == 1, rest.first == UInt8(ascii: "5") {
      qualifiers.append(.init("longest", .int(568)))
      qualifiers.append(.init("scale", .int(2)))
    } else if rest.isEmpty {
      qualifiers.append(.init("scale", .int(1)))
    } else if let scale = scale(rest) {
      qualifiers.append(.init("scale", .int(scale)))
    } else {
      return nil
    }
    return (name, qualifiers)
  }

  private static func scaled(_ name: String, _ key: ArraySlice<UInt8>) -> (String, [Value.Member])? {
    scale(key).map { (name, [.init("scale", .int($0))]) }
  }

  /// `2x`
  private static func scale(_ text: ArraySlice<UInt8>) -> Int64? {
    guard text.last == UInt8(ascii: "x") else { return nil }
    return number(text.dropLast(), limit: 9)
  }

  /// `16_9`
  private static func shaped(_ name: String, _ key: ArraySlice<UInt8>) -> (String, [Value.Member])? {
    guard let middle = key.firstIndex(of: UInt8(ascii: "_")), let width = number(key[..<middle], limit: 10_000),
      let height = number(key[(middle + 1)...], limit: 10_000)
    else { return nil }
    return (name, [.init("aspect", .string("\(width):\(height)"))])
  }

  private static func number(_ digits: ArraySlice<UInt8>, limit: Int64) -> Int64? {
    guard digits.count <= 5, let first = digits.first, first > UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
      let number = Numbers.parseInt(String(decoding: digits, as: UTF8.self)), number <= limit
    else { return nil }
    return number
  }
}

/// The six colors that every brand has. A brand may have colors of any other name as well.
public enum ColorRole: String, Sendable, CaseIterable, CustomStringConvertible {
  case toolbar = "Toolbar"
  case toolbarText = "ToolbarText"
  /// The background of all screens.
  case primaryHighlight = "PrimaryHighlight"
  case primaryText = "PrimaryText"
  case secondaryHighlight = "SecondaryHighlight"
  case secondaryText = "SecondaryText"

  public var description: String { rawValue }

  /// The role that a name reads like which is none, such as `PrimaryHighlight` for `PrimaryColor`; nil for a role, and for a
  /// name of its own.
  public static func meant(by name: String) -> ColorRole? {
    if Branding.isRole(name) { return nil }
    var words = DeviceNames.folded(name).filter { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
    for ending in ["color", "colour"] where words.ends(with: ending) { words.removeLast(ending.utf8.count) }
    for (start, color, text) in [
      ("primary", ColorRole.primaryHighlight, ColorRole.primaryText),
      ("secondary", .secondaryHighlight, .secondaryText), ("toolbar", .toolbar, .toolbarText),
    ] where words.starts(with: start.utf8) {
      let rest = String(decoding: words.dropFirst(start.utf8.count), as: UTF8.self)
      for word in ["", "highlight", "highlighted", "background"] where word.sameBytes(as: rest) { return color }
      for word in ["text", "font", "foreground"] where word.sameBytes(as: rest) { return text }
    }
    for role in allCases where isSlip(DeviceNames.folded(name), DeviceNames.folded(role.rawValue)) { return role }
    return nil
  }

  /// Whether two words differ by a letter that was added, left out or changed, or by two that were swapped.
  private static func isSlip(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    var start = 0
    while start < one.count, start < other.count, one[start] == other[start] { start += 1 }
    var end = 0
    while end < one.count - start, end < other.count - start, one[one.count - 1 - end] == other[other.count - 1 - end] {
      end += 1
    }
    let left = one[start..<(one.count - end)]
    let right = other[start..<(other.count - end)]
    if left.count <= 1, right.count <= 1 { return true }
    return left.count == 2 && left.reversed().elementsEqual(right)
  }
}

extension [UInt8] {
  package func ends(with word: String) -> Bool {
    count >= word.utf8.count && suffix(word.utf8.count).elementsEqual(word.utf8)
  }
}

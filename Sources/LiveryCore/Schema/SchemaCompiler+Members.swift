// Reading members of the expected JSON type; each reports at the current place what is not.
extension SchemaCompiler {
  mutating func text(_ json: JSON) -> String? {
    guard case .string(let text) = json else {
      wrongType(json, "text")
      return nil
    }
    return text
  }

  mutating func flag(_ json: JSON) -> Bool? {
    guard case .bool(let flag) = json else {
      wrongType(json, "true or false")
      return nil
    }
    return flag
  }

  mutating func array(_ json: JSON) -> [JSON]? {
    guard case .array(let items) = json else {
      wrongType(json, "an array")
      return nil
    }
    return items
  }

  /// A count of something: a whole number from 0 up.
  mutating func count(_ json: JSON) -> Int? {
    guard let number = json.wholeNumber, number >= 0, let count = Int(exactly: number) else {
      wrongType(json, "a whole number from 0 up")
      return nil
    }
    return count
  }

  mutating func number(_ json: JSON) -> Value? {
    switch json {
    case .int(let number): return .int(number)
    case .double(let number): return .double(number)
    default:
      wrongType(json, "a number")
      return nil
    }
  }

  mutating func wrongType(_ json: JSON, _ expected: String) {
    let placeName = placeName
    error("wrong-type", "\(placeName) is \(expected), found \(json.shown)")
  }

  /// The member at the current place, for messages.
  private var placeName: String {
    var suffix = ""
    for step in path.reversed() {
      switch step {
      case .member(let name): return "`\(name)`\(suffix)"
      case .index(let index): suffix = ", item \(index + 1),"
      }
    }
    return "the document"
  }

  /// Warns of members that are not among the known ones.
  mutating func reportUnknown(_ members: [JSON.Member], known: [String], in place: String) {
    for member in members where !known.contains(where: { $0.sameBytes(as: member.key) }) {
      at(.member(member.key)) { $0.reportUnknown(member.key, known: known, in: place) }
    }
  }

  mutating func reportUnknown(_ key: String, known: [String], in place: String) {
    report(
      .warning, "unknown-member", "`\(key)` is not a member of \(place)", isKey: true,
      hint: MemberNames.meant(by: key, among: known).map { "did you mean `\($0)`?" })
  }
}

extension JSON {
  /// The type's name in JSON's own terms.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a truth value"
    case .int, .double: "a number"
    case .string: "text"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// A scalar as it is; of arrays and objects only what they are.
  var shown: String {
    switch self {
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): "\(number)"
    case .double(let number): Value.double(number).brief
    case .string(let text): Value.string(text).brief
    case .null, .array, .object: typeName
    }
  }

  /// A number without a fraction, however it is written.
  var wholeNumber: Int64? {
    switch self {
    case .int(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }
}

/// Finding what a misspelled or foreign name stands for.
enum MemberNames {
  /// The most names that are looked through, and their greatest length in bytes: hints must stay cheap in any document.
  static let limit = 200
  private static let maximumLength = 64

  /// Words that other formats use for the same thing.
  private static let synonyms: [(String, String)] = [
    ("Default", "Value"), ("DefaultValue", "Value"), ("Name", "Key"), ("Id", "Key"), ("Identifier", "Key"),
    ("Label", "Title"), ("Text", "Title"), ("Min", "Minimum"), ("Max", "Maximum"), ("Min", "MinLength"),
    ("Max", "MaxLength"), ("Regex", "Pattern"),
    ("Choices", "Options"), ("Values", "Options"), ("Items", "ItemTemplate"), ("Template", "ItemTemplate"),
    ("Help", "Description"), ("Hint", "Placeholder"), ("Kind", "Type"), ("Mandatory", "Required"),
    ("Controls", "Settings"), ("Sections", "Groups"), ("Equal", "Equals"),
  ]

  /// The known name that was probably meant.
  static func meant(by name: String, among known: [String]) -> String? {
    guard name.utf8.count <= maximumLength else { return nil }
    let known = known.prefix(limit).filter { $0.utf8.count <= maximumLength }
    let lowered = lowercased(name)
    if let same = known.first(where: { lowercased($0).sameBytes(as: lowered) }) { return same }
    let usable = synonyms.filter { pair in known.contains { $0.sameBytes(as: pair.1) } }
    if let same = usable.first(where: { lowercased($0.0).sameBytes(as: lowered) }) { return same.1 }
    guard let near = nearestNames(to: name, among: known + usable.map { $0.0 }, limit: 1).first else { return nil }
    return usable.first { $0.0.sameBytes(as: near) }?.1 ?? near
  }
}

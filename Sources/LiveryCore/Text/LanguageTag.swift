/// A tag of a language in lower case, well-formed by BCP 47: `de-at`. Which languages there are is not looked up.
struct LanguageTag {
  private static let maximumLength = 63

  let text: String

  /// nil for what is no tag.
  init?(_ text: String) {
    let bytes = lowercased(text).bytes
    guard bytes.count <= Self.maximumLength else { return nil }
    let subtags = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    for (index, subtag) in subtags.enumerated() {
      guard (1...8).contains(subtag.count) else { return nil }
      for byte in subtag {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        guard isLetter || index > 0 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      }
    }
    // A single letter says what follows it: `x-` is private use, `i-` of before.
    if subtags[0].count == 1 {
      guard subtags.count > 1, "xi".utf8.contains(subtags[0][subtags[0].startIndex]) else { return nil }
    }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  /// A tag, or a locale of the system such as `de_AT.UTF-8`.
  init?(locale: String) {
    var bytes: [UInt8] = []
    for byte in locale.utf8 {
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@") { break }
      bytes.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
    }
    // The system's locale for no language.
    self.init(bytes == [UInt8(ascii: "C")] ? "und" : String(decoding: bytes, as: UTF8.self))
  }

  /// The tags to look a text up by, in the order of RFC 4647 §3.4: the tag, then without its last parts.
  var fallbacks: [String] {
    let hyphen = UInt8(ascii: "-")
    var found: [String] = []
    var rest = text.bytes
    while rest.count > 1 {
      found.append(String(decoding: rest, as: UTF8.self))
      rest.removeSubrange((rest.lastIndex(of: hyphen) ?? 0)...)
      // A single letter goes with what follows it.
      if rest.count > 2, rest[rest.count - 2] == hyphen { rest.removeLast(2) }
    }
    return found
  }
}

/// In lower case, ASCII letters alone.
func lowercased(_ name: String) -> String {
  String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
}

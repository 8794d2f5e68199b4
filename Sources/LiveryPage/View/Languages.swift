import LiveryClient
import LiveryHTTP

/// The languages that a browser prefers: Accept-Language of RFC 9110 §12.5.4.
struct Languages {
  /// Those that the page has words of its own in. The first is shown where there is none that was asked for.
  private static let own = ["en", "de"]
  /// What is named behind these is not looked at.
  private static let limit = 32

  /// In small letters, the best first.
  private var wanted: [[UInt8]] = []
  /// Those that are not to be shown.
  private var refused: [[UInt8]] = []
  /// Whether all others are welcome, too.
  private var takesAny = false

  init(_ header: String) {
    var weights: [Double] = []
    for part in header.utf8.split(separator: UInt8(ascii: ",")).prefix(Languages.limit) {
      let pieces = part.split(separator: UInt8(ascii: ";"))
      guard let tag = pieces.first else { continue }
      let text = String(decoding: tag.filter { $0 != 32 && $0 != 9 }, as: UTF8.self)
      let isAny = text.sameBytes(as: "*")
      guard isAny || Languages.isTag(text) else { continue }
      var weight = 1.0
      for piece in pieces.dropFirst() {
        let digits = Languages.lowercased(piece.filter { $0 != 32 && $0 != 9 })
        guard digits.starts(with: "q=".utf8) else { continue }
        weight = Languages.weight(digits.dropFirst(2))
      }
      if isAny {
        // It says nothing of which: others are looked for first (RFC 4647 §3.4).
        takesAny = weight > 0
      } else if weight > 0 {
        let place = weights.firstIndex { $0 < weight } ?? weights.count
        weights.insert(weight, at: place)
        wanted.insert(Languages.lowercased(text.utf8), at: place)
      } else {
        refused.append(Languages.lowercased(text.utf8))
      }
    }
  }

  /// The first one that there is, as it is written there.
  ///
  /// - Parameter languages: those that the schema has texts in.
  func best(of languages: [String]) -> String {
    let all = Languages.own + languages
    let tags = all.map { Languages.lowercased($0.utf8) }
    for tag in wanted {
      if let place = Languages.place(of: tag, among: tags, without: refused) { return all[place] }
    }
    let others = takesAny ? tags.firstIndex { Languages.place(of: $0, among: refused) == nil } : nil
    return all[others ?? 0]
  }

  /// Whether texts that are asked for in a language come from one of these.
  static func has(_ tag: String, _ languages: [String]) -> Bool {
    place(of: lowercased(tag.utf8), among: languages.map { lowercased($0.utf8) }) != nil
  }

  /// Where a tag is found, looked up as RFC 4647 §3.4 has it: as it is, then without its last parts.
  private static func place(of tag: [UInt8], among tags: [[UInt8]], without refused: [[UInt8]] = []) -> Int? {
    let hyphen = UInt8(ascii: "-")
    var rest = tag
    while rest.count > 1 {
      if !refused.contains(rest), let place = tags.firstIndex(of: rest) { return place }
      rest.removeSubrange((rest.lastIndex(of: hyphen) ?? 0)...)
      // A single letter goes with what follows it.
      if rest.count > 2, rest[rest.count - 2] == hyphen { rest.removeLast(2) }
    }
    return nil
  }

  private static func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
  }

  /// The tag of what a program was given: one of BCP 47, or a locale of the system such as `de_AT.UTF-8`.
  ///
  /// - Throws: `.invalidArgument` if it is neither.
  static func tag(of locale: String) throws(StoreError) -> String {
    var tag: [UInt8] = []
    for byte in locale.utf8 {
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@") { break }
      tag.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
    }
    let text = String(decoding: tag, as: UTF8.self)
    if text.sameBytes(as: "C") || text.sameBytes(as: "POSIX") { return "en" }
    guard isTag(text) else {
      throw StoreError(.invalidArgument, "locale is `\(locale)`, and no tag of a language, such as `de` or `de-AT`")
    }
    return text
  }

  private static func weight(_ text: ArraySlice<UInt8>) -> Double {
    var weight = 0.0
    var place = 1.0
    for (index, byte) in text.enumerated() where (48...57).contains(byte) && index < 5 {
      weight += Double(byte - 48) * place
      place /= 10
    }
    return min(weight, 1)
  }

  /// Subtags between hyphens: 2 to 8 letters, or `i` or `x` before others, then 1 to 8 letters or digits each; 35 bytes at
  /// most.
  private static func isTag(_ text: String) -> Bool {
    guard text.utf8.count <= 35 else { return false }
    let isNamed = ["i-", "x-"].contains { text.after($0) != nil }
    for (index, part) in text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).enumerated() {
      guard (index == 0 && !isNamed ? 2...8 : 1...8).contains(part.count) else { return false }
      for byte in part {
        let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
        guard isLetter || index > 0 && (48...57).contains(byte) else { return false }
      }
    }
    return true
  }
}

import LiveryClient
import LiveryHTTP

/// The languages that a browser prefers, the best first: Accept-Language of RFC 9110 §12.5.4.
struct Languages {
  /// English if it names none.
  private(set) var best = "en"

  init(_ header: String) {
    var most = 0.0
    for part in header.utf8.split(separator: UInt8(ascii: ",")) {
      let pieces = part.split(separator: UInt8(ascii: ";"))
      guard let tag = pieces.first else { continue }
      let text = String(decoding: tag.filter { $0 != 32 && $0 != 9 }, as: UTF8.self)
      guard Languages.isTag(text) else { continue }
      var weight = 1.0
      for piece in pieces.dropFirst() {
        let digits = piece.filter { $0 != 32 && $0 != 9 }
        guard digits.starts(with: "q=".utf8) else { continue }
        weight = Languages.weight(digits.dropFirst(2))
      }
      if weight > most {
        most = weight
        best = text
      }
    }
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

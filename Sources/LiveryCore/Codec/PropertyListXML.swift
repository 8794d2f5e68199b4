/// Checks a property list in XML before libplist reads it.
///
/// libplist reads "abc" as the integer 0 and drops what it cannot use in dates and data; a bad number is better refused
/// than guessed. Here every element is checked, and the place of what is wrong is known.
enum PropertyListXML {
  /// The text as libplist may read it: what is no value is blank.
  static func check(
    _ text: [UInt8], skipsUnfit: Bool
  ) throws(StoreError) -> (text: [UInt8], unfit: [PropertyList.Unfit]) {
    let text = withLineFeeds(text)
    var checker = PropertyListXMLChecker(text: text, skipsUnfit: skipsUnfit)
    do throws(Misfit) {
      try checker.check()
      return (checker.text, checker.unfit)
    } catch {
      let location = Lines.location(of: checker.place, in: text)
      throw StoreError(
        .parse, "property list: \(error.reason) at line \(location.line), column \(location.column)", location: location
      )
    }
  }

  /// As XML 1.0, section 2.11, has the ends of lines read: each is a line feed.
  private static func withLineFeeds(_ text: [UInt8]) -> [UInt8] {
    let feed = UInt8(ascii: "\n")
    let back = UInt8(ascii: "\r")
    guard text.contains(back) else { return text }
    var fed: [UInt8] = []
    fed.reserveCapacity(text.count)
    for (index, byte) in text.enumerated() where byte != feed || index == 0 || text[index - 1] != back {
      fed.append(byte == back ? feed : byte)
    }
    return fed
  }

  /// What is wrong with the text of an element, or nil.
  static func complaint(about content: ArraySlice<UInt8>, in element: Element) -> StaticString? {
    var text = content
    while let first = text.first, isSpace(first) { text.removeFirst() }
    let untrimmed = text
    while let last = text.last, isSpace(last) { text.removeLast() }
    switch element {
    case .integer: return isInteger(text) ? nil : "not a whole number of 64 bits with a sign, without leading zeros"
    case .real:
      guard text.count < 500, Numbers.parseDouble(String(decoding: text, as: UTF8.self)) != nil else {
        return "not a finite number"
      }
      return nil
    case .date:
      // libplist ignores fractions and distances from UTC, and texts of 32 bytes and more.
      guard text.count == 20, untrimmed.count < 32, text.last == UInt8(ascii: "Z"),
        text[text.startIndex + 10] == UInt8(ascii: "T"),
        Timestamp(rfc3339: String(decoding: text, as: UTF8.self)) != nil
      else { return "not a date in the form 2026-01-31T12:00:00Z" }
      return nil
    case .data: return isBase64(text) ? nil : "not base64"
    case .truth: return text.isEmpty ? nil : "text in a truth value"
    default: return nil
    }
  }

  enum Element {
    case plist, dict, array, key, string, integer, real, date, data, truth

    init?(_ name: ArraySlice<UInt8>) {
      let names: [(StaticString, Element)] = [
        ("dict", .dict), ("key", .key), ("string", .string), ("integer", .integer), ("real", .real), ("array", .array),
        ("true", .truth), ("false", .truth), ("data", .data), ("date", .date), ("plist", .plist),
      ]
      for (text, element) in names where text.withUTF8Buffer({ $0.elementsEqual(name) }) {
        self = element
        return
      }
      return nil
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

  private static func isInteger(_ text: ArraySlice<UInt8>) -> Bool {
    var digits = text
    let negative = digits.first == UInt8(ascii: "-")
    if negative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    if digits.count > 2, digits.first == UInt8(ascii: "0"), digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
      let significant = digits.dropFirst(2).drop { $0 == UInt8(ascii: "0") }
      guard significant.count <= 16, digits.dropFirst(2).allSatisfy({ Hexadecimal.digit($0) != nil }) else {
        return false
      }
      let number = significant.reduce(UInt64(0)) { $0 << 4 | UInt64(Hexadecimal.digit($1) ?? 0) }
      return number <= UInt64(Int64.max) + (negative ? 1 : 0)
    }
    // libplist takes a leading zero for octal.
    guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return false }
    return Numbers.parseInt(String(decoding: text, as: UTF8.self)) != nil
  }

  private static func isBase64(_ text: ArraySlice<UInt8>) -> Bool {
    var count = 0
    var padding = 0
    for byte in text where !isSpace(byte) {
      switch byte {
      case UInt8(ascii: "="): padding += 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        guard padding == 0 else { return false }
      default: return false
      }
      count += 1
    }
    return count % 4 == 0 && padding <= 2
  }
}

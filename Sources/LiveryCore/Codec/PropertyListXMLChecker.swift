/// The walk over a property list in XML; see `PropertyListXML`.
struct PropertyListXMLChecker {
  /// The most bytes that libplist may move about to resolve entities: it moves the rest of a text for each.
  private static let maximumMoves: Int64 = 1 << 30
  /// The most keys of one dictionary in one bucket of libplist's table, whose chains it searches from end to end.
  private static let maximumChain = 1000
  /// libplist searches dictionaries of up to this many members without a table.
  private static let plainDictionary = 500

  private struct Level {
    var element: PropertyListXML.Element
    var hasKey = false
    var keys = ByteIndex()
    /// The last of them.
    var key = ""
    var count = 0
    var buckets: [UInt16] = []
  }

  private let skipsUnfit: Bool
  /// What is no value is made blank.
  private(set) var text: [UInt8]
  private(set) var unfit: [PropertyList.Unfit] = []
  private var lines = Lines()
  private var offset = 0
  /// Where the last thing looked at begins.
  private(set) var place = 0
  private var levels: [Level] = []
  private var count = 0
  private var moves: Int64 = 0
  private var hasRoot = false
  /// Of the text that was read last: libplist's hash, the text itself if it is a key's, and where it has a NUL.
  private var hash: UInt32 = 0
  private var key: [UInt8] = []
  private var isKey = false
  private var hasNUL = false

  init(text: [UInt8], skipsUnfit: Bool) {
    self.text = text
    self.skipsUnfit = skipsUnfit
  }

  mutating func check() throws(Misfit) {
    try checkCharacters()
    while true {
      skipSpace()
      place = offset
      guard offset < text.count else { break }
      guard text[offset] == UInt8(ascii: "<") else { throw Misfit("text outside of an element") }
      if next("<?") {
        try processingInstruction()
      } else if next("<!--") {
        try comment()
      } else if next("<!DOCTYPE") {
        try documentType()
      } else if next("</") {
        try close()
      } else {
        try open()
      }
    }
    guard levels.isEmpty else { throw Misfit("an element is not closed") }
    guard hasRoot else { throw Misfit("no <plist>") }
  }

  private mutating func checkCharacters() throws(Misfit) {
    for mark: [UInt8] in [[0xff, 0xfe], [0xfe, 0xff], [0x3c, 0x00], [0x00, 0x3c]] where text.starts(with: mark) {
      throw Misfit("UTF-16; save it as UTF-8")
    }
    try checkEncoding()
    var decoder = UTF8()
    while place < text.count {
      let byte = text[place]
      if byte < 0x80 {
        guard byte >= 0x20 || PropertyListXML.isSpace(byte) else { throw Misfit("a control character") }
        place += 1
      } else {
        var bytes = text[place...].prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { throw Misfit("bytes that are not UTF-8") }
        decoder = UTF8()
        place += UTF8.width(scalar)
      }
    }
    place = 0
  }

  /// Looks at the declaration, if there is one.
  private func checkEncoding() throws(Misfit) {
    guard text.starts(with: "<?xml".utf8), let end = text.firstIndex(of: UInt8(ascii: ">")),
      let encoding = Self.encoding(of: text[..<end])
    else { return }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(where: { $0.sameBytes(as: encoding) }) else {
      throw Misfit("the encoding is `\(truncated(encoding, to: 40))`; save it as UTF-8")
    }
  }

  /// What leads to the value that is read.
  private var path: [String] {
    levels.dropFirst().map { $0.element == .dict ? $0.key : String($0.count - 1) }
  }

  /// Skips a value that is none, or refuses the whole for it.
  private mutating func refuse(_ reason: String, blank content: Range<Int>) throws(Misfit) {
    guard skipsUnfit, unfit.count < PropertyList.maximumUnfit else { throw Misfit(reason) }
    let location = lines.location(of: place, in: text)
    unfit.append(
      PropertyList.Unfit(path: path, reason: "\(reason) at line \(location.line), column \(location.column)"))
    for index in content { text[index] = 0x20 }
  }

  private func next(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { text[offset...].starts(with: $0) }
  }

  private mutating func skipSpace() {
    while offset < text.count, PropertyListXML.isSpace(text[offset]) { offset += 1 }
  }

  /// Moves past the next occurrence of the word.
  private mutating func skip(past word: StaticString, missing: StaticString) throws(Misfit) {
    while offset < text.count {
      if next(word) {
        offset += word.utf8CodeUnitCount
        return
      }
      offset += 1
    }
    throw Misfit("\(missing)")
  }

  private mutating func comment() throws(Misfit) {
    offset += 4
    try skip(past: "-->", missing: "a comment without an end")
  }

  /// Moves to the next of the characters outside of double quotes.
  private mutating func find(_ isWanted: (UInt8) -> Bool) throws(Misfit) {
    while offset < text.count, !isWanted(text[offset]) {
      if text[offset] == UInt8(ascii: "\"") {
        offset += 1
        while offset < text.count, text[offset] != UInt8(ascii: "\"") { offset += 1 }
      }
      offset += 1
    }
    guard offset < text.count else { throw Misfit("a tag without an end") }
  }

  private mutating func processingInstruction() throws(Misfit) {
    repeat {
      offset += 1
      try find { $0 == UInt8(ascii: "?") }
    } while !next("?>")
    offset += 2
  }

  /// The encoding that an XML declaration names, in lower case.
  private static func encoding(of declaration: ArraySlice<UInt8>) -> String? {
    var rest = declaration
    let word = Array("encoding".utf8)
    while !rest.isEmpty, !rest.starts(with: word) { rest.removeFirst() }
    let quotes = rest.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    guard quotes.count >= 3 else { return nil }
    return String(decoding: quotes[1].map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private mutating func documentType() throws(Misfit) {
    offset += 9
    try find { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ">") }
    guard text[offset] != UInt8(ascii: "[") else { throw Misfit("declarations inside DOCTYPE are not allowed") }
    offset += 1
  }

  private mutating func open() throws(Misfit) {
    offset += 1
    let start = offset
    while offset < text.count, !PropertyListXML.isSpace(text[offset]), text[offset] != UInt8(ascii: "<"),
      text[offset] != UInt8(ascii: ">")
    {
      offset += 1
    }
    var name = text[start..<offset]
    try find { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
    guard text[offset] == UInt8(ascii: ">") else { throw Misfit("a tag without an end") }
    let isEmpty = text[offset - 1] == UInt8(ascii: "/")
    if name.last == UInt8(ascii: "/") { name.removeLast() }
    offset += 1
    guard let element = PropertyListXML.Element(name) else {
      throw Misfit("the element `\(truncated(String(decoding: name, as: UTF8.self), to: 40))` is unknown")
    }
    try checkPlace(of: element)
    count += 1
    guard count <= PropertyList.maximumCount else { throw Misfit("more than \(PropertyList.maximumCount) elements") }
    switch element {
    case .plist, .dict, .array:
      if isEmpty {
        guard element != .plist else { throw Misfit("no value in <plist>") }
        return
      }
      guard levels.count < PropertyList.maximumNesting else {
        throw Misfit("nested deeper than \(PropertyList.maximumNesting) levels")
      }
      levels.append(Level(element: element))
    case .string:
      guard !isEmpty else { return }
      try content(name: name)
      if hasNUL { try refuse("the text contains a NUL", blank: 0..<0) }
    case .key:
      // libplist takes <key></key> and not this, which would leave the reason to guess.
      guard !isEmpty else { throw Misfit("a <key/> without text") }
      try key(name: name)
    default:
      let content = isEmpty ? offset..<offset : try plainContent(name: name)
      guard let complaint = PropertyListXML.complaint(about: text[content], in: element) else { return }
      guard element != .truth else { throw Misfit("\(complaint)") }
      try refuse("\(complaint)", blank: content)
    }
  }

  private mutating func checkPlace(of element: PropertyListXML.Element) throws(Misfit) {
    guard let last = levels.indices.last else {
      guard element == .plist, !hasRoot else { throw Misfit("an element outside of <plist>") }
      hasRoot = true
      return
    }
    switch levels[last].element {
    case .dict:
      guard (element == .key) != levels[last].hasKey else {
        throw Misfit(element == .key ? "a <key> without a value before this one" : "a value without a <key>")
      }
      levels[last].hasKey = element == .key
    case .plist where levels[last].count > 0: throw Misfit("more than one value in <plist>")
    default:
      guard element != .key else { throw Misfit("a <key> outside of a dictionary") }
    }
    guard element != .plist else { throw Misfit("<plist> inside <plist>") }
    levels[last].count += 1
  }

  private mutating func close() throws(Misfit) {
    offset += 2
    let start = offset
    try find { $0 == UInt8(ascii: ">") }
    var name = text[start..<offset]
    offset += 1
    while let last = name.last, PropertyListXML.isSpace(last) { name.removeLast() }
    guard let last = levels.last, let element = PropertyListXML.Element(name), element == last.element else {
      throw Misfit("the closing tag matches no opening one")
    }
    guard !last.hasKey else { throw Misfit("the last <key> has no value") }
    guard element != .plist || last.count == 1 else { throw Misfit("no value in <plist>") }
    levels.removeLast()
  }

  /// The text of an element that holds nothing but text, and its closing tag.
  private mutating func plainContent(name: ArraySlice<UInt8>) throws(Misfit) -> Range<Int> {
    let start = offset
    while offset < text.count, text[offset] != UInt8(ascii: "<") { offset += 1 }
    let content = start..<offset
    guard next("</") else { throw Misfit("something else than text in an element of text") }
    try closeText(name: name)
    return content
  }

  private mutating func closeText(name: ArraySlice<UInt8>) throws(Misfit) {
    offset += 2
    guard text[offset...].starts(with: name) else { throw Misfit("the closing tag does not match") }
    offset += name.count
    skipSpace()
    guard offset < text.count, text[offset] == UInt8(ascii: ">") else { throw Misfit("the closing tag does not match") }
    offset += 1
  }

  /// Passes over text with entities, comments and CDATA.
  private mutating func content(name: ArraySlice<UInt8>) throws(Misfit) {
    hash = 5381
    hasNUL = false
    key.removeAll(keepingCapacity: true)
    var start = offset
    var entities = 0
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: "&"):
        entities += 1
        for byte in String(try entity()).utf8 { take(byte) }
        continue
      case UInt8(ascii: "<"):
        moves += Int64(entities) * Int64(offset - start)
        guard moves <= Self.maximumMoves else { throw Misfit("too many entities in one text") }
        if next("</") { return try closeText(name: name) }
        if next("<!--") {
          try comment()
        } else if next("<![CDATA[") {
          offset += 9
          let first = offset
          try skip(past: "]]>", missing: "CDATA without an end")
          for index in first..<(offset - 3) { take(text[index]) }
        } else {
          throw Misfit("an element inside text")
        }
        start = offset
        entities = 0
        continue
      default: take(text[offset])
      }
      offset += 1
    }
    throw Misfit("an element is not closed")
  }

  private mutating func take(_ byte: UInt8) {
    hash = hash &* 33 &+ UInt32(truncatingIfNeeded: CChar(truncatingIfNeeded: byte))
    if isKey { key.append(byte) }
  }

  private mutating func entity() throws(Misfit) -> Unicode.Scalar {
    let start = offset
    place = start
    guard let end = text[offset...].prefix(10).firstIndex(of: UInt8(ascii: ";")) else {
      throw Misfit("an unknown entity")
    }
    let name = String(decoding: text[(offset + 1)..<end], as: UTF8.self)
    offset = end + 1
    if name.sameBytes(as: "amp") { return "&" }
    if name.sameBytes(as: "lt") { return "<" }
    if name.sameBytes(as: "gt") { return ">" }
    if name.sameBytes(as: "quot") { return "\"" }
    if name.sameBytes(as: "apos") { return "'" }
    var digits = name.utf8[...]
    guard digits.popFirst() == UInt8(ascii: "#") else { throw Misfit("an unknown entity") }
    var base: UInt32 = 10
    if digits.first == UInt8(ascii: "x") {
      digits.removeFirst()
      base = 16
    }
    var number: UInt32 = 0
    for digit in digits {
      guard let digit = Hexadecimal.digit(digit), digit < base else { throw Misfit("an unknown entity") }
      number = number * base + UInt32(digit)
    }
    guard !digits.isEmpty, let scalar = Unicode.Scalar(number) else { throw Misfit("an unknown entity") }
    guard number != 0 else {
      guard !isKey else { throw Misfit("a <key> that contains a NUL") }
      hasNUL = true
      for index in start..<offset { text[index] = 0x20 }
      return " "
    }
    return scalar
  }

  private mutating func key(name: ArraySlice<UInt8>) throws(Misfit) {
    let start = place
    isKey = true
    try content(name: name)
    isKey = false
    place = start
    guard let last = levels.indices.last else { return }
    levels[last].key = String(decoding: key, as: UTF8.self)
    guard levels[last].keys.insert(key).isNew else {
      throw Misfit("the key `\(truncated(levels[last].key, to: 80))` is there twice")
    }
    guard levels[last].count > Self.plainDictionary else { return }
    let bucket = Int(hash & 0xfff)
    if levels[last].buckets.isEmpty { levels[last].buckets = [UInt16](repeating: 0, count: 4096) }
    levels[last].buckets[bucket] += 1
    guard levels[last].buckets[bucket] <= Self.maximumChain else {
      throw Misfit("too many keys of one dictionary are alike to its table")
    }
  }
}

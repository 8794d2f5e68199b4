extension ImageFacts {
  /// SVG: the start tag of the root element; nil if the bytes are no XML with the root `svg`.
  static func svg(_ header: HeaderBytes) throws(StoreError) -> ImageFacts? {
    var scanner = SVGScanner(header)
    guard scanner.findRoot() else { return nil }
    while try scanner.nextAttribute() {}
    let box = scanner.box
    let width: Double
    let height: Double
    switch (scanner.width, scanner.height, box) {
    case (let w?, let h?, _): (width, height) = (w, h)
    case (let w?, nil, let box?): (width, height) = (w, w * box.height / box.width)
    case (nil, let h?, let box?): (width, height) = (h * box.width / box.height, h)
    case (nil, nil, let box?): (width, height) = (box.width, box.height)
    // No size of its own: it takes what there is.
    default: return ImageFacts(.svg, width: 0, height: 0)
    }
    return ImageFacts(.svg, width: try pixels(width), height: try pixels(height))
  }

  private static func pixels(_ length: Double) throws(StoreError) -> Int {
    guard length > 0, length < 2_147_483_648 else { throw MediaType.svg.broken("its size is beyond 2³¹ − 1 pixels") }
    return max(1, Int(length.rounded()))
  }
}

/// Finds the root element of an XML document and walks its attributes. Nothing is expanded, no document type is read, and
/// nothing is looked at beyond the first 64 KiB.
private struct SVGScanner {
  private let header: HeaderBytes
  private let end: Int
  private var offset = 0
  /// In pixels; nil if missing or relative to something else.
  private(set) var width, height: Double?
  private(set) var box: (width: Double, height: Double)?

  private static let limit = 65_536

  init(_ header: HeaderBytes) {
    self.header = header
    end = min(header.count, Self.limit)
  }

  /// Whether there is a root `svg`; then the offset is behind its name.
  mutating func findRoot() -> Bool {
    if header.bigEndian(0, 3) == 0xEFBBBF { offset = 3 }
    while true {
      skipSpace()
      guard offset < end, header.byte(offset) == UInt8(ascii: "<") else { return false }
      if header.begins(with: "<?", at: offset) {
        guard skip(past: "?>") else { return false }
      } else if header.begins(with: "<!--", at: offset) {
        offset += 4
        guard skip(past: "-->") else { return false }
      } else if header.begins(with: "<!DOCTYPE", at: offset) {
        guard skipDocumentType() else { return false }
      } else {
        break
      }
    }
    offset += 1
    let start = offset
    var local = start
    while isName(header.byte(offset)) {
      offset += 1
      if header.byte(offset - 1) == UInt8(ascii: ":") { local = offset }
    }
    return offset - local == 3 && header.begins(with: "svg", at: local)
  }

  /// Reads an attribute, and keeps it if it tells the size; false behind the last one.
  mutating func nextAttribute() throws(StoreError) -> Bool {
    let before = offset
    skipSpace()
    if header.byte(offset) == UInt8(ascii: ">") || header.begins(with: "/>", at: offset) { return false }
    let start = offset
    while isName(header.byte(offset)) { offset += 1 }
    let name = start..<offset
    skipSpace()
    guard offset < end else { throw cutShort }
    guard before < start, !name.isEmpty, header.byte(offset) == UInt8(ascii: "=") else {
      throw MediaType.svg.broken("the attributes of its root are malformed, at byte \(offset)")
    }
    offset += 1
    skipSpace()
    let quote = header.byte(offset)
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      guard offset < end else { throw cutShort }
      throw MediaType.svg.broken("an attribute of its root has no quotes, at byte \(offset)")
    }
    offset += 1
    let valueStart = offset
    while offset < end, header.byte(offset) != quote { offset += 1 }
    guard offset < end else { throw cutShort }
    try take(name, valueStart..<offset)
    offset += 1
    return true
  }

  private var cutShort: StoreError {
    header.count > Self.limit
      ? MediaType.svg.broken("the start tag of its root does not end within 65,536 bytes")
      : MediaType.svg.cutShort("the start tag of its root", header)
  }

  private mutating func take(_ name: Range<Int>, _ value: Range<Int>) throws(StoreError) {
    if name.count == 5, header.begins(with: "width", at: name.lowerBound) {
      width = try length("width", value)
    } else if name.count == 6, header.begins(with: "height", at: name.lowerBound) {
      height = try length("height", value)
    } else if name.count == 7, header.begins(with: "viewBox", at: name.lowerBound) {
      box = try viewBox(value)
    }
  }

  /// A length in pixels of CSS, 96 to the inch; nil if it is relative.
  private func length(_ name: StaticString, _ value: Range<Int>) throws(StoreError) -> Double? {
    var position = skipSpace(value.lowerBound, value.upperBound)
    var last = value.upperBound
    while last > position, isSpace(header.byte(last - 1)) { last -= 1 }
    if last - position == 4, header.begins(with: "auto", at: position) { return nil }
    guard let number = number(&position, last) else { throw malformed(name, value) }
    guard number > 0 else { throw MediaType.svg.broken("its \(name) is not above 0") }
    let unit = header.text(position..<last)
    for (name, pixels) in Self.units where name.sameBytes(as: unit) { return pixels > 0 ? number * pixels : nil }
    throw malformed(name, value)
  }

  private static let units: [(String, Double)] = [
    ("", 1), ("px", 1), ("in", 96), ("cm", 96 / 2.54), ("mm", 96 / 25.4), ("Q", 96 / 101.6), ("pt", 96.0 / 72),
    ("pc", 16),
    ("%", 0), ("em", 0), ("ex", 0), ("ch", 0), ("rem", 0), ("vw", 0), ("vh", 0), ("vmin", 0), ("vmax", 0),
  ]

  private func viewBox(_ value: Range<Int>) throws(StoreError) -> (Double, Double) {
    var position = value.lowerBound
    var numbers: [Double] = []
    for _ in 0..<4 {
      position = skipSpace(position, value.upperBound)
      if !numbers.isEmpty, header.byte(position) == UInt8(ascii: ",") {
        position = skipSpace(position + 1, value.upperBound)
      }
      guard let number = number(&position, value.upperBound) else { throw malformed("viewBox", value) }
      numbers.append(number)
    }
    guard skipSpace(position, value.upperBound) == value.upperBound else { throw malformed("viewBox", value) }
    guard numbers[2] > 0, numbers[3] > 0 else { throw MediaType.svg.broken("its viewBox is empty") }
    return (numbers[2], numbers[3])
  }

  private func malformed(_ name: StaticString, _ value: Range<Int>) -> StoreError {
    MediaType.svg.broken("its \(name) is `\(truncated(header.text(value), to: 40))`, which is no such size")
  }

  /// A finite number at `position`, which moves behind it. Its text is bounded.
  private func number(_ position: inout Int, _ end: Int) -> Double? {
    let start = position
    func skipDigits() {
      while position < end, header.byte(position) >= 0x30, header.byte(position) <= 0x39 { position += 1 }
    }
    func skipSign() {
      if position < end, header.byte(position) == UInt8(ascii: "-") || header.byte(position) == UInt8(ascii: "+") {
        position += 1
      }
    }
    skipSign()
    skipDigits()
    if position < end, header.byte(position) == UInt8(ascii: ".") {
      position += 1
      skipDigits()
    }
    // An exponent, unless the letter begins a unit.
    let mantissa = position
    if position < end, header.byte(position) | 0x20 == UInt8(ascii: "e") {
      position += 1
      skipSign()
      let digits = position
      skipDigits()
      if digits == position { position = mantissa }
    }
    guard position - start <= 64 else { return nil }
    return Numbers.parseDouble(header.text(start..<position))
  }

  private mutating func skipDocumentType() -> Bool {
    var quote: UInt8 = 0
    var depth = 0
    while offset < end {
      let byte = header.byte(offset)
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if header.begins(with: "<!--", at: offset) {
        offset += 4
        guard skip(past: "-->") else { return false }
        continue
      } else {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "["), UInt8(ascii: "<"): depth += 1
        case UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ">"):
          depth -= 1
          if depth == 0 {
            offset += 1
            return true
          }
        default: break
        }
      }
      offset += 1
    }
    return false
  }

  private mutating func skip(past text: StaticString) -> Bool {
    while offset < end, !header.begins(with: text, at: offset) { offset += 1 }
    offset += text.utf8CodeUnitCount
    return offset < end
  }

  private mutating func skipSpace() {
    offset = skipSpace(offset, end)
  }

  private func skipSpace(_ start: Int, _ end: Int) -> Int {
    var position = start
    while position < end, isSpace(header.byte(position)) { position += 1 }
    return position
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B && byte != 0x0C)
  }

  /// Whether a byte can be part of a name; those beyond ASCII are.
  private func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...: true
    default: false
    }
  }
}

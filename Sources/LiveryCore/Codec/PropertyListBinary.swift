/// Checks a binary property list before libplist reads it.
///
/// Its objects refer to each other by number. libplist copies an object each time that it is referred to, so that a few
/// hundred bytes can stand for more values than memory holds; it also cuts text at a NUL and leaves out what is no UTF-16.
enum PropertyListBinary {
  /// The most bytes that text and data may take once every reference is followed.
  private static let maximumExpansion = 128 << 20

  /// Why an object is no value, by the number of the UID that stands in its place.
  private static let reasons = [
    "a UID of a keyed archive is no value", "an integer does not fit into 64 bits with a sign",
    "the text is no UTF-16, or contains a NUL",
  ]

  static func reason(_ number: UInt64) -> String { reasons[number < reasons.count ? Int(number) : 0] }

  /// A list that libplist may read, with what that costs. Objects that are no values are UIDs in it.
  struct Checked {
    var bytes: [UInt8]
    var values: Int
    /// Of text and data.
    var contentSize: Int
  }

  static func check(_ bytes: [UInt8]) throws(StoreError) -> Checked {
    do throws(Misfit) {
      var checker = try Checker(bytes)
      var cost = try checker.check()
      if checker.hasReplaced {
        // Objects may overlap: what one was replaced by may have changed another.
        checker = try Checker(checker.bytes, lastReason: UInt8(reasons.count - 1))
        cost = try checker.check()
        guard !checker.hasReplaced else { throw Misfit("objects overlap") }
      }
      return Checked(bytes: checker.bytes, values: cost.values, contentSize: cost.bytes)
    } catch {
      throw StoreError(.parse, "the binary property list is malformed: \(error.reason)")
    }
  }

  private struct Checker {
    private(set) var bytes: [UInt8]
    /// Whether an object was no value, and a UID took its place.
    private(set) var hasReplaced = false
    /// UIDs up to this number tell why an object is no value.
    private let lastReason: UInt8
    let offsetSize: Int
    let referenceSize: Int
    let count: Int
    let root: Int
    let table: Int
    /// Of each object already looked at, with all that it refers to.
    var costs: [Cost?]

    struct Cost {
      var values: Int
      var bytes: Int
      var height: Int
    }

    init(_ bytes: [UInt8], lastReason: UInt8 = 0) throws(Misfit) {
      guard bytes.count >= 8 + 32, bytes.starts(with: Array("bplist00".utf8)) else {
        throw Misfit("it is cut short, or of an unknown version")
      }
      self.bytes = bytes
      self.lastReason = lastReason
      let trailer = bytes.count - 32
      offsetSize = Int(bytes[trailer + 6])
      referenceSize = Int(bytes[trailer + 7])
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
        let count = Checker.number(bytes, trailer + 8, 8), let root = Checker.number(bytes, trailer + 16, 8),
        let table = Checker.number(bytes, trailer + 24, 8),
        count >= 1, count <= bytes.count, root < count, table >= 8, table <= trailer,
        count * offsetSize <= trailer - table
      else { throw Misfit("the trailer makes no sense") }
      self.count = count
      self.root = root
      self.table = table
      costs = [Cost?](repeating: nil, count: count)
    }

    mutating func check() throws(Misfit) -> Cost {
      try cost(of: root, depth: 0)
    }

    private mutating func cost(of object: Int, depth: Int) throws(Misfit) -> Cost {
      // A reference to an object that contains it never ends, and so meets this limit.
      guard depth <= PropertyList.maximumNesting else {
        throw Misfit("nested deeper than \(PropertyList.maximumNesting) levels")
      }
      if let known = costs[object] {
        guard depth + known.height <= PropertyList.maximumNesting else {
          throw Misfit("nested deeper than \(PropertyList.maximumNesting) levels")
        }
        return known
      }
      guard let start = Checker.number(bytes, table + object * offsetSize, offsetSize), start >= 8, start < table else {
        throw Misfit("an object is out of range")
      }
      let cost = try costOfObject(at: start, depth: depth)
      guard cost.values <= PropertyList.maximumCount else {
        throw Misfit("more than \(PropertyList.maximumCount) values")
      }
      guard cost.bytes <= maximumExpansion else { throw Misfit("more than \(maximumExpansion) bytes of text and data") }
      costs[object] = cost
      return cost
    }

    private mutating func costOfObject(at start: Int, depth: Int) throws(Misfit) -> Cost {
      let low = Int(bytes[start] & 15)
      var cost = Cost(values: 1, bytes: 0, height: 0)
      switch bytes[start] >> 4 {
      case 0x0: break
      case 0x1:
        guard low <= 4, start + 1 + (1 << low) <= table else { throw Misfit("an integer is out of range") }
        if low == 4, !isNarrow(start + 1) { replace(start, 1) }
      case 0x2:
        guard low == 2 || low == 3, start + 1 + (1 << low) <= table else { throw Misfit("a number is out of range") }
      case 0x3:
        guard low == 3, start + 9 <= table else { throw Misfit("a date is out of range") }
      case 0x8:
        guard low <= 7, start + 2 + low <= table else { throw Misfit("a UID is out of range") }
        if low > 0 || bytes[start + 1] > lastReason { replace(start, 0) }
      case 0x4: cost.bytes = try run(start, unit: 1).count
      case 0x5:
        let text = try run(start, unit: 1)
        if bytes[text].contains(0) { replace(start, 2) }
        cost.bytes = text.count
      case 0x6:
        let text = try run(start, unit: 2)
        if !isUTF16(text) { replace(start, 2) }
        cost.bytes = text.count * 2
      case 0xa: try add(references: run(start, unit: referenceSize), to: &cost, depth: depth)
      case 0xd:
        let references = try run(start, unit: referenceSize * 2)
        try add(references: references, to: &cost, depth: depth)
        try checkKeys(references.prefix(references.count / 2))
      default: throw Misfit("an unknown type of object")
      }
      return cost
    }

    private mutating func add(references: Range<Int>, to cost: inout Cost, depth: Int) throws(Misfit) {
      for place in stride(from: references.lowerBound, to: references.upperBound, by: referenceSize) {
        guard let object = Checker.number(bytes, place, referenceSize), object < count else {
          throw Misfit("a reference is out of range")
        }
        let part = try self.cost(of: object, depth: depth + 1)
        cost.values += part.values
        cost.bytes += part.bytes
        cost.height = max(cost.height, part.height + 1)
        guard cost.values <= PropertyList.maximumCount else {
          throw Misfit("more than \(PropertyList.maximumCount) values")
        }
        guard cost.bytes <= maximumExpansion else {
          throw Misfit("more than \(maximumExpansion) bytes of text and data")
        }
      }
    }

    /// The bytes of an object with a length.
    private func run(_ start: Int, unit: Int) throws(Misfit) -> Range<Int> {
      var first = start + 1
      var length = Int(bytes[start] & 15)
      if length == 15 {
        guard first < table, bytes[first] >> 4 == 1, bytes[first] & 15 <= 3 else {
          throw Misfit("a length is malformed")
        }
        let size = 1 << Int(bytes[first] & 15)
        guard first + 1 + size <= table, let long = Checker.number(bytes, first + 1, size) else {
          throw Misfit("a length is out of range")
        }
        length = long
        first += 1 + size
      }
      guard length <= (table - first) / unit else { throw Misfit("a length is out of range") }
      return first..<(first + length * unit)
    }

    private mutating func replace(_ start: Int, _ reason: UInt8) {
      bytes[start] = 0x80
      bytes[start + 1] = reason
      hasReplaced = true
    }

    private func checkKeys(_ references: Range<Int>) throws(Misfit) {
      for place in stride(from: references.lowerBound, to: references.upperBound, by: referenceSize) {
        guard let object = Checker.number(bytes, place, referenceSize), object < count,
          let start = Checker.number(bytes, table + object * offsetSize, offsetSize), start < table
        else { throw Misfit("a reference is out of range") }
        guard bytes[start] >> 4 == 5 || bytes[start] >> 4 == 6 else {
          throw Misfit("a key is no text, or contains a NUL")
        }
      }
    }

    /// Integers of 16 bytes are those that do not fit into 8 with a sign, so only the needlessly long ones are of use.
    private func isNarrow(_ start: Int) -> Bool {
      let isNegative = bytes[start + 8] & 0x80 != 0
      return bytes[start..<(start + 8)].allSatisfy { $0 == (isNegative ? 0xff : 0) }
    }

    /// Whether it is UTF-16 without a NUL.
    private func isUTF16(_ text: Range<Int>) -> Bool {
      var isHigh = false
      for place in stride(from: text.lowerBound, to: text.upperBound, by: 2) {
        let unit = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        guard (unit & 0xfc00 == 0xdc00) == isHigh, unit != 0 else { return false }
        isHigh = unit & 0xfc00 == 0xd800
      }
      return !isHigh
    }

    /// A number, the highest byte first; nil if it is larger than any offset.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
      guard start >= 0, start + size <= bytes.count else { return nil }
      var number: UInt64 = 0
      for byte in bytes[start..<(start + size)] { number = number << 8 | UInt64(byte) }
      return number <= UInt64(UInt32.max) ? Int(number) : nil
    }
  }
}

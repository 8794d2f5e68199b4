/// Finds where values of a JSON document stand in its text.
public enum JSONLocator {
  /// Where the value begins that a JSON pointer (RFC 6901) names or, with `key`, that member's key; nil if there is none.
  ///
  /// The text is one that `JSON.parse` has read.
  public static func locate(_ pointer: String, in text: [UInt8], key: Bool = false) -> StoreError.Location? {
    locate([(pointer: pointer, key: key)], in: text)[0]
  }

  /// The places of many values, in one pass over the text.
  public static func locate(
    _ pointers: [(pointer: String, key: Bool)], in text: [UInt8]
  ) -> [StoreError.Location?] {
    var wanted = Wanted()
    for (index, entry) in pointers.enumerated() { wanted.add(entry.pointer, key: entry.key, index: index) }
    var scanner = Scanner(text: text, wanted: wanted, count: pointers.count)
    scanner.scan()
    return scanner.found
  }
}

/// Lines and columns of places that come in the order of the text, at no more than one pass over it.
struct Lines {
  private var offset = 0
  private var line = 1
  private var column = 1

  mutating func location(of place: Int, in text: [UInt8]) -> StoreError.Location {
    while offset < place, offset < text.count {
      if text[offset] == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if text[offset] & 0xc0 != 0x80 {
        column += 1
      }
      offset += 1
    }
    return StoreError.Location(line: line, column: column)
  }

  static func location(of place: Int, in text: [UInt8]) -> StoreError.Location {
    var lines = Lines()
    return lines.location(of: place, in: text)
  }
}

/// The pointers looked for, as a tree of their tokens.
private struct Wanted {
  struct Node {
    private var tokens = ByteIndex()
    private var children: [Int] = []
    var values: [Int] = []
    var keys: [Int] = []

    var isLeaf: Bool { children.isEmpty }

    func child(_ token: [UInt8]) -> Int? { tokens.number(of: token).map { children[$0] } }

    mutating func add(_ token: [UInt8], _ child: Int) {
      if tokens.insert(token).isNew { children.append(child) }
    }
  }

  var nodes = [Node()]

  mutating func add(_ pointer: String, key: Bool, index: Int) {
    var place = 0
    let bytes = Array(pointer.utf8)
    guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else { return }
    if !bytes.isEmpty {
      for token in bytes[1...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        let plain = Wanted.unescaped(token)
        if let child = nodes[place].child(plain) {
          place = child
        } else {
          nodes.append(Node())
          nodes[place].add(plain, nodes.count - 1)
          place = nodes.count - 1
        }
      }
    }
    if key { nodes[place].keys.append(index) } else { nodes[place].values.append(index) }
  }

  private static func unescaped(_ token: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    var escaped = false
    for byte in token {
      if escaped {
        out.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
        escaped = false
      } else if byte == UInt8(ascii: "~") {
        escaped = true
      } else {
        out.append(byte)
      }
    }
    return out
  }
}

private struct Scanner {
  let text: [UInt8]
  let wanted: Wanted
  var found: [StoreError.Location?]

  private struct Level {
    /// The node of the pointers' tree that the array or object is, if one is looked for inside it.
    var node: Int?
    var isArray: Bool
    var index = 0
  }

  private var levels: [Level] = []
  private var offset = 0
  private var lines = Lines()
  /// The node of the value that comes next.
  private var next: Int? = 0
  private var expectsKey = false

  init(text: [UInt8], wanted: Wanted, count: Int) {
    self.text = text
    self.wanted = wanted
    found = [StoreError.Location?](repeating: nil, count: count)
  }

  mutating func scan() {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x0a, 0x0d, 0x09, UInt8(ascii: ":"): offset += 1
      case UInt8(ascii: ","):
        offset += 1
        afterComma()
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        offset += 1
        guard !levels.isEmpty else { return }
        levels.removeLast()
        expectsKey = false
      case UInt8(ascii: "\"") where expectsKey: key()
      default: value()
      }
    }
  }

  private mutating func afterComma() {
    guard !levels.isEmpty else { return }
    let last = levels.count - 1
    if levels[last].isArray {
      levels[last].index += 1
      next = item(of: levels[last])
    } else {
      expectsKey = true
    }
  }

  private func item(of level: Level) -> Int? {
    guard let node = level.node, !wanted.nodes[node].isLeaf else { return nil }
    return wanted.nodes[node].child(Array(String(level.index).utf8))
  }

  private mutating func key() {
    let start = offset
    skipString()
    expectsKey = false
    next = nil
    guard let node = levels.last?.node, !wanted.nodes[node].isLeaf, offset - start >= 2 else { return }
    let name = Scanner.unescaped(text[(start + 1)..<(offset - 1)])
    guard let child = wanted.nodes[node].child(name) else { return }
    next = child
    if !wanted.nodes[child].keys.isEmpty {
      let location = lines.location(of: start, in: text)
      for index in wanted.nodes[child].keys { found[index] = location }
    }
  }

  private mutating func value() {
    if let node = next, !wanted.nodes[node].values.isEmpty {
      let location = lines.location(of: offset, in: text)
      for index in wanted.nodes[node].values { found[index] = location }
    }
    switch text[offset] {
    case UInt8(ascii: "["):
      let level = Level(node: next, isArray: true)
      levels.append(level)
      next = item(of: level)
      offset += 1
    case UInt8(ascii: "{"):
      levels.append(Level(node: next, isArray: false))
      next = nil
      expectsKey = true
      offset += 1
    case UInt8(ascii: "\""):
      next = nil
      skipString()
    default:
      next = nil
      offset += 1
    }
  }

  private mutating func skipString() {
    offset += 1
    while offset < text.count, text[offset] != UInt8(ascii: "\"") {
      offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, text.count)
  }

  /// A key without its escapes.
  private static func unescaped(_ key: ArraySlice<UInt8>) -> [UInt8] {
    guard key.contains(UInt8(ascii: "\\")) else { return Array(key) }
    var out: [UInt8] = []
    var index = key.startIndex
    var surrogate: UInt32?
    while index < key.endIndex {
      guard key[index] == UInt8(ascii: "\\"), index + 1 < key.endIndex else {
        out.append(key[index])
        index += 1
        continue
      }
      let escape = key[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): out.append(8)
      case UInt8(ascii: "f"): out.append(12)
      case UInt8(ascii: "n"): out.append(10)
      case UInt8(ascii: "r"): out.append(13)
      case UInt8(ascii: "t"): out.append(9)
      case UInt8(ascii: "u"):
        var unit: UInt32 = 0
        for digit in key[index...].prefix(4) { unit = unit << 4 | UInt32(Hexadecimal.digit(digit) ?? 0) }
        index = min(index + 4, key.endIndex)
        if unit & 0xfc00 == 0xd800 {
          surrogate = unit
          continue
        }
        if let high = surrogate, unit & 0xfc00 == 0xdc00 {
          unit = 0x10000 + (high & 0x3ff) << 10 + unit & 0x3ff
        }
        surrogate = nil
        if let scalar = Unicode.Scalar(unit) { out.append(contentsOf: String(scalar).utf8) }
      default: out.append(escape)
      }
    }
    return out
  }
}

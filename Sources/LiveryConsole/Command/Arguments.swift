import CConsole
import LiveryClient
import LiveryHTTP

/// What the program was told: words, and options behind them or between them.
struct Arguments {
  private(set) var words: [String] = []
  private var options: [(name: String, value: String)] = []
  /// What is wrong with them.
  private(set) var problem: String?

  /// Options that take no value.
  private static let flags = ["json", "help", "version", "behind-proxy", "none", "publish-again"]

  init(_ given: [String]) {
    var rest = given[...]
    // It knows its options itself.
    if given.first?.sameBytes(as: "simulate") == true {
      words = given
      return
    }
    while let word = rest.popFirst() {
      if word.sameBytes(as: "-h") {
        options.append((name: "help", value: ""))
        continue
      }
      guard let option = word.after("--") else {
        words.append(word)
        continue
      }
      // What follows is no option, whatever it begins with.
      if option.utf8.isEmpty {
        words += rest
        break
      }
      let (name, inline) = Array(option.utf8)[...].cut(at: .equals)
      let text = String(decoding: Array(name), as: UTF8.self)
      if Arguments.flags.contains(where: { $0.sameBytes(as: text) }) {
        if inline != nil { problem = problem ?? "--\(text) takes no value" }
        options.append((name: text, value: ""))
      } else if CommandForm.options.contains(where: { $0.sameBytes(as: text) }) {
        guard let value = inline.map({ String(decoding: Array($0), as: UTF8.self) }) ?? rest.popFirst() else {
          problem = problem ?? "--\(text) needs a value"
          continue
        }
        options.append((name: text, value: value))
      } else {
        problem = problem ?? "there is no option --\(text)"
      }
    }
  }

  var given: [String] { options.map { $0.name } }

  func has(_ flag: String) -> Bool { options.contains { $0.name.sameBytes(as: flag) } }

  /// The last value of an option.
  subscript(name: String) -> String? { options.last { $0.name.sameBytes(as: name) }?.value }

  func all(_ name: String) -> [String] { options.filter { $0.name.sameBytes(as: name) }.map { $0.value } }

  func number(_ name: String, _ usual: Int, _ range: ClosedRange<Int>) throws(Refusal) -> Int {
    guard let text = self[name] else { return usual }
    guard let number = Array(text.utf8)[...].decimal, range.contains(number) else {
      throw Command.usage("--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

enum Output {
  /// A moment as RFC 3339 has it, in UTC.
  static func time(_ seconds: Int64) -> String {
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let json = overflow ? nil : try? Value.date(Timestamp(microseconds: microseconds)).jsonText()
    guard let json else { return seconds.description }
    return String(decoding: json.utf8.dropFirst().dropLast(), as: UTF8.self)
  }

  /// A text without what a terminal would do in place of showing it: of a name that came from elsewhere.
  static func plain(_ text: String, keeping: [UInt8] = []) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      // The second half of what controls begins with 0xC2 in UTF-8.
      if byte == 0xC2, let next = rest.first, next < 0xA0 {
        rest = rest.dropFirst()
        bytes += "\u{FFFD}".utf8
      } else if byte == 0xE2, rest.count >= 2, Self.turns(rest.prefix(2)) {
        rest = rest.dropFirst(2)
        bytes += "\u{FFFD}".utf8
      } else if byte.isControl, !keeping.contains(byte) {
        bytes += "\u{FFFD}".utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the rest of a character ends a line, or turns the direction of what follows: U+2028 to U+202E, U+2066 to U+2069.
  private static func turns(_ rest: ArraySlice<UInt8>) -> Bool {
    switch (rest[rest.startIndex], rest[rest.startIndex + 1]) {
    case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): true
    default: false
    }
  }

  static func print(_ line: String) {
    let text = line + "\n"
    let count = text.utf8.count
    _ = text.withCString { lvo_print(false, $0, count) }
  }

  static func complain(_ line: String) {
    let text = "livery console: " + plain(line, keeping: [.tab, .lineFeed]) + "\n"
    let count = text.utf8.count
    _ = text.withCString { lvo_print(true, $0, count) }
  }
}

import LiveryClient
import LiveryHTTP

// What a control shows, what a browser sends for it, and what the library is given then. The library alone decides whether
// that fits.

extension Element {
  /// A value as the control shows it, and as an unchanged control sends it.
  func shown(_ value: Value?) -> String {
    // A switch without a value is sent like one that is off.
    guard let value else { return kind == .toggle ? "0" : "" }
    switch kind {
    case .toggle: return value.isTrue ? "1" : "0"
    case .date: return LocalTime.shown(value.plain) ?? value.plain
    case .choice: return shown(option: value)
    case .choices: return Element.joined(inOrder((value.items ?? []).map { shown(option: $0) }))
    default: return Element.asSent(value.plain)
    }
  }

  /// What the control begins with.
  var shownNow: String {
    switch kind {
    case .secret, .image, .data, .list: ""
    default: shown(value)
    }
  }

  /// Travels with the control: the revision at which it was drawn, and what it showed.
  func mark(at revision: UInt64) -> String {
    "\(revision).\(shownFingerprint)"
  }

  /// Tells whether the control would show something else.
  var shownFingerprint: String { fingerprint((kind == .list ? value?.plain ?? "" : shownNow).utf8) }

  /// What came for a control, as text that `shown` would give for the same.
  func sent(_ values: [String]) -> String {
    let first = values.first ?? ""
    switch kind {
    case .toggle: return first.sameBytes(as: "1") ? "1" : "0"
    case .choices: return Element.joined(values)
    case .date: return LocalTime.normalized(first)
    default: return Element.asSent(first)
    }
  }

  /// What the library is given for what was sent.
  func value(for sent: String) -> Value {
    switch kind {
    case .toggle: return .bool(sent.sameBytes(as: "1"))
    case .choice: return option(sent)
    case .choices: return .list(Element.parts(sent).map { option($0) })
    case .date: return .string(LocalTime.complete(sent))
    case .text, .secret, .url: return .string(sent)
    default: return .string(Element.trimmed(sent))
    }
  }

  private func shown(option value: Value) -> String {
    options.first { $0.value == value }?.text ?? Element.asSent(value.plain)
  }

  private func option(_ text: String) -> Value {
    for option in options where option.text.sameBytes(as: text) { return option.value }
    return .string(text)
  }

  /// What is chosen as check boxes have it: each once, the options in their order, then what is none of them.
  func inOrder(_ chosen: [String]) -> [String] {
    var ordered: [String] = []
    for text in options.map({ $0.text }) + chosen {
      let isChosen = chosen.contains { $0.sameBytes(as: text) }
      if isChosen, !ordered.contains(where: { $0.sameBytes(as: text) }) { ordered.append(text) }
    }
    return ordered
  }

  /// Texts as one, each with a unit separator behind it.
  static func joined(_ texts: [String]) -> String {
    var joined = ""
    for text in texts { joined += text + "\u{1f}" }
    return joined
  }

  static func parts(_ joined: String) -> [String] {
    joined.utf8.split(separator: 0x1f, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// A text as browsers send it: with line feeds at the ends of lines, and no NUL.
  static func asSent(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 13 || $0 == 0 }) else { return text }
    var bytes: [UInt8] = []
    var previous: UInt8 = 0
    for byte in text.utf8 {
      switch byte {
      case 0: bytes += "\u{FFFD}".utf8
      case 13: bytes.append(10)
      case 10 where previous == 13: break
      default: bytes.append(byte)
      }
      previous = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func trimmed(_ text: String) -> String {
    var bytes = Array(text.utf8)[...]
    while let first = bytes.first, first == 32 || (9...13).contains(first) { bytes.removeFirst() }
    while let last = bytes.last, last == 32 || (9...13).contains(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The control `datetime-local` knows no zone: it shows and sends UTC.
enum LocalTime {
  /// Of RFC 3339 in UTC; nil where the control has no way to show it, as for years past 9999.
  static func shown(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.last == UInt8(ascii: "Z"), bytes.count >= 20, bytes[4] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T")
    else { return nil }
    return normalized(String(decoding: bytes.dropLast(), as: UTF8.self))
  }

  /// As browsers write it: no more than minutes if there is no more.
  static func normalized(_ text: String) -> String {
    var bytes = Array(text.utf8)
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") else { return text }
    if bytes.contains(UInt8(ascii: ".")) {
      while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
      if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    }
    if bytes.count == 19, bytes[16...] == Array(":00".utf8)[...] { bytes.removeLast(3) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the control can show it as it is: it knows no more than milliseconds.
  static func fits(_ shown: String) -> Bool {
    let bytes = shown.utf8
    return bytes.count >= 16 && bytes.count <= 23 && bytes.dropFirst(10).first == UInt8(ascii: "T")
  }

  /// RFC 3339 for what was sent; anything else as it is, for the library to say what is wrong with it.
  static func complete(_ sent: String) -> String {
    let bytes = sent.utf8
    guard bytes.count >= 16, bytes.count <= 26, bytes.dropFirst(10).first == UInt8(ascii: "T"),
      bytes.dropFirst(11).allSatisfy({ ($0 >= 48 && $0 <= 58) || $0 == UInt8(ascii: ".") })
    else { return sent }
    return sent + (bytes.count == 16 ? ":00Z" : "Z")
  }
}

/// A pattern for names of settings: `*` stands for any run of characters other than `.`, `**` for any run, `?` for one
/// character other than `.`, and everything else for itself.
///
/// Matching costs at most the length of the name times the length of the pattern, whatever either holds.
public struct NamePattern: Sendable {
  private enum Token: Sendable, Equatable {
    case literal(UInt32)
    case one
    case run
    case anyRun
  }

  /// The text before the first wildcard: every name that matches begins with it.
  public let literalPrefix: String
  private let prefix: [UInt8]
  private let rest: [Token]
  /// A name that matches besides.
  private var other: [UInt8]?

  /// Errors: `.invalidArgument` for an empty text, one of more than 1,024 bytes, or control characters.
  public init(_ text: String) throws(StoreError) {
    guard !text.utf8.isEmpty else { throw StoreError(.invalidArgument, "the pattern is empty") }
    try checkText(text, what: "the pattern", limit: 1024)
    var prefix = String.UnicodeScalarView()
    var tokens: [Token] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "*":
        switch tokens.last {
        case .run: tokens[tokens.count - 1] = .anyRun
        case .anyRun: break
        default: tokens.append(.run)
        }
      case "?": tokens.append(.one)
      default:
        if tokens.isEmpty { prefix.append(scalar) } else { tokens.append(.literal(scalar.value)) }
      }
    }
    literalPrefix = String(prefix)
    self.prefix = Array(literalPrefix.utf8)
    rest = tokens
  }

  /// Whether the pattern has no wildcard, so that it matches one name only.
  public var isLiteral: Bool { rest.isEmpty }

  /// A pattern that matches a name as well.
  public func including(_ name: String) -> NamePattern {
    var pattern = self
    pattern.other = name.bytes
    return pattern
  }

  public func matches(_ name: String) -> Bool {
    if let other, name.bytes == other { return true }
    let bytes = name.utf8
    guard bytes.count >= prefix.count else { return false }
    var index = bytes.startIndex
    for byte in prefix {
      guard bytes[index] == byte else { return false }
      index = bytes.index(after: index)
    }
    if rest.isEmpty { return index == bytes.endIndex }
    if rest.count == 1, rest[0] == .anyRun { return true }
    if rest.count == 1, rest[0] == .run { return !bytes[index...].contains(UInt8(ascii: ".")) }
    return simulate(name.unicodeScalars[index...])
  }

  /// Follows all ways to match at once: `active[i]` says that the first `i` tokens can stand for the text so far.
  private func simulate(_ text: Substring.UnicodeScalarView) -> Bool {
    let count = rest.count
    var active = [Bool](repeating: false, count: count + 1)
    active[0] = true
    skipRuns(&active)
    for scalar in text {
      var next = [Bool](repeating: false, count: count + 1)
      var alive = false
      let isDot = scalar == "."
      for index in 0..<count where active[index] {
        switch rest[index] {
        case .literal(let value):
          if value == scalar.value { next[index + 1] = true; alive = true }
        case .one:
          if !isDot { next[index + 1] = true; alive = true }
        case .run:
          if !isDot { next[index] = true; alive = true }
        case .anyRun:
          next[index] = true
          alive = true
        }
      }
      guard alive else { return false }
      skipRuns(&next)
      active = next
    }
    return active[count]
  }

  private func skipRuns(_ active: inout [Bool]) {
    for index in 0..<rest.count where active[index] && (rest[index] == .run || rest[index] == .anyRun) {
      active[index + 1] = true
    }
  }
}

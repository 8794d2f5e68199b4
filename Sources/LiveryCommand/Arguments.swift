import Livery

/// An option of the command line.
struct Option: Sendable {
  let name: String
  var short: String? = nil
  /// What it takes; nil for nothing.
  var value: String? = nil
  let help: String
  /// Whether every command takes it.
  var isGlobal = false

  static let all: [Option] = [
    Option(name: "store", value: "PATH", help: "the directory of the store; else $LIVERY_STORE", isGlobal: true),
    Option(name: "json", help: "print the result as one JSON value", isGlobal: true),
    Option(name: "reveal", help: "show secrets", isGlobal: true),
    Option(name: "timeout", value: "MS", help: "how long to wait for other writers; 5000 if not given", isGlobal: true),
    Option(name: "help", short: "h", help: "tell how to use a command", isGlobal: true),
    Option(name: "version", help: "print the version", isGlobal: true),
    Option(name: "schema", value: "FILE", help: "a schema to apply"),
    Option(
      name: "layer", value: "LAYER",
      help: "bundle, recommended, user (if not given when changing), session, enforced or override"),
    Option(name: "origin", value: "TEXT", help: "who makes the change, or made it; kept with each value"),
    Option(name: "expires", value: "TIME", help: "when the values expire: a time as of RFC 3339, or +SECONDS"),
    Option(name: "replace", help: "let the value count: what people have set goes (layer recommended unless told)"),
    Option(
      name: "trial", value: "TIME",
      help:
        "let the changes go back after that time, such as 90s, 10m or 2h, unless `livery trial confirm` comes before"),
    Option(name: "value-json", help: "take values as JSON in place of text"),
    Option(
      name: "type", value: "TYPE",
      help: "convert to bool, int, double, string, data, url, date, color, image, list or object"),
    Option(name: "all", help: "all settings of the layer"),
    Option(name: "names", help: "print their names alone, a line each"),
    Option(name: "after", value: "NAME", help: "only settings that come after this name"),
    Option(name: "limit", value: "COUNT", help: "at most so many settings, or commits; 0 for all"),
    Option(name: "plan", help: "tell what would happen, and touch nothing"),
    Option(
      name: "orphan-versions", value: "COUNT",
      help: "drop what a schema no longer declares after so many versions; 0, if not given, for never"),
    Option(
      name: "declassify", value: "NAME",
      help: "a setting that may show what was a secret before; can be given more than once"),
    Option(name: "group", help: "a store that the group of the directory may read and change"),
    Option(name: "yes", help: "do not ask"),
    Option(name: "backups", help: "also in the store's own folder of backups"),
    Option(name: "partial", help: "skip what is unknown or invalid in place of refusing the whole"),
    Option(name: "layers", help: "each layer's values, with time and origin"),
    Option(name: "exec", value: "COMMAND", help: "run a shell command for each change; see docs/watching.md"),
    Option(name: "initial", help: "begin with the present values"),
    Option(name: "count", value: "COUNT", help: "end after so many changes"),
    Option(name: "since", value: "TIME", help: "only commits from then on: a time as of RFC 3339"),
    Option(name: "list", help: "list the backups in the store's own folder"),
    Option(name: "force", help: "even if later commits changed the same values, or settings refer to it"),
    Option(name: "any", help: "take files that are no images, too"),
    Option(
      name: "html", value: "FILE",
      help: "write a page that shows the brand, with all its images inside; needs the extension page"),
    Option(name: "dry-run", help: "tell what would be removed, and remove nothing"),
    Option(name: "ignore-log", help: "remove also what only undoing could bring back"),
    Option(name: "min-age", value: "SECONDS", help: "keep what was stored since"),
    Option(name: "brand", value: "ID", help: "the brand's identifier; else the bundle's own"),
    Option(
      name: "bundle", value: "DIR", help: "the directory of the images that a property list names; they are stored"),
    Option(name: "keep", help: "keep the brand for `brand use`"),
    Option(name: "console", help: "the file is JSON that the console sends, and not a property list"),
    Option(name: "whole", help: "what the console sends counts alone: the brand of the bundle waits"),
    Option(name: "color", help: "swatches also if standard output is no terminal"),
    Option(name: "idiom", value: "IDIOM", help: "of the device: phone, tablet, tv, desktop or watch"),
    Option(name: "scale", value: "NUMBER", help: "of the device: pixels a point"),
    Option(name: "width", value: "POINTS", help: "of the device's screen"),
    Option(name: "height", value: "POINTS", help: "of the device's screen"),
    Option(name: "appearance", value: "WORD", help: "of the device: light or dark"),
    Option(name: "orientation", value: "WORD", help: "of the device: portrait or landscape"),
    Option(name: "contrast", value: "WORD", help: "of the device: normal or high"),
    Option(name: "locale", value: "TAG", help: "a language tag such as de-AT: of texts, or of the device"),
    Option(name: "hidden", help: "also what the schema hides"),
    Option(name: "output", short: "o", value: "FILE", help: "a file to write to in place of standard output"),
  ]
}

/// The command line, taken apart: options may come before and after the command.
struct Arguments {
  private(set) var command: String?
  private(set) var words: [String] = []
  private var options: [(name: String, value: String)] = []

  init(_ arguments: [String]) throws(StoreError) {
    var scan = Scan(arguments)
    while let part = try scan.next() {
      switch part {
      case .word(let place): add(arguments[place])
      case .option(let name, let value): options.append((name, value))
      }
    }
  }

  private mutating func add(_ word: String) {
    if command == nil { command = word } else { words.append(word) }
  }

  /// Where the words are that are no options, up to the first mistake.
  static func places(in arguments: [String]) -> [Int] {
    var scan = Scan(arguments)
    var found: [Int] = []
    while let part = try? scan.next() {
      if case .word(let place) = part { found.append(place) }
    }
    return found
  }

  /// Goes through the command line.
  private struct Scan {
    enum Part {
      case word(Int)
      case option(name: String, value: String)
    }

    private let arguments: [String]
    private var position = 0
    /// Whether what is left are words alone.
    private var hasEnded = false

    init(_ arguments: [String]) {
      self.arguments = arguments
    }

    mutating func next() throws(StoreError) -> Part? {
      guard position < arguments.count else { return nil }
      let argument = arguments[position]
      position += 1
      if hasEnded { return .word(position - 1) }
      if argument.sameBytes(as: "--") {
        hasEnded = true
        return try next()
      }
      guard Arguments.isOption(argument) else { return .word(position - 1) }
      let (option, inline) = try Arguments.option(argument)
      if option.value == nil {
        guard inline == nil else { throw StoreError(.usage, "--\(option.name) takes no value") }
        return .option(name: option.name, value: "")
      }
      if let inline { return .option(name: option.name, value: inline) }
      guard position < arguments.count else {
        throw StoreError(.usage, "--\(option.name) needs a value: \(option.value ?? "")")
      }
      position += 1
      return .option(name: option.name, value: arguments[position - 1])
    }
  }

  /// A dash alone is standard input, and one before a digit or point a negative number.
  private static func isOption(_ argument: String) -> Bool {
    let bytes = argument.bytes
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "-") else { return false }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[1]) && bytes[1] != UInt8(ascii: ".")
  }

  private static func option(_ argument: String) throws(StoreError) -> (Option, String?) {
    let isLong = argument.hasPrefix("--")
    let text = String(argument.dropFirst(isLong ? 2 : 1))
    var name = text
    var inline: String?
    if isLong, let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
      name = String(text[..<end])
      inline = String(text[text.index(after: end)...])
    }
    for option in Option.all {
      if isLong ? option.name.sameBytes(as: name) : option.short?.sameBytes(as: name) ?? false {
        return (option, inline)
      }
    }
    let near = isLong ? nearestNames(to: name, among: Option.all.map { $0.name }).map { "--\($0)" } : []
    throw StoreError(.usage, "there is no option `\(truncated(argument, to: 40))`\(didYouMean(near))")
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  /// The last value given for an option; "" for an option that takes none.
  func value(_ name: String) -> String? {
    options.last { $0.name.sameBytes(as: name) }?.value
  }

  /// All values given for an option.
  func values(_ name: String) -> [String] {
    var found: [String] = []
    for option in options where option.name.sameBytes(as: name) { found.append(option.value) }
    return found
  }

  /// Refuses options and words that a command does not take.
  func check(for command: Command) throws(StoreError) {
    for option in options {
      let isGlobal = Option.all.contains { $0.isGlobal && $0.name.sameBytes(as: option.name) }
      guard isGlobal || command.options.contains(where: { $0.sameBytes(as: option.name) }) else {
        throw StoreError(.usage, "`livery \(command.name)` takes no --\(option.name)")
      }
    }
    try requireWords(words, command.words, "livery \(command.name)", command.usage)
  }
}

/// Refuses too few words and too many, saying which.
func requireWords(
  _ words: [String], _ allowed: ClosedRange<Int>, _ name: String, _ usage: String
) throws(StoreError) {
  let help = "usage: " + (usage.utf8.isEmpty ? name : "\(name) \(usage)")
  if words.count > allowed.upperBound {
    let surplus = truncated(words[allowed.upperBound], to: 40)
    throw StoreError(.usage, "`\(name)` takes no further argument, such as `\(surplus)`; \(help)")
  }
  guard words.count < allowed.lowerBound else { return }
  var needed: [String] = []
  for word in usage.split(separator: " ") where word.utf8.first != UInt8(ascii: "[") { needed.append(String(word)) }
  // Where there are alternatives it is one of them.
  let isOne = !usage.utf8.contains(UInt8(ascii: "|")) && words.count < needed.count
  let what = isOne ? "the argument \(needed[words.count])" : "an argument"
  throw StoreError(.usage, "`\(name)` lacks \(what); \(help)")
}

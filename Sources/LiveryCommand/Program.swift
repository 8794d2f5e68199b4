import CSystem
import Livery

/// From the arguments to the exit status.
enum Program {
  static let version = "0.1.0"

  static func run() -> Int32 {
    // Otherwise the store's own files take the places of standard streams that are closed.
    lvs_fill_standard_streams()
    var words: [String] = []
    var unreadable: Int?
    for index in 1..<max(1, Int(lvs_argument_count())) {
      guard let argument = lvs_argument(Int32(truncatingIfNeeded: index)) else { break }
      if let word = String(validatingCString: argument) {
        words.append(word)
      } else if unreadable == nil {
        unreadable = index
      }
    }
    // Known before the rest is, so that mistakes in the rest are told in the form asked for.
    let output = Output(isJSON: words.prefix { !$0.sameBytes(as: "--") }.contains { $0.sameBytes(as: "--json") })
    // What no status tells of: a store that was brought back from a copy, say.
    Log.setHandler { (level, message) in
      if level == .error { _ = Files.write("livery: \(message)\n".bytes, to: 2) }
    }
    if let unreadable { return finish(output, StoreError(.usage, "argument \(unreadable) is not UTF-8")) }
    do {
      try run(words, output)
      return finish(output, nil)
    } catch {
      return finish(output, error)
    }
  }

  private static func run(_ words: [String], _ output: Output) throws(StoreError) {
    try becomeExtension(words)
    let arguments = try Arguments(words)
    if arguments.has("version") { return output.write("livery \(version)", json: .string(version)) }
    guard let word = arguments.command else {
      if arguments.has("help") { return try Help.print(nil, output) }
      throw StoreError(.usage, "no command given; see `livery help`")
    }
    guard let command = Command.named(word) else {
      let near = nearestNames(to: word, among: Command.all.map { $0.name } + Help.extensions())
      throw StoreError(.usage, "there is no command `\(truncated(word, to: 40))`\(didYouMean(near))")
    }
    if arguments.has("help") { return try Help.print(command.name, output) }
    try arguments.check(for: command)
    try command.run(Context(command: command, arguments: arguments, output: output))
  }

  /// `livery NOUN …`, where this command knows no such command, is the program `livery-NOUN` with the same arguments, and
  /// `livery help NOUN` its help. So is what needs the network, `livery brand download` and `livery asset put URL`, the program
  /// `livery-fetch`. Returns if there is none.
  ///
  /// - Throws: `.unavailable` if it takes the network, and there is none.
  private static func becomeExtension(_ words: [String]) throws(StoreError) {
    let found = Arguments.places(in: words)
    guard var place = found.first else { return }
    let showsHelp = words[place].sameBytes(as: "help") && found.count > 1
    if showsHelp { place = found[1] }
    if needsNetwork(found.map { words[$0] }) {
      "fetch".withCString { lvs_become($0, Int32(place + 1), false) }
      throw StoreError(.unavailable, "this needs the program livery-fetch, which is not installed beside livery")
    }
    let noun = words[place]
    guard isExtensionName(noun) else { return }
    // The program itself is argument 0.
    noun.withCString { lvs_become($0, Int32(place + 1), showsHelp) }
    if extensions.contains(where: { $0.sameBytes(as: noun) }) {
      throw StoreError(.unavailable, "this needs the program livery-\(noun), which is not installed beside livery")
    }
  }

  /// Those that there are with this version: others are no commands where they are not there.
  private static let extensions = [
    "agent", "console", "convert", "fetch", "generate", "images", "page", "picker", "prompt", "secrets", "session",
    "sync",
  ]

  /// Whether a word may be the command of an extension.
  static func isExtensionName(_ noun: String) -> Bool {
    let isPlain = noun.utf8.allSatisfy { byte in
      byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte == UInt8(ascii: "-")
    }
    return isPlain && !noun.isEmpty && noun.utf8.count <= 32 && Command.named(noun) == nil
  }

  private static func needsNetwork(_ words: [String]) -> Bool {
    func has(_ place: Int, _ word: String) -> Bool { place < words.count && words[place].sameBytes(as: word) }
    if has(0, "brand") { return has(1, "download") }
    guard has(0, "asset"), has(1, "put") else { return false }
    return words.dropFirst(2).contains { $0.utf8.starts(with: "http://".utf8) || $0.utf8.starts(with: "https://".utf8) }
  }

  /// Writes what there is to write; an error is one line on standard error, and in JSON also an object.
  private static func finish(_ output: Output, _ error: StoreError?) -> Int32 {
    var status: Int32 = 0
    var error = error
    if error == nil {
      do throws(StoreError) { try output.render() } catch let failure { error = failure }
    }
    if let error {
      status = exitStatus(of: error)
      output.fail(error)
      // Without memory the line on standard error is all.
      try? output.render()
    }
    if !output.flush() && status == 0 { status = ExitStatus.system.rawValue }
    return status
  }
}

extension StoreError.Code {
  /// The command line is wrong. A code of this command only.
  static let usage = StoreError.Code(rawValue: 1)
  /// A schema loses values of the one before. A code of this command only.
  static let lossy = StoreError.Code(rawValue: 2)
  /// The program of an extension is not there. A code of this command only.
  static let unavailable = StoreError.Code(rawValue: 3)
  /// The store's own: a secret is sealed.
  static let sealed = StoreError.Code(rawValue: -27)
}

/// The exit statuses, as `livery help` tells them.
enum ExitStatus: Int32, CaseIterable {
  case done = 0
  case other, usage, missing, invalid, refused, busy, unreadable, system, lossy

  var meaning: String {
    switch self {
    case .done: "done"
    case .other: "another failure"
    case .usage: "the command line is wrong"
    case .missing: "no such setting, value, store or file"
    case .invalid: "an invalid value, a wrong type, a broken document or schema"
    case .refused: "locked, read-only, or changed meanwhile"
    case .busy: "another writer kept the store for too long"
    case .unreadable: "not a store, damaged, or of a newer format"
    case .system: "no permission, no space, an extension that is not installed, or another failure of the system"
    case .lossy: "a schema loses values of the one before it, or its version was not raised"
    }
  }
}

func exitStatus(of error: StoreError) -> Int32 {
  let status: ExitStatus =
    switch error.code {
    case .usage, .invalidArgument: .usage
    case .notFound, .noValue: .missing
    case .invalidValue, .typeMismatch, .parse, .schemaInvalid, .schemaNewer, .migration: .invalid
    case .locked, .readOnly, .conflict, .refused: .refused
    case .busy: .busy
    case .notAStore, .corrupt, .formatNewer: .unreadable
    case .permission, .noSpace, .io, .gone, .noMemory, .duplicate, .network, .timeout, .unavailable, .sealed: .system
    case .lossy: .lossy
    default: .other
    }
  return status.rawValue
}

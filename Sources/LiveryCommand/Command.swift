import CSystem
import Livery

/// One command of the command line; the table of all of them drives dispatch and help.
struct Command: Sendable {
  let name: String
  /// What comes after the name.
  let usage: String
  /// One line.
  let summary: String
  /// The options it takes, beside those that all take.
  let options: [String]
  let words: ClosedRange<Int>
  let run: @Sendable (Context) throws(StoreError) -> Void

  static let all: [Command] = [
    Command(
      name: "init", usage: "[SCHEMA] [--group]", summary: "make a store, and apply a schema to it",
      options: ["schema", "group", "orphan-versions", "declassify"], words: 0...1, run: initialize),
    Command(
      name: "apply", usage: "[SCHEMA]", summary: "apply a schema: declare settings, defaults and constraints",
      options: ["origin", "orphan-versions", "declassify"], words: 0...1, run: apply),
    Command(
      name: "migrate", usage: "[--plan] SCHEMA",
      summary: "apply a schema with its migrations, or tell what becomes of every value",
      options: ["plan", "origin", "orphan-versions", "declassify"], words: 1...1, run: migrate),
    Command(
      name: "check", usage: "[[OLD] SCHEMA…]",
      summary: "check the store for damage, or schemas, each also against the one before it and the store",
      options: ["orphan-versions", "declassify"], words: 0...1000, run: check),
    Command(
      name: "get", usage: "NAME…", summary: "print the effective value of settings", options: ["type"],
      words: 1...1000, run: get),
    Command(
      name: "set", usage: "NAME VALUE [NAME VALUE…]", summary: "set settings, all of them or none",
      options: ["layer", "origin", "expires", "replace", "value-json", "trial"], words: 2...2000, run: set),
    Command(
      name: "reset", usage: "NAME… | --all", summary: "remove a layer's values, which uncovers those beneath",
      options: ["layer", "origin", "all", "trial"], words: 0...1000, run: reset),
    Command(
      name: "trial", usage: "status | confirm REVISION | revert [REVISION]",
      summary: "confirm or take back what goes back by itself: see set --trial", options: ["origin"], words: 1...2,
      run: trial),
    Command(
      name: "list", usage: "[PATTERN]", summary: "list settings, such as `media*` or `branding.**`",
      options: ["names", "after", "limit"], words: 0...1, run: list),
    Command(
      name: "form", usage: "", summary: "show what a person may set, in the schema's order",
      options: ["layer", "locale", "hidden"], words: 0...0, run: form),
    Command(
      name: "search", usage: "WORD…", summary: "find settings by words in their texts and values",
      options: ["limit", "locale", "hidden"], words: 1...100, run: search),
    Command(
      name: "explain", usage: "NAME", summary: "tell every layer's value of a setting, which one wins and why",
      options: ["orphan-versions"], words: 1...1, run: explain),
    Command(
      name: "watch", usage: "[PATTERN]", summary: "print each change as it happens, or run a command for it",
      options: ["exec", "initial", "count"], words: 0...1, run: watch),
    Command(
      name: "history", usage: "[PATTERN]", summary: "list past commits, the latest first",
      options: ["layer", "origin", "since", "limit"], words: 0...1, run: history),
    Command(
      name: "undo", usage: "REVISION", summary: "take a commit back, as a new commit", options: ["force"],
      words: 1...1, run: undo),
    Command(
      name: "import", usage: "FILE", summary: "set what a JSON file or a property list says, as one commit",
      options: ["layer", "partial", "replace", "trial"], words: 1...1, run: importFile),
    Command(
      name: "export", usage: "", summary: "write settings as JSON", options: ["layers", "output"], words: 0...0,
      run: exportFile),
    Command(
      name: "asset", usage: "put FILE…|URL… | get ID | info ID… | list | rm ID… | gc",
      summary: "keep images for settings to refer to",
      options: ["any", "output", "force", "dry-run", "ignore-log", "min-age"], words: 1...1001, run: asset),
    Command(
      name: "brand", usage: "show|apply|check|explain|use|list|set|enable|disable|rm|wipe|download …",
      summary: "colors and images: show, apply, check and switch brands",
      options: [
        "brand", "bundle", "keep", "console", "whole", "replace", "html", "origin", "layer", "color", "idiom", "scale",
        "width", "height",
        "appearance",
        "orientation", "contrast", "locale", "trial",
      ], words: 1...3, run: brand),
    Command(
      name: "backup", usage: "[FILE] | --list", summary: "write a copy of the store, into its own folder or to a file",
      options: ["list"], words: 0...1, run: backup),
    Command(
      name: "restore", usage: "[BACKUP | latest]",
      summary: "bring back what a backup holds: a file, or one of `livery backup --list`",
      options: ["origin", "yes"], words: 0...1, run: restore),
    Command(
      name: "compact", usage: "", summary: "give the file system back what the store does not use", options: [],
      words: 0...0, run: compact),
    Command(
      name: "forget", usage: "NAME [--backups]",
      summary: "forget what the store knows of a setting, such as a secret, beside its present values",
      options: ["backups"], words: 1...1, run: forget),
    Command(
      name: "stats", usage: "", summary: "print figures about the store", options: [], words: 0...0,
      run: statistics),
    Command(
      name: "help", usage: "[COMMAND]", summary: "tell how to use the commands", options: [], words: 0...1,
      run: { (context) throws(StoreError) in try Help.print(context.words.first, context.output) }),
  ]

  static func named(_ name: String) -> Command? {
    all.first { $0.name.sameBytes(as: name) }
  }
}

/// What a command works with.
struct Context {
  let command: Command
  let arguments: Arguments
  let output: Output

  var words: [String] { arguments.words }
  var reveals: Bool { arguments.has("reveal") }

  /// The directory of the store, if one is given.
  var storePath: String? {
    if let path = arguments.value("store") { return path }
    guard let path = getenv("LIVERY_STORE"), path.pointee != 0 else { return nil }
    return String(validatingCString: path)
  }

  func open(
    readOnly: Bool = false, create: Bool = false, allowOverride: Bool = false, sharesWithGroup: Bool = false
  ) throws(StoreError) -> Store {
    guard let path = storePath else {
      throw StoreError(.usage, "no store given: use --store PATH or set LIVERY_STORE")
    }
    var options = Store.Options()
    options.readOnly = readOnly
    options.create = create
    options.allowOverride = allowOverride
    options.sharesWithGroup = sharesWithGroup
    if let timeout = try timeout() { options.busyTimeout = .milliseconds(Int64(timeout)) }
    if let versions = try number("orphan-versions") { options.orphanVersions = versions > 0 ? UInt64(versions) : nil }
    return try Store(path: path, options: options)
  }

  /// How long to wait for other writers, in milliseconds; nil if that is not told.
  func timeout() throws(StoreError) -> UInt32? {
    guard let timeout = try number("timeout") else { return nil }
    guard let milliseconds = UInt32(exactly: timeout), milliseconds > 0 else {
      throw StoreError(.usage, "--timeout takes milliseconds, from 1 to \(UInt32.max)")
    }
    return milliseconds
  }

  /// An option that takes a whole number.
  func number(_ name: String) throws(StoreError) -> Int64? {
    guard let text = arguments.value(name) else { return nil }
    guard case .int(let number)? = Value.string(text).coerced(to: .int), number >= 0 else {
      throw StoreError(.usage, "--\(name) takes a whole number, not `\(truncated(text, to: 40))`")
    }
    return number
  }

  /// The layer to change.
  func layer(_ usual: Layer = .user) throws(StoreError) -> Layer {
    guard let name = arguments.value("layer") else { return usual }
    guard let layer = Layer(name: name) else {
      let near = nearestNames(to: name, among: Layer.allCases.map { $0.description })
      throw StoreError(.usage, "there is no layer `\(truncated(name, to: 40))`\(didYouMean(near))")
    }
    return layer
  }
}

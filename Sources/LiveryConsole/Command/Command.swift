import CConsole
import CLivery
import LiveryClient
import LiveryFleet
import LiveryHTTP

/// The program `livery-console`.
@_cdecl("livery_console_main") @implementation
public func livery_console_main(_ count: Int32, _ words: UnsafePointer<UnsafePointer<CChar>?>?) -> Int32 {
  var given: [String] = []
  for index in 1..<max(1, Int(count)) {
    if let word = words?[index] { given.append(String(cString: word)) }
  }
  return Command(Arguments(given)).run()
}

/// One call of the program.
struct Command {
  let arguments: Arguments
  var isJSON: Bool { arguments.has("json") }

  init(_ arguments: Arguments) { self.arguments = arguments }

  // The exit statuses of `livery`.
  enum Exit {
    static let done: Int32 = 0
    static let usage: Int32 = 2
    static let missing: Int32 = 3
    static let invalid: Int32 = 4
    static let refused: Int32 = 5
    static let busy: Int32 = 6
    static let system: Int32 = 8
  }

  func run() -> Int32 {
    let status = act()
    guard lvo_print_has_failed() else { return status }
    Output.complain("standard output cannot be written to")
    return status == Exit.done ? Exit.system : status
  }

  private func act() -> Int32 {
    if arguments.has("help") {
      Output.print(Command.help)
      return Exit.done
    }
    if arguments.has("version") {
      let version = String(cString: livery_version_string())
      Output.print(arguments.has("json") ? "\"\(version)\"" : "livery console \(version)")
      return Exit.done
    }
    do throws(Refusal) {
      if let problem = arguments.problem { throw Command.usage(problem) }
      guard let first = arguments.words.first else { throw Command.usage("what? --help tells") }
      if first.sameBytes(as: "simulate") { throw try simulate() }
      if let problem = CommandForm.problem(arguments) { throw Command.usage(problem) }
      try perform()
      return Exit.done
    } catch {
      switch error.reason {
      case .invalid where error.field?.sameBytes(as: Command.line) == true:
        return fail(error.whole, "INVALID_ARGUMENT", Exit.usage)
      case .notFound: return fail(error.whole, "NOT_FOUND", Exit.missing)
      case .invalid: return fail(error.whole, "INVALID_VALUE", Exit.invalid)
      case .conflict: return fail(error.whole, "CONFLICT", Exit.refused)
      case .busy: return fail(error.whole, "BUSY", Exit.busy)
      }
    }
  }

  /// The field of what is wrong with how the command was written, and not with what it is about.
  private static let line = "command line"

  static func usage(_ message: String) -> Refusal { Refusal(.invalid, message, at: line) }

  /// As the other programs tell it: a line for people, and in JSON also an object.
  private func fail(_ message: String, _ status: String, _ exit: Int32) -> Int32 {
    Output.complain(message)
    if isJSON {
      var error = JSON()
      error.add("status", "LIVERY_ERROR_" + status)
      error.add("message", message)
      var json = JSON()
      json.add("error", value: error.value)
      Output.print((try? json.value.jsonText()) ?? "{}")
    }
    return exit
  }

  /// Who runs it.
  var person: Person {
    var name = [CChar](repeating: 0, count: 64)
    lvo_user(&name, name.count)
    let text = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return Person(name: text, role: .editor, csrf: "")
  }

  /// Where the console is: what `init` has noted, and what is given now.
  func place() throws(Refusal) -> Console.Place {
    let folder = try folder()
    return place(folder, try Configuration(folder).merging(arguments))
  }

  func folder() throws(Refusal) -> String {
    let folder = arguments["state"] ?? String(cString: lvo_environment("LIVERY_CONSOLE"))
    guard !folder.utf8.isEmpty else {
      throw Command.usage("no console given: use --state DIR or set LIVERY_CONSOLE")
    }
    return folder
  }

  func place(_ folder: String, _ noted: Configuration) -> Console.Place {
    var place = Console.Place()
    place.folder = folder
    place.database = noted["database"]
    place.published = noted["publish"]
    place.bucket.endpoint = noted["endpoint"]
    place.bucket.region = noted["region"]
    place.bucket.credentials = noted["credentials"]
    place.bucket.certificates = noted["endpoint-ca-file"]
    place.broker = noted["broker"]
    place.brokerUser = noted["broker-user"]
    place.brokerPasswordFile = noted["broker-password-file"]
    place.brokerCAFile = noted["broker-ca-file"]
    place.brokerClientID = noted["broker-client-id"]
    place.url = noted["url"]
    return place
  }

  func open() throws(Refusal) -> Console {
    let console = try Console(place())
    // Without a server that does it, what is changed here is published from here.
    console.complain = { Output.complain($0) }
    if let path = console.missingFolder {
      Output.complain("\(path): there is no such folder: what is published waits for it")
    }
    guard arguments.words.first?.sameBytes(as: "serve") != true else { return console }
    try console.publishChangesOnly()
    // Without a broker devices ask by themselves: what was asked for is done all the same.
    do throws(Refusal) { console.hints = try Hints.make(console.place, serves: false) } catch {
      Output.complain(error.message)
    }
    return console
  }

  /// Prints one thing: as JSON, or in lines.
  func show(_ json: JSON, _ lines: [String]) {
    if isJSON {
      Output.print((try? json.value.jsonText()) ?? "{}")
    } else {
      for line in lines { Output.print(Output.plain(line, keeping: [.tab])) }
    }
  }

  func show(list items: [JSON], _ lines: [String]) {
    if isJSON {
      Output.print((try? Value.list(items.map { $0.value }).jsonText()) ?? "[]")
    } else {
      for line in lines { Output.print(Output.plain(line, keeping: [.tab])) }
    }
  }

  func done(_ line: String) {
    var json = JSON()
    json.add("done", line)
    show(json, [line])
  }
}

extension [String] {
  var joinedBySpaces: String {
    var text = ""
    for item in self { text += text.utf8.isEmpty ? item : " " + item }
    return text
  }
}

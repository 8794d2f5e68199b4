import CSystem
import Livery

/// Help, made from the tables of commands, options and exit statuses.
enum Help {
  static func print(_ name: String?, _ output: Output) throws(StoreError) {
    guard let name else { return output.write(overview(output.style), json: json(of: Command.all, extensions())) }
    guard let command = Command.named(name) else {
      let near = nearestNames(to: name, among: Command.all.map { $0.name })
      throw StoreError(.usage, "there is no command `\(truncated(name, to: 40))`\(didYouMean(near))")
    }
    output.write(page(of: command, output.style), json: json(of: [command]))
  }

  private static func overview(_ style: Style) -> String {
    var text = "usage: livery COMMAND [OPTIONS]\n\nReads and changes the settings of a store.\n"
    text += "\n\(style.bold("commands"))\n"
    text += table(Command.all.map { ["  \($0.name)", $0.summary] }, style: style)
    let extensions = extensions()
    if !extensions.isEmpty {
      text += "\n\(style.bold("extensions"))\n"
      text += table(extensions.map { ["  \($0)", extensionSummary($0)] }, style: style)
    }
    text += "\n\(style.bold("options of all commands"))\n" + optionTable({ $0.isGlobal }, style)
    text += "\n\(style.bold("exit status"))\n"
    text += table(ExitStatus.allCases.map { ["  \($0.rawValue)", $0.meaning] }, style: style)
    return text + "\n`livery help COMMAND` tells more. `-` in place of a file is standard input; `--` ends the options."
  }

  /// The commands that programs beside this one bring, in order.
  static func extensions() -> [String] {
    var length = 0
    guard let names = lvs_extension_names(&length) else { return [] }
    defer { free(names) }
    var found: [String] = []
    for name in UnsafeRawBufferPointer(start: names, count: length).split(separator: 0) {
      guard let text = String(validating: name, as: UTF8.self), Program.isExtensionName(text),
        !found.contains(where: { $0.sameBytes(as: text) })
      else { continue }
      found.append(text)
    }
    return sortedOrder(of: found.count) { found[$0].precedesInBytes(found[$1]) }.map { found[$0] }
  }

  private static func extensionSummary(_ name: String) -> String {
    "the program livery-\(name): `livery help \(name)` tells more"
  }

  private static func page(of command: Command, _ style: Style) -> String {
    var text = "usage: livery \(command.name) \(command.usage)\n\n"
    text += command.summary + "\n"
    if !command.options.isEmpty {
      text += "\n\(style.bold("options"))\n"
      text += optionTable({ option in command.options.contains { $0.sameBytes(as: option.name) } }, style)
    }
    text += "\n\(style.bold("options of all commands"))\n" + optionTable({ $0.isGlobal }, style)
    return String(text.dropLast())
  }

  private static func optionTable(_ isWanted: (Option) -> Bool, _ style: Style) -> String {
    var rows: [[String]] = []
    for option in Option.all where isWanted(option) {
      let short = option.short.map { "-\($0), " } ?? ""
      let value = option.value.map { " \($0)" } ?? ""
      rows.append(["  \(short)--\(option.name)\(value)", option.help])
    }
    return table(rows, style: style)
  }

  private static func json(of commands: [Command], _ extensions: [String] = []) -> Value {
    let own = commands.map { command in
      Value.object([
        .init("name", .string(command.name)), .init("usage", .string(command.usage)),
        .init("summary", .string(command.summary)),
        .init("options", .list(command.options.map { .string("--\($0)") })),
      ])
    }
    let others = extensions.map { name in
      Value.object([
        .init("name", .string(name)), .init("program", .string("livery-\(name)")),
        .init("summary", .string(extensionSummary(name))),
      ])
    }
    return .list(own + others)
  }
}

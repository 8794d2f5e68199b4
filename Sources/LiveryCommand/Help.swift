import Livery

/// Help, made from the tables of commands, options and exit statuses.
enum Help {
  static func print(_ name: String?, _ output: Output) throws(StoreError) {
    guard let name else { return output.write(overview(output.style), json: json(of: Command.all)) }
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
    text += "\n\(style.bold("options of all commands"))\n" + optionTable({ $0.isGlobal }, style)
    text += "\n\(style.bold("exit status"))\n"
    text += table(ExitStatus.allCases.map { ["  \($0.rawValue)", $0.meaning] }, style: style)
    return text + "\n`livery help COMMAND` tells more. `-` in place of a file is standard input; `--` ends the options."
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

  private static func json(of commands: [Command]) -> Value {
    .list(
      commands.map { command in
        .object([
          .init("name", .string(command.name)), .init("usage", .string(command.usage)),
          .init("summary", .string(command.summary)),
          .init("options", .list(command.options.map { .string("--\($0)") })),
        ])
      })
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

/// How a command is written, and the options that it takes beside those of all commands.
struct CommandForm {
  /// `draft set CHANNEL VERB NAME [VALUE]`: words in lower case are said as they are.
  let usage: String
  let options: [String]
  private let said: [String]
  private let parameters: ClosedRange<Int>

  private init(_ usage: String, _ options: [String] = []) {
    self.usage = usage
    self.options = options
    var said: [String] = []
    var needed = 0
    var most = 0
    for word in usage.utf8.split(separator: UInt8(ascii: " ")) {
      let isOptional = word.first == UInt8(ascii: "[")
      if isOptional || word.first.map({ $0 < UInt8(ascii: "a") }) ?? false {
        needed += isOptional ? 0 : 1
        most = word.suffix(4).elementsEqual("…]".utf8) ? 1000 : most + 1
      } else {
        said.append(String(decoding: Array(word), as: UTF8.self))
      }
    }
    self.said = said
    parameters = needed...most
  }

  /// What all commands take: the console that they are about, and how they print.
  static let common = ["state", "json", "help", "version"] + Configuration.names

  /// What any command takes.
  static let options = common + all.flatMap { $0.options }

  private static let plan = [
    "comment", "steps", "pause", "bound", "name", "from", "until", "trial", "check", "app", "schema",
  ]

  private static let all = [
    CommandForm("init FLEET", ["root-key"]),
    CommandForm("serve", ["listen", "host", "publish-again", "behind-proxy"]),
    CommandForm("admin"), CommandForm("admin list"), CommandForm("admin remove NAME"),
    CommandForm("admin add NAME", ["role", "password-file"]),
    CommandForm("admin set NAME", ["role", "password-file"]),
    CommandForm("token"), CommandForm("token list"), CommandForm("token remove NUMBER"),
    CommandForm("token make ADMIN", ["label", "days"]),
    CommandForm("schema"), CommandForm("schema list"), CommandForm("schema add FILE"),
    CommandForm("group"), CommandForm("group list"), CommandForm("group add NAME"), CommandForm("group remove NAME"),
    CommandForm("group up NAME"), CommandForm("group down NAME"),
    CommandForm("device", ["query", "group", "device-state", "limit", "offset"]),
    CommandForm("device list", ["query", "group", "device-state", "limit", "offset"]),
    CommandForm("device show ID"), CommandForm("device remove ID"), CommandForm("device name ID NAME"),
    CommandForm("device groups ID [GROUP…]", ["none"]),
    CommandForm("draft"), CommandForm("draft show [CHANNEL]"),
    CommandForm("draft set CHANNEL VERB NAME [VALUE]", ["revision"]),
    CommandForm("draft unset CHANNEL NAME", ["revision"]), CommandForm("draft discard CHANNEL", ["revision"]),
    CommandForm("asset add FILE"),
    CommandForm("diff [CHANNEL]", plan), CommandForm("publish [CHANNEL]", plan + ["revision"]),
    CommandForm("rollout", ["channel", "limit"]), CommandForm("rollout list", ["channel", "limit"]),
    CommandForm("rollout show NUMBER"), CommandForm("rollout raise NUMBER"), CommandForm("rollout stop NUMBER"),
    CommandForm("rollout resume NUMBER"), CommandForm("rollout undo NUMBER"), CommandForm("undo NUMBER"),
    CommandForm("history", ["limit"]), CommandForm("explain ID [NAME]"),
    CommandForm("enroll", ["label", "hours", "group"]), CommandForm("enroll list"), CommandForm("enroll withdraw ID"),
    CommandForm("keys"), CommandForm("keys show [REQUEST]"),
    CommandForm("keys make FILE"), CommandForm("keys public FILE"),
    CommandForm("keys rotate", ["root-key", "request"]), CommandForm("keys revoke", ["root-key", "request"]),
    CommandForm("keys roots", ["root-key", "root", "request", "threshold"]),
    CommandForm("keys sign REQUEST", ["root-key"]), CommandForm("keys import REQUEST"),
    CommandForm("config"), CommandForm("config set NAME VALUE"), CommandForm("config unset NAME"),
    CommandForm("status"),
  ]

  /// What is wrong with how a command was written; nil if it can be done.
  static func problem(_ arguments: Arguments) -> String? {
    let words = arguments.words
    guard let form = all.filter({ $0.takes(words) }).max(by: { $0.said.count < $1.said.count }) else {
      var near = all.filter { $0.said[0].sameBytes(as: words[0]) }
      let nearer = near.filter { words.count > 1 && $0.said.count > 1 && $0.said[1].sameBytes(as: words[1]) }
      if !nearer.isEmpty { near = nearer }
      guard !near.isEmpty else { return "there is no command `\(words.joinedBySpaces)`; --help tells" }
      return "there is no command `\(words.joinedBySpaces)`: write " + near.map { "`\($0.usage)`" }.joinedByCommas
    }
    for option in arguments.given where !(common + form.options).contains(where: { $0.sameBytes(as: option) }) {
      return "--\(option) is no option of `\(form.said.joinedBySpaces)`"
    }
    return nil
  }

  private func takes(_ words: [String]) -> Bool {
    guard words.count >= said.count, parameters.contains(words.count - said.count) else { return false }
    for place in said.indices where !said[place].sameBytes(as: words[place]) { return false }
    return true
  }
}

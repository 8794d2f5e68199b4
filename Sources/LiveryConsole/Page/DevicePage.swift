import LiveryClient
import LiveryHTTP
import LiveryPage

// One device: what it has, and why.

extension View {
  func device(_ id: String) throws(Refusal) -> Response {
    let device = try model.device(id)
    let line = device.line
    let title = line.name.isEmpty ? line.id : line.name
    var html: HTML = """
      <p class="way"><a href="/devices">Devices</a></p>
      <h1>\(title)</h1>
      \(done)<div id="state" data-live data-revision="\(model.generation)">
      <dl class="facts">
      <dt>State</dt><dd>\(Piece.chip(line.state))</dd>

      """
    if let problem = line.problem { html += "<dt>Problem</dt><dd>\(Output.plain(problem))</dd>\n" }
    html += """
      <dt>Id</dt><dd><code>\(line.id)</code></dd>
      <dt>Last seen</dt><dd>\(Piece.time(line.seen))</dd>
      <dt>Enrolled</dt><dd>\(Piece.time(device.enrolled))</dd>
      <dt>Schema version</dt><dd>\(line.schema.map { $0.description } ?? "–")</dd>
      <dt>Groups, the weakest first</dt><dd>\(Piece.joined(line.groups))</dd>

      """
    if let health = device.health { html += "<dt>What the app says</dt><dd>\(Output.plain(health))</dd>\n" }
    html += "</dl>\n"
    html += channels(device)
    if !device.violations.isEmpty {
      html += "<h2>What it has refused, and why</h2>\n<ul>\n"
      for violation in device.violations {
        html += "<li><b>\(Output.plain(violation.name))</b>: \(Output.plain(violation.message))</li>\n"
      }
      html += "</ul>\n"
    }
    html += try settings(device)
    html += "</div>\n"
    html += try edit(device)
    return shown(.devices, title, html)
  }

  private func channels(_ device: DeviceDetail) -> HTML {
    guard !device.channels.isEmpty else { return "" }
    var html: HTML = """
      <h2>Channels</h2>
      <div class="wide" tabindex="0" role="region" aria-label="Channels"><table class="stack">\
      \(Piece.head(["Channel", "It has version", "Published", "What became of it"]))<tbody>

      """
    for channel in device.channels {
      var verdicts: HTML = ""
      for one in device.holdings where one.channel.sameBytes(as: channel.name) {
        verdicts += """
          <li><a href="/publications/\(one.publication.description)">publication \(one.publication.description)\
          \(one.name.map { " " + $0 } ?? "")</a>: \(one.about)</li>
          """
      }
      html += """
        <tr><th scope="row">\(Piece.link(channel: channel.name))</th>\
        <td data-of="It has version">\(channel.has.map { $0.description } ?? "none")</td>\
        <td data-of="Published">\(channel.published.map { $0.description } ?? "none")</td>\
        <td data-of="What became of it">\(verdicts.bytes.isEmpty ? "–" : "<ul>" + verdicts + "</ul>")</td></tr>

        """
    }
    html += "</tbody></table></div>\n"
    return html
  }

  private func settings(_ device: DeviceDetail) throws(Refusal) -> HTML {
    var html: HTML = "<h2>What is in effect, and why</h2>\n"
    guard !device.settings.isEmpty else {
      let isSilent = device.line.seen == nil
      return html + "<p>\(isSilent ? "It has not reported yet." : "It has told of no settings.")</p>\n"
    }
    let form = try pages.forms.titles(model)
    html += """
      <div class="wide" tabindex="0" role="region" aria-label="Settings"><table class="stack">\
      \(Piece.head(["Setting", "Value", "Layer", "Decided by", "When", "By whom"]))<tbody>

      """
    for setting in device.settings {
      var decided: HTML = "\(setting.decidedBy)"
      if let number = setting.publication {
        decided = "<a href=\"/publications/\(number.description)\">\(setting.decidedBy)</a>"
      }
      for later in setting.later {
        decided += """
          <br>Later \(Piece.verb(later.setting.verb)): \
          <b>\(later.setting.isSecret ? "•••" : form?.shown(setting.name, later.setting.value) ?? "–")</b>, \
          <a href="/publications/\(later.publication.description)">publication \(later.publication.description)</a>, \
          \(later.about)
          """
      }
      html += """
        <tr><th scope="row">\(form?.title(of: setting.name) ?? setting.name)<br><code>\(setting.name)</code></th>\
        <td data-of="Value">\(setting.isSecret ? "•••" : form?.shown(setting.name, setting.value) ?? "–")</td>\
        <td data-of="Layer">\(setting.layer ?? "–")</td><td data-of="Decided by">\(decided)</td>\
        <td data-of="When">\(setting.time.map { Piece.time($0) } ?? "–")</td>\
        <td data-of="By whom">\(setting.author ?? "–")</td></tr>

        """
    }
    html += "</tbody></table></div>\n"
    return html
  }

  private func edit(_ device: DeviceDetail) throws(Refusal) -> HTML {
    let id = device.line.id
    var html: HTML = """
      <p><a class="button" href="/channels/\(query: "device." + id)">Settings for this device alone</a></p>

      """
    guard person.mayChange else { return html }
    html += "<h2>Change</h2>\n"
    html += form(
      "/devices/\(query: id)/name",
      """
      <p><label class="title" for="name">Name</label><input type="text" id="name" name="name" \
      value="\(device.line.name)" maxlength="64"> <button>Save</button></p>
      """)
    var choices: HTML = "<fieldset class=\"decide\"><legend>Groups</legend><div class=\"options\">"
    let groups = try model.groups()
    for group in groups {
      let isIn = device.line.groups.contains { $0.sameBytes(as: group.name) }
      choices += """
        <label class="option"><input type="checkbox" name="group" value="\(group.name)"\(" checked", if: isIn)> \
        \(group.name)</label>
        """
      if isIn { choices += "<input type=\"hidden\" name=\"seen\" value=\"\(group.name)\">" }
    }
    choices += "</div><p><button>Save</button></p></fieldset>"
    if !groups.isEmpty { html += form("/devices/\(query: id)/groups", choices) }
    return html
  }
}

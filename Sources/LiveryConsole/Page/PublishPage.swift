import LiveryClient
import LiveryHTTP
import LiveryPage

// The difference between what is set and what is published, and how it becomes none.

extension View {
  func difference(
    _ channel: String, _ typed: PublishForm = PublishForm(), status: Int = 200
  ) throws(Refusal) -> Response {
    let difference = try model.difference(channel)
    let title = Piece.title(ofChannel: channel)
    var html: HTML = """
      <p class="way"><a href="/channels">Channels</a> › <a href="/channels/\(query: channel)/form">\(title)</a></p>
      <h1>What becomes different</h1>
      \(done)
      """
    if let problem = typed.problem { html += Piece.notice(problem.message) }
    html += list(try pages.forms.drawn(channel, model)?.unfit ?? [], channel, difference.revision, "difference")
    guard !difference.settings.isEmpty else {
      html += "<p>What is set is what is published.</p>\n"
      html += overlays(difference)
      return shown(.channels, "Difference, \(title)", html, status: status)
    }
    html += "<p id=\"reach\"><b>\(reach(difference))</b></p>\n"
    for one in difference.elsewhere { html += "<div class=\"notice bad\"><p>\(one.words).</p></div>\n" }
    if let number = difference.trial {
      html += "<div class=\"notice\"><p>\(Difference.words(onTrial: number)).</p></div>\n"
    }
    if let words = typed.words { html += "<p id=\"when\" role=\"status\"><b>\(words)</b></p>\n" }
    html += try table(difference.settings, withDevices: true)
    html += overlays(difference)
    html += typed.html(self, channel, difference.revision)
    html += form(
      "/channels/\(query: channel)/discard",
      """
      <input type="hidden" name="revision" value="\(difference.revision)">\
      <p><button class="link">Discard the draft<span class="unseen"> of \(title)</span></button></p>
      """)
    return shown(.channels, "Difference, \(title)", html, status: status)
  }

  private func reach(_ difference: Difference) -> String {
    let all = Piece.count(difference.devices, "device takes", "devices take")
    guard let changed = difference.changed else { return "\(all) this channel." }
    return "\(all) this channel; on \(changed) of them something becomes different, as far as they have reported."
  }

  /// Settings before and after.
  func table(_ settings: [Difference.Setting], withDevices: Bool) throws(Refusal) -> HTML {
    let titles = try pages.forms.titles(model)
    var columns = ["Setting", "Before", "After"]
    if withDevices { columns.append("Devices") }
    var html: HTML = """
      <div class="wide" tabindex="0" role="region" aria-label="Difference"><table class="stack">\
      \(Piece.head(columns))<tbody>

      """
    for setting in settings {
      html += """
        <tr><th scope="row">\(titles?.title(of: setting.name) ?? setting.name)<br><code>\(setting.name)</code></th>\
        <td data-of="Before"><del>\(shown(setting.before, setting.name, titles))</del></td>\
        <td data-of="After"><ins>\(shown(setting.after, setting.name, titles))</ins></td>
        """
      if withDevices { html += "<td data-of=\"Devices\">\(setting.devices.map { $0.description } ?? "–")</td>" }
      html += "</tr>\n"
    }
    html += "</tbody></table></div>\n"
    return html
  }

  private func shown(_ setting: DraftSetting?, _ name: String, _ titles: FramedForm?) -> HTML {
    guard let setting, !setting.verb.isEmpty else { return "not set" }
    guard let value = setting.value else { return "\(Piece.verb(setting.verb))" }
    if setting.isSecret { return "\(Piece.verb(setting.verb)): <b>•••</b>" }
    return "\(Piece.verb(setting.verb)): <b>\(titles?.shown(name, value) ?? "–")</b>"
  }

  /// What holds above everything that can be published here.
  private func overlays(_ difference: Difference) -> HTML {
    guard !difference.overlays.isEmpty else { return "" }
    var html: HTML = "<h2>What holds above it</h2>\n<ul id=\"overlays\">\n"
    for line in difference.overlays {
      html += """
        <li><a href="/publications/\(line.number.description)">\(Piece.title(of: line))</a>\
        \(line.conditions.words.isEmpty ? "" : ": " + line.conditions.words)</li>

        """
    }
    return html + "</ul>\n"
  }

  /// Publishes, or shows first when and for whom what was typed would hold.
  func publish(_ channel: String) throws(Refusal) -> Response {
    var form = PublishForm(request.fields)
    do throws(Refusal) {
      let plan = try form.plan()
      if field("op").sameBytes(as: "look") {
        form.words = plan.told
        return try difference(channel, form)
      }
      let number = try model.publish(channel, plan, at: UInt64(field("revision")) ?? 0, by: person)
      return .redirect(to: "/publications/\(number.description)?done=published")
    } catch {
      guard error.reason == .invalid || error.reason == .conflict else { throw error }
      form.problem = error
      return try difference(channel, form, status: error.reason == .conflict ? 409 : 422)
    }
  }
}

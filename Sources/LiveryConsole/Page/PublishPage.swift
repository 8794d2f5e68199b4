import LiveryClient
import LiveryHTTP
import LiveryPage

// The difference between what is set and what is published, and how it becomes none.

extension View {
  func difference(
    _ channel: String, _ typed: Request? = nil, problem: String? = nil, status: Int = 200
  ) throws(Refusal) -> Response {
    let difference = try model.difference(channel)
    let title = Piece.title(ofChannel: channel)
    var html: HTML = """
      <p class="way"><a href="/channels">Channels</a> › <a href="/channels/\(query: channel)/form">\(title)</a></p>
      <h1>What becomes different</h1>
      \(done)
      """
    if let problem { html += Piece.notice(problem) }
    guard !difference.settings.isEmpty else {
      html += "<p>What is set is what is published.</p>\n"
      return shown(.channels, "Difference, \(title)", html, status: status)
    }
    html += "<p id=\"reach\"><b>\(reach(difference))</b></p>\n"
    html += try table(difference.settings, withDevices: true)
    html += plan(channel, difference, typed)
    html += form(
      "/channels/\(query: channel)/discard",
      "<p><button class=\"link\">Discard the draft<span class=\"unseen\"> of \(title)</span></button></p>")
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
    return "\(Piece.verb(setting.verb)): <b>\(titles?.shown(name, value) ?? "–")</b>"
  }

  private func plan(_ channel: String, _ difference: Difference, _ typed: Request?) -> HTML {
    func value(_ name: String, _ usual: String) -> String { typed?.fields[name] ?? usual }
    return form(
      "/channels/\(query: channel)/publish",
      """
      <h2>Publish</h2>
      <input type="hidden" name="revision" value="\(difference.revision)">
      <div class="row"><label class="title" for="comment">Comment</label>\
      <div class="control"><input type="text" id="comment" name="comment" value="\(value("comment", ""))" maxlength="500"></div></div>
      <div class="row"><label class="title" for="steps">Steps in percent of the devices</label>\
      <p class="about" id="steps-about">Rising, such as 5, 25, 100. 100 alone is all of them at once.</p>\
      <div class="control"><input type="text" id="steps" name="steps" value="\(value("steps", "5, 25, 100"))" required \
      aria-describedby="steps-about" maxlength="100"></div></div>
      <div class="row"><label class="title" for="pause">Minutes until the next step</label>\
      <div class="control"><input type="text" inputmode="numeric" id="pause" name="pause" value="\(value("pause", "60"))" required></div></div>
      <div class="row"><label class="title" for="bound">Most failures in percent</label>\
      <p class="about" id="bound-about">With more of them it stops by itself, and what was there before is back.</p>\
      <div class="control"><input type="text" inputmode="decimal" id="bound" name="bound" value="\(value("bound", "2"))" required \
      aria-describedby="bound-about"></div></div>
      <div class="save"><button class="main">Publish</button></div>

      """)
  }

  func publish(_ channel: String) throws(Refusal) -> Response {
    let revision = UInt64(field("revision")) ?? 0
    let number: Int64
    do throws(Refusal) {
      number = try model.publish(channel, try Plan(request.fields), at: revision, by: person)
    } catch {
      guard error.reason == .invalid || error.reason == .conflict else { throw error }
      return try difference(channel, request, problem: error.message, status: error.reason == .conflict ? 409 : 422)
    }
    return .redirect(to: "/publications/\(number.description)?done=published")
  }
}

extension Plan {
  /// Of a form that was sent.
  init(_ fields: Fields) throws(Refusal) {
    self.init()
    comment = fields["comment"] ?? ""
    guard comment.utf8.count <= 2000 else { throw Refusal(.invalid, "The comment is too long.") }
    steps = []
    for part in Array((fields["steps"] ?? "").utf8).split(separator: UInt8(ascii: ",")) {
      guard let share = Plan.hundredths(part[...]), share > (steps.last ?? 0), share <= 10_000 else {
        throw Refusal(.invalid, "The steps are rising percentages such as 5, 25, 100.")
      }
      steps.append(share)
    }
    guard !steps.isEmpty, steps.count <= 20 else { throw Refusal(.invalid, "There are 1 to 20 steps.") }
    if steps.last != 10_000 { steps.append(10_000) }
    guard let minutes = Plan.hundredths(Array((fields["pause"] ?? "").utf8)[...]), minutes <= 4_320_000 else {
      throw Refusal(.invalid, "The time until the next step is a number of minutes, up to 43,200.")
    }
    pause = minutes * 60 / 100
    guard let bound = Plan.hundredths(Array((fields["bound"] ?? "").utf8)[...]), bound <= 10_000 else {
      throw Refusal(.invalid, "The most failures are a percentage from 0 to 100.")
    }
    self.bound = bound
  }

  /// `2.5`, with `%` or without, as hundredths; nil if it is no such number.
  static func hundredths(_ bytes: ArraySlice<UInt8>) -> Int? {
    var digits = bytes.filter { $0 != 32 && $0 != UInt8(ascii: "%") }[...]
    guard !digits.isEmpty, digits.count <= 12 else { return nil }
    var number = 0
    var behind: Int?
    while let digit = digits.first {
      digits = digits.dropFirst()
      if digit == UInt8(ascii: "."), behind == nil {
        behind = 0
      } else if (48...57).contains(digit), (behind ?? 0) < 2, number < 100_000_000 {
        number = number * 10 + Int(digit - 48)
        behind = behind.map { $0 + 1 }
      } else {
        return nil
      }
    }
    for _ in (behind ?? 0)..<2 { number *= 10 }
    return number
  }
}

import LiveryClient
import LiveryHTTP
import LiveryPage

// Channels: what is set in them, and the form of it.

extension View {
  func channels(_ parts: [String]) throws(Refusal) -> Response {
    guard let channel = parts.first else { return isGet ? try channels() : gone() }
    let rest = parts.count > 1 ? parts[1] : ""
    if rest.sameBytes(as: "form") { return try form(of: channel) }
    guard parts.count <= 2 else { return gone() }
    switch rest {
    case "" where isGet: return .redirect(to: "/channels/\(Piece.part(channel))/form")
    case "difference" where isGet: return try difference(channel)
    case "publish" where !isGet: return try publish(channel)
    case "take-out" where !isGet: return try takeOut(of: channel)
    case "discard" where !isGet:
      try model.discard(channel, at: UInt64(field("revision")) ?? 0, by: person)
      return .redirect(to: "/channels/\(Piece.part(channel))/difference?done=discarded")
    default: return gone()
    }
  }

  private static let channelsOnPage = 100

  private func channels() throws(Refusal) -> Response {
    var html: HTML = """
      <h1>Channels</h1>
      <p class="about">What is set for the whole fleet, for groups and for devices. What stands further down is stronger.</p>
      <div id="channels" data-live data-revision="\(model.generation)">
      <div class="wide" tabindex="0" role="region" aria-label="Channels"><table class="stack">\
      \(Piece.head(["Channel", "Settings", "Not published yet", "Version", "Published", "Above it"]))<tbody>

      """
    let from = max(0, min(request.query["from"].flatMap { Int($0) } ?? 0, DeviceFilter.farthest))
    let (lines, total) = try model.channels(from: from, limit: View.channelsOnPage)
    for line in lines {
      html += """
        <tr><th scope="row">\(Piece.link(channel: line.name))</th><td data-of="Settings">\(line.settings)</td>\
        <td data-of="Not published yet">
        """
      if line.changes > 0 {
        html += """
          <a href="/channels/\(query: line.name)/difference">\(Piece.count(line.changes, "change", "changes"))\
          <span class="unseen"> of \(Piece.title(ofChannel: line.name))</span></a>
          """
      } else {
        html += "none"
      }
      html +=
        "</td><td data-of=\"Version\">\(line.version.map { $0.description } ?? "–")</td><td data-of=\"Published\">"
      if let number = line.publication {
        html += "<a href=\"/publications/\(number.description)\">\(Piece.time(line.published))</a>"
        if line.isRolling { html += " \(Piece.chip(PublicationLine.State.rolling))" }
      } else {
        html += "never"
      }
      html += "</td><td data-of=\"Above it\">\(above(line))</td></tr>\n"
    }
    html += "</tbody></table></div>\n"
    html += Piece.pager("Pages of channels", from, lines.count, total, View.channelsOnPage) { "/channels?from=\($0)" }
    html += "</div>\n"
    return shown(.channels, "Channels", html)
  }

  /// What holds above a channel for a time, or for some.
  private func above(_ line: ChannelLine) -> HTML {
    guard !line.overlays.isEmpty else { return "–" }
    var html: HTML = ""
    for (index, number) in line.overlays.enumerated() {
      if index > 0 { html += ", " }
      html += """
        <a href="/publications/\(number.description)">publication \(number.description)</a>
        """
    }
    return html
  }

  static let verbs = [
    Frame.Verb("", Piece.verb(""), holdsValue: false),
    Frame.Verb("recommend", Piece.verb("recommend"), holdsValue: true),
    Frame.Verb("replace", Piece.verb("replace"), holdsValue: true),
    Frame.Verb("enforce", Piece.verb("enforce"), holdsValue: true),
    Frame.Verb("release", Piece.verb("release"), holdsValue: false),
  ]

  /// The page's own form, drawn for what is set in a channel.
  private func form(of channel: String) throws(Refusal) -> Response {
    _ = try model.channel(channel)
    let root = "/channels/\(Piece.part(channel))/form"
    guard let drawn = try pages.forms.drawn(channel, model) else {
      return shown(
        .channels, Piece.title(ofChannel: channel),
        """
        <h1>\(Piece.title(ofChannel: channel))</h1>
        <p>There is no schema yet, which says what can be set. <a href="/schemas">Schemas</a></p>

        """)
    }
    var asked = request
    asked.path = request.path.after("/channels/\(channel)/form") ?? "/"
    if asked.path.isEmpty { asked.path = "/" }
    let frame = frame(channel, root, ChannelForms.Latest(drawn.draft), drawn.unfit)
    let form = FramedForm(drawn.store, .ofDrafts, frame, isReadOnly: !person.mayChange)
    return form.answer(asked, guest, guest.notes(of: channel))
  }

  private func frame(
    _ channel: String, _ root: String, _ latest: ChannelForms.Latest, _ unfit: [Unfit]
  ) -> Frame {
    let view = self
    return Frame(
      root: root, verbs: View.verbs, usual: "recommend", label: "On devices",
      verb: { name in latest.draft.settings.first { $0.name.sameBytes(as: name) }?.verb ?? "" },
      revision: { latest.draft.revision },
      take: { (changes) throws(StoreError) in try view.take(changes, in: channel, latest) },
      above: { view.banner(channel) + view.list(unfit, channel, latest.draft.revision, "form") },
      document: { title, navigation, main, request in
        var layout = view.layout(.channels)
        layout.more = navigation
        layout.root = root
        layout.query = request.query["q"] ?? ""
        return layout.document("\(title), \(Piece.title(ofChannel: channel))", main)
      })
  }

  /// Keeps what was saved in the form. What it was saved in is only a copy: it is made anew.
  private func take(_ changes: [Frame.Change], in channel: String, _ latest: ChannelForms.Latest) throws(StoreError) {
    defer { pages.forms.forget(channel) }
    do throws(Refusal) {
      let drawn = try pages.forms.drawn(channel, model)?.store
      var settings: [DraftSetting] = []
      for change in changes {
        for id in change.value?.images ?? [] {
          if let bytes = try? drawn?.assets.bytes(id) { try model.keep(bytes, by: person) }
        }
        var setting = DraftSetting(name: change.name, verb: change.verb, value: change.value)
        // It stays written as it is, which devices with an earlier schema know.
        setting.alias = latest.draft.settings.first { $0.name.sameBytes(as: change.name) }?.alias
        settings.append(setting)
      }
      try model.save(settings, in: channel, at: latest.draft.revision, by: person)
      latest.draft = try model.draft(channel)
    } catch {
      throw StoreError(error.reason == .busy ? .busy : .invalidValue, error.message)
    }
  }

  /// What of a draft does not fit the schema, or has no row in the form.
  ///
  /// - Parameter page: the one that it stands on.
  func list(_ unfit: [Unfit], _ channel: String, _ revision: UInt64, _ page: String) -> HTML {
    guard !unfit.isEmpty else { return "" }
    var lines: HTML = ""
    for one in unfit {
      lines += "<li><b>\(one.name)</b>: \(one.problem)"
      if person.mayChange {
        lines += """
           <button class="link" name="name" value="\(one.name)">Take out<span class="unseen"> \(one.name)</span></button>
          """
      }
      lines += "</li>\n"
    }
    let hidden: HTML = """
      <input type="hidden" name="revision" value="\(revision)"><input type="hidden" name="page" value="\(page)">
      """
    let content: HTML = "<ul>\n\(lines)</ul>\n"
    return """
      <div class="notice bad" id="unfit"><p>What has no row in the form, or does not fit the schema: set it anew, or take it out.</p>
      \(person.mayChange ? form("/channels/\(query: channel)/take-out", hidden + content) : content)</div>

      """
  }

  private func takeOut(of channel: String) throws(Refusal) -> Response {
    let setting = DraftSetting(name: field("name"), verb: "", value: nil)
    try model.save([setting], in: channel, at: UInt64(field("revision")) ?? 0, by: person)
    let page = field("page").sameBytes(as: "form") ? "form" : "difference?done=saved"
    return .redirect(to: "/channels/\(Piece.part(channel))/\(page)")
  }

  /// What stands above a form: of which channel it is, and what is next.
  private func banner(_ channel: String) -> HTML {
    var html: HTML = """
      <p class="way"><a href="/channels">Channels</a> › \(Piece.title(ofChannel: channel))</p>
      <div id="banner" data-live><p>
      """
    let line = try? model.channel(channel)
    let changes = line?.changes ?? 0
    if changes > 0 {
      html += """
        \(Piece.count(changes, "setting differs", "settings differ")) from what is published. \
        <a class="button" href="/channels/\(query: channel)/difference">Look at the difference, and publish</a>
        """
    } else {
      html += "All of it is published."
    }
    html += "</p>"
    if let line, !line.overlays.isEmpty {
      html += "<p>Above it, for a time or for some: \(above(line)).</p>"
    }
    html += "</div>\n"
    return html
  }
}

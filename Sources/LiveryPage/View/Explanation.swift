import LiveryClient
import LiveryHTTP

// Why a value counts, and how it came about.

extension Parts {
  /// Every layer's value of a setting, which one counts and why: what `livery_inspect` in C tells.
  func why(_ element: Element, _ report: Value) -> HTML {
    var html: HTML = "<h1>\(words[.why]): \(element.title)</h1>\n"
    if let reason = report["reason"]?.text { html += "<p>\(reason)</p>\n" }
    html += """
      <div class="wide"><table><thead><tr><th scope="col">\(words[.layer])</th><th scope="col">\(words[.value])</th>\
      <th scope="col">\(words[.state])</th><th scope="col">\(words[.time])</th><th scope="col">\(words[.origin])</th>\
      </tr></thead><tbody>

      """
    let isSecret = element.kind == .secret || report["secret"]?.isTrue ?? false
    for layer in report["layers"]?.items ?? [] {
      let state = layer["state"]?.text ?? ""
      html += """
        <tr\(" class=\"wins\"", if: state.sameBytes(as: "wins"))><th scope="row">\(layer["layer"]?.text ?? "")</th>\
        <td>\(isSecret ? words[.hidden] : shown(element, layer["value"]))</td><td>\(words.state(state))\
        \(layer["problem"]?.text.map { ": \($0)" } ?? "")</td><td>\(time(layer["time"]))</td>\
        <td>\(layer["origin"]?.text ?? "")</td></tr>

        """
    }
    html += "</tbody></table></div>\n"
    return html
  }

  /// The commits that touched a setting, the latest first: what `livery_history` in C tells.
  func history(_ element: Element?, _ commits: Value, next: UInt64?) -> HTML {
    var html: HTML = "<h1>\(words[.history])\(element.map { ": \($0.title)" } ?? "")</h1>\n"
    if commits.count == 0 { html += "<p>\(words[.nothingFound])</p>\n" }
    html += "<ol class=\"commits\">\n"
    for commit in commits.items ?? [] {
      let revision = UInt64(clamping: commit["revision"]?.whole ?? 0)
      html += """
        <li><p><b>\(words[.revision]) \(revision)</b> \(time(commit["time"])) \
        \(commit["layer"]?.text ?? "") \(commit["origin"]?.text ?? "")</p><ul>

        """
      for change in commit["changes"]?.items ?? [] {
        guard let name = change["name"]?.text, let about = form.element(name),
          element.map({ $0.name.sameBytes(as: name) }) ?? true
        else { continue }
        let isSecret = change["secret"]?.isTrue ?? false
        let old = isSecret ? words[.hidden] : shown(about, change["old"])
        let new = isSecret ? words[.hidden] : shown(about, change["new"])
        let why = change["expired"]?.isTrue ?? false ? ", " + words[.expired] : ""
        html += "<li>\(about.title): <del>\(old)</del> → <ins>\(new)</ins>\(why)</li>\n"
      }
      html += "</ul>"
      if form.undoable(commit, in: layer) != nil {
        html += """
          <form method="post" action="/undo">\(token)<button formaction="/undo?name=\(query: element?.name ?? "")" formmethod="post" \
          formnovalidate name="revision" value="\(revision)">\(words[.undo])<span class="unseen"> \(words[.revision]) \(revision)</span>\
          </button></form>
          """
      }
      html += "</li>\n"
    }
    html += "</ol>\n"
    if let next {
      html += "<p><a href=\"/history?name=\(query: element?.name ?? "")&amp;before=\(next)\">\(words[.older])</a></p>\n"
    }
    return html
  }

  private func shown(_ element: Element?, _ value: Value?) -> String {
    guard let value else { return words[.none] }
    return Parts.cut(element.map { inWords($0, value) } ?? value.plain)
  }

  /// A value of an element, and of a list its items with the titles of their members.
  private func inWords(_ element: Element, _ value: Value) -> String {
    if element.kind == .secret { return words[.hidden] }
    guard element.kind == .list else { return Row.display(element, element.shown(value), words) }
    // It may have been of another type.
    guard let items = value.items else { return value.plain }
    if items.isEmpty { return words[.emptyList] }
    let members = ListEntry.members(of: element.template)
    return joined(items, "; ") { (item) in
      if ListEntry.isPlain(members) { return inWords(members[0], item) }
      let there = members.filter { item[$0.name] != nil }
      if there.isEmpty { return "–" }
      return joined(there, ", ") {
        "\($0.title.isEmpty ? $0.name : $0.title): \(inWords($0, item[$0.name] ?? .string("")))"
      }
    }
  }

  /// As much of it as is shown at most.
  private func joined<T>(_ all: [T], _ separator: String, _ text: (T) -> String) -> String {
    var joined = ""
    for one in all where joined.utf8.count <= 500 { joined += (joined.isEmpty ? "" : separator) + text(one) }
    return joined
  }

  /// No more of a text than fits into a table.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > 500 else { return text }
    var bytes = Array(text.utf8.prefix(400))
    // Not within a character: what follows its first byte, and that.
    while let last = bytes.last, last >= 0x80 {
      bytes.removeLast()
      if last >= 0xC0 { break }
    }
    return String(decoding: bytes, as: UTF8.self) + "…"
  }

  func time(_ value: Value?) -> HTML {
    guard let value, case .date = value else { return "" }
    return HTML.time(value)
  }
}

extension HTML {
  package static func time(_ time: Timestamp) -> HTML { self.time(.date(time)) }

  fileprivate static func time(_ value: Value) -> HTML {
    let text = value.plain
    return
      "<time datetime=\"\(text)\">\(String(decoding: text.utf8.prefix(16).map { $0 == 84 ? 32 : $0 }, as: UTF8.self)) UTC</time>"
  }
}

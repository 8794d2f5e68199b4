import LiveryClient
import LiveryHTTP

extension Parts {
  /// The items of a list, each with its controls.
  ///
  /// - Parameter isTyped: whether it differs from what is stored.
  func list(_ element: Element, _ entry: ListEntry, _ draft: Draft?, mark: UInt64, isTyped: Bool) -> HTML {
    let way = form.page(of: element.name).map { Form.text($0) } ?? "0"
    var html: HTML =
      "<p class=\"way\"><a href=\"\(root)/at/\(way)#r\(element.id)\">\(words[.back])</a></p>\n<h1>\(element.title)</h1>\n"
    if let description = element.description { html += "<p class=\"about\">\(description)</p>\n" }
    if let message = draft?.error(element.name) ?? draft?.message {
      html += "<div class=\"notice bad\" role=\"alert\" tabindex=\"-1\" id=\"notice\"><p>\(message)</p></div>\n"
    }
    html += """
      <form id="form" method="post" action="\(root)/list?name=\(query: element.name)" enctype="multipart/form-data"\
      \(" data-typed", if: isTyped) autocomplete="off" novalidate>\
      \(token)<button class="first" name="op" value="save" tabindex="-1" aria-hidden="true"></button>

      """
    if draft?.isInConflict(element.name) ?? false { html += conflict(element) }
    html +=
      "<input type=\"hidden\" name=\"s:\(element.name)\" value=\"\(draft?.seenMark(element.name) ?? "\(mark).\(element.shownFingerprint)")\">\n"
    html += items(entry, at: "", element.isEditable)
    if element.isEditable {
      html += """
        <div class="save"><button class="main" name="op" value="save">\(words[.save])</button> \
        <span id="unsaved" role="status"></span></div>

        """
    }
    html += "</form>\n"
    return html
  }

  private func conflict(_ element: Element) -> HTML {
    var html: HTML = "<fieldset class=\"decide\"><legend>\(words[.conflictIntro])</legend>"
    html += "<input type=\"hidden\" name=\"k:\(element.name)\" value=\"1\">"
    html += """
      <label class="option"><input type="radio" name="c:\(element.name)" value="theirs"> \(words[.takeTheirs]): \
      <b>\(Parts.cut(element.value?.plain ?? words[.none]))</b></label>
      <label class="option"><input type="radio" name="c:\(element.name)" value="mine"> \(words[.keepMine])</label></fieldset>

      """
    return html
  }

  private func items(_ entry: ListEntry, at path: String, _ isEditable: Bool) -> HTML {
    let lead = path.isEmpty ? "" : path + "."
    var html: HTML = "<input type=\"hidden\" name=\"n:\(path)\" value=\"\(entry.items.count)\">\n"
    if entry.items.isEmpty { html += "<p>\(words[.emptyList])</p>\n" }
    html += "<ol class=\"items\">\n"
    for (place, item) in entry.items.enumerated() {
      let here = "\(lead)\(place)"
      html += "<li><fieldset class=\"item\"><legend>\(words[.item]) \(place + 1)</legend>"
      if let origin = item.origin { html += "<input type=\"hidden\" name=\"o:\(here)\" value=\"\(origin.text)\">" }
      html += members(entry, item.members, here, isEditable)
      if isEditable {
        html += "<p class=\"moves\">"
        if place > 0 { html += button("up", here, .moveUp, place) }
        if place + 1 < entry.items.count { html += button("down", here, .moveDown, place) }
        html += button("remove", here, .remove, place)
        html += "</p>"
      }
      html += "</fieldset></li>\n"
    }
    html += "</ol>\n"
    if isEditable {
      html += "<p><button name=\"op\" value=\"add:\(path)\" formnovalidate>\(words[.add])</button></p>\n"
    }
    return html
  }

  private func button(_ verb: String, _ path: String, _ word: Word, _ place: Int) -> HTML {
    """
    <button class="link" name="op" value="\(verb):\(path)" formnovalidate>\(words[word])\
    <span class="unseen"> \(words[.item]) \(place + 1)</span></button> 
    """
  }

  /// The controls of an item.
  ///
  /// - Parameter draft: what is wrong with them, by their names.
  func members(
    _ entry: ListEntry, _ members: [ListEntry.Member], _ path: String, _ isEditable: Bool, _ draft: Draft? = nil
  ) -> HTML {
    var html: HTML = ""
    for (index, (member, content)) in zip(entry.template, members).enumerated() {
      html += self.member(member, content, "\(path).\(index)", isEditable, draft?.error(member.name))
    }
    return html
  }

  private func member(
    _ element: Element, _ content: ListEntry.Member, _ path: String, _ isEditable: Bool, _ error: String?
  ) -> HTML {
    var html: HTML = ""
    let title = element.title.isEmpty ? element.name : element.title
    var text = ""
    if case .text(let typed) = content { text = typed }
    if case .list(let inner) = content {
      html += "<fieldset class=\"row\"><legend>\(title)</legend>"
      html += items(inner, at: path, isEditable)
      html += "</fieldset>\n"
      return html
    }
    var id = "m"
    for byte in path.utf8 { id += byte == UInt8(ascii: ".") ? "_" : String(UnicodeScalar(byte)) }
    let control = Control(
      element: element, key: (element.holdsFile ? "f:" : "m:") + path, id: id,
      text: element.kind == .secret ? "" : text,
      isEnabled: isEditable,
      descriptions: (error == nil ? "" : "e\(id) ") + (element.description == nil ? "" : "d\(id)"),
      isInvalid: error != nil,
      words: words)
    let tag: HTML = control.isGroup ? "fieldset" : "div"
    html += "<\(tag) class=\"row\">"
    if control.isGroup {
      html += "<legend>\(title)</legend>"
    } else {
      html += "<label class=\"title\" for=\"\(id)\">\(title.isEmpty ? words[.value] : title)</label>"
    }
    if let description = element.description { html += "<p class=\"about\" id=\"d\(id)\">\(description)</p>" }
    html += "<div class=\"control\">"
    if element.kind == .image {
      html += "<input type=\"hidden\" name=\"m:\(path)\" value=\"\(text)\">"
      if Assets.isID(text) {
        html += "<img class=\"preview\" src=\"\(root)/asset?id=\(text)\" alt=\"\(words[.current])\"> "
      }
    }
    html += control.html
    if let unit = element.unit { html += " <span class=\"unit\">\(unit)</span>" }
    html += "</div>"
    if let error { html += "<p class=\"error\" id=\"e\(id)\">\(error)</p>" }
    html += "</\(tag)>\n"
    return html
  }
}

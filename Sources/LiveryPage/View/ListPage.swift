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
    let messages = [draft?.error(element, words), draft?.message].compactMap { $0 }
    let missing = missing(entry)
    if !messages.isEmpty || !missing.bytes.isEmpty {
      html += "<div class=\"notice bad\" role=\"alert\" tabindex=\"-1\" id=\"notice\">"
      for message in messages { html += "<p>\(message)</p>" }
      if !missing.bytes.isEmpty { html += "<ul>\(missing)</ul>" }
      html += "</div>\n"
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

  /// What has to be typed or chosen again, a line each, which leads there.
  private func missing(_ entry: ListEntry, at path: String = "", of place: String = "") -> HTML {
    var html: HTML = ""
    for (index, item) in entry.items.enumerated() {
      for (number, (element, member)) in zip(entry.template, item.members).enumerated() {
        let here = "\(path)\(index).\(number)"
        let title = element.title.isEmpty ? element.name : element.title
        let name = "\(place)\(words[.item]) \(index + 1)" + (title.isEmpty ? "" : ", \(title)")
        if case .list(let inner) = member { html += missing(inner, at: here + ".", of: name + ", ") }
        guard item.missing.contains(number) else { continue }
        html += "<li><a href=\"#\(Parts.id(ofMember: here))\">\(name)</a>: \(words[element.wordForAgain])</li>"
      }
    }
    return html
  }

  /// Both lists, and the question which is to count: what is there now is told, and the other is below.
  private func conflict(_ element: Element) -> HTML {
    var html: HTML = "<fieldset class=\"decide\"><legend>\(words[.conflictIntro])</legend>"
    html += "<input type=\"hidden\" name=\"k:\(element.name)\" value=\"1\">"
    html += """
      <label class="option"><input type="radio" name="c:\(element.name)" value="theirs" aria-describedby="now"> \
      \(words[.takeTheirs]): <b>\(element.value?.count ?? 0) \(words[.items])</b></label>
      \(read(element.template, element.value?.items ?? []))\
      <label class="option"><input type="radio" name="c:\(element.name)" value="mine"> \(words[.keepMine])</label></fieldset>

      """
    return html
  }

  /// The items of a list for reading, a line each.
  private func read(_ template: [Element], _ items: [Value]) -> HTML {
    let most = 100
    let members = ListEntry.members(of: template)
    var html: HTML = "<ol id=\"now\">"
    for item in items.prefix(most) { html += "<li>\(Parts.cut(read(item, members)))</li>" }
    if items.count > most { html += "<li>…</li>" }
    html += "</ol>\n"
    return html
  }

  private func read(_ item: Value, _ members: [Element]) -> String {
    var text = ""
    for member in members {
      let isPlain = ListEntry.isPlain(members)
      guard let value = isPlain ? item : item[member.name] else { continue }
      let shown = read(member, value)
      guard !shown.isEmpty else { continue }
      let title = member.title.isEmpty ? member.name : member.title
      text += (text.isEmpty ? "" : ", ") + (title.isEmpty || isPlain ? "" : "\(title): ") + shown
    }
    return text
  }

  private func read(_ member: Element, _ value: Value) -> String {
    switch member.kind {
    case .secret: return value.isTrue ? words[.hidden] : ""
    case .list: return "\(value.count) \(words[.items])"
    case .data:
      guard case .data(let bytes) = value else { return "" }
      return "\(bytes.count) \(words[.bytes])"
    default: return Row.display(member, member.shown(value), words)
    }
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
      html += members(entry, item, here, isEditable)
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
    _ entry: ListEntry, _ item: ListEntry.Item, _ path: String, _ isEditable: Bool, _ draft: Draft? = nil
  ) -> HTML {
    var html: HTML = ""
    for (index, (member, content)) in zip(entry.template, item.members).enumerated() {
      let again = item.missing.contains(index) ? words[member.wordForAgain] : nil
      html += self.member(
        member, content, "\(path).\(index)", isEditable, note(member, entry, item.members),
        draft?.error(member, words) ?? again)
    }
    return html
  }

  /// Distinguishes the control of a member in a document.
  private static func id(ofMember path: String) -> String {
    var id = "m"
    for byte in path.utf8 { id += byte == UInt8(ascii: ".") ? "_" : String(UnicodeScalar(byte)) }
    return id
  }

  /// Whether the layer that is edited may have what the schema leaves to the console.
  private func mayChange(_ member: Element) -> Bool {
    !member.isReadOnly || ["recommended", "enforced"].contains { layer.sameBytes(as: $0) }
  }

  /// What is told of a member that cannot be changed, or is without effect as the item is.
  private func note(_ member: Element, _ entry: ListEntry, _ members: [ListEntry.Member]) -> String? {
    if !mayChange(member) { return words[.readOnly] }
    guard let other = member.enabledBy, let wanted = member.enabledByValue,
      let place = entry.template.firstIndex(where: { $0.name.sameBytes(as: other) }),
      case .text(let text) = members[place]
    else { return nil }
    let ruling = entry.template[place]
    if text.sameBytes(as: ruling.shown(wanted)) { return nil }
    return "\(words[.disabledBy]) \(ruling.title.isEmpty ? ruling.name : ruling.title)"
  }

  private func member(
    _ element: Element, _ content: ListEntry.Member, _ path: String, _ isEditable: Bool, _ note: String?,
    _ error: String?
  ) -> HTML {
    var html: HTML = ""
    let isEditable = isEditable && mayChange(element)
    let title = element.title.isEmpty ? element.name : element.title
    var text = ""
    if case .text(let typed) = content { text = typed }
    if case .list(let inner) = content {
      html += "<fieldset class=\"row\"><legend>\(title)</legend>"
      if let note { html += "<p class=\"state\"><span class=\"lock\">\(note)</span></p>" }
      html += items(inner, at: path, isEditable)
      html += "</fieldset>\n"
      return html
    }
    let id = Parts.id(ofMember: path)
    let control = Control(
      element: element, key: (element.holdsFile ? "f:" : "m:") + path, id: id,
      text: element.kind == .secret ? "" : text,
      isEnabled: isEditable,
      descriptions: (error == nil ? "" : "e\(id) ") + (note == nil ? "" : "n\(id) ")
        + (element.description == nil ? "" : "d\(id)"),
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
    // What is disabled is not sent: it comes back as it is.
    let isSent = isEditable || element.kind == .secret || element.kind == .data
    if element.kind == .choices, !isSent {
      for part in Element.parts(text) { html += "<input type=\"hidden\" name=\"m:\(path)\" value=\"\(part)\">" }
    } else if element.kind == .image || !isSent {
      html += "<input type=\"hidden\" name=\"m:\(path)\" value=\"\(text)\">"
    }
    if element.kind == .image {
      if Assets.isID(text) {
        html += "<img class=\"preview\" src=\"\(root)/asset?id=\(text)\" alt=\"\(words[.current])\"> "
      }
    }
    html += control.html
    if let unit = element.unit { html += " <span class=\"unit\">\(unit)</span>" }
    html += "</div>"
    if let note { html += "<p class=\"state\" id=\"n\(id)\"><span class=\"lock\">\(note)</span></p>" }
    if let error { html += "<p class=\"error\" id=\"e\(id)\">\(error)</p>" }
    html += "</\(tag)>\n"
    return html
  }
}

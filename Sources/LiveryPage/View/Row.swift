import LiveryClient
import LiveryHTTP

/// What is drawn for one setting.
struct Row {
  var element: Element
  /// At which the form was made.
  var revision: UInt64
  /// The layer that is edited.
  var layer: String
  var words: Words
  /// What came back, if it did.
  var draft: Draft?
  /// Where the form is a part of another site.
  var frame: Frame?

  var id: String { element.id }
  private var error: String? {
    guard let draft else { return nil }
    if let error = draft.error(element, words) { return error }
    // What was typed is not sent back, also if it is another field that was refused: the script keeps it.
    if element.kind == .secret, isTyped { return words[.secretAgain] }
    return draft.hasLostFile(element.name) ? words[.fileAgain] : nil
  }
  var isInConflict: Bool { draft?.isInConflict(element.name) ?? false }

  /// What the control shows: what was typed, or the value.
  private var text: String {
    element.kind == .secret ? "" : draft?.typed(element) ?? element.shownNow
  }

  private var isTyped: Bool { draft?.typed(element) != nil }

  /// Where nothing was saved the person has still seen what was drawn before, except for what is told of now.
  private var mark: String {
    if !isInConflict, let former = draft?.sentMark(element.name) { return former }
    return element.mark(at: revision)
  }

  private var control: Control {
    var descriptions = element.description == nil ? "" : "d\(id) "
    descriptions += "e\(id) n\(id)"
    return Control(
      element: element, key: (element.holdsFile ? "f:" : "v:") + element.name, id: "i\(id)", text: text,
      isEnabled: element.isEditable,
      descriptions: descriptions, isInvalid: error != nil, words: words)
  }

  var html: HTML {
    let control = control
    let tag: HTML = control.isGroup ? "fieldset" : "div"
    var html: HTML = """
      <\(tag) class="row\(" wrong", if: error != nil)\(" conflict", if: isInConflict)\(" fixed", if: !element.isEditable)" \
      id="r\(id)" data-name="\(element.name)" data-kind="\(kind)"\(" data-typed", if: isTyped && element.kind != .secret)>
      """
    html += label(control)
    if let description = element.description { html += "<p class=\"about\" id=\"d\(id)\">\(description)</p>" }
    html += "<div class=\"control\">"
    html += preview
    html += control.html
    if element.kind == .list { html += list }
    if let unit = element.unit { html += " <span class=\"unit\">\(unit)</span>" }
    html += "</div>"
    html += verb
    if element.kind == .secret { html += secretState }
    html += "<p class=\"error\" id=\"e\(id)\" aria-live=\"polite\">\(error ?? "")</p>"
    if isInConflict { html += conflict }
    html += state
    if element.isEditable, element.kind != .list || frame != nil {
      html += "<input type=\"hidden\" name=\"s:\(element.name)\" value=\"\(mark)\">"
    }
    html += "</\(tag)>\n"
    return html
  }

  private var root: String { frame?.root ?? "" }

  private var kind: HTML {
    switch element.kind {
    case .color: "color"
    case .list: "list"
    case .secret: "secret"
    default: ""
    }
  }

  private func label(_ control: Control) -> HTML {
    var badges: HTML = ""
    if element.isRequired { badges += " <span class=\"badge\">\(words[.required])</span>" }
    if element.needsRestart { badges += " <span class=\"badge\">\(words[.restart])</span>" }
    if let deprecated = element.deprecated {
      badges += " <span class=\"badge warn\">\(words[.deprecated])\(deprecated.isEmpty ? "" : ": \(deprecated)")</span>"
    }
    let title = element.title.isEmpty ? element.name : element.title
    if control.isGroup { return "<legend>\(title)\(badges)</legend>" }
    if element.kind == .list { return "<p class=\"title\">\(title)\(badges)</p>" }
    return "<label class=\"title\" for=\"i\(id)\">\(title)\(badges)</label>"
  }

  /// What a file shows today.
  private var preview: HTML {
    switch (element.kind, element.value) {
    case (.image, .image(let reference)?) where Assets.isID(reference):
      let title = "\(words[.current]): \(element.title)"
      return "<img class=\"preview\" src=\"\(root)/asset?id=\(query: reference)\" alt=\"\(title)\"> "
    case (.image, let value?): return "<code>\(value.plain)</code> "
    case (.data, .data(let bytes)?): return "<span>\(bytes.count) \(words[.bytes])</span> "
    default: return ""
    }
  }

  private var list: HTML {
    let count = element.value?.count ?? 0
    return """
      <span>\(count) \(words[.items])</span> \
      <a class="button" href="\(root)/list?name=\(query: element.name)">\(words[.editList])<span class="unseen"> \
      \(element.title)</span></a>
      """
  }

  private var secretState: HTML {
    var html: HTML = "<p class=\"about\">\(words[element.isSet ? .secretSet : .secretUnset])"
    // What may not be empty is reset.
    if element.isSet, element.isEditable, (element.minimumLength ?? 0) == 0 {
      html += """
         <label class="option"><input type="checkbox" name="x:\(element.name)" value="1"\
        \(" checked", if: draft?.fields["x:" + element.name] != nil)> \(words[.secretRemove])</label>
        """
    }
    html += "</p>"
    return html
  }

  /// Both values, and the question which is to count.
  private var conflict: HTML {
    var html: HTML = "<fieldset class=\"decide\"><legend>\(words[.decide])</legend>"
    html += "<input type=\"hidden\" name=\"k:\(element.name)\" value=\"1\">"
    let now = element.kind == .secret ? words[.hidden] : Row.display(element, element.shown(element.value), words)
    let yours = element.kind == .secret ? words[.hidden] : Row.display(element, text, words)
    html += """
      <label class="option"><input type="radio" name="c:\(element.name)" value="theirs"> \(words[.takeTheirs]): \
      <b>\(now)</b>\(by)</label>
      <label class="option"><input type="radio" name="c:\(element.name)" value="mine"> \(words[.keepMine]): <b>\(yours)</b></label>
      </fieldset>
      """
    return html
  }

  private var by: HTML {
    guard frame == nil, let origin = element.origin, !origin.isEmpty else { return "" }
    return " (\(words[.by]) \(origin))"
  }

  /// A value for reading.
  static func display(_ element: Element, _ text: String, _ words: Words) -> String {
    switch element.kind {
    case .toggle: return words[text.sameBytes(as: "1") ? .on : .off]
    case .choice, .choices:
      var shown = ""
      for part in element.kind == .choice ? [text] : Element.parts(text) {
        var title = part
        for option in element.options where option.text.sameBytes(as: part) { title = option.title }
        shown += (shown.isEmpty ? "" : ", ") + title
      }
      return shown
    case .date: return text.isEmpty ? text : "\(text) UTC"
    default: return text
    }
  }

  /// Where the value is from, what is required of it, and where to learn more.
  private var state: HTML {
    var html: HTML = "<p class=\"state\" id=\"n\(id)\">"
    if let limits = Limits(element, words).text { html += "<span>\(limits)</span> " }
    switch element.obstacle {
    case .locked?, .readOnly?: html += "<span class=\"lock\">\(element.obstruction(words) ?? "")</span> "
    case .disabled(let other)?: html += "<span class=\"lock\">\(words[.disabledBy]) \(other)</span> "
    case nil: break
    }
    if !element.isSet {
      html += "<span>\(words[.noValue])</span> "
    } else if element.isDefault {
      html += "<span>\(words[.isDefault])</span> "
    } else if let from = element.layer, from.sameBytes(as: layer) {
      html += "<span class=\"own\">\(words[.setHere])</span> "
    } else if let from = element.layer, element.obstacle == nil {
      html += "<span>\(words[.from]) \(words.name(ofLayer: from))</span> "
    }
    // A copy for drawing does not know why.
    if frame != nil {
      html += "</p>"
      return html
    }
    html += """
      <a href="/why?name=\(query: element.name)" data-part="\(id)">\(words[.why])<span class="unseen">: \(element.title)</span></a> \
      <a href="/history?name=\(query: element.name)" data-part="\(id)">\(words[.history])<span class="unseen">: \(element.title)</span></a>
      """
    if element.hasOwnValue, element.isEditable {
      html += """
         <button class="link" name="op" value="reset:\(element.name)" title="\(words[.resetTitle])" formnovalidate>\
        \(words[.reset])<span class="unseen">: \(element.title)</span></button>
        """
    }
    html += "</p><div id=\"p\(id)\" class=\"part\"></div>"
    return html
  }
}

/// What the schema asks of a value, in words.
struct Limits {
  private(set) var text: String?

  init(_ element: Element, _ words: Words) {
    add(element.minimum?.plain, element.maximum?.plain, "", words)
    add(
      element.minimumLength?.description, element.maximumLength?.description,
      " " + words[element.kind == .data ? .bytes : .characters], words)
    add(nil, element.maximumItems?.description, " " + words[.items], words)
    if let step = element.step { add("\(words[.inSteps]) \(step.plain)") }
  }

  private mutating func add(_ low: String?, _ high: String?, _ unit: String, _ words: Words) {
    switch (low, high) {
    case (let low?, let high?): add("\(low) \(words[.range]) \(high)\(unit)")
    case (let low?, nil): add("\(words[.atLeast]) \(low)\(unit)")
    case (nil, let high?): add("\(words[.atMost]) \(high)\(unit)")
    default: break
    }
  }

  private mutating func add(_ limit: String) { text = text.map { "\($0), \(limit)" } ?? limit }
}

extension Assets {
  /// Whether a reference is an asset's id and no URL.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) || (65...70).contains($0) }
  }
}

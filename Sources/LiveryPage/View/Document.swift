import LiveryClient
import LiveryHTTP

/// A whole document: what stands around the part that changes.
struct Document {
  var title: String
  /// What the whole is called.
  var name: String
  var words: Words
  var form: Form
  /// The page among the groups that is shown.
  var path: Form.Path?
  var hasLogo: Bool
  var brand: BrandColors
  var query = ""
  /// The field that says of a form that it is the session's own.
  var token: HTML
  /// What is said of prompts, and when that was so; nil where none are shown.
  var prompts: (revision: UInt64, lines: HTML)?
  var main: HTML
  /// With what addresses begin.
  var root = ""

  var html: HTML {
    var html: HTML = """
      <!DOCTYPE html>
      <html lang="\(words.tag)"\(" dir=\"rtl\"", if: words.isRightToLeft)>
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/style.css?v=\(Page.style.version ?? "")">
      <link rel="stylesheet" href="/brand.css?v=\(brand.style.version ?? "")">
      <script src="/script.js?v=\(Page.script.version ?? "")" defer></script>
      </head>
      <body data-unsaved="\(words[.unsaved])" data-changed="\(words[.changedMeanwhile])" data-offline="\(words[.offline])" \
      data-ended="\(words[.ended])">
      <a class="skip" href="#main">\(words[.skip])</a>
      <header class="bar">
      """
    if hasLogo { html += "<img class=\"logo\" src=\"/logo\" alt=\"\">" }
    html += """
      <a class="name" href="/">\(name)</a>
      <form role="search" action="/search" method="get"><label class="unseen" for="q">\(words[.searchHint])</label>\
      <input type="search" id="q" name="q" value="\(query)" placeholder="\(words[.typeHere])" autocomplete="off" maxlength="1024"></form>
      <form action="/done" method="post">\(token)<button>\(words[.done])</button></form>
      </header>

      """
    if let prompts {
      html += """
        <aside id="prompts" aria-label="\(words[.asked])" data-revision="\(prompts.revision)">\(prompts.lines)</aside>

        """
    }
    html += "<div class=\"body\">\n"
    html += "<nav aria-label=\"\(words[.groups])\">\(navigation)</nav>\n"
    html +=
      "<main id=\"main\" tabindex=\"-1\">\(main)</main>\n</div>\n<p id=\"live\" class=\"unseen\" role=\"status\"></p>\n</body>\n</html>\n"
    return html
  }

  /// The groups of settings.
  var navigation: HTML {
    var html: HTML = "<ul>\n"
    for (index, group) in form.groups.enumerated() {
      let isHere = path?.first == index
      html += """
        <li><a href="\(root)/at/\(index)"\(" aria-current=\"page\"", if: isHere && path?.count == 1)\
        \(" aria-current=\"true\"", if: isHere && path?.count != 1)>\(group.title.isEmpty ? words[.settings] : group.title)</a></li>

        """
    }
    if brand.isAny || !root.isEmpty { html += "<li><a href=\"\(root)/brand\">\(words[.brand])</a></li>\n" }
    html += "</ul>"
    return html
  }

}

/// What may stand in the part of a document that changes.
struct Parts {
  var form: Form
  var layer: String
  var words: Words
  /// The field that says of a form that it is the session's own.
  var token: HTML
  /// Where the form is a part of another site.
  var frame: Frame?

  /// With what addresses begin.
  var root: String { frame?.root ?? "" }

  /// The settings of one page.
  func settings(_ view: Form.View, _ draft: Draft?, saved: UInt64?) -> HTML {
    var html: HTML = ""
    if !view.parents.isEmpty {
      html += "<p class=\"way\">"
      for parent in view.parents { html += "<a href=\"\(root)/at/\(Form.text(parent.path))\">\(parent.title)</a> › " }
      html += "</p>\n"
    }
    html += "<h1>\(view.title.isEmpty ? words[.settings] : view.title)</h1>\n"
    if let description = view.description { html += "<p class=\"about\">\(description)</p>\n" }
    html += notice(draft, saved: saved, covered: frame == nil ? view.elements.filter { isCovered($0) } : [])
    let hasFiles = view.elements.contains { $0.holdsFile }
    html += """
      <form id="form" method="post" action="\(root)/at/\(Form.text(view.path))" data-revision="\(form.revision)" autocomplete="off" novalidate\
      \(" enctype=\"multipart/form-data\"", if: hasFiles)>\(token)
      <button class="first" name="op" value="save" tabindex="-1" aria-hidden="true"></button>

      """
    if view.elements.isEmpty { html += "<p>\(words[.noSettings])</p>\n" }
    var hasControls = false
    for (index, element) in view.elements.enumerated() {
      switch element.kind {
      case .header:
        html += "<h2>\(element.title)</h2>\n"
        if let description = element.description { html += "<p class=\"about\">\(description)</p>\n" }
      case .pane: html += pane(element, view.path + [index])
      default:
        hasControls = hasControls || element.isEditable && (element.kind != .list || frame != nil)
        html +=
          Row(element: element, revision: form.revision, layer: layer, words: words, draft: draft, frame: frame).html
      }
    }
    if hasControls || draft != nil {
      html += """
        <div class="save"><button class="main" name="op" value="save">\(words[.save])</button> \
        <span id="unsaved" role="status"></span></div>

        """
    }
    html += "</form>\n"
    return html
  }

  private func pane(_ element: Element, _ path: Form.Path) -> HTML {
    var html: HTML =
      "<a class=\"pane\" href=\"\(root)/at/\(Form.text(path))\"><span class=\"title\">\(element.title)</span>"
    if let description = element.description { html += "<span class=\"about\">\(description)</span>" }
    html += "</a>\n"
    return html
  }

  /// What became of what was sent: the first thing that is read.
  ///
  /// - Parameters:
  ///   - form: where its settings are; the whole if nil.
  ///   - covered: settings of which something else counts than what is set here.
  func notice(_ draft: Draft?, saved: UInt64?, _ form: Form? = nil, covered: [Element] = []) -> HTML {
    if let saved {
      var html: HTML = """
        <div class="notice good" role="status" tabindex="-1" id="notice"><p>\(saved == 0 ? words[.nothingToSave] : words[.saved])</p>
        """
      if saved != 0, !covered.isEmpty {
        html += "<p>\(words[.covered])</p><ul>"
        for element in covered {
          html += "<li>\(element.title): \(words[.lockedBy]) \(words.name(ofLayer: element.layer ?? ""))</li>"
        }
        html += "</ul>"
      }
      html += "</div>\n"
      return html
    }
    guard let draft else { return "" }
    let isHarmless = draft.message == nil && draft.errors.isEmpty && draft.conflicts.isEmpty
    if isHarmless { return "" }
    var html: HTML = "<div class=\"notice bad\" role=\"alert\" tabindex=\"-1\" id=\"notice\">"
    html += "<p>\(draft.message ?? (draft.conflicts.isEmpty ? words[.notSaved] : words[.conflictIntro]))</p>"
    html += "<ul>"
    for name in draft.names {
      guard draft.error(name) != nil || draft.isInConflict(name), let element = (form ?? self.form).element(name) else {
        continue
      }
      html += "<li><a href=\"#i\(element.id)\">\(element.title.isEmpty ? name : element.title)</a>"
      if let error = draft.error(element, words) { html += ": \(error)" }
      html += "</li>"
    }
    html += "</ul></div>\n"
    return html
  }

  /// Whether what a stronger layer has counts, and not what is set here.
  private func isCovered(_ element: Element) -> Bool {
    let names = Layer.allCases.map { $0.description }
    guard element.hasOwnValue, element.isEditable,
      let winner = names.firstIndex(where: { $0.sameBytes(as: element.layer ?? "") }),
      let own = names.firstIndex(where: { $0.sameBytes(as: layer) })
    else { return false }
    return winner > own
  }

  /// A sentence alone.
  func message(_ title: String, _ text: String) -> HTML {
    "<h1>\(title)</h1>\n<p id=\"notice\" tabindex=\"-1\">\(text)</p>\n"
  }
}

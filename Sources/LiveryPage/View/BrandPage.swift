import LiveryClient
import LiveryHTTP

extension Parts {
  /// The brand as the app sees it, brands to switch to, and a device to look at it on.
  ///
  /// - Parameters:
  ///   - device: the one that was asked for.
  ///   - hasDraft: whether there is one that is not saved; nil where none can be made.
  func brand(_ drawing: BrandDrawing, _ brands: Value?, _ device: BrandDevice?, hasDraft: Bool?, saved: UInt64?) -> HTML
  {
    var html: HTML = "<h1>\(words[.brand])\(drawing.name.map { ": \($0)" } ?? "")</h1>\n"
    html += notice(nil, saved: saved)
    if let brands { html += self.brands(brands) }
    if let hasDraft {
      html += "<p><a class=\"button\" href=\"\(root)/draft\">\(words[.tryChanges])</a>"
      if hasDraft { html += " \(words[.draftWaits])" }
      html += "</p>\n"
    }
    html += chooser(device)
    html += drawing.html
    return html
  }

  private func brands(_ brands: Value) -> HTML {
    guard brands.count > 1 else { return "" }
    var html: HTML = "<form method=\"post\" action=\"\(root)/brand\" class=\"brands\">\(token)"
    for brand in brands.items ?? [] {
      let id = brand["id"]?.text ?? ""
      let isActive = brand["active"]?.isTrue ?? false
      html += """
        <button name="use" value="\(id)"\(" aria-pressed=\"true\"", if: isActive)\(" aria-pressed=\"false\"", if: !isActive)>\
        \(brand["name"]?.text ?? id)</button> 
        """
    }
    html += "</form>\n"
    return html
  }

  private func chooser(_ device: BrandDevice?) -> HTML {
    var html: HTML =
      "<form method=\"get\" action=\"\(root)/brand\" class=\"chooser\"><label>\(words[.device]) <select name=\"idiom\">"
    html += "<option value=\"\">\(words[.usualDevices])</option>"
    for kind in BrandDevice.kinds {
      let isChosen = device?.traits.idiom == kind.idiom
      html += "<option value=\"\(kind.text)\"\(" selected", if: isChosen)>\(words[kind.title])</option>"
    }
    html += "</select></label> <label>\(words[.appearance]) <select name=\"appearance\">"
    html += "<option value=\"light\">\(words[.light])</option>"
    html += "<option value=\"dark\"\(" selected", if: device?.traits.isDark == true)>\(words[.dark])</option>"
    html += "</select></label> <label>\(words[.scale]) <select name=\"scale\">"
    for scale in 1...4 {
      let isChosen = device.map { $0.traits.scale == Double(scale) } ?? (scale == 2)
      html += "<option value=\"\(scale)\"\(" selected", if: isChosen)>\(scale)×</option>"
    }
    html += "</select></label> <button>\(words[.show])</button></form>\n"
    return html
  }

  /// What a person tries on a brand: its colors and images to change, and what it would look like.
  ///
  /// - Parameters:
  ///   - form: the brand's settings.
  ///   - shown: what is drawn of the draft, and what is wrong with it.
  func draft(_ form: Form, _ draft: BrandDraft?, _ shown: Draft?, _ drawing: BrandDrawing) -> HTML {
    let sheet = drawing.colors.sheet
    var html: HTML = """
      <link rel="stylesheet" href="\(root)/draft.css?\(fingerprint(sheet.bytes))">
      <p class="way"><a href="\(root)/brand">\(words[.brand])</a></p>
      <h1>\(words[.draft])</h1>
      <p class="about">\(words[.draftHint])</p>

      """
    html += notice(shown, saved: nil, form)
    html += """
      <form id="form" method="post" action="\(root)/draft" enctype="multipart/form-data" data-kept autocomplete="off" novalidate>\(token)
      <button class="first" name="op" value="show" tabindex="-1" aria-hidden="true"></button>

      """
    for element in form.groups.flatMap({ $0.elements }) {
      html +=
        Row(element: element, revision: form.revision, layer: layer, words: words, draft: shown, frame: frame).html
      if let image = draft?.image(element.name) {
        html += """
          <p class="control"><img class="preview" src="\(root)/draft/image?id=\(query: image.id)" alt="\(words[.draft])"> \
          <label class="option"><input type="checkbox" name="r:\(element.name)" value="1"> \(words[.takeOut])\
          <span class="unseen">: \(element.title)</span></label></p>

          """
      }
    }
    html += """
      <div class="save"><button name="op" value="show">\(words[.show])</button> \
      <button class="main" name="op" value="save">\(words[.save])</button> \
      <button class="link" name="op" value="drop" formnovalidate>\(words[.dropDraft])</button> \
      <span id="unsaved" role="status"></span></div>
      </form>

      """
    html += drawing.html
    return html
  }
}

import LiveryClient
import LiveryHTTP

/// One request of a session on its way to an answer.
struct Desk {
  let page: Page
  let request: Request
  let guest: Guest
  /// The language that the form was made in.
  let locale: String
  let form: Form
  let words: Words
  let parts: Parts

  var store: Store { page.store }

  /// A whole document, or for the script the part that changes.
  func shown(_ title: String, _ main: HTML, path: Form.Path? = nil, status: Int = 200, query: String = "") -> Response {
    var shown = page.options.frame?.above() ?? trial
    shown += main
    let main = shown
    if request.isFromScript { return Response(status: status, body: main.bytes) }
    if let frame = page.options.frame {
      return Response(status: status, body: framed(title, path, query, main, frame).bytes)
    }
    let document = Document(
      title: title.isEmpty ? self.title : "\(title) – \(self.title)", name: self.title, words: words, form: form,
      path: path,
      hasLogo: page.logoAsset != nil, brand: BrandColors(store), query: query, token: parts.token,
      prompts: page.prompts.map { (revision: $0.revision, lines: parts.prompts($0)) }, main: main)
    return Response(status: status, body: document.html.bytes)
  }

  /// A document of the site that the form is a part of.
  private func framed(_ title: String, _ path: Form.Path?, _ query: String, _ main: HTML, _ frame: Frame) -> HTML {
    let document = Document(
      title: "", name: "", words: words, form: form, path: path, hasLogo: false, brand: BrandColors(store),
      token: parts.token, main: "", root: frame.root)
    return frame.document(title.isEmpty ? words[.settings] : title, document.navigation, main, request)
  }

  /// What the whole is called.
  private var title: String { page.options.title ?? form.title ?? words[.settings] }

  /// A setting by its name: one of the form, or a color or an image of the brand.
  func element(_ name: String) -> Element? { form(of: name).element(name) }

  /// What a setting stands in: the form of the schema, or what can be set of the brand.
  func form(of name: String) -> Form {
    guard form.element(name) == nil, name.after("branding.") != nil else { return form }
    return (try? page.brandForm(form)) ?? form
  }

  func gone() -> Response { shown(words[.gone], parts.message(words[.gone], ""), status: 404) }

  /// The same with what is in the store now.
  func again() throws(StoreError) -> Desk {
    let form = try page.form(locale)
    return Desk(
      page: page, request: request, guest: guest, locale: locale, form: form, words: words,
      parts: page.parts(form, words, guest.visitor))
  }

  // MARK: Settings

  func settings(_ path: Form.Path, _ draft: Draft? = nil, status: Int = 200) -> Response {
    guard let view = form.view(at: path) else {
      return path == [0] ? shown("", parts.message(words[.settings], words[.noSettings]), path: [0]) : gone()
    }
    guest.notes.place = "/at/\(Form.text(path))"
    let saved = draft == nil ? request.query["saved"].flatMap { UInt64($0) } : nil
    return shown(view.title, parts.settings(view, draft, saved: saved), path: path, status: status)
  }

  func save(_ path: Form.Path) -> Response {
    guard let view = form.view(at: path) else { return gone() }
    let draft = Draft(request.fields)
    guard let name = draft.fields["op"]?.after("reset:") else {
      return answer(page.save(draft, request.files, form, words), path)
    }
    guard let element = form.element(name), element.isEditable else { return gone() }
    switch page.reset(element, draft) {
    case .refused(let refused): return answer(.refused(refused), path)
    case .done(let revision, let names): guest.notes.add(revision, names)
    case .nothing: break
    }
    // What else was typed stays as it was typed.
    var rest = draft
    rest.done = name
    let isTyped = view.elements.contains { rest.typed($0) != nil }
    guard isTyped, let now = try? again() else { return answer(.nothing, path, isReset: true) }
    return now.settings(path, rest)
  }

  /// What follows after something was to be changed on a page.
  func answer(_ saved: Saved, _ path: Form.Path, isReset: Bool = false) -> Response {
    let revision: UInt64
    switch saved {
    case .refused(let refused):
      let status = refused.conflicts.isEmpty ? 422 : 409
      guard let now = try? again() else { return settings(path, refused, status: status) }
      return now.settings(path, refused, status: status)
    case .done(let made, let names):
      guest.notes.add(made, names)
      revision = made
    case .nothing: revision = 0
    }
    // A reset shows itself.
    let told = isReset ? nil : revision
    if request.isFromScript, let now = try? again(), let view = now.form.view(at: path) {
      return now.shown("", now.parts.settings(view, nil, saved: told), path: path)
    }
    return .redirect(to: page.root + "/at/\(Form.text(path))" + (told.map { "?saved=\($0)" } ?? ""))
  }

  /// What would be wrong with what was typed so far: the message of each setting, a line each, or nothing.
  func check() -> Response {
    var response = Response(type: "text/plain; charset=utf-8")
    let draft = Draft(request.fields)
    for name in draft.names {
      guard let element = element(name), let typed = draft.typed(element) else { continue }
      if let problem = page.problem(element, typed) {
        response.body += (problem.constraint.flatMap { words.fault($0, of: element) } ?? problem.message).utf8
        response.body.append(10)
      }
    }
    return response
  }

  func done() -> Response {
    var response = shown(words[.closed], parts.message(words[.closed], words[.closedHint]))
    response.cookie = .forget
    if let session = guest.visitor as? Session { response.then = { [page] in page.close(session) } }
    return response
  }
}

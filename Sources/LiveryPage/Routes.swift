import CPage
import LiveryClient

extension Page {
  /// What a request of a session is answered with.
  func answer(_ request: Request) -> Response {
    do throws(StoreError) {
      if let response = asset(request) { return response }
      guard let session = request.session else { return Response(status: 403, type: "text/plain; charset=utf-8") }
      let locale = locale(for: request)
      if !request.path.sameBytes(as: "/events") { session.notes.locale = locale }
      let words = Words(locale)
      let form = try form(locale)
      let parts = parts(form, words, session)
      let desk = Desk(page: self, request: request, session: session, form: form, words: words, parts: parts)
      switch (request.method, request.path) {
      case (.get, "/events"): return Response(type: "text/event-stream", body: Array(": \n\n".utf8), isStream: true)
      case (.get, "/logo"): return logo
      case (.get, "/asset"): return stored(request.query["id"] ?? "")
      case (.get, "/"): return desk.settings([0])
      case (.get, "/search"): return try desk.search()
      case (.get, "/why"): return try desk.why()
      case (.get, "/history"): return try desk.history()
      case (.get, "/list"): return desk.list()
      case (.get, "/brand"): return try desk.brand()
      case (.get, _):
        if let path = request.path.after("/at/").flatMap({ Form.path($0) }) { return desk.settings(path) }
      case (.post, "/done"): return desk.done()
      case (.post, "/undo"): return desk.undo()
      case (.post, "/list"): return desk.saveList()
      case (.post, "/check"): return desk.check()
      case (.post, "/brand"): return desk.useBrand()
      case (.post, _):
        if let path = request.path.after("/at/").flatMap({ Form.path($0) }) { return desk.save(path) }
      }
      return desk.shown(words[.gone], parts.message(words[.gone], ""), status: 404)
    } catch {
      var response = Response(status: error.code == .busy ? 503 : 500, type: "text/plain; charset=utf-8")
      response.body = Array("\(error.message)\n".utf8)
      return response
    }
  }

  /// What is the same for all.
  private func asset(_ request: Request) -> Response? {
    guard request.method == .get else { return nil }
    switch request.path {
    case "/style.css": return Page.style
    case "/script.js": return Page.script
    case "/worker.js": return Page.worker
    case "/brand.css": return BrandColors(store).style
    default: return nil
    }
  }

  private static let style = kept("text/css; charset=utf-8") { lvp_style(&$0) }
  private static let script = kept("text/javascript; charset=utf-8") { lvp_script(&$0) }
  private static let worker = kept("text/javascript; charset=utf-8") { lvp_worker(&$0) }

  /// What is sent as it is, and kept by browsers.
  private static func kept(_ type: String, _ read: (inout Int) -> UnsafePointer<UInt8>?) -> Response {
    var count = 0
    let start = read(&count)
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    return Response(type: type, body: bytes, tag: "\"\(fingerprint(bytes))\"")
  }

  /// An image of the store, by its id.
  func stored(_ id: String) -> Response {
    guard Assets.isID(id), let info = try? store.assets.info(id), let type = info["type"]?.text,
      let bytes = try? store.assets.bytes(id)
    else { return Response(status: 404, type: "text/plain; charset=utf-8") }
    // What is no image is for nobody to open here.
    let isImage = type.utf8.starts(with: "image/".utf8)
    return Response(type: isImage ? type : "application/octet-stream", body: bytes, tag: "\"\(id)\"")
  }

  /// The asset that is the brand's logo, if there is one.
  var logoAsset: String? {
    guard let value = try? store.branding.image("logo"), let id = value["image"]?.text, Assets.isID(id) else {
      return nil
    }
    return id
  }

  private var logo: Response { stored(logoAsset ?? "") }
}

/// One request on its way to an answer.
struct Desk {
  let page: Page
  let request: Request
  let session: Session
  let form: Form
  let words: Words
  let parts: Parts

  private var store: Store { page.store }

  /// A whole document, or for the script the part that changes.
  func shown(_ title: String, _ main: HTML, path: Form.Path? = nil, status: Int = 200, query: String = "") -> Response {
    if request.isFromScript { return Response(status: status, body: main.bytes) }
    let document = Document(
      title: title.isEmpty ? words[.settings] : title, words: words, form: form, path: path,
      hasLogo: page.logoAsset != nil,
      hasBrand: BrandColors(store).isAny, query: query, token: parts.token, main: main)
    return Response(status: status, body: document.html.bytes)
  }

  // MARK: Settings

  func settings(_ path: Form.Path, _ draft: Draft? = nil, status: Int = 200) -> Response {
    guard let view = form.view(at: path) else {
      if path == [0] {
        return shown(
          page.options.title ?? form.title ?? words[.settings], parts.message(words[.settings], words[.noSettings]),
          path: [0])
      }
      return shown(words[.gone], parts.message(words[.gone], ""), status: 404)
    }
    let saved = draft == nil ? request.query["saved"].flatMap { UInt64($0) } : nil
    let title = page.options.title ?? form.title ?? words[.settings]
    return shown(
      view.title.isEmpty ? title : "\(view.title) – \(title)", parts.settings(view, draft, saved: saved), path: path,
      status: status)
  }

  /// The same with what is in the store now.
  private func again() throws(StoreError) -> Desk {
    let form = try page.form(page.locale(for: request))
    return Desk(
      page: page, request: request, session: session, form: form, words: words, parts: page.parts(form, words, session))
  }

  func save(_ path: Form.Path) -> Response {
    guard form.view(at: path) != nil else { return shown(words[.gone], parts.message(words[.gone], ""), status: 404) }
    var draft = Draft(fields: request.fields)
    guard !page.options.isReadOnly else {
      draft.message = words[.readOnly]
      return settings(path, draft, status: 403)
    }
    if let name = request.fields["op"]?.after("reset:") { return reset(name, path, draft) }
    switch page.save(draft, request.files, form) {
    case .done(let revision, let names):
      session.notes.add(revision, names)
      return saved(path, revision)
    case .nothing: return saved(path, 0)
    case .refused(let refused):
      guard let now = try? again() else { return settings(path, refused, status: 422) }
      return now.settings(path, refused, status: refused.conflicts.isEmpty ? 422 : 409)
    }
  }

  private func saved(_ path: Form.Path, _ revision: UInt64) -> Response {
    if request.isFromScript, let now = try? again(), let view = now.form.view(at: path) {
      return now.shown("", now.parts.settings(view, nil, saved: revision), path: path)
    }
    return .redirect(to: "/at/\(Form.text(path))?saved=\(revision)")
  }

  /// Takes away what was set here. What else was typed stays as it was typed.
  private func reset(_ name: String, _ path: Form.Path, _ draft: Draft) -> Response {
    var draft = draft
    var kept = Fields()
    for field in draft.fields.all {
      let isItsOwn = ["s:", "v:", "x:", "c:", "k:"].contains { field.name.after($0)?.sameBytes(as: name) ?? false }
      if !isItsOwn { kept.all.append(field) }
    }
    do throws(StoreError) {
      let before = try store.revision()
      let change = try store.change(page.options.layer)
      try change.setOrigin("page")
      try change.reset(name)
      let revision = try change.commit()
      if revision != before { session.notes.add(revision, [name]) }
      draft.fields = kept
    } catch {
      page.note(error, nil, &draft)
    }
    guard let now = try? again() else { return settings(path, draft) }
    return now.settings(path, draft)
  }

  // MARK: Lists

  private var listed: Element? {
    guard let element = form.element(request.query["name"] ?? ""), element.kind == .list else { return nil }
    return element
  }

  func list() -> Response {
    guard let element = listed else { return shown(words[.gone], parts.message(words[.gone], ""), status: 404) }
    return list(element, ListEntry(element.template, stored: element.value), nil, form.revision)
  }

  private func list(_ element: Element, _ entry: ListEntry, _ draft: Draft?, _ mark: UInt64, status: Int = 200)
    -> Response
  {
    shown(
      element.title, parts.list(element, entry, draft, mark: mark), path: form.page(of: element.name), status: status)
  }

  func saveList() -> Response {
    guard let element = listed else { return shown(words[.gone], parts.message(words[.gone], ""), status: 404) }
    var draft = Draft(fields: request.fields)
    var entry = ListEntry(element.template, request.fields)
    let mark = draft.mark(element.name)?.revision ?? 0
    do throws(StoreError) {
      for file in request.files where !file.bytes.isEmpty {
        guard let place = file.name.after("f:").flatMap({ Form.path($0) }) else { continue }
        try entry.put(at: place) { (element) throws(StoreError) in
          element.kind == .data ? .bytes(file.bytes) : .text(try store.assets.put(file.bytes))
        }
      }
    } catch {
      draft.message = error.message
      return list(element, entry, draft, mark, status: 422)
    }
    let op = request.fields["op"] ?? "save"
    for verb in ["add", "remove", "up", "down"] {
      guard let rest = op.after(verb + ":") else { continue }
      entry.apply(verb, at: rest.isEmpty ? [] : Form.path(rest) ?? [])
      return list(element, entry, nil, mark)
    }
    guard !page.options.isReadOnly, element.isEditable else {
      draft.message = words[.readOnly]
      return list(element, entry, draft, mark, status: 403)
    }
    let home = form.page(of: element.name) ?? [0]
    switch draft.fields["c:" + element.name] {
    case "theirs"?: return .redirect(to: "/list?name=" + String(decoding: Query.encoded(element.name), as: UTF8.self))
    case nil where draft.fields["k:" + element.name] != nil:
      draft.conflicts = [Array(element.name.utf8)]
      return list(element, entry, draft, mark, status: 409)
    default: break
    }
    var attempt: ChangeSet?
    do throws(StoreError) {
      let before = try store.revision()
      let revision = try store.edit(page.options.layer) { (change) throws(StoreError) in
        attempt = change
        try change.setOrigin("page")
        try change.expect(element.name, at: mark)
        try change.set(element.name, to: entry.value(keeping: try change.valueIfAny(element.name)))
      }
      if revision != before { session.notes.add(revision, [element.name]) }
      return saved(home, revision == before ? 0 : revision)
    } catch {
      page.note(error, attempt?.violations(), &draft)
      guard let now = try? again(), let element = now.form.element(element.name) else {
        return list(element, entry, draft, mark, status: 422)
      }
      let isConflict = !draft.conflicts.isEmpty
      return now.list(element, entry, draft, isConflict ? now.form.revision : mark, status: isConflict ? 409 : 422)
    }
  }

  // MARK: What there is to know

  private var named: Element? { form.element(request.query["name"] ?? "") }

  func why() throws(StoreError) -> Response {
    guard let element = named else { return shown(words[.gone], parts.message(words[.gone], ""), status: 404) }
    return shown(words[.why], parts.why(element, try store.inspect(element.name)), path: form.page(of: element.name))
  }

  func history() throws(StoreError) -> Response {
    var filter = HistoryFilter()
    let element = named
    filter.pattern = element?.name
    filter.beforeRevision = request.query["before"].flatMap { UInt64($0) } ?? 0
    filter.limit = 50
    let commits = try store.history(filter)
    let last = commits.count == 50 ? commits.items?.last?["revision"]?.whole.map { UInt64(clamping: $0) } : nil
    return shown(
      words[.history], parts.history(element, commits, next: last, canUndo: !page.options.isReadOnly),
      path: element.flatMap { form.page(of: $0.name) })
  }

  func undo() -> Response {
    let name = request.query["name"] ?? ""
    let path = form.page(of: name) ?? [0]
    guard !page.options.isReadOnly, let revision = request.fields["revision"].flatMap({ UInt64($0) }) else {
      return shown(words[.readOnly], parts.message(words[.undo], words[.readOnly]), path: path, status: 403)
    }
    do throws(StoreError) {
      session.notes.add(try store.undo(revision), name.isEmpty ? [] : [name])
      return .redirect(to: "/at/\(Form.text(path))")
    } catch {
      return shown(words[.undo], parts.message(words[.failed], error.message), path: path, status: 409)
    }
  }

  func search() throws(StoreError) -> Response {
    let query = request.query["q"] ?? ""
    let found = try store.search(
      query, SearchOptions(limit: 50, locale: page.locale(for: request), includesHidden: page.options.showsHidden))
    return shown(words[.search], parts.results(query, found), query: query)
  }

  func brand() throws(StoreError) -> Response {
    let branding = store.branding
    return shown(
      words[.brand],
      parts.brand(
        try branding.check(), try branding.get(), try branding.list(), canChange: !page.options.isReadOnly))
  }

  func useBrand() -> Response {
    do throws(StoreError) {
      guard !page.options.isReadOnly else { throw StoreError(.readOnly, words[.readOnly]) }
      try store.branding.use(request.fields["use"] ?? "")
      return .redirect(to: "/brand")
    } catch {
      return shown(words[.brand], parts.message(words[.failed], error.message), status: 409)
    }
  }

  /// What would be wrong with what was typed so far: the message of each setting, a line each, or nothing.
  func check() -> Response {
    var response = Response(type: "text/plain; charset=utf-8")
    let draft = Draft(fields: request.fields)
    for name in draft.names {
      guard let element = form.element(name), let typed = draft.typed(element) else { continue }
      if let error = page.problem(element, typed) {
        response.body += error.utf8
        response.body.append(10)
      }
    }
    return response
  }

  func done() -> Response {
    var response = shown(words[.closed], parts.message(words[.closed], words[.closedHint]))
    response.endsSession = true
    return response
  }
}

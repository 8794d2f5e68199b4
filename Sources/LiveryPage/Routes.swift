import CLivery
import CPage
import LiveryClient
import LiveryHTTP

extension Page {
  /// What a request of a session is answered with.
  func answer(_ request: Request, _ guest: Guest?) -> Response {
    do throws(StoreError) {
      if var response = asset(request) {
        response.isForever = response.version?.sameBytes(as: request.query["v"] ?? "") ?? false
        return response
      }
      guard let guest else { return Response(status: 403, type: "text/plain; charset=utf-8") }
      // Every form tells which languages there are, and the one that was shown last is at hand.
      let last = options.locale ?? guest.notes.locale
      var form = try form(last)
      let locale = locale(request.languages, of: form.languages)
      if !locale.sameBytes(as: last) { form = try self.form(locale) }
      if !request.path.sameBytes(as: "/events") { guest.notes.locale = locale }
      let words = Words(locale, of: form.languages)
      let parts = parts(form, words, guest.visitor)
      let desk = Desk(
        page: self, request: request, guest: guest, locale: locale, form: form, words: words, parts: parts)
      if options.frame != nil, Page.isOwn(request.path) { return desk.gone() }
      switch (request.method, request.path) {
      case (.get, "/events"): return Response(type: "text/event-stream", stream: { self.greeting() })
      case (.get, "/logo"): return logo
      case (.get, "/asset"): return stored(request.query["id"] ?? "")
      case (.get, "/"): return desk.settings([0])
      case (.get, "/search"): return try desk.search()
      case (.get, "/why"): return try desk.why()
      case (.get, "/history"): return try desk.history()
      case (.get, "/list"): return desk.list()
      case (.get, "/brand"): return try desk.brand()
      case (.get, "/prompt"): return desk.prompt()
      case (.get, "/prompts") where request.isFromScript: return desk.prompts()
      case (.get, "/draft"): return try desk.draft()
      case (.get, "/draft.css"): return try desk.draftStyle()
      case (.get, "/draft/image"): return desk.draftImage()
      case (.get, _):
        if let path = request.path.after("/at/").flatMap({ Form.path($0) }) { return desk.settings(path) }
      case (.post, "/done"): return desk.done()
      case (.post, "/undo"): return try desk.undo()
      case (.post, "/trial"): return desk.endTrial()
      case (.post, "/list"): return desk.saveList()
      case (.post, "/check"): return desk.check()
      case (.post, "/brand"): return desk.useBrand()
      case (.post, "/prompt"): return desk.answerPrompt()
      case (.post, "/draft"): return try desk.saveDraft()
      case (.post, _):
        if let path = request.path.after("/at/").flatMap({ Form.path($0) }) { return desk.save(path) }
      default: break
      }
      return desk.shown(words[.gone], parts.message(words[.gone], ""), status: 404)
    } catch {
      var response = Response(status: error.code == .busy ? 503 : 500, type: "text/plain; charset=utf-8")
      response.body = Array("\(error.message)\n".utf8)
      return response
    }
  }

  /// Whether a page is one of the device's own: another site has such itself, and a copy for drawing has no history.
  private static func isOwn(_ path: String) -> Bool {
    ["/events", "/logo", "/why", "/history", "/undo", "/trial", "/done", "/prompt", "/prompts"].contains {
      $0.sameBytes(as: path)
    }
  }

  /// With what addresses begin.
  var root: String { options.frame?.root ?? "" }

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

  static let style = kept("text/css; charset=utf-8", LVP_STYLE)
  static let script = kept("text/javascript; charset=utf-8", LVP_SCRIPT)
  static let worker = kept("text/javascript; charset=utf-8", LVP_WORKER)

  /// What is sent as it is, and kept by browsers.
  private static func kept(_ type: String, _ name: lvp_asset_name) -> Response {
    var count = 0
    let start = lvp_asset(name, &count)
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    livery_free(start)
    return Response(type: type, body: bytes, version: fingerprint(bytes))
  }

  /// An image of the store, by its id.
  func stored(_ id: String) -> Response {
    guard Assets.isID(id), let info = try? store.assets.info(id), let type = info["type"]?.text,
      let bytes = try? store.assets.bytes(id)
    else { return Response(status: 404, type: "text/plain; charset=utf-8") }
    // What is no image is for nobody to open here.
    let isImage = type.utf8.starts(with: "image/".utf8)
    return Response(type: isImage ? type : "application/octet-stream", body: bytes, version: id)
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

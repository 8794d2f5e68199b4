import LiveryClient
import LiveryHTTP

// The brand: as it is in effect, and as a draft.

extension Desk {
  func brand() throws(StoreError) -> Response {
    let device = BrandDevice.asked(request.query)
    let drawing = BrandDrawing(
      try store.shownBrand(), try store.branding.check(for: device?.traits), words,
      BrandSource(store: store, root: page.root),
      devices: device.map { [$0] })
    let saved = request.query["saved"].flatMap { UInt64($0) }
    return shown(
      words[.brand],
      parts.brand(
        drawing, page.options.isReadOnly ? nil : try store.branding.list(), device,
        hasDraft: canDraft ? guest.notes.draft != nil : nil, saved: saved))
  }

  func useBrand() -> Response {
    do throws(StoreError) {
      guard !page.options.isReadOnly else { throw StoreError(.readOnly, words[.readOnly]) }
      let before = try store.revision()
      try store.branding.use(request.fields["use"] ?? "")
      try noteBrand(after: before)
      return .redirect(to: page.root + "/brand")
    } catch {
      return shown(words[.brand], parts.message(words[.failed], error.message), status: 409)
    }
  }

  /// Notes what another brand has changed, by the history.
  private func noteBrand(after before: UInt64) throws(StoreError) {
    var filter = HistoryFilter()
    filter.layer = .bundle
    filter.limit = 1
    guard let commit = try store.history(filter).items?.first, let made = commit["revision"]?.whole, made > before
    else { return }
    guest.notes.add(UInt64(made), (commit["changes"]?.items ?? []).compactMap { $0["name"]?.text })
  }

  // MARK: The draft

  /// Whether values of the layer count for brands: those of a source that is switched off do not, nor those of one that waits
  /// for another.
  private var canDraft: Bool {
    let layer = page.options.layer
    if page.options.isReadOnly { return false }
    guard layer == .bundle || layer == .recommended else { return true }
    guard (try? store.branding.isEnabled(layer)) ?? false else { return false }
    return layer != .bundle || (try? store.bool("brands.bundle.waits")) != true
  }

  func draft() throws(StoreError) -> Response {
    guard canDraft else { return gone() }
    return try draft(guest.notes.draft, try page.brandForm(form))
  }

  /// - Parameter refused: what became of it when it was to be saved.
  private func draft(
    _ draft: BrandDraft?, _ form: Form, refused: Draft? = nil, status: Int = 200
  ) throws(StoreError) -> Response {
    var (brand, report, typed) = (Value.object([]), Value.object([]), Draft?.none)
    if let draft {
      let look = try page.look(at: draft, form)
      (brand, report, typed) = (look.brand, look.report, look.typed)
    } else {
      (brand, report) = (try store.branding.get(), try store.branding.check())
    }
    if let refused { typed = refused }
    let drawing = BrandDrawing(
      brand.hiding(try store.hiddenOfBrands()), report, words, BrandSource(store: store, root: page.root, draft: draft))
    return shown(words[.draft], parts.draft(form, draft, typed, drawing), status: status)
  }

  func saveDraft() throws(StoreError) -> Response {
    guard canDraft else { return gone() }
    if request.fields["op"]?.sameBytes(as: "drop") ?? false {
      guest.notes.draft = nil
      return .redirect(to: page.root + "/brand")
    }
    let form = try page.brandForm(form)
    var draft = BrandDraft(request, after: guest.notes.draft, words)
    guard draft.typed.errors.isEmpty, request.fields["op"]?.sameBytes(as: "save") ?? false else {
      // What somebody else has changed meanwhile is asked until it is answered.
      for name in draft.typed.names where draft.typed.wasInConflict(name) && draft.typed.decision(name) == nil {
        draft.typed.conflicts.insert(Array(name.utf8))
      }
      guest.notes.draft = draft
      return try self.draft(draft, form, status: draft.typed.errors.isEmpty ? 200 : 422)
    }
    guest.notes.draft = draft
    switch page.save(draft.typed, draft.uploads, form, words) {
    case .done(let revision, let names):
      guest.notes.add(revision, names)
      guest.notes.draft = nil
      return .redirect(to: page.root + "/brand?saved=\(revision)")
    case .nothing:
      guest.notes.draft = nil
      return .redirect(to: page.root + "/brand?saved=0")
    case .refused(var refused):
      // The session has the files.
      refused.lostFiles = []
      let now = try again()
      return try now.draft(
        draft, try page.brandForm(now.form), refused: refused, status: refused.conflicts.isEmpty ? 422 : 409)
    }
  }

  /// What the page wears while it shows the draft.
  func draftStyle() throws(StoreError) -> Response {
    guard let draft = guest.notes.draft else { return BrandColors(store).style }
    return BrandColors(try page.look(at: draft, try page.brandForm(form)).brand).style
  }

  /// An image that was uploaded for the draft, by the id that it would have.
  func draftImage() -> Response {
    let id = request.query["id"] ?? ""
    guard let image = guest.notes.draft?.image(id: id) else {
      return Response(status: 404, type: "text/plain; charset=utf-8")
    }
    return Response(type: image.info["type"]?.text ?? "application/octet-stream", body: image.bytes, version: id)
  }
}

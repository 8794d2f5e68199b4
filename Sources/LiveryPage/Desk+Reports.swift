import LiveryClient

// What there is to know: why, since when, where else; and the brand.

extension Desk {
  func why() throws(StoreError) -> Response {
    guard let element = form.element(request.query["name"] ?? "") else { return gone() }
    return shown(words[.why], parts.why(element, try store.inspect(element.name)), path: form.page(of: element.name))
  }

  func history() throws(StoreError) -> Response {
    var filter = HistoryFilter()
    let element = request.query["name"].flatMap { form.element($0) }
    guard element != nil || request.query["name"] == nil else { return gone() }
    filter.pattern = element?.name
    filter.beforeRevision = request.query["before"].flatMap { UInt64($0) } ?? 0
    filter.limit = 50
    let commits = try store.history(filter)
    let last =
      commits.count == filter.limit ? commits.items?.last?["revision"]?.whole.map { UInt64(clamping: $0) } : nil
    return shown(
      words[.history], parts.history(element, commits, next: last), path: element.flatMap { form.page(of: $0.name) })
  }

  /// Takes a commit back, if all that it changed can be set here.
  func undo() throws(StoreError) -> Response {
    let path = form.page(of: request.query["name"] ?? "") ?? [0]
    var filter = HistoryFilter()
    let revision = request.fields["revision"].flatMap { UInt64($0) } ?? 0
    filter.beforeRevision = revision &+ 1
    filter.limit = 1
    guard revision > 0, revision < .max, let commit = try store.history(filter).items?.first,
      commit["revision"]?.whole.map({ UInt64(clamping: $0) }) == revision,
      let names = form.undoable(commit, in: page.options.layer.description)
    else { return shown(words[.undo], parts.message(words[.failed], words[.notOurs]), path: path, status: 403) }
    do throws(StoreError) {
      session.notes.add(try store.undo(revision), names)
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
      let before = try store.revision()
      try store.branding.use(request.fields["use"] ?? "")
      try noteBrand(after: before)
      return .redirect(to: "/brand")
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
    session.notes.add(UInt64(made), (commit["changes"]?.items ?? []).compactMap { $0["name"]?.text })
  }
}

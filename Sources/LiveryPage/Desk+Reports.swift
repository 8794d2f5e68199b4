import LiveryClient
import LiveryHTTP

// What there is to know: why, since when, where else.

extension Desk {
  func why() throws(StoreError) -> Response {
    guard let element = element(request.query["name"] ?? "") else { return gone() }
    return shown(words[.why], parts.why(element, try store.inspect(element.name)), path: form.page(of: element.name))
  }

  func history() throws(StoreError) -> Response {
    var filter = HistoryFilter()
    let element = request.query["name"].flatMap { self.element($0) }
    guard element != nil || request.query["name"] == nil else { return gone() }
    filter.pattern = element?.name
    filter.beforeRevision = request.query["before"].flatMap { UInt64($0) } ?? 0
    filter.limit = 50
    let commits = try store.history(filter)
    let last =
      commits.count == filter.limit ? commits.items?.last?["revision"]?.whole.map { UInt64(clamping: $0) } : nil
    var parts = parts
    if let element { parts.form = form(of: element.name) }
    return shown(
      words[.history], parts.history(element, commits, next: last), path: element.flatMap { form.page(of: $0.name) })
  }

  /// Takes a commit back, if all that it changed can be set here.
  func undo() throws(StoreError) -> Response {
    let name = request.query["name"] ?? ""
    let form = form(of: name)
    let isBrand = self.form.element(name) == nil && form.element(name) != nil
    let path = self.form.page(of: name) ?? [0]
    var filter = HistoryFilter()
    let revision = request.fields["revision"].flatMap { UInt64($0) } ?? 0
    filter.beforeRevision = revision &+ 1
    filter.limit = 1
    guard revision > 0, revision < .max, let commit = try store.history(filter).items?.first,
      commit["revision"]?.whole.map({ UInt64(clamping: $0) }) == revision,
      let names = form.undoable(commit, in: page.options.layer.description)
    else { return shown(words[.undo], parts.message(words[.failed], words[.notOurs]), path: path, status: 403) }
    do throws(StoreError) {
      guest.notes.add(try store.undo(revision), names)
      return .redirect(to: isBrand ? "/brand" : "/at/\(Form.text(path))")
    } catch {
      return shown(words[.undo], parts.message(words[.failed], error.message), path: path, status: 409)
    }
  }

  func search() throws(StoreError) -> Response {
    let query = request.query["q"] ?? ""
    // While somebody is typing, the best are quicker.
    let limit = request.isFromScript ? 20 : 100
    let options = SearchOptions(limit: limit, locale: locale, includesHidden: page.options.showsHidden)
    do throws(StoreError) {
      return shown(words[.search], parts.results(query, try store.search(query, options)), query: query)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      return shown(words[.search], parts.message(words[.failed], error.message), status: 400)
    }
  }
}

import LiveryClient
import LiveryHTTP

// The page of one list.

extension Desk {
  private var listed: Element? {
    guard let element = form.element(request.query["name"] ?? ""), element.kind == .list else { return nil }
    return element
  }

  func list() -> Response {
    guard let element = listed else { return gone() }
    return list(element, ListEntry(element.template, stored: element.value), nil, form.revision)
  }

  private func list(
    _ element: Element, _ entry: ListEntry, _ draft: Draft?, _ mark: UInt64, isTyped: Bool = false, status: Int = 200
  ) -> Response {
    shown(
      element.title, parts.list(element, entry, draft, mark: mark, isTyped: isTyped), path: form.page(of: element.name),
      status: status)
  }

  func saveList() -> Response {
    guard let element = listed else { return gone() }
    var draft = Draft(request.fields)
    var entry = ListEntry(element.template, draft.fields)
    let mark = draft.mark(element.name)?.revision ?? 0
    func again(_ draft: Draft, _ status: Int) -> Response {
      var draft = draft
      // The script keeps what was typed for secrets.
      let isLost = entry.hasTypedSecrets && !request.isFromScript
      if draft.message == nil, isLost { draft.message = words[.secretAgain] }
      if draft.message == nil, entry.hasUploads { draft.message = words[.fileAgain] }
      entry.noteMissing(keepsTyped: request.isFromScript)
      return list(element, entry, draft, mark, isTyped: true, status: status)
    }
    guard element.isEditable else {
      draft.message = words[.readOnly]
      return again(draft, 403)
    }
    guard entry.isWhole else {
      draft.message = words[.failed]
      return list(element, ListEntry(element.template, stored: element.value), draft, form.revision, status: 400)
    }
    do throws(StoreError) {
      try entry.take(request.files, store)
    } catch {
      draft.message = error.message
      return again(draft, 422)
    }
    if entry.carryOut(draft.fields["op"] ?? "") { return again(draft, 200) }
    if draft.wasInConflict(element.name) {
      switch draft.decision(element.name) {
      case .theirs?:
        return .redirect(to: page.root + "/list?name=" + String(decoding: Query.encoded(element.name), as: UTF8.self))
      case .mine?: break
      case nil:
        draft.conflicts = [Array(element.name.utf8)]
        return again(draft, 409)
      }
    }
    guard !entry.lacksWhatItKept else {
      draft.message = words[.notSaved]
      return again(draft, 422)
    }
    let saved = page.edit(draft) { (change) throws(StoreError) in
      let now = try change.valueIfAny(element.name)
      if !entry.shows(now) {
        try page.expect(element, draft, at: mark, change)
      } else if element.revision <= mark, !page.isOnTrial(element.name) {
        return []
      }
      // Of the layer that wins: without the defaults of members.
      var set: Value?
      if let layer = Layer.named(element.layer ?? "") { set = try change.value(element.name, in: layer) }
      try change.set(element.name, to: entry.value(keeping: now, set: set))
      return [element.name]
    }
    guard case .refused(let refused) = saved else { return answer(saved, form.page(of: element.name) ?? [0]) }
    guard !refused.conflicts.isEmpty, let now = try? self.again(), let element = now.form.element(element.name) else {
      return again(refused, 422)
    }
    // The places that items had are others by now.
    entry.relocate(to: element.value)
    entry.noteMissing(keepsTyped: request.isFromScript)
    return now.list(element, entry, refused, now.form.revision, isTyped: true, status: 409)
  }
}

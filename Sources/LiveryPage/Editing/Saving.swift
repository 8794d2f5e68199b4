import LiveryClient

/// What became of a form that was to be saved.
enum Saved: Sendable {
  /// At a revision; the names are those that were changed.
  case done(UInt64, names: [String])
  case nothing
  /// Nothing was changed: why, by setting, and who came first.
  case refused(Draft)
}

/// One change of one setting.
private struct Edit {
  var name: String
  var value: Value
  /// The revision at which the person saw what it replaces.
  var seen: UInt64
}

extension Page {
  /// Saves what a person has changed in a form, as one commit, unless somebody else has changed one of these settings since
  /// they were drawn.
  func save(_ draft: Draft, _ files: [Upload], _ form: Form) -> Saved {
    var draft = draft
    var edits: [Edit] = []
    for name in draft.names {
      guard let element = form.element(name), element.isEditable, element.kind != .list else { continue }
      guard let mark = draft.mark(name) else { continue }
      // A secret that was in conflict was not sent back: without being typed anew it cannot be set.
      if element.kind == .secret, draft.fields["k:" + name] != nil, draft.typed(element) == nil,
        draft.fields["c:" + name]?.sameBytes(as: "mine") ?? true
      {
        draft.conflicts.insert(Array(name.utf8))
      }
      // Uploads are edits of their own.
      if element.kind != .image, element.kind != .data, let typed = draft.typed(element) {
        switch draft.fields["c:" + name] {
        case "theirs"?: continue
        case nil where draft.fields["k:" + name] != nil: draft.conflicts.insert(Array(name.utf8))
        default: edits.append(Edit(name: name, value: element.value(for: typed), seen: mark.revision))
        }
      }
    }
    guard draft.conflicts.isEmpty else { return .refused(draft) }
    guard !edits.isEmpty || !files.isEmpty else { return .nothing }
    return commit(edits, files, form, draft)
  }

  private func commit(_ edits: [Edit], _ files: [Upload], _ form: Form, _ draft: Draft) -> Saved {
    var draft = draft
    var names: [String] = []
    var attempt: ChangeSet?
    let before = (try? store.revision()) ?? 0
    do throws(StoreError) {
      let revision = try store.edit(options.layer) { (change) throws(StoreError) in
        attempt = change
        names = []
        try change.setOrigin("page")
        for edit in edits {
          guard let element = form.element(edit.name) else { continue }
          let now = try change.valueIfAny(edit.name)
          // Somebody else has set the same: nothing is lost.
          if element.kind != .secret, let now, element.shown(now).sameBytes(as: element.shown(edit.value, orText: true))
          {
            continue
          }
          try change.expect(edit.name, at: edit.seen)
          try change.set(edit.name, to: edit.value)
          names.append(edit.name)
        }
        for file in files where !file.bytes.isEmpty {
          guard let name = file.name.after("f:"), let element = form.element(name), element.isEditable else { continue }
          try change.expect(name, at: draft.mark(name)?.revision ?? form.revision)
          if element.kind == .data {
            try change.set(name, to: .data(file.bytes))
          } else {
            do throws(StoreError) { try change.set(name, to: .image(try change.put(file.bytes))) } catch {
              throw StoreError(error.code, error.message, setting: name)
            }
          }
          names.append(name)
        }
      }
      return names.isEmpty || revision == before ? .nothing : .done(revision, names: names)
    } catch {
      note(error, attempt?.violations(), &draft)
      return .refused(draft)
    }
  }

  /// What the library would say of what was typed so far; nil if it would take it.
  func problem(_ element: Element, _ typed: String) -> String? {
    do throws(StoreError) {
      let change = try store.change(options.layer)
      try change.set(element.name, to: element.value(for: typed))
      _ = try change.value(element.name)
      return nil
    } catch {
      return error.message
    }
  }

  /// Why nothing was saved, with each setting that it concerns.
  func note(_ error: StoreError, _ violations: Value?, _ draft: inout Draft) {
    for violation in violations?.items ?? [] {
      guard let name = violation["name"]?.text else { continue }
      let key = Array(name.utf8)
      if violation["status"]?.text?.sameBytes(as: "LIVERY_ERROR_CONFLICT") ?? false {
        draft.conflicts.insert(key)
      } else {
        draft.errors[key] = violation["message"]?.text ?? error.message
      }
    }
    if draft.errors.isEmpty, draft.conflicts.isEmpty {
      if let setting = error.setting, !setting.isEmpty {
        draft.errors[Array(setting.utf8)] = error.message
      } else {
        draft.message = error.message
      }
    }
  }
}

extension Element {
  /// What would be shown for a value that is about to be set: what was typed, if it is text still.
  fileprivate func shown(_ value: Value, orText: Bool) -> String {
    if case .string(let text) = value, kind == .date { return LocalTime.shown(text) ?? text }
    return shown(value)
  }
}

import LiveryClient
import LiveryHTTP

/// What became of what was to be changed.
enum Saved: Sendable {
  /// At a revision; the names are those that were changed.
  case done(UInt64, names: [String])
  case nothing
  /// Nothing was changed: why, by setting, and who came first.
  case refused(Draft)
}

/// One change of one setting.
private struct Edit {
  enum Content {
    case value(Value)
    case file([UInt8])
    /// Takes away the layer's value.
    case reset
  }

  var element: Element
  var content: Content
  /// The revision at which the person saw what it replaces.
  var seen: UInt64
  /// What is to become of it in a frame.
  var verb: String?
}

extension Page {
  /// Saves what a person has changed in a form, as one commit, unless somebody else has changed one of these settings since
  /// they were drawn.
  func save(_ draft: Draft, _ files: [Upload], _ form: Form, _ words: Words) -> Saved {
    var draft = draft
    var uploads: [[UInt8]: [UInt8]] = [:]
    for file in files where !file.bytes.isEmpty {
      if let name = file.name.after("f:") { uploads[Array(name.utf8)] = file.bytes }
    }
    var edits: [Edit] = []
    for name in draft.names {
      guard let element = form.element(name), element.kind != .list || options.frame != nil, let mark = draft.mark(name)
      else {
        continue
      }
      let key = Array(name.utf8)
      guard element.isEditable else {
        // It could be changed when it was drawn.
        if uploads[key] != nil || draft.typed(element) != nil {
          draft.errors[key] = element.obstruction(words)
        }
        continue
      }
      var content: Edit.Content?
      if element.holdsFile {
        if let bytes = uploads[key] { content = .file(bytes) }
      } else if element.kind != .list, let typed = draft.typed(element) {
        do throws(StoreError) {
          content = isEmptied(element, typed) ? .reset : .value(try kept(element.value(for: typed), of: name))
        } catch {
          draft.errors[key] = error.message
          continue
        }
      }
      var verb: String?
      if let frame = options.frame {
        let isChanged = frame.look(element, draft, mark.fingerprint, &content, &verb)
        // It is not sent back, and stays with another verb.
        if content == nil, verb != nil, element.kind == .secret || element.kind == .list {
          content = (own(name) ?? (element.kind == .list ? element.value : nil)).map { .value($0) }
        }
        if content == nil, verb != nil {
          draft.errors[key] = words[.choose]
          continue
        }
        if content != nil, isChanged, !draft.wasInConflict(name) {
          draft.conflicts.insert(key)
          continue
        }
      }
      if draft.wasInConflict(name) {
        switch draft.decision(name) {
        case .theirs?: continue
        // What is not sent back has to come again.
        case .mine? where content != nil: break
        default:
          draft.conflicts.insert(key)
          if element.holdsFile { draft.lostFiles.insert(key) }
          continue
        }
      }
      if let content { edits.append(Edit(element: element, content: content, seen: mark.revision, verb: verb)) }
    }
    let saved: Saved = draft.conflicts.isEmpty && draft.errors.isEmpty ? commit(edits, draft) : .refused(draft)
    guard case .refused(var refused) = saved else { return saved }
    for name in uploads.keys { refused.lostFiles.insert(name) }
    return .refused(refused)
  }

  /// Takes away what the layer holds for a setting, unless somebody else has changed it since it was drawn.
  func reset(_ element: Element, _ draft: Draft) -> Saved {
    guard let mark = draft.mark(element.name) else { return .nothing }
    return commit([Edit(element: element, content: .reset, seen: mark.revision)], draft)
  }

  /// What the layer has for a setting.
  private func own(_ name: String) -> Value? {
    guard let change = try? store.change(options.layer) else { return nil }
    defer { change.discard() }
    return (try? change.value(name, in: options.layer)) ?? nil
  }

  private func commit(_ edits: [Edit], _ draft: Draft) -> Saved {
    guard !edits.isEmpty else { return .nothing }
    var names: [String] = []
    return edit(draft, verbs: edits.compactMap { edit in edit.verb.map { (edit.element.name, $0) } }) {
      (change) throws(StoreError) in
      names = []
      for edit in edits {
        let name = edit.element.name
        switch edit.content {
        case .value(let value):
          // Where somebody else has set the same nothing is lost. It is set all the same: theirs may be in another layer, or on
          // trial.
          var isSame = false
          if options.frame == nil, edit.element.kind != .secret, let now = try change.valueIfAny(name) {
            isSame = edit.element.shows(now, for: value)
          }
          if !isSame { try expect(edit, change) }
          try change.set(name, to: value)
        case .file(let bytes):
          try expect(edit, change)
          try change.set(name, to: try edit.element.value(of: bytes, for: change))
        case .reset:
          try expect(edit, change)
          try change.reset(name)
        }
        names.append(name)
      }
      return names
    }
  }

  /// Of the PIN that the page asks for its hash is kept.
  private func kept(_ value: Value, of name: String) throws(StoreError) -> Value {
    guard case .string(let pin) = value, isPIN(name) else { return value }
    return .string(try PIN.hash(pin))
  }

  /// Whether a setting is the one that the PIN is compared with, by whatever name that was given.
  private func isPIN(_ name: String) -> Bool {
    guard let given = options.pinSetting else { return false }
    if given.sameBytes(as: name) { return true }
    return (try? store.inspect(given))?["name"]?.text?.sameBytes(as: name) ?? false
  }

  /// In a frame it is compared by what was shown: revisions of copies for drawing tell nothing of each other.
  private func expect(_ edit: Edit, _ change: ChangeSet) throws(StoreError) {
    if options.frame == nil { try change.expect(edit.element.name, at: edit.seen) }
  }

  /// The same for a list.
  func expect(_ element: Element, _ draft: Draft, at revision: UInt64, _ change: ChangeSet) throws(StoreError) {
    guard options.frame != nil else { return try change.expect(element.name, at: revision) }
    let seen = draft.mark(element.name)?.fingerprint ?? ""
    guard seen.sameBytes(as: element.shownFingerprint) else {
      throw StoreError(.conflict, Words("en")[.conflictIntro], setting: element.name)
    }
  }

  /// Commits what `body` changes, which gives the names of it.
  ///
  /// - Parameter verbs: what is to become of them in a frame.
  func edit(
    _ draft: Draft, verbs: [(name: String, verb: String)] = [], _ body: (ChangeSet) throws(StoreError) -> [String]
  ) -> Saved {
    var draft = draft
    var names: [String] = []
    var attempt: ChangeSet?
    do throws(StoreError) {
      let before = try store.revision()
      let revision = try store.edit(options.layer) { (change) throws(StoreError) in
        attempt = change
        try change.setOrigin("page")
        names = try body(change)
      }
      if let frame = options.frame, !names.isEmpty {
        try frame.take(
          names.map { (name) throws(StoreError) in
            if let value = own(name) { return frame.change(name, verbs, value) }
            return frame.change(name, verbs, try store.valueIfAny(name))
          })
        return .done(revision, names: names)
      }
      return names.isEmpty || revision == before ? .nothing : .done(revision, names: names)
    } catch {
      note(error, attempt?.violations(), &draft)
      return .refused(draft)
    }
  }

  /// Whether a field was emptied whose setting has no value that is empty: the layer's value is taken away then.
  func isEmptied(_ element: Element, _ typed: String) -> Bool {
    guard options.frame == nil, Element.trimmed(typed).utf8.isEmpty else { return false }
    switch element.kind {
    case .integer, .number, .date, .color: return true
    default: return false
    }
  }

  /// What the library would say of what was typed so far, and which constraint that is; nil if it would take it.
  func problem(_ element: Element, _ typed: String) -> (message: String, constraint: String?)? {
    if isEmptied(element, typed) { return nil }
    do throws(StoreError) {
      let change = try store.change(options.layer)
      var value = element.value(for: typed)
      if isPIN(element.name) {
        try PIN.checkLength(typed)
        value = .string(PIN.likeHash)
      }
      try change.set(element.name, to: value)
      _ = try change.value(element.name)
      return nil
    } catch {
      return (error.message, element.constraint(brokenBy: typed, error.code))
    }
  }

  /// Why nothing was saved, with each setting that it concerns.
  private func note(_ error: StoreError, _ violations: Value?, _ draft: inout Draft) {
    for violation in violations?.items ?? [] {
      guard let name = violation["name"]?.text else { continue }
      let key = Array(name.utf8)
      if violation["status"]?.text?.sameBytes(as: "LIVERY_ERROR_CONFLICT") ?? false {
        draft.conflicts.insert(key)
      } else if draft.errors[key] == nil {
        draft.errors[key] = violation["message"]?.text ?? error.message
        draft.constraints[key] = violation["constraint"]?.text
      }
    }
    if options.frame != nil, error.code == .conflict, let name = error.setting {
      draft.conflicts.insert(Array(name.utf8))
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

extension Frame {
  /// Adds to what was typed for a setting what follows from its verb.
  ///
  /// - Returns: whether somebody else has changed it since it was drawn.
  fileprivate func look(
    _ element: Element, _ draft: Draft, _ fingerprint: String, _ content: inout Edit.Content?, _ verb: inout String?
  ) -> Bool {
    let now = self.verb(element.name)
    let seen = Frame.parts(draft.fields["z:" + element.name] ?? "")
    let wanted = draft.fields["w:" + element.name] ?? now
    let isChosen = !wanted.sameBytes(as: seen.verb)
    guard isChosen || content != nil else { return false }
    verb = !isChosen && !holdsValue(wanted) ? usual : wanted
    if !holdsValue(verb ?? "") {
      content = .reset
    } else if content == nil {
      switch element.kind {
      case .image, .data, .secret: content = element.value.map { .value($0) }
      // As it is set, which the page knows.
      case .list: break
      default: content = .value(element.value(for: element.sent(draft.fields.values("v:" + element.name))))
      }
    }
    guard now.sameBytes(as: seen.verb) else { return true }
    switch element.kind {
    // Anything else may have changed as well: better asked once too often.
    case .image, .data, .secret: return !revision().description.sameBytes(as: seen.revision)
    default: return !element.shownFingerprint.sameBytes(as: fingerprint)
    }
  }

  fileprivate func change(
    _ name: String, _ verbs: [(name: String, verb: String)], _ value: Value?
  ) -> Change {
    let now = verb(name)
    let verb = verbs.first { $0.name.sameBytes(as: name) }?.verb ?? (holdsValue(now) ? now : usual)
    return Change(name: name, verb: verb, value: holdsValue(verb) ? value : nil)
  }
}

extension Element {
  /// Whether its control chooses a file.
  var holdsFile: Bool { kind == .image || kind == .data }

  /// What a file becomes. An image is stored by the same commit.
  fileprivate func value(of bytes: [UInt8], for change: ChangeSet) throws(StoreError) -> Value {
    if kind == .data { return .data(bytes) }
    do throws(StoreError) { return .image(try change.put(bytes)) } catch {
      throw StoreError(error.code, error.message, setting: name)
    }
  }

  /// Which constraint a value breaks that is not to be committed yet: only a commit tells.
  fileprivate func constraint(brokenBy typed: String, _ code: StoreError.Code) -> String? {
    if code == .typeMismatch { return "Type" }
    guard code == .invalidValue else { return nil }
    if isRequired, Element.trimmed(typed).utf8.isEmpty { return "Required" }
    switch kind {
    case .choice, .choices: return "Options"
    case .integer, .number, .date: return "Minimum"
    case .text, .secret:
      let length = typed.unicodeScalars.count
      return length < minimumLength ?? 0 || length > maximumLength ?? .max ? "MaxLength" : "Pattern"
    default: return nil
    }
  }

  /// Whether a value looks like one that is about to be set.
  fileprivate func shows(_ now: Value, for value: Value) -> Bool {
    if kind == .date, case .string(let text) = value { return shown(now).sameBytes(as: LocalTime.shown(text) ?? text) }
    return shown(now).sameBytes(as: shown(value))
  }
}

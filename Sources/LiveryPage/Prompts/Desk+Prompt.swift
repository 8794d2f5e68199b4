import LiveryClient
import LiveryHTTP

// Prompts, drawn and answered.

extension Desk {
  /// How long an answer's fate is waited for, in milliseconds: meanwhile nobody else is answered.
  private static let patience: Int64 = 300

  /// What is said of prompts above every page.
  func prompts() -> Response { shown("", parts.prompts(page.prompts)) }

  /// The prompt that is asked for, or the topmost one.
  func prompt() -> Response {
    guard let prompts = page.prompts else { return gone() }
    guard let number = request.query["id"] else {
      guard let top = prompts.waiting.first else {
        return shown(words[.asked], parts.message(words[.asked], words[.noPrompts]))
      }
      return prompt(top)
    }
    guard let prompt = UInt64(number).flatMap({ prompts[$0] }) else { return gone() }
    return self.prompt(prompt)
  }

  @inline(never)
  private func prompt(
    _ prompt: Prompts.Prompt, _ entry: ListEntry? = nil, _ problems: Draft? = nil, status: Int = 200
  ) -> Response {
    var response = shown(
      prompt.question.title, parts.prompt(prompt, entry ?? typed(prompt), problems, place: guest.notes.place),
      status: status)
    // Who has no script looks again.
    if case .isLookedAt = prompt.state {
      response.headers.append((name: "Refresh", value: "1; url=/prompt?id=\(prompt.number)"))
    }
    return response
  }

  /// What the controls begin with: what was typed by this person and rejected, or what the requester and the form say.
  private func typed(_ prompt: Prompts.Prompt) -> ListEntry {
    if let typed = prompt.typed, typed.session == guest.id { return typed.entry }
    if ListEntry.isPlain(prompt.question.elements) {
      return ListEntry(prompt.question.elements, stored: .list([.string("")]))
    }
    return ListEntry(
      prompt.question.elements,
      stored: .list([
        .object(
          prompt.question.elements.compactMap { (element) -> Value.Member? in
            // A text that is known already; what is agreed to is the person's own to say.
            let known = element.kind == .text ? prompt.question.subject[element.name] : nil
            return (known ?? element.value ?? element.defaultValue).map { .init(element.name, $0) }
          })
      ]))
  }

  func answerPrompt() -> Response {
    guard let prompts = page.prompts, let prompt = UInt64(request.query["id"] ?? "").flatMap({ prompts[$0] }) else {
      return gone()
    }
    if request.fields["op"]?.sameBytes(as: "decline") ?? false {
      try? prompts.decline(prompt.number)
      _ = prompts.settled(prompt.number, within: Desk.patience)
      return .redirect(to: guest.notes.place)
    }
    guard case .waits = prompt.state else { return self.prompt(prompt, status: 409) }
    var problems = Draft(Fields())
    var entry = ListEntry(prompt.question.elements, FieldTable(request.fields))
    guard entry.isWhole, entry.items.count == 1 else { return gone() }
    do throws(StoreError) {
      try entry.take(request.files, store)
      if entry.carryOut(request.fields["op"] ?? "") { return self.prompt(prompt, entry) }
      for (element, member) in zip(entry.template, entry.items[0].members) {
        if case .text(let text) = member, text.isEmpty, element.isRequired, element.kind != .toggle {
          problems.errors[Array(element.name.utf8)] = words[.required]
        }
      }
      guard problems.errors.isEmpty else { return self.prompt(prompt, entry, problems, status: 422) }
      try prompts.answer(prompt.number, entry.answer, guest.id, entry.withoutSecrets)
    } catch {
      if error.code == .busy || error.code == .closed {
        return self.prompt(prompts[prompt.number] ?? prompt, entry, status: 409)
      }
      if let name = error.setting, !name.isEmpty {
        problems.errors[Array(name.utf8)] = error.message
      } else {
        problems.message = error.message
      }
      return self.prompt(prompt, entry, problems, status: 422)
    }
    guard let settled = prompts.settled(prompt.number, within: Desk.patience) else { return gone() }
    switch settled.state {
    case .waits: return self.prompt(settled, status: 422)
    case .isLookedAt: return self.prompt(settled, status: 202)
    case .isOver: return request.isFromScript ? self.prompt(settled) : .redirect(to: "/prompt?id=\(settled.number)")
    }
  }
}

extension ListEntry {
  /// What the one item says, without what was left out: addresses, numbers and dates cannot be empty.
  var answer: Value {
    let item = valueShown.items?.first ?? .object([])
    guard case .object(let members) = item else { return item }
    return .object(
      members.filter { (member) in
        guard case .string(let text) = member.value, text.isEmpty else { return true }
        return template.contains { $0.name.sameBytes(as: member.key) && $0.kind == .text }
      })
  }

  /// The same without what was typed for secrets.
  var withoutSecrets: ListEntry {
    var entry = self
    for item in entry.items.indices {
      for (place, element) in template.enumerated() {
        switch entry.items[item].members[place] {
        case .list(let inner): entry.items[item].members[place] = .list(inner.withoutSecrets)
        case .text where element.kind == .secret: entry.items[item].members[place] = .text("")
        default: break
        }
      }
    }
    return entry
  }
}

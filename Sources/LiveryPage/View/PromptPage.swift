import LiveryClient
import LiveryHTTP

extension Parts {
  /// The prompts that wait, a line each.
  func prompts(_ prompts: Prompts?) -> HTML {
    var html: HTML = ""
    for prompt in prompts?.waiting ?? [] {
      html += """
        <p data-prompt="\(prompt.number)"><a href="/prompt?id=\(prompt.number)">\(words[.asked]): <b>\(prompt.question.title)</b></a></p>

        """
    }
    return html
  }

  /// One prompt, as far as it has come.
  ///
  /// - Parameter place: the page to go back to.
  func prompt(_ prompt: Prompts.Prompt, _ entry: ListEntry, _ problems: Draft?, place: String) -> HTML {
    var html: HTML
    switch prompt.state {
    case .waits: return form(prompt, entry, problems)
    case .isLookedAt: html = message(prompt.question.title, words[.lookedAt])
    case .isOver(nil): html = message(prompt.question.title, words[.answered])
    case .isOver(let error?): html = message(prompt.question.title, "\(words[.notAsked]) \(error.message)")
    }
    html += """
      <p\(" data-waits", if: !prompt.isOver)><a class="button" href="\(place)">\(words[prompt.isOver ? .goOn : .back])</a></p>

      """
    return html
  }

  private func form(_ prompt: Prompts.Prompt, _ entry: ListEntry, _ problems: Draft?) -> HTML {
    var html: HTML = "<h1>\(prompt.question.title)</h1>\n"
    let message = problems?.message ?? ((problems?.errors.isEmpty ?? true) ? prompt.message : words[.notAnswered])
    if !message.isEmpty {
      html += "<div class=\"notice bad\" role=\"alert\" tabindex=\"-1\" id=\"notice\"><p>\(message)</p></div>\n"
    }
    if case .object(let facts) = prompt.question.subject, !facts.isEmpty {
      html += "<dl>"
      for fact in facts { html += "<dt>\(fact.key)</dt><dd>\(Parts.cut(fact.value.plain))</dd>" }
      html += "</dl>\n"
    }
    let hasFiles = prompt.question.elements.contains { $0.holdsFile || $0.kind == .list }
    html += """
      <form id="form" method="post" action="/prompt?id=\(prompt.number)" data-prompt="\(prompt.number)" autocomplete="off" novalidate\
      \(" enctype=\"multipart/form-data\"", if: hasFiles)>\(token)<input type="hidden" name="n:" value="1">\
      <button class="first" name="op" value="answer" tabindex="-1" aria-hidden="true"></button>

      """
    if let item = entry.items.first { html += members(entry, item, "0", true, problems) }
    html += """
      <div class="save"><button class="main" name="op" value="answer">\(words[.answer])</button> \
      <button name="op" value="decline" formnovalidate>\(words[.decline])</button></div></form>

      """
    return html
  }
}

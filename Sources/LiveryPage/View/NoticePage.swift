import LiveryHTTP

extension Notice {
  /// What is shown to those who have no session.
  func html(_ words: Words) -> HTML {
    switch self {
    case .needsLink: return Notice.page(words, words[.linkTitle], "<p>\(words[.linkHint])</p>")
    case .opens: return Notice.page(words, words[.settings], "<p><a href=\"/\">\(words[.goOn])</a></p>")
    case .asksPIN(let isWrong, let wait):
      var content: HTML = ""
      if isWrong { content += "<p class=\"error\" role=\"alert\">\(words[.wrongPIN])</p>" }
      if wait > 0 { content += "<p>\(words[.waitFor]) \(wait) s</p>" }
      content += """
        <form method="post" action="/pin"><p><label class="title" for="pin">PIN</label>\
        <input type="password" id="pin" name="pin" autocomplete="current-password" required autofocus> \
        <button class="main">\(words[.open])</button></p></form>
        """
      return Notice.page(words, "PIN", content)
    case .fails(let status):
      return Notice.page(words, words[.failed], "<p>\(Notice.reason(status, words)) (\(status))</p>")
    }
  }

  private static func page(_ words: Words, _ title: String, _ content: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="\(words.tag)"\(" dir=\"rtl\"", if: words.isRightToLeft)><head><meta charset="utf-8"><title>\(title)</title>\
    <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">\
    <link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/brand.css"></head>\
    <body><main><h1>\(title)</h1>\(content)</main></body></html>

    """
  }

  private static func reason(_ status: Int, _ words: Words) -> String {
    switch status {
    case 403, 421: words[.notFromHere]
    case 404: words[.gone]
    case 413, 414: words[.tooMuch]
    case 429, 503: words[.later]
    default: words[.malformed]
    }
  }
}

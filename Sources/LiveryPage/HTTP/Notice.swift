/// What the server has to say by itself, outside of sessions.
enum Notice: Sendable {
  /// There is no session, and no link opens one here.
  case needsLink
  /// The form with the field `pin`, sent to `/pin`; the next is looked at in so many seconds.
  case asksPIN(isWrong: Bool, wait: Int)
  /// The session is open; the browser goes on by itself.
  case opens
  /// Nothing came of the request; the status says why.
  case fails(Int)
}

extension Notice {
  /// A page without style, where nobody draws another.
  var plain: [UInt8] {
    switch self {
    case .needsLink:
      return Notice.page("Open the link", "<p>These settings open with a link: ask for a new one at the device.</p>")
    case .opens:
      return Notice.page("Settings", "<p><a href=\"/\">Go on</a></p>")
    case .asksPIN(let isWrong, let wait):
      let wrong = isWrong ? "<p>This was not the PIN.</p>" : ""
      let later = wait > 0 ? "<p>Try again in \(wait) seconds.</p>" : ""
      return Notice.page(
        "PIN",
        wrong + later + "<form method=\"post\" action=\"/pin\"><label>PIN <input type=\"password\" name=\"pin\" "
          + "autocomplete=\"current-password\" required autofocus></label> <button>Open</button></form>")
    case .fails(let status):
      return Notice.page("\(status)", "<p>\(Notice.reason(status))</p>")
    }
  }

  private static func page(_ title: String, _ content: String) -> [UInt8] {
    Array(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
      <title>\(title)</title><link rel="stylesheet" href="/style.css"></head>\
      <body><main><h1>\(title)</h1>\(content)</main></body></html>

      """.utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 400: "The request is malformed."
    case 403: "This is not allowed from here."
    case 404: "There is nothing here."
    case 405: "Only GET, HEAD and POST are understood."
    case 411: "The length of the content is missing."
    case 413: "This is too large."
    case 414: "The address is too long."
    case 421: "The page is not known by this name."
    case 429: "Try again later."
    default: "This does not work at the moment. Try again."
    }
  }
}

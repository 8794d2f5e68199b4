import LiveryClient
import LiveryHTTP
import LiveryPage

// Who has done what.

extension View {
  func history() throws(Refusal) -> Response {
    guard isGet else { return gone() }
    let lines = try model.history(before: request.query["before"].flatMap { Int64($0) }, limit: 100)
    var html: HTML = "<h1>History</h1>\n<div id=\"history\" data-live data-revision=\"\(model.generation)\">\n"
    if lines.isEmpty { html += "<p>Nothing has happened.</p>\n" }
    if !lines.isEmpty {
      html += """
        <div class="wide" tabindex="0" role="region" aria-label="History"><table class="stack">\
        \(Piece.head(["When", "By whom", "What", "Details"]))<tbody>

        """
      for line in lines {
        html += """
          <tr><th scope="row">\(Piece.time(line.time))</th><td data-of="By whom">\(line.author)</td>\
          <td data-of="What">\(line.what)</td><td data-of="Details">\(line.detail)</td></tr>

          """
      }
      html += "</tbody></table></div>\n"
    }
    if lines.count == 100, let last = lines.last {
      html += "<p><a href=\"/history?before=\(last.number.description)\">Older</a></p>\n"
    }
    html += "</div>\n"
    return shown(.history, "History", html)
  }
}

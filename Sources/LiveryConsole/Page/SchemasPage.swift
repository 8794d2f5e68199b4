import LiveryClient
import LiveryHTTP
import LiveryPage

// Which versions of the schema devices have, and which one says what can be set.

extension View {
  func schemas(_ parts: [String]) throws(Refusal) -> Response {
    guard parts.isEmpty else { return gone() }
    if isGet { return try schemas(nil) }
    guard let file = request.files.first(where: { $0.name.sameBytes(as: "schema") }), !file.bytes.isEmpty else {
      return try schemas("Please choose a file.")
    }
    do throws(Refusal) { try model.addSchema(file.bytes, by: person) } catch {
      guard error.reason == .invalid || error.reason == .conflict else { throw error }
      return try schemas(error.message)
    }
    return .redirect(to: "/schemas?done=saved")
  }

  private func schemas(_ problem: String?) throws(Refusal) -> Response {
    let lines = try model.schemas()
    var html: HTML = "<h1>Schemas</h1>\n\(done)"
    if let problem { html += Piece.notice(problem) }
    html += """
      <p class="about">What the fleet's devices have, by the version of their schema. The latest one that is known here says what \
      can be set.</p>
      <div id="schemas" data-live data-revision="\(model.generation)">

      """
    if lines.isEmpty { html += "<p>There is no schema yet.</p>\n" }
    if !lines.isEmpty {
      html += """
        <div class="wide" tabindex="0" role="region" aria-label="Schemas"><table class="stack">\
        \(Piece.head(["Version", "Title", "Here", "Devices"]))<tbody>

        """
      for line in lines {
        html += """
          <tr><th scope="row">\(line.version.description)</th><td data-of="Title">\(line.title)\
          \(line.digest.isEmpty ? "" : " (\(line.digest))")</td>\
          <td data-of="Here">\(line.isCurrent ? "says what can be set" : line.isKnown ? "known" : "not known")</td>\
          <td data-of="Devices"><a href="/devices?schema=\(line.version.description)">\(line.devices)\
          <span class="unseen"> devices with version \(line.version.description)</span></a></td></tr>

          """
      }
      html += "</tbody></table></div>\n"
    }
    html += "</div>\n"
    html += form(
      "/schemas",
      """
      <h2>New schema</h2>
      <div class="row"><label class="title" for="schema">A file of JSON</label><div class="control">\
      <input type="file" id="schema" name="schema" accept=".json,application/json" required></div></div>
      <div class="save"><button class="main">Add</button></div>

      """, " enctype=\"multipart/form-data\"")
    return shown(.schemas, "Schemas", html, status: problem == nil ? 200 : 422)
  }
}

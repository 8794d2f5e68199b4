import LiveryClient
import LiveryHTTP
import LiveryPage

// Groups: what they hold counts in their order.

extension View {
  func groups(_ parts: [String]) throws(Refusal) -> Response {
    if isGet { return parts.isEmpty ? try groups() : gone() }
    if parts.isEmpty {
      try model.addGroup(field("name"), by: person)
    } else {
      guard parts.count == 1 else { return gone() }
      switch field("op") {
      case "up": try model.moveGroup(parts[0], up: true, by: person)
      case "down": try model.moveGroup(parts[0], up: false, by: person)
      case "remove": try model.removeGroup(parts[0], by: person)
      default: return gone()
      }
    }
    return .redirect(to: "/groups?done=saved")
  }

  private func groups() throws(Refusal) -> Response {
    let lines = try model.groups()
    var html: HTML = """
      <h1>Groups</h1>
      \(done)<p class="about">A device is in any number of groups. Where two of them set the same, the one further down counts; \
      what is set for the device alone is stronger than any.</p>
      <div id="groups" data-live data-revision="\(model.generation)">

      """
    if lines.isEmpty { html += "<p>There are no groups.</p>\n" }
    html += "<ol class=\"items\">\n"
    for (place, line) in lines.enumerated() {
      html += """
        <li class="row"><p class="title"><a href="/channels/\(query: "group." + line.name)">\(line.name)</a></p>\
        <p class="about"><a href="/devices?group=\(query: line.name)">\(Piece.count(line.members, "device", "devices"))\
        <span class="unseen"> of \(line.name)</span></a></p>
        """
      var buttons: HTML = "<p class=\"moves\">"
      if place > 0 { buttons += button("up", "Move up", line.name) }
      if place + 1 < lines.count { buttons += button("down", "Move down", line.name) }
      buttons += button("remove", "Remove", line.name)
      buttons += "</p>"
      html += form("/groups/\(query: line.name)", buttons)
      html += "</li>\n"
    }
    html += "</ol>\n</div>\n"
    html += form(
      "/groups",
      """
      <p><label class="title" for="group">New group</label><input type="text" id="group" name="name" required maxlength="32" \
      pattern="[a-z0-9][a-z0-9_\\-]*" aria-describedby="group-about"> <button>Add</button></p>\
      <p class="about" id="group-about">1 to 32 of a to z, 0 to 9, - and _.</p>
      """)
    return shown(.groups, "Groups", html)
  }

  func button(_ operation: String, _ title: String, _ subject: String) -> HTML {
    "<button class=\"link\" name=\"op\" value=\"\(operation)\">\(title)<span class=\"unseen\"> \(subject)</span></button> "
  }
}

import LiveryClient
import LiveryHTTP
import LiveryPage

// Groups: what they hold counts in their order.

extension View {
  func groups(_ parts: [String]) throws(Refusal) -> Response {
    if isGet {
      if parts.isEmpty { return try groups() }
      return parts.count == 2 && parts[1].sameBytes(as: "remove") ? try removal(of: parts[0]) : gone()
    }
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
      buttons += """
        <a href="/groups/\(query: line.name)/remove">Remove<span class="unseen"> \(line.name)</span></a></p>
        """
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

  /// Asks before it goes: all of its devices change with it.
  private func removal(of name: String) throws(Refusal) -> Response {
    guard person.mayChange, let line = try model.groups().first(where: { $0.name.sameBytes(as: name) }) else {
      return gone()
    }
    var html: HTML = """
      <p class="way"><a href="/groups">Groups</a></p>
      <h1>Remove group \(line.name)?</h1>
      <p>What is set for it ends on its \(Piece.count(line.members, "device", "devices")). Its draft is lost, and none of its \
      publications can be resumed.</p>

      """
    html += form(
      "/groups/\(query: line.name)",
      """
      <p class="moves"><button name="op" value="remove">Remove<span class="unseen"> \(line.name)</span></button> \
      <a href="/groups">Keep</a></p>
      """)
    return shown(.groups, "Remove group \(line.name)", html)
  }

  func button(_ operation: String, _ title: String, _ subject: String) -> HTML {
    "<button class=\"link\" name=\"op\" value=\"\(operation)\">\(title)<span class=\"unseen\"> \(subject)</span></button> "
  }
}

import LiveryClient
import LiveryHTTP
import LiveryPage

// The devices of the fleet.

extension View {
  func devices(_ parts: [String]) throws(Refusal) -> Response {
    guard let id = parts.first else { return try devices() }
    if parts.count == 1, isGet { return try device(id) }
    guard parts.count == 2, !isGet else { return gone() }
    switch parts[1] {
    case "name": try model.name(id, field("name"), by: person)
    case "groups":
      // What somebody else has changed meanwhile stays so.
      let (chosen, seen) = (fields("group"), fields("seen"))
      try model.changeGroups(
        of: id, adding: chosen.filter { (group) in !seen.contains { $0.sameBytes(as: group) } },
        removing: seen.filter { (group) in !chosen.contains { $0.sameBytes(as: group) } }, by: person)
    default: return gone()
    }
    return .redirect(to: "/devices/\(Piece.part(id))?done=saved")
  }

  private func fields(_ name: String) -> [String] {
    request.fields.all.filter { $0.name.sameBytes(as: name) }.map { $0.value }
  }

  private var filter: DeviceFilter {
    var filter = DeviceFilter()
    filter.query = request.query["q"] ?? ""
    filter.group = request.query["group"].flatMap { $0.isEmpty ? nil : $0 }
    filter.state = DeviceState.allCases.first { $0.name.sameBytes(as: request.query["state"] ?? "") }
    filter.schema = request.query["schema"].flatMap { Int64($0) }
    // As far as the API goes: there is arithmetic with it.
    filter.offset = max(0, min(request.query["from"].flatMap { Int($0) } ?? 0, DeviceFilter.farthest))
    return filter
  }

  private func devices() throws(Refusal) -> Response {
    let filter = filter
    let (lines, total) = try model.devices(filter)
    var html: HTML = "<h1>Devices</h1>\n"
    html += try chooser(filter)
    html += """
      <div id="devices" data-live data-revision="\(model.generation)">
      <p role="status">\(Piece.count(total, "device", "devices"))</p>

      """
    if !lines.isEmpty {
      html += """
        <div class="wide" tabindex="0" role="region" aria-label="Devices"><table class="stack">\
        \(Piece.head(["Device", "State", "Last seen", "Schema", "Groups"]))<tbody>

        """
      for line in lines { html += row(line) }
      html += "</tbody></table></div>\n"
    }
    html += Piece.pager("Pages of devices", filter.offset, lines.count, total, filter.limit) { address(filter, $0) }
    html += "</div>\n"
    return shown(.devices, "Devices", html)
  }

  private func row(_ line: DeviceLine) -> HTML {
    """
    <tr><th scope="row"><a href="/devices/\(query: line.id)">\(line.name.isEmpty ? line.id : line.name)</a></th>\
    <td data-of="State">\(Piece.chip(line.state))\(line.problem.map { " " + $0 } ?? "")</td>\
    <td data-of="Last seen">\(Piece.time(line.seen))</td><td data-of="Schema">\(line.schema.map { $0.description } ?? "–")</td>\
    <td data-of="Groups">\(Piece.joined(line.groups))</td></tr>

    """
  }

  private func chooser(_ filter: DeviceFilter) throws(Refusal) -> HTML {
    var html: HTML = """
      <form method="get" action="/devices" class="chooser">
      <label>Name or id <input type="search" name="q" value="\(filter.query)" maxlength="200"></label>
      <label>State <select name="state"><option value="">all</option>
      """
    for state in DeviceState.allCases {
      html += "<option value=\"\(state.name)\"\(" selected", if: filter.state == state)>\(state.title)</option>"
    }
    html += "</select></label>\n<label>Group <select name=\"group\"><option value=\"\">all</option>"
    for group in try model.groups() {
      let isChosen = filter.group?.sameBytes(as: group.name) ?? false
      html += "<option value=\"\(group.name)\"\(" selected", if: isChosen)>\(group.name)</option>"
    }
    html += "</select></label>\n"
    if let schema = filter.schema { html += "<input type=\"hidden\" name=\"schema\" value=\"\(schema.description)\">" }
    html += "<button>Show</button></form>\n"
    if let schema = filter.schema {
      html += "<p>Schema version \(schema.description) alone. <a href=\"/devices\">All</a></p>\n"
    }
    return html
  }

  private func address(_ filter: DeviceFilter, _ from: Int) -> HTML {
    """
    /devices?q=\(query: filter.query)&amp;state=\(query: filter.state?.name ?? "")&amp;group=\(query: filter.group ?? "")\
    &amp;schema=\(query: filter.schema?.description ?? "")&amp;from=\(from)
    """
  }
}

extension Piece {
  /// A part of a path.
  static func part(_ text: String) -> String { String(decoding: Query.encoded(text)[...], as: UTF8.self) }
}

import LiveryClient
import LiveryHTTP
import LiveryPage

// How devices join.

extension View {
  func enrollment(_ parts: [String]) throws(Refusal) -> Response {
    if isGet {
      guard let id = parts.first else { return try tokens(nil) }
      return parts.count == 1 ? try tokens(try model.token(id)) : gone()
    }
    if parts.isEmpty {
      let chosen = request.fields.all.filter { $0.name.sameBytes(as: "group") }.map { $0.value }
      guard let hours = Int(field("hours")), (1...8760).contains(hours) else {
        throw Refusal(.invalid, "A code is good for 1 to 8,760 hours.")
      }
      // What it shows is shown once: the console keeps no token.
      return try tokens(try model.enroll(field("label"), groups: chosen, hours: hours, by: person))
    }
    guard parts.count == 2, parts[1].sameBytes(as: "withdraw") else { return gone() }
    try model.withdraw(parts[0], by: person)
    return .redirect(to: "/enrollment?done=saved")
  }

  private func tokens(_ fresh: EnrollmentLine?) throws(Refusal) -> Response {
    var html: HTML = "<h1>Enrollment</h1>\n\(done)"
    if let fresh { html += self.fresh(fresh) }
    var content: HTML = """
      <h2>New code</h2>
      <div class="row"><label class="title" for="label">What it is for</label><div class="control">\
      <input type="text" id="label" name="label" maxlength="64"></div></div>
      <div class="row"><label class="title" for="hours">Good for, in hours</label><div class="control">\
      <input type="text" inputmode="numeric" id="hours" name="hours" value="24" required></div></div>

      """
    let groups = try model.groups()
    if !groups.isEmpty {
      content += "<fieldset class=\"row\"><legend>Groups that the device is in</legend><div class=\"options\">"
      for group in groups {
        content +=
          "<label class=\"option\"><input type=\"checkbox\" name=\"group\" value=\"\(group.name)\"> \(group.name)</label>"
      }
      content += "</div></fieldset>\n"
    }
    content += "<div class=\"save\"><button class=\"main\">Make a code</button></div>\n"
    html += form("/enrollment", content)
    html += try known(from: max(0, min(request.query["from"].flatMap { Int($0) } ?? 0, DeviceFilter.farthest)))
    return shown(.enrollment, "Enrollment", html)
  }

  private func fresh(_ line: EnrollmentLine) -> HTML {
    guard let code = line.code else { return "" }
    var html: HTML = """
      <section class="notice good" id="notice" tabindex="-1" aria-label="New code">
      <p>For one device, until \(Piece.time(line.expires)). It is shown only now.</p>

      """
    if let picture = line.picture ?? QRCode.svg(code) {
      html += """
        <p><img class="code" src="data:image/svg+xml;base64,\(Piece.base64(picture))" \
        alt="QR code of the enrollment code beneath" width="260" height="260"></p>

        """
    }
    html += "<p><code>\(code)</code></p>\n</section>\n"
    return html
  }

  private static let codesOnPage = 100

  private func known(from: Int) throws(Refusal) -> HTML {
    let (lines, total) = try model.tokens(from: from, limit: View.codesOnPage)
    guard total > 0 else { return "" }
    var html: HTML = """
      <h2>Codes</h2>
      <div id="codes" data-live data-revision="\(model.generation)">\
      <div class="wide" tabindex="0" role="region" aria-label="Codes"><table class="stack">\
      \(Piece.head(["For", "Groups", "Good until", "Device"] + (person.mayChange ? ["Withdraw"] : [])))<tbody>

      """
    for line in lines {
      html += """
        <tr><th scope="row">\(line.label.isEmpty ? line.id : line.label)</th><td data-of="Groups">\(Piece.joined(line.groups))</td>\
        <td data-of="Good until">\(Piece.time(line.expires))</td><td data-of="Device">
        """
      if let device = line.device, line.isRemoved {
        html += "\(device), removed"
      } else if let device = line.device {
        html += "<a href=\"/devices/\(query: device)\">\(device)</a>"
      } else {
        html += "not used"
      }
      html += "</td>"
      if person.mayChange {
        html += "<td data-of=\"Withdraw\">"
        if line.device == nil || line.isRemoved {
          html += form(
            "/enrollment/\(query: line.id)/withdraw",
            "<button class=\"link\">Withdraw<span class=\"unseen\"> \(line.label.isEmpty ? line.id : line.label)</span></button>"
          )
        }
        html += "</td>"
      }
      html += "</tr>\n"
    }
    html += "</tbody></table></div>\n"
    html += Piece.pager("Pages of codes", from, lines.count, total, View.codesOnPage) { "/enrollment?from=\($0)" }
    return html + "</div>\n"
  }
}

extension Piece {
  /// For data in an address.
  static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 4 / 3 + 4)
    var place = 0
    while place < bytes.count {
      var group = Int(bytes[place]) << 16
      if place + 1 < bytes.count { group |= Int(bytes[place + 1]) << 8 }
      if place + 2 < bytes.count { group |= Int(bytes[place + 2]) }
      for index in 0..<4 {
        let isThere = place + index - 1 < bytes.count || index < 2
        text.append(isThere ? digits[group >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
      place += 3
    }
    return String(decoding: text[...], as: UTF8.self)
  }
}

import LiveryClient
import LiveryHTTP
import LiveryPage

// What was published: how far it is, what fails, and the way back.

extension View {
  func publications(_ parts: [String]) throws(Refusal) -> Response {
    guard let first = parts.first else { return isGet ? try publications() : gone() }
    guard let number = Int64(first), number > 0 else { return gone() }
    if parts.count == 1, isGet { return try publication(number) }
    guard parts.count == 2, !isGet else { return gone() }
    let step: RolloutStep
    var word: String
    switch parts[1] {
    case "stop": (step, word) = (.stop, "stopped")
    case "raise": (step, word) = (.raise, "raised")
    case "resume": (step, word) = (.resume, "resumed")
    case "undo": (step, word) = (.undo, "undone")
    default: return gone()
    }
    // Who presses twice, or has an old page, begins one step.
    let share = step == .raise ? Int(field("share")) : nil
    let shown = try model.act(step, on: number, at: share, by: person)
    if step == .undo, shown == number { word = "taken" }
    return .redirect(to: "/publications/\(shown.description)?done=\(word)")
  }

  private func publications() throws(Refusal) -> Response {
    let channel = request.query["channel"].flatMap { $0.isEmpty ? nil : $0 }
    let lines = try model.publications(channel, before: request.query["before"].flatMap { Int64($0) }, limit: 50)
    var html: HTML = """
      <h1>Publications</h1>
      <div id="publications" data-live data-revision="\(model.generation)">

      """
    if lines.isEmpty { html += "<p>Nothing was published.</p>\n" }
    if !lines.isEmpty {
      html += """
        <div class="wide" tabindex="0" role="region" aria-label="Publications"><table class="stack">\
        \(Piece.head(["Publication", "Channel", "State", "When", "By whom", "Holds", "Comment"]))<tbody>

        """
      for line in lines {
        html += """
          <tr><th scope="row"><a href="/publications/\(line.number.description)">\(line.number.description)\
          \(line.name.map { " " + $0 } ?? "")</a></th>\
          <td data-of="Channel">\(Piece.link(channelOf: line))</td>\
          <td data-of="State">\(Piece.chip(line.state))\(line.state == .rolling ? " " + Piece.percent(line.share) : "")</td>\
          <td data-of="When">\(Piece.time(line.time))</td><td data-of="By whom">\(line.author)</td>\
          <td data-of="Holds">\(line.conditions.words.isEmpty ? "–" : line.conditions.words)</td>\
          <td data-of="Comment">\(line.comment)</td></tr>

          """
      }
      html += "</tbody></table></div>\n"
    }
    if lines.count == 50, let last = lines.last {
      html += """
        <p><a href="/publications?channel=\(query: channel ?? "")&amp;before=\(last.number.description)">Older</a></p>

        """
    }
    html += "</div>\n"
    return shown(.publications, "Publications", html)
  }

  private func publication(_ number: Int64) throws(Refusal) -> Response {
    let publication = try model.publication(number)
    let line = publication.line
    var html: HTML = """
      <p class="way"><a href="/publications">Publications</a></p>
      <h1>\(Piece.title(of: line))</h1>
      \(done)<div id="progress" data-live data-revision="\(model.generation)">
      \(progress(publication))
      """
    if !publication.failures.isEmpty {
      html += """
        <h2>Failures</h2>
        <div class="wide" tabindex="0" role="region" aria-label="Failures"><table class="stack">\
        \(Piece.head(["Device", "What is wrong"]))<tbody>

        """
      for failure in publication.failures {
        html += """
          <tr><th scope="row"><a href="/devices/\(query: failure.device)">\
          \(failure.name.isEmpty ? failure.device : failure.name)</a></th><td data-of="What is wrong">\(failure.problem)</td></tr>

          """
      }
      html += "</tbody></table></div>\n"
    }
    html += buttons(publication)
    html += "</div>\n"
    html += """
      <h2>What it changed</h2>
      <dl class="facts"><dt>Channel</dt><dd>\(Piece.link(channelOf: line)), version \(line.version.description)</dd>
      <dt>By whom</dt><dd>\(line.author), \(Piece.time(line.time))</dd>

      """
    if !line.conditions.words.isEmpty { html += "<dt>Holds</dt><dd id=\"when\">\(line.conditions.words)</dd>\n" }
    if !line.comment.isEmpty { html += "<dt>Comment</dt><dd>\(line.comment)</dd>\n" }
    html += "</dl>\n"
    if publication.isUnreadable {
      html += "<p class=\"notice\">Its document is damaged: nobody can tell what it changed.</p>\n"
    } else {
      html += try table(publication.settings, withDevices: false)
    }
    return shown(.publications, "Publication \(number.description)", html)
  }

  private func progress(_ publication: PublicationDetail) -> HTML {
    let line = publication.line
    let told = publication.applied + publication.failed + publication.passedOver
    let waiting = max(0, publication.expected - told - publication.scheduled)
    var sentence: String
    switch line.state {
    case .rolling: sentence = "Rolling out: \(Piece.percent(line.share)) of the devices are in."
    case .complete:
      sentence =
        !publication.holds
        ? "Complete: it does not hold any more."
        : line.isOverlay ? "Complete: it holds above what holds otherwise." : "Complete: all devices are in."
    case .stopped: sentence = "Stopped: what was there before is back."
    case .undone: sentence = "Undone."
    case .over: sentence = "Over: its time has ended."
    }
    if let reason = publication.reason { sentence += " " + reason }
    var html: HTML = "<p data-told>\(Piece.chip(line.state)) \(sentence)</p>\n"
    // What devices tell is of what came after it.
    if line.state == .complete, !publication.holds { return html }
    html += """
      <dl class="facts">
      <dt>Right</dt><dd>\(publication.applied)</dd>
      <dt>Failed</dt><dd>\(publication.failed)</dd>
      <dt>Not reported yet</dt><dd>\(waiting)</dd>

      """
    let isTimed = line.conditions.from != nil || line.conditions.until != nil
    if publication.scheduled > 0 || isTimed || line.conditions.trial != nil {
      let title =
        line.conditions.trial == nil
        ? "Waiting for its time" : isTimed ? "On trial, or waiting for its time" : "On trial"
      html += "<dt>\(title)</dt><dd>\(publication.scheduled)</dd>\n"
    }
    if publication.passedOver > 0 { html += "<dt>Not for them</dt><dd>\(publication.passedOver)</dd>\n" }
    if publication.plan.steps.count > 1 {
      let steps = publication.plan.steps.map { (step) in Piece.percent(step) }
      html += """
        <dt>Steps</dt><dd>\(Piece.joined(steps)), \(Piece.count(publication.plan.pause / 60, "minute", "minutes")) each, \
        until more than \(Piece.percent(publication.plan.bound)) fail</dd>

        """
    }
    if let next = publication.next { html += "<dt>Next step</dt><dd>\(Piece.time(next)) at the earliest</dd>\n" }
    html += "</dl>\n"
    if publication.expected > 0 {
      html += """
        <p><label for="reported">Reported: \(told) of \(publication.expected)</label><br>\
        <progress id="reported" max="\(publication.expected)" value="\(min(told, publication.expected))"></progress></p>

        """
    }
    return html
  }

  private func buttons(_ publication: PublicationDetail) -> HTML {
    let number = publication.line.number.description
    var html: HTML = ""
    switch publication.line.state {
    case .rolling:
      html += form("/publications/\(number)/stop", "<button class=\"main\">Stop</button>", " class=\"act\"")
      html += form(
        "/publications/\(number)/raise",
        """
        <input type="hidden" name="share" value="\(publication.line.share)"><button>Go to the next step now</button>
        """, " class=\"act\"")
    case .stopped, .complete, .undone, .over: break
    }
    if publication.canResume {
      html += form("/publications/\(number)/resume", "<button>Go on</button>", " class=\"act\"")
    }
    if publication.canUndo {
      html += form(
        "/publications/\(number)/undo", "<button>\(publication.line.isOverlay ? "Take back" : "Undo")</button>",
        " class=\"act\"")
    }
    return "<div class=\"control\">" + html + "</div>\n"
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP
import LiveryPage

/// How, when and for whom something is to be published, as it was typed.
struct PublishForm {
  private let fields: Fields?
  /// What is wrong with it.
  var problem: Refusal?
  /// What it says of when and for whom, in words, if that is to be shown.
  var words: String?

  init(_ fields: Fields? = nil) { self.fields = fields }

  private func value(_ name: String, _ usual: String = "") -> String { fields?[name] ?? usual }

  func html(_ view: View, _ channel: String, _ revision: UInt64) -> HTML {
    let isLocal = !value("clock").sameBytes(as: "utc")
    var content: HTML = """
      <h2>Publish</h2>
      <input type="hidden" name="revision" value="\(revision)">
      \(row("comment", "Comment", value("comment"), "", " maxlength=\"500\""))\
      \(row(
        "steps", "Steps in percent of the devices", value("steps", "5, 25, 100"),
        "Rising, such as 5, 25, 100. 100 alone is all of them at once.", " required maxlength=\"100\""))\
      \(row("pause", "Minutes until the next step", value("pause", "60"), "", " required inputmode=\"numeric\""))\
      \(row(
        "bound", "Most failures in percent", value("bound", "2"),
        "With more of them it stops by itself, and what was there before is back.",
        " required inputmode=\"decimal\""))
      <h3>For a time, or for some</h3>
      <p class="about" id="overlay-about">With one of the next five only what becomes different is published, above what holds otherwise: \
      that is there before, after, and for everybody else.</p>
      \(row("from", "From", value("from"), "Empty: at once.", " step=\"1\"", kind: "datetime-local"))\
      \(row("until", "Until", value("until"), "Empty: for good.", " step=\"1\"", kind: "datetime-local"))\
      <div class="row"><label class="title" for="clock">By which clock</label><div class="control">\
      <select id="clock" name="clock"><option value="local"\(" selected", if: isLocal)>The one on the wall, where the device is</option>\
      <option value="utc"\(" selected", if: !isLocal)>UTC</option></select></div></div>
      \(row("app", "App", value("app"), "The name that the app has for it. Empty: for every app.", " maxlength=\"32\""))\
      \(row("schema", "Versions of the schema", value("schema"), "Such as 3, or 3..5. Empty: for all.", " maxlength=\"40\""))
      """
    content += """
      <h3>On trial</h3>
      \(row(
        "trial", "How long", value("trial"),
        "Such as 90s, 10m, 2h. What becomes different goes back by itself unless it proves good in that time. Empty: no trial.",
        " maxlength=\"20\""))\
      \(row(
        "check", "Check", value("check"),
        "The name of the app's check that says whether it is good. Empty: it is, once the device has reached the console.",
        " maxlength=\"32\""))\
      \(row("name", "Name", value("name"), "What devices call it in their history. Empty: its number.", " maxlength=\"32\""))
      <div class="save"><button class="main">Publish</button> <button name="op" value="look">Show when and for whom</button></div>

      """
    return view.form("/channels/\(query: channel)/publish", content)
  }

  /// A field with what it is for, and what is wrong with it.
  private func row(
    _ name: String, _ title: String, _ value: String, _ about: String, _ more: HTML, kind: HTML = "text"
  ) -> HTML {
    let error = problem?.field.flatMap { $0.sameBytes(as: name) ? problem?.message : nil }
    var described: HTML = ""
    if !about.isEmpty { described += "\(name)-about" }
    if error != nil { described += about.isEmpty ? "\(name)-error" : " \(name)-error" }
    var html: HTML = "<div class=\"row\"><label class=\"title\" for=\"\(name)\">\(title)</label>"
    if !about.isEmpty { html += "<p class=\"about\" id=\"\(name)-about\">\(about)</p>" }
    html += """
      <div class="control"><input type="\(kind)" id="\(name)" name="\(name)" value="\(value)"\(more)\
      \(" aria-invalid=\"true\"", if: error != nil)
      """
    if !about.isEmpty || error != nil { html += " aria-describedby=\"\(described)\"" }
    html += "></div>"
    if let error { html += "<p class=\"error\" id=\"\(name)-error\">\(error)</p>" }
    html += "</div>\n"
    return html
  }

  /// What was typed.
  ///
  /// - Throws: `.invalid`, with the field that is wrong.
  func plan() throws(Refusal) -> Plan {
    var plan = Plan()
    plan.comment = value("comment")
    guard let steps = Hundredths.list(value("steps"), 1...10_000), zip(steps, steps.dropFirst()).allSatisfy(<) else {
      throw Refusal(.invalid, "The steps are rising percentages such as 5, 25, 100.", at: "steps")
    }
    guard steps.count <= 20 else { throw Refusal(.invalid, "There are 1 to 20 steps.", at: "steps") }
    plan.steps = steps
    if plan.steps.last != 10_000 { plan.steps.append(10_000) }
    guard let minutes = Hundredths.parse(Array(value("pause").utf8)[...]), minutes <= 4_320_000 else {
      throw Refusal(
        .invalid, "The time until the next step is a number of minutes, up to 43,200.", at: "pause")
    }
    plan.pause = minutes * 60 / 100
    guard let bound = Hundredths.parse(Array(value("bound").utf8)[...]), bound <= 10_000 else {
      throw Refusal(.invalid, "The most failures are a percentage from 0 to 100.", at: "bound")
    }
    plan.bound = bound
    plan.name = filled("name")
    plan.conditions = try conditions()
    try plan.check()
    return plan
  }

  private func filled(_ name: String) -> String? {
    let text = String(decoding: Array(value(name).utf8)[...].trimmed, as: UTF8.self)
    return text.utf8.isEmpty ? nil : text
  }

  private func conditions() throws(Refusal) -> Conditions {
    var conditions = Conditions()
    conditions.from = try time("from")
    conditions.until = try time("until")
    conditions.app = filled("app")
    if let text = filled("schema") {
      guard let versions = Conditions.versions(text) else {
        throw Refusal(
          .invalid, "The versions of a schema are a number such as 3, or a range such as 3..5.", at: "schema")
      }
      conditions.schema = versions
    }
    if let text = filled("trial") {
      guard let seconds = Conditions.seconds(text) else {
        throw Refusal(.invalid, "A trial takes a time such as 90s, 10m or 2h.", at: "trial")
      }
      conditions.trial = Document.Trial(seconds: seconds, check: filled("check"))
    } else if filled("check") != nil {
      throw Refusal(.invalid, "A check is of something on trial: how long may it take?", at: "trial")
    }
    return conditions
  }

  private func time(_ name: String) throws(Refusal) -> ScheduledTime? {
    guard let text = filled(name) else { return nil }
    let isMoment = value("clock").sameBytes(as: "utc") && text.utf8.last != UInt8(ascii: "Z")
    guard let time = ScheduledTime(text: isMoment ? text + "Z" : text) else {
      throw Refusal(.invalid, "There is no such date and time: it is one such as 2026-12-24T18:00.", at: name)
    }
    return time
  }
}

extension Plan {
  /// When and for whom it would hold, in a sentence.
  var told: String {
    let words = conditions.words
    let what = conditions.isOverlay ? "It would hold above what holds otherwise, " : "It would hold from now on"
    if words.utf8.isEmpty { return what + ", for all devices." }
    return (conditions.isOverlay ? what : what + "; ") + words + "."
  }
}

import LiveryClient
import LiveryHTTP

// What goes back by itself.

extension Desk {
  /// What is on trial, for how much longer, and what can be done about it; nothing if nothing is.
  var trial: HTML {
    guard let told = page.pendingTrial() else { return "" }
    let seconds = max(0, (told["remaining"]?.whole ?? 0) / 1_000_000)
    let rest = seconds % 60
    let left = "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    var html: HTML = """
      <div class="notice" id="trial" role="group" aria-label="\(words[.onTrial])"><p>\(words[.trialHint]) \
      <span role="timer" data-left="\(Int(clamping: seconds))">\(left)</span></p>
      """
    if page.decides(told) {
      html += """
        <form action="/trial" method="post">\(parts.token)<input type="hidden" name="revision" value="\(UInt64(clamping: told["revision"]?.whole ?? 0))">\
        <button class="main" name="op" value="confirm">\(words[.confirmTrial])</button> \
        <button name="op" value="revert">\(words[.revertTrial])</button></form>
        """
    }
    html += "</div>\n"
    return html
  }

  /// Confirms what is on trial, or takes it back.
  func endTrial() -> Response {
    let revision = request.fields["revision"].flatMap { UInt64($0) } ?? 0
    let pending = page.pendingTrial()
    guard revision > 0, revision < .max, pending.map({ page.decides($0) }) ?? true else {
      return shown(words[.onTrial], parts.message(words[.failed], words[.notOurs]), status: 403)
    }
    do throws(StoreError) {
      if request.fields["op"]?.sameBytes(as: "confirm") ?? false {
        try store.confirmTrial(revision, origin: "page")
      } else {
        try store.revertTrial(revision, origin: "page")
        let names = (pending?["settings"]?.items ?? []).compactMap { $0["name"]?.text }
        let made = (try? store.trialStatus())?["endRevision"]?.whole ?? 0
        if made > 0 { guest.notes.add(UInt64(made), names) }
      }
      return .redirect(to: guest.notes.place)
    } catch {
      return shown(words[.onTrial], parts.message(words[.failed], error.message), status: 409)
    }
  }
}

extension Page {
  /// What `livery_trial_status` tells of what is on trial; nil if nothing is, or nothing any more.
  func pendingTrial() -> Value? {
    guard let told = try? store.trialStatus(), told["state"]?.text?.sameBytes(as: "pending") ?? false,
      told["settings"]?.items?.isEmpty == false
    else { return nil }
    return told
  }

  func isOnTrial(_ name: String) -> Bool {
    pendingTrial()?["settings"]?.items?.contains { $0["name"]?.text?.sameBytes(as: name) ?? false } ?? false
  }

  /// Whether people here decide on it: all of it is of the layer that they edit.
  func decides(_ trial: Value) -> Bool {
    guard !options.isReadOnly else { return false }
    let layer = options.layer.description
    return trial["settings"]?.items?.allSatisfy { $0["layer"]?.text?.sameBytes(as: layer) ?? false } ?? false
  }
}

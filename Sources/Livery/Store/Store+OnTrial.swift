extension Store {
  /// Adds to what is told of a setting which of its layers are on trial, until when, and what comes back to them.
  func addTrial(
    of name: String, isSecret: Bool, _ view: View, to members: inout [Value.Member]
  ) throws(StoreError) -> String {
    guard let trial = try view.pendingTrial(), let setting = try view.setting(name), let part = setting.trial,
      part.term == trial.term
    else { return "" }
    let until = trial.until(from: view.trialMoment)
    var items: [Value] = []
    var text = ""
    for layer in Layer.allCases.reversed() where part.layers.contains(layer) {
      var item: [Value.Member] = [.init("layer", .string(layer.description))]
      var shown = "nothing"
      if let former = part.former(of: layer), let value = former.value {
        if !isSecret { item.append(value.shownMember) }
        shown = isSecret ? "what it held before" : value.brief
      }
      items.append(.object(item))
      text += " `\(layer)` is on trial until \(until.rfc3339): it goes back to \(shown) unless revision"
      text += " \(trial.term.revision) is confirmed."
    }
    members.append(
      .init(
        "trial",
        .object([
          .init("revision", .int(Int64(clamping: trial.term.revision))), .init("until", .date(until)),
          .init("origin", .string(trial.origin)), .init("former", .list(items)),
        ])))
    return text
  }
}

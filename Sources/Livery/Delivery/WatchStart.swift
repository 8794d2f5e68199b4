/// Where a watch begins: all of one moment.
struct WatchStart {
  let pattern: NamePattern?
  let revision: UInt64
  /// What is over then is told to be, and no news.
  let time = Timestamp.now
  /// The same in microseconds since the start of the system, as trials end.
  let moment: Int64
  var initial: [Event] = []

  init(_ view: View, _ asked: NamePattern?, _ text: String?, _ options: WatchOptions) throws(StoreError) {
    revision = try view.revision()
    moment = view.trialMoment
    if let asked, asked.isLiteral, let text {
      pattern = try NamePattern(view.resolveAlias(text))
    } else {
      pattern = asked
    }
    guard options.initial else { return }
    let now = time
    let pattern = self.pattern
    let revision = self.revision
    var events: [Event] = []
    try view.walkEffective(prefix: pattern?.literalPrefix ?? "") { (name, record) throws(StoreError) in
      guard pattern?.matches(name) ?? true else { return true }
      let current = try view.current(record, name, at: now)
      guard let value = current.value else { return true }
      events.append(
        Event(
          revision: revision, time: current.time, kind: .initial, layer: current.layer, name: name, oldValue: nil,
          newValue: value, origin: current.origin, isWritable: !current.isLocked,
          isSecret: try view.isSecret(asDeclared: name, value)))
      return true
    }
    initial = events
  }
}

import LiveryClient
import LiveryFleet
import LiveryHTTP

// Which layer and which publication decides what a device has, and what is going to.
extension Console {
  private struct Source {
    var line: PublicationLine
    var document: HeldDocument
    var holding: DeviceDetail.Holding

    /// Whether it takes part in what the device holds now, as far as is known.
    var holds: Bool {
      switch holding.state {
      case .holds, .trial, .refused, .untold: true
      case .scheduled, .over, .passedOver: false
      }
    }
  }

  /// The publications that are for a device, the weakest first.
  private func sources(of line: DeviceLine) throws(Refusal) -> [Source] {
    let told = try database.all("SELECT hash, verdict FROM device_verdicts WHERE device = ?", [.text(line.id)]) {
      (row) throws(Refusal) in (hash: row.bytes(0), verdict: row.text(1))
    }
    var sources: [Source] = []
    for channel in channels(of: line) {
      for one in try standing(channel) + overlays(channel) {
        if let share = one.share, share < 10_000, !Rollout(share: share, salt: one.salt).includes(line.id) { continue }
        guard let bytes = try document(one.hash), let held = try? HeldDocument(bytes, hash: one.hash) else { continue }
        let publication = try found(one.number)
        // What has settled meanwhile the device may still call by the document that it was.
        let verdict =
          told.first { $0.hash == one.hash } ?? told.first { $0.hash == publication.rollingHash }
        let (state, about) = try state(of: publication.line, held.document, verdict?.verdict, on: line)
        sources.append(
          Source(
            line: publication.line, document: held,
            holding: .init(
              publication: one.number, channel: channel, name: one.name, state: state, about: about)))
      }
    }
    return sources
  }

  /// What becomes of a publication on a device, and in words.
  private func state(
    of line: PublicationLine, _ document: Document, _ verdict: String?, on device: DeviceLine
  ) throws(Refusal) -> (DeviceDetail.Holding.State, String) {
    let conditions = line.conditions
    let word = verdict ?? ""
    if let range = conditions.schema, let has = device.schema, !range.contains(has) {
      return (.passedOver, "passed over: it is for \(Conditions.words(range)), and the device has version \(has)")
    }
    if word.sameBytes(as: "passed-over") {
      if let app = conditions.app { return (.passedOver, "passed over: it is for the app \(app), which this is not") }
      return (.passedOver, "passed over: it is for others")
    }
    let schedule = Conditions.schedule(line.isOverlay ? conditions.from : nil, conditions.until)
    let isScheduled = word.sameBytes(as: "scheduled")
    let phase = Phase(document.from, document.until, at: Console.now)
    if case .ends = phase { return (.over, "over: " + (schedule ?? "its time has come")) }
    if case .waits = phase { return (.scheduled, schedule ?? "later") }
    if word.sameBytes(as: "refused") || word.sameBytes(as: "unusable") { return (.refused, word) }
    let more = schedule.map { ", " + $0 } ?? ""
    if word.sameBytes(as: "applied") { return (.holds, "in effect" + more) }
    if isScheduled, let trial = conditions.trial, try isInEffect(document, of: device.id) {
      let check = trial.check.map { "\($0) says that it is good" } ?? "the console is reached"
      return (.trial, "on trial for \(Conditions.length(trial.seconds)): it goes back unless \(check)" + more)
    }
    if case .differs = phase { return (.scheduled, schedule ?? "later") }
    if isScheduled {
      // A device has all of it on trial, or nothing.
      return device.state == .trial
        ? (.holds, "in effect, beside what is on trial" + more) : (.untold, "not made yet" + more)
    }
    if let app = conditions.app { return (.passedOver, "not told of yet: it is for the app \(app)") }
    return (.untold, "not told of yet" + more)
  }

  /// Fills in which publications are for a device, and what decides its settings.
  func explain(_ detail: inout DeviceDetail) throws(Refusal) {
    let line = detail.line
    let sources = try sources(of: line)
    detail.holdings = sources.map { $0.holding }
    let wanted = (try? Desired.merging(sources.filter { $0.holds }.map { $0.document }))?.entries ?? []
    var settings: [DeviceDetail.Setting] = []
    try database.each(
      "SELECT name, layer, content FROM device_values WHERE device = ?", [.text(line.id)]
    ) { (row) throws(Refusal) in
      let name = row.text(0)
      let layer = row.textIfAny(1)
      let value = row.bytesIfAny(2).flatMap { try? CBOR.decode($0) }
      var setting = DeviceDetail.Setting(
        name: name, value: value, layer: layer, decidedBy: layer.map { "the layer \($0) of the device" } ?? "nothing",
        publication: nil, time: nil, author: nil)
      if let entry = wanted.first(where: { $0.setting.name.sameBytes(as: name) }),
        let source = sources.first(where: { $0.document.hash == entry.document })
      {
        Console.decide(&setting, entry, source)
      }
      settings.append(setting)
    }
    // What is wanted, and was not told of.
    for entry in wanted where !settings.contains(where: { $0.name.sameBytes(as: entry.setting.name) }) {
      guard let source = sources.first(where: { $0.document.hash == entry.document }) else { continue }
      settings.append(
        DeviceDetail.Setting(
          name: entry.setting.name, value: nil, layer: nil,
          decidedBy:
            "publication \(source.line.number) of \(source.line.channel), of which the device has not told yet",
          publication: source.line.number, time: source.line.time, author: source.line.author))
    }
    let secrets = try secrets()
    for source in sources where source.holding.state == .scheduled {
      for var setting in Console.settings(of: source.document.document) {
        setting.isSecret = secrets.contains { $0.sameBytes(as: setting.name) }
        let later = DeviceDetail.Later(
          publication: source.line.number, setting: setting, about: source.holding.about)
        if let index = settings.firstIndex(where: { $0.name.sameBytes(as: setting.name) }) {
          settings[index].later.append(later)
        } else {
          settings.append(
            DeviceDetail.Setting(
              name: setting.name, value: nil, layer: nil, decidedBy: "nothing", publication: nil, time: nil,
              author: nil, later: [later]))
        }
      }
    }
    for index in settings.indices {
      settings[index].isSecret = secrets.contains { $0.sameBytes(as: settings[index].name) }
    }
    detail.settings = settings.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func decide(_ setting: inout DeviceDetail.Setting, _ entry: Desired.Entry, _ source: Source) {
    let layer = setting.layer
    let by = "publication \(source.line.number) of \(source.line.channel)"
    // Its layer may hold what an earlier publication has put there.
    let isSame = setting.value == nil || entry.setting.value?.isSame(as: setting.value) ?? true
    var decides = false
    switch entry.setting.verb {
    case .enforce: decides = isSame && layer.map { $0.sameBytes(as: "enforced") } ?? false
    case .recommend: decides = isSame && layer.map { $0.sameBytes(as: "recommended") } ?? false
    case .replace: decides = entry.setting.value == setting.value
    case .release: break
    }
    if decides {
      let word: String
      switch entry.setting.verb {
      case .enforce: word = "enforced by "
      case .replace: word = "replaced by "
      default: word = "recommended by "
      }
      setting.decidedBy = word + by + (source.holding.state == .trial ? ", on trial" : "")
      setting.publication = source.line.number
      setting.time = source.line.time
      setting.author = source.line.author
    } else if case .recommend = entry.setting.verb, let layer, !layer.sameBytes(as: "recommended") {
      setting.decidedBy = "the layer \(layer) of the device, over what \(by) recommends"
    } else if let layer {
      setting.decidedBy = "the layer \(layer) of the device; it has not told of \(by) yet"
    }
  }
}

extension Value {
  /// Whether both are one value: a device tells of a whole number as its schema has it.
  fileprivate func isSame(as other: Value?) -> Bool {
    switch (self, other) {
    case (.int(let whole), .double(let number)?): Double(whole) == number
    case (.double(let number), .int(let whole)?): Double(whole) == number
    default: self == other
    }
  }
}

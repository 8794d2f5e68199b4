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
    if word.sameBytes(as: "passed-over"), conditions.isForSome {
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
    let names = try names()
    let holding = sources.filter { $0.holds }.map { $0.document }
    let wanted = (try? Desired.merging(holding, canonical: { names.name($0) }))?.entries ?? []
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
      // A device with an older schema has it by a former name.
      let present = names.name(name)
      if let entry = wanted.first(where: { $0.setting.name.sameBytes(as: present) }),
        let source = sources.first(where: { $0.document.hash == entry.document })
      {
        Console.decide(&setting, entry, source)
      }
      settings.append(setting)
    }
    // What is wanted, and was not told of.
    let told = settings.map { names.name($0.name) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let secrets = try secrets()
    for entry in wanted where !told.containsSorted(entry.setting.name) {
      guard let source = sources.first(where: { $0.document.hash == entry.document }) else { continue }
      let number = source.line.number
      // Of a secret a device tells nothing but whether the document holds.
      let isSecret = secrets.contains { $0.sameBytes(as: entry.setting.name) }
      let isKnown = isSecret && (source.holding.state == .holds || source.holding.state == .trial)
      let more: String
      if source.holding.state == .refused {
        more = ", which the device has refused"
      } else {
        more = isKnown ? ": a secret, which devices do not tell" : ", of which the device has not told yet"
      }
      settings.append(
        DeviceDetail.Setting(
          name: entry.setting.name, value: nil, layer: nil,
          decidedBy: "publication \(number) of \(source.line.channel)" + more,
          publication: number, time: source.line.time, author: source.line.author))
    }
    var present = settings.map { names.name($0.name) }
    for source in sources where source.holding.state == .scheduled {
      for var setting in try self.settings(of: source.document.document) {
        setting.isSecret = secrets.contains { $0.sameBytes(as: setting.name) }
        let later = DeviceDetail.Later(
          publication: source.line.number, setting: setting, about: source.holding.about)
        if let index = present.firstIndex(where: { $0.sameBytes(as: setting.name) }) {
          settings[index].later.append(later)
        } else {
          settings.append(
            DeviceDetail.Setting(
              name: setting.name, value: nil, layer: nil, decidedBy: "nothing", publication: nil, time: nil,
              author: nil, later: [later]))
          present.append(setting.name)
        }
      }
    }
    for index in settings.indices {
      settings[index].isSecret = secrets.contains { $0.sameBytes(as: settings[index].name) }
    }
    detail.settings = settings.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// What is known of a setting on a device, by any name that the schema has for it; of several the one that is written so.
  func setting(_ name: String, of detail: DeviceDetail) throws(Refusal) -> DeviceDetail.Setting? {
    if let exact = detail.settings.first(where: { $0.name.sameBytes(as: name) }) { return exact }
    let names = try names()
    let present = names.name(name)
    return detail.settings.first { names.name($0.name).sameBytes(as: present) }
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
    // Of what was replaced the operator may choose something else, be it the same.
    case .replace: decides = isSame && layer.map { $0.sameBytes(as: "recommended") } ?? false
    case .release: break
    }
    let isMade = source.holding.state == .holds || source.holding.state == .trial
    if source.holding.state == .refused {
      if let layer { setting.decidedBy = "the layer \(layer) of the device, which has refused \(by)" }
    } else if decides {
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
    } else if case .replace = entry.setting.verb, isMade, let layer, !layer.sameBytes(as: "recommended") {
      setting.decidedBy = "the layer \(layer) of the device, chosen after \(by) had replaced what was there"
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

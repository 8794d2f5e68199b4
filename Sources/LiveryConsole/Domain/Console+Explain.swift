import LiveryClient
import LiveryFleet
import LiveryHTTP

// Which layer and which publication decides what a device has.
extension Console {
  private struct Source {
    var publication: Int64
    var channel: String
    var author: String
    var time: Int64
    var document: HeldDocument
  }

  /// The documents that a device takes now, the weakest first.
  private func sources(of line: DeviceLine) throws(Refusal) -> [Source] {
    var sources: [Source] = []
    for channel in channels(of: line) {
      for one in try standing(channel) {
        if let share = one.share, share < 10_000, !Rollout(share: share, salt: one.salt).includes(line.id) { continue }
        guard let bytes = try document(one.hash), let held = try? HeldDocument(bytes, hash: one.hash),
          let about = try database.first(
            "SELECT author, time FROM publications WHERE number = ?", [.int(one.number)],
            { (row) throws(Refusal) in (author: row.text(0), time: row.int(1)) })
        else { continue }
        sources.append(
          Source(publication: one.number, channel: channel, author: about.author, time: about.time, document: held))
      }
    }
    return sources
  }

  func explained(_ line: DeviceLine) throws(Refusal) -> [DeviceDetail.Setting] {
    let sources = try sources(of: line)
    let wanted = (try? Desired.merging(sources.map { $0.document }))?.entries ?? []
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
        let by = "publication \(source.publication) of \(source.channel)"
        var decides = false
        switch entry.setting.verb {
        case .enforce: decides = layer.map { $0.sameBytes(as: "enforced") } ?? false
        case .recommend: decides = layer.map { $0.sameBytes(as: "recommended") } ?? false
        case .replace: decides = entry.setting.value == value
        case .release: break
        }
        if decides {
          let word: String
          switch entry.setting.verb {
          case .enforce: word = "enforced by "
          case .replace: word = "replaced by "
          default: word = "recommended by "
          }
          setting.decidedBy = word + by
          setting.publication = source.publication
          setting.time = source.time
          setting.author = source.author
        } else if case .recommend = entry.setting.verb, let layer {
          setting.decidedBy = "the layer \(layer) of the device, over what \(by) recommends"
        } else if let layer {
          setting.decidedBy = "the layer \(layer) of the device; it has not told of \(by) yet"
        }
      }
      settings.append(setting)
    }
    // What is wanted, and was not told of.
    for entry in wanted where !settings.contains(where: { $0.name.sameBytes(as: entry.setting.name) }) {
      guard let source = sources.first(where: { $0.document.hash == entry.document }) else { continue }
      settings.append(
        DeviceDetail.Setting(
          name: entry.setting.name, value: nil, layer: nil,
          decidedBy: "publication \(source.publication) of \(source.channel), of which the device has not told yet",
          publication: source.publication, time: source.time, author: source.author))
    }
    settings.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return settings
  }
}

import LiveryFleet

/// What a device is answered with: a web server with the files of the history and of the device's own channel, as they were at
/// some time.
struct Origin {
  let history: History
  /// What the device's own channel says.
  let own: [PlainManifest]
  let ownPath: String
  /// Documents of that.
  let blobs: [String: [UInt8]]

  enum Place: Equatable {
    case keys(Int?)
    case own
    case shared(History.Shared)
    case blob
    case nothing
  }

  /// What a path leads to.
  func place(_ path: String) -> Place {
    if path.hasPrefix("/v1/blobs/") { return .blob }
    if path == ownPath { return .own }
    if path == "/v1/channels/fleet/manifest" { return .shared(History.fleet) }
    if path.hasPrefix("/v1/channels/group.g") {
      return path.utf8.dropFirst(20).first.map { .shared(History.group(Int($0) - 48)) } ?? .nothing
    }
    if path == "/v1/keys/latest" { return .keys(nil) }
    if path.hasPrefix("/v1/keys/") { return .keys(Int(path.dropFirst(9))) }
    return .nothing
  }

  func manifest(_ place: Place, at time: Time) -> PlainManifest? {
    switch place {
    case .own: own.last { $0.time <= time }
    case .shared(let channel) where channel < history.channels.count: history.manifest(channel, at: time)
    default: nil
    }
  }

  /// What an honest server answers.
  ///
  /// - Parameter tag: that of the request, if any.
  func answer(_ path: String, tag: String?, at time: Time) -> Device.Answer {
    switch place(path) {
    case .keys(let version):
      let there = history.keys.filter { $0.time <= time }
      let index = version.map { $0 - 1 } ?? there.count - 1
      return there.indices.contains(index)
        ? Device.Answer(status: 200, body: there[index].bytes) : Device.Answer(status: 404)
    case .blob:
      guard let bytes = history.blobs[path] ?? blobs[path] else { return Device.Answer(status: 404) }
      return Device.Answer(status: 200, body: bytes)
    case let place:
      guard let manifest = manifest(place, at: time) else { return Device.Answer(status: 404) }
      if let tag, tag == manifest.tag { return Device.Answer(status: 304, entityTag: tag) }
      return Device.Answer(status: 200, body: manifest.envelope, entityTag: manifest.tag)
    }
  }
}

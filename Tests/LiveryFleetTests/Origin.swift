import LiveryClient
import LiveryFleet

/// A web server with a fleet's files, and the console behind it that takes reports.
final class Origin {
  var publisher: Publisher
  private var files: [String: (bytes: [UInt8], tag: String)] = [:]
  /// The version of each manifest that was ever there, by its path: what a cache that is behind, or hostile, may answer.
  private(set) var former: [String: [(bytes: [UInt8], tag: String)]] = [:]
  private var count = 0
  /// Reports by the id of their device.
  private(set) var last: [String: Report] = [:]
  private(set) var sequences: [String: Int64] = [:]
  /// What each device has told of its values.
  private(set) var values: [String: [String: Report.Effective]] = [:]
  private(set) var replays = 0

  init(_ publisher: Publisher) throws {
    self.publisher = publisher
    put(try publisher.keyFiles())
  }

  func put(_ made: [Publisher.File]) {
    for file in made {
      count += 1
      if let before = files[file.path] { former[file.path, default: []].append(before) }
      files[file.path] = (file.bytes, "\"\(count)\"")
    }
  }

  func publish(
    _ channel: Channel, _ documents: [(Manifest.Entry, Document)], groups: [String] = [], interval: Int64? = nil,
    now: Int64
  ) throws {
    put(
      try publisher.publish(
        channel, documents: documents.map { (entry: $0.0, document: $0.1) }, groups: groups, interval: interval,
        now: now))
  }

  func remove(_ path: String) { files[path] = nil }

  func answer(_ request: Device.Request) -> Device.Answer {
    guard let file = files[request.path] else { return Device.Answer(status: 404) }
    if request.entityTag == file.tag { return Device.Answer(status: 304, entityTag: file.tag) }
    return Device.Answer(status: 200, body: file.bytes, entityTag: file.tag)
  }

  /// Takes a report as it travels; true if all of it is wanted the next time, nil if it is refused.
  func take(report bytes: [UInt8]) -> Bool? {
    guard let report = try? Report.verified(bytes, after: nil) else { return nil }
    let id = DeviceID.of(report.device)
    // What came twice was taken.
    guard report.sequence > sequences[id] ?? 0 else {
      replays += 1
      return false
    }
    let isGap = report.since != nil && report.since != sequences[id]
    sequences[id] = report.sequence
    last[id] = report
    if report.since == nil { values[id] = [:] }
    for value in report.values { values[id, default: [:]][value.name] = value.value == nil ? nil : value }
    let known = (values[id] ?? [:]).values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let digest = Report.digest(known.compactMap { try? $0.digest() })
    return isGap || digest != report.digest
  }
}

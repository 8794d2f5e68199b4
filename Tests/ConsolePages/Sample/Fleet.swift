import LiveryClient
import LiveryHTTP

@testable import LiveryConsole

/// A fleet in memory, for the pages to be tried on: devices report when a test says so.
final class Fleet: @unchecked Sendable {
  struct Device {
    var id: String
    var name: String
    var groups: [String] = []
    var seen: Int64?
    /// The publications that it has taken or refused, by their numbers.
    var verdicts: [(publication: Int64, isApplied: Bool)] = []
    var chosen: [(name: String, value: Value)] = []
    var schema: Int64 = 1
  }

  struct Publication {
    var line: PublicationLine
    var plan: Plan
    var settings: [DraftSetting]
    var reason: String?
    var before: [DraftSetting]
  }

  struct Channel {
    var draft: [DraftSetting] = []
    var revision: UInt64 = 1
    var version: Int64 = 0
  }

  let lock = Lock()
  // Guarded by `lock`.
  var generationNow: UInt64 = 1
  var devices: [Device] = []
  var groupNames: [String] = ["lobby", "shops"]
  var held: [(name: String, channel: Channel)] = []
  var publications: [Publication] = []
  var log: [HistoryLine] = []
  var codes: [EnrollmentLine] = []
  var assets: [(id: String, bytes: [UInt8])] = []
  var schemaTexts: [[UInt8]] = []
  var sessions: [(cookie: String, person: Person)] = []
  var throttle = Throttle()

  static let admins: [(name: String, password: String, role: Person.Role)] = [
    ("alice", "correct horse", .editor), ("vera", "battery staple", .viewer),
  ]

  init(devices count: Int, schema: [UInt8]) {
    schemaTexts = [schema]
    for number in 0..<count {
      let text = String(number, radix: 16)
      let id = String(repeating: "0", count: 32 - text.utf8.count) + text
      devices.append(Device(id: id, name: "Display \(number)", groups: number % 4 == 0 ? ["lobby"] : []))
    }
  }

  static var now: Int64 { Timestamp.now.microseconds / 1_000_000 }

  /// What a change leaves behind.
  func note(_ what: String, _ detail: String, _ person: Person) {
    var line = HistoryLine()
    line.number = Int64(log.count + 1)
    line.time = Fleet.now
    line.author = person.name
    (line.what, line.detail) = (what, detail)
    log.append(line)
    rise()
  }

  func rise() { generationNow += 1 }

  func channel(at name: String) -> Channel { held.first { $0.name == name }?.channel ?? Channel() }

  func keep(_ channel: Channel, at name: String) {
    if let place = held.firstIndex(where: { $0.name == name }) {
      held[place].channel = channel
    } else {
      held.append((name, channel))
    }
  }

  func place(of id: String) throws(Refusal) -> Int {
    guard let place = devices.firstIndex(where: { $0.id == id }) else {
      throw Refusal(.notFound, "There is no device \(id).")
    }
    return place
  }

  /// Whether a device takes a publication.
  func takes(_ place: Int, _ publication: Publication) -> Bool {
    switch publication.line.state {
    case .stopped, .undone, .over: return false
    case .complete: return hears(place, publication.line.channel)
    case .rolling:
      return hears(place, publication.line.channel) && place * 10_000 / max(1, devices.count) < publication.line.share
    }
  }

  func hears(_ place: Int, _ channel: String) -> Bool {
    channel == "fleet" || channel == "device.\(devices[place].id)"
      || devices[place].groups.contains { channel == "group.\($0)" }
  }

  /// What counts in a channel for a device; nil for everybody else's view: what is complete.
  func published(_ channel: String, for place: Int?) -> Publication? {
    publications.last { publication in
      guard publication.line.channel == channel else { return false }
      return place.map { takes($0, publication) } ?? (publication.line.state == .complete)
    }
  }

  func order(of place: Int) -> [String] {
    ["fleet"] + groupNames.filter { devices[place].groups.contains($0) }.map { "group.\($0)" }
      + ["device.\(devices[place].id)"]
  }

  /// The settings of a device with the publication that decides each.
  func wanted(_ place: Int) -> [(setting: DraftSetting, publication: Publication)] {
    var all: [(setting: DraftSetting, publication: Publication)] = []
    for channel in order(of: place) {
      guard let publication = published(channel, for: place) else { continue }
      for setting in publication.settings {
        all.removeAll { $0.setting.name == setting.name }
        all.append((setting, publication))
      }
    }
    return all
  }

  func expected(_ publication: Publication) -> [Int] { devices.indices.filter { takes($0, publication) } }

  /// A device says what became of what it was to take.
  func report(_ id: String, isApplied: Bool) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      let place = try place(of: id)
      devices[place].seen = Fleet.now
      for publication in publications where takes(place, publication) {
        let number = publication.line.number
        devices[place].verdicts.removeAll { $0.publication == number }
        devices[place].verdicts.append((number, isApplied))
      }
      for index in publications.indices where publications[index].line.state == .rolling { look(index) }
      rise()
    }
  }

  /// Stops what fails too often.
  private func look(_ index: Int) {
    let publication = publications[index]
    let expected = expected(publication)
    let failures = expected.filter { failed($0, publication) }.count
    if failures * 10_000 > publication.plan.bound * max(1, expected.count) {
      publications[index].line.state = .stopped
      publications[index].reason = "More than \(publication.plan.bound / 100) % of its devices failed."
      note(
        "Rollout stopped", "publication \(publication.line.number)", Person(name: "console", role: .editor, csrf: ""))
    }
  }

  func failed(_ place: Int, _ publication: Publication) -> Bool {
    devices[place].verdicts.contains { $0.publication == publication.line.number && !$0.isApplied }
  }
}

import LiveryFleet

/// What the console knows of a device, from its reports.
struct ReportBook {
  private(set) var sequence: Int64 = 0
  private(set) var channels: [Report.ChannelVersion] = []
  private(set) var verdicts: [Report.DocumentVerdict] = []
  private(set) var health: String?
  private(set) var schema: Int64?
  /// The digests of what is in effect, by the names' indices.
  private var digests = [[UInt8]?](repeating: nil, count: Settings.count)

  /// Takes a report.
  ///
  /// - Returns: whether the next one is to tell everything; nil for one that is none, or was there before.
  mutating func take(_ payload: [UInt8]) -> Bool? {
    guard let report = try? Report.decode(payload), report.sequence > sequence else { return nil }
    let isDelta = report.since != nil
    let hasGap = isDelta && report.since != sequence
    if !isDelta { digests = [[UInt8]?](repeating: nil, count: Settings.count) }
    for value in report.values {
      guard let index = Settings.index(of: value.name) else { return nil }
      digests[index] = value.value == nil ? nil : try? value.digest()
    }
    sequence = report.sequence
    channels = report.channels
    verdicts = report.documents
    health = report.health
    schema = report.schema
    return hasGap || Report.digest(digests.compactMap { $0 }) != report.digest
  }

  /// What it says of a document; nil if it does not know of it.
  func verdict(_ hash: [UInt8]) -> Report.Verdict? { verdicts.first { $0.hash == hash }?.verdict }

  /// Whether values are known to be these.
  func has(_ values: [Report.Effective]) -> Bool {
    Report.digest(values.compactMap { try? $0.digest() }) == Report.digest(digests.compactMap { $0 })
  }

  func version(of channel: Channel) -> Int64? { channels.first { $0.channel == channel }?.version }
}

import LiveryClient
import LiveryFleet

/// What a web server delivers over time, and the hints that a broker gives: all devices live through the same.
public struct Timeline: Sendable {
  public struct Version: Sendable {
    /// From when on, in milliseconds.
    public var from: Int64
    public var bytes: [UInt8]
    public var tag: String
  }

  public struct Hint: Sendable {
    public var at: Int64
    public var channel: Channel
    public var version: Int64
  }

  private var files: [String: [Version]] = [:]
  private var count = 0
  public private(set) var hints: [Hint] = []
  /// What holds at the end, by channel: the documents, the weakest first.
  public private(set) var final: [(channel: Channel, documents: [(entry: Manifest.Entry, document: Document)])] = []

  public init() {}

  public mutating func put(_ made: [Publisher.File], at time: Int64) {
    for file in made {
      count += 1
      files[file.path, default: []].append(Version(from: time, bytes: file.bytes, tag: "\"\(count)\""))
    }
  }

  public mutating func publish(
    _ channel: Channel, _ documents: [(entry: Manifest.Entry, document: Document)], groups: [String] = [],
    by publisher: inout Publisher, interval: Int64? = nil, at time: Int64
  ) throws {
    put(
      try publisher.publish(channel, documents: documents, groups: groups, interval: interval, now: time / 1000),
      at: time)
    final.removeAll { $0.channel == channel }
    final.append((channel, documents))
    hint(publisher, at: time)
  }

  /// Says what is published.
  public mutating func hint(_ publisher: Publisher, at time: Int64) {
    for channel in publisher.channels {
      hints.append(Hint(at: time, channel: channel.channel, version: channel.version))
    }
  }

  /// What has a path at a moment; `behind` is how many versions a cache is late.
  public func file(_ path: String, at time: Int64, behind: Int = 0) -> Version? {
    guard let versions = files[path] else { return nil }
    var (low, high) = (0, versions.count)
    while low < high {
      let middle = (low + high) / 2
      if versions[middle].from <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    return versions[max(0, low - 1 - behind)]
  }
}

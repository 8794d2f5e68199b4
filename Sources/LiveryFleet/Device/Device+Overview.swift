import LiveryClient

// What people are told of a device.

extension Device {
  /// A document that a manifest names.
  public struct DocumentState: Sendable {
    public var name: String
    public var hash: [UInt8]
    public var channel: Channel
    public var verdict: Report.Verdict
    /// Whether it is on trial, if anything is.
    public var isOnTrial: Bool
    /// Who has published it, and what is said of it.
    public var author: String?
    public var comment: String?
  }

  public struct Overview: Sendable {
    /// The versions of channels, and when their time is over.
    public var channels: [(channel: Channel, version: Int64, expires: Int64)] = []
    public var documents: [DocumentState] = []
    public var violations: [Report.Violation] = []
    /// The key document.
    public var keys: (version: Int64, expires: Int64)?
    /// The number of the last report that arrived; nil if none did.
    public var reported: Int64?
    public var isReportDue: Bool
  }

  /// How it is, by what it keeps.
  ///
  /// - Parameter moment: of which the clock counts.
  public func overview(at moment: Moment, _ world: World) -> Overview {
    var looked = self
    looked.isBehind = looked.isBehindNow(moment, world)
    var overview = Overview(isReportDue: kept.isReportDue)
    var verdicts = looked.verdictsOfEntries(moment, world)[...]
    for state in kept.channels {
      overview.channels.append((state.manifest.channel, state.manifest.version, state.manifest.expires))
      for entry in state.manifest.documents {
        guard let told = verdicts.popFirst() else { break }
        overview.documents.append(
          DocumentState(
            name: entry.name, hash: entry.hash, channel: state.manifest.channel, verdict: told.verdict,
            isOnTrial: kept.isOnTrial(entry.hash),
            author: entry.author, comment: entry.comment))
      }
    }
    overview.violations = looked.violations(world)
    overview.keys = kept.trust.keys.map { ($0.version, $0.expires) }
    overview.reported = kept.acknowledged
    return overview
  }

  private mutating func isBehindNow(_ moment: Moment, _ world: World) -> Bool {
    guard let held = try? holding(moment.clock, world),
      let (fingerprint, _) = try? wanted(held.documents, held.waiting, world)
    else {
      return true
    }
    return !holds(fingerprint, world) && !(fingerprint == kept.refused && kept.hasRefused(with: world.schema))
  }

  /// Whether a pull or what follows from it is under way.
  public var isPulling: Bool { pulling != nil || applying != nil }

  /// Whether the server is being asked.
  public var isAsking: Bool { pulling != nil }

  /// Whether there is a key document.
  public var hasKeys: Bool { if case .some = kept.trust.keys { true } else { false } }

  /// Whether what is published was refused as a whole; what was wrong with it.
  public var refusal: [Report.Violation]? { kept.refused == nil ? nil : kept.violations }

  /// The fingerprint of what holds.
  public var applied: [UInt8]? { kept.applied }

  /// When it asks next, in milliseconds of `uptime`.
  public var nextAttempt: Int64 { min(nextPull, nextHinted ?? nextPull) }
}

import LiveryFleet

/// All that the origin ever delivered for the fleet and its groups, and when: written by the console once, read by every device.
struct History: Sendable {
  /// A channel that devices share: the fleet, then the groups by their numbers.
  typealias Shared = Int
  static let fleet: Shared = 0
  static func group(_ number: Int) -> Shared { number + 1 }

  struct Publication: Sendable {
    var time: Time
    var channel: Shared
    var version: Int64
  }

  struct Rollout: Sendable {
    var document: PlainDocument
    var salt: [UInt8]
    /// The largest share that it ever had.
    var reached: Int64
  }

  /// What the console did about a rollout after it had looked at reports.
  struct Decision: Sendable {
    var time: Time
    var rollout: Int
    /// What it had been raised to, and since when.
    var share: Int64
    var since: Time
    var taken: Rule.Decision
  }

  var channels: [[PlainManifest]] = Array(repeating: [], count: Plan.groups + 1)
  /// The key documents by their versions, from 1 on.
  var keys: [(time: Time, bytes: [UInt8])] = []
  var publications: [Publication] = []
  /// Documents and assets by their paths.
  var blobs: [String: [UInt8]] = [:]
  var rollouts: [Rollout] = []
  var decisions: [Decision] = []

  /// What a channel says at a time; nil for nothing yet.
  func manifest(_ channel: Shared, at time: Time) -> PlainManifest? { channels[channel].last { $0.time <= time } }

  mutating func add(blobsOf document: PlainDocument) {
    blobs["/v1/blobs/" + document.hash.hexadecimal] = document.bytes
    if let asset = document.asset { blobs["/v1/blobs/" + Crypto.hash(asset).hexadecimal] = asset }
  }
}

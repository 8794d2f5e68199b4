/// One edit of one layer.
struct Edit: Sendable {
  enum Action: Sendable {
    case set(Value)
    /// Also the values go that would hide it: those of the layers above, as far as they are people's.
    case replace(Value)
    case reset

    var value: Value? {
      switch self {
      case .set(let value), .replace(let value): value
      case .reset: nil
      }
    }
  }

  /// What an import brings back of a value's past.
  struct Provenance: Sendable {
    var revision: UInt64
    var time: Timestamp
    var origin: String
    /// It did not count for want of a declaration that it satisfies, and is to be kept nevertheless.
    var isSetAside = false
    /// It was set when the setting had another type, and is to be kept as it was.
    var isAsSet = false
  }

  var name: String
  var layer: Layer
  var action: Action
  var expires: Timestamp?
  var provenance: Provenance?
  /// Who makes it, if somebody else than who makes the change.
  var origin: String?
  /// Whether it begins another brand: images of the one before are not shown in the place of its own.
  var isOfAnotherBrand = false
  /// When it was made, among those of its change set: what comes later counts.
  var order = 0
}

/// When a session ends by itself.
struct SessionDeadline: Sendable {
  /// nil for never.
  var time: Timestamp?
}

/// What is to be committed as one.
struct CommitRequest: Sendable {
  var edits: [Edit] = []
  /// What was to be edits, and is refused as it is written.
  var refusals: [Refusal] = []
  /// Assets that come with the edits.
  var assets: [NewAsset] = []
  /// What is known of assets, these or others.
  var facts: [AssetFact] = []
  /// Layers whose values all go, before the edits.
  var clearedLayers: [Layer] = []
  /// When the values of the layer `session` end that say nothing else; nil for no change of that.
  var deadline: SessionDeadline?
  /// Settings that must not have changed after a revision, in a layer.
  var expectations: [(name: String, layer: Layer, revision: UInt64)] = []
  var origin = ""
  /// An import of all layers brings back locks together with what they lock.
  var ignoresLocks = false
  /// Locks of this revision and of those before hold up nothing: they were there when what is undone was committed.
  var passedLocks: UInt64 = 0
  /// What is read-only may change: to undo a commit that did only brings back what was there.
  var passesReadOnly = false
  /// Pass over what may not be changed if it is so already, as an export holds it.
  var toleratesHeld = false
  /// Leave out what is refused, in place of refusing everything.
  var isPartial = false
  /// The edits are of a document: no two are of the same setting and layer.
  var isDocument = false
  /// Take the revisions of provenances if the store has no values of its own.
  var restoresRevisions = false
  /// The revision of the store that was exported, which then counts on from there.
  var exportedRevision: UInt64 = 0
  var allowsOverride = false
  /// The disk is full: the log is not to tell what was replaced.
  var sparesLog = false
  /// For how many microseconds the edits are on trial; nil for good.
  var trial: Int64?
  /// End a trial, and do nothing else.
  var trialEnd: TrialEnd?
  /// The layer that the commit is said to be of; nil if it is of several.
  var layer: Layer?
}

/// Something that a commit refuses.
struct Refusal: Sendable {
  var name: String
  var code: StoreError.Code
  var constraint: String?
  var message: String

  var value: Value {
    var members: [Value.Member] = [
      .init("name", .string(name)), .init("status", .string(code.description)), .init("message", .string(message)),
    ]
    if let constraint { members.append(.init("constraint", .string(constraint))) }
    return .object(members)
  }
}

struct CommitResult: Sendable {
  var revision: UInt64
  /// How many values were set.
  var count: Int
  var refusals: [Refusal]
  /// Nothing was committed, because of `refusals`.
  var isRefused: Bool
}

extension CommitRequest {
  /// Whether it only removes.
  var isRemoval: Bool {
    guard assets.isEmpty, facts.isEmpty, deadline == nil else { return false }
    return !edits.contains { $0.action.value != nil }
  }

  var mayChangeReadOnly: Bool { ignoresLocks || passesReadOnly }

  /// How much it may add to the file, estimated on the large side.
  var mostBytes: UInt64 {
    var bytes = SpaceReserve.smallCommit
    for asset in assets { bytes &+= UInt64(asset.bytes.count) &+ 8192 }
    bytes &+= UInt64(facts.count) &* 16_384
    // Of a span nothing is copied.
    let all = edits.span
    for index in all.indices {
      guard let value = all[index].action.value else { continue }
      var size = 0
      CBOR.addSize(of: value, to: &size, limit: 2 << 20)
      // In its layer, in effect, and in the log, beside what it replaces; each may begin a page.
      bytes &+= UInt64(size) * 4 &+ 512
    }
    return bytes
  }
}

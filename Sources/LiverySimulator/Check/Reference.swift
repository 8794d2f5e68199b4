import LiveryFleet

/// What a device has to hold, from what the console published alone: written anew, and knowing nothing of how devices merge.
struct Reference {
  /// What the console wants of a setting.
  struct Wish: Equatable {
    var verb: Document.Verb
    var value: Int64
    var serial: Int64
  }

  private(set) var wishes = [Wish?](repeating: nil, count: Settings.count)
  /// What is to replace what the operator chose, if only at another time, or where a stronger document does not say otherwise.
  private(set) var replacements = [[Wish]](repeating: [], count: Settings.count)
  /// The documents with what became of each, by its hash.
  private(set) var verdicts: [(document: PlainDocument, verdict: Report.Verdict)] = []
  /// Moments at which documents begin or cease to hold.
  private(set) var turns: [Int64] = []
  /// What the whole is on trial for: of what did not hold before the shortest time, and all that is asked for.
  private(set) var trial: Desired.Trial?
  /// The hashes of what holds, but for what is still to be tried: something stronger says all that it does otherwise.
  private(set) var holding: [[UInt8]] = []
  /// The hashes of assets that have to be there.
  private(set) var assets: [[UInt8]] = []
  let schema: Int64
  /// The hashes of what held before with the same schema.
  private let held: [[UInt8]]

  /// - Parameters:
  ///   - manifests: the weakest first.
  ///   - before: the hashes of what held before, and the schema with which it was made so.
  init(
    _ manifests: [PlainManifest], _ facts: Facts, clock: Int64, schema: Int64,
    before: (hashes: [[UInt8]], schema: Int64?)
  ) {
    self.schema = schema
    held = schema == before.schema ? before.hashes : []
    var applied: [PlainDocument] = []
    for manifest in manifests {
      for entry in manifest.entries {
        let document = entry.document
        guard !entry.isForeign, entry.share.map({ facts.place(entry.salt) < $0 }) ?? true,
          document.schema?.contains(schema) ?? true
        else {
          verdicts.append((document, .passedOver))
          continue
        }
        let from = document.from?.moment(facts.zone)
        let until = document.until?.moment(facts.zone)
        turns += [from, until].compactMap { $0 }
        for setting in document.settings where setting.verb == .replace {
          replacements[setting.index].append(Wish(verb: .replace, value: setting.value, serial: setting.serial))
        }
        if let until, clock >= until {
          verdicts.append((document, .scheduled))
        } else if let from, clock < from {
          verdicts.append((document, .scheduled))
        } else {
          verdicts.append((document, .applied))
          if let asset = document.assetHash { assets.append(asset) }
          applied.append(document)
          for setting in document.settings {
            let wish = Wish(
              verb: setting.verb, value: setting.value, serial: setting.verb == .replace ? setting.serial : 0)
            wishes[setting.index] = setting.verb == .release ? nil : wish
          }
        }
      }
    }
    for (place, document) in applied.enumerated() {
      let above = applied[(place + 1)...].flatMap { $0.settings.map { $0.index } }
      let isCovered = document.settings.allSatisfy { above.contains($0.index) }
      let isNew = document.trial != nil && !before.hashes.contains(document.hash)
      if !isNew || !isCovered { holding.append(document.hash) }
      guard let one = document.trial, isNew, !isCovered else { continue }
      let condition = one.check.map { Desired.Trial.Condition.check($0) } ?? .reached
      trial = Desired.Trial(
        seconds: min(one.seconds, trial?.seconds ?? .max), (trial?.conditions ?? []) + [condition])
    }
    guard !fits else { return }
    let culprit = applied.last { $0.settings.contains { $0.index == Settings.volume } }
    verdicts = verdicts.map { ($0, $1 == .applied && $0 === culprit ? .refused : whenRefused($0, $1)) }
  }

  /// What a document counts as where the whole is refused: what held before does so still.
  func whenRefused(_ document: PlainDocument, _ verdict: Report.Verdict) -> Report.Verdict {
    verdict == .applied && !held.contains(document.hash) ? .refused : verdict
  }

  /// Whether the store takes all of it.
  var fits: Bool { wishes[Settings.volume].map { $0.value <= Settings.volumeLimit(schema) } ?? true }

  var recommended: LayerValues {
    var values = LayerValues()
    for (index, wish) in wishes.enumerated() {
      if let wish, wish.verb == .recommend || wish.verb == .replace { values[index] = wish.value }
    }
    return values
  }

  var enforced: LayerValues {
    var values = LayerValues()
    for (index, wish) in wishes.enumerated() {
      if let wish, wish.verb == .enforce { values[index] = wish.value }
    }
    return values
  }

  /// Whether something turned shortly before a moment.
  func turned(within seconds: Int64, before clock: Int64) -> Bool {
    turns.contains { $0 <= clock && $0 > clock - seconds }
  }
}

/// What is so of a device from its beginning to its end.
struct Facts {
  let id: String
  let zone: Zone
  private var places: [[UInt8]: Int64] = [:]

  /// What the app says when it is asked whether it is well, by the name of the check.
  enum Check {
    case yes, no
    /// It never comes to an end.
    case never

    static let count = 12
  }

  /// Of some checks half of the devices do not pass.
  func check(_ name: String) -> Check {
    let isOdd = (id.utf8.first ?? 0) % 2 == 1
    return name == "c10" && isOdd ? .no : name == "c11" && isOdd ? .never : .yes
  }

  init(id: String, zone: Zone) {
    self.id = id
    self.zone = zone
  }

  /// Has its place in a rollout known.
  mutating func add(_ salt: [UInt8]) {
    guard places[salt] == nil else { return }
    // A long division, digit by digit.
    places[salt] = Crypto.hash(salt + Array(id.utf8)).reduce(0) { ($0 * 256 + Int64($1)) % 10_000 }
  }

  /// Where it stands in a rollout.
  func place(_ salt: [UInt8]) -> Int64 { places[salt] ?? 10_000 }
}

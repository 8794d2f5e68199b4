import LiveryClient

/// What the console wants of a device: each setting once, by the strongest document that names it.
public struct Desired: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var setting: Document.Setting
    /// The hash of the document that it is of.
    public var document: [UInt8]
  }

  /// In the order of the bytes of their names; without those that are released.
  public private(set) var entries: [Entry] = []
  /// What weaker documents would replace, and what do not hold now, in the same order: what of it was replaced once stays so.
  public private(set) var covered: [Entry] = []
  /// Of the documents that were not tried yet, as far as something is of them.
  public private(set) var trial: Trial?
  /// The hashes of documents of which nothing is: stronger ones name all that they do.
  public private(set) var idle: [[UInt8]] = []

  public init() {}

  /// Merges documents, the weakest first: fleet, groups in their order, device; in a channel as its manifest has them.
  ///
  /// - Parameter waiting: documents that are there and do not hold now: a clock that was set lets them begin once more.
  /// - Parameter tried: the hashes of documents that hold already. Their trials are over: what begins or ends beside them is on
  ///   none because of them.
  /// - Parameter canonical: the name of a setting, of which documents may say an alias.
  /// - Throws: `.tooLarge`.
  public static func merging(
    _ documents: [HeldDocument], waiting: [HeldDocument] = [], tried: [[UInt8]] = [],
    canonical: (String) -> String = { $0 }
  ) throws(FleetError) -> Desired {
    var all: [(setting: Document.Setting, document: [UInt8], rank: Int)] = []
    for (rank, held) in documents.enumerated() {
      for setting in held.document.settings {
        var known = setting
        known.name = canonical(setting.name)
        all.append((known, held.hash, rank))
      }
    }
    guard all.count <= Limit.settingsHeld else { throw FleetError(.tooLarge, "the documents have too many settings") }
    for held in waiting {
      for setting in held.document.settings where setting.verb == .replace && all.count < 2 * Limit.settingsHeld {
        var known = setting
        known.name = canonical(setting.name)
        all.append((known, held.hash, -1))
      }
    }
    all.sort { left, right in
      left.setting.name.sameBytes(as: right.setting.name)
        ? left.rank < right.rank : left.setting.name.precedes(right.setting.name)
    }
    var desired = Desired()
    var isIdle = [Bool](repeating: true, count: documents.count)
    for (index, one) in all.enumerated() {
      let isStrongest = index + 1 == all.count || !all[index + 1].setting.name.sameBytes(as: one.setting.name)
      let entry = Entry(setting: one.setting, document: one.document)
      if !isStrongest || one.rank < 0 {
        if one.setting.verb == .replace { desired.covered.append(entry) }
        continue
      }
      isIdle[one.rank] = false
      if one.setting.verb != .release { desired.entries.append(entry) }
    }
    for (rank, held) in documents.enumerated() {
      guard !isIdle[rank] else {
        desired.idle.append(held.hash)
        continue
      }
      guard let trial = held.document.trial, !tried.contains(where: { $0 == held.hash }) else { continue }
      if desired.trial == nil { desired.trial = Trial(trial) } else { desired.trial?.add(trial) }
    }
    return desired
  }

  /// SHA-256 of what is wanted: the same for what comes to the same. What is covered makes no difference until it is no longer.
  public func fingerprint() throws(FleetError) -> [UInt8] {
    let items = entries.map { (entry) -> Value in
      .list(
        [.string(entry.setting.name), .string(entry.setting.verb.name), .int(entry.setting.serial ?? 0)]
          + (entry.setting.value.map { [$0] } ?? []))
    }
    return Crypto.hash(try CBOR.encode(.list(items)))
  }
}

/// A document that a device has, with its hash.
public struct HeldDocument: Sendable, Equatable {
  /// Held once, by however many.
  private final class Content: Sendable {
    let document: Document

    init(_ document: Document) { self.document = document }
  }

  public let hash: [UInt8]
  private let content: Content

  public var document: Document { content.document }

  /// - Throws: `.wrongHash`; as `Document.decode`.
  public init(_ bytes: [UInt8], hash: [UInt8]) throws(FleetError) {
    guard Crypto.hash(bytes) == hash else {
      throw FleetError(.wrongHash, "the document is not the one that was asked for")
    }
    self.hash = hash
    content = Content(try Document.decode(bytes))
  }

  public static func == (left: Self, right: Self) -> Bool { left.hash == right.hash }
}

extension Document {
  /// Whether it holds at a moment; `next` is when that changes the next time.
  public func holds(at now: Int64, _ offset: ZoneOffset) -> (holds: Bool, next: Int64?) {
    let begins = from?.moment(offset)
    let ends = until?.moment(offset)
    if let ends, now >= ends { return (false, nil) }
    if let begins, now < begins { return (false, begins) }
    return (true, ends)
  }
}

/// How long a change is on trial: until a moment of the clock that counts since the start of the system, and no longer than
/// that start. Setting the system's clock neither ends it early nor lets it go on.
public struct Trial: Sendable, Equatable {
  /// The commit that began it.
  public var revision: UInt64
  /// The boot of the system that it began in.
  public var boot: UInt64
  /// In microseconds since that boot.
  public var began: Int64
  public var deadline: Int64

  public init(revision: UInt64, boot: UInt64, began: Int64, deadline: Int64) {
    self.revision = revision
    self.boot = boot
    self.began = began
    self.deadline = deadline
  }

  /// The longest there is, in microseconds: a year.
  public static let longest: Int64 = 366 * 86_400_000_000

  /// Whether it can be one, by what is stored of it.
  public var isSound: Bool { began >= 0 && deadline > began && deadline - began <= Self.longest }

  /// - Parameter moment: in microseconds since the start of the system. A clock that has begun anew says less than before,
  ///   also where the system does not tell its boots.
  @inline(never)
  public func isOver(at moment: Int64) -> Bool {
    moment >= deadline || moment < began || Boot.hasEnded(boot)
  }
}

/// What of a setting is on trial, and what it goes back to.
public struct TrialPart: Sendable {
  public let term: Trial
  /// The layers that are on trial.
  public internal(set) var layers: LayerSet
  /// What they held before, weakest first.
  public internal(set) var former: [Record]

  @inline(never)
  public init(_ term: Trial, _ layers: LayerSet, former: [Record]) {
    self.term = term
    self.layers = layers
    self.former = former.filter { layers.contains($0.layer) }
  }

  public func former(of layer: Layer) -> Record? { former.first { $0.layer == layer } }

  /// A layer is on trial no longer, and nothing comes back to it.
  mutating func leave(_ layer: Layer) {
    layers.remove(layer)
    former.removeAll { $0.layer == layer }
  }
}

/// The part of a stored record that tells of a trial, looked at in its place.
///
/// Layout, little-endian, unaligned, behind a varint with its size:
///
///     boot      u64     the boot of the system that the trial began in
///     began     i64     microseconds since the start of the system
///     deadline  i64     the same
///     layers    u8      those on trial, a bit each: 1 << layer
///     revision  varint  the commit that began it
///               what these layers held before, each an entry as at `EntryPlace`
struct TrialPlace {
  static let head = 25

  let term: Trial
  let layers: LayerSet
  /// Where the entries begin, in the part.
  let entries: Int

  /// - Parameter part: the bytes of the part alone.
  @inline(never)
  init?(_ part: RawSpan) {
    guard part.byteCount > Self.head else { return nil }
    var at = Self.head
    guard let revision = part.varint(&at) else { return nil }
    term = Trial(
      revision: revision, boot: part.word(at: 0), began: Int64(bitPattern: part.word(at: 8)),
      deadline: Int64(bitPattern: part.word(at: 16)))
    guard term.isSound else { return nil }
    layers = LayerSet.stored(part.byte(at: 24))
    entries = at
  }

  /// Hands `body` what the layers held before; false if that is damaged.
  @inline(never)
  func all(in part: RawSpan, _ body: (EntryPlace) -> Bool) -> Bool {
    var at = entries
    var seen = LayerSet.none
    while at < part.byteCount {
      guard let entry = EntryPlace(part, &at), layers.contains(entry.layer), !seen.contains(entry.layer) else {
        return false
      }
      seen.insert(entry.layer)
      guard body(entry) else { return false }
    }
    return true
  }
}

extension TrialPart {
  /// nil if the bytes are none.
  @inline(never)
  init?(_ part: RawSpan) {
    guard let place = TrialPlace(part) else { return nil }
    var former: [Record] = []
    let isWhole = place.all(in: part) { entry in
      guard let record = Record(entry, in: part) else { return false }
      former.append(record)
      return true
    }
    guard isWhole else { return nil }
    self.init(place.term, place.layers, former: former)
  }

  var stored: [UInt8] {
    @inline(never) get { encoded }
  }

  private var encoded: [UInt8] {
    var bytes = ByteBuffer()
    bytes.append(littleEndian: term.boot)
    bytes.append(littleEndian: term.began)
    bytes.append(littleEndian: term.deadline)
    bytes.append(layers.bits)
    bytes.append(varint: term.revision)
    let all = former.span
    for index in all.indices { Record.append(all, index, to: &bytes) }
    return bytes.array
  }
}

/// All that is stored of one setting: what its layers hold, and which of it is in effect.
///
/// Layout, unaligned:
///
///     0  checksum  u64     XXH3-64 of all that follows, seeded with the XXH3-64 of the name (seeded with the database's tag)
///     8  head      u8      16, the format; added to it 1 locked, 2 a value is in effect, 4 converted, 8 unknown to reads, 32 on trial
///     9  revision  varint  the last commit that changed what is in effect
///        the value in effect as a form, if it is converted
///        what tells of the trial, if it is on trial
///        what the layers hold, each an entry: first that which is in effect, then the weakest first
///
/// A form is a byte, the type and 128 more if it is sealed, the payload's length as a varint, and the payload. An entry is
/// described at `EntryPlace`, what tells of a trial at `TrialPlace`.
public struct SettingRecord: Sendable {
  /// What the layers hold, weakest first; at most one of each.
  public private(set) var values: [Record] = []
  /// The layer whose value is in effect.
  public private(set) var winner: Layer?
  /// What is there seldom, and then in a place of its own; at most one.
  private var rare: [Rare] = []
  public private(set) var isLocked = false
  /// Whether reads know nothing of the setting: it is not declared, and its values wait.
  public private(set) var isUnknown = false
  /// The last commit that changed what is in effect.
  public private(set) var revision: UInt64 = 0

  public init() {}

  /// The value in effect, where it is not as its layer holds it; only the value of it counts.
  public private(set) var converted: Record? {
    get { rare.isEmpty ? nil : rare[0].converted }
    set { change { $0.converted = newValue } }
  }

  /// - Parameter values: what the layers hold, in any order.
  public init(_ values: [Record]) {
    for value in values { set(value) }
  }

  @_optimize(speed)
  public func value(of layer: Layer) -> Record? {
    for index in values.indices where values[index].layer == layer { return values[index] }
    return nil
  }

  /// What of it is on trial.
  public private(set) var trial: TrialPart? {
    get { rare.isEmpty ? nil : rare[0].trial }
    set { change { $0.trial = newValue } }
  }

  private struct Rare: Sendable {
    var converted: Record?
    var trial: TrialPart?
    /// What was in effect while a trial was pending that is over.
    var stale: Record?
  }

  @inline(never)
  private mutating func change(_ body: (inout Rare) -> Void) {
    var one = rare.isEmpty ? Rare() : rare[0]
    body(&one)
    rare = one.converted == nil && one.trial == nil && one.stale == nil ? [] : [one]
  }

  /// Puts a value in the place of what its layer held. It takes the layer out of a trial.
  public mutating func set(_ record: Record) {
    leaveTrial(record.layer)
    exchange(record)
  }

  /// The same for what stays on trial.
  @_optimize(speed)
  public mutating func exchange(_ record: Record) {
    let place = values.firstIndex { $0.layer >= record.layer } ?? values.count
    if place < values.count, values[place].layer == record.layer {
      values[place] = record
    } else {
      values.insert(record, at: place)
    }
  }

  /// Removes what a layer holds, and takes it out of a trial.
  public mutating func remove(_ layer: Layer) {
    leaveTrial(layer)
    drop(layer)
  }

  /// The same for what stays on trial.
  public mutating func drop(_ layer: Layer) { values.removeAll { $0.layer == layer } }

  /// Exchanges all values for what `change` makes of them, and the one in effect where it is converted.
  public mutating func transform<E: Error>(
    _ change: (Record, _ isConverted: Bool) throws(E) -> Record
  ) throws(E) {
    for index in values.indices { values[index] = try change(values[index], false) }
    guard !rare.isEmpty else { return }
    if let former = rare[0].converted { rare[0].converted = try change(former, true) }
    if let former = rare[0].stale { rare[0].stale = try change(former, true) }
    guard var part = rare[0].trial else { return }
    for index in part.former.indices { part.former[index] = try change(part.former[index], false) }
    rare[0].trial = part
  }

  /// What is in effect; nil if reads know nothing of the setting.
  public var effective: Record? {
    if isUnknown { return nil }
    if !rare.isEmpty, let over = rare[0].stale { return over }
    guard let winner, let own = value(of: winner) else {
      var nothing = Record(nil, layer: .defaults, revision: revision, time: Timestamp(microseconds: 0))
      nothing.isLocked = isLocked
      return nothing
    }
    var record = own
    if let converted, let value = converted.value { record = own.with(value, converted.sealed) }
    record.revision = revision
    record.isLocked = isLocked
    return record
  }

  /// The same without where it comes from.
  @_optimize(speed)
  public var effect: Effect? {
    if isUnknown { return nil }
    if !rare.isEmpty, let over = rare[0].stale {
      return Effect(
        value: over.value, layer: over.layer, expires: over.expires, boot: over.boot, isLocked: over.isLocked,
        revision: over.revision)
    }
    guard let index = winnerIndex else { return Effect(isLocked: isLocked, revision: revision) }
    return Effect(
      value: effectiveValue, layer: values[index].layer, expires: values[index].expires, boot: values[index].boot,
      isLocked: isLocked, revision: revision)
  }

  /// What reads return, as it is stored; nil for nothing.
  public var effectiveValue: Value? {
    guard let index = winnerIndex else { return nil }
    if let converted { return converted.value }
    return values[index].value
  }

  private var winnerIndex: Int? {
    guard let winner else { return nil }
    for index in values.indices where values[index].layer == winner { return index }
    return nil
  }

  /// Decides anew what is in effect.
  ///
  /// - Parameters:
  ///   - now: what has expired by then does not count.
  ///   - convert: what reads return in the place of a value; nil for the value itself.
  @_optimize(speed)
  public mutating func decide(at now: Timestamp, _ convert: (Value) -> Value?) {
    let (index, isLocked) = strongest(values, at: now)
    isUnknown = false
    self.isLocked = isLocked
    winner = index.map { values[$0].layer }
    dropConverted()
    guard let index, let value = values[index].value, let other = convert(value), value != other else { return }
    converted = Record(other, layer: values[index].layer, revision: 0, time: values[index].time)
  }

  /// Reads are to know nothing of the setting.
  public mutating func ignore() {
    isUnknown = true
    isLocked = false
    winner = nil
    revision = 0
    dropConverted()
  }

  private mutating func dropConverted() {
    if rare.isEmpty { return }
    change {
      $0.converted = nil
      $0.stale = nil
    }
  }

  /// Notes which commit put in effect what is.
  public mutating func date(_ revision: UInt64) { self.revision = revision }

  /// Whether readers see no difference to what was in effect, whichever commits made them.
  @_optimize(speed)
  public func isSame(as other: Effect) -> Bool {
    guard isLocked == other.isLocked, effectiveValue.isSame(as: other.value) else { return false }
    guard let index = winnerIndex else { return other.layer == .defaults && !other.mayEnd }
    return values[index].layer == other.layer && values[index].expires == other.expires
      && values[index].boot == other.boot
  }
}

// MARK: Trial

extension SettingRecord {
  /// Puts layers on trial: what they hold counts until it is over, or confirmed.
  ///
  /// - Parameter before: what they go back to.
  @inline(never)
  public mutating func begin(_ term: Trial, _ layers: LayerSet, before: [Record]) {
    trial = TrialPart(term, layers, former: before)
  }

  /// What is on trial stays.
  public mutating func confirm() { trial = nil }

  /// What was there before the trial, with all that has come since beside it. What is in effect is to be decided anew: as it
  /// stands here its time is over.
  public var reverted: SettingRecord {
    @inline(never) get { goneBack }
  }

  private var goneBack: SettingRecord {
    guard let trial else { return self }
    var record = self
    var over = effective
    over?.expires = .earliest
    record.change { $0.stale = over }
    for layer in Layer.allCases where trial.layers.contains(layer) { record.remove(layer) }
    for former in trial.former { record.exchange(former) }
    record.trial = nil
    return record
  }

  /// Changes when the value ends that a layer goes back to.
  @inline(never)
  public mutating func endFormer(of layer: Layer, at time: Timestamp?) {
    guard var part = trial else { return }
    for index in part.former.indices where part.former[index].layer == layer { part.former[index].expires = time }
    trial = part
  }

  private mutating func leaveTrial(_ layer: Layer) {
    if !rare.isEmpty { leave(layer) }
  }

  @inline(never)
  private mutating func leave(_ layer: Layer) {
    guard var part = trial else { return }
    part.leave(layer)
    trial = part.layers.isEmpty ? nil : part
  }
}

// MARK: Stored form

extension SettingRecord {
  /// The stored form, bound to the name it is stored under.
  @_optimize(speed)
  public func encode(key: RawSpan, tag: UInt8) -> ByteBuffer {
    // Of a span nothing is copied.
    let all = values.span
    var capacity = 32
    for index in all.indices { capacity += 32 + all[index].origin.utf8.count + Payload.size(of: all[index].value) }
    var bytes = ByteBuffer(capacity: capacity)
    bytes.append(littleEndian: UInt64(0))
    var first: Int?
    for index in all.indices where all[index].layer == winner { first = index }
    var head = SettingPlace.format
    if isLocked { head |= SettingPlace.locked }
    if first != nil { head |= SettingPlace.hasValue }
    if first != nil, converted?.value != nil { head |= SettingPlace.converted }
    if isUnknown { head |= SettingPlace.unknown }
    if trial != nil { head |= SettingPlace.onTrial }
    bytes.append(head)
    bytes.append(varint: revision)
    if first != nil {
      if let converted, let value = converted.value {
        let form = converted.sealedForm
        bytes.append(value.type.rawValue | (form == nil ? 0 : SettingPlace.sealedType))
        let payload = form?.bytes ?? Payload.encode(value)
        bytes.append(varint: UInt64(payload.count))
        bytes.append(payload)
      }
    }
    if let trial {
      let part = trial.stored
      bytes.append(varint: UInt64(part.count))
      bytes.append(part)
    }
    if let first { Record.append(all, first, to: &bytes) }
    for index in all.indices where index != first { Record.append(all, index, to: &bytes) }
    Checksum.seal(&bytes, key: key, tag: tag)
    return bytes
  }

  /// Reads a stored record back; nil if it is damaged or belongs to another name.
  public init?(_ bytes: RawSpan, key: [UInt8], tag: UInt8) {
    guard var place = SettingPlace(bytes, key: key.span.bytes, tag: tag) else { return nil }
    isLocked = place.isLocked
    isUnknown = place.isUnknown
    revision = place.revision
    var form: Record?
    if let (type, isSealed, payload) = place.form {
      guard let value = Record.value(type, isSealed, payload, in: bytes) else { return nil }
      form = Record(nil, layer: .defaults, revision: 0, time: Timestamp(microseconds: 0)).with(value)
    }
    var seen: UInt8 = 0
    while place.offset < bytes.byteCount {
      guard let entry = EntryPlace(bytes, &place.offset), seen & 1 << entry.layer.rawValue == 0,
        let record = Record(entry, in: bytes)
      else { return nil }
      seen |= 1 << entry.layer.rawValue
      if place.hasValue, winner == nil { winner = entry.layer }
      set(record)
    }
    guard place.hasValue == (winner != nil) else { return nil }
    if let range = place.trial {
      guard let part = TrialPart(bytes.extracting(range)) else { return nil }
      trial = part
    }
    if let form, let winner {
      var record = form
      record.layer = winner
      if let value = form.value { record = record.with(value) }
      converted = record
    }
  }
}

extension Record {
  /// The value as it is stored; nil if the bytes are none of its type.
  fileprivate static func value(
    _ type: ValueType, _ isSealed: Bool, _ payload: Range<Int>, in bytes: RawSpan
  ) -> Value? {
    guard isSealed else { return Payload.decode(type, bytes.extracting(payload)) }
    guard let sealed = Sealed(bytes.array(in: payload)), sealed.type == type else { return nil }
    return .sealed(sealed)
  }

  fileprivate func with(_ value: Value) -> Record {
    if case .sealed(let form) = value { return with(value, form) }
    return with(value, nil)
  }

  init?(_ entry: EntryPlace, in bytes: RawSpan) {
    guard let value = Self.value(entry.type, entry.isSealed, entry.payload, in: bytes),
      let origin = bytes.text(in: entry.origin)
    else { return nil }
    var record = Record(
      nil, layer: entry.layer, revision: entry.revision, time: Timestamp(microseconds: entry.time),
      expires: entry.expires == 0 ? nil : Timestamp(microseconds: entry.expires), origin: origin)
    record.boot = entry.boot
    record.isRejected = entry.isRejected
    if case .sealed(let form) = value, form.layer != entry.layer.rawValue { return nil }
    self = record.with(value)
  }

  /// Writes one of several, by its number: to hand over the record itself would copy it.
  @_optimize(speed)
  static func append(_ all: Span<Record>, _ index: Int, to bytes: inout ByteBuffer) {
    guard let value = all[index].value else { return }
    let form = all[index].sealedForm
    let boot = all[index].boot
    var flags: UInt8 = 0
    if all[index].isRejected { flags |= EntryPlace.rejectedFlag }
    if boot != 0 { flags |= EntryPlace.volatileFlag }
    if all[index].expires != nil { flags |= EntryPlace.expiresFlag }
    if form != nil { flags |= EntryPlace.sealedFlag }
    bytes.append(all[index].layer.rawValue | value.type.rawValue << 3 | (flags == 0 ? 0 : EntryPlace.hasFlags))
    if flags != 0 { bytes.append(flags) }
    bytes.append(varint: all[index].revision)
    bytes.append(littleEndian: all[index].time.microseconds)
    bytes.append(UInt8(clamping: all[index].origin.utf8.count))
    bytes.append(all[index].origin)
    if let expires = all[index].expires { bytes.append(littleEndian: expires.microseconds) }
    if boot != 0 { bytes.append(littleEndian: boot) }
    switch (form, value) {
    case (nil, .bool), (nil, .int), (nil, .double), (nil, .date), (nil, .color): Payload.append(value, to: &bytes)
    case (nil, .string(let text)), (nil, .url(let text)), (nil, .image(let text)):
      bytes.append(varint: UInt64(text.utf8.count))
      bytes.append(text)
    default:
      let payload = form?.bytes ?? Payload.encode(value)
      bytes.append(varint: UInt64(payload.count))
      bytes.append(payload)
    }
  }
}

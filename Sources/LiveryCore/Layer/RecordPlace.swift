/// The head of a setting's stored record, looked at in its place.
struct SettingPlace {
  static let format: UInt8 = 16
  static let locked: UInt8 = 1
  static let hasValue: UInt8 = 2
  static let converted: UInt8 = 4
  static let unknown: UInt8 = 8
  static let onTrial: UInt8 = 32
  static let sealedType: UInt8 = 128

  let head: UInt8
  let revision: UInt64
  /// The value in effect, where it is not as its layer holds it.
  let form: (type: ValueType, isSealed: Bool, payload: Range<Int>)?
  /// What tells of a trial.
  let trial: Range<Int>?
  /// Where the entries begin.
  var offset: Int

  var isLocked: Bool { head & Self.locked != 0 }
  var isUnknown: Bool { head & Self.unknown != 0 }
  var hasValue: Bool { head & Self.hasValue != 0 }

  /// nil if the record is damaged or belongs to another name.
  @inline(__always)
  init?(_ bytes: RawSpan, key: RawSpan, tag: UInt8) {
    guard bytes.byteCount > Checksum.size + 1, Checksum.verify(bytes, key: key, tag: tag) else { return nil }
    self.init(bytes)
  }

  @inline(__always)
  private init?(_ bytes: RawSpan) {
    head = bytes.byte(at: Checksum.size)
    var at = Checksum.size + 1
    // Of what reads do not know nothing is in effect.
    guard head & 0xF0 & ~Self.onTrial == Self.format,
      head & Self.unknown == 0 || head & ~Self.onTrial == Self.format | Self.unknown, let revision = bytes.varint(&at)
    else { return nil }
    self.revision = revision
    guard head & (Self.converted | Self.onTrial) != 0 else {
      form = nil
      trial = nil
      offset = at
      return
    }
    if head & Self.converted != 0 {
      guard head & Self.hasValue != 0, at < bytes.byteCount else { return nil }
      let type = bytes.byte(at: at)
      at += 1
      guard let known = ValueType(rawValue: type & ~Self.sealedType), let payload = bytes.run(&at) else { return nil }
      form = (known, type & Self.sealedType != 0, payload)
    } else {
      form = nil
    }
    if head & Self.onTrial != 0 {
      guard let part = bytes.run(&at) else { return nil }
      trial = part
    } else {
      trial = nil
    }
    offset = at
  }
}

/// What a layer holds for a setting, looked at in its place in the stored record.
///
/// Layout, little-endian, unaligned:
///
///     head      u8      the layer, and 8 times the type; 128 more if flags follow
///     flags     u8      1 rejected, 2 volatile, 4 expires, 8 sealed; only if there are any
///     revision  varint
///     time      i64     microseconds since 1970
///     origin    u8 and that many bytes
///     expires   i64     microseconds since 1970; only with its flag
///     boot      u64     the boot of the system that a volatile value was set in; only with its flag
///     size      varint  of the payload; not for bool, int, double, date and color, unless sealed
///     payload
public struct EntryPlace {
  static let hasFlags: UInt8 = 128
  static let rejectedFlag: UInt8 = 1
  static let volatileFlag: UInt8 = 2
  static let expiresFlag: UInt8 = 4
  static let sealedFlag: UInt8 = 8

  public let layer: Layer
  public let type: ValueType
  private let flags: UInt8
  let revision: UInt64
  let time: Int64
  let origin: Range<Int>
  /// 0 for never.
  let expires: Int64
  /// 0 for none.
  let boot: UInt64
  let payload: Range<Int>

  var isRejected: Bool { flags & Self.rejectedFlag != 0 }
  public var isSealed: Bool { flags & Self.sealedFlag != 0 }

  /// How many bytes the values of a type take, if all take as many.
  @inline(__always)
  static func size(of type: ValueType) -> Int? {
    switch type {
    case .bool: 1
    case .int, .double, .date: 8
    case .color: 16
    case .string, .data, .url, .image, .list, .object: nil
    }
  }

  /// The entry at an offset, which is moved behind it; nil if there is none.
  @inline(__always)
  init?(_ bytes: RawSpan, _ offset: inout Int) {
    let count = bytes.byteCount
    var at = offset
    guard at < count else { return nil }
    let head = bytes.byte(at: at)
    at += 1
    guard let layer = Layer(rawValue: head & 7), let type = ValueType(rawValue: head >> 3 & 15) else { return nil }
    self.layer = layer
    self.type = type
    var flags: UInt8 = 0
    if head & Self.hasFlags != 0 {
      guard at < count else { return nil }
      flags = bytes.byte(at: at)
      at += 1
      guard flags != 0, flags < 16 else { return nil }
    }
    self.flags = flags
    guard let revision = bytes.varint(&at), count - at > 8 else { return nil }
    self.revision = revision
    time = Int64(bitPattern: bytes.word(at: at))
    at += 8
    let originSize = Int(bytes.byte(at: at))
    at += 1
    guard originSize <= count - at else { return nil }
    origin = at..<at + originSize
    at += originSize
    var expires: Int64 = 0
    var boot: UInt64 = 0
    if flags & (Self.expiresFlag | Self.volatileFlag) != 0 {
      if flags & Self.expiresFlag != 0 {
        guard count - at >= 8 else { return nil }
        expires = Int64(bitPattern: bytes.word(at: at))
        at += 8
      }
      if flags & Self.volatileFlag != 0 {
        guard count - at >= 8 else { return nil }
        boot = bytes.word(at: at)
        at += 8
      }
    }
    self.expires = expires
    self.boot = boot
    if flags & Self.sealedFlag == 0, let size = Self.size(of: type) {
      guard size <= count - at else { return nil }
      payload = at..<at + size
      at += size
    } else {
      guard let run = bytes.run(&at) else { return nil }
      payload = run
    }
    offset = at
  }

  /// Hands `body` each entry of a stored record; false if that is damaged, or belongs to another name.
  ///
  /// - Parameter moment: what the layers hold then, as `Trial` counts; nil for all that there is, also what a trial goes back to.
  public static func all(
    in bytes: RawSpan, key: RawSpan, tag: UInt8, at moment: Int64?, _ body: (EntryPlace) -> Void
  ) -> Bool {
    guard var place = SettingPlace(bytes, key: key, tag: tag) else { return false }
    var ended = LayerSet.none
    if let range = place.trial {
      let part = bytes.extracting(range)
      guard let trial = TrialPlace(part) else { return false }
      let isOver = moment.map { trial.term.isOver(at: $0) } ?? false
      if isOver { ended = trial.layers }
      let isWhole = trial.all(in: part) { entry in
        if isOver || moment == nil { body(entry) }
        return true
      }
      guard isWhole else { return false }
    }
    while place.offset < bytes.byteCount {
      guard let entry = EntryPlace(bytes, &place.offset) else { return false }
      if !ended.contains(entry.layer) { body(entry) }
    }
    return true
  }
}

/// What is in effect of a setting, looked at in its place in the stored record, without a copy.
public struct RecordPlace {
  /// nil for no value.
  public let type: ValueType?
  /// Whether the stored form is sealed.
  public let isSealed: Bool
  /// Whether reads know nothing of the setting.
  public let isUnknown: Bool
  /// Where the value's stored form is.
  public let payload: Range<Int>
  public let layer: Layer
  /// Microseconds since 1970; 0 for never. Long ago for a value that has ended with the boot of the system.
  public let expires: Int64
  /// How long all this counts; nil if it is not on trial.
  public let trial: Trial?

  /// nil if the record is damaged or belongs to another name.
  @inline(__always)
  public init?(_ bytes: RawSpan, key: RawSpan, tag: UInt8) {
    guard var place = SettingPlace(bytes, key: key, tag: tag) else { return nil }
    isUnknown = place.isUnknown
    if let range = place.trial {
      guard let found = TrialPlace(bytes.extracting(range)) else { return nil }
      trial = found.term
    } else {
      trial = nil
    }
    guard place.hasValue else {
      type = nil
      isSealed = false
      payload = 0..<0
      layer = .defaults
      expires = 0
      return
    }
    guard let entry = EntryPlace(bytes, &place.offset) else { return nil }
    layer = entry.layer
    expires = entry.boot != 0 && Boot.hasEnded(entry.boot) ? Int64.min : entry.expires
    if let form = place.form {
      type = form.type
      isSealed = form.isSealed
      payload = form.payload
    } else {
      type = entry.type
      isSealed = entry.isSealed
      payload = entry.payload
    }
  }

  /// Whether it is the one that counts.
  ///
  /// - Parameters:
  ///   - now: in microseconds since 1970.
  ///   - moment: in microseconds since the start of the system.
  @inline(__always)
  public func counts(at now: @autoclosure () -> Int64, _ moment: @autoclosure () -> Int64) -> Bool {
    if let trial, trial.isOver(at: moment()) { return false }
    return expires == 0 || expires > now()
  }

  /// The value; nil if there is none, or if the bytes are none of its type.
  @inline(__always)
  public func value(in bytes: RawSpan) -> Value? {
    if isSealed { return sealed(in: bytes).map { .sealed($0) } }
    return type.flatMap { Payload.decode($0, bytes.extracting(payload)) }
  }

  @inline(never)
  private func sealed(in bytes: RawSpan) -> Sealed? {
    guard let sealed = Sealed(bytes.array(in: payload)), sealed.type == type, sealed.layer == layer.rawValue else {
      return nil
    }
    return sealed
  }
}

extension RawSpan {
  /// A number in groups of 7 bits; the offset, which is moved behind it, may be anywhere. nil if it is cut off or too large.
  @inline(__always)
  func varint(_ offset: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < byteCount, shift < 64 {
      let byte = byte(at: offset)
      offset += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }

  /// The bytes behind a number that says how many there are.
  @inline(__always)
  fileprivate func run(_ offset: inout Int) -> Range<Int>? {
    guard let size = varint(&offset), size <= UInt64(byteCount - offset) else { return nil }
    let start = offset
    offset += Int(size)
    return start..<offset
  }
}

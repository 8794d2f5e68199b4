import CLivery

/// What a watch is told. Corresponds to `livery_event` in C.
public struct Event: Sendable {
  /// Raw values are those of the C constants.
  public enum Kind: Int32, Sendable {
    /// The effective value changed.
    case changed = 1
    /// The value stayed, and weaker layers were locked or unlocked.
    case writability
    /// A schema was applied; changes of values that it brought follow.
    case schema
    /// The effective value changed because a value's time was over.
    case expired
    /// Changes were missed: read anew what you watch.
    case resync
    /// The present value, at the start of a watch.
    case initial
    /// A commit is on trial; what it changed follows.
    case trial
    /// What was on trial stays.
    case confirmed
    /// What was on trial went back; what that changed follows.
    case reverted
  }

  /// The commit that it belongs to, and when that was made.
  public var revision: UInt64
  public var time: Timestamp
  public var kind: Kind
  /// The layer that was changed.
  public var layer: Layer
  /// nil for `schema`, `resync`, `trial`, `confirmed` and `reverted`.
  public var name: String?
  /// The effective values before and after; nil for none, and in a watch without values.
  public var oldValue: Value?
  public var newValue: Value?
  public var origin: String
  /// Whether layers beneath `enforced` may be changed.
  public var isWritable: Bool
  /// Whether the setting is declared secret, or was before the commit: its values are not for everyone's eyes.
  public var isSecret: Bool
  /// Whether a value is not told since it is sealed and cannot be opened here.
  public var isUnavailable = false
}

extension Event {
  /// What is missed up to a revision.
  static func resync(to revision: UInt64) -> Event {
    Event(
      revision: revision, time: .now, kind: .resync, layer: .user, name: nil, oldValue: nil, newValue: nil, origin: "",
      isWritable: true, isSecret: false)
  }

  /// What cannot be told has to be read anew: a kind that a newer library tells of, a value that there is no memory for.
  init(reading event: livery_event, hasValues: Bool) {
    do throws(StoreError) {
      guard let kind = Kind(rawValue: event.kind) else { throw StoreError(.typeMismatch, "an event of a newer kind") }
      self.init(
        revision: event.revision, time: Timestamp(microseconds: event.time), kind: kind,
        layer: try Layer(number: event.layer), name: event.name.map { String(cString: $0) },
        oldValue: hasValues ? try Event.value(event.old_value) : nil,
        newValue: hasValues ? try Event.value(event.new_value) : nil,
        origin: event.origin.map { String(cString: $0) } ?? "", isWritable: event.writable, isSecret: event.secret)
      isUnavailable = event.unavailable
    } catch {
      self = .resync(to: event.revision)
    }
  }

  private static func value(_ handle: OpaquePointer?) throws(StoreError) -> Value? {
    guard let handle else { return nil }
    return try Value(reading: handle)
  }
}

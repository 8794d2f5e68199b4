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
  /// The effective values before and after; nil for none.
  public var oldValue: Value?
  public var newValue: Value?
  public var origin: String
  /// Whether layers beneath `enforced` may be changed.
  public var isWritable: Bool
  /// Whether the setting is declared secret, or was before the commit: its values are not for everyone's eyes.
  public var isSecret: Bool
  /// Whether a value is not told since it cannot be opened here.
  public var isUnavailable = false
  /// Whether layers beneath `enforced` could be changed before.
  var wasWritable = true
  /// The log no longer tells the value before, or not the one that the commit led to.
  var isForgotten = false
}

extension Event.Kind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .changed: "changed"
    case .writability: "writability"
    case .schema: "schema"
    case .expired: "expired"
    case .resync: "resync"
    case .initial: "initial"
    case .trial: "trial"
    case .confirmed: "confirmed"
    case .reverted: "reverted"
    }
  }
}

extension Event {
  /// Without values that are sealed.
  var opened: Event {
    guard oldValue?.isSealed == true || newValue?.isSealed == true else { return self }
    var event = self
    if oldValue?.isSealed == true { event.oldValue = nil }
    if newValue?.isSealed == true { event.newValue = nil }
    event.isUnavailable = true
    return event
  }

  /// Of the kind that what is before and after it makes it; nil if nobody sees a difference.
  var asDifference: Event? {
    var event = self
    if isForgotten || oldValue != newValue {
      if kind == .writability { event.kind = .changed }
    } else {
      guard isWritable != wasWritable else { return nil }
      event.kind = .writability
    }
    return event
  }

  /// What an entry tells of a trial; nil if it is of none.
  static func ofTrial(_ entry: LogEntry) -> Event? {
    switch entry.trial {
    case .begun: Event(.trial, of: entry)
    case .confirmed: Event(.confirmed, of: entry)
    case .reverted: Event(.reverted, of: entry)
    case nil: nil
    }
  }

  init(_ kind: Kind, of entry: LogEntry) {
    self.init(
      revision: entry.revision, time: entry.time, kind: kind, layer: entry.layer, name: nil, oldValue: nil,
      newValue: nil, origin: entry.origin, isWritable: true, isSecret: false)
  }

  init(_ change: LogEntry.Change, of entry: LogEntry) {
    self.init(
      revision: entry.revision, time: entry.time,
      kind: change.isExpiry ? .expired : change.valueChanged ? .changed : .writability, layer: change.layer,
      name: change.name, oldValue: change.old, newValue: change.new, origin: entry.origin,
      isWritable: change.isWritable, isSecret: change.isSecret,
      wasWritable: change.writable.map { !$0 } ?? change.isWritable, isForgotten: change.isForgotten)
  }

  /// What is missed between two revisions that the log no longer holds.
  static func resync(to revision: UInt64) -> Event {
    Event(
      revision: revision, time: .now, kind: .resync, layer: .user, name: nil, oldValue: nil, newValue: nil, origin: "",
      isWritable: true, isSecret: false)
  }
}

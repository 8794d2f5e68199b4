/// The steps that lead to one version of a schema.
public struct Migration: Sendable {
  /// The version that they lead to.
  public let version: Int64
  public let steps: [MigrationStep]
}

/// One step of a migration.
public struct MigrationStep: Sendable {
  public enum Operation: UInt8, Sendable, CaseIterable {
    case rename, copy, remove, convert, set, split, join, gather, spread, call
  }

  /// What becomes of a value that does not convert, split or join.
  enum Invalid: UInt8 {
    /// The upgrade fails.
    case fail
    /// The value goes, which uncovers the layer beneath; a member of an item gets the default of the schema's template.
    case useDefault
    /// The value goes.
    case remove
  }

  /// On what a value is set.
  enum Condition: Sendable {
    /// On every value that is there; where no layer has one, in `bundle`.
    case always
    /// Where there is none: for a setting, in no layer.
    case absent
    case equals(Value)
  }

  public let operation: Operation
  /// The version that the step belongs to.
  public let version: Int64
  /// Its number among the steps of the version, from 1.
  public let number: Int
  /// Where it is in the schema (RFC 6901).
  public let pointer: String
  /// The lists in whose items it works, outermost first; none for settings.
  var lists: [String] = []
  /// The names that it reads, and those that it writes, all in the same place.
  var sources: [String] = []
  var targets: [String] = []
  /// The members of an object that belong to the sources (gather) or targets (spread).
  var members: [String] = []
  /// `By` of split and join.
  var separator = ""
  var type = ValueType.string
  /// A number other than 0.
  var scale: Value?
  var map = MigrationMap()
  var invalid = Invalid.fail
  var value = Value.bool(false)
  var condition = Condition.always
  /// The host function of `call`.
  public var function = ""

  init(_ operation: Operation, version: Int64, number: Int, pointer: String) {
    self.operation = operation
    self.version = version
    self.number = number
    self.pointer = pointer
  }

  func path(_ name: String) -> MigrationPath { MigrationPath(lists: lists, name: name) }
}

extension MigrationStep.Operation: CustomStringConvertible {
  /// The operation's name in a schema.
  public var description: String {
    switch self {
    case .rename: "rename"
    case .copy: "copy"
    case .remove: "remove"
    case .convert: "convert"
    case .set: "set"
    case .split: "split"
    case .join: "join"
    case .gather: "gather"
    case .spread: "spread"
    case .call: "call"
    }
  }
}

/// The table of a conversion: new values by the text of the old ones.
struct MigrationMap: Sendable {
  private var numbers = ByteIndex()
  private var values: [Value] = []

  mutating func add(_ text: String, _ value: Value) {
    if numbers.insert(text).isNew { values.append(value) }
  }

  var isEmpty: Bool { values.isEmpty }
  var all: [Value] { values }

  func value(for old: Value) -> Value? {
    guard !isEmpty else { return nil }
    if let text = old.spelling, let number = numbers.number(of: text) { return values[number] }
    // 2.0 is found under "2" too.
    guard case .double = old, let whole = old.coerced(to: .int)?.spelling else { return nil }
    return numbers.number(of: whole).map { values[$0] }
  }
}

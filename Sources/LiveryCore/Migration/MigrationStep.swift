/// The steps that lead to one version of a schema.
public struct Migration: Sendable {
  /// The version that they lead to.
  public let version: Int64
  public let steps: [MigrationStep]
}

/// One step of a migration.
public struct MigrationStep: Sendable {
  /// What a step does, by its name in a schema.
  public enum Operation: UInt8, Sendable, CaseIterable {
    case rename, copy, remove, convert, set, split, join, gather, spread, call
  }

  /// What a step does, and with what: names of settings, or of members of items.
  indirect enum Action: Sendable {
    case rename(String, into: String)
    case copy(String, into: String)
    case remove(String)
    case convert(String, Conversion, invalid: Invalid)
    case set(String, to: Value, when: Condition)
    case split(String, by: String, into: [String], invalid: Invalid)
    case join([String], by: String, into: String, invalid: Invalid)
    /// The members of the object have the names that its values had.
    case gather([String], into: String)
    case spread(String, into: [(member: String, name: String)])
    /// A host function.
    case call(String)
  }

  /// What becomes of a value that does not convert, split or join.
  enum Invalid {
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

    func isMet(by value: Value?) -> Bool {
      switch self {
      case .always: true
      case .absent: value == nil
      case .equals(let wanted): value?.isEquivalent(to: wanted) == true
      }
    }
  }

  /// The version that the step belongs to.
  public let version: Int64
  /// Its number among the steps of the version, from 1.
  public let number: Int
  /// Where it is in the schema (RFC 6901).
  public let pointer: String
  /// The lists in whose items it works, outermost first; none for settings.
  let lists: [String]
  let action: Action

  public var operation: Operation {
    switch action {
    case .rename: .rename
    case .copy: .copy
    case .remove: .remove
    case .convert: .convert
    case .set: .set
    case .split: .split
    case .join: .join
    case .gather: .gather
    case .spread: .spread
    case .call: .call
    }
  }

  /// The host function of `call`.
  public var function: String? {
    if case .call(let name) = action { name } else { nil }
  }

  /// The names of the values that it works on.
  var sources: [String] {
    switch action {
    case .rename(let name, _), .copy(let name, _), .remove(let name), .convert(let name, _, _), .set(let name, _, _),
      .split(let name, _, _, _), .spread(let name, _):
      [name]
    case .join(let names, _, _, _), .gather(let names, _): names
    case .call: []
    }
  }

  /// The names that its values get.
  var targets: [String] {
    switch action {
    case .rename(_, let name), .copy(_, let name), .join(_, _, let name, _), .gather(_, let name): [name]
    case .split(_, _, let names, _): names
    case .spread(_, let members): members.map { $0.name }
    case .remove, .convert, .set, .call: []
    }
  }

  /// All names that it reads or writes.
  var names: [String] { sources + targets }

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

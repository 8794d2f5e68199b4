/// What one step did, or would do, to one value.
public struct MigrationEntry: Sendable {
  public enum Outcome: UInt8, Sendable {
    case moved, copied, removed, converted, set, defaulted, skipped, failed
  }

  public var version: Int64
  public var step: Int
  public var operation: MigrationStep.Operation
  public var layer: Layer
  /// The path of the value: of the one that was read if there is one only, otherwise of the one that was written.
  public var name: String
  /// The items that the path leads through, from 1.
  public var items: [Int] = []
  /// Where the value went.
  public var into: [String] = []
  /// What the value was made of.
  public var from: [String] = []
  public var before: Value?
  public var after: Value?
  public var outcome: Outcome
  public var reason: String?
  public var isSecret = false

  init(_ step: MigrationStep, _ layer: Layer, _ name: String, _ outcome: Outcome) {
    version = step.version
    self.step = step.number
    operation = step.operation
    self.layer = layer
    self.name = name
    self.outcome = outcome
  }

  /// As an object for reports.
  public var value: Value {
    var members: [Value.Member] = [
      .init("version", .int(version)), .init("step", .int(Int64(step))), .init("op", .string(operation.description)),
      .init("layer", .string(layer.description)), .init("name", .string(name)),
    ]
    if !items.isEmpty { members.append(.init("items", .list(items.map { .int(Int64($0)) }))) }
    if !from.isEmpty { members.append(.init("from", .list(from.map { .string($0) }))) }
    if !into.isEmpty { members.append(.init("into", .list(into.map { .string($0) }))) }
    if let before { members.append(.init("before", before)) }
    if let after { members.append(.init("after", after)) }
    members.append(.init("outcome", .string(outcome.description)))
    if let reason { members.append(.init("reason", .string(reason))) }
    members.append(.init("secret", .bool(isSecret)))
    return .object(members)
  }

  /// The entry of a failure as one line: version, step, layer, setting and why.
  public var message: String {
    var place = "`\(name)`"
    for item in items { place += ", item \(item)" }
    return "migration to version \(version), step \(step) (\(operation)): \(place) in the layer \(layer): "
      + (reason ?? outcome.description)
  }
}

extension MigrationEntry.Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .moved: "moved"
    case .copied: "copied"
    case .removed: "removed"
    case .converted: "converted"
    case .set: "set"
    case .defaulted: "defaulted"
    case .skipped: "skipped"
    case .failed: "failed"
    }
  }
}

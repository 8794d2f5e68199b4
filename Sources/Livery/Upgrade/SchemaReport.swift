/// What is told of applying or checking a schema.
struct SchemaReport {
  var isApplied = false
  /// Whether values were sealed that had been plain: the file's pages hold them still.
  var hasSealed = false
  var isDrift = false
  var version: UInt64 = 0
  var previousVersion: UInt64 = 0
  var added: [String] = []
  var removed: [String] = []
  var changed: [String] = []
  var rejected: [Value] = []
  /// Values that the schema no longer declares, and those that go since they were orphaned for long enough.
  var orphaned: [Value] = []
  var dropped: [Value] = []
  var steps: [MigrationEntry] = []
  /// How many of the steps' entries there was no room for.
  var droppedSteps = 0
  /// Secrets that are none any more, and the settings for which that is allowed.
  var declassified: [Declassification] = []
  var consents = NameSet()
  /// The path of the backup that was made before.
  var backup: String?
  var diagnostics: [Diagnostic] = []
  /// Why the schema is not applied, though it is sound.
  var refusal: StoreError?

  var value: Value {
    func names(_ names: [String]) -> Value { .list(names.map { .string($0) }) }
    var members: [Value.Member] = [
      .init("applied", .bool(isApplied)), .init("drift", .bool(isDrift)),
      .init("version", .int(Int64(clamping: version))),
      .init("previousVersion", .int(Int64(clamping: previousVersion))), .init("added", names(added)),
      .init("removed", names(removed)), .init("changed", names(changed)),
      .init("steps", .list(steps.map { $0.value })),
    ]
    if droppedSteps > 0 { members.append(.init("moreSteps", .int(Int64(droppedSteps)))) }
    members.append(.init("rejected", .list(rejected)))
    members.append(.init("orphaned", .list(orphaned)))
    members.append(.init("dropped", .list(dropped)))
    members.append(
      .init("declassified", .list(declassified.map { $0.value(isAllowed: consents.contains($0.setting)) })))
    if let backup { members.append(.init("backup", .string(backup))) }
    members.append(.init("diagnostics", .list(diagnostics.map { $0.value })))
    return .object(members)
  }
}

/// A secret that is none any more under a new schema.
public struct Declassification: Sendable {
  /// The setting of the new schema that shows it.
  public var setting: String
  /// The setting, or the member of a list's items.
  public var path: String
  /// What a step did that led there, such as "step 2 (rename) to version 3"; nil if it is the same setting.
  public var step: String?
  public var message: String

  public init(setting: String, path: String, step: String?, message: String) {
    self.setting = setting
    self.path = path
    self.step = step
    self.message = message
  }
}

// Values that were secret and would be no longer.
extension ComparisonRun {
  mutating func checkSecrecy(_ slot: ComparisonSlot, _ setting: SettingDescriptor?, at path: [String]) {
    guard !slot.isEmpty else { return }
    if slot.isSecret, setting?.isSecret != true { declassify(slot, setting, at: path) }
    for member in slot.members {
      var inner: SettingDescriptor?
      for candidate in setting?.template ?? [] where candidate.key.sameBytes(as: member.name) { inner = candidate }
      checkSecrecy(member, inner, at: path + [member.name])
    }
  }

  private mutating func declassify(_ slot: ComparisonSlot, _ setting: SettingDescriptor?, at path: [String]) {
    let shown = MigrationPath(lists: Array(path.dropLast()), name: path[path.count - 1]).text
    let step = describeStep(at: slot.stepPointer)
    var message = "`\(shown)` is no secret"
    if slot.origin.isSame(as: path) || slot.origin.isEmpty && step == nil {
      message += setting == nil ? " any more: it is no longer declared" : " any more: `Password` is gone"
    } else {
      let from = slot.origin.last.map { MigrationPath(lists: slot.origin.dropLast(), name: $0).text }
      message += ", and gets what was one" + (from.map { " in `\($0)`" } ?? "")
    }
    if let step { message += ", by \(step)" }
    declassified.append(Declassification(setting: path[0], path: shown, step: step, message: message))
    let pointer =
      slot.stepPointer.utf8.isEmpty || setting != nil && slot.origin.isSame(as: path)
      ? newPlaces.pointer(path, .key) : slot.stepPointer
    newFindings.add(.error) {
      SchemaFinding(
        severity: .error, code: "declassified", message: message, pointer: pointer ?? "",
        hint: "keep it `Password`, or consent with --declassify \(path[0])", setting: path[0])
    }
  }

  /// A step by its place, in words.
  private func describeStep(at pointer: String) -> String? {
    if pointer.utf8.isEmpty { return nil }
    for migration in new.migrations {
      for step in migration.steps where step.pointer.sameBytes(as: pointer) {
        return "step \(step.number) (\(step.operation)) to version \(step.version)"
      }
    }
    return nil
  }
}

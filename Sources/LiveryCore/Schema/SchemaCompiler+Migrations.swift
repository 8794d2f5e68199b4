// The outer shape of migrations; what their steps do is not judged here.
extension SchemaCompiler {
  private static let operations = [
    "rename", "copy", "remove", "convert", "set", "split", "join", "gather", "spread", "call",
  ]

  mutating func migrations(_ json: JSON) {
    guard let items = array(json) else { return }
    for (index, item) in items.enumerated() {
      at(.index(index)) { $0.migration(item) }
    }
  }

  private mutating func migration(_ json: JSON) {
    guard case .object(let members) = json else {
      error("wrong-type", "a migration is an object with `To` and `Steps`, found \(json.typeName)")
      return
    }
    reportUnknown(members, known: ["To", "Steps", "Description"], in: "a migration")
    if let to = json["To"] {
      at(.member("To")) { compiler in
        if (to.wholeNumber ?? 0) < 1 { compiler.wrongType(to, "a version: a whole number from 1 up") }
      }
    } else {
      error("missing-member", "the migration has no `To`")
    }
    guard let steps = json["Steps"] else {
      error("missing-member", "the migration has no `Steps`")
      return
    }
    at(.member("Steps")) { compiler in
      guard let items = compiler.array(steps) else { return }
      for (index, item) in items.enumerated() {
        compiler.at(.index(index)) { $0.migrationStep(item) }
      }
    }
  }

  private mutating func migrationStep(_ json: JSON) {
    guard case .object = json else {
      error("wrong-type", "a step is an object with `Op`, found \(json.typeName)")
      return
    }
    guard let member = json["Op"] else {
      error("missing-member", "the step has no `Op`")
      return
    }
    at(.member("Op")) { compiler in
      guard let name = compiler.text(member) else { return }
      if SchemaCompiler.operations.contains(where: { $0.sameBytes(as: name) }) { return }
      compiler.error(
        "unknown-operation", "\(Value.string(name).brief) is not an operation",
        hint: MemberNames.meant(by: name, among: SchemaCompiler.operations).map { "did you mean `\($0)`?" })
    }
  }
}

import LiveryClient

/// What a person has said once and for all: settings below `prompt.`, in the layer `user`, each with its history.
enum Facts {
  static let prefix = "prompt."

  /// Takes the namespace for this handle.
  static func claim(_ store: Store) throws(StoreError) {
    try store.claim(prefix) { (value, name) throws(StoreError) in
      guard case .object = value, value["time"] != nil else {
        throw StoreError(.typeMismatch, "what a person has said is an object with `time`", setting: name)
      }
      return value
    }
  }

  /// The answer, when it was given, and of the subject by whom and to what.
  static func record(_ kind: PromptKind, _ answer: Value, _ subject: Value) -> (name: String, value: Value) {
    var members: [Value.Member] = []
    if case .object(let given) = answer { members = given }
    for key in ["version", "user"] where answer[key]?.text?.isEmpty != false {
      guard let said = subject[key] else { continue }
      members.removeAll { $0.key.sameBytes(as: key) }
      members.append(.init(key, said))
    }
    members.append(.init("time", .date(.now)))
    return (prefix + kind.name, .object(members))
  }
}

import LiveryClient

/// What an answer looks like: a schema of App Settings Management, and the engine's own judgement of values by it.
///
/// The schema is applied to a store in memory that nothing is ever committed to, which lives as long as the question.
struct PromptForm: Sendable {
  let schema: String

  private func opened() throws(StoreError) -> Store {
    var options = Store.Options()
    options.inMemory = true
    options.mapSize = 1 << 20
    options.automaticBackup = .never
    let store = try Store(path: "", options: options)
    if let error = store.applySchema(Array(schema.utf8)).error {
      store.close()
      throw error
    }
    return store
  }

  /// The form, ready to be drawn: as `Store.form` tells it.
  func drawn() throws(StoreError) -> Value {
    let store = try opened()
    defer { store.close() }
    return try store.form()
  }

  /// The answer with each value in its type, and with the form's defaults for what is missing.
  ///
  /// - Throws: `.invalidValue`, `.typeMismatch`, `.notFound` with the member that is wrong.
  func checked(_ answer: Value) throws(StoreError) -> Value {
    guard case .object(let given) = answer else {
      throw StoreError(.typeMismatch, "an answer is an object with the members of the form")
    }
    let store = try opened()
    defer { store.close() }
    let change = try store.change(.user)
    defer { change.discard() }
    for member in given { try change.set(member.key, to: member.value) }
    var members: [Value.Member] = []
    for element in Self.elements(try store.form()) {
      guard let name = element["name"]?.text else { continue }
      if let value = try change.valueIfAny(name) { members.append(.init(name, value)) }
      let isEmpty = members.last.map { $0.key.sameBytes(as: name) && $0.value.text?.isEmpty != true } != true
      if isEmpty, element["required"] != nil {
        throw StoreError(.invalidValue, "\(element["title"]?.text ?? name) is missing", setting: name)
      }
    }
    // What no element names is told by the engine, with the names that are near.
    for member in given where !members.contains(where: { $0.key.sameBytes(as: member.key) }) {
      _ = try change.value(member.key)
    }
    return .object(members)
  }

  private static func elements(_ form: Value) -> [Value] {
    var found: [Value] = []
    for group in form["groups"]?.items ?? [] { collect(group, &found) }
    return found
  }

  private static func collect(_ part: Value, _ found: inout [Value]) {
    for element in part["elements"]?.items ?? [] {
      if element["name"] != nil { found.append(element) } else { collect(element, &found) }
    }
  }
}

/// One step on the way to a place in a document or value.
enum PathStep: Sendable {
  case member(String)
  case index(Int)
}

extension [PathStep] {
  /// The path as a JSON pointer.
  var pointer: String {
    var tokens: [String] = []
    tokens.reserveCapacity(count)
    for step in self {
      switch step {
      case .member(let key): tokens.append(key)
      case .index(let index): tokens.append("\(index)")
      }
    }
    return jsonPointer(tokens)
  }

  /// The path for people: "`playlist`, item 3, `seconds`", counted from 1.
  var phrase: String {
    var text = ""
    for step in self {
      if !text.isEmpty { text += ", " }
      switch step {
      case .member(let key): text += "`\(key)`"
      case .index(let index): text += "item \(index + 1)"
      }
    }
    return text
  }
}

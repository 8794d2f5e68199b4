extension Value {
  /// Whether another value, or its text, can be read from this one.
  func tells(_ secret: Value) -> Bool {
    if self == secret { return true }
    switch self {
    case .list(let items): return items.contains { $0.tells(secret) }
    case .object(let members): return members.contains { $0.value.tells(secret) }
    default: break
    }
    guard case .string(let part) = secret, !part.utf8.isEmpty, let text = spelling else { return false }
    return text.holds(part)
  }
}

extension String {
  fileprivate func holds(_ part: String) -> Bool {
    let text = bytes, part = part.bytes
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == part[0] {
      if text[start..<start + part.count].elementsEqual(part) { return true }
    }
    return false
  }
}

extension Value {
  /// Whether another value, or its text, can be read from this one.
  func reveals(_ secret: Value) -> Bool {
    if self == secret { return true }
    switch self {
    case .list(let items): return items.contains { $0.reveals(secret) }
    case .object(let members): return members.contains { $0.value.reveals(secret) }
    default: break
    }
    guard case .string(let part) = secret, !part.utf8.isEmpty, let text = exactText else { return false }
    return text.containsBytes(of: part)
  }
}

extension String {
  fileprivate func containsBytes(of part: String) -> Bool {
    let text = bytes, part = part.bytes
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == part[0] {
      if text[start..<start + part.count].elementsEqual(part) { return true }
    }
    return false
  }
}

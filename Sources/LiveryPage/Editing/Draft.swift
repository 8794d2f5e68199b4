import LiveryClient

/// A form that came back: what was typed, and what became of it. It is drawn again with all of that until it is saved.
struct Draft: Sendable {
  var fields: Fields
  /// By the bytes of the names.
  var errors: [[UInt8]: String] = [:]
  /// Settings that somebody else has changed meanwhile.
  var conflicts: Set<[UInt8]> = []
  /// What was said about the whole: why nothing was saved.
  var message: String?

  func error(_ name: String) -> String? { errors[Array(name.utf8)] }
  func isInConflict(_ name: String) -> Bool { conflicts.contains(Array(name.utf8)) }

  /// The revision at which the setting was drawn, and the fingerprint of what it showed; nil if it was not in the form.
  func mark(_ name: String) -> (revision: UInt64, fingerprint: String)? {
    guard let mark = fields["s:" + name] else { return nil }
    let parts = mark.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
    guard parts.count == 2, let revision = UInt64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
    return (revision, String(decoding: parts[1], as: UTF8.self))
  }

  /// The names of all settings that were in the form.
  var names: [String] { fields.all.compactMap { $0.name.after("s:") } }

  /// What the person has typed for a setting; nil if that is what was shown.
  func typed(_ element: Element) -> String? {
    guard let mark = mark(element.name) else { return nil }
    let sent = element.sent(in: fields)
    if case .secret = element.kind, fields["x:" + element.name] != nil { return sent }
    return fingerprint(sent.utf8).sameBytes(as: mark.fingerprint) ? nil : sent
  }
}

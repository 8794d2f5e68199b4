import LiveryClient
import LiveryHTTP

/// A form that came back: what was typed, and what became of it. It is drawn again with all of that until it is saved.
struct Draft: Sendable {
  let fields: FieldTable
  /// By the bytes of the names.
  var errors: [[UInt8]: String] = [:]
  /// Which constraint of the schema is broken, where it is one.
  var constraints: [[UInt8]: String] = [:]
  /// Settings that somebody else has changed meanwhile.
  var conflicts: Set<[UInt8]> = []
  /// Settings whose file has to be chosen again, since a document cannot give it back.
  var lostFiles: Set<[UInt8]> = []
  /// A setting that is no part of it any more.
  var done: String?
  /// What was said about the whole: why nothing was saved.
  var message: String?

  init(_ fields: Fields) {
    self.fields = FieldTable(fields)
  }

  func error(_ name: String) -> String? { errors[Array(name.utf8)] }

  /// The same in words for people, where there are any.
  func error(_ element: Element, _ words: Words) -> String? {
    let key = Array(element.name.utf8)
    return errors[key].map { said in constraints[key].flatMap { words.fault($0, of: element) } ?? said }
  }

  func isInConflict(_ name: String) -> Bool { conflicts.contains(Array(name.utf8)) }
  func hasLostFile(_ name: String) -> Bool { lostFiles.contains(Array(name.utf8)) }

  /// The mark of a setting as it was drawn; nil if it was not in the form.
  func sentMark(_ name: String) -> String? {
    if let done, done.sameBytes(as: name) { return nil }
    return fields["s:" + name]
  }

  /// The same, unless the person was told of what is there now.
  func seenMark(_ name: String) -> String? { isInConflict(name) ? nil : sentMark(name) }

  /// The revision at which the setting was drawn, and the fingerprint of what it showed.
  @inline(never)
  func mark(_ name: String) -> (revision: UInt64, fingerprint: String)? {
    guard let mark = sentMark(name) else { return nil }
    let parts = mark.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
    guard parts.count == 2, let revision = UInt64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
    return (revision, String(decoding: parts[1], as: UTF8.self))
  }

  /// The names of all settings that were in the form.
  var names: [String] { fields.names(after: "s:") }

  /// What the person wants of a setting that somebody else has changed; nil if that was not asked, or not answered.
  func decision(_ name: String) -> Decision? {
    switch fields["c:" + name] {
    case "theirs"?: .theirs
    case "mine"?: .mine
    default: nil
    }
  }

  enum Decision { case mine, theirs }

  /// Whether the person was asked to decide.
  func wasInConflict(_ name: String) -> Bool { fields["k:" + name] != nil }

  /// What the person has typed for a setting; nil if that is what was shown.
  @inline(never)
  func typed(_ element: Element) -> String? {
    guard let mark = mark(element.name) else { return nil }
    let sent = element.sent(fields.values("v:" + element.name))
    if element.kind == .secret, fields["x:" + element.name] != nil { return sent }
    return fingerprint(sent.utf8).sameBytes(as: mark.fingerprint) ? nil : sent
  }
}

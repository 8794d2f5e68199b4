/// A namespace: settings whose names begin with a prefix may be set whatever a schema declares, and one owner checks the
/// values of those that it does not declare.
package struct Claim: Sendable {
  /// Gives the value that is to be kept; what it throws refuses the value.
  package typealias Check = @Sendable (_ value: Value, _ name: String) throws(StoreError) -> Value

  /// Tells what of a setting's values does not count for now, by what a layer holds for a setting.
  package typealias Waiting =
    @Sendable (
      _ name: String, _ read: (Layer, String) throws(StoreError) -> Value?
    ) throws(StoreError) -> [WaitingValue]

  package let prefix: String
  package let check: Check
  /// nil where nothing waits.
  package let waiting: Waiting?
  /// Of the library's own bookkeeping: the settings whose values a value keeps for another time. nil for settings that people
  /// know of.
  package let kept: (@Sendable (Value) -> [String])?

  /// Whether people are not shown its settings where they look for some.
  package var isInternal: Bool { kept != nil }

  package init(
    prefix: String, waiting: Waiting? = nil, kept: (@Sendable (Value) -> [String])? = nil, check: @escaping Check
  ) {
    self.prefix = prefix
    self.waiting = waiting
    self.kept = kept
    self.check = check
  }

  package func covers(_ name: String) -> Bool { Self.covers(prefix, name) }

  /// The library's own of a setting's name, if it is in one.
  package static func builtIn(of name: String) -> Claim? {
    for index in builtIn.indices where covers(builtIn[index].prefix, name) { return builtIn[index] }
    return nil
  }

  package static func covers(_ prefix: String, _ name: String) -> Bool {
    name.utf8.count > prefix.utf8.count && name.begins(with: prefix)
  }

  /// A prefix ends with a dot, and is no part of another that is claimed.
  package static func check(_ prefix: String, beside known: [String]) throws(StoreError) {
    guard prefix.utf8.last == UInt8(ascii: "."), prefix.utf8.count > 1 else {
      throw StoreError(
        .invalidArgument, "`\(truncated(prefix, to: 40))`: a namespace is a name and a dot, such as `fetch.`")
    }
    try checkName(prefix)
    for other in builtIn.map({ $0.prefix }) + known {
      guard prefix.utf8.starts(with: other.utf8) || other.utf8.starts(with: prefix.utf8) else { continue }
      let reason = prefix.sameBytes(as: other) ? "is claimed already" : "cannot be claimed beside `\(other)`"
      throw StoreError(.conflict, "`\(prefix)` \(reason)")
    }
  }

  /// The namespaces of the library's own, in every store: of brands what counts, and what is kept for another time.
  package static let builtIn = [
    Claim(
      prefix: Branding.prefix,
      waiting: { (name, read) throws(StoreError) in try Branding.waiting(name, read) },
      check: { (value, name) throws(StoreError) in try Branding.checked(value, for: name) }),
    Claim(
      prefix: Branding.keptPrefix,
      kept: { value in (Brand(stored: value)?.values ?? []).map { Branding.prefix + $0.key } },
      check: { (value, _) throws(StoreError) in value }),
  ]
}

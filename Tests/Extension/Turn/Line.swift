import LiveryClient

/// Who stands in a line, in the setting `turn.<line>`.
struct Line: Sendable {
  static let prefix = "turn."

  let setting: String

  init(_ name: String) {
    setting = Self.prefix + name
  }

  /// Goes to the end of the line; the revision since which that is so.
  func enter(_ who: String, in store: Store) throws(StoreError) -> UInt64 {
    try store.edit(.user) { (change) throws(StoreError) in
      try change.setOrigin("turn")
      var names = Self.names(try change.valueIfAny(setting))
      guard !names.contains(where: { Self.isSame($0, who) }) else {
        throw StoreError(.conflict, "`\(who)` is in the line already", setting: setting)
      }
      names.append(who)
      try change.set(setting, to: Self.value(names))
    }
  }

  /// Leaves the line, from whatever place in it.
  func leave(_ who: String, in store: Store) throws(StoreError) {
    try store.edit(.user) { (change) throws(StoreError) in
      try change.setOrigin("turn")
      let names = Self.names(try change.valueIfAny(setting))
      let others = names.filter { !Self.isSame($0, who) }
      if others.isEmpty {
        try change.reset(setting)
      } else if others.count < names.count {
        try change.set(setting, to: Self.value(others))
      }
    }
  }

  /// A line is a list of different names; an empty one is no value at all.
  static func check(_ value: Value, _ name: String) throws(StoreError) -> Value {
    guard let items = value.items else { throw StoreError(.typeMismatch, "a line is a list of names", setting: name) }
    var known: [String] = []
    for item in items {
      guard case .string(let who) = item, !who.isEmpty else {
        throw StoreError(.typeMismatch, "a line is a list of names", setting: name)
      }
      guard !known.contains(where: { isSame($0, who) }) else {
        throw StoreError(.invalidValue, "`\(who)` is in the line twice", setting: name)
      }
      known.append(who)
    }
    return value
  }

  static func names(_ value: Value?) -> [String] {
    var names: [String] = []
    for item in value?.items ?? [] {
      if let name = item.text { names.append(name) }
    }
    return names
  }

  static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private static func value(_ names: [String]) -> Value { .list(names.map { .string($0) }) }
}

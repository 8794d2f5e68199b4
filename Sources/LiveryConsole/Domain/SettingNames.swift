import LiveryClient
import LiveryFleet
import LiveryHTTP

/// What a schema calls its settings: one has several names where it had others once, or has short ones.
struct SettingNames: Sendable {
  /// All of them, in the order of their bytes.
  private var names: [String] = []
  /// In the order of the bytes of the aliases.
  private var aliases: [(alias: String, name: String)] = []
  /// Those that are secret; of lists whose items have a secret the list.
  private var secret: [String] = []

  init() {}

  /// - Parameter form: of a store that knows the schema, with what is hidden.
  init(_ form: Value) {
    collect(form, in: nil)
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    aliases.sort { $0.alias.utf8.lexicographicallyPrecedes($1.alias.utf8) }
  }

  private mutating func collect(_ value: Value, in list: String?) {
    switch value {
    case .list(let items): for item in items { collect(item, in: list) }
    case .object(let members):
      let kind = value["kind"]?.text
      let name = list ?? value["name"]?.text
      if list == nil, kind != nil, let name { names.append(name) }
      if let kind, let name, kind.sameBytes(as: "secret") { secret.append(name) }
      // Members of items are no settings.
      if list == nil, let name, case .list(let items)? = value["aliases"] {
        for item in items { if let alias = item.text { aliases.append((alias, name)) } }
      }
      let isList = kind.map { $0.sameBytes(as: "list") } ?? false
      for member in members where !["value", "items", "default"].contains(where: { $0.sameBytes(as: member.key) }) {
        collect(member.value, in: isList ? name : list)
      }
    default: break
    }
  }

  /// Whether there is a setting of that name, which is no alias.
  func has(_ name: String) -> Bool { names.containsSorted(name) }

  /// Those that are secret, by each of their names.
  var secrets: [String] { secret.flatMap { all(of: $0) } }

  /// The name of a setting by its name or an alias; other names as they are.
  func name(_ text: String) -> String {
    var (low, high) = (0, aliases.count)
    while low < high {
      let middle = (low + high) / 2
      if aliases[middle].alias.utf8.lexicographicallyPrecedes(text.utf8) { low = middle + 1 } else { high = middle }
    }
    return low < aliases.count && aliases[low].alias.sameBytes(as: text) ? aliases[low].name : text
  }

  /// A setting's name, and its aliases.
  func all(of name: String) -> [String] {
    [name] + aliases.filter { $0.name.sameBytes(as: name) }.map { $0.alias }
  }

  /// A setting by its name, which remembers how it is written.
  func named(_ setting: DraftSetting) -> DraftSetting {
    var named = setting
    named.name = name(setting.written)
    named.alias = named.name.sameBytes(as: setting.written) ? nil : setting.written
    return named
  }

  /// Settings by their names, each once, in the order of their bytes. Of two that are one the last counts, as it does for
  /// devices.
  func named(_ settings: [DraftSetting]) -> [DraftSetting] {
    var once: [DraftSetting] = []
    let sorted = settings.map { named($0) }.sorted { (left, right) in
      left.name.sameBytes(as: right.name)
        ? left.written.utf8.lexicographicallyPrecedes(right.written.utf8)
        : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    for setting in sorted {
      if once.last?.name.sameBytes(as: setting.name) ?? false { once.removeLast() }
      once.append(setting)
    }
    return once
  }
}

/// What a document says of settings, to be found by what the schema calls them now.
struct FoundSettings {
  private let all: [(name: String, setting: Document.Setting)]

  /// - Parameter settings: of one name the last counts.
  init(_ settings: [Document.Setting], _ names: SettingNames) {
    let named = settings.enumerated().map { (place: $0.offset, name: names.name($0.element.name)) }
    let sorted = named.sorted { (left, right) in
      left.name.sameBytes(as: right.name)
        ? left.place < right.place : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    all = sorted.map { ($0.name, settings[$0.place]) }
  }

  /// nil if it says nothing of it.
  func setting(_ name: String) -> Document.Setting? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if name.utf8.lexicographicallyPrecedes(all[middle].name.utf8) { high = middle } else { low = middle + 1 }
    }
    return low > 0 && all[low - 1].name.sameBytes(as: name) ? all[low - 1].setting : nil
  }
}

extension Console {
  /// What the schema calls settings. What was written with an older one may have another name there.
  func names() throws(Refusal) -> SettingNames {
    guard let json = try schema() else { return SettingNames() }
    return try types.names(json)
  }
}
